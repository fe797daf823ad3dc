"""The odds of wagers that depend on how a player plays, from counts that are kept as data.

A *play* says how the player decides, and how often each kind of deal then comes: with one deal as
an example, and how many times the Ante is wagered after looking at the cards. Every deal of a kind
ends alike, so its example is settled here by `jackpot.rules.contest`, under any paytable. The
counts are exact, or simulated with a stated error; `tools/odds_data.py` counts them again.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from importlib.resources import files
from math import sqrt
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import astuple, replace

from jackpot.core.config import BaseTerms
from jackpot.rules import contest
from jackpot.rules.base_game import option_value, paytable_of
from jackpot.rules.compile_base_game import MINIMUM_MICROS, default_terms
from jackpot.rules.contest import HIGH_CARDS, LOST, TwoHands
from jackpot.rules.model import BetRule, Rule

DATA = files("jackpot.odds") / "data" / "played.json"
LEAST_ANTE_MICROS = MINIMUM_MICROS  # an Ante, unless a wager is given


class Kind(Struct, frozen=True):
    """Deals that end alike: how many there are, and one of them."""

    count: int
    times: int  # the Ante that the asked wager is made for; 0: it is not made
    own: str
    dealer: str = ""
    community: str = ""

    @property
    def cards(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """The player's cards, the dealer's, and those in the middle."""
        return tuple(self.own.split()), tuple(self.dealer.split()), tuple(self.community.split())


class Part(Struct, frozen=True):
    """Wagers that are decided together, and all deals."""

    bets: tuple[str, ...]
    asked: str  # the one that the player decides about, giving up the others; "": none
    kinds: tuple[Kind, ...]

    @property
    def total(self) -> int:
        """All deals."""
        return sum(kind.count for kind in self.kinds)


class Ends(Struct, frozen=True):
    """How many deals of a simulated Pai Gow ended how, of both sides."""

    decided: int  # one side is higher in both hands
    split: int  # each side is higher in one hand
    one_copy: int  # one hand is a copy, the other is not
    two_copies: int

    @property
    def deals(self) -> int:
        """All of them."""
        return self.decided + self.split + self.one_copy + self.two_copies


class Play(Struct, frozen=True):
    """One way to play a game."""

    id: str
    rules: tuple[str, ...]
    says: str
    parts: tuple[Part, ...]
    method: Literal["exact", "simulated"] = "exact"
    paytables: Mapping[str, str] = {}  # for which it is the best play
    options: Mapping[str, str] = {}  # for which it holds
    ends: Ends | None = None  # of a simulation


class Wagered(Struct, frozen=True):
    """The odds of one wager under a play; amounts are in Antes."""

    rule: str
    bet: str
    paytable: str
    play: Play
    made: Fraction  # in how many of all rounds
    amount: Fraction  # on the average of all rounds
    wins: Fraction  # of all rounds
    pushes: Fraction
    losses: Fraction
    net: Fraction  # what a round brings
    variance: Fraction
    error: float  # of the return; 0 where it is exact
    vigorish: str  # "exact" or "rounded-up", where there is one

    @property
    def returns(self) -> Fraction | None:
        """What comes back of each dollar of the wager; None: it is a bonus without a wager."""
        return 1 + self.net / self.amount if self.amount else None


@cache
def plays() -> tuple[Play, ...]:
    """Every play that is kept."""
    return msgspec.json.decode(DATA.read_bytes(), type=tuple[Play, ...])


def plays_of(rule: Rule) -> list[Play]:
    """The plays of a game."""
    return [play for play in plays() if rule.id in play.rules]


def wagered(
    rule: Rule, play: Play, terms: BaseTerms, unit_micros: int = LEAST_ANTE_MICROS
) -> list[Wagered]:
    """The odds of every wager of a play, under the terms of a table."""
    return [
        _wagered(rule, bet, play, part, terms, unit_micros)
        for part in play.parts
        for bet in map(rule.bet, part.bets)
        if bet is not None
    ]


def every_wagered(rule: Rule, unit_micros: int = LEAST_ANTE_MICROS) -> list[Wagered]:
    """The odds of every play of a game, under each paytable, and with each way to take vigorish."""
    found: list[Wagered] = []
    for play in plays_of(rule):
        bets = [bet for part in play.parts for bet in part.bets]
        # One paytable is often met under several terms.
        each = {
            (each.paytable, each.vigorish, each.bet): each
            for terms in _every_terms(rule, play)
            for each in wagered(rule, play, terms, unit_micros)
        }
        found += sorted(each.values(), key=lambda each: bets.index(each.bet))
    return found


def _every_terms(rule: Rule, play: Play) -> Iterator[BaseTerms]:
    """A table's first lawful terms, then with each other paytable of the bets that are played."""
    first = replace(default_terms(rule.id), options={**play.options})
    first = _with_paytables(first, play.paytables)
    yield first
    for bet in (rule.bet(bet) for part in play.parts for bet in part.bets):
        if bet and bet.id not in play.paytables:
            for table in bet.paytables[1:]:
                yield _with_paytables(first, {bet.id: table.id})
        if bet and bet.vigorish:
            yield replace(first, options={**first.options, "vigorish": "rounded-up"})


