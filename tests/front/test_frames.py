"""Frames arrive whole and in order however the socket cuts them; nonsense ends the link."""

import asyncio
import socket
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from jackpot.front import frames
from jackpot.front.frames import FrameError, Link, connect, join

Frame = tuple[int, int, bytes]
FRAMES = st.lists(
    st.tuples(st.integers(0, 255), st.integers(0, 2**64 - 1), st.binary(max_size=300)), max_size=20
)


class End:
    """One end of a link, and all that it was told."""

    def __init__(self, link: Any = None) -> None:
        self.frames: list[Frame] = []
        self.lost: list[str] = []
        self.link: Link = link or Link(self._receive, self.lost.append)

    def _receive(self, *frame: Any) -> None:
        if frame[0] == 255:
            raise FrameError("nobody knows frames of kind 255")
        self.frames.append(frame)


class Tape:
    """A transport that keeps what is written."""

    def __init__(self) -> None:
        self.written = b""
        self.aborted = False

    def write(self, data: bytes) -> None:
        """Keep it."""
        self.written += data

    def is_closing(self) -> bool:
        """Never."""
        return False

    def abort(self) -> None:
        """Note it."""
        self.aborted = True

    def set_write_buffer_limits(self, *_: int) -> None:
        """There are none."""


@given(sent=FRAMES, cuts=st.lists(st.integers(0, 400), max_size=30))
@settings(max_examples=200, deadline=None)
def test_frames_survive_any_cutting(sent: list[Frame], cuts: list[int]) -> None:
    """Also empty payloads, and several frames in one piece."""
    sent = [frame for frame in sent if frame[0] != 255]

    async def run() -> None:
        writer, reader, tape = End(), End(), Tape()
        writer.link.connection_made(tape)
        reader.link.connection_made(Tape())
        for frame in sent:
            writer.link.send(*frame)
        await asyncio.sleep(0)
        rest = tape.written
        for cut in cuts:
            reader.link.data_received(rest[:cut])
            rest = rest[cut:]
        reader.link.data_received(rest)
        assert reader.frames == sent

    asyncio.run(run())


async def test_all_frames_of_a_turn_leave_in_one_write() -> None:
    """Hundreds share a system call."""
    end, tape, writes = End(), Tape(), list[bytes]()
    end.link.connection_made(tape)
    tape.write = writes.append  # type: ignore[assignment, method-assign]
    for number in range(300):
        end.link.send(frames.DATA, number, b"x")
    assert not writes
    await asyncio.sleep(0)
    assert len(writes) == 1


async def test_a_frame_that_is_too_long_ends_the_link() -> None:
    """Before its bytes are gathered."""
    end, tape = End(), Tape()
    end.link.connection_made(tape)
    end.link.data_received(frames._HEAD.pack(1 << 31, frames.DATA, 1))
    assert tape.aborted


async def test_a_frame_that_nobody_knows_ends_the_link_at_both_ends() -> None:
    """What came before it was taken; nothing behind it is."""
    one, other = End(), End()
    join(one.link, other.link)
    for kind in (frames.DATA, 255, frames.DATA):
        one.link.send(kind, 7, b"x")
    await asyncio.sleep(0.01)
    assert other.frames == [(frames.DATA, 7, b"x")]
    assert one.lost == [""]


async def test_an_end_that_does_not_read_pauses_the_other() -> None:
    """And it goes on when it does."""
    ours, theirs = socket.socketpair()
    one = End()
    await connect(one.link, ours)
    theirs.settimeout(0)
    while not one.link.paused:
        one.link.send(frames.DATA, 1, bytes(1 << 20))
        await asyncio.sleep(0)
    loop = asyncio.get_running_loop()
    while one.link.paused:
        await loop.sock_recv(theirs, 1 << 20)
    one.link.close()
    theirs.close()
