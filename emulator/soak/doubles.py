"""A table's client that says things twice: the same again, at once or later, or something else."""

import asyncio
import random
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from typing import Any

import grpc

from emulator.soak.clients import RecordingClient, entry_of
from emulator.soak.latency import Latencies
from emulator.soak.tape import Tape
from jackpot.wire.refusals import RefusedError, from_rpc_error
from jackpot.wire.v1 import table_pb2 as pb
from jackpot.wire.v1 import table_pb2_grpc
from table_client.conversation import CALL_TIMEOUT_S

# A copy may overtake what comes before it, come too late, or after the table was taken over.
_NO_WORD = frozenset({"NUMBER_GAP", "REQUEST_TOO_OLD", "FENCED", "NOT_ATTACHED"})


class DoublingClient(RecordingClient):
    """Sends some commands again by their own RPC, perhaps to another controller."""

    def __init__(
        self,
        channels: Sequence[grpc.aio.Channel],
        site: str,
        table: str,
        tape: Tape,
        latencies: Latencies,
        *,
        other: grpc.aio.Channel,
        chance: float,
        draw: random.Random,
    ) -> None:
        super().__init__(channels, site, table, tape, latencies)
        self.copies = 0
        self._other: Any = table_pb2_grpc.TableServiceStub(other)
        self._chance = chance
        self._draw = draw
        self._tasks: set[asyncio.Task[None]] = set()

    def send(self, command: pb.PlayCommand) -> Awaitable[Any]:
        """Send a command, and now and then once more."""
        answer = super().send(command)
        if self._draw.random() < self._chance:
            task = asyncio.create_task(self._again(self.epoch, command, answer))
            self._tasks.add(task)
            task.add_done_callback(self._ended)
        return answer

    def _ended(self, task: "asyncio.Task[None]") -> None:
        """What failed is kept for `finish`, which raises it."""
        if task.cancelled() or not task.exception():
            self._tasks.discard(task)

    async def finish(self) -> None:
        """Wait for the copies."""
        await asyncio.gather(*self._tasks)

    async def _again(self, epoch: int, command: pb.PlayCommand, answer: Awaitable[Any]) -> None:
        if self._draw.choice([True, False]):  # at the same time
            await self._call(epoch, command)
            return
        with suppress(RefusedError):
            await asyncio.shield(asyncio.ensure_future(answer))
        if self._draw.choice([True, False]):
            command = pb.PlayCommand(
                number=command.number,
                void_round=pb.VoidRound(irregularity="another"),
            )
        await self._call(epoch, command)

    async def _call(self, epoch: int, command: pb.PlayCommand) -> None:
        kind = str(command.WhichOneof("command"))
        rpc = "".join(part.capitalize() for part in kind.split("_"))
        which = pb.CommandId(site=self.site, table=self.table, epoch=epoch, number=command.number)
        request = getattr(pb, f"{rpc}Request")(id=which, command=getattr(command, kind))
        ticket = self._tape.begin()
        entry = None
        try:
            outcome = await getattr(self._other, rpc)(request, timeout=CALL_TIMEOUT_S)
            entry = entry_of(self.table, epoch, command, outcome)
        except grpc.RpcError as error:
            refusal = from_rpc_error(error)
            if refusal.reason and refusal.retry_s is None and refusal.reason not in _NO_WORD:
                entry = entry_of(self.table, epoch, command, refusal)
        finally:
            self.copies += entry is not None
            self._tape.end(ticket, entry)
