"""What a rule file says: one game in one jurisdiction, every value with its clause.

The files under `data/` are read into these values. Nothing here knows an operator's choice: `site`
reads that, and `compile_link` and `compile_base_game` join the two.
"""

import datetime as dt
from typing import Literal

from msgspec import Struct, field

from jackpot.core.config import DeckLife, Medium, PayoutSource, Whose
from jackpot.rules.money_phrases import Pay, parse_money, parse_pay, parse_rate
from jackpot.rules.paytable import NAME, Cited, EnvySchedule, LevelRule, Paytable, Row

__all__ = [
    "NAME",
    "BetRule",
    "Cited",
    "EnvySchedule",
    "LevelRule",
    "Paytable",
    "Row",
    "Rule",
]

BetKind = Literal[
    "contest",  # against the dealer's hand
    "paytable",  # against a posted paytable, chips on the layout
    "ante-bonus",  # no wager of its own: paid on the Ante
    "progressive",  # behind a lock-out, with meters
    "linked-bonus",  # behind a lock-out, without a meter
    "pot",  # taken from a pot between players
]
When = Literal[
    "dealer-not-qualified",
    "player-higher",
    "tie",
    "player-lower",
    "both-higher",  # with two hands each: both of the player's are higher
    "one-higher",
    "none-higher",
]
Does = Literal[
    "play-on",  # nothing changes
    "set-aside",  # the card goes to the discard rack, another is dealt
    "void-round",
    "void-seat",
    "complete-hand",  # another card is dealt to the dealer
    "player-chooses",  # to play the hand out, or to void it
    "again",  # the step is repeated
]
Until = Literal["decided", "revealed"]
Result = Literal["win", "lose", "push", "paytable", "push-or-paytable"]
WayOfDealing = Literal["MANUAL_SHOE", "HAND", "AUTOMATED_SHOE", "CONTINUOUS_SHOE"]


class WagerRule(Cited, frozen=True, kw_only=True):
    """Which amounts may be wagered; none listed: whatever the operator posts."""

    allowed: tuple[str, ...] = ()
    times: str = ""  # in own words, how the amount follows from another wager
    of: str = ""  # the wager of which this one is a multiple
    least: int = 1  # how many times it at least, and at most
    most: int = 1
    better: tuple[str, int] | None = None  # a hand, and the multiple that it and higher ones allow
    at_least: str = ""  # an amount that the text names, where it is not the posted minimum

    @property
    def allowed_micros(self) -> tuple[int, ...]:
        """The permitted amounts."""
        return tuple(parse_money(text) for text in self.allowed)


class FoldRule(Cited, frozen=True, kw_only=True):
    """What a player who folds loses."""

    forfeits: bool
    keeps_envy: bool = False
    setting: bool = False  # the text is open, so the operator may choose otherwise


class PaymentRule(Cited, frozen=True, kw_only=True):
    """Who must validate an award and where it is paid from."""

    validate_from_for: int = 0  # fixed awards below this many "for 1" need no floorperson
    fixed_source: PayoutSource = "inventory"
    fixed_awards_from_meter: str = ""  # the level that bears fixed awards
    fixed_awards_setting: bool = False  # the operator may let the house bear them


class Extra(Cited, frozen=True, kw_only=True):
    """A bonus that a random draw gives, not a hand."""

    id: Literal["magic-card", "lucky-bonus"]
    pays: str

    @property
    def pay(self) -> Pay:
        """The payment as numbers."""
        return parse_pay(self.pays)


class Outcome(Cited, frozen=True, kw_only=True):
    """How a contest with the dealer ends in one case."""

    when: When
    result: Result


class Vigorish(Cited, frozen=True, kw_only=True):
    """A share of what is won that the house keeps, and the multiple to which it may be rounded."""

    rate: str
    rounded_up_to: str

    def __post_init__(self) -> None:
        """Refuse a rate or an amount that is none."""
        Cited.__post_init__(self)
        parse_rate(self.rate)
        parse_money(self.rounded_up_to)


class LimitRule(Cited, frozen=True, kw_only=True):
    """A limit on what one player wins: the least that an operator may choose, or the limit itself.

    Both are the amount here, or the most that a minimum wager could win if that is more.
    """

    at_least: str
    note: str
    mandatory: bool = False  # the text sets it: there is nothing to choose

    def least_micros(self, most_at_minimum_micros: int) -> int:
        """The lowest limit that is allowed, given the most that a minimum wager could win."""
        return max(parse_money(self.at_least), most_at_minimum_micros)


