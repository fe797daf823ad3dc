"""What a caller is told of a certificate that is no good: what is wrong, and what to do."""

from pathlib import Path
from typing import Any

import grpc
import pytest

from jackpot.auth.callers import Actor, Fault
from jackpot.auth.gate import Gate
from jackpot.core.reasons import MEANINGS, Reason
from jackpot.server.errors import refused, status_of
from jackpot.wire.refusals import from_rpc_error, from_status
from jackpot.wire.v1 import meter_pb2, meter_pb2_grpc
from tests.auth.secured import Secured, secured


@pytest.mark.parametrize("fault", Fault)
def test_every_fault_has_a_sentence_of_its_own(fault: Fault) -> None:
    """It names the fault and says what to do; the same stands in the metadata, for programs."""
    error = refused(Reason.UNAUTHENTICATED, fault=fault.name.lower(), principal="floor:flo")
    told = from_status(status_of(error.refusal))
    assert told.metadata == {"fault": fault.name.lower(), "principal": "floor:flo"}
    assert told.message != MEANINGS[Reason.UNAUTHENTICATED].sentence
    assert told.message.endswith(".")
    assert ": " in told.message


@pytest.mark.parametrize("fault", [Fault.REVOKED, Fault.EXPIRED])
async def test_a_call_and_a_stream_are_told_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Fault
) -> None:
    """A watcher whose certificate ends while it watches hears why, and so does its next call."""
    async with secured(tmp_path) as house:
        flo = house.identity("floor", "flo")
        async with house.channel(flo) as channel:
            stub: meter_pb2_grpc.MeterServiceAsyncStub = meter_pb2_grpc.MeterServiceStub(channel)
            watching = stub.WatchMeters(meter_pb2.WatchMetersRequest(site="house"), timeout=30)
            await watching.read()
            _end(house, monkeypatch, fault)
            heard = []
            with pytest.raises(grpc.RpcError) as caught:
                await _to_the_end(watching)
            heard.append(from_rpc_error(caught.value))
        async with house.channel(flo) as channel:
            stub = meter_pb2_grpc.MeterServiceStub(channel)
            with pytest.raises(grpc.RpcError) as caught:
                await stub.ListSites(meter_pb2.ListSitesRequest(), timeout=30)
            heard.append(from_rpc_error(caught.value))
        for each in heard:
            assert each.reason == "UNAUTHENTICATED"
            assert each.metadata == {"fault": fault.name.lower(), "principal": "floor:flo"}
            assert each.message.startswith(f"The certificate {fault.split('certificate ')[1]}: ask")


async def _to_the_end(stream: Any) -> None:
    while await stream.read():
        pass


def _end(house: Secured, monkeypatch: pytest.MonkeyPatch, fault: Fault) -> None:
    """Let everybody's certificate be no good; TLS itself still takes it."""

    def found(_: Gate, __: Actor) -> Fault:
        return fault

    monkeypatch.setattr(type(house.gate), "fault", found)
