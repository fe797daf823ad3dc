"""Events that are said to move no meter don't: after them nobody looks for new frames."""

import msgspec
import pytest
from msgspec.structs import replace

from jackpot.core.events import AnyEvent, Record
from jackpot.core.evolve import evolve
from jackpot.core.state import State
from jackpot.engine.meter_board import MeterFrame, frame_of, moves_meters
from tests.golden.test_journals import RELEASED, lines


def faces(state: State) -> list[MeterFrame]:
    """What all signs of a site show, whenever that is."""
    frames = [frame_of(state, link) for link in state.links.values()]
    return [replace(frame, sequence=0, time_micros=0) for frame in frames]


@pytest.mark.parametrize("version", RELEASED)
def test_a_quiet_event_changes_no_frame(version: str) -> None:
    """Of all events of a released journal, which has every kind that there was."""
    state, quiet, before = State("golden"), set[type[AnyEvent]](), list[MeterFrame]()
    for sequence, line in enumerate(lines(version), 1):
        record = msgspec.json.decode(line.record, type=Record)
        evolve(state, record, sequence, line.time_micros)
        after = faces(state)
        if not moves_meters(record.event):
            assert after == before, (sequence, record.event)
            quiet.add(type(record.event))
        before = after
    assert len(quiet) > 10
