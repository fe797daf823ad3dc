"""What is taken back leaves the ledger as if it had never been."""

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jackpot.core import ledger
from jackpot.core.commands.operator import AdjustMeter, PayPayout, RejectPayout, ValidatePayout
from jackpot.core.commands.table import Wager
from jackpot.core.events.operator import PayoutRejected
from jackpot.core.events.table import RoundVoided
from jackpot.core.reasons import Reason
from tests.core.floor import (
    DOLLAR,
    Floor,
    all_bet,
    five_card_a,
    hand,
    hand_bonus,
    ok,
    reason,
    table,
)

HANDS = ["nothing", "nothing", "full-house", "four-of-a-kind", "straight-flush", "royal-flush"]
hands_of_six = st.lists(st.sampled_from(HANDS), min_size=6, max_size=6)


def two_links(limit: int = 0) -> Floor:
    """A table on a progressive and a hand bonus, and a second table on both."""
    floor = Floor()
    floor.open_up(
        [five_card_a(limit_micros=limit), hand_bonus()],
        [table("t1", "a", "hb"), table("t2", "a", "hb")],
    )
    floor.set_level("a/main", "12345.67")
    floor.set_level("hb/main", "4000.01", "80.00")
    return floor


def wagers(seats: list[int]) -> list[Wager]:
    """Every bet of both links from each seat."""
    return [
        Wager(seat, bet, DOLLAR) for seat in seats for bet in ("a-five", "hb-player", "hb-dealer")
    ]


def money(floor: Floor) -> dict[str, int]:
    """All balances that are not zero."""
    return {account: micros for account, micros in floor.state.balances.items() if micros}


@given(hands_of_six, st.sampled_from(HANDS), st.booleans())
def test_a_void_of_a_settled_round_leaves_no_trace(
    held: list[str], dealer: str, at_limit: bool
) -> None:
    """Every account is what it was before the round, whatever the round awarded."""
    floor = two_links(limit=12_346 * DOLLAR if at_limit else 0)
    before = money(floor)
    floor.bets_in("t1", wagers([1, 2, 3, 4, 5, 6]))
    floor.settle("t1", *(hand(s, h) for s, h in enumerate(held, 1)), dealer=dealer)
    event = ok(floor.void_round("t1", "MISDEAL"))
    assert isinstance(event, RoundVoided)
    assert event.returned_micros == 18 * DOLLAR
    assert money(floor) == before
    assert not floor.state.payouts
    assert not floor.state.settlements
    assert not any(link.last_hit.get("main") for link in floor.state.links.values())


@example(
    held=["nothing"] * 4 + ["straight-flush", "nothing"],
    dealer="straight-flush",
    seat=6,
    at_limit=False,
)
@given(hands_of_six, st.sampled_from(HANDS), st.integers(1, 6), st.booleans())
def test_a_void_seat_was_never_there(
    held: list[str], dealer: str, seat: int, at_limit: bool
) -> None:
    """After a seat's void all is as if the round had been played without that seat."""
    limit = 12_346 * DOLLAR if at_limit else 0
    floor, other = two_links(limit), two_links(limit)
    dealt = {s: hand(s, h) for s, h in enumerate(held, 1)}
    floor.bets_in("t1", wagers([1, 2, 3, 4, 5, 6]))
    floor.settle("t1", *dealt.values(), dealer=dealer)
    ok(floor.void_seat("t1", seat, "WRONG_CARD_COUNT"))
    del dealt[seat]
    other.bets_in("t1", wagers(list(dealt)))
    other.settle("t1", *dealt.values(), dealer=dealer)
    assert money(floor) == money(other)
    assert due(floor) == due(other)


def due(floor: Floor) -> list[tuple[int, str, str, int]]:
    """What is owed to whom for what."""
    return sorted((p.seat, p.link, p.kind, p.amount_micros) for p in floor.state.payouts.values())


@given(hands_of_six, st.data())
def test_a_misread_hand_was_never_held(held: list[str], data: st.DataObject) -> None:
    """Rejecting a misread hand gives every other player what they had been due without it."""
    floor, other = Floor(), Floor()
    for f in (floor, other):
        f.open_up([five_card_a()], [table("t1", "a")])
        f.set_level("a/main", "12345.67")
        f.bets_in("t1", all_bet("a-five"))
    event = floor.settle("t1", *(hand(s, h) for s, h in enumerate(held, 1)))
    own = [p for p in event.payouts if p.kind in ("share", "fixed")]
    if not own:
        return
    wrong = data.draw(st.sampled_from(own))
    ok(floor.operate(RejectPayout(wrong.id, "hand-misread", "flo")))
    held[wrong.seat - 1] = "nothing"
    other.settle("t1", *(hand(s, h) for s, h in enumerate(held, 1)))
    assert money(floor) == money(other)
    assert due(floor) == due(other)


