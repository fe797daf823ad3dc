"""The configuration of links and tables: what the operator chose from what a rule allows.

The core knows no game. `jackpot.rules` compiles a cited rule file and a site's choices into these
values; they are journaled when they take effect, so a replay never asks the rule files again.
"""

from typing import Literal

from msgspec import Struct

# Whose cards a bet is about.
Whose = Literal["player", "dealer"]
# How a wager arrives: a chip that the dealer counts, or a debit that needs no count.
Medium = Literal["chips", "electronic"]
# Where an award is paid from. A percentage of a meter is always paid by the cage.
PayoutSource = Literal["inventory", "account", "cage"]
# The digits of a sign, cents included: $999,999,999.99, which no meter of a floor comes to.
SIGN_DIGITS = 11
# How long a table may void its round by itself; "until-settled" is for laboratories.
VoidsByTable = Literal["until-collected", "until-settled"]


class PayLine(Struct, frozen=True, omit_defaults=True):
    """One row of a paytable: what a hand wins.

    Exactly one of the three is set: a share of a level's meter, `pays_for` times the wager
    (the wager included, "for 1"), or a flat amount.
    """

    hand: str  # a hand's name as the ranking gives it, e.g. "royal-flush"
    level: str = ""  # with share_bps: the level whose meter pays
    share_bps: int = 0  # 10000 is 100% of the meter, 1000 is 10%
    pays_for: int = 0  # 300 is "300 for 1"
    amount_micros: int = 0
    from_meter: str = ""  # a fixed award that a level's meter bears (the house the rest)
    shared: bool = False  # winners of this line at one table share the meter equally
    clause: str = ""  # the regulation's clause, e.g. "PA 657a.12(e)(1)"


class EnvyLine(Struct, frozen=True):
    """A fixed bonus to every other bettor when a player holds this hand."""

    hand: str
    amount_micros: int  # at the link's own wager
    clause: str = ""


class Bet(Struct, frozen=True, omit_defaults=True, cache_hash=True):  # `claims` looks it up
    """A wager that a seat can place on a link."""

    id: str  # unique among the bets of all links of a table
    ranking: str  # the ranking that names hands for this bet
    paytable: tuple[PayLine, ...]  # highest hand first
    whose: Whose = "player"
    medium: Medium = "chips"
    envy: tuple[EnvyLine, ...] = ()
    fold_forfeits: bool = True  # a player who folds loses this wager
    fold_keeps_envy: bool = True  # ... but may still receive envy bonuses
    validate_from_for: int = 0  # fixed awards below this many "for 1" need no floorperson
    fixed_source: PayoutSource = "inventory"  # where a fixed award is paid from
    magic_pays_for: int = 0  # Magic Card bonus, 0: not offered
    lucky_pays_for: int = 0  # Lucky Bonus, 0: not offered


class Level(Struct, frozen=True, omit_defaults=True):
    """A meter of a link and the money that feeds it."""

    id: str  # "mega", "major", "minor", or "main" where there is one
    seed_micros: int  # put on the meter once, when the link goes into service
    reseed_micros: int  # put on the meter by the house after each 100% award
    primary_bps: int  # share of each wager that goes to the meter
    reserve_bps: int = 0  # share of each wager that is kept for the next meter
    limit_micros: int = 0  # 0: none; what would pass it goes to overflow
    reserve_mode: Literal["add", "fund"] = "add"  # reserve joins the reseed, or stands in for it
    fixed: str = ""  # the clause that fixes seeds and rates, where the operator has no choice
    minimum_bps: int = 0  # the least that the primary rate may be


class PotRules(Struct, frozen=True, omit_defaults=True):
    """How Poker pots feed a Bad Beat fund, and who has which share of it."""

    minimum_pot_micros: int
    contribution_bps: int
    cap_micros: int  # the most that one pot contributes
    loser_bps: int
    winner_bps: int
    table_bps: int  # to the other players dealt in, equally
    qualifying_hand: str = ""  # the lowest hand that, losing, is a Bad Beat
    passes_on_to: str = ""  # which Bad Beat inherits the fund when this one ends


class Link(Struct, frozen=True, omit_defaults=True, cache_hash=True):  # `rounds` looks it up
    """A set of levels, the bets that feed them, and one denomination."""

    id: str
    title: str
    rule: str  # the rule file's id
    wager_micros: int
    levels: tuple[Level, ...]
    bets: tuple[Bet, ...]
    magic_share_bps: int = 0  # in which share of rounds a Magic Card is drawn
    lucky_share_bps: int = 0  # in which share of rounds a Lucky Bonus is drawn
    pot: PotRules | None = None  # a Bad Beat fund: fed by pots instead of wagers


class DeckLife(Struct, frozen=True, omit_defaults=True):
    """How long a deck may be in use, by how it is dealt; 0: no text at hand says."""

    by_hand_s: int = 0
    by_shoe_s: int = 0
    clause: str = ""


class Irregularities(Struct, frozen=True, omit_defaults=True):
    """Why a table may ask for a void, by its game's rule: a closed list.

    Both are empty in early journals, until the next start; there any word will do.
    """

    voids_round: tuple[str, ...] = ()  # void all hands
    voids_seat: tuple[str, ...] = ()


class WagerTerms(Struct, frozen=True, omit_defaults=True):
    """A wager on the layout as a table offers it; what is not said is as its rule has it."""

    bet: str
    paytable: str = ""  # of the rule's paytables
    pays: dict[str, str] = {}  # hand -> payment, where it is more than the paytable's
    minimum_micros: int = 0  # 0: the table's
    maximum_micros: int = 0
    fold_forfeits: bool | None = None  # where the text leaves it open


class BaseTerms(Struct, frozen=True, omit_defaults=True):
    """What the house filed for a table's base game: the wagers on its layout, outside any link."""

    rule: str  # the rule file's id
    minimum_micros: int  # as posted
    maximum_micros: int
    wagers: tuple[WagerTerms, ...] = ()  # all that are offered
    options: dict[str, str] = {}  # the rule's options, each with its value
    payout_limit_micros: int = 0  # on the wagers whose rule has one; 0: none

    def wager(self, bet: str) -> WagerTerms | None:
        """A wager that is offered."""
        return next((wager for wager in self.wagers if wager.bet == bet), None)


class Table(Struct, frozen=True, omit_defaults=True):
    """A table, the links it is on in the order in which a player's wagers on them are settled."""

    id: str
    game: str
    links: tuple[str, ...]
    seats: int
    seat_cards: int  # cards that make up a player's own hand
    community_cards: int = 0
    dealer_cards: int = 0
    boxes_per_player: int = 1  # adjacent boxes that one person may play
    decks: DeckLife = DeckLife()
    irregularities: Irregularities = Irregularities()
    base: BaseTerms | None = None  # none in journals of 0.1.0


class GamingDay(Struct, frozen=True):
    """When a gaming day begins: so many minutes after midnight on the clocks of a time zone."""

    start_minutes: int
    zone: str  # an IANA name


MIDNIGHT = GamingDay(0, "UTC")


class Site(Struct, frozen=True):
    """One licensed facility: everything that one journal stream is about."""

    id: str
    links: tuple[Link, ...]
    tables: tuple[Table, ...]
    in_service: tuple[str, ...] = ()  # links put in service by the controller at its first start
    dual_control: bool = True  # a second department must approve what changes a meter
    day: GamingDay = MIDNIGHT
    voids_by_table: VoidsByTable = "until-collected"
    sign_digits: int = SIGN_DIGITS  # that the smallest sign of the house has
    shortest_round_s: int = 0  # that a table of the house can play; 0: not said
