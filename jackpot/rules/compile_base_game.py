"""Join a game's rule with what a house filed for the wagers on a table's layout.

The counterpart of `compile_link`, which does the same for a link. Everything that the law fixes
comes from the rule; a choice that it doesn't allow is a fault with its clause; where the house
said nothing, the first of the lawful values holds. Pure: reads no file.
"""

from collections.abc import Iterator, Mapping
from functools import cache

from msgspec import Struct, field
from msgspec.structs import replace

from jackpot.core.config import BaseTerms, WagerTerms
from jackpot.core.money import MICROS_PER_CENT, MICROS_PER_DOLLAR, dollars
from jackpot.rules.base_game import is_side_bet, limit_rule, most_at_minimum, on_layout
from jackpot.rules.compile_link import ChoiceFault, chosen_pay
from jackpot.rules.model import BetRule, OptionValue, Paytable, Rule
from jackpot.rules.money_phrases import parse_money
from jackpot.rules.toml_section import did_you_mean, suggestion

MINIMUM_MICROS = 5 * MICROS_PER_DOLLAR  # as posted, where the site file says nothing
MAXIMUM_MICROS = 1_000 * MICROS_PER_DOLLAR


class WagerChoice(Struct, frozen=True):
    """What an operator says of a wager on the layout; None: nothing."""

    offered: bool = True
    paytable: str | None = None
    pays: dict[str, str] = field(default_factory=dict)  # hand -> payment
    minimum_micros: int | None = None
    maximum_micros: int | None = None
    fold_forfeits: bool | None = None


class BaseChoice(Struct, frozen=True):
    """What an operator says of a table's base game; None: nothing."""

    minimum_micros: int | None = None
    maximum_micros: int | None = None
    payout_limit_micros: int | None = None
    wagers: dict[str, WagerChoice] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)


def compile_base(rule: Rule, choice: BaseChoice) -> tuple[BaseTerms, tuple[ChoiceFault, ...]]:
    """The base game that a choice describes; it may be used only when there are no faults."""
    faults = [*_option_faults(rule, choice), *_wager_faults(rule, choice)]
    values = _values(rule, choice)
    terms = BaseTerms(
        rule=rule.id,
        minimum_micros=_or(choice.minimum_micros, MINIMUM_MICROS),
        maximum_micros=_or(choice.maximum_micros, MAXIMUM_MICROS),
        wagers=tuple(
            _wager(bet, choice.wagers.get(bet.id, WagerChoice()), values, faults)
            for bet in on_layout(rule)
            if _is_offered(bet, choice)
        ),
        options={option: value.value for option, value in values.items()},
    )
    faults += _posted_faults(terms)
    limit, problem = _payout_limit(rule, terms, choice.payout_limit_micros)
    faults += [problem] if problem else []
    return replace(terms, payout_limit_micros=limit), tuple(faults)


@cache
def default_terms(rule_id: str) -> BaseTerms:
    """Every wager of a game at the first of its lawful terms, for a table without a site file."""
    from jackpot.rules.loader import rules  # noqa: PLC0415 - the loader needs none of this

    rule = rules()[rule_id]
    side = {bet.id: WagerChoice() for bet in on_layout(rule) if is_side_bet(bet)}
    return compile_base(rule, BaseChoice(wagers=side))[0]


# -- checks -----------------------------------------------------------------------------------


def _or(value: int | None, default: int) -> int:
    return default if value is None else value


def _is_offered(bet: BetRule, choice: BaseChoice) -> bool:
    """A side bet that the text leaves to the house is offered where the house specifies it."""
    if not is_side_bet(bet) or bet.offered == "must":
        return True
    chosen = choice.wagers.get(bet.id)
    return chosen is not None and chosen.offered


def _values(rule: Rule, choice: BaseChoice) -> dict[str, OptionValue]:
    """Every option's value, lawful or the default."""
    return {
        option.id: option.value(choice.options.get(option.id, "")) or option.values[0]
        for option in rule.options
    }


def _option_faults(rule: Rule, choice: BaseChoice) -> Iterator[ChoiceFault]:
    for option_id, value in choice.options.items():
        option = rule.option(option_id)
        if option is None:
            known = [each.id for each in rule.options]
            meant = did_you_mean(suggestion(option_id, known))
            reason = f"{rule.title} has no option {option_id!r}"
            has = f" (it has: {', '.join(known) or 'none'})"
            yield ChoiceFault(("options", option_id), reason + (meant or has))
        elif option.value(value) is None:
            lawful = ", ".join(each.value for each in option.values)
            reason = f"{option_id} is {value!r}; expected one of: {lawful}"
            yield ChoiceFault(("options", option_id), reason, option.clause)


def _wager_faults(rule: Rule, choice: BaseChoice) -> Iterator[ChoiceFault]:
    known = [bet.id for bet in on_layout(rule)]
    for bet_id, chosen in choice.wagers.items():
        bet, at = rule.bet(bet_id), ("wagers", bet_id)
        if bet is not None and bet.linkable:
            reason = f"{bet_id} is a linked wager: give it a link of its own, under [[links]]"
            yield ChoiceFault(at, reason, bet.clause)
        elif bet is None or bet_id not in known:
            meant = did_you_mean(suggestion(bet_id, known))
            has = f" (it has: {', '.join(known)})"
            yield ChoiceFault(
                at, f"{rule.title} has no wager {bet_id!r} on its layout{meant or has}"
            )
        else:
            yield from _one_wager_faults(bet, chosen, at)


