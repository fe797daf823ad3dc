"""Devices in another process, reached by gRPC: the same interface as in one's own.

Nothing is retried: a device that cannot be reached while cards are out voids the round, and only
the table knows whether they are. A process that dies ends every call and stream at once; one that
hangs is found out by keep-alive pings within seconds, and every call has a deadline.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Final, Self
from uuid import uuid4

import grpc

from jackpot.wire.keepalive import keepalive
from jackpot.wire.refusals import DETAILS_KEY
from table_client.table.devices import wire
from table_client.table.devices.device_faults import Fault
from table_client.table.devices.model import (
    Delivery,
    Device,
    DeviceEvent,
    Dispensed,
    Method,
    Retirement,
    StationConfig,
    StationStatus,
    Stub,
)
from table_client.table.devices.refusals import DeviceLost, Reason
from table_client.table.devices.v1 import devices_pb2 as pb
from table_client.table.devices.v1 import devices_pb2_grpc as pb_grpc

TIMEOUT_S: Final = 300.0  # longer than the longest command: opening a deck takes two minutes
KEEPALIVE_MS: Final = 5_000  # a hung process is given up after twice that
MAX_MESSAGE_BYTES: Final = 1 << 20
_GONE: Final = frozenset({Reason.STATION_UNKNOWN, Reason.SHUTTING_DOWN})


@contextmanager
def _refusals(target: str) -> Any:
    """Turn gRPC errors into what local devices raise."""
    try:
        yield
    except grpc.aio.AioRpcError as error:
        for key, details in error.trailing_metadata():
            refusal = wire.refusal_from_wire(_bytes(details)) if key == DETAILS_KEY else None
            if refusal is not None and refusal.reason not in _GONE:
                raise refusal from None
        text = f"the devices at {target} are lost: {error.code().name}, {error.details()}"
        raise DeviceLost(text) from None


def _bytes(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else value.encode()


class DeviceConnection:
    """A connection to a device process; many stations may share it.

    async with DeviceConnection("127.0.0.1:7171") as connection:
        devices = await connection.open_station("table-1", StationConfig())
    """

    def __init__(
        self, target: str, *, timeout_s: float = TIMEOUT_S, keepalive_ms: int = KEEPALIVE_MS
    ) -> None:
        self.target = target
        self.timeout_s = timeout_s
        options = (
            *keepalive(keepalive_ms, keepalive_ms),
            ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
            ("grpc.enable_retries", 0),
        )
        self._channel = grpc.aio.insecure_channel(target, options=options)
        self.devices = pb_grpc.DeviceServiceStub(self._channel)
        self.emulation = pb_grpc.EmulationServiceStub(self._channel)

    async def open_station(self, name: str, config: StationConfig) -> "RemoteDevices":
        """Set up a table's devices, or find them as they are."""
        request = pb.OpenStationRequest(
            request_id=uuid4().hex, station=name, config=wire.to_wire(config)
        )
        with _refusals(self.target):
            await self.devices.OpenStation(request, timeout=self.timeout_s)
        return RemoteDevices(self, name)

    async def close(self) -> None:
        """End the connection; stations stay open in their process."""
        await self._channel.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


