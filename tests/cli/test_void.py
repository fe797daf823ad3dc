"""What `jackpot void` says before it asks is what the void then does."""

import re

import pytest

from jackpot.cli.void import at_stake
from jackpot.core.commands.table import Wager
from jackpot.core.events.table import SeatVoided
from jackpot.server.codec.messages import payout_message, round_message
from tests.core.floor import DOLLAR, Floor, five_card_a, hand, hand_bonus, ok, table


def floor() -> Floor:
    """Ann in boxes 6 and 5, Bob in 1, bets on the dealer's royal and on their own hands."""
    found = Floor().open_up([hand_bonus(), five_card_a()], [table("t1", "hb", "a")])
    who = {6: "ann", 5: "ann", 1: "bob"}
    bets = [Wager(seat, "hb-dealer", DOLLAR, player) for seat, player in who.items()]
    bets += [Wager(seat, "a-five", DOLLAR, player) for seat, player in who.items()]
    found.bets_in("t1", bets)
    found.settle("t1", hand(6, "royal-flush"), hand(1, "straight-flush"), dealer="royal-flush")
    return found


@pytest.mark.parametrize("seat", [6, 5, 1])
def test_the_payouts_that_are_named_are_those_that_are_canceled(seat: int) -> None:
    """Envy for the seat's hand is among them; a share that moves to another box is not."""
    found = floor()
    round_ = round_message(found.state.tables["t1"].round)
    assert round_ is not None
    payouts = [payout_message(payout) for payout in found.state.payouts.values()]
    said = list(at_stake(round_, payouts, seat))
    named = {int(number) for number in re.findall(r"payout (\d+), .*: canceled", "\n".join(said))}
    event = ok(found.void_seat("t1", seat, "WRONG_CARD_COUNT"))
    assert isinstance(event, SeatVoided)
    assert named == {change.payout for change in event.changes if change.closed}
    assert 0 < len(named) < len(payouts)
    assert said[-1] == "  other awards of the round on the same meter may be recalculated"
    assert "decided again" not in "\n".join(said)


def test_a_whole_round_cancels_all() -> None:
    """Nothing is left to be recalculated."""
    found = floor()
    round_ = round_message(found.state.tables["t1"].round)
    assert round_ is not None
    payouts = [payout_message(payout) for payout in found.state.payouts.values()]
    said = list(at_stake(round_, payouts, None))
    assert len(said) == 1 + len(payouts)
    assert all(line.endswith(": canceled") for line in said[1:])
