"""What a caller can make the audit log grow is bounded, and nothing is lost of what it did."""

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from jackpot import audit_log
from jackpot.audit_log import BURST, AuditLog, record_denial
from jackpot.wire.refusals import from_rpc_error
from jackpot.wire.v1 import operator_pb2, operator_pb2_grpc
from tests.auth.secured import secured
from tests.server.house import SITE

MANY = 3 * BURST


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """A log of which no other test has used up anything, and which is quick to tell."""
    monkeypatch.setattr(audit_log, "_AUDIT", AuditLog(passed=lambda: 0))
    monkeypatch.setattr(audit_log, "TELL_S", 0.05)


def lines(caplog: pytest.LogCaptureFixture) -> list[dict[str, object]]:
    """What the log says."""
    return [json.loads(r.getMessage()) for r in caplog.records if r.name == "jackpot.audit"]


async def test_a_table_that_is_denied_without_end_fills_no_disk(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Over gRPC: a burst of lines and one with the count; another caller has lines of its own."""
    caplog.set_level(logging.INFO, "jackpot.audit")
    async with secured(tmp_path) as house:
        request = operator_pb2.ListLinksRequest(site=SITE)
        for role, name, calls in (("table", "t1", MANY), ("table", "t2", 1)):
            async with house.channel(house.identity(role, name)) as channel:
                stub: Any = operator_pb2_grpc.OperatorServiceStub(channel)
                for start in range(0, calls, 50):
                    asked = [stub.ListLinks(request) for _ in range(min(50, calls - start))]
                    found = await asyncio.gather(*asked, return_exceptions=True)
                    codes = {from_rpc_error(each).code for each in found}
                    assert codes == {"PERMISSION_DENIED"}
        await asyncio.sleep(0.2)
    said = lines(caplog)
    denied = [each["principal"] for each in said if "denied" in each]
    assert denied.count("table:t1") == BURST
    assert denied.count("table:t2") == 1
    counted = [each["not_written"] for each in said if each.get("caller") == "table:t1"]
    assert sum(map(int, map(str, counted))) == MANY - BURST


async def test_strangers_are_counted_by_their_host(caplog: pytest.LogCaptureFixture) -> None:
    """A new connection does not begin anew; and no line is longer than it need be."""
    caplog.set_level(logging.INFO, "jackpot.audit")
    for port in range(MANY):
        record_denial("x" * 5_000, f"ipv4:10.0.0.9:{port}", "", "no certificate")
    record_denial("x", "ipv6:%5B::1%5D:5", "", "no certificate")
    await asyncio.sleep(0.2)
    said = lines(caplog)
    assert sum("denied" in each for each in said) == BURST + 1
    assert {"caller": "ipv4:10.0.0.9", "not_written": MANY - BURST} in said
    assert all(len(json.dumps(each)) < 1_000 for each in said)
