"""Join a rule with an operator's choices into the link that the core carries out.

Everything that the law fixes comes from the rule; everything that it leaves open must be chosen;
a choice that the law doesn't allow is a fault with its clause. All faults are found, not only the
first. Pure: reads no file.
"""

from collections.abc import Callable, Mapping
from typing import Literal

from msgspec import Struct, field

from jackpot.core import config
from jackpot.core.money import BPS_PER_WHOLE, MICROS_PER_CENT, dollars, rate_text
from jackpot.rules.model import BetRule, LevelRule, Paytable, Row, Rule
from jackpot.rules.money_phrases import AmountTerm, Bound, Pay, RateTerm, parse_pay


class LevelChoice(Struct, frozen=True):
    """What an operator says of a level; None: nothing."""

    seed_micros: int | None = None
    reseed_micros: int | None = None
    primary_bps: int | None = None
    reserve_bps: int | None = None
    limit_micros: int | None = None
    reserve_mode: Literal["add", "fund"] = "add"


class LinkChoice(Struct, frozen=True):
    """What an operator says of a link beyond rule, bet and paytable; None: nothing."""

    id: str
    title: str
    wager_micros: int
    levels: dict[str, LevelChoice] = field(default_factory=dict)
    pays: dict[str, str] = field(default_factory=dict)  # hand -> payment
    magic_share_bps: int | None = None
    lucky_share_bps: int | None = None
    fold_forfeits: bool | None = None
    fixed_awards_from: Literal["meter", "house"] | None = None


class ChoiceFault(Struct, frozen=True):
    """A choice that can't be: which key, why, and by which clause."""

    key: tuple[str, ...]
    reason: str
    clause: str = ""


def compile_link(
    rule: Rule, bet: BetRule, paytable: Paytable, choice: LinkChoice
) -> tuple[config.Link, tuple[ChoiceFault, ...]]:
    """The link that a choice describes; it may be used only when there are no faults."""
    faults = [*_wager_faults(bet, paytable, choice), *_option_faults(bet, choice)]
    levels = [_level(level, choice, faults) for level in paytable.levels]
    faults += _level_faults(paytable, choice, levels)
    link = config.Link(
        id=choice.id,
        title=choice.title,
        rule=rule.id,
        wager_micros=choice.wager_micros,
        levels=tuple(levels),
        bets=_bets(bet, paytable, choice, faults),
        magic_share_bps=choice.magic_share_bps or 0,
        lucky_share_bps=choice.lucky_share_bps or 0,
    )
    return link, tuple(faults)


def bet_id(bet: BetRule, whose: config.Whose) -> str:
    """The id under which a seat places a bet on one's own hand or on the dealer's."""
    return bet.id if whose == "player" else f"{bet.id}-dealer"


def _wager_faults(bet: BetRule, paytable: Paytable, choice: LinkChoice) -> list[ChoiceFault]:
    wager = choice.wager_micros
    if wager <= 0:
        return [ChoiceFault(("wager",), "the wager must be more than $0")]
    if wager % MICROS_PER_CENT:
        return [ChoiceFault(("wager",), "the wager must be in whole cents")]
    if bet.wager and bet.wager.allowed and wager not in bet.wager.allowed_micros:
        allowed = " or ".join(bet.wager.allowed)
        reason = f"a wager of ${dollars(wager)} is not allowed: {bet.title} takes {allowed}"
        return [ChoiceFault(("wager",), reason, bet.wager.clause)]
    if paytable.envy and paytable.envy_at(wager) is None:
        reason = f"there is no envy schedule for a wager of ${dollars(wager)}"
        return [ChoiceFault(("wager",), reason, paytable.envy[0].clause)]
    return []


def _option_faults(bet: BetRule, choice: LinkChoice) -> list[ChoiceFault]:
    faults: list[ChoiceFault] = []
    for extra_id, key, share in (
        ("magic-card", "magic_share", choice.magic_share_bps),
        ("lucky-bonus", "lucky_share", choice.lucky_share_bps),
    ):
        extra = next((extra for extra in bet.extras if extra.id == extra_id), None)
        if extra is None and share is not None:
            faults.append(ChoiceFault((key,), f"{bet.title} has no {extra_id}", bet.clause))
        if extra is not None and share is None:
            reason = f'{key} is missing: the share of rounds that offer it, such as "2%" or "0%"'
            faults.append(ChoiceFault((key,), reason, extra.clause))
    fold, payment = bet.fold, bet.payment
    if choice.fold_forfeits is not None and not (fold and fold.setting):
        reason = "the rule decides whether a fold loses the wager; remove fold_forfeits"
        faults.append(ChoiceFault(("fold_forfeits",), reason, fold.clause if fold else bet.clause))
    if choice.fixed_awards_from is not None and not (payment and payment.fixed_awards_setting):
        reason = "the rule decides what pays fixed awards; remove fixed_awards_from"
        clause = payment.clause if payment else bet.clause
        faults.append(ChoiceFault(("fixed_awards_from",), reason, clause))
    return faults


