"""A Play stream: a table's commands pipelined, their answers in order.

All answers that are ready in one turn of the loop go into one message. A client that does not read
gets no more answers, and soon, at the limit of unanswered commands, its stream is ended: what a
stream holds is bounded, whatever the client does.
"""

import asyncio
from collections import deque
from collections.abc import Callable

from jackpot.core.reasons import MEANINGS, Reason
from jackpot.engine import CommandOrder, Engine, Outcome
from jackpot.server.calls import Call
from jackpot.server.codec.table import play_requests, play_result
from jackpot.server.errors import CallRefusedError, accepted, refused, status_of
from jackpot.server.rpc import decode
from jackpot.wire.limits import MAX_COMMANDS
from jackpot.wire.v1 import table_pb2


class _Slot:
    """A command's place in the order of answers."""

    __slots__ = ("_stream", "kind", "number", "outcome")

    def __init__(self, number: int, kind: str, stream: "PlayStream") -> None:
        self.number = number
        self.kind = kind
        self.outcome: Outcome | None = None
        self._stream = stream

    def deliver(self, outcome: Outcome) -> None:
        """The command's answer is there."""
        self.outcome = outcome
        if not self._stream.due:
            self._stream.wake()


class PlayStream:
    """One stream, from its first message to its end."""

    def __init__(self, engine: Engine, call: Call, check: Callable[[str, str], None]) -> None:
        self._engine = engine
        self._check = check  # raises unless the stream may speak for a site's table
        self._call = call
        self._order = CommandOrder()
        self._slots: deque[_Slot] = deque()
        self._loop = asyncio.get_running_loop()
        self.due = False  # whether `_answer` will be called in the loop's next turn
        self._closed = False  # the client has no more
        self._ending: CallRefusedError | None = None
        call.receive = self._receive
        call.heed_room = self.wake

    def end(self, error: CallRefusedError) -> None:
        """Read no more; when what was read is answered, end with this error."""
        self._ending = self._ending or error
        self.wake()

    def _receive(self, raw: bytes | None) -> None:
        if raw is None:
            self._closed = True
            self.wake()
        elif self._ending is None:
            try:
                self._take(decode(table_pb2.PlayRequest, raw))
            except CallRefusedError as error:
                self.end(error)
            except Exception:  # noqa: BLE001 - a slot may stay empty
                self._call.fail()

    def wake(self) -> None:
        """Look for answers in the loop's next turn."""
        if not self.due:
            self.due = True
            self._loop.call_soon(self._answer)

    def _answer(self) -> None:
        """Send what is answered; end where nothing is left to answer."""
        self.due = False
        call = self._call
        if call.ended or not call.has_room():  # it wakes us when there is
            return
        response = table_pb2.PlayResponse()
        try:
            filled = self._fill(response)
        except Exception:  # noqa: BLE001 - an answer that can't be told
            call.fail()
            return
        if filled:
            call.send(response.SerializeToString())
        if not self._slots and (self._ending or self._closed):
            if self._ending:
                call.refuse(self._ending)
            else:
                call.end()

    def _take(self, message: table_pb2.PlayRequest) -> None:
        slots, count = self._slots, len(message.commands)
        if len(slots) + count > MAX_COMMANDS >= count:
            raise refused(Reason.OVERLOADED, unanswered=len(slots), limit=MAX_COMMANDS)
        self._check(message.site, message.table)
        submit, order = self._engine.submit, self._order
        for kind, origin, request in play_requests(message):
            slot = _Slot(origin.number, kind, self)
            slots.append(slot)
            submit(request, slot.deliver, order)

    def _fill(self, response: table_pb2.PlayResponse) -> bool:
        """Add the answers that are there with none missing before them; whether there were any."""
        slots, put, add = self._slots, self._put, response.results.add
        before = len(slots)
        while slots and (outcome := slots[0].outcome) is not None:
            slot = slots.popleft()
            # Filled in place: a result made apart would be copied into the response.
            put(add(number=slot.number), slot.kind, outcome)
        return len(slots) < before

    def _put(self, result: table_pb2.PlayResult, kind: str, outcome: Outcome) -> None:
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
