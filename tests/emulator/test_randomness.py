import os
import subprocess
import sys
from collections import Counter
from itertools import permutations
from math import sqrt

import pytest

from jackpot.rules.cards import DECK, deck
from table_client.table.randomness import RandomStream, seeded, stream, unpredictable


def chi_square_z(observed: list[int], expected: float, freedom: int, scale: float = 1) -> float:
    """How many standard deviations a chi-square statistic is from its mean."""
    statistic = scale * sum((count - expected) ** 2 / expected for count in observed)
    return (statistic - freedom) / sqrt(2 * freedom)


def positions_z(shuffles: int, source: RandomStream) -> float:
    """The z of every card's count in every place of a shuffled deck."""
    counts = Counter[tuple[int, str]]()
    for _ in range(shuffles):
        counts.update(enumerate(source.shuffled(DECK)))
    size = len(DECK)
    observed = [counts[place, card] for place in range(size) for card in DECK]
    # Rows and columns are fixed, as in a Latin square: (n-1)^2 degrees, and the sum shrinks so.
    return chi_square_z(observed, shuffles / size, (size - 1) ** 2, (size - 1) / size)


def test_a_seeded_shuffle_is_uniform_in_every_place() -> None:
    """Every card is as often in every place, by a chi-square test on 2,601 degrees of freedom."""
    assert abs(positions_z(6_000, seeded("uniform"))) < 4


def test_an_unpredictable_shuffle_is_uniform_in_every_place() -> None:
    """The cryptographic source passes the same test, with room for one chance in a billion."""
    assert abs(positions_z(3_000, unpredictable())) < 6.5


def test_the_uniformity_test_finds_a_biased_shuffle() -> None:
    """A shuffle that swaps every card with any card is a known mistake; the test rejects it."""

    class Naive(RandomStream):
        def shuffled(self, cards: object) -> list[str]:
            assert isinstance(cards, tuple)
            stack = list(cards)
            for place in range(len(stack)):
                other = self.below(len(stack))
                stack[place], stack[other] = stack[other], stack[place]
            return stack

    source = seeded("biased")
    naive = Naive(lambda: source.below(1 << 32).to_bytes(4, "big"))
    assert positions_z(3_000, naive) > 10


def test_every_order_of_five_cards_is_equally_likely() -> None:
    """All 120 orders appear alike, so that no card depends on another."""
    source = seeded("orders")
    cards = DECK[:5]
    counts = Counter(tuple(source.shuffled(cards)) for _ in range(24_000))
    observed = [counts[order] for order in permutations(cards)]
    assert len(counts) == 120
    assert abs(chi_square_z(observed, 200, 119)) < 4


def test_draws_at_the_edge_of_a_word_are_drawn_again() -> None:
    """A word past the last whole multiple of the bound is not used; the one before it is."""
    words = iter([(1 << 32) - 1, (1 << 32) - 2, 5])
    source = RandomStream(lambda: next(words).to_bytes(4, "big"))
    # 2^32 = 3 * 1431655765 + 1: only the very last word is past the multiple.
    assert source.below(3) == ((1 << 32) - 2) % 3
    assert source.below(3) == 5 % 3


@pytest.mark.parametrize("bound", [0, -1, (1 << 32) + 1])
def test_a_bound_that_no_word_can_serve_is_refused(bound: int) -> None:
    """A bound below 1 or above a word's values is a mistake of the caller."""
    with pytest.raises(ValueError, match="below a bound"):
        seeded("x").below(bound)


@pytest.mark.parametrize("bound", [1, 1 << 32])
def test_the_smallest_and_the_largest_bound_are_served(bound: int) -> None:
    """A bound of one always gives zero; a whole word is its own draw."""
    assert 0 <= seeded("x").below(bound) < bound


def test_a_seed_gives_these_cards_for_ever() -> None:
    """The first cards of a seed are fixed: a change here would break every stored replay."""
    shuffled = seeded("1", "table-1", "shuffle", 1).shuffled(sorted(deck(joker=True)))
    assert " ".join(shuffled[:10]) == GOLDEN
    assert sorted(shuffled) == sorted(deck(joker=True))


GOLDEN = "3s 9c 7s Ah Ts 6s 4s 9h 2s Jc"


@pytest.mark.process
def test_another_process_deals_the_same_cards() -> None:
    """A seed's shuffle depends on nothing in the process, hash randomisation included."""
    code = (
        "from table_client.table.randomness import seeded\n"
        "print(*seeded('s', 7).shuffled('abcdefghij'))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for hash_seed in ("1", "2")
    }
    assert outputs == {" ".join(seeded("s", 7).shuffled("abcdefghij"))}


def test_labels_do_not_run_together() -> None:
    """Labels that spell the same text name different streams."""
    assert seeded("ab", "c").shuffled(DECK) != seeded("a", "bc").shuffled(DECK)


def test_without_a_seed_shuffles_differ() -> None:
    """An empty seed asks for the cryptographic source: no two shuffles are alike."""
    assert stream("", "t", 1).shuffled(DECK) != stream("", "t", 1).shuffled(DECK)
