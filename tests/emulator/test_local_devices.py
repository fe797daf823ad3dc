"""Devices in one's own process: turns, time, watchers, and the way from round to round."""

import asyncio
import itertools
from collections.abc import AsyncIterator

import pytest

from emulator.devices import timing
from emulator.devices.local import MAX_BATCH, MAX_WAITING, MAX_WATCHERS, LocalDevices
from emulator.devices.timing import MAX_SPEED, DeviceClock
from table_client.table.devices.device_faults import Fault, Target
from table_client.table.devices.model import (
    HOUR_MS,
    MAX_DELIVERIES,
    MAX_EVENTS,
    MAX_PASS_MS,
    CardsDealt,
    Delivery,
    Device,
    DeviceEvent,
    DeviceState,
    Method,
    Retirement,
    ShufflerKind,
    StateChanged,
    StationConfig,
)
from table_client.table.devices.procedure import Step, prepare_round
from table_client.table.devices.refusals import DeviceLost, DeviceRefused, Reason
from tests.emulator.stations import CARD, STACK, cards_of, refused

SEEDED = StationConfig(seed="local")
ROUND = [*(Delivery(Target.PLAYER, 5, seat) for seat in range(1, 7)), Delivery(Target.DEALER, 5)]


async def next_event(events: AsyncIterator[DeviceEvent]) -> DeviceEvent:
    """The next event, soon."""
    return await asyncio.wait_for(anext(events), 5)


async def test_as_fast_as_possible_a_round_takes_no_real_time_but_its_device_time() -> None:
    """At speed 0 an hour of shuffling and dealing is over at once, and the clock knows it."""
    devices = LocalDevices("t", SEEDED)
    await prepare_round(devices)
    status = await devices.status()
    least_ms = timing.OPEN_DECK_MS + timing.AUTOMATED_SHUFFLE_MS + timing.EJECT_MS
    assert status.at_ms >= least_ms
    assert status.shoe is DeviceState.LOADED


async def test_at_a_speed_devices_take_their_time() -> None:
    """At 1000 times real speed a shuffle of 25 seconds takes 25 milliseconds."""
    loop = asyncio.get_running_loop()
    devices = LocalDevices("t", SEEDED, DeviceClock(1_000))
    await devices.load_deck("red")
    start_s = loop.time()
    status = await devices.shuffle()
    assert status.shuffler is DeviceState.SHUFFLING
    with refused(Reason.STILL_SHUFFLING):
        await devices.eject()
    status = await asyncio.wait_for(devices.await_shuffle(), 5)
    assert loop.time() - start_s >= timing.AUTOMATED_SHUFFLE_MS / 1_000 / 1_000 - 0.002
    assert status.shuffler is DeviceState.READY
    await devices.close()


@pytest.mark.parametrize("speed", [-0.1, MAX_SPEED + 1])
def test_a_speed_beyond_its_limits_is_refused(speed: float) -> None:
    """Time neither goes back nor faster than can be told apart."""
    with pytest.raises(ValueError, match="speed"):
        DeviceClock(speed)


async def test_dealing_stops_where_a_dealer_must_act() -> None:
    """A card face up ends the batch; the rest can be asked for again."""
    devices = LocalDevices("t", SEEDED)
    await prepare_round(devices)
    await devices.inject_fault(Fault.CARD_FACE_UP, skip=2)
    dispensed = await devices.dispense(ROUND)
    assert len(dispensed.delivered) == 3
    assert dispensed.delivered[-1].cards[0].face_up
    rest = await devices.dispense(ROUND[3:])
    assert len(rest.delivered) == 4


async def test_dealing_stops_where_the_shoe_fails() -> None:
    """A jam ends the batch with the state that says so."""
    devices = LocalDevices("t", SEEDED)
    await prepare_round(devices)
    await devices.inject_fault(Fault.SHOE_JAM, skip=6)
    dispensed = await devices.dispense(ROUND)
    assert len(dispensed.delivered) == 7
    assert dispensed.status.shoe is DeviceState.JAMMED
    with refused(Reason.SHOE_FAILED):
        await devices.dispense(ROUND)


