"""Every alarm that there is, and the board on which all of them are raised.

A raised alarm is logged and counted once, and listed for whoever asks: the operator page, the API,
the metrics. Some alarms stand until what caused them is over; others say what happened.
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Iterable
from enum import Enum
from operator import attrgetter
from typing import Any, Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from jackpot.core.config import Level
from jackpot.core.events import AnyEvent
from jackpot.core.events.operator import (
    Approval,
    BoxCounted,
    IncarnationBegun,
    MetersRead,
    ParametersChanged,
)
from jackpot.core.events.table import (
    CollectionConfirmed,
    LostRange,
    RoundLocked,
    RoundSettled,
    RoundVoided,
    SeatVoided,
    TableAttached,
)
from jackpot.core.money import dollars, rate_text
from jackpot.engine.messages import CommittedBatch, JournaledAnswer

KEPT = 250  # alarms about what happened; a restore has one for each table
Saying = (
    RoundLocked
    | CollectionConfirmed
    | RoundSettled
    | ParametersChanged
    | MetersRead
    | BoxCounted
    | IncarnationBegun
    | TableAttached
)
SAYING = frozenset({*get_args(Saying), RoundVoided, SeatVoided})  # the events that may carry some
Severity = Literal["critical", "warning"]
_LEVELS = {"critical": logging.CRITICAL, "warning": logging.WARNING}
_log = logging.getLogger(__name__)


class AlarmKind(Enum):
    """The closed list: how urgent each is, and its text. docs/operate/alarms.md says what to do.

    The API has the same list: `AlarmKind` in alarm.proto.
    """

    SITE_HALTED = ("critical", "site {site} is halted: {why}")
    NOT_SERVING = ("critical", "the controller takes no commands")
    TABLE_SILENT = ("warning", "{table} has sent nothing {heard}; its round {round} is {phase}")
    PAYOUT_LATE = ("warning", "payout {payout} at {table} has been {state} for {minutes} min")
    LOW_METER = (
        "warning",
        "{table}, round {round}: meter {about} was won while it held less than a tenth of its seed",
    )
    BOX_DIFFERENCE = (
        "warning",
        "Bad Beat box {about}: ${counted} was counted, but the record says ${recorded}",
    )
    CLOCK_BEHIND = ("warning", "the controller's clock is {seconds} s behind the journal")
    CLOCK_JUMPED = ("warning", "the controller's clock has jumped ahead by {seconds} s")
    LATE_VOID = (
        "warning",
        (
            "{about}, round {round}: {by} voided {what} after lock-out; late voids at this table: "
            "{count}"
        ),
    )
    FRONT_LOST = ("warning", "{process} stopped unexpectedly and is being restarted: {why}")
    RESTORED = (
        "critical",
        "{by} restored a backup ({why}); every journal entry after {common} is lost",
    )
    TABLE_ROLLED_BACK = (
        "critical",
        "{table} knows of entries {first} to {last}, which the journal lost in a restore; {round}",
    )
    WITNESS_FAILED = ("critical", "the witness can't be written: {why}")
    DISPLAY_FROZEN = (
        "warning",
        "{about}: signs are frozen at ${largest}, the most they can show; the meter is ${meter}",
    )
    UNREASONABLE_CONTRIBUTION = (
        "warning",
        "{about}: more than {most} wagers in a minute, which is more than its tables can place",
    )
    RATE_CHANGED = (
        "warning",
        (
            "for accounting: the rates of {about} change from {before} to {after} when its link "
            "resumes ({people})"
        ),
    )
    FUNDS_WAITING = (
        "warning",
        "{about} has been out of service for {days} days and still holds ${held} of players' money",
    )
    READING_LATE = (
        "warning",
        "the meters of gaming day {date} were read {late} after the day began; {missed}",
    )
    CONTROLLER_AWAY = (
        "critical",
        (
            "{about} is suspended: it had no controller for {hours} h; check its meters, "
            "then resume it"
        ),
    )
    BOX_NOT_COUNTED = (
        "warning",
        "Bad Beat box {about} was not counted on the gaming day before {date}",
    )

    def __init__(self, severity: Severity, text: str) -> None:
        self.severity = severity
        self.text = text


class Alarm(Struct, frozen=True):
    """Something that the floor should look into; without a site, it is about all of them."""

    kind: AlarmKind
    text: str
    time_micros: int
    site: str = ""
    about: str = ""  # what tells it from others of its kind that stand: a table, a payout
    sequence: int = 0  # the journal's entry that says it; 0: none


def alarm(
    kind: AlarmKind, time_micros: int = 0, site: str = "", about: object = "", **details: object
) -> Alarm:
    """An alarm with its text; without a time, of this moment."""
    text = kind.text.format(site=site, about=about, **details)
    return Alarm(kind, text, time_micros or time.time_ns() // 1_000, site, str(about))


_time = attrgetter("time_micros")


class AlarmBoard:
    """The alarms of one controller. Writers raise from their own threads."""

    def __init__(self) -> None:
        self.since_micros = time.time_ns() // 1_000
        self.raised: Counter[AlarmKind] = Counter()
        self._happened: list[Alarm] = []  # oldest first
        self._standing: dict[str, dict[tuple[AlarmKind, str], Alarm]] = {}
        self._lock = threading.Lock()

    def sound(self, raised: Alarm) -> None:
        """Raise an alarm about something that happened."""
        with self._lock:
            self._happened = _kept([*self._happened, raised])
        self._tell(raised)

    def stand(self, where: str, found: Iterable[Alarm]) -> None:
        """Say which alarms stand somewhere now: new ones are raised, missing ones are over."""
        now = {(each.kind, each.about): each for each in found}
        with self._lock:
            before = self._standing.get(where, {})
            for key in now.keys() & before.keys():
                since_micros = min(now[key].time_micros, before[key].time_micros)
                now[key] = replace(now[key], time_micros=since_micros)
            self._standing[where] = now
        for key, each in now.items():
            if key not in before:
                self._tell(each)
        for key in before.keys() - now.keys():
            _log.warning("alarm %s is over: %s", before[key].kind.name, before[key].text)

    def observe(self, commit: CommittedBatch) -> None:
        """Raise what the events of a commit say."""
        for kind in commit.events.keys() & SAYING:
            for site, committed in commit.events[kind]:
                # Nearly all settlements have nothing to say; what has no list says something.
                if getattr(committed.event, "alarms", True):
                    self.journaled(site, committed)

    def journaled(self, site: str, committed: JournaledAnswer, *, old: bool = False) -> None:
        """Take in what an entry says, once; an old one is listed, and not raised again."""
        found = [
            replace(each, site=site, sequence=committed.sequence)
            for each in _said(committed.event, committed.time_micros)
        ]
        if not found:
            return
        with self._lock:
            if [a for a in self._happened if a.sequence == committed.sequence and a.site == site]:
                return
            # A table that voids again and again takes one place, with its count.
            voids = {(site, each.about) for each in found if each.kind is AlarmKind.LATE_VOID}
            before = [
                each
                for each in self._happened
                if each.kind is not AlarmKind.LATE_VOID or (each.site, each.about) not in voids
            ]
            self._happened = _kept([*before, *found])
        for each in found if not old else ():
            self._tell(each)

    def alarms(self, site: str) -> list[Alarm]:
        """A site's alarms, critical ones first; of each severity what stands, then the newest."""
        with self._lock:
            standing = [each for where in self._standing.values() for each in where.values()]
            every = [*standing, *reversed(self._happened)]
        every.sort(key=lambda each: not _critical(each))
        return [each for each in every if each.site in ("", site)]

    def _tell(self, raised: Alarm) -> None:
        self.raised[raised.kind] += 1
        level = _LEVELS[raised.kind.severity]
        _log.log(level, "alarm %s: %s", raised.kind.name, raised.text)


