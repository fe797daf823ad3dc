"""Between two rounds: have the right deck shuffled and ready, whatever the devices are like.

Alternates two decks, shuffles again after a jam, replaces a deck that is too old or miscounted.
What needs a decision at the table (a device out of order) is refused to the caller.
"""

from enum import StrEnum
from typing import Final

from table_client.table.devices.api import Devices
from table_client.table.devices.model import RETIRED, DeviceState, Method, StationStatus
from table_client.table.devices.refusals import DeviceRefused, Reason

_BACKS: Final = ("red", "blue")  # of the decks that alternate
_CUT_FROM_TOP: Final = 26
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


async def prepare_round(devices: Devices) -> tuple[Step, ...]:
    """Have a shuffled deck ready to be dealt; the stub of the last round was removed before.

    With a shuffler and two colors the decks alternate, the idle one being shuffled meanwhile.
    """
    status = await devices.status()
    if status.method is Method.CONTINUOUS_SHOE:
        return await _feed(devices)
    if status.shuffler in RETIRED:
        return await _by_hand(devices, status)
    return await _by_machine(devices)


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


async def _feed(devices: Devices) -> tuple[Step, ...]:
    steps: list[Step] = []
    for _ in range(_TRIES):
        status = await _load(devices, _BACKS[0], steps)
        if status.shoe is not DeviceState.WRONG_COUNT:
            return (*steps, Step.SHUFFLED)
        await devices.remove_deck(_BACKS[0])
        steps.append(Step.DECK_CHANGED_FOR_COUNT)
    raise DeviceRefused(Reason.WRONG_COUNT)


async def _by_hand(devices: Devices, status: StationStatus) -> tuple[Step, ...]:
    steps: list[Step] = []
    # Without a shuffler one deck is used: the one at hand. A second one leaves the table.
    at_table = [deck.back for deck in status.decks]
    keep = status.shoe_deck or (at_table[0] if at_table else _BACKS[0])
    for other in at_table:
        if other != keep:
            await devices.remove_deck(other)
    await _load(devices, keep, steps)
    await devices.shuffle()
    try:
        await devices.cut(_CUT_FROM_TOP)
    except DeviceRefused as refusal:
        if refusal.reason is not Reason.DECK_OVERDUE:
            raise
        # Its time ran out while it was shuffled: a new one takes its place.
        await devices.remove_deck(keep)
        steps.append(Step.DECK_CHANGED_FOR_AGE)
        await _load(devices, keep, steps)
        await devices.shuffle()
        await devices.cut(_CUT_FROM_TOP)
    return (*steps, Step.SHUFFLED, Step.CUT)


async def _by_machine(devices: Devices) -> tuple[Step, ...]:
    steps: list[Step] = []
    for _ in range(_TRIES):
        status = await devices.await_shuffle()
        if status.shoe_deck and not status.tray_deck:
            await _load(devices, status.shoe_deck, steps)
        elif status.shuffler is DeviceState.READY:
            if await _eject(devices, status, steps):
                await _shuffle_the_other(devices, steps)
                return tuple(steps)
        elif status.shuffler is DeviceState.WRONG_COUNT:
            await devices.remove_deck(status.shuffler_deck)
            steps.append(Step.DECK_CHANGED_FOR_COUNT)
        elif status.shuffler is DeviceState.EMPTY:
            await _load(devices, _idle(status) or _BACKS[0], steps)
        elif status.shuffler in _SHUFFLE_AGAIN:
            first = status.shuffler is DeviceState.LOADED
            steps.append(Step.SHUFFLED if first else Step.SHUFFLED_AGAIN)
            await devices.shuffle()
        else:
            raise DeviceRefused(Reason.DEVICE_OUT_OF_ORDER, device="shuffler")
    raise DeviceRefused(Reason.SHUFFLE_NOT_COMPLETE, tries=_TRIES)


def _idle(status: StationStatus) -> str:
    """A deck that lies on the table, or else one that is not there yet."""
    places = {deck.back: deck.place for deck in status.decks}
    idle = [back for back in _BACKS if places.get(back, "") in ("table", "")]
    return min(idle, key=lambda back: places.get(back, "") == "", default="")


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


async def _shuffle_the_other(devices: Devices, steps: list[Step]) -> None:
    """Have the deck that is not in play shuffled meanwhile."""
    status = await devices.status()
    other = _idle(status)
    if not status.tray_deck and not other:
        return
    if not status.tray_deck:
        await _load(devices, other, steps)
    await devices.shuffle()
