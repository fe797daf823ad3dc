"""What becomes of a client's commands, noted on the timeline: unary calls and streams alike."""

from collections.abc import Awaitable
from typing import Any

import grpc
from google.rpc import status_pb2

from emulator.conform.timeline import Timeline
from jackpot.wire.refusals import RefusedError, from_rpc_error, from_status
from jackpot.wire.v1 import table_pb2 as pb

About = dict[str, Any]  # which command it is: epoch, number and kind


class Notes:
    """Writes the timeline."""

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