class RemoteDevices:
    """The devices of one table, in another process."""

    def __init__(self, connection: DeviceConnection, name: str) -> None:
        self._connection = connection
        self._devices = connection.devices
        self._emulation = connection.emulation
        self.name = name

    async def status(self) -> StationStatus:
        """Everything that can be seen now."""
        return await self._status(self._devices.GetStation, pb.GetStationRequest())

    async def load_deck(self, back: str) -> StationStatus:
        """Bring a new deck to the table, or gather a known one, ready to be shuffled."""
        return await self._do("LoadDeck", back=back)

    async def shuffle(self) -> StationStatus:
        """Begin to shuffle the loaded deck; a shuffler goes on by itself, a dealer finishes."""
        return await self._do("Shuffle")

    async def await_shuffle(self) -> StationStatus:
        """Wait until the shuffler is no longer at work; its state says how it went."""
        return await self._status(self._devices.AwaitShuffle, pb.AwaitShuffleRequest())

    async def eject(self) -> StationStatus:
        """Move the shuffled deck from the shuffler to where it is dealt from."""
        return await self._do("Eject")

    async def cut(self, cards_from_top: int) -> StationStatus:
        """Cut cards shuffled by hand, or recut, and have them ready to be dealt."""
        return await self._do("Cut", cards_from_top=cards_from_top)

    async def dispense(self, deliveries: Sequence[Delivery]) -> Dispensed:
        """Deal, until all is delivered or something is seen that a dealer must act on."""
        asked = [wire.to_wire(delivery) for delivery in deliveries]
        return wire.from_wire(Dispensed, await self._command("Dispense", deliveries=asked))

    async def remove_stub(self, *, count: bool = False, to_hand: bool = False) -> Stub:
        """Take what is left out of the shoe: to the discard rack, or to go on from the hand."""
        response = await self._command("RemoveStub", count=count, to_hand=to_hand)
        counted = response.counted if response.HasField("counted") else None
        return Stub(counted, wire.from_wire(StationStatus, response.status))

    async def remove_deck(self, back: str) -> StationStatus:
        """Take a deck off the table for good."""
        return await self._do("RemoveDeck", back=back)

    async def retire(self, device: Device, how: Retirement) -> StationStatus:
        """Cover a device, or take it off the table; its cards go back to the dealer."""
        return await self._do("RetireDevice", device=wire.number(device), how=wire.number(how))

    async def restore(self, device: Device) -> StationStatus:
        """Bring a repaired device back, empty."""
        return await self._do("RestoreDevice", device=wire.number(device))

    async def change_method(self, method: Method) -> StationStatus:
        """Deal in another way, once the automated device is out of the way."""
        return await self._do("ChangeMethod", method=wire.number(method))

    async def inject_fault(self, fault: Fault, *, skip: int = 0, seat: int = 0) -> StationStatus:
        """Have a fault take effect at its next chance, or after `skip` chances."""
        return await self._do("InjectFault", fault=wire.number(fault), skip=skip, seat=seat)

    async def set_fault_rates(self, rates_ppm: Mapping[Fault, int]) -> StationStatus:
        """Have faults happen at random, each so many times in a million chances."""
        rates = [{"fault": wire.number(f), "rate_ppm": ppm} for f, ppm in rates_ppm.items()]
        return await self._do("SetFaultRates", rates=rates)

    async def pass_time(self, ms: int) -> StationStatus:
        """Let time pass on the devices' clock, as fast as possible."""
        return await self._do("PassTime", ms=ms)

    async def watch(self, after_sequence: int | None = None) -> AsyncIterator[DeviceEvent]:
        """Events as they happen, from the next one or from after a sequence.

        The stream begins when it is first iterated: give `status().sequence` to miss nothing.
        """
        request = pb.WatchRequest(station=self.name, after_sequence=after_sequence)
        with _refusals(self._connection.target):
            async for response in self._devices.Watch(request):
                for event in response.events:
                    yield wire.event_from_wire(event)
        raise DeviceLost(f"the devices at {self._connection.target} ended their events")

    async def close(self) -> None:
        """Give the devices up; watchers end with DeviceLost."""
        await self._command("CloseStation")

    async def _do(self, rpc: str, **fields: Any) -> StationStatus:
        return wire.from_wire(StationStatus, (await self._command(rpc, **fields)).status)

    async def _command(self, rpc: str, **fields: Any) -> Any:
        service = self._devices if hasattr(self._devices, rpc) else self._emulation
        request = getattr(pb, f"{rpc}Request")(request_id=uuid4().hex, **fields)
        return await self._call(getattr(service, rpc), request)

    async def _status(self, call: Callable[..., Awaitable[Any]], request: Any) -> StationStatus:
        return wire.from_wire(StationStatus, (await self._call(call, request)).status)

    async def _call(self, call: Callable[..., Awaitable[Any]], request: Any) -> Any:
        request.station = self.name
        with _refusals(self._connection.target):
            return await call(request, timeout=self._connection.timeout_s)
