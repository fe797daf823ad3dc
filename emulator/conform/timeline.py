"""What a client under test did, and what it was told, in order."""

import time
from collections.abc import Sequence
from typing import NamedTuple

from jackpot.wire.v1 import table_pb2 as pb

Lamp = tuple[int, str]  # seat and bet


class Seen(NamedTuple):
    """One thing that passed the wire. An answer is seen when it has left for the client."""

    at_s: float
    # "attach", "attached", "command", "answer", "refused", "lamps", "call", "asks", "floor",
    # "hindered"
    what: str
    epoch: int = 0
    number: int = 0
    kind: str = ""  # of a command, such as "place_wagers"; of a call, its method
    content: bytes = b""
    reason: str = ""  # of a refusal; empty if the call broke
    again: bool = False  # the answer asks for the same command once more
    lamps: frozenset[Lamp] = frozenset()
    request_id: str = ""
    sequence: int = 0  # of an answer: its place in the journal
    round: int = 0  # that an answer has opened
    incarnation: str = ""  # of the journal that a client has attached to
    acknowledged: pb.Acknowledged | None = None  # what a client says it was told, as it attaches


class Timeline:
    """Everything seen so far."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self._began_s = time.monotonic()

    def note(self, what: str, **about: object) -> None:
        """Put something at the end."""
        at_s = round(time.monotonic() - self._began_s, 3)
        self.seen.append(Seen(at_s, what, **about))  # type: ignore[arg-type]  # as Seen has them

    def since(self, mark: int) -> list[Seen]:
        """What came after a place in the timeline."""
        return self.seen[mark:]


def commands(seen: Sequence[Seen], *kinds: str) -> list[Seen]:
    """The commands that a client sent, or those of some kinds."""
    return [one for one in seen if one.what == "command" and (not kinds or one.kind in kinds)]


def answers(seen: Sequence[Seen], *kinds: str) -> list[Seen]:
    """What a client was told of its commands: accepted, refused, or that the call broke."""
    wanted = ("answer", "refused")
    return [one for one in seen if one.what in wanted and (not kinds or one.kind in kinds)]
