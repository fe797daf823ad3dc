"""What a table asks of its devices, whether they are in its own process or behind gRPC.

Every command refuses with `DeviceRefused`, having changed nothing, or raises `DeviceLost` when the
devices are gone; then the round is void. Commands of one station run one after the other.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Protocol

from table_client.table.devices.device_faults import Fault
from table_client.table.devices.model import (
    Delivery,
    Device,
    DeviceEvent,
    Dispensed,
    Method,
    Retirement,
    StationStatus,
    Stub,
)


class Devices(Protocol):
    """The devices of one table."""

    async def status(self) -> StationStatus:
        """Everything that can be seen now."""

    async def load_deck(self, back: str) -> StationStatus:
        """Bring a new deck to the table, or gather a known one, ready to be shuffled.

        A continuous shoe takes, counts and shuffles it at once.
        """

    async def shuffle(self) -> StationStatus:
        """Begin to shuffle the loaded deck; a shuffler goes on by itself, a dealer finishes."""

    async def await_shuffle(self) -> StationStatus:
        """Wait until the shuffler is no longer at work; its state says how it went."""

    async def eject(self) -> StationStatus:
        """Move the shuffled deck from the shuffler to where it is dealt from."""

    async def cut(self, cards_from_top: int) -> StationStatus:
        """Cut cards shuffled by hand, or recut, and have them ready to be dealt."""

    async def dispense(self, deliveries: Sequence[Delivery]) -> Dispensed:
        """Deal, until all is delivered or something is seen that a dealer must act on.

        That is a card face up or exposed, or a shoe that fails. A wrong number of cards is not
        seen: the table has to count.
        """

    async def remove_stub(self, *, count: bool = False, to_hand: bool = False) -> Stub:
        """Take what is left out of the shoe: to the discard rack, or to go on from the hand."""

    async def remove_deck(self, back: str) -> StationStatus:
        """Take a deck off the table for good."""

    async def retire(self, device: Device, how: Retirement) -> StationStatus:
        """Cover a device, or take it off the table; its cards go back to the dealer."""

    async def restore(self, device: Device) -> StationStatus:
        """Bring a repaired device back, empty."""

    async def change_method(self, method: Method) -> StationStatus:
        """Deal in another way, once the automated device is out of the way."""

    async def inject_fault(self, fault: Fault, *, skip: int = 0, seat: int = 0) -> StationStatus:
        """Have a fault take effect at its next chance, or after `skip` chances."""

    async def set_fault_rates(self, rates_ppm: Mapping[Fault, int]) -> StationStatus:
        """Have faults happen at random, each so many times in a million chances."""

    async def pass_time(self, ms: int) -> StationStatus:
        """Let time pass on the devices' clock, as fast as possible."""

    def watch(self, after_sequence: int | None = None) -> AsyncIterator[DeviceEvent]:
        """Events as they happen, from the next one or from after a sequence.

        A watcher that falls too far behind is refused with WATCHER_FELL_BEHIND; the end of the
        devices raises DeviceLost.
        """

    async def close(self) -> None:
        """Give the devices up; watchers end with DeviceLost."""
