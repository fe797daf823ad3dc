"""What a controller does by the clock, unasked: it reads meters, and notices its own absence."""

from collections.abc import Iterator

from jackpot.core import ledger
from jackpot.core.commands import AnyCommand, Probe, ReadMeters, Request, SuspendAfterAbsence
from jackpot.core.events.operator import LevelReading, MetersRead
from jackpot.core.state import State

_MICROS_PER_HOUR = 3_600_000_000
ABSENCE_MICROS = 24 * _MICROS_PER_HOUR  # the longest after which links stay in service
SIGN_OF_LIFE_MICROS = _MICROS_PER_HOUR  # between entries of a controller that nobody needs
LATE_MICROS = 60_000_000  # after the start of a day: what was read then is not what it began with
READING_LATE = "READING_LATE"
BOX_NOT_COUNTED = "BOX_NOT_COUNTED"


def due(
    state: State, now_micros: int, reading: ReadMeters | None, *, arriving: bool
) -> Iterator[AnyCommand]:
    """What is to be done now; with `reading`, a gaming day has begun that has none yet.

    A controller that runs writes every hour at least, so one that arrives after a longer silence
    knows that there was none. One that is there already knows better: only its clock has jumped.
    """
    if not state.links:
        return
    silent_micros = now_micros - last_there_micros(state)
    if arriving and silent_micros > ABSENCE_MICROS:
        for link in state.links.values():
            if link.status == "in-service":
                yield SuspendAfterAbsence(link.config.id, silent_micros)
    if reading is not None:
        yield reading
    elif silent_micros >= SIGN_OF_LIFE_MICROS:
        yield Probe()


def read_meters(state: State, command: ReadMeters, request: Request) -> MetersRead:
    """Read every meter, and see whether each box was counted on the day that is over."""
    late = request.time_micros - command.due_micros > LATE_MICROS
    return MetersRead(
        command.date,
        command.due_micros,
        tuple(_levels(state)),
        command.missed,
        (*((READING_LATE,) if late or command.missed else ()), *_uncounted(state)),
    )


def _levels(state: State) -> Iterator[LevelReading]:
    balance = state.balances.get
    for link in state.links.values():
        for level in link.config.levels:
            name, intake = ledger.key(link.config.id, level.id), link.intake.get(level.id)
            yield LevelReading(
                name,
                balance(ledger.meter(name), 0),
                balance(ledger.reserve(name), 0),
                balance(ledger.overflow(name), 0),
                intake.wagers if intake else 0,
                link.hit_count,
            )


def last_there_micros(state: State) -> int:
    """When a controller last wrote; that somebody restored a backup since is no sign of one."""
    began = state.incarnation
    restored = began.last_micros and began.common_sequence + 1 == state.sequence
    return began.last_micros if restored else state.time_micros


def _uncounted(state: State) -> Iterator[str]:
    """Boxes with money in them that nobody has counted since the last reading."""
    if not state.last_read:
        return  # counts were not noted by the day before
    for link in state.links:
        for table in state.tables:
            box = ledger.key(link, table)
            if state.balances.get(ledger.box(link, table), 0) and box not in state.boxes_counted:
                yield f"{BOX_NOT_COUNTED} {box}"
