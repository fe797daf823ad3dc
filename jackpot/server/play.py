"""A Play stream: a table's commands pipelined, their answers in order.

One task reads, another sends; whatever is ready when the sender wakes goes into one message. A
client that does not read stops the sender, and soon, at the limit of unanswered commands, the
reader too: what a stream holds is bounded, whatever the client does.
"""

import asyncio
from collections import deque
from collections.abc import Callable

from grpc.aio import EOF

from jackpot.core.reasons import MEANINGS, Reason
from jackpot.engine import CommandOrder, Engine, Outcome
from jackpot.server.codec.table import play_requests, play_result
from jackpot.server.errors import CallRefusedError, accepted, refused, status_of
from jackpot.server.rpc import Context, Sender, decode
from jackpot.wire.limits import MAX_COMMANDS
from jackpot.wire.v1 import table_pb2


class _Slot:
    """A command's place in the order of answers."""

    __slots__ = ("_wake", "kind", "number", "outcome")

    def __init__(self, number: int, kind: str, wake: asyncio.Event) -> None:
        self.number = number
        self.kind = kind
        self.outcome: Outcome | None = None
        self._wake = wake

    def deliver(self, outcome: Outcome) -> None:
        """The command's answer is there."""
        self.outcome = outcome
        self._wake.set()


class PlayStream:
    """One stream, from its first message to its end."""

    def __init__(self, engine: Engine, context: Context, check: Callable[[str, str], None]) -> None:
        self._engine = engine
        self._check = check  # raises unless the stream may speak for a site's table
        self._context = context
        self._lane = CommandOrder()
        self._slots: deque[_Slot] = deque()
        self._wake = asyncio.Event()
        self._reader: asyncio.Task[None] | None = None
        self._ending: CallRefusedError | None = None
        self._failure: Exception | None = None  # nobody foresaw it, and a slot may stay empty

    async def run(self) -> None:
        """Serve the stream; ends when the client has no more, or raises why it was ended."""
        self._reader = asyncio.create_task(self._read())
        self._reader.add_done_callback(lambda _: self._wake.set())
        try:
            with Sender(self._context) as sender:
                while not self._failure and (self._slots or not self._reader.done()):
                    await self._wake.wait()
                    self._wake.clear()
                    response = table_pb2.PlayResponse()
                    if self._fill(response):
                        await sender.send(response.SerializeToString())
        finally:
            self._reader.cancel()
        if error := self._failure or self._ending:
            raise error

    def end(self, error: CallRefusedError) -> None:
        """Read no more; when what was read is answered, end with this error."""
        self._ending = self._ending or error
        if self._reader:
            self._reader.cancel()

    async def _read(self) -> None:
        try:
            while (raw := await self._context.read()) is not EOF:
                self._take(decode(table_pb2.PlayRequest, raw))
        except CallRefusedError as error:
            self.end(error)
        except Exception as error:  # noqa: BLE001 - `run` raises it
            self._failure = error

    def _take(self, message: table_pb2.PlayRequest) -> None:
        if len(self._slots) + len(message.commands) > MAX_COMMANDS >= len(message.commands):
            raise refused(Reason.OVERLOADED, unanswered=len(self._slots), limit=MAX_COMMANDS)
        self._check(message.site, message.table)
        for kind, origin, request in play_requests(message):
            slot = _Slot(origin.number, kind, self._wake)
            self._slots.append(slot)
            self._engine.submit(request, slot.deliver, self._lane)

    def _fill(self, response: table_pb2.PlayResponse) -> bool:
        """Add the answers that are there with none missing before them; whether there were any."""
        while self._slots and (outcome := self._slots[0].outcome) is not None:
            slot = self._slots.popleft()
            # Filled in place: a result made apart would be copied into the response.
            self._answer(response.results.add(number=slot.number), slot.kind, outcome)
        return bool(response.results)

    def _answer(self, result: table_pb2.PlayResult, kind: str, outcome: Outcome) -> None:
        try:
            done = accepted(outcome)
        except CallRefusedError as error:
            if MEANINGS[error.refusal.reason].retry == "same":
                # What the client must send again may not be overtaken by what it sent behind it.
                self.end(error)
            result.sequence = error.sequence
            result.error.CopyFrom(status_of(error.refusal, error.sequence))
            return
        play_result(result, kind, done)
