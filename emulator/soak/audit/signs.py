"""Check what every sign shows, and for how long it shows what the journal no longer says.

A frame comes by another way than the answers, and often after them: by then the books are further.
So the last faces of each link are kept, and a frame is compared with the one of its sequence.

A sign is one link at one controller. Its age begins when anybody is told a sequence at which the
journal had moved on from what the sign shows; it ends with a frame of that sequence or a later one,
or when the journal comes back to what is shown. Time in which a sign can't be expected to change is
left out; whoever watches the controllers says when that is. Times come from outside, in seconds.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from typing import NamedTuple

from emulator.soak.audit.books import Link
from emulator.soak.audit.comparing import amount, differing, dollars, status_name
from jackpot.wire.v1 import meter_pb2

KEPT = 1_000  # faces of a link; a frame that comes later than that can't be compared


class Face(NamedTuple):
    """What a sign shows of a link."""

    status: str
    hits: int
    meters: tuple[tuple[str, int], ...]  # level, micros; by level


class Signs:
    """The faces of all links of a site."""

    def __init__(self, links: Mapping[str, Link]) -> None:
        self._links = links
        self.on_change: Callable[[int, str, Face], None] | None = None  # sequence, link, new face
        self._faces = {name: deque([(0, _face(link))], KEPT) for name, link in links.items()}

    def keep(self, sequence: int) -> None:
        """Note the links that have changed at a sequence."""
        for name, link in self._links.items():
            faces, face = self._faces[name], _face(link)
            if face != faces[-1][1]:
                faces.append((sequence, face))
                if self.on_change:
                    self.on_change(sequence, name, face)

    def is_kept(self, told: meter_pb2.LinkMeters) -> bool:
        """Whether it is still known what a frame had to show."""
        faces = self._faces.get(told.link)
        return faces is None or faces[0][0] <= told.sequence

    def frame(self, told: meter_pb2.LinkMeters) -> str:
        """What differs from the link as it stood at the frame's sequence."""
        if told.link not in self._faces:
            return f"there is no link {told.link!r}"
        faces = reversed(self._faces[told.link])
        return _compare(told, next(face for since, face in faces if since <= told.sequence))

    def behind(self, shown: Mapping[str, meter_pb2.LinkMeters]) -> str:
        """What the newest frames don't show of the links as they stand now."""
        if dark := self._links.keys() - shown.keys():
            return f"no sign ever showed {', '.join(sorted(dark))}"
        stale = (_compare(shown[name], faces[-1][1]) for name, faces in self._faces.items())
        found = "; ".join(filter(None, stale))
        return f"signs stand still: {found}" if found else ""


def _face(link: Link) -> Face:
    meters = ((name, level.meter) for name, level in link.levels.items())
    return Face(link.status, link.hits, tuple(sorted(meters)))


def face_told(told: meter_pb2.LinkMeters) -> Face:
    """The face that a frame has."""
    meters = sorted((meter.level, meter.amount_micros) for meter in told.meters)
    return Face(status_name(told.status), told.hit_count, tuple(meters))


def faces_differ(shown: Face | None, right: Face) -> str:
    """What a sign shows and must show, where that is not the same."""
    if shown is None:
        return "it shows nothing"
    must = dict(right.meters)
    found = [
        ("status", shown.status, right.status),
        ("hits", shown.hits, right.hits),
        *((f"{lv} meter", dollars(m), dollars(must.get(lv, 0))) for lv, m in shown.meters),
    ]
    return ", ".join(f"{name} {is_}, must be {to}" for name, is_, to in found if is_ != to)


def _compare(told: meter_pb2.LinkMeters, must: Face) -> str:
    meters = dict(must.meters)
    found = [
        ("status", status_name(told.status), must.status),
        ("hit count", told.hit_count, must.hits),
        ("levels", sorted(meter.level for meter in told.meters), sorted(meters)),
        *(
            (f"{m.level} meter", amount(m.amount_micros), amount(meters[m.level]))
            for m in told.meters
            if m.level in meters
        ),
    ]
    return differing(f"sign of {told.link}", found)


class Pauses:
    """When a controller's signs could not be expected to change."""

    def __init__(self) -> None:
        self._past: list[tuple[float, float]] = []
        self._since_s: float | None = None

    def set(self, from_s: float, to_s: float, *, paused: bool) -> None:
        """It was found paused, or not, at `to_s`; the look before that was at `from_s`."""
        if paused and self._since_s is None:
            self._since_s = from_s
        elif not paused and self._since_s is not None:
            self._past.append((self._since_s, to_s))
            self._since_s = None

    def within_s(self, from_s: float, to_s: float) -> float:
        """How much of a span was paused."""
        total_s = 0.0 if self._since_s is None else max(0.0, to_s - max(from_s, self._since_s))
        for began_s, ended_s in reversed(self._past):
            if ended_s <= from_s:
                break
            total_s += max(0.0, min(to_s, ended_s) - max(from_s, began_s))
        return total_s