class BetRule(Cited, frozen=True, kw_only=True):
    """A wager of the game: the block's clause is the one that allows it."""

    id: str
    title: str
    kind: BetKind
    ranking: str = ""  # none where nothing is ranked
    cards: str = ""  # in own words, which cards are ranked, where it is not the player's own hand
    requires: tuple[str, ...] = ()  # wagers that must be placed first
    optional: bool = True  # a player may place it or not
    offered: Literal["may", "must"] = "may"  # of an optional one: whether an operator may omit it
    medium: Medium = "chips"
    on: tuple[Whose, ...] = ("player",)
    wager: WagerRule | None = None
    paytables: tuple[Paytable, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    fold: FoldRule | None = None
    payment: PaymentRule | None = None
    extras: tuple[Extra, ...] = ()
    limit: LimitRule | None = None
    vigorish: Vigorish | None = None
    excludes: tuple[str, ...] = ()  # bets that the same table may not offer beside this one
    note: str = ""

    def paytable(self, paytable_id: str) -> Paytable | None:
        """The paytable with this id."""
        return next((table for table in self.paytables if table.id == paytable_id), None)

    @property
    def linkable(self) -> bool:
        """Whether the wager is placed on a system with a lock-out, so that a link can carry it."""
        return self.kind in ("progressive", "linked-bonus") and bool(self.paytables)


class TableRule(Cited, frozen=True, kw_only=True):
    """How many players a table has at most."""

    seats: int


class DealRule(Cited, frozen=True, kw_only=True):
    """How many cards make a round."""

    seat_cards: int
    dealer_cards: int = 0
    community_cards: int = 0
    joker: bool = False


class DeckRule(Cited, frozen=True, kw_only=True):
    """After how many hours a deck is changed, by how it is dealt."""

    by_hand_hours: int
    by_shoe_hours: int

    @property
    def life(self) -> DeckLife:
        """The same for a table."""
        return DeckLife(self.by_hand_hours * 3_600, self.by_shoe_hours * 3_600, self.clause)


class DealerRule(Cited, frozen=True, kw_only=True):
    """The lowest hand with which the dealer competes."""

    qualifies: str


class BoxRule(Cited, frozen=True, kw_only=True):
    """How many adjacent boxes one person may play; 0: as many as the operator declares."""

    most: int


class FacilityRule(Cited, frozen=True, kw_only=True):
    """Whether linked tables must stand in one licensed facility."""

    one: bool


class IrregularityRule(Cited, frozen=True, kw_only=True):
    """Something that goes wrong in a round, and what must follow."""

    id: str
    does: Does
    spares: tuple[str, ...] = ()  # bets that are settled although the round is void
    spared_by: str = ""  # the clause whose rows alone pay them then
    until: Until = "revealed"  # of an exposed card: from when on it no longer matters


class OptionValue(Cited, frozen=True, kw_only=True):
    """One lawful value of an option, and what goes with it."""

    value: str
    says: str
    # By bet: the paytables that it leaves, and whether a fold loses it.
    paytables: dict[str, tuple[str, ...]] = field(default_factory=dict)
    folds: dict[str, bool] = field(default_factory=dict)
    only_by: tuple[WayOfDealing, ...] = ()  # the ways of dealing that allow it; none: all


class OptionRule(Cited, frozen=True, kw_only=True):
    """What an operator chooses for a table; the first value holds where nothing is said."""

    id: str
    values: tuple[OptionValue, ...]

    def value(self, value: str) -> OptionValue | None:
        """A lawful value."""
        return next((each for each in self.values if each.value == value), None)


class SignRule(Cited, frozen=True, kw_only=True):
    """That odds or amounts of all wagers stand on the layout, or on a sign at the table."""

    says: str


class Inscription(Cited, frozen=True, kw_only=True):
    """What else the layout or the sign tells patrons, in own words."""

    says: str


class Provision(Cited, frozen=True, kw_only=True):
    """A rule that is no number, in own words."""

    id: str
    says: str


class Rule(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One game in one jurisdiction."""

    id: str
    game: str
    title: str
    jurisdiction: str
    source: str
    effective: dt.date | None = None  # none where the text bears no date
    table: TableRule | None = None
    deal: DealRule | None = None
    deck: DeckRule | None = None  # none where no text at hand says when a deck is changed
    boxes: BoxRule | None = None
    dealer: DealerRule | None = None
    facility: FacilityRule | None = None
    bets: tuple[BetRule, ...] = ()
    irregularities: tuple[IrregularityRule, ...] = ()
    options: tuple[OptionRule, ...] = ()
    sign: SignRule | None = None  # where the text asks for the odds of all wagers
    inscriptions: tuple[Inscription, ...] = ()
    provisions: tuple[Provision, ...] = ()

    def option(self, option_id: str) -> OptionRule | None:
        """The option with this id."""
        return next((option for option in self.options if option.id == option_id), None)

    def bet(self, bet_id: str) -> BetRule | None:
        """The bet with this id."""
        return next((bet for bet in self.bets if bet.id == bet_id), None)
