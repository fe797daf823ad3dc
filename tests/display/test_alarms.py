"""Every alarm of the one list reaches the log, the operator page, the API and the metrics."""

import asyncio
import inspect
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from grpc.aio import AioRpcError

from jackpot.core import bad_beat, changes, intake, meter_readings, settle
from jackpot.core.commands import ReadMeters, Request, SuspendAfterAbsence
from jackpot.core.commands.base import OperatorOrigin
from jackpot.core.commands.operator import ConfigureSite
from jackpot.core.invariants import BrokenInvariantError
from jackpot.core.state import State
from jackpot.display.feeds.site_feed import SiteFeed
from jackpot.engine import AlarmKind, Limits, replica
from jackpot.engine.alarms import alarm
from jackpot.rules.site import load_site
from jackpot.server import standing_alarms
from jackpot.server.fronts import Fronts
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import alarm_pb2, operator_pb2, table_pb2
from table_client.client import open_channel
from tests.display.browser import Browser
from tests.display.frozen import set_digits
from tests.display.shown import Shown, open_shown
from tests.engine.pit import eventually
from tests.server.house import (
    DOLLAR,
    ROYALS,
    SITE,
    Clock,
    House,
    fund_text,
    open_house,
    serving,
)
from tests.server.test_restored import attach, restored

QUICK = Limits(stalled_s=0.5)
MALFUNCTION = operator_pb2.METER_REASON_MALFUNCTION
Scene = Callable[[House, pytest.MonkeyPatch], Awaitable[None]]


