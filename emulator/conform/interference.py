"""What the kit may do to a client's calls, and how it ends calls in the controller's name."""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, Protocol

import grpc
from google.rpc import status_pb2

from jackpot.wire.refusals import trailers_of

Context = Any  # grpc.aio.ServicerContext, whose stubs don't know handlers of raw bytes


class Act(NamedTuple):
    """What happens to a command. The default: nothing out of the ordinary."""

    lose_command: bool = False  # it never arrives, and the call breaks
    lose_answer: bool = False  # it is carried out, and the call breaks
    hold_s: float = 0.0  # its answer takes this long
    twice: bool = False  # it arrives twice
    refuse: status_pb2.Status | None = None  # it never arrives, and this is the answer
    first: Callable[[], Awaitable[None]] | None = None  # done before it is passed on


PASS = Act()


class Interference(Protocol):
    """The adversary: asked before anything is passed on."""

    def on_call(self, method: str) -> status_pb2.Status | None:
        """Refuse any call of the client; None lets it through."""

    def on_command(self, kind: str, number: int) -> Act:
        """What happens to a command."""

    def on_attach(self) -> Act:
        """What happens to an attachment."""


async def break_off(context: Context) -> None:
    """End a call as a lost connection does: nobody says anything."""
    await context.abort(grpc.StatusCode.UNAVAILABLE, "the connection was lost")


async def abort(context: Context, status: status_pb2.Status) -> None:
    """End a call with a refusal."""
    codes = {code.value[0]: code for code in grpc.StatusCode}
    await context.abort(codes[status.code], status.message, trailers_of(status))


async def abort_like(context: Context, error: grpc.aio.AioRpcError) -> None:
    """End a call as the controller's has ended."""
    trailers = tuple(
        (k, v) for k, v in error.trailing_metadata() or () if k == "grpc-status-details-bin"
    )
    await context.abort(error.code(), error.details() or "", trailers)
