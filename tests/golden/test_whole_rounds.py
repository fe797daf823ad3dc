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
        "2129026c8c38c273be8f7774a70ffb7bb7971b047afc4e5ffe82a10647ce3165",
        "4c4609b2df4710428e3ad32dc3fcb9b3be37fc29adee75c53139e1468ab7da6e",
    ),
    (12, 0.5): (
        "3b059a16ddb50d646b440dd2a9768e9cc41b7d01ce60575c43c14c9d1450e4fa",
        "8aad71d5a8d8c903eac41bf790cd8d1b7c12161aeea5d15dc3a45f98a50a2f8e",
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
