"""Two controller processes on one store; on an SQLite file for safety, never for throughput."""

import asyncio
import signal
from pathlib import Path
from typing import Any

import pytest
from tenacity import stop_after_delay

from jackpot.store.opening import Address
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import table_pb2, table_pb2_grpc
from table_client.client import open_channel
from table_client.conversation import retried
from tests.e2e.load import LoadTable, check, journal_of, meter_micros, shown_micros
from tests.e2e.process import Process
from tests.server.house import SITE

pytestmark = pytest.mark.process


async def test_both_take_wagers_for_one_link(tmp_path: Path, store: Address) -> None:
    """Three tables at each, one controller killed and restarted meanwhile: one true meter."""
    with Process(tmp_path, store) as one, Process(tmp_path, store) as other:
        stop = asyncio.Event()
        async with open_channel(one.address) as first, open_channel(other.address) as second:
            tables = [LoadTable(first, f"s{number}") for number in range(3)]
            tables += [LoadTable(second, f"s{number}") for number in range(3, 6)]
            playing = [asyncio.create_task(table.play(stop)) for table in tables]
            await asyncio.sleep(1)
            await asyncio.to_thread(other.kill)
            await asyncio.to_thread(other.start)
            await asyncio.sleep(1)
            stop.set()
            await asyncio.wait_for(asyncio.gather(*playing), 60)
            shown = [await shown_micros(channel) for channel in (first, second)]
            assert shown == [meter_micros(tables)] * 2
        assert (one.stop(), other.stop()) == (0, 0)
        check(one.store, tables)
        assert min(len(table.acknowledged) for table in tables) > 0


async def test_one_identity_on_both_is_one_command(tmp_path: Path, store: Address) -> None:
    """Sent to both, one of which is paused before it can commit: carried out once."""
    one, other = Process(tmp_path, store), Process(tmp_path, store)
    with one:
        other.start("before-lock:stop:1")
        try:
            async with open_channel(one.address) as first, open_channel(other.address) as second:
                stubs = [_tables(channel) for channel in (first, second)]
                attached = await stubs[0].Attach(
                    table_pb2.AttachRequest(site=SITE, table="s0", request_id=new_request_id())
                )
                which = table_pb2.CommandId(site=SITE, table="s0", epoch=attached.epoch, number=1)
                request = table_pb2.OpenRoundRequest(id=which, command=table_pb2.OpenRound())
                paused = asyncio.ensure_future(stubs[1].OpenRound(request, timeout=20))
                await asyncio.sleep(0.3)
                # The signal may catch it a few instructions later, with the file locked: then the
                # first one can only say "unknown, send it again" until the lock is free.
                free = asyncio.ensure_future(
                    retried(
                        lambda: _call(stubs[0].OpenRound(request, timeout=20)), stop_after_delay(20)
                    )
                )
                await asyncio.sleep(0.3)
                assert not paused.done()
                other.signal(signal.SIGCONT)
                answered = await free
                assert await paused == answered
        finally:
            other.kill()
    assert journal_of(one.store) == {("s0", 1, 1): [answered.sequence]}


async def _call(call: Any) -> Any:
    return await call


def _tables(channel: Any) -> "table_pb2_grpc.TableServiceAsyncStub":
    stub: table_pb2_grpc.TableServiceAsyncStub = table_pb2_grpc.TableServiceStub(channel)
    return stub
