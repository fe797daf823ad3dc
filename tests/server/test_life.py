"""A controller's life: self-check, health, drain, set-up, and where it listens."""

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from grpc.aio import AioRpcError
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from jackpot.core.reasons import Reason
from jackpot.engine.commit_points import POINTS, Point
from jackpot.reports.walk import open_walk
from jackpot.rules.site import load_site
from jackpot.server.setup import SetupError
from jackpot.store.journal import Journal, StoreError
from jackpot.store.opening import Address, journal_opener
from jackpot.wire.address import AddressError, verify_address, verify_loopback
from jackpot.wire.v1 import meter_pb2, operator_pb2, table_pb2
from tests.server.house import (
    SITE,
    House,
    info_of,
    open_house,
    serving,
    site_text,
    status_of,
    wagers,
    write_site,
)

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


async def health(house: House, service: str = "") -> Any:
    """What the health service says."""
    stub = health_pb2_grpc.HealthStub(house.channel)
    return (await stub.Check(health_pb2.HealthCheckRequest(service=service))).status


@pytest.mark.parametrize("service", ["", "TableService", "MeterService", "OperatorService"])
async def test_health_says_serving(service: str, house: House) -> None:
    """Every service, and the controller as a whole, can be asked for."""
    assert await health(house, f"jackpot.v1.{service}" if service else "") == SERVING


async def test_reflection_lists_the_services(house: House) -> None:
    """A tool without our proto files can find its way."""
    stub = reflection_pb2_grpc.ServerReflectionStub(house.channel)
    call = stub.ServerReflectionInfo(
        iter([reflection_pb2.ServerReflectionRequest(list_services="")])
    )
    services = {s.name for s in (await call.read()).list_services_response.service}
    ours = {f"jackpot.v1.{name}Service" for name in ("Table", "Meter", "Operator")}
    assert ours <= services


@pytest.mark.parametrize("version", ["v1", "v1alpha"])
async def test_reflection_has_the_reasons(version: str, house: House) -> None:
    """Both versions of the protocol, the same on the wire, and every file of the contract."""
    asked = reflection_pb2.ServerReflectionRequest(file_by_filename="jackpot/v1/reason.proto")
    call: Any = house.channel.stream_stream(
        f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo",
        request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
    )(iter([asked]))
    found = (await call.read()).file_descriptor_response.file_descriptor_proto
    assert any(b"jackpot/v1/reason.proto" in file for file in found)


