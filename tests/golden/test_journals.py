"""Journals of released versions: today's code must make of them what it made of them then."""

import hashlib
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from jackpot.core.events import AnyEvent, Record
from jackpot.core.evolve import evolve
from jackpot.core.invariants import check
from jackpot.core.state import State

# A released journal is never edited: it stands for what is on a casino's disk.
RELEASED = {1: "d389c0a1f1dffd6489b2146bfa5d1a905734b6d1ce7e9c98b881d0be8b89c1f7"}
HERE = Path(__file__).parent


class Line(msgspec.Struct):
    """A row of a journal."""

    time_micros: int
    record: msgspec.Raw


def lines(version: int) -> list[Line]:
    """The rows of a released journal."""
    text = (HERE / f"journal-v{version}.jsonl").read_bytes()
    return [msgspec.json.decode(line, type=Line) for line in text.splitlines()]


def known(value: Any, like: Any) -> Any:
    """As much of a value as an older version knew: structs may have grown since."""
    if isinstance(value, dict) and isinstance(like, dict):
        return {key: known(value[key], like[key]) for key in like if key in value}
    if isinstance(value, list) and isinstance(like, list) and len(value) == len(like):
        return [known(*pair) for pair in zip(value, like, strict=True)]
    return value


@pytest.mark.parametrize("version", RELEASED)
def test_a_released_journal_gives_the_state_that_it_gave(version: int) -> None:
    """Every row can be read, conservation holds after each, and the end is the same."""
    state = State("golden")
    for sequence, line in enumerate(lines(version), 1):
        evolve(state, msgspec.json.decode(line.record, type=Record), sequence, line.time_micros)
        check(state)
    then = msgspec.json.decode((HERE / f"journal-v{version}.state.json").read_bytes())
    now = msgspec.json.decode(msgspec.json.encode(state))
    assert known(now, then) == then


@pytest.mark.parametrize(("version", "sha256"), RELEASED.items())
def test_a_released_journal_is_never_edited(version: int, sha256: str) -> None:
    """Its bytes are those that were released."""
    data = (HERE / f"journal-v{version}.jsonl").read_bytes()
    assert hashlib.sha256(data).hexdigest() == sha256


def test_the_newest_journal_has_every_kind_of_event() -> None:
    """An event that is added needs a new journal, or later versions would not be held to it."""
    kinds = {msgspec.json.decode(line.record)["event"]["type"] for line in lines(max(RELEASED))}
    assert kinds == {event.__name__ for event in get_args(AnyEvent)}