async def halted(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """The accounts stop adding up."""

    def check(_state: State) -> None:
        raise BrokenInvariantError("for the test")

    monkeypatch.setattr(replica, "check_open", check)
    with suppress(AioRpcError):
        await house.operate("SuspendLink", link="bonus")


async def not_serving(house: House, _: pytest.MonkeyPatch) -> None:
    """A commit hangs, and everything that waits for it."""
    house.faults.hold_at = "before-commit"
    asyncio.create_task(house.operate("SuspendLink", link="bonus"))  # noqa: RUF006 - it ends with the house
    await eventually(lambda: not house.engine.healthy)


async def silent(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table opens a round and says no more."""
    monkeypatch.setattr(standing_alarms, "SILENT_MICROS", 0)
    await (await house.dealer("t1")).do("open_round")


async def late(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody pays an award."""
    monkeypatch.setattr(standing_alarms, "LATE_MICROS", 0)
    await (await house.dealer("t4")).settled({1: ROYALS["s"]}, 1)


async def lower(house: House, link: str) -> None:
    """Set a link's only meter to a dollar, as two people may."""
    change: dict[str, Any] = {
        "link": link,
        "level": "main",
        "to_micros": DOLLAR,
        "reason": MALFUNCTION,
        "reference": "memo 7",
    }
    made = await house.operate("AdjustMeter", who="ann/slots", **change)
    await house.operate("ApproveProposal", who="bob/accounting", proposal=made.proposed.id)


async def low_meter(house: House, _: pytest.MonkeyPatch) -> None:
    """All is won of a meter that was set far below its seed."""
    await lower(house, "five")
    await (await house.dealer("t4")).settled({1: ROYALS["s"]}, 1)


async def box_difference(house: House, _: pytest.MonkeyPatch) -> None:
    """A box holds more than its pots gave."""
    pot = table_pb2.ContributePot(pot_micros=20 * DOLLAR)
    await (await house.dealer("p1")).do("contribute_pot", pot)
    count: dict[str, Any] = {
        "table": "p1",
        "counted_micros": 3 * DOLLAR,
        "cashier": "Cy",
    }
    await house.operate("CountBox", link="fund", **count)


async def set_back(house: House, _: pytest.MonkeyPatch) -> None:
    """The clock goes back by eight seconds, with a little time in between."""
    for ahead_s in (8, 0):
        house.clock.ahead_s = ahead_s
        await house.dealer("t1")


async def put_forward(house: House, _: pytest.MonkeyPatch) -> None:
    """The clock goes forward by an hour."""
    for ahead_s in (0, 3_600):
        house.clock.ahead_s = ahead_s
        await house.dealer("t1")


async def front_lost(house: House, _: pytest.MonkeyPatch) -> None:
    """A process of the controller's own is killed."""
    fronts = Fronts({}, 1, house.engine.alarms)
    await fronts.start("127.0.0.1:0", None)
    assert fronts._children is not None
    (child,) = fronts._children._running
    assert child._process is not None
    child._process.kill()
    await eventually(lambda: bool(house.engine.alarms.alarms(SITE)))
    await fronts.stop()


async def late_void(house: House, _: pytest.MonkeyPatch) -> None:
    """A floorperson voids a round after its lock-out."""
    await (await house.dealer("t4")).locked(1)
    await house.operate("VoidTableRound", table="t4", round=1, irregularity="MISDEALT")


async def restore(house: House, _: pytest.MonkeyPatch) -> None:
    """A backup is put in the journal's place."""
    await restored(house)
    await house.sequence()


async def rolled_back(house: House, _: pytest.MonkeyPatch) -> None:
    """A table had answers that a restored backup does not have."""
    await house.dealer("t4")
    common = await house.sequence()
    await restored(house)
    await attach(
        house, table_pb2.Acknowledged(first_sequence=1, last_sequence=common + 20, round=7)
    )


async def display_frozen(house: House, _: pytest.MonkeyPatch) -> None:
    """The signs have six digits, and one meter is at $50,000."""
    for link in ("five", "bonus", "stud"):
        await lower(house, link)
    await set_digits(house, 6)


async def too_many_wagers(house: House, _: pytest.MonkeyPatch) -> None:
    """Three rounds of one table where a minute has room for one of each of two."""
    change = ConfigureSite(dual_control=True, shortest_round_s=60)
    await house.engine.execute(Request(SITE, OperatorOrigin("ann", new_request_id()), change))
    dealer = await house.dealer("t4")
    for _round in range(3):
        await dealer.settled({}, *range(1, 7))


async def rate_changed(house: House, _: pytest.MonkeyPatch) -> None:
    """A rate is changed while its link is suspended."""
    await house.operate("SuspendLink", link="stud")
    change: dict[str, Any] = {
        "link": "stud",
        "level": "main",
        "primary_bps": 7_500,
        "reserve_bps": 0,
    }
    await house.operate("SetRate", reference="memo 9", **change)
    proposals = await house.operators.ListProposals(operator_pb2.ListProposalsRequest(site=SITE))
    for proposal in proposals.proposals:
        await house.operate("ApproveProposal", proposal=proposal.id, who="bob/accounting")


async def funds_waiting(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link is suspended with players' money on it, and the time for moving it is over."""
    dealer = await house.dealer("t4")
    await dealer.settled({}, 1)
    await house.operate("SuspendLink", link="five")
    monkeypatch.setattr(standing_alarms, "FUNDS_MICROS", 0)


async def reading_late(house: House, _: pytest.MonkeyPatch) -> None:
    """The meters are read two hours after the day began."""
    await read_meters(house, "2026-03-01", 7_200)


async def read_meters(house: House, date: str, late_s: int = 0) -> None:
    """The controller takes a reading."""
    origin = OperatorOrigin("the controller", new_request_id())
    command = ReadMeters(date, house.clock() - late_s * 1_000_000)
    await house.engine.execute(Request(SITE, origin, command))


async def controller_away(house: House, _: pytest.MonkeyPatch) -> None:
    """A controller that arrives finds that there was none for 25 hours."""
    origin = OperatorOrigin("the controller", new_request_id())
    command = SuspendAfterAbsence("mega", 25 * 3_600_000_000)
    await house.engine.execute(Request(SITE, origin, command))


async def box_not_counted(house: House, _: pytest.MonkeyPatch) -> None:
    """Pots feed a box between two readings, and nobody counts it."""
    for date in ("2026-03-01", "2026-03-02"):
        pot = table_pb2.ContributePot(pot_micros=20 * DOLLAR)
        await (await house.dealer("p1")).do("contribute_pot", pot)
        await read_meters(house, date)


async def witness_failed(house: House, _: pytest.MonkeyPatch) -> None:
    """The folder of the witness is gone."""
    house.engine.alarms.stand("witness", [alarm(AlarmKind.WITNESS_FAILED, why="no such folder")])


SCENES: dict[AlarmKind, tuple[Scene, str]] = {
    AlarmKind.SITE_HALTED: (halted, r"site house is halted: .*for the test"),
    AlarmKind.NOT_SERVING: (not_serving, r"the controller takes no commands"),
    AlarmKind.TABLE_SILENT: (silent, r"t1 has sent nothing for 0 min; its round 1 is open"),
    AlarmKind.PAYOUT_LATE: (late, r"payout 1 at t4 has been pending for 0 min"),
    AlarmKind.LOW_METER: (
        low_meter,
        r"t4, round 1: meter five/main was won while it held less than a tenth of its seed",
    ),
    AlarmKind.BOX_DIFFERENCE: (
        box_difference,
        r"Bad Beat box fund/p1: \$3\.00 was counted, but the record says \$2\.00",
    ),
    AlarmKind.CLOCK_BEHIND: (set_back, r"the controller's clock is \d\.\d s behind the journal"),
    AlarmKind.CLOCK_JUMPED: (
        put_forward,
        r"the controller's clock has jumped ahead by 3,\d{3}\.\d s",
    ),
    AlarmKind.LATE_VOID: (
        late_void,
        r"t4, round 1: .* voided all hands after lock-out; late voids at this table: 1",
    ),
    AlarmKind.RESTORED: (restore, r"ann restored a backup \(disk failed\)"),
    AlarmKind.TABLE_ROLLED_BACK: (rolled_back, r"t4 knows of entries \d+ to \d+"),
    AlarmKind.WITNESS_FAILED: (witness_failed, r"the witness can't be written: no such folder"),
    AlarmKind.DISPLAY_FROZEN: (
        display_frozen,
        r"mega/mega: signs are frozen at \$9,999\.99, .*; the meter is \$50,000\.00",
    ),
    AlarmKind.UNREASONABLE_CONTRIBUTION: (
        too_many_wagers,
        r"five/main: more than 12 wagers in a minute, which is more than its tables can place",
    ),
    AlarmKind.RATE_CHANGED: (
        rate_changed,
        (
            r"for accounting: the rates of stud/main change from primary 70%, .* "
            r"to primary 75%, .* when its link resumes \(.*local and bob"
        ),
    ),
    AlarmKind.FUNDS_WAITING: (
        funds_waiting,
        r"five has been out of service for 0 days and still holds \$0\.21 of players' money",
    ),
    AlarmKind.READING_LATE: (
        reading_late,
        r"the meters of gaming day 2026-03-01 were read 2 h 0 min after the day began",
    ),
    AlarmKind.CONTROLLER_AWAY: (
        controller_away,
        r"mega is suspended: it had no controller for 25 h; check its meters, then resume it",
    ),
    AlarmKind.BOX_NOT_COUNTED: (
        box_not_counted,
        r"Bad Beat box fund/p1 was not counted on the gaming day before 2026-03-02",
    ),
    AlarmKind.FRONT_LOST: (
        front_lost,
        r"a front stopped unexpectedly and is being restarted: it was killed by signal 9",
    ),
}


def test_every_alarm_has_its_scene() -> None:
    """The list is closed, and has every name that the core writes into the journal."""
    assert set(SCENES) == set(AlarmKind)
    said = re.findall(r'f"([A-Z_]+) \{', inspect.getsource(bad_beat) + inspect.getsource(settle))
    assert said
    said += [changes.RATE_CHANGED, intake.UNREASONABLE]
    said += [meter_readings.READING_LATE, meter_readings.BOX_NOT_COUNTED]
    assert set(said) <= {kind.name for kind in AlarmKind}
    on_the_wire = set(alarm_pb2.AlarmKind.keys()) - {"ALARM_KIND_UNSPECIFIED"}
    assert on_the_wire == {f"ALARM_KIND_{kind.name}" for kind in AlarmKind}


@pytest.mark.parametrize("kind", SCENES, ids=lambda kind: kind.name)
async def test_an_alarm_reaches_everybody(
    tmp_path: Path,
    browser: Browser,
    kind: AlarmKind,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It is logged once, counted, on the page, and told to a screen elsewhere."""
    scene, text = SCENES[kind]
    # Only the machine's own clock is watched for jumps: let the test's clock be that.
    monkeypatch.setattr("jackpot.engine.engine.clock_micros", MACHINE)
    monkeypatch.setattr("tests.server.house.Clock", lambda: MACHINE)
    MACHINE.ahead_s = 0
    async with open_shown(tmp_path, more=fund_text(), limits=QUICK) as shown:
        await scene(shown.house, monkeypatch)
        window = await browser.open(f"{shown.url}/ops")
        await window.until('document.querySelector(".alarm")')
        on_page = await window.text("#alarms")
        assert re.search(f"{kind.name}: {text}", on_page), on_page
        assert (kind.severity == "critical") == bool(await window.page.locator(".critical").count())
        assert await elsewhere(shown, text)
        assert await counted(shown, kind) == 1
        told = [one.message for one in caplog.records if f"alarm {kind.name}:" in one.message]
        assert len(told) == 1
        assert re.search(text, told[0])


MACHINE = Clock()


async def elsewhere(shown: Shown, text: str) -> bool:
    """Whether a feed over gRPC has the alarm, and the same alarms as the one beside."""
    async with open_channel(shown.house.address) as channel:
        far = await SiteFeed(channel, SITE).overview()
    near = await shown.display._pages._feed.overview()
    assert far is not None
    assert near is not None
    assert far.alarms == near.alarms
    return any(re.search(text, alarm.text) for alarm in far.alarms)


async def counted(shown: Shown, kind: AlarmKind) -> int:
    """How often the metrics say that the alarm was raised."""
    _, text = await shown.get("/metrics")
    found = re.search(rf'jackpot_alarms_raised_total{{alarm="{kind.name}"}} (\d+)', text)
    assert found
    assert re.search(rf'jackpot_alarms{{severity="{kind.severity}"}} [1-9]', text)
    return int(found[1])


async def test_an_alarm_that_is_over_leaves_the_page(
    shown: Shown, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """One that stands goes when its cause does, and the log says so."""
    feed = shown.display._pages._feed
    await late(shown.house, monkeypatch)
    assert [alarm.severity for alarm in (await feed.overview()).alarms] == ["warning"]  # type: ignore[union-attr]  # it is there
    monkeypatch.undo()
    assert not (await feed.overview()).alarms  # type: ignore[union-attr]  # as above
    assert "alarm PAYOUT_LATE is over: payout 1 at t4" in caplog.text


async def test_alarms_of_the_journal_outlive_a_restart(tmp_path: Path) -> None:
    """They are read back and listed with their time, and neither logged nor counted again."""
    async with open_house(tmp_path, more=fund_text()) as house:
        await box_difference(house, pytest.MonkeyPatch())
        before = house.engine.alarms.alarms(SITE)
    async with open_shown(tmp_path, more=fund_text()) as shown:
        board = shown.house.engine.alarms
        await eventually(lambda: board.alarms(SITE) == before)
        assert len(before) == 1
        assert await counted(shown, AlarmKind.BOX_DIFFERENCE) == 0


async def test_an_alarm_of_another_controller_is_shown_here(tmp_path: Path) -> None:
    """What a second controller on the journal settled is on this one's page too, once."""
    async with open_shown(tmp_path) as shown:
        site = load_site(tmp_path / "site.toml")
        async with serving(shown.house.store, site) as other:
            await low_meter(other, pytest.MonkeyPatch())
        board = shown.house.engine.alarms
        await eventually(lambda: bool(board.alarms(SITE)))
        assert [alarm.kind for alarm in board.alarms(SITE)] == [AlarmKind.LOW_METER]
