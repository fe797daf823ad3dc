"""Tables that play without pause, and an account of what they were told."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

import grpc
from tenacity import stop_after_delay

from jackpot.core.commands.base import TableOrigin
from jackpot.core.events import Refused
from jackpot.store import codec
from jackpot.store.opening import Address, open_to_read
from jackpot.verify import verify
from jackpot.wire.refusals import from_rpc_error
from jackpot.wire.v1 import meter_pb2, meter_pb2_grpc
from table_client.client import TableClient
from table_client.conversation import retried
from tests.server.house import DOLLAR, FIVE, SITE, hands, wagers

Identity = tuple[str, int, int]  # table, epoch, number


class LoadTable:
    """Plays rounds through the client, and notes the sequence of every answer."""

    def __init__(
        self,
        channel: grpc.aio.Channel | Sequence[grpc.aio.Channel],
        table: str,
        deadline_s: float = 60,
    ) -> None:
        self.client = TableClient(channel, SITE, table, deadline_s=deadline_s)
        self.table = table
        self.acknowledged: dict[Identity, int] = {}
        self.wagers = 0  # confirmed, all at a dollar
        self.longest_gap_s = 0.0  # between two answers
        self._answered_at = time.monotonic()
        self._number = 0
        self._rng = random.Random(table)

    async def play(self, stop: asyncio.Event) -> None:
        """Rounds until told to stop; the last one is finished."""
        async with self.client:
            await self.client.attach()
            while not stop.is_set():
                await self._round()

    async def _round(self) -> None:
        seats = sorted(self._rng.sample(range(1, 7), self._rng.randint(1, 6)))
        client = self.client
        note = self._note
        await asyncio.gather(
            note(client.open_round()),
            note(client.place_wagers(wagers(*seats).wagers)),
            note(client.lock_out()),
            note(client.confirm_collection({FIVE: len(seats)})),
        )
        self.wagers += len(seats)
        settle = hands({}, *seats)
        await note(client.settle(settle.hands, settle.dealer))

    async def _note(self, answer: Any) -> None:
        self._number += 1
        identity = (self.table, self.client.epoch, self._number)
        self.acknowledged[identity] = (await answer).sequence
        now = time.monotonic()
        self.longest_gap_s = max(self.longest_gap_s, now - self._answered_at)
        self._answered_at = now


def journal_of(store: Address) -> dict[Identity, list[int]]:
    """Every table's command in the journal, with all the sequences that have it."""
    journal = open_to_read(store)
    found: dict[Identity, list[int]] = {}
    after = 0
    while entries := journal.read(SITE, after, 1_000):
        for entry in entries:
            record = codec.decode_entry(SITE, entry)
            if isinstance(origin := record.origin, TableOrigin):
                identity = (origin.table, origin.epoch, origin.number)
                found.setdefault(identity, []).append(entry.sequence)
                assert not isinstance(record.event, Refused), record
        after = entries[-1].sequence
    journal.close()
    return found


def check(store: Address, tables: list[LoadTable]) -> None:
    """Every acknowledged command is there once, where it was said to be; nothing is unsound."""
    report = verify(store)
    assert report.ok, report
    found = journal_of(store)
    twice = Counter({identity: len(s) for identity, s in found.items() if len(s) > 1})
    assert not twice
    for table in tables:
        for identity, sequence in table.acknowledged.items():
            assert found[identity] == [sequence], identity


async def shown_micros(channel: grpc.aio.Channel) -> int:
    """What a controller says that the five-card meter shows, as soon as it says anything."""
    stub: meter_pb2_grpc.MeterServiceAsyncStub = meter_pb2_grpc.MeterServiceStub(channel)
    request = meter_pb2.ListMetersRequest(site=SITE, link="five")

    async def ask() -> meter_pb2.ListMetersResponse:
        try:
            return await stub.ListMeters(request, timeout=5)
        except grpc.RpcError as error:
            raise from_rpc_error(error) from error

    return (await retried(ask, stop_after_delay(20))).links[0].meters[0].amount_micros


def meter_micros(tables: list[LoadTable]) -> int:
    """What the five-card meter must show: the seed and 21% of every wager."""
    return 10_000 * DOLLAR + sum(table.wagers for table in tables) * DOLLAR * 21 // 100
