"""What Prometheus scrapes: meters, rounds, refusals, commits, the queue, tables and payouts.

Counting costs the hot path one call a commit. Amounts are whole cents: those are exact in the
floating-point numbers that Prometheus is made of.
"""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from jackpot.core.events.table import RoundSettled, RoundVoided, WagersPlaced
from jackpot.core.money import MICROS_PER_CENT
from jackpot.display.feeds.local import LocalFeed
from jackpot.display.views.values import Overview
from jackpot.engine import AlarmKind, CommittedBatch
from jackpot.server.errors import REFUSALS

_LATENCIES_S = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)
_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024)


class Metrics:
    """Counts what one controller commits, and shows it with what the feed holds."""

    def __init__(self, feed: LocalFeed) -> None:
        self._feed = feed
        self._counts = {RoundSettled: 0, RoundVoided: 0, WagersPlaced: 0}
        self._wagers = 0
        self._registry = CollectorRegistry()
        self._latency = Histogram(
            "jackpot_commit_seconds",
            "From the journal's lock to the disk's answer.",
            buckets=_LATENCIES_S,
            registry=self._registry,
        )
        self._batch = Histogram(
            "jackpot_commit_commands",
            "Commands in one commit.",
            buckets=_SIZES,
            registry=self._registry,
        )
        self._registry.register(_Floor(self))
        self._floor: list[Metric] = []
        feed.engine.observers.append(self._observe)

    def close(self) -> None:
        """Count no more."""
        self._feed.engine.observers.remove(self._observe)

    async def page(self) -> bytes:
        """The page that Prometheus reads."""
        overview = await self._feed.overview()
        self._floor = list(_floor(overview)) if overview else []
        return generate_latest(self._registry)

    def _observe(self, commit: CommittedBatch) -> None:
        self._latency.observe(commit.commit_s)
        self._batch.observe(len(commit.events))
        counts = self._counts
        for committed in commit.events.values():
            event = committed.event
            kind = type(event)
            if kind in counts:
                counts[kind] += 1
                if isinstance(event, WagersPlaced):
                    self._wagers += len(event.wagers)

    def families(self) -> Iterator[Metric]:
        """What is read off the feed at the moment of a scrape."""
        yield from self._money()
        rounds = CounterMetricFamily("jackpot_rounds", "Rounds by their end.", labels=["end"])
        rounds.add_metric(["settled"], self._counts[RoundSettled])
        rounds.add_metric(["voided"], self._counts[RoundVoided])
        yield rounds
        yield CounterMetricFamily("jackpot_wagers", "Wagers accepted.", value=self._wagers)
        refusals = CounterMetricFamily(
            "jackpot_refusals", "Commands and calls refused, by reason.", labels=["reason"]
        )
        for reason, count in sorted(REFUSALS.items()):
            refusals.add_metric([reason], count)
        yield refusals
        engine = self._feed.engine
        raised = CounterMetricFamily("jackpot_alarms_raised", "Alarms, ever.", labels=["alarm"])
        for kind in AlarmKind:
            raised.add_metric([kind.name], engine.alarms.raised[kind])
        yield raised
        yield _gauge("jackpot_queue_depth", "Commands that wait for the writer.", engine.queued)
        yield _gauge("jackpot_serving", "Whether commands are taken.", int(self._feed.serving))
        yield from self._floor

    def _money(self) -> Iterator[Metric]:
        labels = ["site", "link", "level"]
        pools = {
            "meter": GaugeMetricFamily("jackpot_meter_cents", "What signs show.", labels=labels),
            "reserve": GaugeMetricFamily(
                "jackpot_reserve_cents", "Kept for the next meter.", labels=labels
            ),
            "overflow": GaugeMetricFamily(
                "jackpot_overflow_cents", "Above a limit, or parked.", labels=labels
            ),
        }
        hits = CounterMetricFamily("jackpot_hits", "Percentage awards, ever.", labels=labels[:2])
        for frame in self._feed.engine.meters.frames():
            hits.add_metric([frame.site, frame.link], frame.hit_count)
            for level in frame.levels:
                where = [frame.site, frame.link, level.level]
                for pool, family in pools.items():
                    micros: int = getattr(level, f"{pool}_micros")
                    family.add_metric(where, micros // MICROS_PER_CENT)
        yield from (*pools.values(), hits)


class _Floor(Collector):
    """Lets the registry ask at each scrape."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def collect(self) -> Iterator[Metric]:
        """All families that are not counted as they happen."""
        return self._metrics.families()

    def describe(self) -> Iterator[Metric]:
        """Nothing: what is collected says it itself."""
        return iter(())


def _gauge(name: str, help_: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, help_, value=value)


def _floor(overview: Overview) -> Iterator[Metric]:
    attached = sum(table.attached for table in overview.tables)
    yield _gauge("jackpot_tables_attached", "Tables heard of lately.", attached)
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
    alarms = GaugeMetricFamily("jackpot_alarms", "Alarms that stand.", labels=["severity"])
    for severity in ("critical", "warning"):
        alarms.add_metric([severity], sum(a.severity == severity for a in overview.alarms))
    yield alarms
