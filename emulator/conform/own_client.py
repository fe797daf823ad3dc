"""The project's own table client, as a client under test.

jackpot-emulator conform -- python -m emulator.conform.own_client
"""

import asyncio
import os
from collections import Counter
from collections.abc import Iterable
from typing import Any

import grpc

from emulator.conform.v1 import conform_pb2, conform_pb2_grpc
from jackpot.wire.refusals import RefusedError
from jackpot.wire.v1 import table_pb2 as pb
from table_client.client import OVER, TableClient, open_channel


class ClientUnderTest:
    """Plays the rounds that the kit gives out."""

    def __init__(self, channel: grpc.aio.Channel, client: TableClient) -> None:
        self.client = client
        self._kit: Any = conform_pb2_grpc.ConformServiceStub(channel)
        self._attached = False

    async def run(self) -> None:
        """Until the kit has seen enough."""
        while not (round_ := await self._next()).done:
            try:
                if round_.attach or not self._attached:
                    await self.attach()
                await self.play(round_)
            except RefusedError as refusal:
                self._attached = self._attached and refusal.reason not in ("FENCED", "")
            await self.show(())

    async def attach(self) -> None:
        """Speak for the table; a round that is under way is not ours, and void."""
        self._attached = False
        attached = await self.client.attach()
        self._attached = True
        if attached.round.phase not in OVER:
            await self.client.void_round("TABLE_RESTARTED")

    async def play(self, round_: conform_pb2.NextRoundResponse) -> None:
        """One round, step by step."""
        client = self.client
        await self.open_round()
        await client.place_wagers(round_.wagers)
        await self.show(round_.wagers)
        await client.lock_out()
        await client.confirm_collection(Counter(wager.bet for wager in round_.wagers))
        await client.settle(round_.hands, round_.dealer)

    async def open_round(self) -> None:
        """Begin, as soon as nothing keeps the next round shut, such as an award's papers."""
        await self.client.until(lambda table: table.may_open_round)
        await self.client.open_round()

    async def show(self, wagers: Iterable[pb.Wager]) -> None:
        """Light the lamps of these, and no others."""
        lit = [pb.PlacedWager(seat=wager.seat, bet=wager.bet) for wager in wagers]
        request = conform_pb2.ShowLampsRequest(table=self.client.table, lit=lit)
        await self._kit.ShowLamps(request)

    async def _next(self) -> conform_pb2.NextRoundResponse:
        request = conform_pb2.NextRoundRequest(table=self.client.table)
        response: conform_pb2.NextRoundResponse = await self._kit.NextRound(
            request, wait_for_ready=True
        )
        return response


async def main(kind: type[ClientUnderTest] = ClientUnderTest) -> None:
    """Play for the table that the environment names."""
    site, table = os.environ["JACKPOT_SITE"], os.environ["JACKPOT_TABLE"]
    async with (
        open_channel(os.environ["JACKPOT_ADDRESS"]) as channel,
        TableClient(channel, site, table) as client,
    ):
        await kind(channel, client).run()


if __name__ == "__main__":
    asyncio.run(main())