def _critical(found: Alarm) -> bool:
    return found.kind.severity == "critical"


def _kept(happened: list[Alarm]) -> list[Alarm]:
    """Those that are kept, oldest first: no critical one goes before all warnings have gone."""
    by_worth = sorted(happened, key=lambda each: (_critical(each), each.time_micros))
    return sorted(by_worth[-KEPT:], key=_time)


def _said(event: AnyEvent, time_micros: int) -> Iterable[Alarm]:
    """The alarms that an event carries: the core writes a kind's name, and what it is about."""
    if isinstance(event, RoundVoided | SeatVoided) and event.late_voids:
        yield alarm(
            AlarmKind.LATE_VOID,
            time_micros,
            about=event.table,
            what=f"seat {event.seat}" if isinstance(event, SeatVoided) else "all hands",
            round=event.number,
            by=event.floorperson or "the table",
            count=event.late_voids,
        )
    if not isinstance(event, Saying):
        return
    details = _details(event, time_micros)
    for said in event.alarms:
        name, about, most, *_ = *said.split(" "), "", ""
        yield alarm(AlarmKind[name], time_micros, about=about, **details, most=most)


def _details(event: Saying, time_micros: int) -> dict[str, Any]:
    """What the texts of an event's alarms mention."""
    match event:
        case RoundSettled():
            return {"table": event.table, "round": event.number}
        case BoxCounted():
            counted, recorded = dollars(event.counted_micros), dollars(event.recorded_micros)
            return {"table": event.table, "counted": counted, "recorded": recorded}
        case ParametersChanged(before=Level() as before):
            after = next(each for each in event.config.levels if each.id == event.level)
            by = _people(event.approval)
            return {"before": rates_text(before), "after": rates_text(after), "people": by}
        case MetersRead():
            missed = f"{event.missed} earlier days have no reading"
            return {
                "date": event.date,
                "late": _hours(time_micros - event.due_micros),
                "missed": missed if event.missed else "no earlier day is missing",
            }
        case IncarnationBegun():
            common = f"{event.common_sequence:,}"
            return {"by": event.by, "why": event.reason, "common": common}
        case TableAttached(lost=LostRange() as lost):
            at = (
                f"the table was at round {lost.round}"
                if lost.round
                else "the table had no round under way"
            )
            return {
                "table": event.table,
                "first": f"{lost.first:,}",
                "last": f"{lost.last:,}",
                "round": at,
            }
    return {}


def rates_text(level: Level) -> str:
    """A level's rates in words."""
    return f"primary {rate_text(level.primary_bps)}, reserve {rate_text(level.reserve_bps)}"


def _people(approval: Approval | None) -> str:
    people = (approval.proposer, approval.approver) if approval else ()
    return " and ".join(filter(None, people)) or "no names recorded"


def _hours(micros: int) -> str:
    minutes = micros // 60_000_000
    return f"{minutes // 60} h {minutes % 60} min"
