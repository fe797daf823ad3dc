"""Serve the pages of a controller's sites, for as long as a block lasts."""

import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from jackpot.display import ADDRESS
from jackpot.display.web.app import Settings
from jackpot.display.web.process import PagesProcess, PagesSetup
from jackpot.display.web.serving import HttpAddressError, listen, url_of
from jackpot.server.children import ChildError
from jackpot.server.controller import Controller
from jackpot.store.opening import Address
from jackpot.wire.errors import PlainError

FREE = "127.0.0.1:0"
MODULE = "jackpot.display.web"


@asynccontextmanager
async def pages(
    controller: Controller,
    store: Address,
    places: Mapping[str, socket.socket],
    look: Settings,
    inside: PagesProcess | None = None,
) -> AsyncIterator[list[str]]:
    """Serve the pages of some sites while this lasts, each on a socket; their addresses.

    They have a process of their own where the controller's sockets have. `inside` serves them in
    this one otherwise.
    """
    setup = PagesSetup(
        places={site: place.fileno() for site, place in places.items()},
        store=str(store),
        settings=look,
        files=controller.gate.files.as_text() if controller.gate else None,
    )
    children = controller.pages(
        MODULE, lambda: inside or PagesProcess(), setup, tuple(setup.places.values())
    )
    try:
        await children.start()
    except ChildError as error:
        raise PlainError(f"the pages can't be served: {error}") from error
    try:
        yield [url_of(place, with_tls=controller.gate is not None) for place in places.values()]
    finally:
        await children.stop()


@asynccontextmanager
async def pages_somewhere(
    controller: Controller, store: Address, address: str | None, look: Settings
) -> AsyncIterator[str]:
    """On the usual port if it is free; where a port was asked for, there or not at all."""
    try:
        place = listen(address or ADDRESS)
    except HttpAddressError:
        if address is not None:
            raise
        place = listen(FREE)
    with place:
        async with pages(controller, store, {controller.site.id: place}, look) as (url,):
            yield url
