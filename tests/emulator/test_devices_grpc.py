"""Devices over gRPC: a real process, real sockets, and the same behavior as in one's own."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from uuid import uuid4

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from emulator.devices.local import LocalDevices
from emulator.devices.service import MAX_ANSWERS, MAX_STATIONS
from table_client.table.devices import wire
from table_client.table.devices.api import Devices
from table_client.table.devices.client import DeviceConnection
from table_client.table.devices.device_faults import Fault, Target
from table_client.table.devices.model import (
    HOUR_MS,
    MAX_NAME,
    Delivery,
    Device,
    DeviceEvent,
    DeviceState,
    Method,
    Retirement,
    ShufflerKind,
    StationConfig,
    StationStatus,
)
from table_client.table.devices.procedure import prepare_round
from table_client.table.devices.refusals import DeviceLost, DeviceRefused, Reason
from table_client.table.devices.v1 import devices_pb2 as pb
from table_client.table.devices.v1 import devices_pb2_grpc as pb_grpc
from tests.emulator.device_process import DeviceProcess, running
from tests.emulator.stations import STACK, refused

pytestmark = pytest.mark.process

SEEDED = StationConfig(seed="grpc")
CONTINUOUS = StationConfig(Method.CONTINUOUS_SHOE, ShufflerKind.NONE, seed="grpc")
ROUND = [*(Delivery(Target.PLAYER, 5, seat) for seat in range(1, 7)), Delivery(Target.DEALER, 5)]


@pytest.fixture(scope="module")
def process() -> Iterator[DeviceProcess]:
    """One process for all tests that leave it alive; each takes a station of its own."""
    with running("--speed", "0") as devices:
        yield devices


@pytest.fixture
async def connection(process: DeviceProcess) -> AsyncIterator[DeviceConnection]:
    """A connection to that process."""
    async with DeviceConnection(process.address) as connected:
        yield connected


@pytest.fixture
def name() -> str:
    """A station that no other test uses."""
    return uuid4().hex


async def take(events: AsyncIterator[DeviceEvent], count: int) -> list[DeviceEvent]:
    """So many events, soon."""
    return [await asyncio.wait_for(anext(events), 10) for _ in range(count)]


async def drama(devices: Devices) -> list[StationStatus | tuple[object, ...] | int | None]:
    """Play with everything that devices can do; tell all that they answered."""
    told: list[StationStatus | tuple[object, ...] | int | None] = []
    await devices.inject_fault(Fault.SHUFFLER_JAM)
    await devices.set_fault_rates({Fault.CARD_FACE_UP: 30_000})
    told.append(await prepare_round(devices))
    dispensed = await devices.dispense(ROUND)
    told += [dispensed.delivered, dispensed.status]
    stub = await devices.remove_stub(count=True)
    told += [stub.counted, stub.status]
    await prepare_round(devices)
    await devices.inject_fault(Fault.SHOE_OUT_OF_ORDER, skip=1)
    told.append((await devices.dispense(ROUND)).delivered)
    told.append((await devices.remove_stub()).counted)
    told.append(await devices.retire(Device.SHOE, Retirement.COVER))
    told.append(await devices.change_method(Method.HAND))
    told.append(await devices.pass_time(4 * HOUR_MS))
    told.append(await prepare_round(devices))
    told.append(await devices.cut(20))
    told.append((await devices.dispense([Delivery(Target.DEALER)] * 5)).delivered)
    told.append((await devices.remove_stub()).status)
    told.append(await devices.restore(Device.SHOE))
    told.append(await devices.change_method(Method.AUTOMATED_SHOE))
    told.append(await prepare_round(devices))
    told.append((await devices.dispense([STACK])).delivered)
    told.append((await devices.remove_stub(to_hand=True)).status)
    told.append(await devices.status())
    return told


async def test_remote_devices_do_what_local_ones_do(connection: DeviceConnection) -> None:
    """The same seed and commands give the same answers and the same events, on both sides."""
    name = "drama"  # chance depends on it, and now and then a card lies face up too early
    local = LocalDevices(name, SEEDED)
    remote = await connection.open_station(name, SEEDED)
    assert await drama(remote) == await drama(local)
    last = (await local.status()).sequence
    assert await take(remote.watch(0), last) == await take(local.watch(0), last)


async def test_a_refusal_arrives_with_its_reason_and_details(
    connection: DeviceConnection, name: str
) -> None:
    """The client raises what the station raised, word for word."""
    local = LocalDevices(name, SEEDED)
    remote = await connection.open_station(name, SEEDED)
    refusals = []
    for devices in (local, remote):
        await prepare_round(devices)
        with pytest.raises(DeviceRefused) as caught:
            await devices.load_deck("red")
        refusals.append(caught.value)
    assert refusals[0].reason is refusals[1].reason is Reason.STUB_IN_SHOE
    assert refusals[0].details == refusals[1].details == {"deck": "red"}
    assert str(refusals[0]) == str(refusals[1])


async def test_a_station_is_found_as_it_was(connection: DeviceConnection, name: str) -> None:
    """Opened again with the same settings it is the same; with others it is refused."""
    devices = await connection.open_station(name, SEEDED)
    await devices.load_deck("red")
    again = await connection.open_station(name, SEEDED)
    assert (await again.status()).tray_deck == "red"
    with refused(Reason.STATION_DIFFERS):
        await connection.open_station(name, CONTINUOUS)
    await devices.close()
    fresh = await connection.open_station(name, CONTINUOUS)
    assert (await fresh.status()).decks == ()


async def test_a_closed_station_ends_its_watchers(connection: DeviceConnection, name: str) -> None:
    """Watchers and later commands find the devices lost; closing twice is no error."""
    devices = await connection.open_station(name, SEEDED)
    await devices.load_deck("red")
    events = devices.watch(0)
    await take(events, 1)
    await devices.close()
    await devices.close()
    with pytest.raises(DeviceLost):
        await take(events, 100)
    with pytest.raises(DeviceLost):
        await devices.load_deck("red")


async def test_the_same_request_is_answered_once_and_never_dealt_twice(
    connection: DeviceConnection, name: str
) -> None:
    """Sent again, even at the same moment, a command gets its first answer; other content none."""
    devices = await connection.open_station(name, SEEDED)
    await prepare_round(devices)
    request = pb.DispenseRequest(request_id="once", station=name, deliveries=[wire.to_wire(STACK)])
    answers = await asyncio.gather(
        *(connection.devices.Dispense(request, timeout=10) for _ in range(5))
    )
    answers.append(await connection.devices.Dispense(request, timeout=10))
    assert all(answer == answers[0] for answer in answers)
    assert (await devices.status()).dealt_cards == 5
    request.deliveries.append(wire.to_wire(STACK))
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await connection.devices.Dispense(request, timeout=10)
    assert caught.value.code() is grpc.StatusCode.ALREADY_EXISTS
    other = pb.RemoveStubRequest(request_id="once", station=name)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await connection.devices.RemoveStub(other, timeout=10)
    assert caught.value.code() is grpc.StatusCode.ALREADY_EXISTS


async def test_a_refused_request_may_be_tried_again(
    connection: DeviceConnection, name: str
) -> None:
    """Nothing happened, so the same id works once the state allows it."""
    devices = await connection.open_station(name, SEEDED)
    request = pb.ShuffleRequest(request_id="again", station=name)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await connection.devices.Shuffle(request, timeout=10)
    assert caught.value.code() is grpc.StatusCode.FAILED_PRECONDITION
    await devices.load_deck("red")
    await connection.devices.Shuffle(request, timeout=10)
    assert (await devices.status()).shuffles == 1


async def test_only_recent_answers_are_kept(connection: DeviceConnection, name: str) -> None:
    """An answer older than the last 256 is forgotten: its command would be carried out anew."""
    await connection.open_station(name, SEEDED)
    first = pb.PassTimeRequest(request_id="first", station=name, ms=1)
    await connection.emulation.PassTime(first, timeout=10)
    for number in range(MAX_ANSWERS):
        request = pb.PassTimeRequest(request_id=str(number), station=name, ms=0)
        await connection.emulation.PassTime(request, timeout=10)
    answer = await connection.emulation.PassTime(first, timeout=10)
    assert answer.status.at_ms == 2


@pytest.mark.parametrize(("request_id", "allowed"), [(0, False), (MAX_NAME, True), (65, False)])
async def test_a_command_needs_an_identity(
    connection: DeviceConnection, name: str, request_id: int, *, allowed: bool
) -> None:
    """A request id has 1 to 64 characters."""
    await connection.open_station(name, SEEDED)
    request = pb.PassTimeRequest(request_id="x" * request_id, station=name)
    if allowed:
        await connection.emulation.PassTime(request, timeout=10)
        return
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await connection.emulation.PassTime(request, timeout=10)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


@pytest.mark.parametrize(
    "request_of",
    [
        lambda name: pb.OpenStationRequest(request_id="a", station=name),
        lambda name: pb.OpenStationRequest(
            request_id="a", station=name * 3, config=wire.to_wire(SEEDED)
        ),
        lambda _: pb.OpenStationRequest(request_id="a", station="", config=wire.to_wire(SEEDED)),
        lambda name: pb.OpenStationRequest(
            request_id="a",
            station=name,
            config=wire.to_wire(StationConfig(seed="s" * (MAX_NAME + 1))),
        ),
        lambda name: pb.OpenStationRequest(
            request_id="a",
            station=name,
            config=wire.to_wire(StationConfig(first_shuffle=0)),
        ),
    ],
)
async def test_a_malformed_station_is_refused(
    connection: DeviceConnection, name: str, request_of: object
) -> None:
    """Settings unspecified, names empty or too long, shuffles before the first."""
    assert callable(request_of)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await connection.devices.OpenStation(request_of(name), timeout=10)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_a_message_too_large_is_turned_away(connection: DeviceConnection, name: str) -> None:
    """More than 64 KiB is not even read."""
    devices = await connection.open_station(name, SEEDED)
    with pytest.raises(DeviceLost, match="RESOURCE_EXHAUSTED"):
        await devices.load_deck("x" * 65_537)
    with refused(Reason.INVALID_COMMAND):
        await devices.load_deck("x" * 17)


async def test_a_watcher_that_does_not_read_is_ended(
    process: DeviceProcess, connection: DeviceConnection, name: str
) -> None:
    """A slow watcher costs bounded memory: when its events are gone it is told, and ends."""
    devices = await connection.open_station(name, CONTINUOUS)
    # A window that does not grow, so that the connection holds little back.
    options = (("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 16_384))
    async with grpc.aio.insecure_channel(process.address, options=options) as channel:
        stub = pb_grpc.DeviceServiceStub(channel)
        watch = stub.Watch(pb.WatchRequest(station=name))
        first = await anext(aiter(watch))
        assert first.HasField("status")
        for _ in range(300):
            await devices.load_deck("red")
            await devices.dispense([Delivery(Target.OTHER)] * 40)
            await devices.pass_time(0)
            if (await devices.status()).decks[0].age_ms > 7 * HOUR_MS:
                await devices.remove_deck("red")
        seen: list[int] = []

        async def read_on() -> None:
            async for response in watch:
                seen.extend(event.sequence for event in response.events)

        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await asyncio.wait_for(read_on(), 10)
    assert caught.value.code() is grpc.StatusCode.OUT_OF_RANGE
    assert seen == list(range(1, len(seen) + 1))
    assert len(seen) < (await devices.status()).sequence


async def test_the_process_says_that_it_is_well(process: DeviceProcess) -> None:
    """Health checks of the process and its services answer SERVING."""
    async with grpc.aio.insecure_channel(process.address) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        for service in ("", "devices.v1.DeviceService", "devices.v1.EmulationService"):
            request = health_pb2.HealthCheckRequest(service=service)
            answer = await stub.Check(request, timeout=10)
            assert answer.status == health_pb2.HealthCheckResponse.SERVING


async def test_only_so_many_stations_are_open() -> None:
    """The last that fits is opened, one more is refused, and a closed one makes room."""
    with running("--speed", "0") as devices:
        async with DeviceConnection(devices.address) as connection:
            stations = [
                await connection.open_station(f"s{number}", SEEDED)
                for number in range(MAX_STATIONS)
            ]
            with refused(Reason.TOO_MANY):
                await connection.open_station("one more", SEEDED)
            await stations[0].close()
            await connection.open_station("one more", SEEDED)


async def test_a_process_gives_its_seed_and_fault_rates_to_stations() -> None:
    """Without a seed of its own a station has the process's; at a full rate every shuffle fails."""
    with running("--speed", "0", "--seed", "all", "--fault-rate", "1000000") as devices:
        async with DeviceConnection(devices.address) as connection:
            station = await connection.open_station("t", StationConfig())
            status = await station.status()
            assert status.seeded
            await station.load_deck("red")
            await station.shuffle()
            status = await station.await_shuffle()
            assert status.shuffler is DeviceState.JAMMED
