"""How long each sign goes on showing what the journal no longer says.

A sign is one link at one controller. Its age begins when anybody is told a sequence at which the
journal had moved on from what the sign shows; it ends with a frame of that sequence or a later one,
or when the journal comes back to what is shown. Time in which a sign can't be expected to change is
left out; whoever watches the controllers says when that is. Times come from outside, in seconds.
"""

from collections import defaultdict, deque
from collections.abc import Callable
from typing import NamedTuple

from emulator.audit.signs import Face, face_told
from jackpot.wire.v1 import meter_pb2


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
