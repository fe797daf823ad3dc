"""Voids of a round or a seat: who bears them, and what is left of the round."""

import pytest

from jackpot.core.commands import RejectPayout, VoidSeat, Wager
from tests.core.floor import DOLLAR, Floor, all_bet, cents, five_card_a, hand, hand_bonus, ok, table


def floor_with_two_links(boxes: int = 2) -> Floor:
    """A table on a progressive and a hand bonus, and a second table on both."""
    floor = Floor()
    links = [five_card_a(), hand_bonus()]
    return floor.open_up(links, [table(t, "a", "hb", boxes=boxes) for t in ("t1", "t2")])


@pytest.mark.rule("PA2010 555.14(d)")
def test_a_second_void_seat_was_never_there_either() -> None:
    """The winner is due the meter without the increments of both void seats."""
    floor = floor_with_two_links()
    floor.bets_in("t1", all_bet("a-five"))
    floor.settle("t1", hand(6, "royal-flush"))
    ok(floor.play("t1", VoidSeat(1, "WRONG_CARD_COUNT", "flo")))
    ok(floor.play("t1", VoidSeat(2, "WRONG_CARD_COUNT", "flo")))
    (award,) = (p for p in floor.state.payouts.values() if p.kind == "share")
    assert award.amount_micros == 10_000 * DOLLAR + 4 * 210_000
    assert floor.meter("a/main") == "10000.00"


def test_a_rejection_after_a_void_seat_decides_without_that_seats_money() -> None:
    """The second winner is due a tenth of the meter as it would have been without the seat."""
    floor = floor_with_two_links()
    floor.bets_in("t1", all_bet("a-five"))
    first = floor.settle("t1", hand(6, "straight-flush"), hand(4, "straight-flush")).payouts[0]
    ok(floor.play("t1", VoidSeat(1, "WRONG_CARD_COUNT", "flo")))
    ok(floor.operate(RejectPayout(first.id, "lamp-dark", "flo")))
    (left,) = (p for p in floor.state.payouts.values() if p.kind == "share")
    assert left.amount_micros == 1_000_100_000  # a tenth of 10,001.05, in whole cents
    assert left.meter_before_micros == 10_000 * DOLLAR + 5 * 210_000


def test_seats_on_different_links_can_be_voided_one_after_the_other() -> None:
    """A link whose bettors are all void has nothing left to return."""
    floor = floor_with_two_links()
    floor.bets_in("t1", [Wager(1, "a-five", DOLLAR), Wager(2, "hb-player", DOLLAR)])
    ok(floor.play("t1", VoidSeat(1, "MISDEAL", "flo")))
    ok(floor.play("t1", VoidSeat(2, "MISDEAL", "flo")))
    assert floor.meter("a/main") == floor.meter("hb/main") == "10000.00"
    assert floor.balance("hb/players") == "0.00"


@pytest.mark.parametrize(
    ("dealer", "due"),
    [("four-of-a-kind", [(5, "500.00")]), ("straight-flush", [(6, "1000.01")])],
)
def test_a_void_box_takes_its_own_awards_but_not_its_players_share(
    dealer: str, due: list[tuple[int, str]]
) -> None:
    """A fixed award is a box's; a share is a player's, who has bet on the dealer elsewhere too."""
    floor = floor_with_two_links()
    floor.bets_in("t1", [Wager(seat, "hb-dealer", DOLLAR, "ann") for seat in (6, 5)])
    floor.settle("t1", dealer=dealer)
    ok(floor.play("t1", VoidSeat(6, "MISDEAL", "flo")))
    assert [(p.seat, cents(p.amount_micros)) for p in floor.state.payouts.values()] == due
