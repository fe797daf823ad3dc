"""A revoked certificate stays revoked, whatever list lies there when a controller starts again."""

import signal
from pathlib import Path

import grpc
import pytest

from jackpot.auth.authority import CRL
from jackpot.wire.channels import Identity
from jackpot.wire.refusals import RefusedError, from_rpc_error
from jackpot.wire.v1 import meter_pb2, meter_pb2_grpc
from table_client.client import open_channel
from tests.e2e.test_rapid_reset import Floor


async def refusal(floor: Floor, certificate: Path) -> RefusedError:
    """What a call with a certificate comes to."""
    async with open_channel(floor.process.address, Identity(certificate, floor.root)) as channel:
        stub: meter_pb2_grpc.MeterServiceAsyncStub = meter_pb2_grpc.MeterServiceStub(channel)
        with pytest.raises(grpc.RpcError) as caught:
            await stub.ListSites(meter_pb2.ListSitesRequest(), timeout=20)
    return from_rpc_error(caught.value)


@pytest.mark.process
async def test_a_restart_with_an_older_list_lets_nobody_back_in(tmp_path: Path) -> None:
    """The newest list is kept beside the witness, and the caller is told what is wrong."""
    floor = Floor(tmp_path)
    crl = tmp_path / "ca" / CRL
    older = crl.read_bytes()
    certificate = floor.certificate("s1", revoked=True)
    said = "The certificate is revoked: ask the authority's administrator for a new one."
    with floor.process:
        assert (await refusal(floor, certificate)).message == said
        floor.process.signal(signal.SIGTERM)
        assert floor.process.wait() == 0
        assert (tmp_path / f"data.witness.{CRL}").read_bytes() == crl.read_bytes()
        crl.write_bytes(older)
        floor.process.start()
        again = await refusal(floor, certificate)
    assert (again.message, again.metadata["fault"]) == (said, "revoked")
