"""The load of a benchmark, in a process of its own: it is told what to do, and says what it saw.

Reads one JSON line, connects and builds its messages, says "ready", waits for "go", runs, prints
one JSON line, and ends when its input does. Closed: each table has so many messages unanswered.
Open: messages leave by the clock whatever the answers do, and an answer's latency counts from the
moment at which its message should have left.
"""

import asyncio
import json
import sys
import time
from typing import Any

import grpc
import msgspec
import uvloop

from emulator.bench.messages import SITE, WAGERS, messages, wagers_in
from emulator.bench.servers import PLACE, PLAY
from jackpot.file_limit import raise_file_limit
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import table_pb2 as pb

_ATTACH = "/jackpot.v1.TableService/Attach"
_VOID = "/jackpot.v1.TableService/VoidRound"
_MOST_KEPT = 400_000


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


class Seen(msgspec.Struct):
    """What was seen."""

    messages: int
    wagers: int
    elapsed_s: float
    cpu_s: float
    latencies_us: list[int]


class Streams:
    """Tables on Play streams."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._channels: list[grpc.aio.Channel] = []
        self._calls: list[Any] = []
        self._loads: list[list[tuple[bytes, int]]] = []
        self._latencies: list[int] = []

    async def prepare(self) -> None:
        """Connect, attach, open the streams, and build every message."""
        job = self._job
        for _ in range(job.channels or job.tables):
            options = [("grpc.use_local_subchannel_pool", 1)]
            self._channels.append(grpc.aio.insecure_channel(job.address, options=options))
        each = max(1, job.count // job.tables)
        for table in range(job.tables):
            epoch = await self._attach(table) if job.attach else 1
            self._loads.append(messages(job.messages, table, job.links, epoch, each))
            call: Any = self._channel(table).stream_stream(PLAY)()
            await call.wait_for_connection()
            self._calls.append(call)

    def _channel(self, table: int) -> grpc.aio.Channel:
        return self._channels[table % len(self._channels)]

    async def _attach(self, table: int) -> int:
        """Speak for a table; a round that an earlier run left is voided."""
        channel = self._channel(table)
        attach: Any = channel.unary_unary(
            _ATTACH, pb.AttachRequest.SerializeToString, pb.AttachResponse.FromString
        )
        void: Any = channel.unary_unary(
            _VOID, pb.VoidRoundRequest.SerializeToString, pb.VoidRoundResponse.FromString
        )
        while True:
            request = pb.AttachRequest(site=SITE, table=f"t{table}", request_id=new_request_id())
            answer = await attach(request)
            if answer.round.phase in (pb.ROUND_PHASE_UNSPECIFIED, pb.ROUND_PHASE_SETTLED):
                return int(answer.epoch)
            which = pb.CommandId(site=SITE, table=f"t{table}", epoch=answer.epoch, number=1)
            undo = pb.VoidRound(irregularity="benchmark")
            await void(pb.VoidRoundRequest(id=which, command=undo))

    async def run(self) -> Seen:
        """All tables at once."""
        began, cpu = time.perf_counter(), time.process_time()
        tables = enumerate(zip(self._calls, self._loads, strict=True))
        await asyncio.gather(*(self._table(t, *each, began) for t, each in tables))
        return Seen(
            sum(map(len, self._loads)),
            sum(wagers_in(self._job.messages, len(load)) for load in self._loads),
            time.perf_counter() - began,
            time.process_time() - cpu,
            self._latencies[:_MOST_KEPT],
        )

    async def _table(
        self, table: int, call: Any, load: list[tuple[bytes, int]], began: float
    ) -> None:
        job = self._job
        room = asyncio.Semaphore(job.window)
        left_at: list[float] = []
        gap_s = job.tables / job.rate if job.rate else 0.0
        offset_s = gap_s * table / job.tables

        async def send() -> None:
            for place, (raw, _) in enumerate(load):
                due = began + offset_s + place * gap_s
                if gap_s and (early_s := due - time.perf_counter()) > 0:
                    await asyncio.sleep(early_s)
                await room.acquire()
                left_at.append(due if gap_s else time.perf_counter())
                await call.write(raw)
            await call.done_writing()

        sending = asyncio.create_task(send())
        owed, parse = 0, pb.PlayResponse.FromString
        for place, (_, count) in enumerate(load):
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


class Unary:
    """Tables that send one wager by one RPC, and wait for the answer."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._channel = grpc.aio.insecure_channel(job.address)
        self._latencies: list[int] = []

    async def prepare(self) -> None:
        """Nothing to build: the message is always the same."""
        wagers = [pb.Wager(seat=n + 1, bet="b", amount_micros=1) for n in range(self._job.wagers)]
        self._raw = pb.PlaceWagersRequest(
            id=pb.CommandId(site=SITE, table="t0", epoch=1, number=1),
            command=pb.PlaceWagers(wagers=wagers),
        ).SerializeToString()
        await self._channel.channel_ready()

    async def run(self) -> Seen:
        """Each table one after the other, all tables at once."""
        job = self._job
        each = max(1, job.count // job.tables)
        began, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*(self._table(each) for _ in range(job.tables)))
        elapsed, used = time.perf_counter() - began, time.process_time() - cpu
        count = each * job.tables
        return Seen(count, count * job.wagers, elapsed, used, self._latencies[:_MOST_KEPT])

    async def _table(self, count: int) -> None:
        call: Any = self._channel.unary_unary(PLACE)
        for _ in range(count):
            left_at = time.perf_counter()
            await call(self._raw)
            self._latencies.append(int((time.perf_counter() - left_at) * 1e6))


async def work(job: Job) -> None:
    """One run."""
    if job.kind == "postgres":
        from emulator.bench.postgres import PostgresLoad  # noqa: PLC0415 - an extra package

        load: Any = PostgresLoad(job)
    else:
        load = Streams(job) if job.kind == "stream" else Unary(job)
    await load.prepare()
    _say("ready")
    await asyncio.to_thread(sys.stdin.readline)
    seen = await load.run()
    _say(msgspec.json.encode(seen).decode())
    await asyncio.to_thread(sys.stdin.read)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """Do what the first line says."""
    raise_file_limit()
    job = msgspec.convert(json.loads(sys.stdin.readline()), Job)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(work(job))


if __name__ == "__main__":
    main()
