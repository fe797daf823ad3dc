"""A client that does not read loses its stream; one that is slow now and then keeps it."""

import asyncio

import pytest

from jackpot.core.reasons import Reason
from jackpot.server.errors import CallRefusedError
from jackpot.server.rpc import Sender

WITHIN_S = 0.2


class Pipe:
    """Takes each message after a time of its own; stands for a connection's flow control."""

    def __init__(self, *takes_s: float) -> None:
        self._takes_s = iter(takes_s)

    async def write(self, _raw: bytes) -> None:
        """Hold the writer up."""
        await asyncio.sleep(next(self._takes_s))


async def send_all(*takes_s: float) -> None:
    """Write as many messages as there are times."""
    with Sender(Pipe(*takes_s), WITHIN_S) as sender:
        for _ in takes_s:
            await sender.send(b"meters")


async def test_one_write_that_takes_too_long_ends_the_stream() -> None:
    """What is not read within the time is refused as overload, with the time."""
    with pytest.raises(CallRefusedError) as caught:
        await asyncio.wait_for(send_all(0.01, 60.0), 10 * WITHIN_S)
    assert caught.value.refusal.reason == Reason.OVERLOADED
    assert caught.value.refusal.details["unread_s"] == str(WITHIN_S)


async def test_many_writes_within_the_time_may_take_longer_together() -> None:
    """The time is that of one write, not of the stream."""
    await send_all(*[WITHIN_S / 2] * 5)


async def test_a_stream_that_is_cancelled_is_not_called_late() -> None:
    """An end that came from elsewhere stays what it was."""
    task = asyncio.create_task(send_all(60.0))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
