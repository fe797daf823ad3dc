"""A wager as the odds see it: what each hand pays at which meters, in exact fractions of a dollar.

Built from a rule file's bet and paytable, with an operator's choices where the law leaves one.
Where it bounds a value from below and nothing is chosen, the bound stands; where it leaves the
value open, the value is None, and so is whatever follows from it.
"""

from collections.abc import Mapping
from fractions import Fraction

from msgspec import Struct

from jackpot.core.config import Whose
from jackpot.core.money import BPS_PER_WHOLE, MICROS_PER_DOLLAR
from jackpot.rules.chances import (
    HIGHER_OF_TWO,
    HIGHER_OF_TWO_KEY,
    Tally,
    cards_dealt,
    is_counted,
    kept_tallies,
    kept_tally,
)
from jackpot.rules.compile_link import LevelChoice
from jackpot.rules.model import BetRule, LevelRule, Paytable, Rule
from jackpot.rules.money_phrases import AmountTerm, Bound, Pay, RateTerm, parse_pay
from jackpot.rules.rankings import ranking_of

SEATS = 6  # where a rule names no number of seats


class OddsError(ValueError):
    """A question that has no answer by counting hands."""


class Line(Struct, frozen=True):
    """A row of the paytable: what comes back to the player, the wager included."""

    hand: str
    pays: str
    dollars: Fraction = Fraction(0)  # a fixed payment
    share: Fraction = Fraction(0)  # of a level's meter
    level: str = ""
    from_meter: str = ""  # the level whose meter bears a fixed payment


class Meter(Struct, frozen=True):
    """A level's terms; None: the operator's choice, not made."""

    id: str
    seed: Fraction | None
    reseed: Fraction | None
    primary: Fraction | None  # dollars a wager
    reserve: Fraction | None


class Envy(Struct, frozen=True):
    """What every other bettor receives when a player holds a hand."""

    hand: str
    dollars: Fraction


class Extra(Struct, frozen=True):
    """A bonus by draw: what it adds to the return in a round in which it is offered."""

    id: str
    pays: str
    return_when_offered: Fraction
    share_of_rounds: Fraction


class Choices(Struct, frozen=True):
    """What an operator chose; whatever is missing is the law's."""

    wager_micros: int | None = None  # None: the lowest that is allowed
    seats: int | None = None  # players at the table; None: all that it has
    whose: Whose = "player"
    levels: Mapping[str, LevelChoice] = {}
    pays: Mapping[str, str] = {}
    fixed_awards_from: str = ""  # "house": not from the meter
    magic_share_bps: int = 0
    lucky_share_bps: int = 0


class Offer(Struct, frozen=True):
    """Everything that decides the odds of one wager."""

    rule: str
    bet: str
    paytable: str
    title: str
    clause: str
    ranking: str
    dealt: int
    higher_of_two: bool  # two hands share three cards, and the higher is paid
    wager: Fraction
    seats: int
    whose: Whose
    minimum: bool  # the operator may pay more than this
    lines: tuple[Line, ...]
    meters: tuple[Meter, ...]
    envy: tuple[Envy, ...]
    extras: tuple[Extra, ...]

    @property
    def hands(self) -> Tally:
        """Every hand that can be dealt."""
        if self.higher_of_two:
            return kept_tallies()[HIGHER_OF_TWO_KEY]
        return kept_tally(self.ranking, self.dealt)

    @property
    def sharers(self) -> int:
        """How many divide a share of a meter: all who bet on the dealer's hand, or one."""
        return self.seats if self.whose == "dealer" else 1


def make_offer(rule: Rule, bet: BetRule, paytable: Paytable, choices: Choices) -> Offer:
    """The wager that a rule's bet and paytable are, as chosen."""
    if not is_counted(bet):
        raise OddsError(f"{bet.title} of {rule.id} is not paid by the player's hand alone")
    if choices.whose not in bet.on:
        raise OddsError(f"{bet.title} of {rule.id} is not offered on the {choices.whose}'s hand")
    wager_micros = _wager_micros(bet, paytable, choices)
    wager = Fraction(wager_micros, MICROS_PER_DOLLAR)
    most = rule.table.seats if rule.table else SEATS
    seats = most if choices.seats is None else choices.seats
    if not 1 <= seats <= most:
        raise OddsError(f"a table of {rule.id} has 1 to {most} seats, not {seats}")
    ranking = paytable.ranking or bet.ranking
    plan = paytable.envy_at(wager_micros)
    return Offer(
        rule=rule.id,
        bet=bet.id,
        paytable=paytable.id,
        title=f"{rule.title}: {bet.title}",
        clause=paytable.clause,
        ranking=ranking,
        dealt=cards_dealt(rule, ranking),
        higher_of_two=bet.cards == HIGHER_OF_TWO,
        wager=wager,
        seats=seats,
        whose=choices.whose,
        minimum=paytable.minimum,
        lines=_lines(bet, paytable, wager, choices),
        meters=tuple(_meter(level, wager_micros, choices) for level in paytable.levels),
        envy=tuple(Envy(row.hand, _money(row.pay.number)) for row in plan.rows) if plan else (),
        extras=_extras(bet, ranking, most, choices),
    )


