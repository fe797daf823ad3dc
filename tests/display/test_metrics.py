"""What Prometheus scrapes, and what watches over it."""

import json
import re
from pathlib import Path

import pytest
from grpc.aio import AioRpcError
from prometheus_client.parser import text_string_to_metric_families

from tests.display.shown import Shown
from tests.server.house import DOLLAR

DASHBOARD = Path("deploy/grafana-dashboard.json")
ALERTS = Path("deploy/alerts.yml")
QUADS = ["7s", "7h", "7d", "7c", "As"]
Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def used_in(path: Path) -> set[str]:
    """The metrics that a file names."""
    return set(re.findall(r"\bjackpot_[a-z_]+\b", path.read_text()))


async def scrape(shown: Shown) -> Samples:
    """Every sample by name and labels."""
    status, text = await shown.get("/metrics")
    assert status == 200
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(samples: Samples, name: str, **labels: str) -> float:
    """One sample."""
    return samples[name, tuple(sorted(labels.items()))]


async def test_everything_is_counted(shown: Shown) -> None:
    """Meters in exact cents, rounds, wagers, refusals, commits, the queue, tables and payouts."""
    before = await scrape(shown)
    dealer = await shown.house.dealer("t2")
    await dealer.settled({}, 1, 2, dollars=5)
    await dealer.settled({3: QUADS}, 1, 3, dollars=5)
    with pytest.raises(AioRpcError):
        await dealer.do("open_round")  # refused: a payout's documentation is open
    after = await scrape(shown)

    def grown(name: str, **labels: str) -> float:
        was = before.get((name, tuple(sorted(labels.items()))), 0.0)
        return value(after, name, **labels) - was

    for level, micros in (await shown.house.meter("mega")).items():
        shown_cents = value(after, "jackpot_meter_cents", site="house", link="mega", level=level)
        assert shown_cents == micros * 100 // DOLLAR
    assert grown("jackpot_rounds_total", end="settled") == 2
    assert grown("jackpot_rounds_total", end="voided") == 0
    assert grown("jackpot_wagers_total") == 4
    assert grown("jackpot_refusals_total", reason="DOCUMENTATION_OPEN") == 1
    assert grown("jackpot_commit_seconds_count") == grown("jackpot_commit_commands_count") > 8
    assert grown("jackpot_commit_commands_sum") >= 12
    assert value(after, "jackpot_queue_depth") == 0
    assert value(after, "jackpot_serving") == 1
    assert value(after, "jackpot_tables") == 4
    assert value(after, "jackpot_tables_attached") == 1
    assert value(after, "jackpot_pending_payouts", state="pending") == 1
    assert value(after, "jackpot_hits_total", site="house", link="mega") == 1


async def test_dashboard_and_alerts_name_what_exists(shown: Shown) -> None:
    """Every metric that a chart or an alert uses is one that is served."""
    dealer = await shown.house.dealer("t2")
    await dealer.settled({3: QUADS}, 3, dollars=5)
    with pytest.raises(AioRpcError):
        await dealer.do("open_round")
    served = {name for name, _ in await scrape(shown)}
    for path in (DASHBOARD, ALERTS):
        used = used_in(path)
        assert used
        assert used <= served | {"jackpot_controller"}, path  # the last one names the scrape job


def test_the_dashboard_is_json_with_panels() -> None:
    """Grafana can read it, and each panel asks for something."""
    dashboard = json.loads(DASHBOARD.read_text())
    assert len(dashboard["panels"]) >= 8
    assert all(panel["targets"] for panel in dashboard["panels"])
