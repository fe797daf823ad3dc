"""Links out of service: funds that must move within 30 days, and links that wait for somebody.

Reading 55: houses usually have 30 days from when a progressive is removed from play.
"""

from pathlib import Path

import pytest

from jackpot.core.commands import SuspendAfterAbsence
from jackpot.core.commands.base import ControllerOrigin
from jackpot.core.commands.operator import ResumeLink, RetireLink, SuspendLink
from jackpot.core.state import State
from jackpot.engine import Alarm, AlarmKind
from jackpot.server import standing_alarms
from jackpot.server.standing_alarms import DAY_MICROS, FUNDS_MICROS
from tests.core.floor import Floor, all_bet, ok
from tests.core.meter_room import adjust, transfer, two_links
from tests.server.house import open_house

HOUR_MICROS = 3_600_000_000


def standing(
    state: State, now_micros: int, monkeypatch: pytest.MonkeyPatch
) -> list[tuple[AlarmKind, str]]:
    """What stands of links out of service at a moment."""
    monkeypatch.setattr(standing_alarms, "clock_micros", lambda: now_micros)
    found: list[Alarm] = list(standing_alarms._out_of_service(state))
    return [(alarm.kind, alarm.text) for alarm in found]


def suspended() -> Floor:
    """A link with six wagers of a dollar on its meter, and suspended."""
    floor = two_links()
    floor.bets_in("t1", all_bet("a-five"))
    floor.settle("t1")
    ok(floor.operate(SuspendLink("a")))
    return floor


@pytest.mark.parametrize(("later", "stands"), [(-1, False), (0, False), (1, True)])
def test_funds_move_within_30_days(
    monkeypatch: pytest.MonkeyPatch, later: int, *, stands: bool
) -> None:
    """The clock starts when the link takes no more wagers, and the house's seed is not meant."""
    floor = suspended()
    since = floor.state.links["a"].out_micros
    assert since == floor.clock
    said = "a has been out of service for 30 days and still holds $1.26 of players' money"
    found = standing(floor.state, since + FUNDS_MICROS + later, monkeypatch)
    assert found == ([(AlarmKind.FUNDS_WAITING, said)] if stands else [])


def test_the_clock_stops_when_the_money_has_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or when the link takes wagers again; a later suspension starts it anew."""
    floor = suspended()
    late = floor.clock + FUNDS_MICROS + DAY_MICROS
    assert len(standing(floor.state, late, monkeypatch)) == 1
    ok(floor.operate(ResumeLink("a")))
    assert not standing(floor.state, late, monkeypatch)
    floor.clock += 5 * DAY_MICROS
    ok(floor.operate(SuspendLink("a")))
    assert not standing(floor.state, late, monkeypatch)
    late += 5 * DAY_MICROS
    assert len(standing(floor.state, late, monkeypatch)) == 1
    ok(adjust(floor, 1_000_000))
    assert len(standing(floor.state, late, monkeypatch)) == 1  # it lies in overflow now
    ok(transfer(floor, 126))
    assert not standing(floor.state, late, monkeypatch)
    ok(floor.operate(RetireLink("a")))
    assert not standing(floor.state, late, monkeypatch)


def test_what_a_retired_link_holds_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retiring leaves nothing behind; should there be something all the same, it is players'."""
    floor = two_links()
    ok(floor.operate(SuspendLink("a")))
    since = floor.clock
    floor.clock += DAY_MICROS
    ok(floor.operate(RetireLink("a")))
    assert floor.state.links["a"].out_micros == since
    floor.state.balances["a/main/overflow"] = 5_000_000
    assert not standing(floor.state, since + FUNDS_MICROS, monkeypatch)
    ((kind, text),) = standing(floor.state, since + FUNDS_MICROS + 1, monkeypatch)
    assert kind is AlarmKind.FUNDS_WAITING
    assert "still holds $5.00" in text


def test_an_absence_stands_until_the_link_is_resumed(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not over when somebody has seen it, but when somebody has done something."""
    floor = two_links()
    ok(floor.handle(ControllerOrigin(), SuspendAfterAbsence("a", 30 * HOUR_MICROS)))
    (found,) = standing(floor.state, floor.clock, monkeypatch)
    said = "a is suspended: it had no controller for 30 h; check its meters, then resume it"
    assert found == (AlarmKind.CONTROLLER_AWAY, said)
    ok(floor.operate(ResumeLink("a")))
    assert not standing(floor.state, floor.clock, monkeypatch)


async def test_operators_see_how_many_wagers_have_fed_a_level(tmp_path: Path) -> None:
    """`ListLinks` has the count of each level; a void takes its wagers off it."""
    async with open_house(tmp_path) as house:
        dealer = await house.dealer("t4")
        await dealer.settled({}, 1, 2, 3)
        assert [level.wagers for level in (await house.balances())["five"].levels] == [3]
        await dealer.locked(1, 2)
        await house.operate("VoidTableRound", table="t4", round=2, irregularity="MISDEALT")
        assert [level.wagers for level in (await house.balances())["five"].levels] == [3]
        await dealer.settled({}, 5)
        assert [level.wagers for level in (await house.balances())["five"].levels] == [4]
