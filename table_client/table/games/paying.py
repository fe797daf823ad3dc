"""What a wager wins, in whole cents, as its rule file says.

Odds are exact fractions and wagers whole cents, so a win is exact in micros: 3 to 2 on $0.05 is
$0.075. Half a cent cannot be handed over. The odds are the least that the law allows, so an odd
part of a cent is rounded up, in the player's favor; vigorish is rounded by its own rule.
"""

from collections.abc import Sequence
from fractions import Fraction

from msgspec import Struct

from jackpot.core.money import MICROS_PER_CENT
from jackpot.rules import contest
from jackpot.rules.contest import LOST, RETURNED, TwoHands
from jackpot.rules.hands import names, rank
from jackpot.rules.model import BetRule, Paytable, Rule


class Verdict(Struct, frozen=True):
    """How a wager ended: the fraction of it that is won, and why."""

    won: Fraction  # -1 is lost, 0 returned
    hand: str
    clause: str


def won_micros(won: Fraction, wager_micros: int) -> int:
    """What is paid beyond the wager: exact, or up to the next whole cent."""
    if wager_micros % MICROS_PER_CENT:
        raise ArithmeticError(f"a wager must be in whole cents; it has {wager_micros} micros")
    exact = won * wager_micros
    return -int(-exact // MICROS_PER_CENT) * MICROS_PER_CENT


def highest(ranking: str, hands: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Of several hands, the one that counts."""
    return max(hands, key=lambda cards: rank(ranking, cards)) if len(hands) > 1 else hands[0]


def against_paytable(bet: BetRule, paytable: Paytable, cards: tuple[str, ...]) -> Verdict:
    """A wager on a hand alone."""
    called = names(paytable.ranking or bet.ranking, cards)
    row = paytable.row_for(called)
    clause = row.clause if row and row.clause else paytable.clause
    return Verdict(contest.pays(bet, paytable, cards), called[0], clause)


def against_dealer(
    rule: Rule,
    bet: BetRule,
    paytable: Paytable,
    cards: tuple[str, ...],
    dealer: tuple[str, ...],
) -> Verdict:
    """A wager against the dealer's hand."""
    when = contest.compare(rule, bet, cards, dealer)
    outcome = next(outcome for outcome in bet.outcomes if outcome.when == when)
    won = contest.contest(rule, bet, paytable, cards, dealer)
    clause = f"{outcome.clause}; {paytable.clause}" if won > RETURNED else outcome.clause
    return Verdict(won, names(bet.ranking, cards)[0], clause)


def against_two_hands(bet: BetRule, hands: TwoHands, dealer: TwoHands) -> Verdict:
    """A Pai Gow wager."""
    won = contest.pai_gow(bet, hands, dealer)
    if len(hands.high) != contest.HIGH_CARDS:
        return Verdict(won, "not five and two cards", "PA2010 561.13(g)(4)")
    results = {LOST: "lose", RETURNED: "push"}
    result = results.get(won, "win")
    outcome = next(outcome for outcome in bet.outcomes if outcome.result == result)
    return Verdict(won, names(bet.ranking, hands.high)[0], outcome.clause)


def qualifies(rule: Rule, dealer: tuple[str, ...]) -> bool:
    """Whether the dealer's hand competes."""
    bet = next((bet for bet in rule.bets if bet.kind == "contest"), None)
    return bet is None or contest.qualifies(rule, bet, dealer)
