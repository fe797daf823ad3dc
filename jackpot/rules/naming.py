"""What a hand may be called: the names that the rows of paytables use.

A paytable finds its row by these: the first row, from the top, whose hand is among the names.
A hand's names never reach below its own category (a royal flush is also a straight flush, never a
flush), so that a row stands for exactly the hands that its regulation lists.
"""

from collections.abc import Sequence

from jackpot.rules.cards import RANK_PLURALS, RANK_WORDS, SUIT_WORDS, rank_of
from jackpot.rules.rankings import ACE, FOUR, HIGH_CARD, PAIR, STRAIGHT_FLUSH, ranking_of

ANY_HAND = "any"  # every hand's last name: for a row such as "one pair or less"
LOWEST_OF_SIX_CARD_ROYAL = 9
EIGHT = 8  # the highest card of a low hand that qualifies, PA2010 553.10(j)


def known_names(ranking: str) -> frozenset[str]:
    """Every name that a paytable's row may use under a ranking."""
    order = ranking_of(ranking).order
    found = {*order, ANY_HAND}
    if ranking_of(ranking).low:
        return frozenset({*found, "eight-or-better"})
    found.update(f"{word}-high" for word in RANK_WORDS)
    for value in range(2, ACE + 1):
        found.update(pair_names(value))
        if FOUR in order:
            found.add(four_name(value))
    for suit in SUIT_WORDS.values():
        found.update(_royals(ranking, suit, six=True))
    if ranking.startswith("two-card-bonus"):
        for how in ("suited", "offsuit"):
            for value in range(2, ACE):
                found.update(_ace_names(value, how))
    if ranking == "two-card-bonus-both":
        found.add("aces-against-aces")
    return frozenset(found)


def specific_names(
    ranking: str, category: str, ties: Sequence[int], cards: Sequence[str]
) -> tuple[str, ...]:
    """A made hand's names within its category, most specific first."""
    rules = ranking_of(ranking)
    top = ties[0]
    if rules.low:
        return ("eight-or-better",) if category == HIGH_CARD and -top <= EIGHT else ()
    if category == STRAIGHT_FLUSH:
        royal = top == ACE + bool(rules.wheel)
        return _royals(ranking, _suit(cards), six=_is_six_card_royal(cards)) if royal else ()
    if category == FOUR:
        return (four_name(top),)
    if category == PAIR:
        both = ranking == "two-card-bonus-both" and top == ACE and _all_aces(cards)
        return ("aces-against-aces", *pair_names(top)) if both else pair_names(top)
    if category == HIGH_CARD:
        high = f"{RANK_WORDS[top - 2]}-high"
        if ranking.startswith("two-card-bonus") and top == ACE:
            how = "suited" if cards[0][1] == cards[1][1] else "offsuit"
            return (*_ace_names(ties[1], how), high)
        return (high,)
    return ()


def four_name(value: int) -> str:
    """Four of a kind by rank: "four-aces"."""
    return f"four-{RANK_PLURALS[value - 2]}"


def pair_names(value: int) -> tuple[str, ...]:
    """A pair's names: "pair-of-queens", then "pair-of-queens-or-better" down to the twos."""
    own = f"pair-of-{RANK_PLURALS[value - 2]}"
    return (own, *(f"pair-of-{RANK_PLURALS[low - 2]}-or-better" for low in range(value, 1, -1)))


def _royals(ranking: str, suit: str, *, six: bool) -> tuple[str, ...]:
    """What the highest straight flush is called besides."""
    match ranking:
        case "three-card":
            return (f"mini-royal-{suit}", "mini-royal")
        case "six-card-bonus" if six:
            return (f"six-card-royal-flush-{suit}", "six-card-royal-flush", "royal-flush")
        case "five-card" | "six-card-bonus" | "pai-gow":
            return ("royal-flush",)
    return ()


def _suit(cards: Sequence[str]) -> str:
    return SUIT_WORDS.get(cards[0][1], "")


def _is_six_card_royal(cards: Sequence[str]) -> bool:
    """Whether a hand that holds a royal flush is ace to nine of one suit and nothing else."""
    lowest = min(map(rank_of, cards))
    return len({card[1] for card in cards}) == 1 and lowest == LOWEST_OF_SIX_CARD_ROYAL


def _all_aces(cards: Sequence[str]) -> bool:
    return all(rank_of(card) == ACE for card in cards)


def _ace_names(low: int, how: str) -> tuple[str, ...]:
    """The names of an ace with a lower card (PA2010 563.12(c))."""
    other = RANK_WORDS[low - 2]
    shared = (f"ace-queen-or-jack-{how}",) if other in ("queen", "jack") else ()
    return (f"ace-{other}-{how}", *shared)
