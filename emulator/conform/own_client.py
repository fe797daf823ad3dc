"""The project's own table client, as a client under test.

.venv/bin/jackpot-emulator conform -- .venv/bin/python -m emulator.conform.own_client
"""

import asyncio
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import grpc

from emulator.conform.v1 import conform_pb2, conform_pb2_grpc
from jackpot.wire.identity import Identity
from jackpot.wire.refusals import RefusedError
from jackpot.wire.v1 import table_pb2 as pb
from table_client.client import OVER, TableClient, open_channel

# Why the table must attach before its next round; "": nobody knows what became of a command. After
# FENCED only a person may say that it should: here that is the kit, by asking for a round.
_ATTACH = ("FENCED", "NOT_ATTACHED", "OTHER_INCARNATION", "")


class ClientUnderTest:
    """Plays the rounds that the kit gives out."""

    def __init__(self, channel: grpc.aio.Channel, client: TableClient) -> None:
        self.client = client
        self._kit: Any = conform_pb2_grpc.ConformServiceStub(channel)
        self._attached = False
        self._round = 0

    async def run(self) -> None:
        """Until the kit has seen enough."""
        while not (round_ := await self._next()).done:
            try:
                if round_.attach or not self._attached:
                    await self.attach()
                await self.play(round_)
            except RefusedError as refusal:
                self._attached = self._attached and refusal.reason not in _ATTACH
            await self.show(())

    async def attach(self) -> None:
        """Speak for the table; a round that is under way is not ours, and void."""
        self._attached = False
        attached = await self.client.attach()
        self._attached = True
        if attached.round.phase not in OVER:
            why = "RESTORED" if self.client.restored else "TABLE_RESTARTED"
            await self.client.void_round(why)

    async def play(self, round_: conform_pb2.NextRoundResponse) -> None:
        """One round, step by step."""
        client = self.client
        await self.open_round()
        await client.place_wagers(round_.wagers)
        await self.show(round_.wagers)
        await client.lock_out()
        if round_.irregularity and not round_.collected:
            await client.void_round(round_.irregularity)
            return
        await client.confirm_collection(Counter(wager.bet for wager in round_.wagers))
        if round_.irregularity and await self.is_voided_by_floor(round_.irregularity):
            return
        await client.settle(round_.hands, round_.dealer)

    async def open_round(self) -> None:
        """Begin, as soon as nothing keeps the next round shut, such as an award's papers."""
        await self.client.until(lambda table: table.may_open_round)
        self._round = (await self.client.open_round()).round

    async def is_voided_by_floor(self, irregularity: str) -> bool:
        """Ask the floor to void the round, and wait for the answer."""
        act = pb.FLOOR_ACT_VOID_ROUND
        asked = pb.CallFloor(act=act, round=self._round, irregularity=irregularity)
        call = (await self.client.call_floor(asked)).call
        frame = await self.client.until(lambda table: table.call.id == call and has_answer(table))
        return frame is not None and frame.call.outcome == pb.CALL_OUTCOME_APPROVED

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


def has_answer(table: pb.WatchTableResponse) -> bool:
    """Whether the table's call for the floor is closed."""
    return table.call.outcome != pb.CALL_OUTCOME_UNSPECIFIED


def identity() -> Identity | None:
    """The certificate that the environment names; None: the kit asks for none."""
    certificate = os.environ.get("JACKPOT_CERT")
    return Identity(Path(certificate), Path(os.environ["JACKPOT_CA"])) if certificate else None


async def main(kind: type[ClientUnderTest] = ClientUnderTest) -> None:
    """Play for the table that the environment names."""
    site, table = os.environ["JACKPOT_SITE"], os.environ["JACKPOT_TABLE"]
    async with (
        open_channel(os.environ["JACKPOT_ADDRESS"], identity()) as channel,
        TableClient(channel, site, table) as client,
        client.alive(),
    ):
        await kind(channel, client).run()


if __name__ == "__main__":
    asyncio.run(main())
