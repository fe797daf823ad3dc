"""Count again what `jackpot odds` says of wagers that depend on how a player plays.

    python -m tools.odds_data            # write jackpot/odds/data/played.json; takes ten minutes
    python -m tools.odds_data --check    # only compare

Counts come from `tools.odds`, decisions from the table client's own strategies, so that the odds
speak of what its players do. Pai Gow Poker is simulated, from a fixed seed.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from jackpot.odds.played import Ends, Kind, Part, Play
from jackpot.rules import bulk
from jackpot.rules.cards import deck
from jackpot.rules.hands import at_least, rank
from jackpot.rules.loader import rules
from table_client.table.games.catalogue import GAMES
from table_client.table.games.model import Ask, View
from tools.odds import dealer, holdem, holdem_plays, pai_gow
from tools.odds.dealer import Hand, against_dealer, one_of_each, paid_names, rows_of, text
from tools.odds.suits import BITS, classes

DATA = Path(__file__).resolve().parent.parent / "jackpot" / "odds" / "data" / "played.json"
PAI_GOW_DEALS, PAI_GOW_SEED = 1 << 24, 561
_CRAZY = ("pa-crazy-4-poker", "ma-crazy-4-poker", "pa-2011-crazy-4-poker")
_RIDE, _PAI_GOW = "pa-2010-let-it-ride", "pa-2010-pai-gow-poker"


def ask_of(rule_id: str, bet: str) -> Ask:
    """The decision about a bet in a game's script."""
    return next(a for a in GAMES[rule_id].script if isinstance(a, Ask) and a.bet == bet)


def booked(says: str, rule_ids: tuple[str, ...], bets: tuple[str, ...], asked: str) -> Play:
    """A game in which a player looks at a hand, then plays it against the dealer's, or folds."""
    found = [rules()[rule] for rule in rule_ids]
    ask, bet = ask_of(rule_ids[0], asked), found[0].bet(asked)
    assert bet

    def times_of(own: Hand) -> int:
        better = ask.better is not None and at_least(ask.better[0], own, ask.better[1])
        most = ask.better[2] if ask.better and better else ask.most
        return int(GAMES[rule_ids[0]].strategy(ask, View(own, (), (), most)))

    kinds = against_dealer(found[0], bet.ranking, rows_of(found, bets), times_of)
    return Play("book", rule_ids, says, (Part(bets, asked, kinds),))


def crazy_4() -> list[Play]:
    """One procedure under three texts."""
    says = "Play three times the Ante from a pair of aces, once from K-Q-8-4, else fold"
    return [booked(says, _CRAZY, ("ante", "super-bonus", "play"), "play")]


def caribbean() -> list[Play]:
    """Caribbean Stud Poker."""
    says = "Bet from A-K-J-8-3, else fold"
    return [booked(says, ("pa-2011-caribbean-stud",), ("ante", "bet"), "bet")]


def four_card() -> list[Play]:
    """Four Card Poker."""
    says = "Play three times the Ante from a pair of tens, once from threes, else fold"
    bets = ("ante", "play", "ante-bonus")
    return [booked(says, ("pa-2010-four-card-poker",), bets, "play")]


def three_card() -> list[Play]:
    """Three Card Poker; quick to count."""
    bets = ("ante", "play", "ante-bonus")
    return [booked("Play from Q-6-4, else fold", ("pa-2010-three-card-poker",), bets, "play")]


