"""The bulk evaluator against the plain one, against eval7, and against known counts."""

import random
import warnings
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from itertools import chain, combinations, islice, permutations

import numpy as np
import pytest

from jackpot.rules import bulk
from jackpot.rules.cards import DECK, CardError
from jackpot.rules.hands import names, rank

PARTS = 4  # so that workers share the long comparison


@cache
def words_in_order(size: int) -> bulk.Words:
    """Every hand of a size as a word, in the order of `combinations`."""
    words = np.array([bulk.word_of((card,)) for card in DECK], dtype=np.uint64)
    chosen = chain.from_iterable(combinations(range(len(DECK)), size))
    columns = words[np.fromiter(chosen, dtype=np.int64).reshape(-1, size)]
    held: bulk.Words = np.bitwise_or.reduce(columns, axis=1)
    return held


def suits_exchanged(hands: bulk.Words, order: Sequence[int]) -> bulk.Words:
    """The same hands with their suits renamed; a suit is 16 bits of a word."""
    suits = hands.view("<u2").reshape(-1, 4)
    renamed: bulk.Words = np.ascontiguousarray(suits[:, order]).view("<u8").reshape(-1)
    return renamed


@cache
def patterns() -> bulk.Words:
    """Of the five-card hands that differ only by the names of their suits, one."""
    suits = np.sort(bulk.all_hands(5).view("<u2").reshape(-1, 4), axis=1)
    return np.unique(suits.view("<u8").reshape(-1))


@pytest.mark.exhaustive
def test_the_names_of_suits_mean_nothing_to_any_five_card_hand() -> None:
    """All 2,598,960 hands keep their full rank when suits are exchanged, in the bulk evaluator."""
    hands = bulk.all_hands(5)
    codes = bulk.ranks("five-card", hands)
    for order in ((1, 0, 2, 3), (1, 2, 3, 0)):  # they make every order of four
        assert np.array_equal(bulk.ranks("five-card", suits_exchanged(hands, order)), codes)


@pytest.mark.exhaustive
def test_both_evaluators_agree_on_every_pattern_of_five_cards() -> None:
    """All 134,459 hands but for the names of suits, each with suits named at random, agree."""
    assert len(patterns()) == 134_459
    draw, orders = random.Random(5), list(permutations(range(4)))
    chosen = np.array([draw.randrange(len(orders)) for _ in patterns()])
    pack = cache(bulk.pack)  # of 7,462 ranks
    for turn, order in enumerate(orders):
        hands = suits_exchanged(patterns()[chosen == turn], order)
        for word, code in zip(hands.tolist(), bulk.ranks("five-card", hands).tolist(), strict=True):
            assert pack(rank("five-card", bulk.cards_of(word))) == code


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_both_evaluators_agree_on_every_five_card_hand(part: int) -> None:
    """All 2,598,960 hands have the same full rank in the plain and the bulk evaluator."""
    codes = bulk.ranks("five-card", words_in_order(5)[part::PARTS]).tolist()
    hands = islice(combinations(DECK, 5), part, None, PARTS)
    pack = cache(bulk.pack)  # of 7,462 ranks
    assert all(
        pack(rank("five-card", cards)) == code for cards, code in zip(hands, codes, strict=True)
    )


@pytest.mark.parametrize(
    ("ranking", "size"),
    [
        ("two-card-bonus", 2),
        ("three-card", 3),
        pytest.param("four-card", 4, marks=pytest.mark.exhaustive),
    ],
)
def test_both_evaluators_agree_on_every_smaller_hand(ranking: str, size: int) -> None:
    """All hands of two, three and four cards have the same full rank in both evaluators."""
    codes = bulk.ranks(ranking, words_in_order(size)).tolist()
    pack = cache(bulk.pack)  # of a few thousand ranks
    for cards, code in zip(combinations(DECK, size), codes, strict=True):
        assert pack(rank(ranking, cards)) == code


@pytest.mark.exhaustive
def test_the_best_four_of_five_is_the_highest_of_five_subsets() -> None:
    """Every five-card hand ranks as the best of the four-card hands in it."""
    hands = bulk.all_hands(5)
    highest = np.zeros(len(hands), dtype=np.int32)
    rest = hands.copy()
    for _ in range(5):
        lowest_card = rest & (~rest + np.uint64(1))
        rest ^= lowest_card
        np.maximum(highest, bulk.ranks("four-card", hands ^ lowest_card), out=highest)
    assert np.array_equal(highest, bulk.ranks("four-card", hands))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(26))
