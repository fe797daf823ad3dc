"""An address for staff: a process of its own, which neither tables nor its own death keep down."""

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import grpc
import pytest

from jackpot.wire.channels import Identity
from jackpot.wire.refusals import from_rpc_error
from jackpot.wire.v1 import meter_pb2, meter_pb2_grpc
from table_client.client import TableClient, open_channel
from tests.auth.test_listeners import read_on
from tests.cli.test_commands import run
from tests.e2e.process import Process
from tests.e2e.test_fronts import is_there
from tests.e2e.test_pages_process import WAGER
from tests.e2e.test_staff import Staff
from tests.engine.pit import eventually
from tests.server.house import SITE, free_port

pytestmark = pytest.mark.process

LISTENING = "0A"  # in /proc/net/tcp


class Parted:
    """A controller with an address for staff, and an authority that knows all its callers."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.staff = Staff(folder)
        self.address = f"127.0.0.1:{free_port()}"
        self.log = folder / "log"
        options = (*self.staff.options, "--staff", self.address, *options)
        self.process = Process(folder, options=options, log=self.log)
        self.flo = self.staff.identity("floor", "flo")
        self.table = self.staff.identity("table", "s0")

    def front(self) -> int:
        """The process that listens at the staff's address; 0 where none does."""
        return next((each for each in self.process.fronts if self._listens(each)), 0)

    def _listens(self, process: int) -> bool:
        port = f":{int(self.address.rpartition(':')[2]):04X}"
        with suppress(OSError):  # it has ended, or closed something meanwhile
            sockets = {str(each.readlink()) for each in Path(f"/proc/{process}/fd").iterdir()}
            for table in ("tcp", "tcp6"):
                for line in Path(f"/proc/{process}/net/{table}").read_text().splitlines()[1:]:
                    _, local, _, state, *_, inode = line.split()[:10]
                    listens = local.endswith(port) and state == LISTENING
                    if listens and f"socket:[{inode}]" in sockets:
                        return True
        return False


@pytest.fixture
def parted(tmp_path: Path) -> Iterator[Parted]:
    """The usual site, with one front for tables."""
    found = Parted(tmp_path, "--fronts", "1")
    with found.process:
        yield found


async def meters(address: str, identity: Identity) -> int:
    """How many links somebody sees over a new connection."""
    async with open_channel(address, identity) as channel:
        stub: meter_pb2_grpc.MeterServiceAsyncStub = meter_pb2_grpc.MeterServiceStub(channel)
        request = meter_pb2.ListMetersRequest(site=SITE)
        return len((await stub.ListMeters(request, timeout=20, wait_for_ready=True)).links)


@pytest.mark.parametrize("fronts", ["0", "1", "2"])
def test_staff_call_at_an_address_of_their_own(tmp_path: Path, fronts: str) -> None:
    """It is said when the controller serves; elsewhere they are told where it is."""
    parted = Parted(tmp_path, "--fronts", fronts)
    with parted.process as process:
        assert process.said() == f"staff on {parted.address}\n"
        assert len(process.fronts) == (int(fronts) and int(fronts) + 1)
        assert bool(parted.front()) is (fronts != "0")
        flo = parted.staff.person(parted.address, "floor", "flo")
        assert "five" in flo.does("link", "list")
        lost = parted.staff.person(process.address, "floor", "flo").fails("link", "list")
        assert lost.startswith("NOT_ALLOWED: Staff have an address of their own at this controller")
        assert parted.address in lost
        stray = parted.staff.person(parted.address, "table", "s0").fails("meters")
        assert stray.startswith("NOT_ALLOWED: This address is for staff only")
        assert process.address in stray
        assert process.stop() == 0


async def test_a_killed_staff_front_is_back_and_no_table_notices(parted: Parted) -> None:
    """Its people connect again; the tables' front and their streams stay."""
    process, first = parted.process, parted.front()
    (tables,) = set(process.fronts) - {first}
    async with (
        open_channel(process.address, parted.table) as channel,
        TableClient(channel, SITE, "s0") as client,
    ):
        await client.attach()
        await client.open_round()
        await client.place_wagers([WAGER])
        os.kill(first, signal.SIGKILL)
        await client.lock_out()
        await eventually(lambda: parted.front() not in (0, first), within_s=30)
        await client.void_round("MISDEALT")
    assert await meters(parted.address, parted.flo) > 0
    assert tables in process.fronts
    assert process.stop() == 0
    assert "alarm FRONT_LOST: the staff's front stopped unexpectedly" in parted.log.read_text()


async def test_what_keeps_the_tables_front_from_answering_does_not_keep_staff(
    parted: Parted,
) -> None:
    """A front that does nothing is what a flood makes of it at the worst."""
    (tables,) = set(parted.process.fronts) - {parted.front()}
    os.kill(tables, signal.SIGSTOP)
    try:
        async with asyncio.timeout(4):  # the ledger ends it after five unanswered pings
            assert await meters(parted.address, parted.flo) > 0
        assert is_there(tables)
    finally:
        os.kill(tables, signal.SIGCONT)


async def test_a_second_controller_on_the_staff_port_is_refused(
    parted: Parted, tmp_path: Path
) -> None:
    """In one line, before it writes anything; while the staff's front is dead, too."""
    site, other = str(parted.process.site), tmp_path / "other"
    options = ("--store", str(other), *parted.staff.options, "--staff", parted.address)
    os.kill(parted.front(), signal.SIGKILL)
    result = await asyncio.to_thread(
        run, "serve", "--site", site, "--grpc", f"127.0.0.1:{free_port()}", *options
    )
    assert (result.returncode, result.stdout) == (1, "")
    why = f"Error: {parted.address}: cannot listen there: Address already in use"
    assert result.stderr.splitlines() == [why]
    assert not other.exists()
    assert await meters(parted.address, parted.flo) > 0


async def test_staff_are_drained_as_tables_are(parted: Parted) -> None:
    """A stream of theirs ends with DRAINING, their front with the controller, and both restart."""
    process = parted.process
    fronts = process.fronts
    async with open_channel(parted.address, parted.flo) as channel:
        stub: Any = meter_pb2_grpc.MeterServiceStub(channel)
        stream = stub.WatchMeters(meter_pb2.WatchMetersRequest(site=SITE))
        assert await stream.read()
        began_s = time.monotonic()
        process.signal(signal.SIGTERM)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await read_on(stream)
    assert from_rpc_error(caught.value).reason == "DRAINING"
    assert await asyncio.to_thread(process.wait) == 0
    assert time.monotonic() - began_s < 10
    assert not any(map(is_there, fronts))
    process.start()
    assert await meters(parted.address, parted.flo) > 0


async def test_the_staff_front_ends_with_its_ledger(parted: Parted) -> None:
    """The ledger is killed; the next controller has both ports at once."""
    fronts = parted.process.fronts
    assert len(fronts) == 2
    parted.process.kill()
    parted.process.start()
    assert not any(map(is_there, fronts))
    assert await meters(parted.address, parted.flo) > 0
