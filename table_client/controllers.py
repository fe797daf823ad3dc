"""The controllers that a table may talk to: one at a time, and the next when that one fails.

All controllers of a site are equal, and a command has the same identity everywhere: what one of
them did not answer is sent to another, and is carried out once.
"""

import asyncio
from collections.abc import Sequence

import grpc

from jackpot.wire.channels import is_secured
from jackpot.wire.refusals import RefusedError, explained, from_rpc_error
from jackpot.wire.v1 import table_pb2_grpc

PATIENCE_S = 3.0  # with a silent controller, where there is another
LONE_PATIENCE_S = 10.0  # with the only one: it may be slow, or what leads to it may be dead


class Controllers:
    """Channels in the order in which they are tried."""

    def __init__(self, channels: Sequence[grpc.aio.Channel]) -> None:
        self._channels = channels
        self._stubs: list[table_pb2_grpc.TableServiceAsyncStub] = [
            table_pb2_grpc.TableServiceStub(channel) for channel in channels
        ]
        self._current = 0

    @property
    def stub(self) -> "table_pb2_grpc.TableServiceAsyncStub":
        """The one that is talked to."""
        return self._stubs[self._current]

    @property
    def channel(self) -> grpc.aio.Channel:
        """The connection to it."""
        return self._channels[self._current]

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._stubs)

    @property
    def alone(self) -> bool:
        """Whether there is no other."""
        return self.count == 1

    @property
    def waits(self) -> bool:
        """Whether gRPC waits for a restart; over TLS it would wait for ever if we are refused."""
        return self.alone and not is_secured(self._channels[0])

    def patience_s(self, most_s: float) -> float:
        """How long to wait for an answer before the same is asked anew, elsewhere if possible."""
        return min(LONE_PATIENCE_S if self.alone else PATIENCE_S, most_s)

    async def judge(
        self, stub: "table_pb2_grpc.TableServiceAsyncStub", error: grpc.RpcError
    ) -> RefusedError:
        """What a failed call means; where sending again can help, to the next controller."""
        channel, refusal = self._channels[self._stubs.index(stub)], from_rpc_error(error)
        if is_secured(channel):
            refusal = await asyncio.to_thread(explained, refusal, channel)
        if refusal.retry_s is not None or refusal.code == "UNAUTHENTICATED":
            self.failed(stub)
        if refusal.code == "UNAUTHENTICATED" and not self.alone:
            refusal.retry_s = 0.0  # another controller may have a better certificate than this one
        return refusal

    def failed(self, stub: "table_pb2_grpc.TableServiceAsyncStub") -> None:
        """Talk to the next one, unless that has happened already."""
        if stub is self.stub:
            self._current = (self._current + 1) % len(self._stubs)
