"""The side under attack: a controller behind TLS, and tables that time their lock-outs."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from itertools import cycle
from pathlib import Path
from typing import Any

from cryptography import x509

from emulator.bench.messages import DOLLAR, FIVE, SIGN, SITE, WAGERS, losing_deals
from emulator.bench.processes import House
from jackpot.auth.authority import CA_CERTIFICATE, Authority
from jackpot.auth.holder import parse_holder
from jackpot.core.commands.base import TableOrigin
from jackpot.store import codec
from jackpot.store.opening import open_to_read
from jackpot.wire.channels import Identity
from jackpot.wire.v1 import meter_pb2, meter_pb2_grpc
from jackpot.wire.v1 import table_pb2 as pb
from table_client.client import TableClient, open_channel

Answers = dict[tuple[str, int, int], int]  # table, epoch, number -> sequence


class Floor:
    """A house behind TLS, and those who call it."""

    def __init__(self, folder: Path, tables: int) -> None:
        ca = folder / "ca"
        self.root = ca / CA_CERTIFICATE
        authority = Authority.create(ca, "Benchmark")
        own, _ = authority.issue_server(("127.0.0.1", "localhost"), 1)
        self._tables = {
            f"t{n}": authority.issue(parse_holder(SITE, "table", f"t{n}"), 1)[0]
            for n in range(tables)
        }
        self.revoked, _ = authority.issue(parse_holder(SITE, "table", f"t{tables}"), 1)
        certificate = x509.load_pem_x509_certificate(self.revoked.read_bytes())
        authority.revoke(certificate.serial_number)
        tls = ("--cert", str(own), "--ca", str(self.root))
        self.house = House(folder, tables + 1, "--http", "127.0.0.1:0", *tls)

    @asynccontextmanager
    async def table(self, table: str) -> AsyncIterator["Table"]:
        """A table that has attached, with a connection of its own."""
        identity = Identity(self._tables[table], self.root)
        async with (
            open_channel(self.house.address, identity) as channel,
            TableClient(channel, SITE, table) as client,
        ):
            await client.attach()
            yield Table(client)

    async def meters_micros(self) -> int:
        """What the sign shows, all levels together."""
        identity = Identity(self._tables["t0"], self.root)
        async with open_channel(self.house.address, identity) as channel:
            stub: Any = meter_pb2_grpc.MeterServiceStub(channel)
            request = meter_pb2.ListMetersRequest(site=SITE, link=SIGN)
            (link,) = (await stub.ListMeters(request)).links
            return sum(meter.amount_micros for meter in link.meters)


class Table:
    """Plays whole rounds at a pace, times its lock-outs, and notes every answer."""

    def __init__(self, client: TableClient) -> None:
        self._client = client
        self._deals = cycle(losing_deals())
        self._number = 0
        self.answers: Answers = {}
        self.wagers = 0  # posted, of a dollar each
        self.lock_outs_us: list[int] = []

    async def play(self, every_s: float, ended: asyncio.Event) -> None:
        """Rounds by the clock until told to stop; the last one is finished."""
        client, due_at = self._client, time.perf_counter()
        seats = range(1, WAGERS + 1)
        wagers = [pb.Wager(seat=seat, bet=FIVE, amount_micros=DOLLAR) for seat in seats]
        while not ended.is_set():
            await self._note(client.open_round())
            await self._note(client.place_wagers(wagers))
            due_at = max(due_at + every_s, time.perf_counter())
            await asyncio.sleep(due_at - time.perf_counter())
            began = time.perf_counter()
            await self._note(client.lock_out())
            self.lock_outs_us.append(int((time.perf_counter() - began) * 1e6))
            await self._note(client.confirm_collection({FIVE: WAGERS}))
            self.wagers += WAGERS
            deal = next(self._deals)
            await self._note(client.settle(deal.hands, deal.dealer))

    async def _note(self, answer: Any) -> None:
        self._number += 1
        identity = (self._client.table, self._client.epoch, self._number)
        self.answers[identity] = (await answer).sequence


def lost(store: Path, answers: Answers) -> int:
    """How many answers the journal does not have once, where they were said to be."""
    places: dict[tuple[str, int, int], list[int]] = {}
    with closing(open_to_read(store)) as journal:
        after = 0
        while entries := journal.read(SITE, after, 1_000):
            for entry in entries:
                origin = codec.decode_entry(SITE, entry).origin
                if isinstance(origin, TableOrigin):
                    identity = (origin.table, origin.epoch, origin.number)
                    places.setdefault(identity, []).append(entry.sequence)
            after = entries[-1].sequence
    return sum(places.get(identity) != [sequence] for identity, sequence in answers.items())
