"""The load of a benchmark, in a process of its own: it is told what to do, and says what it saw.

Reads one JSON line, connects and builds its messages, says "ready", waits for "go", runs, prints
one JSON line, pays what was won, waits for the next, and ends when its input does. Closed: each
table has so many messages unanswered. Open: messages leave by the clock whatever the answers do,
and an answer's latency counts from the moment at which its message should have left.
"""

import asyncio
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, TypeVar

import click
import grpc
import msgspec
import uvloop

from emulator.bench.messages import DOLLAR, SITE, WAGERS, Message, messages, site_id
from emulator.bench.servers import PLACE, PLAY
from jackpot.tuning import raise_file_limit
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import operator_pb2, operator_pb2_grpc
from jackpot.wire.v1 import table_pb2 as pb

_ATTACH = "/jackpot.v1.TableService/Attach"
_MOST_KEPT = 400_000
# As many as are worth it: the tables wait for one row, and each process costs the others time.
_POOL = 16
_AT_ONCE = 32  # attachments, or payouts
T = TypeVar("T")


class Job(msgspec.Struct):
    """What to do."""

    kind: str  # "stream", "unary" or "postgres"
    address: str
    tables: int
    count: int  # messages in all
    window: int = 4
    links: int = 1
    attach: bool = False
    one_reply_each: bool = False  # a message is answered by one message, whatever is in it
    rate: float = 0.0  # messages a second; 0: closed
    messages: str = "wagers"  # or "rounds": what is sent on a stream
    wagers: int = WAGERS  # in a call that is no stream
    channels: int = 1  # 0: one a table
    others: tuple[str, ...] = ()  # more controllers: tables are spread over all, sites if several
    sites: int = 1  # each with so many tables


class Seen(msgspec.Struct):
    """What was seen."""

    messages: int
    commands: int
    wagers: int
    rounds: int
    elapsed_s: float
    cpu_s: float
    latencies_us: list[int]


