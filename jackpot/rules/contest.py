"""Decide a wager against the dealer or a paytable, as a rule file says.

The controller itself carries only wagers behind a lock-out; a table client, the odds and the tests
settle the others with these functions. Results are exact fractions of the wager: -1 is lost, 0 is
returned, 1 is even money. Pure.
"""

from collections.abc import Sequence
from fractions import Fraction

from msgspec import Struct

from jackpot.core.money import BPS_PER_WHOLE
from jackpot.rules import hands
from jackpot.rules.model import BetRule, Outcome, Paytable, Rule, Vigorish, When
from jackpot.rules.money_phrases import parse_money, parse_rate

LOST = Fraction(-1)
RETURNED = Fraction(0)
HIGH_CARDS, LOW_CARDS = 5, 2


class TwoHands(Struct, frozen=True):
    """Seven Pai Gow cards as they were set."""

    high: tuple[str, ...]
    low: tuple[str, ...]


def qualifies(rule: Rule, bet: BetRule, dealer: Sequence[str]) -> bool:
    """Whether the dealer's hand is high enough to compete."""
    return rule.dealer is None or hands.at_least(bet.ranking, dealer, rule.dealer.qualifies)


def compare(rule: Rule, bet: BetRule, player: Sequence[str], dealer: Sequence[str]) -> When:
    """How a player's hand stands against the dealer's."""
    if not qualifies(rule, bet, dealer):
        return "dealer-not-qualified"
    own, other = hands.rank(bet.ranking, player), hands.rank(bet.ranking, dealer)
    if own == other:
        return "tie"
    return "player-higher" if own > other else "player-lower"


def contest(
    rule: Rule, bet: BetRule, paytable: Paytable, player: Sequence[str], dealer: Sequence[str]
) -> Fraction:
    """What a wager against the dealer wins."""
    outcome = _outcome(bet, compare(rule, bet, player, dealer))
    return _result(bet, paytable, outcome, player)


def pays(bet: BetRule, paytable: Paytable, cards: Sequence[str]) -> Fraction:
    """What a wager against a paytable wins; a hand that no row names loses."""
    row = paytable.row_for(hands.names(paytable.ranking or bet.ranking, cards))
    return LOST if row is None else Fraction(*row.pay.won_per_wager)


def pai_gow(bet: BetRule, player: TwoHands, dealer: TwoHands) -> Fraction:
    """What a Pai Gow wager wins: both hands must be higher; a copy counts for the dealer."""
    if (len(player.high), len(player.low)) != (HIGH_CARDS, LOW_CARDS):
        return LOST  # PA2010 561.13(g)(4): not five cards and two
    if hands.rank(bet.ranking, player.high) < hands.rank(bet.ranking, player.low):
        return LOST  # PA2010 561.13(g)(3): set the wrong way round
    higher = sum(
        hands.rank(bet.ranking, own) > hands.rank(bet.ranking, other)
        for own, other in ((player.high, dealer.high), (player.low, dealer.low))
    )
    when: tuple[When, ...] = ("none-higher", "one-higher", "both-higher")
    return _result(bet, bet.paytables[0], _outcome(bet, when[higher]), player.high)


def vigorish_micros(rule: Vigorish, won_micros: int, *, rounded: bool) -> int:
    """What the house keeps of a win, exact or rounded up as the operator may."""
    exact = -(-won_micros * parse_rate(rule.rate) // BPS_PER_WHOLE)
    step = parse_money(rule.rounded_up_to)
    return -(-exact // step) * step if rounded else exact


def _outcome(bet: BetRule, when: When) -> Outcome:
    found = next((outcome for outcome in bet.outcomes if outcome.when == when), None)
    if found is None:
        raise ValueError(f"{bet.id} has no outcome for {when}")
    return found


def _result(bet: BetRule, paytable: Paytable, outcome: Outcome, cards: Sequence[str]) -> Fraction:
    if outcome.result == "lose":
        return LOST
    if outcome.result == "push":
        return RETURNED
    won = pays(bet, paytable, cards)
    # A winner whose hand no row names gets the wager back; a loser is paid by a row or not at all.
    return RETURNED if won == LOST and outcome.result == "push-or-paytable" else won
