"""How each of a seat's wagers ends, once all cards are known. Pure: the layout is only read.

Odds are exact fractions and wagers whole cents, so a win is exact in micros: 3 to 2 on $0.05 is
$0.075. Half a cent cannot be handed over. The odds are the least that the law allows, so an odd
part of a cent is rounded up, in the player's favor; vigorish is rounded by its own rule.
"""

from collections.abc import Sequence
from fractions import Fraction

from msgspec import Struct, structs

from jackpot.core.money import MICROS_PER_CENT
from jackpot.rules import contest
from jackpot.rules.contest import LOST, RETURNED, TwoHands
from jackpot.rules.hands import names, rank
from jackpot.rules.model import BetRule, Paytable, Rule
from table_client.table.round.round_state import Layout, Outcome, Result, Seat


class Verdict(Struct, frozen=True):
    """How a wager ended: the fraction of it that is won, and why."""

    won: Fraction  # -1 is lost, 0 returned
    hand: str
    clause: str


def outcomes(layout: Layout, seat: Seat) -> list[Outcome]:
    """Every open wager of a seat, in the order of the rule, with the bonuses that follow."""
    found: list[Outcome] = []
    open_wagers = seat.open_wagers
    for bet in layout.rule.bets:
        if bet.id in open_wagers:
            found.append(settle_bet(layout, seat, bet))
        elif bet.kind == "ante-bonus" and seat.fate == "played":
            found += _ante_bonus(layout, seat, bet)
    return _limited(layout, found)


def spared(layout: Layout, seat: Seat, bets: Sequence[str], clause: str) -> list[Outcome]:
    """Wagers that are settled although the round is void, by the rows of one clause alone."""
    found = [
        settle_bet(layout, seat, bet, clause)
        for bet in layout.rule.bets
        if bet.id in bets and bet.id in seat.wagers
    ]
    return _limited(layout, found)


def settle_bet(layout: Layout, seat: Seat, bet: BetRule, only_by: str = "") -> Outcome:
    """One wager; `only_by` is a clause whose rows alone pay it."""
    wager_micros = seat.wagers[bet.id]
    paytable = layout.paytable(bet)
    if only_by:
        rows = [row for row in paytable.rows if (row.clause or paytable.clause) == only_by]
        paytable = structs.replace(paytable, rows=tuple(rows), ranking="")
    verdict = _verdict(layout, seat, bet, paytable)
    if verdict.won == LOST:
        return _outcome(seat, bet, wager_micros, "lose", verdict)
    win_micros = won_micros(verdict.won, wager_micros)
    if bet.vigorish and win_micros:
        rounded = layout.option("vigorish") == "rounded-up"
        win_micros -= contest.vigorish_micros(bet.vigorish, win_micros, rounded=rounded)
        verdict = structs.replace(verdict, clause=f"{verdict.clause}; {bet.vigorish.clause}")
    result: Result = "win" if win_micros else "push"
    return _outcome(seat, bet, wager_micros, result, verdict, win_micros)


def dealer_hand(layout: Layout) -> tuple[str, ...]:
    """The cards that the dealer's hand is chosen from."""
    cards = layout.cards_of(())
    return layout.game.dealer_hand(cards)[0]


def dealer_qualifies(layout: Layout) -> bool:
    """Whether the dealer competes; without a rule the dealer always does."""
    if layout.rule.dealer is None or not layout.dealer:
        return True
    return qualifies(layout.rule, dealer_hand(layout))


def _verdict(layout: Layout, seat: Seat, bet: BetRule, paytable: Paytable) -> Verdict:
    if bet.kind == "contest" and layout.game.house_way:
        if seat.hands is None or layout.dealer_hands is None:
            raise AssertionError("hands that were not set")
        return against_two_hands(bet, seat.hands, layout.dealer_hands)
    ranking = paytable.ranking or bet.ranking
    hands = layout.game.hands_of(bet.id, paytable.ranking)(layout.cards_of(seat.cards))
    cards = highest(ranking, hands)
    if bet.kind == "contest":
        return against_dealer(layout.rule, bet, paytable, cards, dealer_hand(layout))
    verdict = against_paytable(bet, paytable, cards)
    procedure = layout.game.settle_clauses.get(bet.id)
    if procedure is None:
        return verdict
    return structs.replace(verdict, clause=f"{procedure}; {verdict.clause}")


def _ante_bonus(layout: Layout, seat: Seat, bet: BetRule) -> list[Outcome]:
    """A bonus without a wager of its own: paid on the Ante, whatever the dealer holds."""
    if not all(other in seat.wagers for other in bet.requires):
        return []
    verdict = against_paytable(bet, layout.paytable(bet), tuple(seat.cards))
    if verdict.won <= 0:
        return []
    win_micros = won_micros(verdict.won, seat.wagers[bet.requires[0]])
    return [_outcome(seat, bet, 0, "win", verdict, win_micros)]


def _limited(layout: Layout, found: list[Outcome]) -> list[Outcome]:
    """Cut what the bets under a limit win together to the limit, the last bet first."""
    limit = layout.terms.payout_limit_micros
    rules = {bet.id: bet.limit for bet in layout.rule.bets if bet.limit}
    if not limit or not rules:
        return found
    left, cut = limit, list[Outcome]()
    for outcome in found:
        rule = rules.get(outcome.bet)
        if rule is not None and outcome.won_micros > left:
            clause = f"{outcome.clause}; {rule.clause}"
            cut.append(structs.replace(outcome, won_micros=left, clause=clause))
        else:
            cut.append(outcome)
        left -= cut[-1].won_micros if rule is not None else 0
    return cut


def _outcome(
    seat: Seat,
    bet: BetRule,
    wager_micros: int,
    result: Result,
    verdict: Verdict,
    won_micros: int = 0,
) -> Outcome:
    return Outcome(
        seat.number, bet.id, wager_micros, result, won_micros, verdict.hand, verdict.clause
    )


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