def _level_faults(
    paytable: Paytable, choice: LinkChoice, levels: list[config.Level]
) -> list[ChoiceFault]:
    faults: list[ChoiceFault] = []
    for level_id in choice.levels:
        if paytable.level(level_id) is None:
            known = ", ".join(level.id for level in paytable.levels) or "none"
            reason = f"paytable {paytable.id} has no level {level_id!r} (it has: {known})"
            faults.append(ChoiceFault(("levels", level_id), reason, paytable.clause))
    if sum(level.primary_bps + level.reserve_bps for level in levels) > BPS_PER_WHOLE:
        faults.append(ChoiceFault(("levels",), "the rates of all levels add up to more than 100%"))
    return faults


def _level(rule: LevelRule, choice: LinkChoice, faults: list[ChoiceFault]) -> config.Level:
    chosen = choice.levels.get(rule.id, LevelChoice())
    at = ("levels", rule.id)

    def chosen_or_least(
        key: str, bound: Bound, least: int, value: int | None, said: Callable[[int], str]
    ) -> int:
        if problem := _problem(bound, least, value, said):
            faults.append(ChoiceFault((*at, key), f"{key} of {rule.id} {problem}", rule.clause))
        return least if value is None else value

    def amount(key: str, term: AmountTerm, value: int | None) -> int:
        return chosen_or_least(key, term.bound, term.at(choice.wager_micros), value, _dollars)

    def rate(key: str, term: RateTerm, value: int | None) -> int:
        return chosen_or_least(key, term.bound, term.bps, value, rate_text)

    reserve = chosen.reserve_bps
    if rule.reserve_term.bound == "any":  # where a text is silent, none needs no declaration
        reserve = reserve or 0
    level = config.Level(
        id=rule.id,
        seed_micros=amount("seed", rule.seed_term, chosen.seed_micros),
        reseed_micros=amount("reseed", rule.reseed_term, chosen.reseed_micros),
        primary_bps=rate("primary", rule.primary_term, chosen.primary_bps),
        reserve_bps=rate("reserve", rule.reserve_term, reserve),
        limit_micros=chosen.limit_micros or 0,
        reserve_mode=chosen.reserve_mode,
        fixed=rule.clause if rule.primary_term.bound == "is" else "",
        minimum_bps=rule.primary_term.bps if rule.primary_term.bound == "at-least" else 0,
    )
    start = max(level.seed_micros, level.reseed_micros)
    if chosen.limit_micros is not None and chosen.limit_micros <= start:
        limit, least = dollars(chosen.limit_micros), dollars(start)
        reason = (
            f"limit of {rule.id} is ${limit}: its meter starts at ${least} and would never grow; "
            f"choose more than ${least}, or leave the limit out"
        )
        faults.append(ChoiceFault((*at, "limit"), reason, rule.clause))
    if chosen.reserve_mode == "fund" and not level.reserve_bps:
        reason = f"reserve_mode of {rule.id} can be set only for a level with a reserve"
        faults.append(ChoiceFault((*at, "reserve_mode"), reason, rule.clause))
    if rule.primary_term.bound == "any" and chosen.primary_bps == 0:
        reason = f"at a rate of 0% the meter of {rule.id} would never grow"
        faults.append(ChoiceFault((*at, "primary"), reason, rule.clause))
    return level


def _dollars(micros: int) -> str:
    return f"${dollars(micros)}"


def _problem(bound: Bound, least: int, value: int | None, said: Callable[[int], str]) -> str:
    """What is wrong with the choice of an amount or a rate, as it is said; "" where nothing is."""
    if bound == "is":
        return f"is fixed at {said(least)}" if value not in (None, least) else ""
    if value is None:
        return "must be declared" + (f", at least {said(least)}" if bound == "at-least" else "")
    return f"is {said(value)}, below the minimum of {said(least)}" if value < least else ""


