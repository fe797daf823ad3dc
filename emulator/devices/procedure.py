"""Between two rounds: have the right deck shuffled and ready, whatever the devices are like.

Alternates two decks, shuffles again after a jam, replaces a deck that is too old or miscounted.
What needs a decision at the table (a device out of order) is refused to the caller.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from emulator.devices.api import Devices
from emulator.devices.model import RETIRED, DeviceState, Method, StationStatus
from emulator.devices.refusals import DeviceRefused, Reason

_TRIES: Final = 64  # a shuffler that jams at every shuffle is not one to wait for
_SHUFFLE_AGAIN: Final = frozenset(
    {DeviceState.JAMMED, DeviceState.STOPPED, DeviceState.INCOMPLETE, DeviceState.LOADED}
)


class Step(StrEnum):
    """What was done on the way to a deck that can be dealt."""

    DECK_LOADED = "DECK_LOADED"
    DECK_CHANGED_FOR_AGE = "DECK_CHANGED_FOR_AGE"
    DECK_CHANGED_FOR_COUNT = "DECK_CHANGED_FOR_COUNT"
    SHUFFLED = "SHUFFLED"
    SHUFFLED_AGAIN = "SHUFFLED_AGAIN"
    EJECTED = "EJECTED"
    CUT = "CUT"


async def prepare_round(
    devices: Devices, backs: Sequence[str] = ("red", "blue"), cut_from_top: int = 26
) -> tuple[Step, ...]:
    """Have a shuffled deck ready to be dealt; the stub of the last round was removed before.

    With a shuffler and two colours the decks alternate, the idle one being shuffled meanwhile.
    """
    status = await devices.status()
    if status.method is Method.CONTINUOUS_SHOE:
        return await _feed(devices, backs[0])
    if status.shuffler in RETIRED:
        return await _by_hand(devices, status, backs[0], cut_from_top)
    return await _by_machine(devices, status, backs)


async def _load(devices: Devices, back: str, steps: list[Step]) -> StationStatus:
    """Load a deck; a new one in its place if it is too old."""
    try:
        status = await devices.load_deck(back)
    except DeviceRefused as refusal:
        if refusal.reason is not Reason.DECK_OVERDUE:
            raise
        await devices.remove_deck(back)
        steps.append(Step.DECK_CHANGED_FOR_AGE)
        status = await devices.load_deck(back)
    steps.append(Step.DECK_LOADED)
    return status


async def _feed(devices: Devices, back: str) -> tuple[Step, ...]:
    steps: list[Step] = []
    for _ in range(_TRIES):
        status = await _load(devices, back, steps)
        if status.shoe is not DeviceState.WRONG_COUNT:
            return (*steps, Step.SHUFFLED)
        await devices.remove_deck(back)
        steps.append(Step.DECK_CHANGED_FOR_COUNT)
    raise DeviceRefused(Reason.WRONG_COUNT)


async def _by_hand(
    devices: Devices, status: StationStatus, back: str, cut_from_top: int
) -> tuple[Step, ...]:
    steps: list[Step] = []
    # Without a shuffler one deck is used: the one at hand. A second one leaves the table.
    at_table = [deck.back for deck in status.decks]
    keep = status.shoe_deck or (at_table[0] if at_table else back)
    for other in at_table:
        if other != keep:
            await devices.remove_deck(other)
    await _load(devices, keep, steps)
    await devices.shuffle()
    await devices.cut(cut_from_top)
    return (*steps, Step.SHUFFLED, Step.CUT)


async def _by_machine(
    devices: Devices, status: StationStatus, backs: Sequence[str]
) -> tuple[Step, ...]:
    steps: list[Step] = []
    at_table = {deck.back: deck for deck in status.decks}
    for back in backs:
        deck = at_table.get(back)
        if deck is not None and deck.place in ("shoe", "table") and not status.tray_deck:
            status = await _load(devices, back, steps)
    for _ in range(_TRIES):
        status = await devices.await_shuffle()
        if status.shuffler is DeviceState.READY:
            if await _eject(devices, status, steps):
                await _shuffle_the_other(devices, status, backs, steps)
                return tuple(steps)
        elif status.shuffler is DeviceState.WRONG_COUNT:
            await devices.remove_deck(status.shuffler_deck)
            steps.append(Step.DECK_CHANGED_FOR_COUNT)
        elif status.shuffler is DeviceState.EMPTY:
            missing = [back for back in backs if back not in {deck.back for deck in status.decks}]
            await _load(devices, missing[0] if missing else backs[0], steps)
        elif status.shuffler in _SHUFFLE_AGAIN:
            first = status.shuffler is DeviceState.LOADED
            steps.append(Step.SHUFFLED if first else Step.SHUFFLED_AGAIN)
            await devices.shuffle()
        else:
            raise DeviceRefused(Reason.DEVICE_OUT_OF_ORDER, device="shuffler")
    raise DeviceRefused(Reason.SHUFFLE_NOT_COMPLETE, tries=_TRIES)


async def _eject(devices: Devices, status: StationStatus, steps: list[Step]) -> bool:
    try:
        await devices.eject()
    except DeviceRefused as refusal:
        if refusal.reason is not Reason.DECK_OVERDUE:
            raise
        await devices.remove_deck(status.shuffler_deck)
        steps.append(Step.DECK_CHANGED_FOR_AGE)
        return False
    steps.append(Step.EJECTED)
    return True


async def _shuffle_the_other(
    devices: Devices, status: StationStatus, backs: Sequence[str], steps: list[Step]
) -> None:
    """Have the deck that is not in play shuffled meanwhile."""
    known = {deck.back for deck in status.decks}
    other = next((back for back in backs if back not in known), "")
    if not status.tray_deck and other:
        await _load(devices, other, steps)
    elif not status.tray_deck:
        return
    await devices.shuffle()
