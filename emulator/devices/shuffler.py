"""An automated card shuffling device: takes a deck, shuffles it, counts it, holds it until called.

Two decks alternate by construction: the tray takes a deck while the other, shuffled, waits inside,
and what is ejected is always the one inside. Cards that were not shuffled to the end never leave
through `eject`. Time comes in with each call; nothing here waits.
"""

from collections.abc import Callable
from typing import Final

from emulator.devices import timing
from emulator.devices.deck import Deck
from table_client.table.devices.device_faults import Fault
from table_client.table.devices.model import (
    RETIRED,
    Counted,
    Device,
    DeviceState,
    EventBody,
    FaultOccurred,
    Retirement,
    ShufflerKind,
    StateChanged,
)
from table_client.table.devices.refusals import DeviceRefused, Reason
from table_client.table.randomness import RandomStream

Emit = Callable[[EventBody], None]

_FAILURES: Final = {
    Fault.SHUFFLER_JAM: DeviceState.JAMMED,
    Fault.SHUFFLER_STOP: DeviceState.STOPPED,
    Fault.SHUFFLER_INCOMPLETE: DeviceState.INCOMPLETE,
    Fault.SHUFFLER_OUT_OF_ORDER: DeviceState.OUT_OF_ORDER,
}
_REFUSALS: Final = {
    DeviceState.EMPTY: Reason.NO_DECK,
    DeviceState.SHUFFLING: Reason.STILL_SHUFFLING,
    DeviceState.WRONG_COUNT: Reason.WRONG_COUNT,
}
# A cycle that failed is begun again with the same cards.
_BEGIN_AGAIN: Final = frozenset({DeviceState.JAMMED, DeviceState.STOPPED, DeviceState.INCOMPLETE})


class Shuffler:
    """The state machine of one shuffling device, present or not."""

    def __init__(self, kind: ShufflerKind, expected_cards: int, emit: Emit) -> None:
        self.kind = kind
        self.state = DeviceState.ABSENT if kind is ShufflerKind.NONE else DeviceState.EMPTY
        self.tray: Deck | None = None
        self.inside: Deck | None = None
        self.due_ms: int | None = None  # when the cycle under way ends
        self._expected_cards = expected_cards
        self._emit = emit
        self._failure: Fault | None = None
        self._shuffled: list[str] = []

    @property
    def in_service(self) -> bool:
        """Whether the device is in its place, working or not."""
        return self.state not in RETIRED

    def verify_load(self) -> None:
        """Refuse a deck while the tray is taken or the device out of order."""
        if self.state is DeviceState.OUT_OF_ORDER:
            raise DeviceRefused(Reason.DEVICE_OUT_OF_ORDER, device="shuffler")
        if self.tray is not None:
            raise DeviceRefused(Reason.TRAY_OCCUPIED, deck=self.tray.back)

    def load(self, deck: Deck) -> None:
        """Put a deck in the tray."""
        self.verify_load()
        self.tray = deck
        if self.state is DeviceState.EMPTY:
            self._become(DeviceState.LOADED)

    def verify_shuffle(self) -> None:
        """Refuse to shuffle while at work, while a shuffled deck waits, or without cards."""
        self._verify_state()
        if self.state is DeviceState.READY:
            raise DeviceRefused(Reason.SHUFFLED_DECK_INSIDE)

    def shuffle(
        self, now_ms: int, cards: RandomStream, fault: Fault | None, chance: RandomStream
    ) -> None:
        """Begin a cycle, anew if the last one failed; a fault cuts it short at some moment."""
        self.verify_shuffle()
        cycle_ms = timing.AUTOMATED_SHUFFLE_MS
        if self.state in _BEGIN_AGAIN:
            now_ms += timing.CLEAR_JAM_MS
        else:
            self.inside, self.tray = self.tray, None
        if self.inside is None:  # LOADED without a deck: broken, not refused
            raise AssertionError("a loaded shuffler has a deck")
        self._failure = fault
        self._shuffled = self.inside.shuffled(cards)
        self.due_ms = now_ms + (chance.below(cycle_ms) if fault else cycle_ms)
        self._become(DeviceState.SHUFFLING)

    def finish(self) -> None:
        """End the cycle under way: shuffled and counted, or failed."""
        deck = self.inside
        if deck is None or self.due_ms is None:
            raise AssertionError("no cycle is under way")
        self.due_ms = None
        if self._failure:
            self._emit(FaultOccurred(self._failure, Device.SHUFFLER))
            self._become(_FAILURES[self._failure])
            return
        deck.cards = self._shuffled
        if self.kind is ShufflerKind.COUNTING:
            count = Counted(Device.SHUFFLER, deck.back, len(deck.cards), self._expected_cards)
            self._emit(count)
            if not count.right:
                self._become(DeviceState.WRONG_COUNT)
                return
        self._become(DeviceState.READY)

    def verify_eject(self) -> None:
        """Refuse to give out anything but a shuffled deck of the right count."""
        self._verify_state()
        if self.state is not DeviceState.READY:
            raise DeviceRefused(Reason.SHUFFLE_NOT_COMPLETE, state=self.state)

    def eject(self) -> Deck:
        """Give out the shuffled deck."""
        self.verify_eject()
        return self._take_inside()

    def remove(self, deck: Deck) -> None:
        """Take a deck out of tray or device, to leave the table."""
        if deck is self.tray:
            self.tray = None
            if self.inside is None and self.in_service:
                self._settle()
            return
        if self.state is DeviceState.SHUFFLING:
            raise DeviceRefused(Reason.STILL_SHUFFLING)
        self._take_inside()

    def retire(self, how: Retirement) -> None:
        """Cover the device or take it off the table; its cards go back to the dealer."""
        if self.state is DeviceState.ABSENT:
            raise DeviceRefused(Reason.NOT_APPLICABLE, device="shuffler")
        if self.state is DeviceState.SHUFFLING:
            raise DeviceRefused(Reason.STILL_SHUFFLING)
        self.tray = self.inside = None
        self._become(DeviceState.COVERED if how is Retirement.COVER else DeviceState.REMOVED)

    def restore(self) -> None:
        """Put a repaired device back in its place, empty."""
        if self.state not in (DeviceState.COVERED, DeviceState.REMOVED):
            raise DeviceRefused(Reason.NOT_APPLICABLE, device="shuffler")
        self._become(DeviceState.EMPTY)

    def _verify_state(self) -> None:
        """Refuse whatever needs cards and a device at rest."""
        if self.state is DeviceState.OUT_OF_ORDER:
            raise DeviceRefused(Reason.DEVICE_OUT_OF_ORDER, device="shuffler")
        if self.state in _REFUSALS:
            raise DeviceRefused(_REFUSALS[self.state])

    def _take_inside(self) -> Deck:
        deck = self.inside
        if deck is None:
            raise AssertionError("the shuffler holds no deck")
        self.inside = None
        if self.state is not DeviceState.OUT_OF_ORDER:
            self._settle()
        return deck

    def _settle(self) -> None:
        self._become(DeviceState.LOADED if self.tray else DeviceState.EMPTY)

    def _become(self, state: DeviceState) -> None:
        self.state = state
        deck = self.inside or self.tray
        self._emit(StateChanged(Device.SHUFFLER, state, deck.back if deck else ""))
