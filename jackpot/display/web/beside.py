"""Serve a site's pages in the process of its controller, for as long as a block lasts."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from jackpot.display.errors import HttpAddressError
from jackpot.display.web.app import Settings
from jackpot.display.web.serving import serve_display
from jackpot.file_limit import raise_file_limit
from jackpot.server.controller import Controller
from jackpot.store.opening import Address, open_to_read

ADDRESS = "127.0.0.1:7480"
FREE = "127.0.0.1:0"


@asynccontextmanager
async def pages(
    controller: Controller,
    store: Address,
    address: str | socket.socket,
    look: Settings,
    site: str = "",
) -> AsyncIterator[str]:
    """Serve the pages of a controller's site while this lasts; their address."""
    display = await serve_display(
        controller.engine,
        site or controller.site.id,
        controller.heartbeats,
        address,
        look,
        partial(open_to_read, store),
        controller.gate,
    )
    try:
        yield display.url
    finally:
        await display.stop()


@asynccontextmanager
async def pages_somewhere(
    controller: Controller, store: Address, address: str | None, look: Settings
) -> AsyncIterator[str]:
    """On the usual port if it is free; where a port was asked for, there or not at all."""
    raise_file_limit()
    try:
        async with pages(controller, store, address or ADDRESS, look) as url:
            yield url
            return
    except HttpAddressError:
        if address is not None:
            raise
    async with pages(controller, store, FREE, look) as url:
        yield url