@given(hands_of_six, st.sampled_from(["straight-flush", "royal-flush"]), st.integers(1, 6))
def test_a_share_of_the_dealers_hand_that_falls_is_divided_again(
    held: list[str], dealer: str, dark: int
) -> None:
    """A player whose lamp was dark leaves the division before anyone was validated."""
    floor, other = Floor(), Floor()
    for f in (floor, other):
        f.open_up([hand_bonus()], [table("t1", "hb")])
        f.set_level("hb/main", "4000.01", "80.00")
    dealt = [hand(s, h) for s, h in enumerate(held, 1)]
    own = [wager for wager in all_bet("hb-player") if wager.seat != dark]
    for f in (floor, other):
        f.bets_in("t1", all_bet("hb-dealer") + own)
    event = floor.settle("t1", *dealt, dealer=dealer)
    share = next(p for p in event.payouts if p.holder == 0 and p.seat == dark and p.share_bps)
    ok(floor.operate(RejectPayout(share.id, "lamp-dark", "flo")))
    # The same round with the dark seat's wager posted but out of the division.
    dealt[dark - 1] = msgspec.structs.replace(dealt[dark - 1], fate="abandoned")
    expected = other.settle("t1", *dealt, dealer=dealer)
    ours = {
        p.seat: p.amount_micros
        for p in floor.state.payouts.values()
        if p.share_bps and not p.holder
    }
    assert ours == {
        p.seat: p.amount_micros for p in expected.payouts if p.share_bps and not p.holder
    }
    assert money(floor) == money(other)


@pytest.mark.rule("PA 657a.12(e)(4)")
def test_a_rejection_after_another_tables_full_award_goes_to_overflow() -> None:
    """Later winners keep what they were rightly paid; the rejected amount waits in overflow."""
    floor = two_links()
    floor.bets_in("t1", all_bet("a-five"))
    floor.bets_in("t2", all_bet("a-five"))
    first = floor.settle("t1", hand(6, "royal-flush")).payouts[0]
    second = floor.settle("t2", hand(1, "royal-flush")).payouts[0]
    meter = floor.meter("a/main")
    ok(floor.operate(RejectPayout(first.id, "lamp-dark", "flo")))
    assert floor.state.payouts[second.id].amount_micros == second.amount_micros
    assert floor.meter("a/main") == meter
    assert floor.state.balances[ledger.overflow("a/main")] == first.amount_micros


def test_a_rejected_full_award_returns_by_the_exact_inverse_with_later_increments() -> None:
    """Increments of other tables since the award stay on the meter; the reserve comes back."""
    floor = two_links()
    floor.bets_in("t1", all_bet("hb-player"))
    before = money(floor)
    award = floor.settle("t1", hand(3, "royal-flush")).payouts[0]
    floor.bets_in("t2", all_bet("hb-player"))
    ok(floor.operate(RejectPayout(award.id, "hand-misread", "flo")))
    after = money(floor)
    assert after["hb/main/meter"] == before["hb/main/meter"] + 6 * 130_000
    assert after["hb/main/reserve"] == before["hb/main/reserve"] + 6 * 80_000
    assert after["hb/house"] == before["hb/house"]


def test_a_rejected_tenth_goes_back_after_later_awards_were_validated() -> None:
    """A validated award that follows keeps its amount; the rejected tenth simply goes back."""
    floor = two_links()
    floor.bets_in("t1", all_bet("a-five"))
    first, second = (
        p
        for p in floor.settle("t1", hand(5, "straight-flush"), hand(3, "straight-flush")).payouts
        if p.kind == "share"
    )
    ok(floor.operate(ValidatePayout(first.id, "flo")))
    ok(floor.operate(ValidatePayout(second.id, "flo")))
    meter = floor.state.balances["a/main/meter"]
    event = ok(floor.operate(RejectPayout(first.id, "wager-invalid", "flo")))
    assert isinstance(event, PayoutRejected)
    assert floor.state.payouts[second.id].amount_micros == second.amount_micros
    assert floor.state.balances["a/main/meter"] == meter + first.amount_micros


