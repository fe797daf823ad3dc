"""Journals of released versions: today's code must make of them what it made of them then."""

import hashlib
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from msgspec.structs import replace

from jackpot.core.events import AnyEvent, Record
from jackpot.core.events.operator import LinkDefined
from jackpot.core.evolve import evolve
from jackpot.core.invariants import check
from jackpot.core.state import State

# A released journal is never edited: it stands for what is on a casino's disk. By the version that
# wrote it, oldest first.
RELEASED = {
    "0.1.0-dev1": "ed1ca7717fdcac8ccd347c2ee067514664fe44a46b4f91b360446fb8efad86b1",
    "0.1.0-dev2": "bd2d04d0790f73eb57b8d47f1279e67fc3167516ba751a30d8f8fb20f71e5f0c",
    "0.1.0": "35aa471340bd66f14ac3f8500d42ab116bacf458c52da4b3b8793dd54b57e7a7",
    "0.2.0-dev1": "b1148f1d32311b07d889540ef5c542449fe24ef83a176f8d6d38ecce73e3b4de",
    "0.2.0-dev2": "fdce7cd8808a1d71dfab2e383b7a5b6044cac30eb36a8c672c476fd5b0f18718",
}
NEWEST = list(RELEASED)[-1]
HERE = Path(__file__).parent


class Line(msgspec.Struct):
    """A row of a journal."""

    time_micros: int
    record: msgspec.Raw


def lines(version: str) -> list[Line]:
    """The rows of a released journal."""
    text = (HERE / f"journal-{version}.jsonl").read_bytes()
    return [msgspec.json.decode(line, type=Line) for line in text.splitlines()]


def known(value: Any, like: Any) -> Any:
    """As much of a value as an older version knew: structs may have grown since."""
    if isinstance(value, dict) and isinstance(like, dict):
        return {key: known(value[key], like[key]) for key in like if key in value}
    if isinstance(value, list) and isinstance(like, list) and len(value) == len(like):
        return [known(*pair) for pair in zip(value, like, strict=True)]
    return value


@pytest.mark.parametrize("version", RELEASED)
def test_a_released_journal_gives_the_state_that_it_gave(version: str) -> None:
    """Every row can be read, conservation holds after each, and the end is the same."""
    state = State("golden")
    for sequence, line in enumerate(lines(version), 1):
        evolve(state, msgspec.json.decode(line.record, type=Record), sequence, line.time_micros)
        check(state)
    then = msgspec.json.decode((HERE / f"journal-{version}.state.json").read_bytes())
    now = msgspec.json.decode(msgspec.json.encode(state))
    assert known(now, then) == then


def test_a_replay_never_asks_for_rates() -> None:
    """With every rate, seed and paytable changed, the journal comes to the same money."""
    states = State("golden"), State("golden")
    for sequence, line in enumerate(lines(NEWEST), 1):
        record = msgspec.json.decode(line.record, type=Record)
        evolve(states[0], record, sequence, line.time_micros)
        if isinstance(record.event, LinkDefined):
            link = record.event.link
            levels = tuple(
                replace(level, primary_bps=1, reserve_bps=2, seed_micros=3, reseed_micros=4)
                for level in link.levels
            )
            bets = tuple(replace(bet, paytable=(), envy=()) for bet in link.bets)
            changed = LinkDefined(replace(link, levels=levels, bets=bets, wager_micros=5))
            record = replace(record, event=changed)
        evolve(states[1], record, sequence, line.time_micros)
    assert states[0].balances == states[1].balances
    assert states[0].payouts == states[1].payouts
    assert states[0].tables == states[1].tables


@pytest.mark.parametrize(("version", "sha256"), RELEASED.items())
def test_a_released_journal_is_never_edited(version: str, sha256: str) -> None:
    """Its bytes are those that were released."""
    data = (HERE / f"journal-{version}.jsonl").read_bytes()
    assert hashlib.sha256(data).hexdigest() == sha256


def test_the_newest_journal_has_every_kind_of_event() -> None:
    """An event that is added needs a new journal, or later versions would not be held to it."""
    kinds = {msgspec.json.decode(line.record)["event"]["type"] for line in lines(NEWEST)}
    assert kinds == {event.__name__ for event in get_args(AnyEvent)}