async def test_health_list_is_answered_without_a_traceback(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    """Newer tools call it: it has the controller as a whole, and each of its services."""
    call: Any = house.channel.unary_unary(
        "/grpc.health.v1.Health/List",
        response_deserializer=health_pb2.HealthListResponse.FromString,
    )
    listed = (await call(b"")).statuses
    assert {"", "jackpot.v1.TableService"} <= listed.keys()
    assert {each.status for each in listed.values()} == {SERVING}
    assert not [record for record in caplog.records if record.exc_info]


@pytest.mark.parametrize("point", [p for p in POINTS if p != "snapshot"])
async def test_a_writer_that_fails_answers_at_once_and_health_flips(
    point: Point, tmp_path: Path, store: Address
) -> None:
    """Wherever the writer raises, whoever waits is answered, health says so, and it recovers."""
    broken = False

    def open_journal() -> Journal:
        if broken:
            raise StoreError("still broken")
        return journal_opener(store)()

    async with open_house(tmp_path, store, journal_factory=open_journal) as house:
        dealer = await house.dealer("t4")
        house.faults.raise_at, broken = point, True
        begun = time.monotonic()
        with pytest.raises(AioRpcError) as caught:
            await dealer.do("open_round")
        assert time.monotonic() - begun < 1
        assert info_of(status_of(caught.value)).reason == Reason.STORE_UNAVAILABLE
        await until(house, NOT_SERVING, 1)
        house.faults.raise_at, broken = None, False
        await until(house, SERVING, 20)
        assert (await dealer.do("open_round", number=1)).round == 1


async def until(house: House, status: Any, within_s: float) -> None:
    """Wait for a state of health."""
    for _ in range(int(within_s / 0.02)):
        if await health(house) == status:
            return
        await asyncio.sleep(0.02)
    assert await health(house) == status


async def test_a_drain_answers_what_was_read_and_ends_the_streams(house: House) -> None:
    """On stop, commands that were sent are carried out and answered, then streams end DRAINING."""
    dealer = await house.dealer("t4")
    call = house.tables.Play()
    house.faults.hold_at = "before-commit"
    await call.write(
        table_pb2.PlayRequest(
            site=SITE,
            table="t4",
            epoch=dealer.epoch,
            commands=[
                table_pb2.PlayCommand(number=1, open_round=table_pb2.OpenRound()),
                table_pb2.PlayCommand(number=2, place_wagers=wagers(1)),
            ],
        )
    )
    watching = house.meters.WatchMeters(meter_pb2.WatchMetersRequest(site=SITE))
    await asyncio.sleep(0.1)
    stopping = asyncio.create_task(house.controller.stop())
    await asyncio.sleep(0.1)
    house.faults.hold_at = None
    house.faults.go_on.set()
    results: list[Any] = []
    with pytest.raises(AioRpcError) as caught:
        await _read_all(call, results)
    kinds = [result.WhichOneof("result") for result in results]
    assert kinds == ["open_round", "place_wagers"]
    assert info_of(status_of(caught.value)).reason == Reason.DRAINING
    with pytest.raises(AioRpcError):
        await _read_all(watching, [])
    await asyncio.wait_for(stopping, 5)


async def _read_all(call: Any, results: list[Any]) -> None:
    async for response in call:
        results.extend(getattr(response, "results", ()))


async def test_a_restart_knows_everything(tmp_path: Path, store: Address) -> None:
    """A second controller on the same data goes on where the first one stopped."""
    async with open_house(tmp_path, store) as house:
        dealer = await house.dealer("t4")
        await dealer.locked(1, 2)
        first = await house.balances()
    async with open_house(tmp_path, store) as house:
        assert await house.balances() == first
        again = await house.tables.LockOut(
            table_pb2.LockOutRequest(id=dealer.id(3), command=table_pb2.LockOut())
        )
        assert [wager.seat for wager in again.wagers] == [1, 2]
        tables = await house.operators.GetTable(operator_pb2.GetTableRequest(site=SITE, table="t4"))
        assert tables.table.round.phase == table_pb2.ROUND_PHASE_LOCKED


async def test_a_site_file_may_add_but_not_change(tmp_path: Path, store: Address) -> None:
    """A new table is defined at the next start; a changed link stops it with one clear line."""
    async with open_house(tmp_path, store):
        pass
    async with open_house(tmp_path, store, many=1) as house:
        await house.dealer("s0")
    changed = site_text().replace('wager = "$5"', 'wager = "$1"')
    site = load_site(write_site(tmp_path, changed))
    with pytest.raises(SetupError, match=r"^link mega: wager is \$5.00 in the journal and \$1.00"):
        async with serving(store, site):
            pass


async def test_a_site_file_may_say_it_in_other_words(tmp_path: Path, store: Address) -> None:
    """A new title is journaled at the next start, shown, and journaled only once."""
    async with open_house(tmp_path, store) as house:
        before = await house.meter("mega")
    site = load_site(write_site(tmp_path, site_text().replace('title = "mega"', 'title = "Giga"')))
    async with serving(store, site) as house:
        told = await house.meters.ListMeters(meter_pb2.ListMetersRequest(site=SITE))
        assert {link.link: link.title for link in told.links}["mega"] == "Giga"
        assert await house.meter("mega") == before
    async with serving(store, site):
        pass
    with open_walk(store) as walk:
        assert sum(entry.kind == "LinkDescribed" for entry in walk.entries()) == 1


async def test_a_port_that_is_taken_is_an_error(house: House, tmp_path: Path) -> None:
    """Two controllers never share a port unnoticed."""
    site = load_site(write_site(tmp_path, site_text()))
    with pytest.raises(AddressError, match="cannot listen there"):
        async with serving(tmp_path / "other", site, address=house.address):
            pass


@pytest.mark.parametrize(
    "address", ["localhost", "127.0.0.1:65536", "localhost:99999", ":1", "a:b"]
)
def test_an_address_has_a_host_and_a_port(address: str) -> None:
    """A port that would be taken for another one is refused, in one clear line."""
    with pytest.raises(AddressError, match="is not a valid address"):
        verify_address(address)
    verify_address("127.0.0.1:65535")


@pytest.mark.parametrize("address", ["127.0.0.1:1", "localhost:1", "[::1]:1", "127.9.9.9:0"])
def test_loopback_is_fine(address: str) -> None:
    """Only this machine can reach these."""
    verify_loopback(address)


@pytest.mark.parametrize("address", ["0.0.0.0:1", "[::]:1", "192.0.2.1:1", "example.org:1", ":1"])
def test_without_tls_there_is_only_loopback(address: str) -> None:
    """Whatever others could reach is refused."""
    with pytest.raises(AddressError):
        verify_loopback(address)
