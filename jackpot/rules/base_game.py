"""Tell what holds for a wager on a table's layout: its paytable, its limits, the game's options.

Of the game's rule and of what the house filed, as `compile_base_game` joined them.
"""

from collections.abc import Iterator
from fractions import Fraction

from msgspec.structs import replace

from jackpot.core.config import BaseTerms
from jackpot.rules.model import BetRule, LimitRule, Paytable, Rule
from jackpot.rules.money_phrases import parse_money


def on_layout(rule: Rule) -> Iterator[BetRule]:
    """The bets of a game that lie on its layout, not on a link."""
    return (bet for bet in rule.bets if bet.kind in ("contest", "paytable", "ante-bonus"))


def is_side_bet(bet: BetRule) -> bool:
    """Whether a bet is placed beside the game's own wagers."""
    return bet.kind == "paytable" and bet.optional


def option_value(rule: Rule, terms: BaseTerms, option_id: str, way: str = "") -> str:
    """What holds for an option; "" where the game has none of that name.

    With a way of dealing that does not allow what was chosen: the first value that it allows.
    """
    option = rule.option(option_id)
    if option is None:
        return ""
    chosen = option.value(terms.options.get(option_id, "")) or option.values[0]
    if way and chosen.only_by and way not in chosen.only_by:
        chosen = next(each for each in option.values if not each.only_by or way in each.only_by)
    return chosen.value


def paytable_of(terms: BaseTerms, bet: BetRule) -> Paytable:
    """The paytable that a bet is settled by, with what the house pays beyond it."""
    wager = terms.wager(bet.id)
    chosen = bet.paytable(wager.paytable) if wager and wager.paytable else bet.paytables[0]
    if chosen is None:
        raise KeyError(f"{bet.id} has no paytable {wager.paytable if wager else ''}")
    if wager is None or not wager.pays:
        return chosen
    rows = tuple(replace(row, pays=wager.pays.get(row.hand, row.pays)) for row in chosen.rows)
    return replace(chosen, rows=rows)


def posted(terms: BaseTerms, bet: BetRule) -> tuple[int, int]:
    """The posted minimum and maximum of a bet."""
    wager = terms.wager(bet.id)
    named = parse_money(bet.wager.at_least) if bet.wager and bet.wager.at_least else 0
    least = wager.minimum_micros if wager else 0
    most = wager.maximum_micros if wager else 0
    return least or named or terms.minimum_micros, most or terms.maximum_micros


def fold_forfeits(terms: BaseTerms, bet: BetRule) -> bool:
    """Whether a player who folds loses a wager."""
    wager = terms.wager(bet.id)
    if wager and wager.fold_forfeits is not None:
        return wager.fold_forfeits
    return bet.fold.forfeits if bet.fold else True


def limit_rule(rule: Rule) -> LimitRule | None:
    """The game's limit on payouts, if it has one: it stands at each bet that it covers."""
    return next((bet.limit for bet in rule.bets if bet.limit), None)


def most_at_minimum(rule: Rule, terms: BaseTerms) -> int:
    """The most that one player could win in a round on the limited bets at the minimum wager."""
    total = Fraction(0)
    for bet in rule.bets:
        if bet.limit and bet.paytables:
            odds = max(
                Fraction(*row.pay.won_per_wager)
                for row in paytable_of(terms, bet).rows
                if row.pay.kind != "lose"
            )
            times = bet.wager.most if bet.wager else 1
            total += odds * times * posted(terms, bet)[0]
    return int(total)
