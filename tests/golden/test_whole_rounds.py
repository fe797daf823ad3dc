"""The same commands make the same journal, byte for byte, whatever becomes of the code."""

import hashlib

import pytest

from jackpot.store import codec
from tests.golden.whole_rounds import House

# By seed and how often a round has trouble: the chain's head, the state, and the answers. Only a
# change that is meant to journal, keep or answer something else may change these.
MADE = {
    (657, 0.08): (
        "f4772805fab819868ee146fa5376f4c376e34a3894a6f55136058476d2123183",
        "5436c9079883b6d292b7c224ac6179d84a0f0da0648d62474d926b488da7ed3b",
        "4c4609b2df4710428e3ad32dc3fcb9b3be37fc29adee75c53139e1468ab7da6e",
    ),
    (12, 0.5): (
        "3b059a16ddb50d646b440dd2a9768e9cc41b7d01ce60575c43c14c9d1450e4fa",
        "a7cdb9a98d9c61ad51f7babc878a3d827900a9c4795d9bac58631d2ab8a3415b",
        "68fa48d5b0fd4a1075f11e18d81ddd2d3b0fa685258bb0c94a2f5f3171336fd0",
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
