"""Serve the pages of a feed in the running loop."""

import asyncio
import contextlib
import logging
import socket
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import uvicorn

from jackpot.display.feeds.site_feed import SiteFeed
from jackpot.display.web.access import Access, ByRole
from jackpot.display.web.app import Pages, Settings
from jackpot.display.web.connections import MAX_REQUEST_BYTES, CertifiedProtocol
from jackpot.wire.errors import PlainError

STOP_S = 2  # for answers that are under way
HANDSHAKE_S = 10  # for TLS to know who is there
OTHER_REQUESTS = 64  # beside the watchers
DEAD_MS = 15_000  # a peer that has acknowledged nothing for so long is gone
PORTS = range(1 << 16)


class HttpAddressError(PlainError):
    """An address on which pages can't be served."""


class Display:
    """Pages that are being served at `url`."""

    def __init__(
        self, pages: Pages, server: "_Server", task: "asyncio.Task[None]", url: str
    ) -> None:
        self.url = url
        self._pages = pages
        self._server = server
        self._task = task

    async def stop(self) -> None:
        """Let every watcher go and close."""
        self._pages.close()
        self._server.should_exit = True
        await self._task


async def serve_feed(
    feed: SiteFeed,
    listening: socket.socket,
    settings: Settings,
    metrics: Callable[[], Awaitable[bytes]] | None = None,
    access: Access | None = None,
) -> Display:
    """Serve the pages of any feed on a socket; over TLS where roles decide who may look."""
    pages = Pages(feed, settings, metrics, access)
    tls = access.gate.web_context() if isinstance(access, ByRole) else None
    config = uvicorn.Config(
        pages.app(),
        http=CertifiedProtocol,
        ssl_context_factory=(lambda *_: tls) if tls else None,
        lifespan="off",
        log_config=None,
        log_level=logging.WARNING,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # `access` judges the real peer
        timeout_graceful_shutdown=STOP_S,
        limit_concurrency=settings.max_watchers + OTHER_REQUESTS,
        ws="none",  # nothing here is for WebSockets, whose protocol has none of our limits
    )
    server = _Server(config)
    server.most_each = settings.max_watchers_each + OTHER_REQUESTS
    task = asyncio.create_task(server.serve(sockets=[listening]))
    while not server.started and not task.done():  # noqa: ASYNC110 - uvicorn tells in no other way
        await asyncio.sleep(0.005)
    return Display(pages, server, task, url_of(listening, with_tls=tls is not None))


def url_of(listening: socket.socket, *, with_tls: bool) -> str:
    """Where the pages of a socket are found."""
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return f"{'https' if with_tls else 'http'}://{shown}:{port}"


def listen(address: str) -> socket.socket:
    """A socket that listens on HOST:PORT; port 0 takes a free one."""
    host, _, port = address.rpartition(":")
    try:
        number = PORTS.index(int(port))  # the resolver takes others modulo 65,536
        family, kind, protocol, _, where = socket.getaddrinfo(
            host.strip("[]"), number, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            # What nobody reads any more stays with whoever sends it.
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, MAX_REQUEST_BYTES)
            with contextlib.suppress(AttributeError, OSError):  # Linux has it, not every system
                listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, DEAD_MS)
            listening.bind(where)
            listening.listen()  # or another could bind it too, until one of the two listens
        except OSError:
            listening.close()
            raise
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "no such host or port"
        raise HttpAddressError(f"{address}: cannot serve pages there: {why}") from error
    return listening


class _Server(uvicorn.Server):
    """Leaves signals to whoever runs the loop, and gives TLS no more time than a request."""

    most_each: int  # connections of one address

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen. uvicorn would wait a minute for a handshake, and half of one for its end."""
        config, loop = self.config, asyncio.get_running_loop()
        self.servers = [
            await loop.create_server(
                self._protocol,
                sock=each,
                ssl=config.ssl,
                backlog=config.backlog,
                ssl_handshake_timeout=HANDSHAKE_S if config.ssl else None,
                ssl_shutdown_timeout=STOP_S if config.ssl else None,
            )
            for each in sockets or ()
        ]
        self.started = True

    def _protocol(self) -> CertifiedProtocol:
        made = CertifiedProtocol(self.config, self.server_state, self.lifespan.state)
        made.most_each = self.most_each
        return made

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[Any]:
        """Capture none."""
        yield