class Stale(NamedTuple):
    """A sign that showed for too long what the journal no longer said."""

    place: int  # of its controller
    link: str
    sequence: int  # at which the journal had moved on
    age_s: float
    shown: Face | None  # None: nothing yet
    right: Face


class _Change(NamedTuple):
    sequence: int
    since_s: float
    face: Face


class _Sign:
    """What one sign was sent, and what it has yet to show."""

    def __init__(self) -> None:
        self.shown: Face | None = None
        self.frames: deque[tuple[int, float]] = deque()  # sequence, when; not older than the audit
        self.waiting: deque[_Change] = deque()


class SignAges:
    """The ages of all signs of a site, at all of its controllers."""

    def __init__(
        self, controllers: int, limit_s: float, note: Callable[[int, float], None]
    ) -> None:
        """`note` is told the controller's place and the age of every change that came to a sign."""
        self.limit_s = limit_s
        self.pauses = [Pauses() for _ in range(controllers)]
        self.stale: Stale | None = None  # the first that took too long and is over
        self._note = note
        self._reached: deque[tuple[int, float]] = deque()  # sequences, each when first known
        self._signs: defaultdict[tuple[int, str], _Sign] = defaultdict(_Sign)
        self._changes: dict[str, tuple[int, Face]] = {}  # the last of each link

    def start_over(self) -> None:
        """A backup was restored: what signs show, and what they must, counts anew."""
        self._reached.clear()
        self._signs.clear()
        self._changes.clear()

    def reached(self, sequence: int, at_s: float) -> None:
        """Somebody was told of a sequence that is higher than any before."""
        self._reached.append((sequence, at_s))

    def frame(self, place: int, told: meter_pb2.LinkMeters, at_s: float) -> None:
        """A sign was sent a frame."""
        sign, face = self._signs[place, told.link], face_told(told)
        while sign.waiting and sign.waiting[0].sequence <= told.sequence:
            self._shown(place, told.link, sign, sign.waiting.popleft(), at_s)
        sign.shown = face
        sign.frames.append((told.sequence, at_s))
        sequence, right = self._changes.get(told.link, (0, face))
        if not sign.waiting and told.sequence < sequence and face != right:
            sign.waiting.append(_Change(sequence, at_s, right))  # it has gone back

    def changed(self, sequence: int, link: str, face: Face) -> None:
        """The audit has come to a sequence at which a link's face changed."""
        while len(self._reached) > 1 and self._reached[0][0] < sequence:
            self._reached.popleft()
        self._changes[link] = sequence, face
        change = _Change(sequence, self._reached[0][1], face)
        for place in range(len(self.pauses)):
            sign = self._signs[place, link]
            while sign.frames and sign.frames[0][0] < sequence:
                sign.frames.popleft()
            if sign.frames:
                self._shown(place, link, sign, change, sign.frames[0][1])
            elif sign.shown == face:
                while sign.waiting:
                    self._shown(place, link, sign, sign.waiting.popleft(), change.since_s)
            else:
                sign.waiting.append(change)

    def oldest(self, now_s: float) -> Stale | None:
        """The oldest of the signs that are past the limit, now or earlier."""
        if self.stale:
            return self.stale
        waiting = [
            self._judged(place, link, sign, sign.waiting[0], now_s)
            for (place, link), sign in self._signs.items()
            if sign.waiting
        ]
        oldest = max(waiting, key=lambda stale: stale.age_s, default=None)
        return oldest if oldest and oldest.age_s > self.limit_s else None

    def _shown(self, place: int, link: str, sign: _Sign, change: _Change, at_s: float) -> None:
        judged = self._judged(place, link, sign, change, at_s)
        self._note(place, judged.age_s)
        if judged.age_s > self.limit_s and not self.stale:
            self.stale = judged

    def _judged(self, place: int, link: str, sign: _Sign, change: _Change, at_s: float) -> Stale:
        span_s = at_s - change.since_s
        age_s = max(0.0, span_s - self.pauses[place].within_s(change.since_s, at_s))
        return Stale(place, link, change.sequence, age_s, sign.shown, change.face)
