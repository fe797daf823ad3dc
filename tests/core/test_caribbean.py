"""Caribbean Stud's progressive: royals share equally, and the meter bears the fixed awards."""

import pytest

from jackpot.core.commands.operator import PayPayout, RejectPayout, ValidatePayout
from jackpot.core.commands.table import Wager
from jackpot.core.events.table import RoundSettled
from tests.core.floor import DOLLAR, Floor, caribbean, cents, hand, ok, table


def floor_at(meter: str, reseed: int = 10_000) -> Floor:
    """Two tables on one link, the meter set so that one wager makes it a round amount."""
    floor = Floor().open_up(
        [caribbean(reseed_micros=reseed * DOLLAR)],
        [table("t1", "cs", boxes=1), table("t2", "cs", boxes=1)],
    )
    floor.set_level("cs/main", meter)
    return floor


def bets(*seats: int) -> list[Wager]:
    """Progressive wagers."""
    return [Wager(seat, "cs-bet", DOLLAR) for seat in seats]


def paid(event: RoundSettled) -> list[tuple[int, str]]:
    """Seat and amount of every payout, in payment order."""
    return [(p.seat, cents(p.amount_micros)) for p in event.payouts]


@pytest.mark.rule("PA2010 555.13(f)")
def test_royals_share_equally_when_the_first_of_them_is_paid() -> None:
    """A straight flush between them finds the meter reseeded."""
    floor = floor_at("20000.00")
    floor.bets_in("t1", bets(6, 4, 2))
    event = floor.settle(
        "t1", hand(6, "royal-flush"), hand(4, "straight-flush"), hand(2, "royal-flush")
    )
    assert paid(event) == [(6, "10001.05"), (2, "10001.05"), (4, "1000.00")]
    assert [p.holder for p in event.payouts] == [6, 2, 4]
    assert [p.cards[0] for p in event.payouts[:2]] == ["6:royal-flush:0", "2:royal-flush:0"]
    assert floor.meter("cs/main") == "9000.00"
    assert floor.balance("cs/house") == "-30000.00"  # set-up of the case, then one reseed


@pytest.mark.rule("PA2010 555.13(f)")
def test_a_straight_flush_before_the_royals_is_paid_first() -> None:
    """It is the player's turn, so it takes a tenth of the whole."""
    floor = floor_at("20000.00")
    floor.bets_in("t1", bets(6, 4, 2))
    event = floor.settle(
        "t1", hand(6, "straight-flush"), hand(4, "royal-flush"), hand(2, "royal-flush")
    )
    assert paid(event) == [(6, "2000.21"), (4, "9000.94"), (2, "9000.94")]
    assert floor.meter("cs/main") == "10000.01"  # the residue stays


def test_a_folded_royal_is_gone_before_the_sharing() -> None:
    """Only hands that are still played share."""
    floor = floor_at("20000.00")
    floor.bets_in("t1", bets(6, 4))
    event = floor.settle("t1", hand(6, "royal-flush", "folded"), hand(4, "royal-flush"))
    assert paid(event) == [(4, "20001.40")]


def test_when_the_first_royal_falls_the_other_is_due_all_at_its_own_turn() -> None:
    """The straight flush between them is then paid before it, at the full meter."""
    floor = floor_at("20000.00")
    floor.bets_in("t1", bets(6, 4, 2))
    first = floor.settle(
        "t1", hand(6, "royal-flush"), hand(4, "straight-flush"), hand(2, "royal-flush")
    ).payouts[0]
    ok(floor.operate(RejectPayout(first.id, "lamp-dark", "flo")))
    due = {
        p.seat: (cents(p.amount_micros), cents(p.meter_before_micros))
        for p in floor.state.payouts.values()
    }
    assert due == {4: ("2000.21", "20002.10"), 2: ("18001.89", "18001.89")}
    assert floor.meter("cs/main") == "10000.00"


