"""Calls that are opened and reset at once cost nobody else a call, whoever makes them."""

import asyncio
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from cryptography import x509

from emulator.attacks.attack import Attack
from emulator.attacks.on_grpc_port import MAX_CONCURRENT_STREAMS, MAX_HEADER_LIST_SIZE, Resetting
from jackpot.auth.authority import CA_CERTIFICATE, Authority
from jackpot.auth.holder import parse_holder
from jackpot.wire.channels import Identity
from jackpot.wire.limits import MAX_CALLS, MAX_METADATA_BYTES
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import table_pb2, table_pb2_grpc
from table_client.client import open_channel
from tests.e2e.process import Process
from tests.server.house import SITE

SECONDS = 4
NICE = 5  # the machine may be small, and the controller is to be held up by calls, not by us
MANY = 2_000  # resets; the controller's queue of calls holds 1,000


class Floor:
    """A controller behind TLS, and an authority that knows tables."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "ca" / CA_CERTIFICATE
        self.authority = Authority.create(folder / "ca", "House")
        controller, _ = self.authority.issue_server(("127.0.0.1", "localhost"), 1)
        tls = ("--cert", str(controller), "--ca", str(self.root))
        self.process = Process(folder, options=tls)

    def certificate(self, table: str, *, revoked: bool = False) -> Path:
        """A table's certificate."""
        path, _ = self.authority.issue(parse_holder(SITE, "table", table), 1)
        if revoked:
            serial = x509.load_pem_x509_certificate(path.read_bytes()).serial_number
            self.authority.revoke(serial)
        return path

    def resets(self, certificate: Path) -> Attack:
        """Calls that a certificate opens and resets, as fast as it can."""
        where = (self.process.address, str(self.root), str(certificate))
        return Attack("resets", *where, nice=NICE)


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[Floor]:
    """The usual site."""
    floor = Floor(tmp_path)
    with floor.process:
        yield floor


def test_a_connection_is_told_how_many_calls_it_may_have(floor: Floor) -> None:
    """HTTP/2 would allow as many as one likes."""
    attack = floor.resets(floor.certificate("s1"))
    with Resetting(*attack.where, attack.tls("h2")) as client:
        assert client.settings[MAX_CONCURRENT_STREAMS] == MAX_CALLS == 100
        assert client.settings[MAX_HEADER_LIST_SIZE] == MAX_METADATA_BYTES


@pytest.mark.parametrize("revoked", [False, True], ids=["good", "revoked"])
async def test_calls_reset_at_once_cost_nobody_a_call(floor: Floor, *, revoked: bool) -> None:
    """While one certificate opens and resets calls, another table's are all answered."""
    attack = floor.resets(floor.certificate("s1", revoked=revoked))
    identity = Identity(floor.certificate("s0"), floor.root)
    async with open_channel(floor.process.address, identity) as channel:
        stub: table_pb2_grpc.TableServiceAsyncStub = table_pb2_grpc.TableServiceStub(channel)
        attach = table_pb2.AttachRequest(site=SITE, table="s0", request_id=new_request_id())
        epoch = (await stub.Attach(attach)).epoch
        beat = table_pb2.HeartbeatRequest(site=SITE, table="s0", epoch=epoch)
        resetting = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "emulator.attacks"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        assert resetting.stdin is not None
        assert resetting.stdout is not None
        resetting.stdin.write(msgspec.json.encode(attack) + b"\n")
        assert await resetting.stdout.readline() == b"attacking\n"
        ends_at = time.monotonic() + SECONDS
        answered = 0
        while time.monotonic() < ends_at:
            await stub.Heartbeat(beat, timeout=30)  # raises if the call is lost
            answered += 1
            await asyncio.sleep(0.01)
        resetting.stdin.close()
        assert int((await resetting.communicate())[0].split()[-1]) > MANY
        assert answered > 1
