"""The same commands make the same journal, byte for byte, whatever becomes of the code."""

import hashlib

import pytest

from jackpot.store import codec
from tests.golden.whole_rounds import House

# By seed and how often a round has trouble: the chain's head, the state, and the answers. Only a
# change that is meant to journal, keep or answer something else may change these.
MADE = {
    (657, 0.08): (
        "957fcaef7590109028c1ea1a1c107f7aa2310b62c9d863195efa44ca2da777d0",
        "3be74c1b12998457c73d8e49c1cde05dfae2f46df22c687f6a311b391bf6fbab",
        "4c4609b2df4710428e3ad32dc3fcb9b3be37fc29adee75c53139e1468ab7da6e",
    ),
    (12, 0.5): (
        "ee1567be99683bc1b48eadc34516aa8711ce1989cc1b0933ec9e3e2ec56049e4",
        "5dce36e89d777f658274610f271e9df95fda91126e63d62d6b04366d20c4096b",
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