def test_a_royal_that_falls_after_the_other_was_validated_returns_its_part() -> None:
    """The validated half stands; the other goes back to the meter, once."""
    floor = floor_at("20000.00")
    floor.bets_in("t1", bets(6, 2))
    first, second = floor.settle("t1", hand(6, "royal-flush"), hand(2, "royal-flush")).payouts
    ok(floor.operate(ValidatePayout(second.id, "flo")))
    ok(floor.operate(RejectPayout(first.id, "hand-misread", "flo")))
    assert floor.state.payouts[second.id].amount_micros == second.amount_micros
    assert floor.meter("cs/main") == "20000.70"
    ok(floor.operate(PayPayout(second.id, "F-1")))
    assert floor.balance("cs/pending") == "0.00"


@pytest.mark.rule("PA2010 555.13(d)")
@pytest.mark.rule("PA2010 555.13(e)")
@pytest.mark.parametrize(
    ("meter", "left", "house"),
    [
        ("600.00", "100.70", "0.00"),
        ("499.30", "0.00", "0.00"),
        ("499.29", "0.00", "0.01"),
        ("499.31", "0.01", "0.00"),
        ("0.00", "0.00", "499.30"),
    ],
)
def test_the_meter_bears_a_fixed_award_and_the_house_the_rest(
    meter: str, left: str, house: str
) -> None:
    """Four of a kind is $500 whatever the meter holds."""
    floor = floor_at(meter)
    before = floor.state.balances["cs/house"]
    floor.bets_in("t1", bets(1))
    event = floor.settle("t1", hand(1, "four-of-a-kind"))
    assert paid(event) == [(1, "500.00")]
    assert floor.meter("cs/main") == left
    assert cents(before - floor.state.balances["cs/house"]) == house
    assert (event.payouts[0].source, event.payouts[0].kind) == ("inventory", "fixed")


def test_a_fixed_award_changes_what_the_next_player_finds() -> None:
    """A tenth after four of a kind is a tenth of what is left."""
    floor = floor_at("1000.00")
    floor.bets_in("t1", bets(6, 5, 4))
    event = floor.settle(
        "t1", hand(6, "full-house"), hand(5, "straight-flush"), hand(4, "four-of-a-kind")
    )
    assert paid(event) == [(6, "100.00"), (5, "90.21"), (4, "500.00")]
    assert floor.meter("cs/main") == "311.89"


def test_a_rejected_fixed_award_gives_meter_and_house_each_its_own() -> None:
    """The exact inverse, and the tenth that came after it is decided again."""
    floor = floor_at("399.30")
    before = dict(floor.state.balances)
    floor.bets_in("t1", bets(6, 5))
    quads, tenth = floor.settle("t1", hand(6, "four-of-a-kind"), hand(5, "straight-flush")).payouts
    assert tenth.amount_micros == 0
    ok(floor.operate(RejectPayout(quads.id, "hand-misread", "flo")))
    assert cents(floor.state.payouts[tenth.id].amount_micros) == "40.07"
    assert floor.state.balances["cs/house"] == before["cs/house"]


@pytest.mark.parametrize("undo", ["reject", "void"])
def test_after_anothers_royal_only_the_meters_part_waits_in_overflow(undo: str) -> None:
    """What the house paid of a fixed award is the house's; what the meter gave is the players'."""
    floor = floor_at("399.30", reseed=100)
    floor.bets_in("t1", bets(6))
    quads = floor.settle("t1", hand(6, "four-of-a-kind")).payouts[0]
    floor.bets_in("t2", bets(1))
    floor.settle("t2", hand(1, "royal-flush"))
    house, meter = floor.state.balances["cs/house"], floor.meter("cs/main")
    if undo == "reject":
        ok(floor.operate(RejectPayout(quads.id, "hand-misread", "flo")))
    else:
        ok(floor.void_round("t1", "MISDEAL"))
    assert floor.balance("cs/main/overflow") == "400.00"
    borne = 100 * DOLLAR if undo == "reject" else 100 * DOLLAR - 700_000  # a void's increments
    assert floor.state.balances["cs/house"] - house == borne
    assert floor.meter("cs/main") == meter
