"""One caller's flood of requests, with ids as far ahead as is taken, costs nobody else anything."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from grpc.aio import AioRpcError

from jackpot.core.reasons import Reason
from jackpot.engine import Limits
from jackpot.rules.site import load_site
from jackpot.server.admission import SITE_FILE
from jackpot.verify import verify
from jackpot.wire.request_id import make_request_id, new_request_id, request_id_time_ms
from jackpot.wire.v1 import operator_pb2, operator_pb2_grpc, table_pb2, table_pb2_grpc
from tests.auth.secured import secured
from tests.server.house import (
    SITE,
    House,
    info_of,
    open_house,
    serving,
    site_text,
    status_of,
    write_site,
)

FEW = 10
FLOOD = 4_200 + FEW  # more than all principals together were once remembered for
AT_ONCE = 50  # of the 100 calls that one connection may have open
AHEAD_MS = 590_000


def future_ids() -> list[str]:
    """Ids almost ten minutes ahead."""
    start_ms = request_id_time_ms(new_request_id()) + AHEAD_MS
    return [make_request_id(start_ms + number // 1_000, number + 1) for number in range(FLOOD)]


async def flood(tables: Any, table: str) -> list[str]:
    """Attach and attach, so many at once that some overtake others; the ids."""
    ids = future_ids()
    requests = [table_pb2.AttachRequest(site=SITE, table=table, request_id=each) for each in ids]
    for first in range(0, FLOOD - FEW, AT_ONCE):
        calls = (tables.Attach(each, timeout=60) for each in requests[first : first + AT_ONCE])
        await asyncio.gather(*calls, return_exceptions=True)
    for request in requests[-FEW:]:
        await tables.Attach(request, timeout=60)
    return ids


async def refusal(call: Any) -> str:
    """Why a call is refused."""
    with pytest.raises(AioRpcError) as caught:
        await call
    return str(info_of(status_of(caught.value)).reason)


async def test_a_tables_certificate_locks_out_nobody(tmp_path: Path) -> None:
    """Operators and other tables are served, repeats are repeats, and a start goes through."""
    suspend = operator_pb2.SuspendLinkRequest(site=SITE, link="five", request_id=new_request_id())
    attach = table_pb2.AttachRequest(site=SITE, table="t2", request_id=new_request_id())
    async with (
        secured(tmp_path, limits=Limits(attaches_burst=FLOOD)) as house,  # so all are journaled
        house.channel(house.identity("table", "t1")) as table,
        house.channel(house.identity("table", "t2")) as other,
        house.channel(house.identity("operations")) as staff,
    ):
        tables: Any = table_pb2_grpc.TableServiceStub(table)
        others: Any = table_pb2_grpc.TableServiceStub(other)
        operators: Any = operator_pb2_grpc.OperatorServiceStub(staff)
        suspended, attached = await operators.SuspendLink(suspend), await others.Attach(attach)
        ids = await flood(tables, "t1")

        assert await operators.SuspendLink(suspend) == suspended
        assert (await others.Attach(attach)).epoch == attached.epoch
        resume = operator_pb2.ResumeLinkRequest(site=SITE, link="five", request_id=new_request_id())
        assert (await operators.ResumeLink(resume)).sequence > suspended.sequence
        again = table_pb2.AttachRequest(site=SITE, table="t2", request_id=new_request_id())
        assert (await others.Attach(again)).epoch == attached.epoch + 1

        last, fourth, fifth = (
            table_pb2.AttachRequest(site=SITE, table="t1", request_id=ids[-back])
            for back in (1, 4, 5)
        )
        assert (await tables.Attach(last)).epoch == (await tables.Attach(fourth)).epoch + 3
        assert await refusal(tables.Attach(fifth)) == Reason.REQUEST_TOO_OLD

    site = load_site(write_site(tmp_path, site_text(many=3)))  # with tables that are new
    async with serving(tmp_path / "data", site) as restarted:
        assert (await restarted.dealer("s2")).epoch == 1
        fresh = table_pb2.AttachRequest(site=SITE, table="t2", request_id=again.request_id)
        assert (await restarted.tables.Attach(fresh)).epoch == attached.epoch + 1
    assert verify(tmp_path / "data").ok


async def test_a_persons_flood_is_their_own(house: House) -> None:
    """Only they have to wait until their ids are no longer old."""
    ids = future_ids()[:400]
    for first in range(0, len(ids), AT_ONCE):
        calls = [
            refusal(house.operate("SuspendLink", each, "ann/ops", link="none"))
            for each in ids[first : first + AT_ONCE]
        ]
        await asyncio.gather(*calls)
        house.clock.ahead_s += 3  # refusals are journaled only so fast
    own = house.operate("SuspendLink", who="ann/ops", link="five")
    assert await refusal(own) == Reason.REQUEST_TOO_OLD
    assert (await house.operate("SuspendLink", who="bob/ops", link="five")).sequence
    assert (await house.dealer("t4")).epoch == 1


async def test_nobody_speaks_as_the_controller(tmp_path: Path) -> None:
    """Without TLS a caller may take any name but the one that a start needs."""
    async with open_house(tmp_path) as house:
        call = house.operate("SuspendLink", who=f"{SITE_FILE}/ops", link="five")
        assert await refusal(call) == Reason.MALFORMED
