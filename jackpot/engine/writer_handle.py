"""The loop's view of one writer: what was handed to it, and what it last said of itself."""

import asyncio
import time

from jackpot.engine.messages import Job, Read
from jackpot.engine.writer import Writer, WriterUpdate


class WriterHandle:
    """Where the loop leaves work for a writer. Used in the loop's thread only."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.ready = asyncio.Event()  # it has said something
        self.ended = asyncio.Event()
        self.healthy = False
        self.halted: dict[str, str] = {}
        self._ringing = False  # at the end of this turn of the loop

    @property
    def queued(self) -> int:
        """How many commands and questions wait."""
        return len(self.writer.queue)

    def put(self, job: Job | Read) -> None:
        """Leave a job. The writer hears of all jobs of this turn of the loop at once."""
        self.writer.queue.append(job)
        self._ring_soon()

    def delivered(self) -> None:
        """The answers of a batch are delivered: let the writer go on once they have left."""
        asyncio.get_running_loop().call_soon(self._ring_soon)

    def _ring_soon(self) -> None:
        if not self._ringing:
            self._ringing = True
            asyncio.get_running_loop().call_soon(self._ring)

    def _ring(self) -> None:
        self._ringing = False
        self.writer.wake.ring()

    def knows(self, report: WriterUpdate) -> bool:
        """Whether the writer says nothing new of itself."""
        return (
            report.healthy == self.healthy
            and report.ended == self.ended.is_set()
            and report.halted == self.halted
            and self.ready.is_set()
        )

    def receive(self, report: WriterUpdate) -> None:
        """Note what the writer says of itself."""
        self.halted = report.halted
        self.healthy = report.healthy
        self.ready.set()
        if report.ended and not self.ended.is_set():
            self.ended.set()
            self.writer.refuse_waiting()  # whatever was queued behind its back

    def late_s(self) -> float:
        """For how long the writer has been at the same batch."""
        busy_since = self.writer.busy_since
        return time.monotonic() - busy_since if busy_since else 0.0

    def stop(self) -> None:
        """Tell the writer to end when nothing is left to do."""
        self.writer.stopping = True
        self.writer.wake.ring()

    async def stopped(self) -> None:
        """Wait for its end."""
        if self.writer.ident is not None:
            await asyncio.to_thread(self.writer.join)
            # Its last answers are on their way: first its report, then what the loop refuses.
            await self.ended.wait()
