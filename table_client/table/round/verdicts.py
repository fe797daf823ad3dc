"""How each of a seat's wagers ends, once all cards are known. Pure: the layout is only read."""

from collections.abc import Sequence

from msgspec import structs

from jackpot.rules import contest
from jackpot.rules.contest import LOST
from jackpot.rules.model import BetRule, Paytable
from table_client.table.games import paying
from table_client.table.games.paying import Verdict
from table_client.table.round.round_state import Layout, Outcome, Result, Seat


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
    won_micros = paying.won_micros(verdict.won, wager_micros)
    if bet.vigorish and won_micros:
        rounded = layout.option("vigorish") == "rounded-up"
        won_micros -= contest.vigorish_micros(bet.vigorish, won_micros, rounded=rounded)
        verdict = structs.replace(verdict, clause=f"{verdict.clause}; {bet.vigorish.clause}")
    result: Result = "win" if won_micros else "push"
    return _outcome(seat, bet, wager_micros, result, verdict, won_micros)


def dealer_hand(layout: Layout) -> tuple[str, ...]:
    """The cards that the dealer's hand is chosen from."""
    cards = layout.cards_of(())
    return layout.game.dealer_hand(cards)[0]


def dealer_qualifies(layout: Layout) -> bool:
    """Whether the dealer competes; without a rule the dealer always does."""
    if layout.rule.dealer is None or not layout.dealer:
        return True
    return paying.qualifies(layout.rule, dealer_hand(layout))


def _verdict(layout: Layout, seat: Seat, bet: BetRule, paytable: Paytable) -> Verdict:
    if bet.kind == "contest" and layout.game.house_way:
        if seat.hands is None or layout.dealer_hands is None:
            raise AssertionError("hands that were not set")
        return paying.against_two_hands(bet, seat.hands, layout.dealer_hands)
    ranking = paytable.ranking or bet.ranking
    hands = layout.game.hands_of(bet.id, paytable.ranking)(layout.cards_of(seat.cards))
    cards = paying.highest(ranking, hands)
    if bet.kind == "contest":
        return paying.against_dealer(layout.rule, bet, paytable, cards, dealer_hand(layout))
    verdict = paying.against_paytable(bet, paytable, cards)
    procedure = layout.game.settle_clauses.get(bet.id)
    if procedure is None:
        return verdict
    return structs.replace(verdict, clause=f"{procedure}; {verdict.clause}")


def _ante_bonus(layout: Layout, seat: Seat, bet: BetRule) -> list[Outcome]:
    """A bonus without a wager of its own: paid on the Ante, whatever the dealer holds."""
    if not all(other in seat.wagers for other in bet.requires):
        return []
    verdict = paying.against_paytable(bet, layout.paytable(bet), tuple(seat.cards))
    if verdict.won <= 0:
        return []
    won_micros = paying.won_micros(verdict.won, seat.wagers[bet.requires[0]])
    return [_outcome(seat, bet, 0, "win", verdict, won_micros)]


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
