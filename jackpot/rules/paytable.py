"""What a paytable says: rows, the meters that its percentages are of, and its envy bonuses.

A block of a rule file states the clause that it carries out, and the clause covers the block's own
values and rows; a block without one does not load.
"""

import re
from collections.abc import Collection

from msgspec import Struct

from jackpot.rules.clauses import verify_clause
from jackpot.rules.money_phrases import (
    AmountTerm,
    Pay,
    RateTerm,
    parse_amount_term,
    parse_money,
    parse_pay,
    parse_rate_term,
)

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class Cited(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A block of values and the clause that they come from ("; " between several)."""

    clause: str

    def __post_init__(self) -> None:
        """Refuse a citation that names no clause."""
        for clause in self.clauses:
            verify_clause(clause)

    @property
    def clauses(self) -> tuple[str, ...]:
        """The clauses one by one."""
        return tuple(self.clause.split("; "))


class Row(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One row of a paytable; the paytable's clause is the row's unless it has its own."""

    hand: str
    pays: str
    or_pays: str = ""  # the other payment that the law lets the operator choose
    shared: bool = False  # winners at one table share the meter equally
    clause: str = ""

    def __post_init__(self) -> None:
        """Refuse a hand that is no name, a payment that is none, and a citation of nothing."""
        for clause in self.clause.split("; ") if self.clause else ():
            verify_clause(clause)
        if not NAME.fullmatch(self.hand):
            raise ValueError(f"{self.hand!r} is not the name of a hand")
        parse_pay(self.pays)
        if self.or_pays:
            parse_pay(self.or_pays)

    @property
    def pay(self) -> Pay:
        """The payment as numbers."""
        return parse_pay(self.pays)


class EnvySchedule(Cited, frozen=True, kw_only=True):
    """Envy bonuses at one wager."""

    wager: str
    rows: tuple[Row, ...]

    @property
    def wager_micros(self) -> int:
        """The wager that this schedule is for."""
        return parse_money(self.wager)


class LevelRule(Cited, frozen=True, kw_only=True):
    """A meter: how it starts, starts again and grows."""

    id: str
    seed: str
    reseed: str
    primary: str
    reserve: str = "none"

    def __post_init__(self) -> None:
        """Refuse a phrase that states no amount or rate."""
        Cited.__post_init__(self)
        _ = self.seed_term, self.reseed_term, self.primary_term, self.reserve_term

    @property
    def seed_term(self) -> AmountTerm:
        """What the meter shows when it goes into service."""
        return parse_amount_term(self.seed)

    @property
    def reseed_term(self) -> AmountTerm:
        """What the house puts on the meter after a 100% award."""
        return parse_amount_term(self.reseed)

    @property
    def primary_term(self) -> RateTerm:
        """Which share of a wager goes to the meter."""
        return parse_rate_term(self.primary)

    @property
    def reserve_term(self) -> RateTerm:
        """Which share of a wager is kept for the next meter."""
        return parse_rate_term(self.reserve)


class Paytable(Cited, frozen=True, kw_only=True):
    """A paytable, highest hand first, with the meters and envy bonuses that belong to it."""

    id: str
    rows: tuple[Row, ...]
    ranking: str = ""  # where it is not the bet's
    minimum: bool = False  # the operator may pay more than the rows say, never less
    levels: tuple[LevelRule, ...] = ()
    envy: tuple[EnvySchedule, ...] = ()
    note: str = ""

    def row_for(self, names: Collection[str]) -> Row | None:
        """The row that pays a hand of these names: the first from the top, and no other."""
        return next((row for row in self.rows if row.hand in names), None)

    def level(self, level_id: str) -> LevelRule | None:
        """The level with this id."""
        return next((level for level in self.levels if level.id == level_id), None)

    def envy_at(self, wager_micros: int) -> EnvySchedule | None:
        """The envy schedule for a wager."""
        return next((plan for plan in self.envy if plan.wager_micros == wager_micros), None)
