"""What Prometheus scrapes: meters, rounds, refusals, commits, the queue, tables and payouts.

The ledger counts, and the pages show it with what their feed holds. Amounts are whole cents: those
are exact in the floating-point numbers that Prometheus is made of.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from itertools import accumulate

from prometheus_client import generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from jackpot.core.money import MICROS_PER_CENT
from jackpot.display.feeds.site_feed import SiteFeed
from jackpot.display.views.values import Overview
from jackpot.engine import MeterFrame
from jackpot.server.figures import Figures, Spread


class Metrics:
    """The page that Prometheus reads."""

    def __init__(self, feed: SiteFeed, figures: Callable[[], Awaitable[Figures]]) -> None:
        """`figures` asks the ledger for what it has counted."""
        self._feed = feed
        self._figures = figures

    async def page(self) -> bytes:
        """The page as it is now."""
        overview = await self._feed.overview()
        figures = await self._figures()
        serving = _gauge(
            "jackpot_serving",
            "1 if the controller accepts commands, else 0.",
            int(self._feed.serving),
        )
        floor = _floor(overview) if overview else ()
        return generate_latest(_Families([*_counted(figures), serving, *floor]))


class _Families(Collector):
    """What is shown at one scrape."""

    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        """All of it."""
        return self._families


def _gauge(name: str, help_: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, help_, value=value)


def _counted(figures: Figures) -> Iterator[Metric]:
    latency = "Time of a commit, from locking the journal to the disk's answer."
    yield _histogram("jackpot_commit_seconds", latency, figures.commit_s)
    yield _histogram("jackpot_commit_commands", "Commands in one commit.", figures.commands)
    yield from _money(figures.frames)
    rounds = CounterMetricFamily(
        "jackpot_rounds", "Rounds ended, by how they ended.", labels=["end"]
    )
    rounds.add_metric(["settled"], figures.settled)
    rounds.add_metric(["voided"], figures.voided)
    yield rounds
    yield CounterMetricFamily("jackpot_wagers", "Wagers accepted.", value=figures.wagers)
    refusals = CounterMetricFamily(
        "jackpot_refusals", "Commands and calls refused, by reason.", labels=["reason"]
    )
    for reason, count in sorted(figures.refusals.items()):
        refusals.add_metric([reason], count)
    yield refusals
    raised = CounterMetricFamily(
        "jackpot_alarms_raised", "Alarms raised, by kind.", labels=["alarm"]
    )
    for kind, count in figures.alarms.items():
        raised.add_metric([kind], count)
    yield raised
    software = figures.software
    build = GaugeMetricFamily(
        "jackpot_build_info",
        "The software version, and whether its files match the release.",
        labels=["version", "manifest", "release", "key"],
    )
    build.add_metric([software.version, software.manifest, software.check, software.key], 1)
    yield build
    yield _gauge("jackpot_queue_depth", "Commands waiting to be committed.", figures.queued)


def _histogram(name: str, help_: str, spread: Spread) -> HistogramMetricFamily:
    bounds = [*(str(float(bound)) for bound in spread.bounds), "+Inf"]
    buckets = list(zip(bounds, accumulate(spread.counts), strict=True))
    return HistogramMetricFamily(name, help_, buckets=buckets, sum_value=spread.total)


def _money(frames: Iterable[MeterFrame]) -> Iterator[Metric]:
    labels = ["site", "link", "level"]
    pools = {
        "meter": GaugeMetricFamily(
            "jackpot_meter_cents", "The amount on the meter, as signs show it.", labels=labels
        ),
        "reserve": GaugeMetricFamily(
            "jackpot_reserve_cents",
            "Money set aside for the meter after the next 100% award.",
            labels=labels,
        ),
        "overflow": GaugeMetricFamily(
            "jackpot_overflow_cents", "Players' money that may not be on the meter.", labels=labels
        ),
    }
    hits = CounterMetricFamily(
        "jackpot_hits", "Awards of a percentage of a meter.", labels=labels[:2]
    )
    for frame in frames:
        hits.add_metric([frame.site, frame.link], frame.hit_count)
        for level in frame.levels:
            where = [frame.site, frame.link, level.level]
            for pool, family in pools.items():
                micros: int = getattr(level, f"{pool}_micros")
                family.add_metric(where, micros // MICROS_PER_CENT)
    yield from (*pools.values(), hits)


def _floor(overview: Overview) -> Iterator[Metric]:
    attached = sum(table.attached for table in overview.tables)
    yield _gauge(
        "jackpot_tables_attached", "Tables that are attached and sending heartbeats.", attached
    )
    yield _gauge("jackpot_tables", "Tables of the site.", len(overview.tables))
    payouts = GaugeMetricFamily(
        "jackpot_pending_payouts", "Awards not yet paid, by state.", labels=["state"]
    )
    for state in ("pending", "validated"):
        payouts.add_metric([state], sum(p.state == state for p in overview.payouts))
    yield payouts
    oldest_ms = min((p.since_ms for p in overview.payouts), default=overview.now_ms)
    age_s = (overview.now_ms - oldest_ms) / 1_000
    yield _gauge("jackpot_oldest_payout_seconds", "Age of the oldest unpaid award.", age_s)
    alarms = GaugeMetricFamily("jackpot_alarms", "Alarms that are active now.", labels=["severity"])
    for severity in ("critical", "warning"):
        alarms.add_metric([severity], sum(a.severity == severity for a in overview.alarms))
    yield alarms
