"""The same commands make the same journal, byte for byte, whatever becomes of the code."""

import hashlib

import pytest

from jackpot.store import codec
from tests.golden.whole_rounds import House

# By seed and how often a round has trouble: the chain's head, the state, and the answers. Only a
# change that is meant to journal, keep or answer something else may change these.
MADE = {
    (657, 0.08): (
        "b15828d4bef50770635f618d1f2316bb23a4801eaee6861e8ee54c8a164ca76e",
        "bc9e9b07d797ee9c6915c50e10e710ab2931e853fab0b7ed3fc77bca0c774892",
        "38aa780dbb6633038aafb04ade1e5510c1334071de59f7e6c6e6aa05e8f32280",
    ),
    (12, 0.5): (
        "0843aa2d0339aa3178249f410f81af486a3d1ab7d38bf5298c762e217da940d1",
        "6427f196e83189d7836bc664549124f56d84bdde770c2204a4e60f3ee1072c28",
        "ef6804cbee3c53dbddb4fdb3787b91af05fc9b46f97709bc69b37975a0a6c130",
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
