"""The devices' gRPC services: each RPC is a command of a station, and a refusal an error status."""

# ruff: noqa: N802 - the methods have the names that the proto gives them

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NoReturn, TypeVar

import grpc
from google.protobuf.message import Message

from emulator.devices.local import LocalDevices
from emulator.devices.registry import Registry, verify_name
from table_client.table.devices import messages as wire
from table_client.table.devices.faults import Fault
from table_client.table.devices.model import Device, Method, Retirement, StationStatus
from table_client.table.devices.refusals import EXPLANATIONS, DeviceLost, DeviceRefused, Reason
from table_client.table.devices.v1 import devices_pb2 as pb
from table_client.table.devices.v1 import devices_pb2_grpc as pb_grpc

Log = Callable[..., None]
Context = grpc.aio.ServicerContext[Any, Any]
M = TypeVar("M", bound=Message)


class DeviceServices(pb_grpc.DeviceServiceServicer, pb_grpc.EmulationServiceServicer):
    """Both services over one registry of stations."""

    def __init__(self, registry: Registry, log: Log) -> None:
        self._registry = registry
        self._log = log

    async def OpenStation(
        self, request: pb.OpenStationRequest, context: Context
    ) -> pb.OpenStationResponse:
        """Set a station up, or find it as it is."""
        try:
            verify_name("request_id", request.request_id)
            config = wire.config_from_wire(request.config)
            station = await self._registry.open(request.station, config)
            status = station.devices.glance()
        except (DeviceRefused, DeviceLost) as refusal:
            await self._refuse(refusal, context)
        self._log("station open", station=request.station, method=status.method)
        return pb.OpenStationResponse(status=wire.status_to_wire(status))

    async def CloseStation(
        self, request: pb.CloseStationRequest, context: Context
    ) -> pb.CloseStationResponse:
        """Give a station up with its cards."""
        try:
            verify_name("request_id", request.request_id)
        except DeviceRefused as refusal:
            await self._refuse(refusal, context)
        if await self._registry.close(request.station):
            self._log("station closed", station=request.station)
        return pb.CloseStationResponse()

    async def GetStation(
        self, request: pb.GetStationRequest, context: Context
    ) -> pb.GetStationResponse:
        """Show a station."""
        try:
            status = self._registry.get(request.station).devices.glance()
        except (DeviceRefused, DeviceLost) as refusal:
            await self._refuse(refusal, context)
        return pb.GetStationResponse(status=wire.status_to_wire(status))

    async def AwaitShuffle(
        self, request: pb.AwaitShuffleRequest, context: Context
    ) -> pb.AwaitShuffleResponse:
        """Answer when the shuffler is no longer at work."""
        try:
            status = await self._registry.get(request.station).devices.await_shuffle()
        except (DeviceRefused, DeviceLost) as refusal:
            await self._refuse(refusal, context)
        return pb.AwaitShuffleResponse(status=wire.status_to_wire(status))

    async def LoadDeck(self, request: pb.LoadDeckRequest, context: Context) -> pb.LoadDeckResponse:
        """Bring or gather a deck."""
        return await self._simple(
            request, context, pb.LoadDeckResponse, lambda devices: devices.load_deck(request.back)
        )

    async def Shuffle(self, request: pb.ShuffleRequest, context: Context) -> pb.ShuffleResponse:
        """Begin to shuffle."""
        return await self._simple(request, context, pb.ShuffleResponse, LocalDevices.shuffle)

    async def Eject(self, request: pb.EjectRequest, context: Context) -> pb.EjectResponse:
        """Move the shuffled deck to where it is dealt from."""
        return await self._simple(request, context, pb.EjectResponse, LocalDevices.eject)

    async def Cut(self, request: pb.CutRequest, context: Context) -> pb.CutResponse:
        """Cut or recut the cards."""
        return await self._simple(
            request, context, pb.CutResponse, lambda devices: devices.cut(request.cards_from_top)
        )

    async def Dispense(self, request: pb.DispenseRequest, context: Context) -> pb.DispenseResponse:
        """Deal."""

        async def run(devices: LocalDevices) -> pb.DispenseResponse:
            deliveries = [wire.delivery_from_wire(delivery) for delivery in request.deliveries]
            dispensed = await devices.dispense(deliveries)
            return pb.DispenseResponse(
                status=wire.status_to_wire(dispensed.status),
                delivered=[wire.delivered_to_wire(each) for each in dispensed.delivered],
            )

        return await self._command(request, context, run)

    async def RemoveStub(
        self, request: pb.RemoveStubRequest, context: Context
    ) -> pb.RemoveStubResponse:
        """Take what is left out of the shoe."""

        async def run(devices: LocalDevices) -> pb.RemoveStubResponse:
            stub = await devices.remove_stub(count=request.count, to_hand=request.to_hand)
            return pb.RemoveStubResponse(
                status=wire.status_to_wire(stub.status), counted=stub.counted
            )

        return await self._command(request, context, run)

    async def RemoveDeck(
        self, request: pb.RemoveDeckRequest, context: Context
    ) -> pb.RemoveDeckResponse:
        """Take a deck off the table."""
        return await self._simple(
            request,
            context,
            pb.RemoveDeckResponse,
            lambda devices: devices.remove_deck(request.back),
        )

    async def RetireDevice(
        self, request: pb.RetireDeviceRequest, context: Context
    ) -> pb.RetireDeviceResponse:
        """Cover a device or take it off the table."""
        return await self._simple(
            request,
            context,
            pb.RetireDeviceResponse,
            lambda devices: devices.retire(
                wire.member(Device, request.device), wire.member(Retirement, request.how)
            ),
        )

    async def RestoreDevice(
        self, request: pb.RestoreDeviceRequest, context: Context
    ) -> pb.RestoreDeviceResponse:
        """Bring a device back."""
        return await self._simple(
            request,
            context,
            pb.RestoreDeviceResponse,
            lambda devices: devices.restore(wire.member(Device, request.device)),
        )

    async def ChangeMethod(
        self, request: pb.ChangeMethodRequest, context: Context
    ) -> pb.ChangeMethodResponse:
        """Deal in another way."""
        return await self._simple(
            request,
            context,
            pb.ChangeMethodResponse,
            lambda devices: devices.change_method(wire.member(Method, request.method)),
        )

    async def InjectFault(
        self, request: pb.InjectFaultRequest, context: Context
    ) -> pb.InjectFaultResponse:
        """Have a fault take effect at its next chance."""
        return await self._simple(
            request,
            context,
            pb.InjectFaultResponse,
            lambda devices: devices.inject_fault(
                wire.member(Fault, request.fault), skip=request.skip, seat=request.seat
            ),
        )

    async def SetFaultRates(
        self, request: pb.SetFaultRatesRequest, context: Context
    ) -> pb.SetFaultRatesResponse:
        """Have faults happen at random."""
        return await self._simple(
            request,
            context,
            pb.SetFaultRatesResponse,
            lambda devices: devices.set_fault_rates(
                {wire.member(Fault, rate.fault): rate.rate_ppm for rate in request.rates}
            ),
        )

    async def PassTime(self, request: pb.PassTimeRequest, context: Context) -> pb.PassTimeResponse:
        """Let time pass."""
        return await self._simple(
            request, context, pb.PassTimeResponse, lambda devices: devices.pass_time(request.ms)
        )

    async def Watch(
        self, request: pb.WatchRequest, context: Context
    ) -> AsyncIterator[pb.WatchResponse]:
        """Stream events; the flow control of the connection holds a slow watcher back."""
        try:
            devices = self._registry.get(request.station).devices
            after = request.after_sequence if request.HasField("after_sequence") else None
            batches = devices.watch_batches(after)
            yield pb.WatchResponse(status=wire.status_to_wire(devices.glance()))
            async for events in batches:
                yield pb.WatchResponse(events=[wire.event_to_wire(event) for event in events])
        except (DeviceRefused, DeviceLost) as refusal:
            await self._refuse(refusal, context)

    async def _simple(
        self,
        request: Any,
        context: Context,
        response: Callable[..., M],
        run: Callable[[LocalDevices], Awaitable[StationStatus]],
    ) -> M:
        """A command whose answer is the station's status."""

        async def answer(devices: LocalDevices) -> M:
            return response(status=wire.status_to_wire(await run(devices)))

        return await self._command(request, context, answer)

    async def _command(
        self, request: Any, context: Context, run: Callable[[LocalDevices], Awaitable[M]]
    ) -> M:
        try:
            station = self._registry.get(request.station)
            return await station.answer(request.request_id, request, lambda: run(station.devices))
        except (DeviceRefused, DeviceLost) as refusal:
            await self._refuse(refusal, context)

    async def _refuse(self, refusal: DeviceRefused | DeviceLost, context: Context) -> NoReturn:
        if isinstance(refusal, DeviceLost):
            gone = Reason.SHUTTING_DOWN if self._registry.draining else Reason.STATION_UNKNOWN
            refusal = DeviceRefused(gone)
        code = grpc.StatusCode[EXPLANATIONS[refusal.reason].code]
        details = ((wire.DETAILS_KEY, wire.refusal_to_wire(refusal)),)
        await context.abort(code, str(refusal), details)
        raise AssertionError("abort does not return")