def let_it_ride() -> list[Play]:
    """Every deal: three cards, then one, then another, each bet ridden or taken back."""
    bets = ("bet-1", "bet-2", "bet-3")
    codes = dealer.ranks_of("five-card", 5)
    counts = np.zeros((3, 2, len(codes)))
    decide, asks = GAMES[_RIDE].strategy, [ask_of(_RIDE, bet) for bet in bets[:2]]
    words, times = classes(3)
    for word, alike in zip(words, times, strict=True):
        own = bulk.cards_of(int(word))
        rest = BITS[(BITS & word) == 0]
        first = int(decide(asks[0], View(own, (), (), 1)))
        for bit in rest:
            second = int(decide(asks[1], View(own, (), bulk.cards_of(int(bit)), 1)))
            hands = bulk.ranks("five-card", word | bit | rest[rest != bit])
            found = alike * np.bincount(np.searchsorted(codes, hands), minlength=len(codes))
            for bet, ride in enumerate((first, second, 1)):
                counts[bet, ride] += found
    examples = one_of_each("five-card", 5, codes)
    parts = (
        Part((bet,), bet, _ride_kinds(counts[n].astype(np.int64), examples))
        for n, bet in enumerate(bets)
    )
    says = "Bets 1 and 2 ride with a hand that pays or a strong draw"
    return [Play("book", (_RIDE,), says, tuple(parts))]


def _ride_kinds(counts: NDArray[np.int64], examples: list[Hand]) -> tuple[Kind, ...]:
    rows = rows_of([rules()[_RIDE]], ("bet-1", "bet-2", "bet-3"))
    found: dict[tuple[tuple[str, ...], int], Kind] = {}
    for times, row in enumerate(counts.tolist()):
        for count, hand in zip(row, examples, strict=True):
            key = paid_names("five-card", hand, rows), times
            before = found[key].count if key in found else 0
            if count:
                three, two = text(hand[:3]), text(hand[3:])
                found[key] = Kind(count + before, times, three, community=two)
    return tuple(found[key] for key in sorted(found))


def texas_holdem() -> list[Play]:
    """Texas Hold 'Em Bonus Poker, street by street."""
    rule = rules()["pa-2011-texas-holdem-bonus"]
    return holdem_plays.plays(rule, holdem.count_streets())


def pai_gow_poker() -> Iterator[Play]:
    """Both sides set in the house way, from a fixed seed."""
    for way in pai_gow.WAYS:
        ends = pai_gow.simulate(way, PAI_GOW_DEALS, PAI_GOW_SEED)
        says = "The player sets the hands in the house way too"
        parts = (Part(("pai-gow",), "", _two_hands(way, ends)),)
        options = {"house-way": way}
        yield Play(way, (_PAI_GOW,), says, parts, "simulated", options=options, ends=ends)


def _two_hands(way: str, ends: Ends) -> tuple[Kind, ...]:
    """The three ways to end, counted from both sides, with a deal of each."""
    counts = (
        ends.decided + ends.one_copy + 2 * ends.two_copies,
        2 * ends.split + ends.one_copy,
        ends.decided,
    )
    random, cards = np.random.default_rng(PAI_GOW_SEED), deck(joker=True)
    kinds: dict[int, Kind] = {}
    while len(kinds) < len(counts):
        dealt = [cards[n] for n in random.permutation(len(cards))[:14]]
        own, other = (GAMES[_PAI_GOW].house_ways[way](tuple(p)) for p in (dealt[:7], dealt[7:]))
        both = ((own.high, other.high), (own.low, other.low))
        higher = sum(rank("pai-gow", a) > rank("pai-gow", b) for a, b in both)
        sides = (text((*hands.high, *hands.low)) for hands in (own, other))
        kinds.setdefault(higher, Kind(counts[higher], 0, *sides))
    return tuple(kinds[higher] for higher in sorted(kinds))


STEPS: tuple[Callable[[], Iterable[Play]], ...] = (
    *(crazy_4, caribbean, four_card, three_card),
    *(let_it_ride, texas_holdem, pai_gow_poker),
)


def encode(plays: Iterable[Play]) -> bytes:
    """As the file keeps them."""
    return msgspec.json.format(msgspec.json.encode(list(plays)), indent=1) + b"\n"


def main(arguments: list[str]) -> int:
    """Write the file, or compare it."""
    found = encode(play for step in STEPS for play in step())
    if "--check" not in arguments:
        DATA.write_bytes(found)
        return 0
    if DATA.read_bytes() == found:
        return 0
    print(f"{DATA.name} is not what is counted; run: python -m tools.odds_data", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
