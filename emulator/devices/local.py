"""Devices in the caller's own process: a station, and the time in which it works.

One command at a time; a caller that is cancelled while a command's time passes leaves the station
as the command made it, never half-way. Events are published when their time has come. Watchers
share one bounded history and hold a place in it each, so a slow one costs no memory.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import islice

from msgspec import structs

from emulator.devices.station import Station
from emulator.devices.timing import DeviceClock
from table_client.table.devices.device_faults import Fault
from table_client.table.devices.model import (
    MAX_DELIVERIES,
    MUST_ACT,
    Delivered,
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
from table_client.table.devices.refusals import DeviceLost, DeviceRefused, Reason

MAX_WAITING = 16  # commands in the queue of a station
MAX_WATCHERS = 64  # of a station
MAX_BATCH = 256  # events handed to a watcher at once


class LocalDevices:
    """The devices of one table, run here."""

    def __init__(
        self, name: str, config: StationConfig | None = None, clock: DeviceClock | None = None
    ) -> None:
        self._clock = clock or DeviceClock()
        self._station = Station(name, config or StationConfig(), self._clock.now_ms())
        self._lock = asyncio.Lock()
        self._waiting = 0
        self._changed = asyncio.Event()  # replaced each time it is set: wakes all watchers once
        self._published = 0  # the last sequence that watchers may see
        self._watchers = 0
        self._closed = False
        self._cycle: asyncio.Task[None] | None = None

    @property
    def name(self) -> str:
        """The station's name."""
        return self._station.name

    @property
    def config(self) -> StationConfig:
        """How the station was set up."""
        return self._station.config

    @property
    def faults_happened(self) -> Mapping[Fault, int]:
        """How often each fault took effect."""
        return self._station.faults.happened

    async def status(self) -> StationStatus:
        """Everything that can be seen now."""
        return self.glance()

    def glance(self) -> StationStatus:
        """The same without waiting for anything, even while a command's time passes."""
        if self._closed:
            raise DeviceLost(f"the devices of {self.name} were closed")
        if not self._lock.locked():
            self._station.advance(self._clock.now_ms())
            self._publish()
        return structs.replace(self._station.status(), sequence=self._published)

    async def load_deck(self, back: str) -> StationStatus:
        """Bring a new deck to the table, or gather a known one, ready to be shuffled."""
        return await self._do(lambda: self._station.load_deck(back))

    async def shuffle(self) -> StationStatus:
        """Begin to shuffle the loaded deck; a shuffler goes on by itself, a dealer finishes."""
        status = await self._do(self._station.shuffle)
        due_ms = self._station.due_ms
        if due_ms is None:
            return status
        if self._clock.speed == 0:
            # Time jumps here and now: a watcher that waits for the end must not wait for ever.
            await self._end_cycle(due_ms)
        else:
            self._cycle = asyncio.create_task(self._end_cycle(due_ms))
        return status

    async def await_shuffle(self) -> StationStatus:
        """Wait until the shuffler is no longer at work; its state says how it went."""
        while self._station.due_ms is not None and not self._closed:
            await self._changed.wait()
        return await self.status()

    async def eject(self) -> StationStatus:
        """Move the shuffled deck from the shuffler to where it is dealt from."""
        return await self._do(self._station.eject)

    async def cut(self, cards_from_top: int) -> StationStatus:
        """Cut cards shuffled by hand, or recut, and have them ready to be dealt."""
        return await self._do(lambda: self._station.cut(cards_from_top))

    async def dispense(self, deliveries: Sequence[Delivery]) -> Dispensed:
        """Deal, until all is delivered or something is seen that a dealer must act on."""
        if not 0 < len(deliveries) <= MAX_DELIVERIES:
            raise DeviceRefused(
                Reason.INVALID_COMMAND, deliveries=len(deliveries), most=MAX_DELIVERIES
            )
        done: list[Delivered] = []
        async with self._turn():
            for delivery in deliveries:
                try:
                    delivered = self._station.dispense(delivery)
                except DeviceRefused:
                    # What came before was dealt; its caller must hear of it.
                    if not done:
                        raise
                    break
                done.append(delivered)
                await self._let_time_pass()
                if self._station.shoe.state in MUST_ACT or any(
                    card.face_up or card.exposed for card in delivered.cards
                ):
                    break
            return Dispensed(tuple(done), self._station.status())

    async def remove_stub(self, *, count: bool = False, to_hand: bool = False) -> Stub:
        """Take what is left out of the shoe: to the discard rack, or to go on from the hand."""
        async with self._turn():
            counted = self._station.remove_stub(count=count, to_hand=to_hand)
            await self._let_time_pass()
            return Stub(counted, self._station.status())

    async def remove_deck(self, back: str) -> StationStatus:
        """Take a deck off the table for good."""
        return await self._do(lambda: self._station.remove_deck(back))

    async def retire(self, device: Device, how: Retirement) -> StationStatus:
        """Cover a device, or take it off the table; its cards go back to the dealer."""
        return await self._do(lambda: self._station.retire(device, how))

    async def restore(self, device: Device) -> StationStatus:
        """Bring a repaired device back, empty."""
        return await self._do(lambda: self._station.restore(device))

    async def change_method(self, method: Method) -> StationStatus:
        """Deal in another way, once the automated device is out of the way."""
        return await self._do(lambda: self._station.change_method(method))

    async def inject_fault(self, fault: Fault, *, skip: int = 0, seat: int = 0) -> StationStatus:
        """Have a fault take effect at its next chance, or after `skip` chances."""
        return await self._do(lambda: self._station.inject_fault(fault, skip=skip, seat=seat))

    async def set_fault_rates(self, rates_ppm: Mapping[Fault, int]) -> StationStatus:
        """Have faults happen at random, each so many times in a million chances."""
        return await self._do(lambda: self._station.set_fault_rates(rates_ppm))

    async def pass_time(self, ms: int) -> StationStatus:
        """Let time pass on the devices' clock, as fast as possible."""

        def forward() -> None:
            self._station.pass_time(ms)
            self._clock.skip(ms)

        return await self._do(forward)

    def watch(self, after_sequence: int | None = None) -> AsyncIterator[DeviceEvent]:
        """Events as they happen, from the next one or from after a sequence."""
        batches = self.watch_batches(after_sequence)
        return (event async for events in batches for event in events)

    def watch_batches(
        self, after_sequence: int | None = None
    ) -> AsyncIterator[tuple[DeviceEvent, ...]]:
        """Events as they happen, all that have come since the last look together."""
        seen = self._published if after_sequence is None else after_sequence
        if not 0 <= seen <= self._published:
            raise DeviceRefused(Reason.INVALID_COMMAND, after=seen, last=self._published)
        self._after(seen)  # refuses at once what is no longer kept
        if self._watchers >= MAX_WATCHERS:
            raise DeviceRefused(Reason.TOO_MANY, watchers=self._watchers)
        return self._batches(seen)

    async def _batches(self, seen: int) -> AsyncIterator[tuple[DeviceEvent, ...]]:
        self._watchers += 1
        try:
            while True:
                events = self._after(seen)
                if events:
                    seen = events[-1].sequence
                    yield events
                elif self._closed:
                    raise DeviceLost(f"the devices of {self.name} were closed")
                else:
                    await self._changed.wait()
        finally:
            self._watchers -= 1

    async def close(self) -> None:
        """Give the devices up; watchers end with DeviceLost."""
        self._closed = True
        self._wake()
        if self._cycle is not None:
            self._cycle.cancel()
            await asyncio.wait({self._cycle})

    def _after(self, seen: int) -> tuple[DeviceEvent, ...]:
        events = self._station.events
        first = events[0].sequence if events else self._station.sequence + 1
        if seen + 1 < first and seen < self._published:
            raise DeviceRefused(Reason.WATCHER_FELL_BEHIND, after=seen, first=first)
        start = max(seen + 1 - first, 0)
        end = min(self._published + 1 - first, start + MAX_BATCH)
        return tuple(islice(events, start, end))

    async def _do(self, command: Callable[[], None]) -> StationStatus:
        async with self._turn():
            command()
            await self._let_time_pass()
            return self._station.status()

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """A command's turn at the station: in order of arrival, and only so many may wait."""
        if self._waiting >= MAX_WAITING:
            raise DeviceRefused(Reason.TOO_MANY, waiting=self._waiting)
        self._waiting += 1
        try:
            await self._lock.acquire()
        finally:
            self._waiting -= 1
        try:
            if self._closed:
                raise DeviceLost(f"the devices of {self.name} were closed")
            self._station.advance(self._clock.now_ms())
            self._publish()
            yield
        finally:
            self._lock.release()

    async def _let_time_pass(self) -> None:
        """Wait until the time that the command took is over, then publish what happened."""
        try:
            await self._clock.until(self._station.now_ms)
        finally:
            self._publish()

    def _publish(self) -> None:
        if self._published != self._station.sequence:
            self._published = self._station.sequence
            self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def _end_cycle(self, due_ms: int) -> None:
        await self._clock.until(due_ms)
        async with self._lock:
            self._station.advance(due_ms)
            self._publish()
