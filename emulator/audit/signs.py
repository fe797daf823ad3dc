"""What the sign of each link must show, now and a while ago.

A frame comes by another way than the answers, and often after them: by then the books are further.
So the last faces of each link are kept, and a frame is compared with the one of its sequence.
"""

from collections import deque
from collections.abc import Callable, Mapping
from typing import NamedTuple

from emulator.audit.books import Link
from emulator.audit.comparing import amount, differing, dollars, status_name
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
