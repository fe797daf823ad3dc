"""The same commands make the same journal, byte for byte, whatever becomes of the code."""

import hashlib

import pytest

from jackpot.store import codec
from tests.golden.whole_rounds import House

# By seed and how often a round has trouble: the chain's head, the state, and the answers. Only a
# change that is meant to journal, keep or answer something else may change these.
MADE = {
    (657, 0.08): (
        "09662916255c9afa3f70845d9b0237dd2a5996f3afce5367df701e8c88095eac",
        "46d97cebbcffbfbc16c92b4f9dc03f326171a3e8d363199362d5255038c9c8e0",
        "2a705d803f1e2894b0e2e3a3b6da14e6ffa32622a92d923af932866666e6de7e",
    ),
    (12, 0.5): (
        "935119a6078b998c1ca573970c54ffb50e181ae3dbc7fa6844c3d6d2df55fe71",
        "2227806088f1b7c4fb2908de0ec1e4cbcd853d3cb170092bc08bd357944d16e0",
        "3120d7703cc87514f422f14dee0a88dd6c5451eb6ceec052eeb57a0eae2a636d",
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
