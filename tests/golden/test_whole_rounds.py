"""The same commands make the same journal, byte for byte, whatever becomes of the code."""

import hashlib

import pytest

from jackpot.store import codec
from tests.golden.whole_rounds import House

# By seed and how often a round has trouble: the chain's head, the state, and the answers. Only a
# change that is meant to journal, keep or answer something else may change these.
MADE = {
    (657, 0.08): (
        "ce5b3a21d1d692d749c4c2401bb7f2bb34761849e6def4f17567449db808b174",
        "3ccc4e7eaecf49b52ac3341a4d6bd1ce8a91cd8a57ce2e2befbd2b81f1a993b8",
        "bc1d7a13eb9e47e11614bb3d503f91af18a7877b0e71674730508700831c2cd3",
    ),
    (12, 0.5): (
        "c023541091c7ea70d4705acf3e2655bec458a66f1fd3bba94251d8f65ea38cfe",
        "592ebe6947f2f8ad03c75c3e9be55e41dd2e4429ab11417f3e4fe8720f72f6b2",
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