def test_shares_rejected_one_by_one_return_each_once() -> None:
    """A validated share stands; the others go back to the meter, each with its own amount."""
    floor = two_links()
    floor.bets_in("t1", all_bet("hb-dealer", seats=range(1, 4)))
    shares = floor.settle("t1", dealer="straight-flush").payouts
    each = shares[0].amount_micros
    ok(floor.operate(ValidatePayout(shares[0].id, "flo")))
    meter = floor.state.balances["hb/main/meter"]
    ok(floor.operate(RejectPayout(shares[1].id, "lamp-dark", "flo")))
    assert floor.state.balances["hb/main/meter"] == meter + each
    # The first share was validated but not paid: rejecting it too leaves one player, who had
    # been due all of the tenth.
    ok(floor.operate(RejectPayout(shares[0].id, "lamp-dark", "flo")))
    assert (
        floor.state.payouts[shares[2].id].amount_micros
        == (meter + 3 * each) // 10 // 10_000 * 10_000
    )


def test_envy_falls_with_the_reading_but_not_with_the_lamp() -> None:
    """A dark lamp takes the holder's award only; a misread hand takes the envy bonuses too."""
    floor = two_links()
    floor.bets_in("t1", all_bet("a-five"))
    payouts = floor.settle("t1", hand(4, "royal-flush")).payouts
    own = next(p for p in payouts if p.kind == "share")
    ok(floor.operate(RejectPayout(own.id, "lamp-dark", "flo")))
    envy = [p for p in floor.state.payouts.values() if p.kind == "envy"]
    assert len(envy) == 5
    ok(floor.operate(RejectPayout(envy[0].id, "hand-misread", "flo")))
    assert not floor.state.payouts


@pytest.mark.parametrize(
    ("hit", "meter_bears", "house_bears"),
    [
        ("royal-flush", 0, 6 * 210_000),
        ("straight-flush", 6 * 210_000, 0),
        ("nothing", 6 * 210_000, 0),
    ],
)
def test_a_void_after_another_tables_award(hit: str, meter_bears: int, house_bears: int) -> None:
    """The house bears a void's increments after another 100%, the meter after a 10%."""
    floor = two_links()
    floor.bets_in("t1", all_bet("a-five"))
    floor.bets_in("t2", all_bet("a-five"))
    floor.settle("t2", hand(1, hit))
    meter, house = floor.state.balances["a/main/meter"], floor.state.balances["a/house"]
    ok(floor.void_round("t1", "MISDEAL"))
    assert meter - floor.state.balances["a/main/meter"] == meter_bears
    assert house - floor.state.balances["a/house"] == house_bears


def test_a_void_takes_a_small_meter_to_zero_and_the_house_bears_the_rest() -> None:
    """A meter never goes below zero."""
    floor = two_links()
    floor.bets_in("t1", all_bet("a-five"))
    ok(floor.operate(AdjustMeter("a", "main", 10_000, "malfunction", "ticket 1")))
    house = floor.state.balances["a/house"]
    ok(floor.void_round("t1", "MISDEAL"))
    assert floor.state.balances["a/main/meter"] == 0
    assert house - floor.state.balances["a/house"] == 6 * 210_000 - 10_000


def test_a_hit_between_posting_and_settling_is_remembered_by_a_void() -> None:
    """The increments went with another table's 100%, so the house bears them after Settle too."""
    floor = two_links()
    floor.bets_in("t1", all_bet("a-five"))
    floor.bets_in("t2", all_bet("a-five"))
    floor.settle("t2", hand(2, "royal-flush"))
    floor.settle("t1", hand(3, "straight-flush"))
    meter_after_tenth = floor.state.balances["a/main/meter"]
    tenth = next(p for p in floor.state.payouts.values() if p.table == "t1" and p.share_bps)
    ok(floor.void_round("t1", "MISDEAL"))
    assert floor.state.balances["a/main/meter"] == meter_after_tenth + tenth.amount_micros


def test_no_void_once_anything_was_validated() -> None:
    """Validation makes the round's outcome firm."""
    floor = two_links()
    floor.bets_in("t1", all_bet("a-five"))
    payout = floor.settle("t1", hand(4, "full-house")).payouts[0]
    ok(floor.operate(ValidatePayout(payout.id, "flo")))
    assert reason(floor.void_round("t1", "MISDEAL")) == Reason.VOID_TOO_LATE
    assert reason(floor.void_seat("t1", 4, "MISDEAL")) == Reason.VOID_TOO_LATE
    ok(floor.operate(PayPayout(payout.id)))
    assert reason(floor.operate(PayPayout(payout.id))) == Reason.PAYOUT_CLOSED