def test_the_best_five_of_six_is_the_highest_of_six_subsets(part: int) -> None:
    """Every one of the 20,358,520 six-card hands ranks as the best five-card hand in it."""
    for hands in islice(bulk.hand_batches(6), part, None, 26):
        highest = np.zeros(len(hands), dtype=np.int32)
        rest = hands.copy()
        for _ in range(6):
            lowest_card = rest & (~rest + np.uint64(1))
            rest ^= lowest_card
            np.maximum(highest, bulk.ranks("five-card", hands ^ lowest_card), out=highest)
        assert np.array_equal(highest, bulk.ranks("six-card-bonus", hands))


@pytest.mark.parametrize(
    ("ranking", "dealt"),
    [("four-card", 5), ("four-card", 6), ("five-card", 6), ("five-card", 7), ("six-card-bonus", 6)],
)
def test_both_evaluators_agree_where_the_best_cards_are_chosen(ranking: str, dealt: int) -> None:
    """Hands chosen from more cards agree too, on a fixed sample rich in flushes and straights."""
    draw = random.Random(f"{ranking} {dealt}")
    decks = (DECK, DECK[:24], tuple(card for card in DECK if card[1] in "cd"))
    deals = [tuple(draw.sample(decks[turn % 3], dealt)) for turn in range(2_000)]
    hands = np.array([bulk.word_of(cards) for cards in deals], dtype=np.uint64)
    for cards, code in zip(deals, bulk.ranks(ranking, hands).tolist(), strict=True):
        assert bulk.pack(rank(ranking, cards)) == code


@pytest.mark.exhaustive
def test_eval7_orders_five_card_hands_the_same_way() -> None:
    """An independent library puts every pattern of five cards in the same order, ties included."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its parser of hand ranges uses old names of pyparsing
        eval7 = import_module("eval7")
    cards = {card: eval7.Card(card) for card in DECK}
    hands = patterns()
    dealt = (map(cards.__getitem__, bulk.cards_of(word)) for word in hands.tolist())
    theirs = np.fromiter((eval7.evaluate(tuple(hand)) for hand in dealt), dtype=np.int64)
    ours = bulk.ranks("five-card", hands).astype(np.int64)
    both = np.unique(ours << 32 | theirs)  # each pair once, in our order; a rank has 24 bits
    assert int(ours.max()) < 2**31
    assert 0 <= int(theirs.min()) <= int(theirs.max()) < 2**32
    assert len(both) == len(np.unique(ours)) == len(np.unique(theirs)) == 7462
    assert bool(np.all(np.diff(both >> 32) > 0))
    assert bool(np.all(np.diff(both & (2**32 - 1)) > 0))


@pytest.mark.parametrize(
    ("ranking", "dealt", "counts"),
    [
        ("five-card", 5, (1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40)),
        ("four-card", 5, (1150080, 1047552, 123552, 101808, 114616, 58656, 2072, 624)),
        ("four-card", 4, (177408, 82368, 2808, 2772, 2816, 2496, 44, 13)),
        ("three-card", 3, (16440, 3744, 1096, 720, 52, 48)),
    ],
)
def test_categories_have_their_known_counts(
    ranking: str, dealt: int, counts: tuple[int, ...]
) -> None:
    """How many hands there are of each category, lowest first."""
    codes = bulk.ranks(ranking, bulk.all_hands(dealt))
    assert tuple(np.bincount(codes >> 20).tolist()) == counts


def test_a_code_tells_its_category() -> None:
    """The category of a packed rank is the one that the plain evaluator names."""
    for cards in (DECK[:5], DECK[-5:], DECK[::4][:5], DECK[::11]):
        code = bulk.pack(rank("five-card", cards))
        assert bulk.category_of("five-card", code) == names("five-card", cards)[-2]


def test_words_and_cards_translate_both_ways() -> None:
    """A word holds exactly the cards that it was made from."""
    for size in range(1, 8):
        cards = DECK[3 : 3 + size]
        assert bulk.cards_of(bulk.word_of(cards)) == cards


@pytest.mark.parametrize("size", range(1, 5))
def test_every_hand_is_enumerated_once(size: int) -> None:
    """All hands of a size appear, none twice."""
    hands = bulk.all_hands(size)
    assert len(np.unique(hands)) == len(hands)
    assert {bulk.cards_of(word) for word in hands[:100].tolist()} <= set(combinations(DECK, size))
    assert bool(np.all(np.bitwise_count(hands) == size))


@pytest.mark.parametrize("ranking", ["pai-gow", "low-hand", "two-card-bonus-both"])
def test_rankings_that_bulk_work_cannot_do_are_refused(ranking: str) -> None:
    """A ranking with a joker, a low one and one of two hands are refused, never guessed."""
    with pytest.raises(CardError, match="not for bulk work"):
        bulk.ranks(ranking, bulk.all_hands(2))
