"""Who voided, as reports say it: a person with a credential, the table, or a name it gave."""

import pytest

from jackpot.core.commands.base import OperatorOrigin, Origin, TableOrigin
from jackpot.core.events import Record
from jackpot.core.events.table import RoundVoided, SeatVoided
from jackpot.reports.movements import movements
from jackpot.reports.notable import notable_events

TABLE = TableOrigin("t1", 1, 1)
POSTINGS = (("five/main/meter", -210_000), ("five/players", 210_000))


@pytest.mark.parametrize(
    ("origin", "floorperson", "by"),
    [
        (OperatorOrigin("floor:ann", "id"), "floor:ann", "floor:ann"),
        (TABLE, "", "the table"),
        (TABLE, "Ann", "Ann, named by the table"),
    ],
)
@pytest.mark.parametrize("seat", [0, 3])
def test_a_void_says_who_did_it(origin: Origin, floorperson: str, by: str, seat: int) -> None:
    """In the day's notes, and beside what left the meter."""
    event: RoundVoided | SeatVoided = RoundVoided("t1", 7, "misdeal", floorperson, 1, POSTINGS)
    if seat:
        event = SeatVoided("t1", 7, seat, "misdeal", floorperson, 1, POSTINGS)
    record = Record(origin, event)
    assert [note.by for note in notable_events(1, 1, record)] == [by]
    assert [moved.reference.endswith(f"misdeal, by {by}") for moved in movements(record)] == [True]
