"""What holds for a station whatever is asked of it, in any order, with faults at any rate."""

import contextlib
import itertools
from collections import Counter
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from emulator.devices.station import Station
from jackpot.rules.cards import deck
from table_client.table.devices.device_faults import FAULT_RULES, Chance, Fault, Target
from table_client.table.devices.model import (
    MAX_EVENTS,
    Delivery,
    Device,
    DeviceState,
    Method,
    Retirement,
    ShufflerKind,
    StationConfig,
)
from table_client.table.devices.refusals import DeviceRefused

Command = Callable[[Station], object]

backs = st.sampled_from(["red", "blue", "green"])
devices_of = st.sampled_from(Device)
deliveries = st.builds(
    Delivery, st.sampled_from(Target), st.sampled_from([1, 1, 2, 5]), st.integers(0, 7)
)


def command(name: str, *arguments: st.SearchStrategy[object]) -> st.SearchStrategy[Command]:
    """A command with drawn arguments."""

    def bound(values: tuple[object, ...]) -> Command:
        def act(station: Station) -> object:
            return getattr(station, name)(*values)

        act.__name__ = f"{name}{values}"
        return act

    return st.tuples(*arguments).map(bound)


def finish(station: Station) -> None:
    """Wait for the shuffler."""
    if station.due_ms is not None:
        station.advance(station.due_ms)


handling = st.one_of(
    command("load_deck", backs),
    command("shuffle"),
    st.just(finish),
    command("eject"),
    command("cut", st.integers(8, 53)),
    command("dispense", deliveries),
    st.booleans().map(lambda hand: lambda s: s.remove_stub(count=True, to_hand=hand)),
)
upkeep = st.one_of(
    command("remove_deck", backs),
    command("retire", devices_of, st.sampled_from(Retirement)),
    command("restore", devices_of),
    command("change_method", st.sampled_from(Method)),
    command("pass_time", st.integers(0, 10**7)),
)
configs = st.builds(
    StationConfig,
    method=st.sampled_from(Method),
    shuffler=st.sampled_from(ShufflerKind),
    joker=st.booleans(),
    poker=st.booleans(),
    by_hand_hours=st.integers(0, 9),
    by_shoe_hours=st.integers(0, 9),
    retire_by=st.sampled_from(Retirement),
    seed=st.just("property"),
)


def opened(config: StationConfig) -> Station | None:
    """A station, unless no table may be set up so."""
    try:
        return Station("p", config)
    except DeviceRefused:
        return None


def all_cards(station: Station) -> dict[str, Counter[str]]:
    """Where every card of every deck is, by deck."""
    found = {}
    for back, held in station.decks.items():
        shoe = station.shoe
        in_play = shoe.dealt + shoe.rack + shoe.cards + shoe.held
        found[back] = Counter(in_play if held is shoe.deck else held.cards)
    return found


def lying_out(station: Station) -> tuple[object, ...]:
    """What the dealer has before him, in its order."""
    return (station.stacked, station.uncut, list(station.shoe.cards), list(station.shoe.held))


@settings(max_examples=150)
@given(configs, st.lists(st.one_of(handling, handling, upkeep), max_size=60))
def test_no_card_is_ever_lost_or_doubled(config: StationConfig, commands: list[Command]) -> None:
    """Every deck at the table is whole after every command, refused or not, whatever fails."""
    station = opened(config)
    if station is None:
        return
    station.set_fault_rates(
        {fault: 100_000 for fault in Fault if FAULT_RULES[fault].chance is not Chance.LOAD}
    )
    whole = Counter(deck(joker=config.joker))
    for act in commands:
        with contextlib.suppress(DeviceRefused):
            act(station)
        assert all(cards == whole for cards in all_cards(station).values())


@settings(max_examples=150)
@given(
    configs,
    st.lists(st.one_of(handling, handling, upkeep), max_size=40),
    st.integers(0, 300_000),
)
def test_a_refused_command_changes_nothing(
    config: StationConfig, commands: list[Command], rate_ppm: int
) -> None:
    """Whatever is refused leaves the station as it was, at any rate of faults."""
    station = opened(config)
    if station is None:
        return
    station.set_fault_rates(dict.fromkeys(Fault, rate_ppm))
    for act in commands:
        before, cards, lying = station.status(), all_cards(station), lying_out(station)
        try:
            act(station)
        except DeviceRefused:
            assert station.status() == before
            assert all_cards(station) == cards
            assert lying_out(station) == lying


@settings(max_examples=100)
@given(configs, st.lists(st.one_of(handling, upkeep), max_size=40))
def test_the_same_seed_and_commands_give_the_same_events(
    config: StationConfig, commands: list[Command]
) -> None:
    """Two runs agree in every event, its time included, faults at random and all."""
    histories = []
    for _ in range(2):
        station = opened(config)
        if station is None:
            return
        station.set_fault_rates(dict.fromkeys(Fault, 100_000))
        for act in commands:
            with contextlib.suppress(DeviceRefused):
                act(station)
        histories.append(list(station.events))
    assert histories[0] == histories[1]


@settings(max_examples=100)
@given(st.lists(handling, max_size=80))
def test_decks_never_come_twice_in_a_row(commands: list[Command]) -> None:
    """While two decks are at a table with a shuffler, each eject gives the other deck."""
    station = Station("p", StationConfig(seed="alternate"))
    for back in ("red", "blue"):
        station.load_deck(back)
        station.shuffle()
        finish(station)
        if back == "red":
            station.eject()
    last = "red"
    for act in commands:
        before = station.status().shuffler_deck
        try:
            act(station)
        except DeviceRefused:
            continue
        status = station.status()
        if before and not status.shuffler_deck:  # ejected
            assert before != last
            last = before


@given(st.lists(st.one_of(handling, upkeep), max_size=60))
def test_events_are_numbered_without_gaps_and_time_never_goes_back(commands: list[Command]) -> None:
    """Sequences follow each other and times do not fall."""
    station = Station("p", StationConfig(seed="numbers"))
    for act in commands:
        with contextlib.suppress(DeviceRefused):
            act(station)
    events = list(station.events)
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    assert all(a.at_ms <= b.at_ms for a, b in itertools.pairwise(events))


def test_only_so_many_events_are_kept() -> None:
    """A station that runs for years keeps its last events, not all."""
    station = Station("p", StationConfig(method=Method.CONTINUOUS_SHOE, shuffler=ShufflerKind.NONE))
    for _ in range(MAX_EVENTS):
        station.pass_time(0)
        if "red" in station.decks:
            station.remove_deck("red")
        station.load_deck("red")
    assert len(station.events) == MAX_EVENTS
    assert station.events[-1].sequence == station.sequence
    assert station.shoe.state is DeviceState.LOADED