async def test_what_was_dealt_before_a_refusal_is_told() -> None:
    """Eleven stacks of five are more than a deck has: ten are dealt, and the caller hears it."""
    devices = LocalDevices("t", SEEDED)
    await prepare_round(devices)
    dispensed = await devices.dispense([STACK] * 11)
    assert len(dispensed.delivered) == 10
    with refused(Reason.NOT_ENOUGH_CARDS):
        await devices.dispense([STACK])


@pytest.mark.parametrize("deliveries", [0, MAX_DELIVERIES + 1])
async def test_a_command_deals_some_but_not_any_number_of_times(deliveries: int) -> None:
    """No delivery at all and too many of them are malformed."""
    devices = LocalDevices("t", SEEDED)
    with refused(Reason.INVALID_COMMAND):
        await devices.dispense([CARD] * deliveries)


async def test_watchers_see_every_event_in_order() -> None:
    """Each of two watchers sees the same events, in order, when they have happened."""
    devices = LocalDevices("t", SEEDED)
    watchers = [devices.watch(), devices.watch(0)]
    await prepare_round(devices)
    await devices.dispense(ROUND)
    last = (await devices.status()).sequence
    seen = [[await next_event(watcher) for _ in range(last)] for watcher in watchers]
    assert seen[0] == seen[1]
    assert [event.sequence for event in seen[0]] == list(range(1, last + 1))
    dealt = [event.body for event in seen[0] if isinstance(event.body, CardsDealt)]
    assert [body.delivered.delivery for body in dealt] == ROUND


async def test_a_watcher_resumes_where_it_was() -> None:
    """From after a sequence nothing is repeated and nothing left out."""
    devices = LocalDevices("t", SEEDED)
    await prepare_round(devices)
    assert (await next_event(devices.watch(3))).sequence == 4
    last = (await devices.status()).sequence
    with refused(Reason.INVALID_COMMAND):
        devices.watch(last + 1)


async def test_a_watcher_that_falls_behind_is_told_so() -> None:
    """History is bounded: who needs older events than are kept is refused, not fed gaps."""
    devices = LocalDevices("t", StationConfig(Method.CONTINUOUS_SHOE, ShufflerKind.NONE))
    slow = devices.watch(0)
    while (await devices.status()).sequence <= MAX_EVENTS:
        await devices.load_deck("red")
        await devices.remove_deck("red")
    with refused(Reason.WATCHER_FELL_BEHIND):
        await next_event(slow)
    with refused(Reason.WATCHER_FELL_BEHIND):
        devices.watch(0)
    last = (await devices.status()).sequence
    recent = devices.watch_batches(last - MAX_BATCH - 1)
    assert len(await anext(recent)) == MAX_BATCH
    assert len(await anext(recent)) == 1


async def test_only_so_many_watchers_watch() -> None:
    """One more than the limit is refused; one that left makes room."""
    devices = LocalDevices("t", SEEDED)
    await devices.load_deck("red")
    watchers = [devices.watch_batches(0) for _ in range(MAX_WATCHERS)]
    for watcher in watchers:
        await anext(watcher)
    with refused(Reason.TOO_MANY):
        devices.watch()
    await watchers[0].aclose()  # type: ignore[attr-defined]
    devices.watch()


async def test_only_so_many_commands_wait_their_turn() -> None:
    """While one command takes its time others queue, up to a limit."""
    devices = LocalDevices("t", SEEDED, DeviceClock(1))
    busy = asyncio.create_task(devices.load_deck("red"))
    await asyncio.sleep(0)
    queue = [asyncio.create_task(devices.pass_time(0)) for _ in range(MAX_WAITING)]
    await asyncio.sleep(0)
    with refused(Reason.TOO_MANY):
        await devices.pass_time(0)
    assert (await devices.status()).decks[0].back == "red"
    for task in (busy, *queue):
        task.cancel()
    await asyncio.gather(busy, *queue, return_exceptions=True)