class Streams:
    """Tables on Play streams."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._channels: list[grpc.aio.Channel] = []
        self._calls: list[Any] = []
        self._loads: list[list[Message]] = []
        self._latencies: list[int] = []

    async def prepare(self) -> None:
        """Connect, attach, open the streams, and build every message."""
        job = self._job
        addresses = (job.address, *job.others)
        for place in range(max(len(addresses), job.channels or job.tables)):
            options = [("grpc.use_local_subchannel_pool", 1)]
            address = addresses[place % len(addresses)]
            self._channels.append(grpc.aio.insecure_channel(address, options=options))
        each = max(1, job.count // (job.tables * job.sites))

        async def seat(number: int, table: int) -> tuple[list[Message], Any]:
            channel = self._channels[(number if job.sites > 1 else table) % len(self._channels)]
            site = site_id(number)
            epoch = await attach(channel, site, f"t{table}") if job.attach else 1
            call: Any = channel.stream_stream(PLAY)()
            await call.wait_for_connection()
            return messages(job.messages, table, job.links, epoch, each, site), call

        for some in batched(list(product(range(job.sites), range(job.tables))), _AT_ONCE):
            for load, call in await asyncio.gather(*(seat(*place) for place in some)):
                self._loads.append(load)
                self._calls.append(call)

    async def run(self) -> Seen:
        """All tables at once."""
        began, cpu = time.perf_counter(), time.process_time()
        tables = enumerate(zip(self._calls, self._loads, strict=True))
        await asyncio.gather(*(self._table(t, *each, began) for t, each in tables))
        return Seen(
            sum(map(len, self._loads)),
            sum(message.commands for load in self._loads for message in load),
            sum(message.wagers for load in self._loads for message in load),
            sum(message.rounds for load in self._loads for message in load),
            time.perf_counter() - began,
            time.process_time() - cpu,
            self._latencies[:_MOST_KEPT],
        )

    async def close(self) -> None:
        """Pay what was won, as a floor does all the time, and hang up."""
        if self._job.messages == "rounds" and self._job.attach:
            await pay(self._channels[0])
        for channel in self._channels:
            await channel.close()

    async def _table(self, table: int, call: Any, load: list[Message], began: float) -> None:
        job = self._job
        room = asyncio.Semaphore(job.window)
        left_at: list[float] = []
        gap_s = job.tables / job.rate if job.rate else 0.0
        offset_s = gap_s * table / job.tables

        async def send() -> None:
            for place, (raw, *_) in enumerate(load):
                due = began + offset_s + place * gap_s
                if gap_s and (early_s := due - time.perf_counter()) > 0:
                    await asyncio.sleep(early_s)
                await room.acquire()
                left_at.append(due if gap_s else time.perf_counter())
                await call.write(raw)
            await call.done_writing()

        sending = asyncio.create_task(send())
        owed, parse = 0, pb.PlayResponse.FromString
        for place, (_, count, *_) in enumerate(load):
            owed += count
            while owed > 0:
                results = parse(await call.read()).results
                owed -= count if job.one_reply_each else len(results)
                for result in results:
                    if result.WhichOneof("result") == "error":
                        raise RuntimeError(f"refused: {result}")
            self._latencies.append(int((time.perf_counter() - left_at[place]) * 1e6))
            room.release()
        await sending


async def attach(channel: grpc.aio.Channel, site: str, table: str) -> int:
    """Speak for a table; its epoch. A round that an earlier run left is voided, by the floor."""
    call: Any = channel.unary_unary(
        _ATTACH, pb.AttachRequest.SerializeToString, pb.AttachResponse.FromString
    )
    answer = await call(pb.AttachRequest(site=site, table=table, request_id=new_request_id()))
    if answer.round.phase not in (pb.ROUND_PHASE_UNSPECIFIED, pb.ROUND_PHASE_SETTLED):
        floor: Any = operator_pb2_grpc.OperatorServiceStub(channel)
        left = {"table": table, "round": answer.round.number, "irregularity": "MISDEALT"}
        void = operator_pb2.VoidTableRoundRequest(site=site, request_id=new_request_id(), **left)
        await floor.VoidTableRound(void)
    return int(answer.epoch)


async def pay(channel: grpc.aio.Channel) -> None:
    """Validate and pay every open payout, down the list."""
    floor: Any = operator_pb2_grpc.OperatorServiceStub(channel)
    open_ = (await floor.ListPayouts(operator_pb2.ListPayoutsRequest(site=SITE))).payouts
    checked = [
        operator_pb2.ValidatePayoutRequest(site=SITE, payout=each.id, floorperson="floor")
        for each in open_
        if each.needs_floorperson
    ]
    paid = [operator_pb2.PayPayoutRequest(site=SITE, payout=each.id) for each in open_]
    for call, requests in ((floor.ValidatePayout, checked), (floor.PayPayout, paid)):
        for request in requests:
            request.request_id = new_request_id()
        for some in batched(requests, _AT_ONCE):
            await asyncio.gather(*map(call, some))


def batched(things: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """So many at a time."""
    return (things[n : n + size] for n in range(0, len(things), size))


class Calls:
    """Tables that make one call after the other, and wait for each answer."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._latencies: list[int] = []

    async def run(self) -> Seen:
        """All tables at once."""
        job = self._job
        each = max(1, job.count // job.tables)
        began, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*(self._table(each) for _ in range(job.tables)))
        elapsed, used = time.perf_counter() - began, time.process_time() - cpu
        count = each * job.tables
        wagers = count * job.wagers
        kept = self._latencies[:_MOST_KEPT]
        return Seen(count, count, wagers, wagers // WAGERS, elapsed, used, kept)

    async def _table(self, count: int) -> None:
        for place in range(count):
            left_at = time.perf_counter()
            await self._call(place)
            self._latencies.append(int((time.perf_counter() - left_at) * 1e6))

    async def _call(self, place: int) -> None:
        raise NotImplementedError

    async def close(self) -> None:
        """Hang up."""


class Unary(Calls):
    """Calls of a unary RPC."""

    async def prepare(self) -> None:
        """Connect; the message is always the same."""
        channel = self._channel = grpc.aio.insecure_channel(self._job.address)
        wagers = [pb.Wager(seat=n + 1, bet="b", amount_micros=1) for n in range(self._job.wagers)]
        self._raw = pb.PlaceWagersRequest(
            id=pb.CommandId(site=SITE, table="t0", epoch=1, number=1),
            command=pb.PlaceWagers(wagers=wagers),
        ).SerializeToString()
        self._place: Any = channel.unary_unary(PLACE)
        await channel.channel_ready()

    async def _call(self, _place: int) -> None:
        await self._place(self._raw)

    async def close(self) -> None:
        """Hang up."""
        await self._channel.close()


class Procedure(Calls):
    """Calls of PostgreSQL's stored procedure, over a pool of connections."""

    async def prepare(self) -> None:
        """Connect, and have every connection prepare the call."""
        import psycopg  # noqa: PLC0415 - an extra package

        name = "place_wagers" if self._job.wagers > 1 else "place_wager"
        if self._job.messages == "rounds":
            name = "play_round"
        self._query = f"SELECT {name}(1, %s, {DOLLAR})"
        self._pool: list[Any] = []
        for _ in range(min(_POOL, self._job.tables)):
            connection = await psycopg.AsyncConnection.connect(self._job.address, autocommit=True)
            await self._execute(connection, 0)
            self._pool.append(connection)
        self._free = asyncio.Semaphore(len(self._pool))  # whoever waits longest is next

    async def _call(self, place: int) -> None:
        async with self._free:
            connection = self._pool.pop()
            await self._execute(connection, place)
            self._pool.append(connection)

    async def _execute(self, connection: Any, place: int) -> None:
        second = self._job.wagers if self._job.wagers > 1 else place % WAGERS + 1
        found = await connection.execute(self._query, (second,), prepare=True)
        await found.fetchone()

    async def close(self) -> None:
        """Hang up."""
        for connection in self._pool:
            await connection.close()


async def work(job: Job) -> None:
    """One run."""
    kinds: dict[str, Any] = {"stream": Streams, "unary": Unary, "postgres": Procedure}
    load = kinds[job.kind](job)
    await load.prepare()
    click.echo("ready")
    await asyncio.to_thread(sys.stdin.readline)
    seen = await load.run()
    click.echo(msgspec.json.encode(seen))
    await load.close()


def main() -> None:
    """Do what each line says."""
    raise_file_limit()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        while line := sys.stdin.readline():
            runner.run(work(msgspec.json.decode(line, type=Job)))


if __name__ == "__main__":
    main()
