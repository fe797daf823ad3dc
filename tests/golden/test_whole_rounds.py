"""The same commands make the same journal, byte for byte, whatever becomes of the code."""

import hashlib

import pytest

from jackpot.store import codec
from tests.golden.whole_rounds import House

# By seed and how often a round has trouble: the chain's head, the state, and the answers. Only a
# change that is meant to journal, keep or answer something else may change these.
MADE = {
    (657, 0.08): (
        "033e355775de831923feb4eb353fbbed478e55d8ae4372bdfd8db66e86403ff9",
        "3f1b4b07f05abea916c17d02457f377f42c30f60579bee7341e2f504f3c16e29",
        "bc1d7a13eb9e47e11614bb3d503f91af18a7877b0e71674730508700831c2cd3",
    ),
    (12, 0.5): (
        "49649b5aba117444e4c63595be224d501adfdeb33dbdc3927b27d55f15dbe908",
        "aa72d3af45aa09cddb59592f35b950bac2de2f6aa721dae0f2e0c964b3169f04",
        "464aed9787299a1614a2d489fa567f0948b244540e2167f877d634ee53a8a75f",
    ),
}


@pytest.mark.parametrize(("seed", "trouble"), MADE)
def test_whole_rounds_make_the_journal_that_they_made(seed: int, trouble: float) -> None:
    """Entries, their chain, the state and every answer are what they were."""
    house = House(seed, trouble=trouble).play(60)
    snapshot = codec.encode_state(house.replica.state)
    state = hashlib.sha256(snapshot.state).hexdigest()
    made = house.replica.head.hash.hex(), state, house.answers.hexdigest()
    assert made == MADE[seed, trouble]