async def test_a_cancelled_caller_leaves_no_card_half_dealt() -> None:
    """The command was carried out; only its time was not waited for, and the station works on."""
    devices = LocalDevices("t", SEEDED, DeviceClock(MAX_SPEED))
    await prepare_round(devices)
    slow = LocalDevices("t", SEEDED, DeviceClock(1))
    task = asyncio.create_task(slow.load_deck("red"))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    status = await slow.status()
    assert status.tray_deck == "red"
    assert status.shuffler is DeviceState.LOADED
    await devices.close()


async def test_closed_devices_are_lost_to_everybody() -> None:
    """Watchers end, commands fail, and a shuffle under way is given up."""
    devices = LocalDevices("t", SEEDED, DeviceClock(1_000))
    await devices.load_deck("red")
    await devices.shuffle()
    watcher = devices.watch((await devices.status()).sequence)
    waiting = asyncio.create_task(next_event(watcher))
    shuffle = asyncio.create_task(devices.await_shuffle())
    await asyncio.sleep(0)
    await devices.close()
    for task in (waiting, shuffle):
        with pytest.raises(DeviceLost):
            await task
    with pytest.raises(DeviceLost):
        await devices.eject()


@pytest.mark.parametrize(
    ("ms", "allowed"), [(-1, False), (0, True), (MAX_PASS_MS, True), (MAX_PASS_MS + 1, False)]
)
async def test_time_passes_forward_and_not_for_ever(ms: int, *, allowed: bool) -> None:
    """Up to a week may pass at once."""
    devices = LocalDevices("t", SEEDED)
    if allowed:
        assert (await devices.pass_time(ms)).at_ms == ms
    else:
        with refused(Reason.INVALID_COMMAND):
            await devices.pass_time(ms)


async def test_time_that_is_let_pass_ends_a_shuffle_under_way() -> None:
    """An hour let pass at real speed finishes the cycle, and whoever waits for it goes on."""
    devices = LocalDevices("t", SEEDED, DeviceClock(MAX_SPEED))
    await devices.load_deck("red")
    await devices.shuffle()
    await devices.pass_time(HOUR_MS)
    status = await asyncio.wait_for(devices.await_shuffle(), 5)
    assert status.shuffler is DeviceState.READY
    await devices.close()


CONFIGS = {
    "automated shoe": SEEDED,
    "manual shoe": StationConfig(Method.MANUAL_SHOE, seed="local"),
    "hand": StationConfig(Method.HAND, seed="local"),
    "by hand": StationConfig(Method.MANUAL_SHOE, ShufflerKind.NONE, seed="local"),
    "plain shuffler": StationConfig(Method.HAND, ShufflerKind.PLAIN, seed="local"),
    "continuous shoe": StationConfig(Method.CONTINUOUS_SHOE, ShufflerKind.NONE, seed="local"),
    "pai gow": StationConfig(Method.MANUAL_SHOE, joker=True, seed="local"),
}


@pytest.mark.parametrize("name", CONFIGS)
async def test_round_follows_round_through_a_day_of_play(name: str) -> None:
    """For a day decks alternate, wear out and are changed, and every round has its cards."""
    devices = LocalDevices("t", CONFIGS[name])
    size = 5 if CONFIGS[name].method in (Method.AUTOMATED_SHOE, Method.CONTINUOUS_SHOE) else 1
    used: list[str] = []
    steps: set[Step] = set()
    while (await devices.status()).at_ms < 24 * HOUR_MS:
        steps.update(await prepare_round(devices))
        status = await devices.status()
        used.append(status.shoe_deck)
        # It was in time when it left the shuffler; since then the other deck was seen to.
        since_ms = timing.OPEN_DECK_MS + timing.GATHER_MS + timing.AUTOMATED_SHUFFLE_MS
        in_play = next(deck for deck in status.decks if deck.place == "shoe")
        assert in_play.age_ms < in_play.limit_ms + since_ms
        await devices.dispense([Delivery(Target.PLAYER, size, 1)] * 5)
        if CONFIGS[name].method is not Method.CONTINUOUS_SHOE:
            await devices.remove_stub()
        await devices.pass_time(300_000)
    assert len(used) > 100
    assert Step.DECK_CHANGED_FOR_AGE in steps
    if CONFIGS[name].shuffler is ShufflerKind.NONE:
        assert set(used) == {"red"}
    else:
        repeats = sum(a == b for a, b in itertools.pairwise(used))
        # Only where a deck was changed may the other have been used twice in a row.
        assert repeats <= (await devices.status()).decks[-1].number