def _one_wager_faults(
    bet: BetRule, chosen: WagerChoice, at: tuple[str, ...]
) -> Iterator[ChoiceFault]:
    if not chosen.offered and (not is_side_bet(bet) or bet.offered == "must"):
        reason = f"{bet.title} belongs to the game and must be offered; remove offered = false"
        yield ChoiceFault((*at, "offered"), reason, bet.clause)
    if chosen.fold_forfeits is not None and not (bet.fold and bet.fold.setting):
        reason = f"the rule decides whether a fold loses {bet.title}; remove fold_forfeits"
        yield ChoiceFault(
            (*at, "fold_forfeits"), reason, bet.fold.clause if bet.fold else bet.clause
        )
    for key, micros in (("minimum", chosen.minimum_micros), ("maximum", chosen.maximum_micros)):
        if micros is not None and not is_side_bet(bet):
            reason = f"{bet.title} has the table's own {key}: set it for the table"
            yield ChoiceFault((*at, key), reason, bet.clause)
        elif micros is not None and (micros <= 0 or micros % MICROS_PER_CENT):
            yield ChoiceFault((*at, key), f"the {key} of {bet.title} must be more than $0")
    named = parse_money(bet.wager.at_least) if bet.wager and bet.wager.at_least else 0
    if chosen.minimum_micros is not None and 0 < chosen.minimum_micros < named and bet.wager:
        found = dollars(chosen.minimum_micros)
        reason = f"the minimum of {bet.title} is ${found}, below the least of ${dollars(named)}"
        yield ChoiceFault((*at, "minimum"), reason, bet.wager.clause)


def _wager(
    bet: BetRule, chosen: WagerChoice, values: Mapping[str, OptionValue], faults: list[ChoiceFault]
) -> WagerTerms:
    at = ("wagers", bet.id)
    paytable = _paytable(bet, chosen, values, faults)
    folds = [value.folds[bet.id] for value in values.values() if bet.id in value.folds]
    if paytable:
        for hand in chosen.pays:
            if all(row.hand != hand for row in paytable.rows):
                known = ", ".join(row.hand for row in paytable.rows)
                reason = f"paytable {paytable.id} has no row for {hand!r} (it has: {known})"
                faults.append(ChoiceFault((*at, "pays", hand), reason, paytable.clause))
        for row in paytable.rows:
            chosen_pay(row, paytable, chosen.pays, faults, (*at, "pays"))
    return WagerTerms(
        bet=bet.id,
        paytable=paytable.id if paytable else "",
        pays={hand: pays for hand, pays in chosen.pays.items() if paytable},
        minimum_micros=chosen.minimum_micros or 0,
        maximum_micros=chosen.maximum_micros or 0,
        fold_forfeits=folds[0] if folds else chosen.fold_forfeits,
    )


def _paytable(
    bet: BetRule, chosen: WagerChoice, values: Mapping[str, OptionValue], faults: list[ChoiceFault]
) -> Paytable | None:
    """The paytable that was chosen among those that the options leave, or the first of them."""
    if not bet.paytables:
        return None
    left = [table.id for table in bet.paytables]
    clause = bet.paytables[0].clause
    for value in values.values():
        if bet.id in value.paytables:
            left, clause = list(value.paytables[bet.id]), value.clause
    if chosen.paytable is not None and chosen.paytable not in left:
        reason = f"{bet.title} does not offer paytable {chosen.paytable!r} at this table; expected "
        reason += ("one of: " if len(left) > 1 else "") + ", ".join(left)
        faults.append(ChoiceFault(("wagers", bet.id, "paytable"), reason, clause))
    return bet.paytable(chosen.paytable if chosen.paytable in left else left[0])


def _posted_faults(terms: BaseTerms) -> Iterator[ChoiceFault]:
    if terms.minimum_micros <= 0:
        yield ChoiceFault(("minimum",), "the minimum must be more than $0")
    if terms.maximum_micros < terms.minimum_micros:
        least, most = dollars(terms.minimum_micros), dollars(terms.maximum_micros)
        yield ChoiceFault(("maximum",), f"the maximum of ${most} is below the minimum of ${least}")
    for wager in terms.wagers:
        least_micros = wager.minimum_micros or min(terms.minimum_micros, terms.maximum_micros)
        most_micros = wager.maximum_micros or terms.maximum_micros
        if (wager.minimum_micros or wager.maximum_micros) and most_micros < least_micros:
            least, most = dollars(least_micros), dollars(most_micros)
            reason = f"{wager.bet}: the maximum of ${most} is below the minimum of ${least}"
            key = "maximum" if wager.maximum_micros else "minimum"
            yield ChoiceFault(("wagers", wager.bet, key), reason)


def _payout_limit(
    rule: Rule, terms: BaseTerms, chosen_micros: int | None
) -> tuple[int, ChoiceFault | None]:
    """The limit on payouts, and what is wrong with the one that was chosen."""
    limit, at = limit_rule(rule), ("payout_limit",)
    if limit is None:
        if chosen_micros is None:
            return 0, None
        return 0, ChoiceFault(at, f"{rule.title} has no limit on payouts; remove payout_limit")
    least = limit.least_micros(most_at_minimum(rule, terms))
    if limit.mandatory:
        wrong = chosen_micros not in (None, least)
        reason = (
            f"the regulation has payout_limit fixed at ${dollars(least)}: "
            "give this amount, or leave the key out"
        )
        return least, ChoiceFault(at, reason, limit.clause) if wrong else None
    if chosen_micros is not None and chosen_micros < least:
        reason = (
            f"payout_limit is ${dollars(chosen_micros)}, below the least of ${dollars(least)}; "
            "choose more, or leave it out to pay without a limit"
        )
        return least, ChoiceFault(at, reason, limit.clause)
    return chosen_micros or 0, None
