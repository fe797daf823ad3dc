"""The stations of a device process, and its gRPC services: each RPC is a command of a station."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Any, TypeVar

import grpc
from google.protobuf.message import Message
from msgspec import structs

from emulator.devices.local import LocalDevices
from emulator.devices.timing import DeviceClock
from table_client.table.devices import wire
from table_client.table.devices.device_faults import Fault
from table_client.table.devices.model import (
    MAX_NAME,
    Delivery,
    Device,
    Method,
    Retirement,
    StationConfig,
    StationStatus,
)
from table_client.table.devices.refusals import DeviceLost, DeviceRefused, Reason
from table_client.table.devices.v1 import devices_pb2 as pb

M = TypeVar("M", bound=Message)

MAX_STATIONS = 256
MAX_ANSWERS = 256  # a station


def verify_name(field: str, text: str) -> None:
    """Refuse an empty, long or unprintable name."""
    if not (0 < len(text) <= MAX_NAME and text.isprintable()):
        raise DeviceRefused(Reason.INVALID_COMMAND, field=field, most=MAX_NAME)


class OpenedStation:
    """A station with its recent answers."""

    def __init__(self, devices: LocalDevices) -> None:
        self.devices = devices
        self._answers: OrderedDict[str, tuple[bytes, asyncio.Future[Any]]] = OrderedDict()

    async def answer(self, request_id: str, request: Message, run: Callable[[], Awaitable[M]]) -> M:
        """Run a command once; the same again gets the same answer, even while it runs.

        A caller that goes away does not stop its command: the cards would be half dealt.
        """
        verify_name("request_id", request_id)
        digest = sha256(
            type(request).__name__.encode() + request.SerializeToString(deterministic=True)
        ).digest()
        kept = self._answers.get(request_id)
        if kept is None:
            task: asyncio.Future[Any] = asyncio.ensure_future(run())
            self._answers[request_id] = (digest, task)
            task.add_done_callback(lambda done: self._forget_if_refused(request_id, done))
            if len(self._answers) > MAX_ANSWERS:
                self._answers.popitem(last=False)
        elif kept[0] != digest:
            raise DeviceRefused(Reason.REQUEST_ID_REUSED, request_id=request_id)
        else:
            task = kept[1]
        answer: M = await asyncio.shield(task)
        return answer

    def _forget_if_refused(self, request_id: str, task: asyncio.Future[Any]) -> None:
        # A refused command changed nothing, so it may be tried again under its own id.
        if task.cancelled() or task.exception() is not None:
            self._answers.pop(request_id, None)


class Registry:
    """All stations of the process."""

    def __init__(
        self, *, speed: float = 0, seed: str = "", rates_ppm: Mapping[Fault, int] | None = None
    ) -> None:
        self._speed = speed
        self._seed = seed
        self._rates_ppm = dict(rates_ppm or {})
        self._stations: dict[str, OpenedStation] = {}
        self.draining = False

    async def open(self, name: str, config: StationConfig) -> OpenedStation:
        """The station of that name; new, or as it is if its settings are the same."""
        self._verify_not_draining()
        verify_name("station", name)
        if config.seed:
            verify_name("seed", config.seed)
        else:
            config = structs.replace(config, seed=self._seed)
        station = self._stations.get(name)
        if station is None:
            if len(self._stations) >= MAX_STATIONS:
                raise DeviceRefused(Reason.TOO_MANY, stations=len(self._stations))
            devices = LocalDevices(name, config, DeviceClock(self._speed))
            station = self._stations[name] = OpenedStation(devices)
            await devices.set_fault_rates(self._rates_ppm)
        elif station.devices.config != config:
            raise DeviceRefused(Reason.STATION_DIFFERS, station=name)
        return station

    def get(self, name: str) -> OpenedStation:
        """The open station of that name."""
        self._verify_not_draining()
        station = self._stations.get(name)
        if station is None:
            raise DeviceRefused(Reason.STATION_UNKNOWN, station=name[:MAX_NAME])
        return station

    async def close(self, name: str) -> bool:
        """Close a station; says whether it was open."""
        station = self._stations.pop(name, None)
        if station is not None:
            await station.devices.close()
        return station is not None

    async def drain(self) -> None:
        """Refuse everything from now on, and end all watchers."""
        self.draining = True
        for name in list(self._stations):
            await self.close(name)

    def _verify_not_draining(self) -> None:
        if self.draining:
            raise DeviceRefused(Reason.SHUTTING_DOWN)


# ruff: noqa: N802 - the methods have the names that the proto gives them


Log = Callable[..., None]
Context = grpc.aio.ServicerContext[Any, Any]

# The commands whose answer is the station's status.
_COMMANDS: dict[str, Callable[[LocalDevices, Any], Awaitable[StationStatus]]] = {
    "LoadDeck": lambda devices, asked: devices.load_deck(asked.back),
    "Shuffle": lambda devices, _: devices.shuffle(),
    "Eject": lambda devices, _: devices.eject(),
    "Cut": lambda devices, asked: devices.cut(asked.cards_from_top),
    "RemoveDeck": lambda devices, asked: devices.remove_deck(asked.back),
    "RetireDevice": lambda devices, asked: devices.retire(
        wire.member(Device, asked.device), wire.member(Retirement, asked.how)
    ),
    "RestoreDevice": lambda devices, asked: devices.restore(wire.member(Device, asked.device)),
    "ChangeMethod": lambda devices, asked: devices.change_method(wire.member(Method, asked.method)),
    "InjectFault": lambda devices, asked: devices.inject_fault(
        wire.member(Fault, asked.fault), skip=asked.skip, seat=asked.seat
    ),
    "SetFaultRates": lambda devices, asked: devices.set_fault_rates(
        {wire.member(Fault, rate.fault): rate.rate_ppm for rate in asked.rates}
    ),
    "PassTime": lambda devices, asked: devices.pass_time(asked.ms),
}


class DeviceServices:
    """Both services over one registry of stations; `_COMMANDS` become methods of it below."""

    def __init__(self, registry: Registry, log: Log) -> None:
        self._registry = registry
        self._log = log

    async def OpenStation(
        self, request: pb.OpenStationRequest, context: Context
    ) -> pb.OpenStationResponse:
        """Set a station up, or find it as it is."""
        async with self._refusing(context):
            verify_name("request_id", request.request_id)
            config = wire.from_wire(StationConfig, request.config)
            station = await self._registry.open(request.station, config)
            status = station.devices.glance()
        self._log("station open", station=request.station, method=status.method)
        return pb.OpenStationResponse(status=wire.to_wire(status))

    async def CloseStation(
        self, request: pb.CloseStationRequest, context: Context
    ) -> pb.CloseStationResponse:
        """Give a station up with its cards."""
        async with self._refusing(context):
            verify_name("request_id", request.request_id)
        if await self._registry.close(request.station):
            self._log("station closed", station=request.station)
        return pb.CloseStationResponse()

    async def GetStation(
        self, request: pb.GetStationRequest, context: Context
    ) -> pb.GetStationResponse:
        """Show a station."""
        async with self._refusing(context):
            status = self._registry.get(request.station).devices.glance()
        return pb.GetStationResponse(status=wire.to_wire(status))

    async def AwaitShuffle(
        self, request: pb.AwaitShuffleRequest, context: Context
    ) -> pb.AwaitShuffleResponse:
        """Answer when the shuffler is no longer at work."""
        async with self._refusing(context):
            status = await self._registry.get(request.station).devices.await_shuffle()
        return pb.AwaitShuffleResponse(status=wire.to_wire(status))

    async def Dispense(self, request: pb.DispenseRequest, context: Context) -> pb.DispenseResponse:
        """Deal."""

        async def run(devices: LocalDevices) -> pb.DispenseResponse:
            deliveries = [wire.from_wire(Delivery, delivery) for delivery in request.deliveries]
            dispensed = await devices.dispense(deliveries)
            return pb.DispenseResponse(
                status=wire.to_wire(dispensed.status),
                delivered=[wire.to_wire(each) for each in dispensed.delivered],
            )

        return await self.command(request, context, run)

    async def RemoveStub(
        self, request: pb.RemoveStubRequest, context: Context
    ) -> pb.RemoveStubResponse:
        """Take what is left out of the shoe."""

        async def run(devices: LocalDevices) -> pb.RemoveStubResponse:
            stub = await devices.remove_stub(count=request.count, to_hand=request.to_hand)
            return pb.RemoveStubResponse(status=wire.to_wire(stub.status), counted=stub.counted)

        return await self.command(request, context, run)

    async def Watch(
        self, request: pb.WatchRequest, context: Context
    ) -> AsyncIterator[pb.WatchResponse]:
        """Stream events; the flow control of the connection holds a slow watcher back."""
        async with self._refusing(context):
            devices = self._registry.get(request.station).devices
            after = request.after_sequence if request.HasField("after_sequence") else None
            batches = devices.watch_batches(after)
            yield pb.WatchResponse(status=wire.to_wire(devices.glance()))
            async for events in batches:
                yield pb.WatchResponse(events=[wire.event_to_wire(event) for event in events])

    async def command(
        self, request: Any, context: Context, run: Callable[[LocalDevices], Awaitable[M]]
    ) -> M:
        """Run a command of a station once, however often it is sent."""
        async with self._refusing(context):
            station = self._registry.get(request.station)
            return await station.answer(request.request_id, request, lambda: run(station.devices))
        raise AssertionError("abort does not return")

    @asynccontextmanager
    async def _refusing(self, context: Context) -> AsyncIterator[None]:
        """Answer what the devices refuse with an error status."""
        try:
            yield
        except (DeviceRefused, DeviceLost) as refusal:
            if isinstance(refusal, DeviceLost):
                gone = Reason.SHUTTING_DOWN if self._registry.draining else Reason.STATION_UNKNOWN
                refusal = DeviceRefused(gone)
            code = grpc.StatusCode[refusal.reason.code]
            await context.abort(code, str(refusal), wire.refusal_to_wire(refusal))


def _method(name: str) -> Callable[..., Awaitable[Any]]:
    response, do = getattr(pb, f"{name}Response"), _COMMANDS[name]

    async def method(self: DeviceServices, request: Any, context: Context) -> Any:
        async def run(devices: LocalDevices) -> Any:
            return response(status=wire.to_wire(await do(devices, request)))

        return await self.command(request, context, run)

    return method


for _name in _COMMANDS:
    setattr(DeviceServices, _name, _method(_name))
