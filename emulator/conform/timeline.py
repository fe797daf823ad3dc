"""What a client under test did, and what it was told, in order."""

import time
from collections.abc import Awaitable, Sequence
from typing import Any, NamedTuple

import grpc
from google.rpc import status_pb2

from jackpot.wire.refusals import RefusedError, from_rpc_error, from_status
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


About = dict[str, Any]  # which command it is: epoch, number and kind


class Notes:
    """Notes what becomes of a client's commands: unary calls and streams alike."""

    def __init__(self, timeline: Timeline) -> None:
        self.timeline = timeline

    def commanded(self, epoch: int, number: int, kind: str, content: bytes) -> About:
        """A command came."""
        about = {"epoch": epoch, "number": number, "kind": kind}
        self.timeline.note("command", **about, content=content)
        return about

    def attaching(self, request: pb.AttachRequest) -> About:
        """The client wants to speak for the table."""
        about = {"request_id": request.request_id, "kind": "attach"}
        told = request.acknowledged if request.HasField("acknowledged") else None
        self.timeline.note("attach", **about, acknowledged=told)
        return about

    def attached(self, about: About, answer: pb.AttachResponse) -> None:
        """It speaks for the table."""
        about = {**about, "epoch": answer.epoch, "incarnation": answer.incarnation}
        self.timeline.note("attached", **about, sequence=answer.sequence)

    def accepted(self, about: About, answer: Any) -> None:
        """The client is told that a command was carried out."""
        number = answer.round if isinstance(answer, pb.OpenRoundResponse) else 0
        self.timeline.note("answer", **about, sequence=answer.sequence, round=number)

    def refused(self, about: About, status: status_pb2.Status) -> None:
        """The client is told no."""
        self._refused(about, from_status(status))

    def failed(self, about: About, error: grpc.aio.AioRpcError) -> None:
        """The client's call ends as the controller's did."""
        self._refused(about, from_rpc_error(error))

    def broke(self, about: About) -> None:
        """The client is told nothing: its call breaks."""
        self.timeline.note("refused", **about, again=True)

    async def attempt(self, act: Awaitable[None]) -> None:
        """The kit's staff does its part; a refusal is noted, and the trial goes on."""
        try:
            await act
        except grpc.RpcError as error:
            refusal = from_rpc_error(error)
            why = f"{refusal.message} ({refusal.reason or refusal.code})"
            self.timeline.note("hindered", kind=why)

    def _refused(self, about: About, refusal: RefusedError) -> None:
        again = refusal.retry_s is not None
        self.timeline.note("refused", **about, reason=refusal.reason, again=again)