async def test_a_deck_whose_time_runs_out_while_it_is_shuffled_by_hand_is_changed() -> None:
    """In time when it is gathered, overdue when it is cut: a new deck is shuffled and cut."""
    devices = LocalDevices("t", CONFIGS["by hand"])
    await prepare_round(devices)
    await devices.dispense([Delivery(Target.PLAYER, 1, 1)])
    await devices.remove_stub()
    (deck,) = (await devices.status()).decks
    left_ms = deck.limit_ms - deck.age_ms
    await devices.pass_time(left_ms - timing.GATHER_MS - timing.MANUAL_SHUFFLE_MS // 2)
    steps = await prepare_round(devices)
    assert steps == (
        Step.DECK_LOADED,
        Step.DECK_CHANGED_FOR_AGE,
        Step.DECK_LOADED,
        Step.SHUFFLED,
        Step.CUT,
    )
    (deck,) = (await devices.status()).decks
    assert (deck.number, deck.place) == (2, "shoe")


@pytest.mark.parametrize("name", CONFIGS)
async def test_rounds_go_on_whatever_fails(name: str) -> None:
    """With every fault at 2 % the table retires, repairs and replaces, and deals on."""
    config = CONFIGS[name]
    devices = LocalDevices("t", config)
    await devices.set_fault_rates(dict.fromkeys(Fault, 20_000))
    size = 5 if config.method in (Method.AUTOMATED_SHOE, Method.CONTINUOUS_SHOE) else 1
    rounds = 0
    for _ in range(300):
        status = await devices.status()
        for device, state in ((Device.SHUFFLER, status.shuffler), (Device.SHOE, status.shoe)):
            if state is DeviceState.OUT_OF_ORDER:
                await devices.retire(device, Retirement.REMOVE)
                await devices.restore(device)
        try:
            await prepare_round(devices)
        except DeviceRefused as refusal:
            if refusal.reason is not Reason.DEVICE_OUT_OF_ORDER:
                raise
            continue
        dispensed = await devices.dispense([Delivery(Target.PLAYER, size, 1)] * 5)
        rounds += len(dispensed.delivered) == 5
        await devices.remove_stub()
    assert rounds > 100


async def test_two_runs_of_a_seed_are_alike_to_the_last_event() -> None:
    """Same seed, same commands: same cards, same faults, same times."""
    histories = []
    for _ in range(2):
        devices = LocalDevices("t", SEEDED)
        await devices.set_fault_rates({Fault.CARD_FACE_UP: 50_000, Fault.SHUFFLER_JAM: 300_000})
        for _ in range(10):
            await prepare_round(devices)
            await devices.dispense(ROUND)
            await devices.remove_stub()
        last = (await devices.status()).sequence
        events = devices.watch(0)
        histories.append([await next_event(events) for _ in range(last)])
    assert histories[0] == histories[1]
    jams = [e for e in histories[0] if isinstance(e.body, StateChanged)]
    assert any(event.body.state is DeviceState.JAMMED for event in jams)  # type: ignore[union-attr]


async def test_unseeded_stations_deal_different_cards() -> None:
    """Without a seed no two stations deal alike."""
    hands = []
    for _ in range(2):
        devices = LocalDevices("t", StationConfig())
        await prepare_round(devices)
        hands.append(cards_of((await devices.dispense([STACK])).delivered[0]))
    assert hands[0] != hands[1]
