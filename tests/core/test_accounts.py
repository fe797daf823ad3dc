"""Game accounts pay for electronic wagers and never go below zero."""

import pytest

from jackpot.core.commands.operator import BuyIn, CashOut, PayPayout, ValidatePayout
from jackpot.core.commands.table import (
    LockOut,
    OpenRound,
    Placed,
    PlaceWagers,
    Wager,
    WithdrawWagers,
)
from jackpot.core.reasons import Reason
from tests.core.floor import DOLLAR, Floor, five_card_a, hand, hand_bonus, ok, reason, table

ANN = "@account/ann"


def floor_of(dollars: int) -> Floor:
    """A hand bonus table with its round open, and ann's account."""
    floor = Floor().open_up([hand_bonus()], [table("t1", "hb")])
    ok(floor.operate(BuyIn("ann", dollars * DOLLAR, "cage 1")))
    ok(floor.play("t1", OpenRound()))
    return floor


def both(seat: int = 3) -> PlaceWagers:
    """Ann's two bets, a dollar each."""
    bets = ("hb-player", "hb-dealer")
    return PlaceWagers(tuple(Wager(seat, bet, DOLLAR, account="ann") for bet in bets))


@pytest.mark.parametrize(("dollars", "taken"), [(1, False), (2, True), (3, True)])
@pytest.mark.rule("PA 657a.2(d)")
def test_an_account_must_cover_all_wagers_of_a_command(dollars: int, taken: bool) -> None:
    """Two one-dollar wagers need two dollars; short of that neither is taken."""
    floor = floor_of(dollars)
    answer = floor.play("t1", both())
    if taken:
        ok(answer)
    else:
        assert reason(answer) == Reason.INSUFFICIENT_FUNDS
    assert floor.state.balances[ANN] == (dollars - 2 * taken) * DOLLAR


def test_a_withdrawn_or_void_wager_is_credited_again() -> None:
    """Withdrawal, a void seat and a void round each give back what the account paid."""
    floor = floor_of(10)
    ok(floor.play("t1", both()))
    ok(floor.play("t1", WithdrawWagers((Placed(3, "hb-dealer"),))))
    assert floor.state.balances[ANN] == 9 * DOLLAR
    ok(floor.play("t1", both(4)))
    ok(floor.play("t1", LockOut()))
    ok(floor.void_seat("t1", 4, "MISDEAL"))
    assert floor.state.balances[ANN] == 9 * DOLLAR
    ok(floor.void_round("t1", "MISDEAL"))
    assert floor.state.balances[ANN] == 10 * DOLLAR
    assert floor.meter("hb/main") == "10000.00"


@pytest.mark.rule("PA 657a.11(f)(3)")
def test_a_fixed_award_is_credited_and_a_percentage_is_not() -> None:
    """A full house goes to the account; a tenth of the meter is the cage's to pay."""
    floor = floor_of(10)
    ok(floor.play("t1", both()))
    ok(floor.play("t1", LockOut()))
    event = floor.settle("t1", hand(3, "full-house"), dealer="straight-flush")
    fixed, tenth = event.payouts
    assert (fixed.source, tenth.source) == ("account", "cage")
    ok(floor.operate(PayPayout(fixed.id)))
    assert floor.state.balances[ANN] == (8 + 100) * DOLLAR
    assert reason(floor.operate(PayPayout(tenth.id, "F-1"))) == Reason.NOT_VALIDATED


@pytest.mark.parametrize(("amount", "paid"), [(10, True), (11, False)])
def test_a_cash_out_takes_what_is_there(amount: int, paid: bool) -> None:
    """No account goes below zero."""
    floor = floor_of(10)
    answer = floor.operate(CashOut("ann", amount * DOLLAR, "cage 2"))
    if paid:
        ok(answer)
    else:
        assert reason(answer) == Reason.INSUFFICIENT_FUNDS
    assert floor.state.balances[ANN] == (0 if paid else 10 * DOLLAR)


@pytest.mark.parametrize("undo", ["withdraw", "void"])
def test_a_chip_that_names_an_account_moves_nothing_on_it(undo: str) -> None:
    """It was never debited, so giving it back credits nobody: no money comes of naming one."""
    floor = Floor().open_up([five_card_a(), hand_bonus()], [table("t1", "a", "hb")])
    ok(floor.operate(BuyIn("ann", 5 * DOLLAR, "cage 1")))
    ok(floor.play("t1", OpenRound()))
    chip = Wager(3, "a-five", DOLLAR, account="ann")
    ok(floor.play("t1", PlaceWagers((chip, Wager(3, "hb-player", DOLLAR, account="ann")))))
    assert floor.state.balances[ANN] == 4 * DOLLAR
    if undo == "withdraw":
        ok(floor.play("t1", WithdrawWagers((Placed(3, "a-five"),))))
        assert floor.state.balances[ANN] == 4 * DOLLAR
    else:
        ok(floor.void_round("t1", "MISDEAL"))
        assert floor.state.balances[ANN] == 5 * DOLLAR


def test_an_award_for_a_chip_is_not_credited_to_an_account() -> None:
    """It is paid from the table's inventory, whatever account the wager named."""
    floor = Floor().open_up([five_card_a()], [table("t1", "a")])
    floor.bets_in("t1", [Wager(3, "a-five", DOLLAR, account="ann")])
    (payout,) = floor.settle("t1", hand(3, "full-house")).payouts
    assert (payout.source, payout.account) == ("inventory", "")


def test_only_the_wagers_that_were_withdrawn_are_credited() -> None:
    """Other wagers of the same account stand."""
    floor = floor_of(10)
    ok(floor.play("t1", both(3)))
    ok(floor.play("t1", both(4)))
    ok(floor.play("t1", WithdrawWagers((Placed(4, "hb-player"),))))
    assert floor.state.balances[ANN] == 7 * DOLLAR


def test_an_award_that_moved_to_the_cage_is_not_credited() -> None:
    """Whoever pays, the money goes out once."""
    floor = floor_of(2)
    ok(floor.play("t1", both()))
    ok(floor.play("t1", LockOut()))
    quads = floor.settle("t1", hand(3, "four-of-a-kind")).payouts[0]
    ok(floor.operate(ValidatePayout(quads.id, "flo", "cage")))
    ok(floor.operate(PayPayout(quads.id, "F-1")))
    assert floor.state.balances[ANN] == 0
    assert floor.state.balances["hb/players"] == 500 * DOLLAR  # the wagers came from the account
