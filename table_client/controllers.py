"""The controllers that a table may talk to: one at a time, and the next when that one fails.

All controllers of a site are equal, and a command has the same identity everywhere: what one of
them did not answer is sent to another, and is carried out once.
"""

from collections.abc import Sequence

import grpc

from jackpot.v1 import table_pb2_grpc

PATIENCE_S = 3.0  # with a silent controller, where there is another


class Controllers:
    """Channels in the order in which they are tried."""

    def __init__(self, channels: Sequence[grpc.aio.Channel]) -> None:
        self._stubs: list[table_pb2_grpc.TableServiceAsyncStub] = [
            table_pb2_grpc.TableServiceStub(channel) for channel in channels
        ]
        self._current = 0

    @property
    def stub(self) -> "table_pb2_grpc.TableServiceAsyncStub":
        """The one that is talked to."""
        return self._stubs[self._current]

    @property
    def alone(self) -> bool:
        """Whether there is no other: then a restart is waited for, not polled."""
        return len(self._stubs) == 1

    def patience_s(self, most_s: float) -> float:
        """How long to wait for an answer before another one is asked."""
        return most_s if self.alone else min(PATIENCE_S, most_s)

    def failed(self, stub: "table_pb2_grpc.TableServiceAsyncStub") -> None:
        """Talk to the next one, unless that has happened already."""
        if stub is self.stub:
            self._current = (self._current + 1) % len(self._stubs)
