"""Faults of connections: a TCP proxy that delays, freezes, cuts, half-closes and loses them."""

import asyncio
import struct
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from socket import SO_LINGER, SOL_SOCKET
from typing import TYPE_CHECKING

from emulator.soak.controllers import Supervisor
from emulator.soak.faults.base import Bag, InjectedFault, Injection, Target

if TYPE_CHECKING:
    from emulator.soak.run import Soak

_CHUNK_BYTES = 1 << 16
_NO_LINGER = struct.pack("ii", 1, 0)


class _Link:
    """One connection through the proxy."""

    def __init__(self, near: asyncio.StreamWriter, far: asyncio.StreamWriter) -> None:
        self.near, self.far = near, far
        self.lost = False

    def cut(self) -> None:
        """Reset both sides: they learn of it by an error, not by an end."""
        for writer in (self.near, self.far):
            with suppress(OSError, AttributeError, ValueError):  # it may be closed already
                writer.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_LINGER, _NO_LINGER)
            writer.transport.abort()

    def lose(self) -> None:
        """Let nothing more through, for good; neither side is told."""
        self.lost = True

    def half_close(self, *, towards_client: bool) -> None:
        """End one direction only."""
        writer = self.near if towards_client else self.far
        with suppress(OSError, RuntimeError):
            writer.write_eof()


class Proxy:
    """Listens on a port of its own and passes on to an address."""

    def __init__(self, target: str) -> None:
        self._host, _, port = target.rpartition(":")
        self._port = int(port)
        self._links: set[_Link] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._server: asyncio.Server | None = None
        self.delay_s = 0.0
        self.address = ""

    def __len__(self) -> int:
        """How many connections there are."""
        return len(self._links)

    async def start(self) -> None:
        """Listen."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.address = f"127.0.0.1:{port}"

    async def stop(self) -> None:
        """Cut everything and listen no more."""
        if self._server:
            self._server.close()
        self.cut()
        self._flowing.set()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def freeze(self) -> None:
        """Let nothing through, and tell nobody."""
        self._flowing.clear()

    def thaw(self) -> None:
        """Let everything through again."""
        self._flowing.set()

    def cut(self) -> int:
        """Reset every connection; how many."""
        return self._each(lambda link: link.cut())

    def half_close(self, *, towards_client: bool) -> int:
        """End one direction of every connection; how many."""
        return self._each(lambda link: link.half_close(towards_client=towards_client))

    def lose(self) -> int:
        """Let nothing more through on any connection that there is; how many."""
        return self._each(lambda link: link.lose())

    def _each(self, do: Callable[[_Link], None]) -> int:
        links = list(self._links)
        for link in links:
            do(link)
        return len(links)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._connect(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection(self._host, self._port)
        except OSError:
            writer.transport.abort()
            return
        link = _Link(writer, far_writer)
        if not (self._server and self._server.is_serving()):  # it has stopped meanwhile
            link.cut()
            return
        self._links.add(link)
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._pump(link, reader, far_writer))
                tasks.create_task(self._pump(link, far_reader, writer))
        finally:
            self._links.discard(link)
            link.cut()

    async def _pump(
        self, link: _Link, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            while chunk := await reader.read(_CHUNK_BYTES):
                if self.delay_s:
                    await asyncio.sleep(self.delay_s)
                await self._flowing.wait()
                if not link.lost:
                    writer.write(chunk)
                    await writer.drain()
            if not link.lost:
                writer.write_eof()
        except (OSError, RuntimeError):  # uvloop raises the latter on a closed transport
            if not link.lost:
                link.cut()


class Connection(InjectedFault):
    """A third of the tables talk through proxies, which disturb their connections."""

    name = "connection"
    text = "connections are delayed, frozen, cut, half-closed or lost"

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._proxies: list[Proxy] = []
        ways = ("delay", "freeze", "cut", "half-close", "lose")
        self._ways = Bag(ways, target.draw)

    async def set_up(self, soak: "Soak", stack: AsyncExitStack) -> None:
        """Start a proxy before each controller."""
        for controller in soak.controllers:
            proxy = Proxy(controller.address)
            await proxy.start()
            stack.push_async_callback(proxy.stop)
            self._proxies.append(proxy)
        soak.proxies = self._proxies

    async def inject(self, supervisor: Supervisor) -> Injection:  # noqa: ARG002 - any proxy will do
        """Disturb the connections of one proxy; felt if it has any."""
        draw = self.target.draw
        proxy = draw.choice(self._proxies)
        way, felt = self._ways.take(), len(proxy) > 0
        match way:
            case "delay":
                proxy.delay_s = draw.uniform(0.005, 0.05)
                await asyncio.sleep(draw.uniform(0.5, 2.0))
                proxy.delay_s = 0.0
            case "freeze":
                proxy.freeze()
                await asyncio.sleep(draw.uniform(0.2, 3.0))
                proxy.thaw()
            case "cut":
                proxy.cut()
            case "lose":
                proxy.lose()
            case "half-close":
                proxy.half_close(towards_client=draw.choice([True, False]))
        return Injection(f"connection {way}", felt)

    async def undo(self) -> None:
        """Let everything through at once."""
        for proxy in self._proxies:
            proxy.delay_s = 0.0
            proxy.thaw()