def _wager_micros(bet: BetRule, paytable: Paytable, choices: Choices) -> int:
    allowed = bet.wager.allowed_micros if bet.wager else ()
    allowed = allowed or tuple(plan.wager_micros for plan in paytable.envy)
    if choices.wager_micros is None:
        return min(allowed, default=MICROS_PER_DOLLAR)
    if choices.wager_micros <= 0 or (allowed and choices.wager_micros not in allowed):
        listed = " or ".join(f"${micros // MICROS_PER_DOLLAR}" for micros in allowed)
        raise OddsError(f"{bet.title} takes a wager of {listed or 'more than $0'}")
    return choices.wager_micros


def _money(micros: int) -> Fraction:
    return Fraction(micros, MICROS_PER_DOLLAR)


def _lines(bet: BetRule, paytable: Paytable, wager: Fraction, choices: Choices) -> tuple[Line, ...]:
    unknown = set(choices.pays) - {row.hand for row in paytable.rows}
    if unknown:
        raise OddsError(f"paytable {paytable.id} has no row {min(unknown)!r}")
    meter = bet.payment.fixed_awards_from_meter if bet.payment else ""
    bears = "" if choices.fixed_awards_from == "house" else meter
    # A bonus on the Ante comes on top of what becomes of the Ante itself.
    stake = Fraction(0) if bet.kind == "ante-bonus" else wager
    lines = []
    for row in paytable.rows:
        text = choices.pays.get(row.hand, row.pays)
        pay = parse_pay(text)
        if pay.kind == "share":
            share = Fraction(pay.number, BPS_PER_WHOLE)
            lines.append(Line(row.hand, text, share=share, level=pay.level))
        else:
            lines.append(Line(row.hand, text, dollars=_fixed(pay, wager, stake), from_meter=bears))
    return tuple(lines)


def _fixed(pay: Pay, wager: Fraction, stake: Fraction) -> Fraction:
    """What a fixed payment gives back in all."""
    match pay.kind:
        case "to":
            return wager * Fraction(pay.number, pay.per) + stake
        case "for":
            return wager * Fraction(pay.number, pay.per)
        case "amount":
            return _money(pay.number)
        case "push":
            return stake
    return Fraction(0)


def _meter(level: LevelRule, wager_micros: int, choices: Choices) -> Meter:
    chosen = choices.levels.get(level.id, LevelChoice())
    wager = _money(wager_micros)

    def amount(what: str, term: AmountTerm, micros: int | None) -> Fraction | None:
        least = term.at(wager_micros)
        if micros is None:
            return None if term.bound == "any" else _money(least)
        _verify_choice(f"{what} of {level.id}", level, term.bound, micros - least)
        return _money(micros)

    def rate(what: str, term: RateTerm, bps: int | None) -> Fraction | None:
        if bps is None:
            return None if term.bound == "any" else wager * Fraction(term.bps, BPS_PER_WHOLE)
        _verify_choice(f"{what} of {level.id}", level, term.bound, bps - term.bps)
        return wager * Fraction(bps, BPS_PER_WHOLE)

    reserve = rate("reserve", level.reserve_term, chosen.reserve_bps)
    return Meter(
        level.id,
        seed=amount("seed", level.seed_term, chosen.seed_micros),
        reseed=amount("reseed", level.reseed_term, chosen.reseed_micros),
        primary=rate("primary rate", level.primary_term, chosen.primary_bps),
        reserve=Fraction(0) if reserve is None else reserve,
    )


def _verify_choice(what: str, level: LevelRule, bound: Bound, above: int) -> None:
    """Refuse a choice that the law doesn't leave; `above`: by how much it passes the law's."""
    if bound == "is" and above:
        raise OddsError(f"the {what} is fixed ({level.clause})")
    if bound == "at-least" and above < 0:
        raise OddsError(f"the {what} is below the minimum allowed ({level.clause})")


def _extras(bet: BetRule, ranking: str, seats: int, choices: Choices) -> tuple[Extra, ...]:
    """Magic Card: one of the hand's cards is drawn. Lucky Bonus: one of all positions is."""
    chances = {
        "magic-card": (Fraction(ranking_of(ranking).sizes[0], 52), choices.magic_share_bps),
        "lucky-bonus": (Fraction(1, seats + 1), choices.lucky_share_bps),
    }
    return tuple(
        Extra(
            extra.id,
            extra.pays,
            chance * Fraction(extra.pay.number, extra.pay.per),
            Fraction(share_bps, BPS_PER_WHOLE),
        )
        for extra in bet.extras
        for chance, share_bps in (chances[extra.id],)
    )