def _with_paytables(terms: BaseTerms, chosen: Mapping[str, str]) -> BaseTerms:
    wagers = (replace(each, paytable=chosen.get(each.bet, each.paytable)) for each in terms.wagers)
    return replace(terms, wagers=tuple(wagers))


def _wagered(
    rule: Rule, bet: BetRule, play: Play, part: Part, terms: BaseTerms, unit_micros: int
) -> Wagered:
    ended = [
        (kind.count, *_ended(rule, bet, part, kind, terms, unit_micros)) for kind in part.kinds
    ]

    def share(chosen: list[int]) -> Fraction:
        return Fraction(sum(chosen), part.total)

    net = sum((count * won for count, _, won in ended), Fraction()) / part.total
    square = sum((count * won * won for count, _, won in ended), Fraction()) / part.total
    return Wagered(
        rule=rule.id,
        bet=bet.id,
        paytable=paytable_of(terms, bet).id,
        play=play,
        made=share([count for count, amount, _ in ended if amount]),
        amount=Fraction(sum(count * amount for count, amount, _ in ended), part.total),
        wins=share([count for count, _, won in ended if won > 0]),
        pushes=share([count for count, amount, won in ended if amount and won == 0]),
        losses=share([count for count, _, won in ended if won < 0]),
        net=net,
        variance=square - net * net,
        error=_error(play, ended),
        vigorish=option_value(rule, terms, "vigorish") if bet.vigorish else "",
    )


def _ended(
    rule: Rule,
    bet: BetRule,
    part: Part,
    kind: Kind,
    terms: BaseTerms,
    unit_micros: int,
) -> tuple[int, Fraction]:
    """How much was wagered in a deal of a kind, and what it won, in Antes."""
    if bet.id == part.asked:
        return kind.times, kind.times * _won(rule, bet, kind, terms, unit_micros)
    if not kind.times and part.asked:
        lost = LOST if bet.kind == "contest" else Fraction(0)
        return int(bet.kind == "contest"), lost
    won = _won(rule, bet, kind, terms, unit_micros)
    # A bonus on the Ante has no wager of its own to lose.
    return (0, max(won, Fraction(0))) if bet.kind == "ante-bonus" else (1, won)


def _won(rule: Rule, bet: BetRule, kind: Kind, terms: BaseTerms, unit_micros: int) -> Fraction:
    """What a wager of one wins in the example of a kind."""
    own, dealer, community = kind.cards
    paytable = paytable_of(terms, bet)
    if bet.ranking == "pai-gow":
        two = (TwoHands(cards[:HIGH_CARDS], cards[HIGH_CARDS:]) for cards in (own, dealer))
        won = contest.pai_gow(bet, *two)
        if won <= 0 or bet.vigorish is None:
            return won
        rounded = option_value(rule, terms, "vigorish") == "rounded-up"
        won_micros = int(won * unit_micros)
        kept = contest.vigorish_micros(bet.vigorish, won_micros, rounded=rounded)
        return Fraction(won_micros - kept, unit_micros)
    if bet.kind == "contest":
        return contest.contest(rule, bet, paytable, (*own, *community), (*dealer, *community))
    return contest.pays(bet, paytable, (*own, *community))


def _error(play: Play, ended: list[tuple[int, int, Fraction]]) -> float:
    """The standard error of a simulated return, each deal looked at from both sides."""
    if play.ends is None:
        return 0.0
    win = max(won for _, _, won in ended)
    worth = [(win - 1) / 2, Fraction(0), Fraction(-1, 2), Fraction(-1)]
    counts = astuple(play.ends)
    deals = play.ends.deals
    mean = sum((n * w for n, w in zip(counts, worth, strict=True)), Fraction()) / deals
    square = sum((n * w * w for n, w in zip(counts, worth, strict=True)), Fraction()) / deals
    return sqrt((square - mean * mean) / deals)