def _bets(
    bet: BetRule, paytable: Paytable, choice: LinkChoice, faults: list[ChoiceFault]
) -> tuple[config.Bet, ...]:
    for hand in choice.pays:
        if all(row.hand != hand for row in paytable.rows):
            known = ", ".join(row.hand for row in paytable.rows)
            reason = f"paytable {paytable.id} has no row for {hand!r} (it has: {known})"
            faults.append(ChoiceFault(("pays", hand), reason, paytable.clause))
    lines = tuple(_line(row, bet, paytable, choice, faults) for row in paytable.rows)
    envy = paytable.envy_at(choice.wager_micros)
    forfeits = bet.fold.forfeits if bet.fold else True
    if choice.fold_forfeits is not None:
        forfeits = choice.fold_forfeits
    pays = {extra.id: extra.pay.number for extra in bet.extras}
    return tuple(
        config.Bet(
            id=bet_id(bet, whose),
            ranking=bet.ranking,
            paytable=lines,
            whose=whose,
            medium=bet.medium,
            envy=tuple(
                config.EnvyLine(row.hand, row.pay.number, row.clause or envy.clause)
                for row in envy.rows
            )
            if envy
            else (),
            fold_forfeits=forfeits,
            fold_keeps_envy=bool(bet.fold and bet.fold.keeps_envy),
            validate_from_for=bet.payment.validate_from_for if bet.payment else 0,
            fixed_source=bet.payment.fixed_source if bet.payment else "inventory",
            magic_pays_for=pays.get("magic-card", 0) if choice.magic_share_bps else 0,
            lucky_pays_for=pays.get("lucky-bonus", 0) if choice.lucky_share_bps else 0,
        )
        for whose in bet.on
    )


def _line(
    row: Row, bet: BetRule, paytable: Paytable, choice: LinkChoice, faults: list[ChoiceFault]
) -> config.PayLine:
    clause = row.clause or paytable.clause
    pay = chosen_pay(row, paytable, choice.pays, faults, ("pays",))
    if pay.kind == "share":
        return config.PayLine(
            hand=row.hand, level=pay.level, share_bps=pay.number, shared=row.shared, clause=clause
        )
    meter = bet.payment.fixed_awards_from_meter if bet.payment else ""
    from_meter = "" if choice.fixed_awards_from == "house" else meter
    if pay.kind == "amount":
        return config.PayLine(
            hand=row.hand, amount_micros=pay.number, from_meter=from_meter, clause=clause
        )
    if pay.kind == "for" and pay.per == 1:
        return config.PayLine(
            hand=row.hand, pays_for=pay.number, from_meter=from_meter, clause=clause
        )
    raise ValueError(f"a link can't pay {row.pays!r}")


def chosen_pay(
    row: Row,
    paytable: Paytable,
    pays: Mapping[str, str],
    faults: list[ChoiceFault],
    keys: tuple[str, ...],
) -> Pay:
    """What a row pays as the operator chose, or as the rule has it where the choice is a fault."""
    at = (*keys, row.hand)
    clause = row.clause or paytable.clause
    options = [parse_pay(text) for text in (row.pays, row.or_pays) if text]
    if row.hand not in pays:
        if row.or_pays:
            reason = f"pays.{row.hand} must be declared: {row.pays} or {row.or_pays}"
            faults.append(ChoiceFault(at, reason, clause))
        return row.pay
    try:
        pay = parse_pay(pays[row.hand])
    except ValueError as error:
        faults.append(ChoiceFault(at, f"pays.{row.hand}: {error}"))
        return row.pay
    lawful = any(_meets(pay, option) if paytable.minimum else pay == option for option in options)
    if not lawful:
        wording = " or ".join(filter(None, (row.pays, row.or_pays)))
        bound = "must be at least" if paytable.minimum else "is fixed at"
        faults.append(ChoiceFault(at, f"the payment for {row.hand} {bound} {wording}", clause))
        return row.pay
    return pay


def _meets(pay: Pay, minimum: Pay) -> bool:
    """Whether a payment is of the minimum's kind and no less."""
    same = (pay.kind, pay.level) == (minimum.kind, minimum.level)
    whole = pay.kind != "share" or pay.number <= BPS_PER_WHOLE
    return same and whole and pay.number * minimum.per >= minimum.number * pay.per
