"""Bonus bets beside the progressives: the Hand Bonus with its draws, and Let It Ride's."""

from pathlib import Path

import pytest

from jackpot.core.commands.operator import PayPayout, ValidatePayout
from jackpot.core.commands.table import (
    ConfirmCollection,
    LockOut,
    OpenRound,
    PlaceWagers,
    SeatHand,
    Settle,
    Wager,
)
from jackpot.core.events.table import RoundLocked, RoundSettled, RoundVoided
from jackpot.core.reasons import Reason
from tests.core.floor import DOLLAR, cents, ok, reason
from tests.rules.progressives import FOUR_KINGS, NOTHING, OPEN, ROYAL, Chapter, settle

BONUS = {
    "pa": Chapter(
        "pa-crazy-4-poker", "five-card-hand-bonus", 'magic_share = "100%"\nlucky_share = "100%"',
        ROYAL["s"], "",
    ),
    "ma": Chapter(
        "ma-crazy-4-poker", "five-card-hand-bonus",
        'magic_share = "100%"\nlucky_share = "100%"\n' + OPEN % "13%", ROYAL["s"], "",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    "chapter",
    [
        pytest.param(BONUS[source], marks=[pytest.mark.rule(one) for one in clauses])
        for source, clauses in (
            ("pa", ["PA 657a.1(i)", "PA 657a.1(ii)", "PA 657a.2(d)", "PA 657a.11(f)",
                    "PA 657a.11(f)(1)", "PA 657a.11(f)(2)", "PA 657a.11(f)(3)",
                    "PA 657a.12(f)(3)"]),
            ("ma", ["MA 1(i)", "MA 1(ii)", "MA 10(f)", "MA 10(f)(1)", "MA 10(f)(2)",
                    "MA 10(f)(3)", "MA 11(f)(3)"]),
        )
    ],
)  # fmt: skip
def test_the_hand_bonus_draws_a_card_and_a_position(chapter: Chapter, tmp_path: Path) -> None:
    """Magic pays who holds the card, Lucky who sits there; small ones need no floorperson."""
    floor = chapter.floor(tmp_path)
    own, dealers = chapter.bet, f"{chapter.bet}-dealer"
    ok(floor.play("t", OpenRound()))
    wagers = [Wager(seat, bet, DOLLAR) for seat in (1, 2) for bet in (own, dealers)]
    ok(floor.play("t", PlaceWagers(tuple(wagers))))
    locked = ok(floor.play("t", LockOut()))
    assert isinstance(locked, RoundLocked)
    assert locked.collected  # electronic: there are no chips to count
    assert reason(floor.play("t", PlaceWagers((Wager(3, own, DOLLAR),)))) == Reason.LOCKED_OUT
    card, position = locked.magic_card, locked.lucky_position
    assert card
    assert 0 <= position <= 6
    # Seat 1 holds the drawn card, whichever it is, seat 2 and the dealer do not.
    kept = [one for one in NOTHING[1] if one != card][:4]
    hands = {1: (card, *kept), 2: tuple("Ts" if one == card else one for one in NOTHING[2])}
    dealer = tuple("Td" if one == card else one for one in NOTHING[0])
    event = settle(floor, hands, dealer=dealer)
    magic = [(p.seat, p.bet, cents(p.amount_micros)) for p in event.payouts if p.kind == "magic"]
    assert magic == [(1, own, "20.00")]
    lucky = {(p.seat, p.bet, cents(p.amount_micros)) for p in event.payouts if p.kind == "lucky"}
    if position == 0:
        assert lucky == {(1, dealers, "5.00"), (2, dealers, "5.00")}
    else:
        assert lucky == ({(position, own, "5.00")} if position in (1, 2) else set())
    assert not any(p.needs_floorperson for p in event.payouts)
    assert {p.source for p in event.payouts} == {"account"}
    # Four of a kind pays 500 for 1, which a floorperson verifies; a full house does not.
    for cards, needs in ((FOUR_KINGS, True), (("Ks", "Kh", "Kd", "3c", "3s"), False)):
        ok(floor.play("t", OpenRound()))
        ok(floor.play("t", PlaceWagers((Wager(1, own, DOLLAR),))))
        ok(floor.play("t", LockOut()))
        event = settle(floor, {1: cards})
        (fixed,) = [payout for payout in event.payouts if payout.kind == "fixed"]
        assert (fixed.needs_floorperson, fixed.source) == (needs, "account")
        for payout in event.payouts:
            if payout.needs_floorperson:
                ok(floor.operate(ValidatePayout(payout.id, "floor-1")))
            ok(floor.operate(PayPayout(payout.id)))


LET_IT_RIDE = Chapter("pa-2010-let-it-ride", "bonus", "", (), "")


@pytest.mark.rule("PA2010 559.2(f)(1)")
@pytest.mark.rule("PA2010 559.2(f)(2)")
@pytest.mark.rule("PA2010 559.3(a)")
@pytest.mark.rule("PA2010 559.7(c)")
@pytest.mark.rule("PA2010 559.8(c)")
@pytest.mark.rule("PA2010 559.10(b)")
@pytest.mark.rule("PA2010 559.11(a)(3)")
@pytest.mark.rule("PA2010 559.12(a)(2)")
@pytest.mark.rule("PA2010 559.13(f)(1)")
@pytest.mark.rule("PA2010 559.14(d)")
def test_let_it_ride_s_bonus_is_locked_out_counted_and_paid_fixed_amounts(tmp_path: Path) -> None:
    """Without a meter, but with lock-out, count, and hands of three own and two common cards."""
    floor = LET_IT_RIDE.floor(tmp_path)
    ok(floor.play("t", OpenRound()))
    ok(floor.play("t", PlaceWagers(tuple(LET_IT_RIDE.wagers(1, 2)))))
    ok(floor.play("t", LockOut()))
    late = floor.play("t", PlaceWagers(tuple(LET_IT_RIDE.wagers(3))))
    assert reason(late) == Reason.LOCKED_OUT
    assert reason(floor.play("t", ConfirmCollection({"bonus": 1}))) == Reason.COLLECTION_MISMATCH
    ok(floor.play("t", ConfirmCollection({"bonus": 2})))
    twice = (SeatHand(1, ("As", "Ks", "Qs")), SeatHand(2, ("Js", "Td", "2c")))
    doubled = floor.play("t", Settle(twice, (), ("Js", "Ts")))
    assert reason(doubled) == Reason.DUPLICATE_CARD
    hands = (SeatHand(1, ("As", "Ks", "Qs")), SeatHand(2, ("Jh", "Td", "2c")))
    event = floor.play("t", Settle(hands, (), ("Js", "Ts")))
    assert isinstance(event, RoundSettled), event
    assert [(p.seat, p.kind, cents(p.amount_micros)) for p in event.payouts] == [
        (1, "fixed", "25000.00")
    ]


@pytest.mark.rule("PA2010 559.7(b)")
@pytest.mark.rule("PA2010 559.10(h)")
@pytest.mark.rule("PA2010 559.11(f)")
@pytest.mark.rule("PA2010 559.12(f)")
def test_let_it_ride_s_bonus_is_void_or_abandoned_like_any_other(tmp_path: Path) -> None:
    """A void returns the wagers; a player who left wins nothing."""
    floor = LET_IT_RIDE.floor(tmp_path)
    floor.bets_in("t", LET_IT_RIDE.wagers(1, 2))
    event = ok(floor.void_round("t", "MISDEALT", "floor-1"))
    assert isinstance(event, RoundVoided)
    assert event.returned_micros == 2 * DOLLAR
    floor.bets_in("t", LET_IT_RIDE.wagers(1))
    settled = floor.play("t", Settle((SeatHand(1, (), "abandoned"),), (), ("Js", "Ts")))
    assert isinstance(settled, RoundSettled), settled
    assert settled.payouts == ()
