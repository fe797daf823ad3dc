"""Make the tables of a soak, with their clients and connections, from its options."""

import random
from collections.abc import Iterable
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import grpc

from emulator.soak.clients import RecordingClient, ResendingClient
from emulator.soak.site import SITE
from emulator.soak.tables.game_table import GameTable
from emulator.soak.tables.side_table import SideTable
from emulator.soak.tables.staff import Floor
from jackpot.rules.site import load_site
from table_client.client import open_channel

if TYPE_CHECKING:
    from emulator.soak.run import Soak


_EVERY = 3  # of so many tables one goes through a proxy


class TableFactory:
    """Makes tables and clients; the run's stack closes them."""

    def __init__(self, soak: "Soak", stack: AsyncExitStack) -> None:
        self._soak = soak
        self._stack = stack

    def addresses(self, place: int, *, direct: bool = True) -> list[str]:
        """All controllers, or the proxies before them, beginning with one's own."""
        found = [controller.address for controller in self._soak.controllers]
        if not direct and self._soak.proxies:
            found = [proxy.address for proxy in self._soak.proxies]
        own = place % len(found)
        return found[own:] + found[:own]

    def ways(self, place: int) -> list[str]:
        """Where a table's client finds controllers: a third of them, where it can break, by proxy.

        Thirds are counted before controllers, or those behind a proxy would all have the same one.
        """
        return self.addresses(place // _EVERY, direct=place % _EVERY != 0)

    async def channels(self, addresses: Iterable[str]) -> list[grpc.aio.Channel]:
        """Connections of one's own; each is made when it is first used."""
        enter = self._stack.enter_async_context
        return [await enter(open_channel(address)) for address in addresses]

    async def table(self, place: int, name: str, floor: Floor) -> SideTable | GameTable:
        """One of the tables that play."""
        soak = self._soak
        options, terms = soak.options, soak.terms.tables[name]
        client = await self.client(place, name)
        if options.plays_whole_games(place):
            site = load_site(soak.site_path)
            base = next(x.base for x in site.tables if x.id == name)
            return GameTable(client, terms, base, floor, options, soak.chances, soak.hits)
        spare = await self.client(place, name) if soak.chances.hangs else None
        if spare:
            spare.heard = client.heard  # they speak for one table
        return SideTable(client, terms, floor, options, soak.chances, soak.hits, spare)

    async def client(self, place: int, name: str) -> RecordingClient:
        """The client of a table."""
        soak = self._soak
        channels = await self.channels(self.ways(place))
        who = (channels, SITE, name, soak.transcript, soak.latencies)
        client = RecordingClient(*who)
        if soak.chances.resends:
            client = ResendingClient(
                *who,
                other=(await self.channels(self.addresses(place // _EVERY + 1)[:1]))[0],
                chance=soak.chances.resends,
                draw=random.Random(f"{soak.options.seed}/{name}/twice"),  # noqa: S311 - a replay
            )
        return await self._stack.enter_async_context(client)
