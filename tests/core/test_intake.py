"""The count of wagers that feed each level, and more of them than its tables can make.

N.J.A.C. 13:69E-1.39A has both: a meter of qualifying wagers, and an unreasonable contribution.
"""

import pytest

from jackpot.core.commands.operator import ConfigureSite, DefineTable
from jackpot.core.commands.table import ConfirmCollection, LockOut, OpenRound, PlaceWagers, Wager
from jackpot.core.events.table import CollectionConfirmed, RoundLocked
from jackpot.core.intake import INTERVAL_S, most_wagers
from tests.core.floor import DOLLAR, Floor, all_bet, five_card_a, hand_bonus, ok, table

SECOND = 1_000_000


def counted(floor: Floor, link: str = "a") -> int:
    """How many wagers have fed the link's level."""
    intake = floor.state.links[link].intake.get("main")
    return intake.wagers if intake else 0


def floor_at(shortest_s: int = 15) -> Floor:
    """Two tables of six seats on a progressive, one of them also on a hand bonus."""
    floor = Floor()
    ok(floor.operate(ConfigureSite(dual_control=False, shortest_round_s=shortest_s)))
    tables = [table("t1", "a", "hb"), table("t2", "a")]
    return floor.open_up([five_card_a(), hand_bonus()], tables)


def collected(floor: Floor, at: str, seats: int) -> CollectionConfirmed:
    """A round of so many progressive wagers, up to their collection."""
    ok(floor.play(at, OpenRound()))
    ok(floor.play(at, PlaceWagers(tuple(all_bet("a-five", seats=range(1, seats + 1))))))
    ok(floor.play(at, LockOut()))
    event = ok(floor.play(at, ConfirmCollection({"a-five": seats})))
    assert isinstance(event, CollectionConfirmed)
    floor.settle(at)
    return event


def test_every_wager_that_feeds_a_level_is_counted() -> None:
    """When it is posted: chips at their count, electronic ones at the lock-out."""
    floor = floor_at()
    ok(floor.play("t1", OpenRound()))
    placed = [Wager(1, "a-five", DOLLAR), Wager(2, "a-five", DOLLAR)]
    electronic = [Wager(seat, "hb-player", DOLLAR) for seat in (1, 2, 3)]
    ok(floor.play("t1", PlaceWagers((*placed, *electronic))))
    assert (counted(floor), counted(floor, "hb")) == (0, 0)
    ok(floor.play("t1", LockOut()))
    assert (counted(floor), counted(floor, "hb")) == (0, 3)
    ok(floor.play("t1", ConfirmCollection({"a-five": 2})))
    assert (counted(floor), counted(floor, "hb")) == (2, 3)
    assert floor.replayed() == floor.state


def test_a_level_that_wagers_do_not_feed_counts_none() -> None:
    """A level without a rate has no qualifying wagers."""
    floor = Floor().open_up([five_card_a(primary_bps=0)], [table("t1", "a")])
    collected(floor, "t1", 3)
    assert counted(floor) == 0


@pytest.mark.parametrize(("seat", "left"), [(1, 3), (2, 4), (3, 5)])
def test_void_wagers_are_counted_no_more(seat: int, left: int) -> None:
    """Seat 1 has two that feed the bonus, seat 2 one, seat 3 none; then the round is void."""
    floor = floor_at()
    wagers = [Wager(1, "hb-player", DOLLAR), Wager(1, "hb-dealer", DOLLAR)]
    wagers += [Wager(seat, "hb-player", DOLLAR) for seat in (2, 4, 5)]
    wagers += [Wager(3, "a-five", DOLLAR)]
    floor.bets_in("t1", wagers)
    assert (counted(floor, "hb"), counted(floor)) == (5, 1)
    ok(floor.void_seat("t1", seat, "FOULED"))
    assert counted(floor, "hb") == left
    assert counted(floor) == (0 if seat == 3 else 1)
    ok(floor.void_round("t1", "MISDEALT"))
    assert (counted(floor, "hb"), counted(floor)) == (0, 0)
    assert floor.replayed() == floor.state


@pytest.mark.parametrize(
    ("shortest_s", "rounds"), [(60, 1), (59, 2), (30, 2), (29, 3), (15, 4), (14, 5), (1, 60)]
)
def test_what_tables_can_make(shortest_s: int, rounds: int) -> None:
    """Rounds that begin within a minute, times the seats of all tables, times the link's bets."""
    floor = floor_at(shortest_s)
    a, bonus = floor.state.links["a"].config, floor.state.links["hb"].config
    assert most_wagers(floor.state, a) == rounds * 12
    assert most_wagers(floor.state, bonus) == rounds * 6 * 2
    ok(floor.operate(DefineTable(table("t3", "a"))))
    assert most_wagers(floor.state, a) == rounds * 18


@pytest.mark.parametrize(("more", "alarms"), [(5, 0), (6, 0), (1, 1)])
def test_more_than_the_tables_can_make_is_an_alarm(more: int, alarms: int) -> None:
    """One round of 12 seats fits into the minute: 11 and 12 wagers are well, the 13th is not."""
    floor = floor_at(60)
    assert not collected(floor, "t1", 6).alarms
    if more == 1:
        assert not collected(floor, "t2", 6).alarms
    event = collected(floor, "t2", more)
    assert event.alarms == (("UNREASONABLE_CONTRIBUTION a/main 12",) if alarms else ())


def test_the_alarm_is_raised_once_an_interval() -> None:
    """Not again by what follows in the same minute, and again by the next one that has too much."""
    floor = floor_at(60)
    said = [bool(collected(floor, at, 6).alarms) for at in ("t1", "t2", "t1", "t2")]
    assert said == [False, False, True, False]
    floor.clock += INTERVAL_S * SECOND
    assert [bool(collected(floor, "t1", 6).alarms) for _ in range(3)] == [False, False, True]


@pytest.mark.parametrize(("later_micros", "alarm"), [(-1, True), (0, False), (1, False)])
def test_an_interval_is_a_minute(later_micros: int, *, alarm: bool) -> None:
    """A posting a minute after the first one belongs to the next."""
    floor = floor_at(60)
    for at in ("t1", "t2"):
        collected(floor, at, 6)
    since = floor.state.links["a"].intake["main"].since_micros
    ok(floor.play("t1", OpenRound()))
    ok(floor.play("t1", PlaceWagers((Wager(1, "a-five", DOLLAR),))))
    ok(floor.play("t1", LockOut()))
    floor.clock = since + INTERVAL_S * SECOND + later_micros - 1
    event = ok(floor.play("t1", ConfirmCollection({"a-five": 1})))
    assert isinstance(event, CollectionConfirmed)
    assert bool(event.alarms) is alarm


def test_electronic_wagers_are_watched_too() -> None:
    """They are posted at the lock-out."""
    floor = floor_at(60)
    said = []
    for _ in range(2):
        ok(floor.play("t1", OpenRound()))
        wagers = [*all_bet("hb-player"), *all_bet("hb-dealer")]
        ok(floor.play("t1", PlaceWagers(tuple(wagers))))
        event = ok(floor.play("t1", LockOut()))
        assert isinstance(event, RoundLocked)
        said.append(event.alarms)
        floor.settle("t1")
    assert said == [(), ("UNREASONABLE_CONTRIBUTION hb/main 12",)]


def test_a_house_that_does_not_say_is_not_watched() -> None:
    """Laboratories play faster than dealers: there the shortest round is 0, as in old journals."""
    floor = floor_at(0)
    for _ in range(20):
        assert not collected(floor, "t1", 6).alarms
    assert counted(floor) == 120
