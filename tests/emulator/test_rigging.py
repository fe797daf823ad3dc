"""A shoe that is rigged for a demonstration, and says so."""

from collections import Counter

import pytest

from emulator.devices.deck import Rig
from emulator.devices.station import Station
from jackpot.rules.cards import DECK
from jackpot.rules.hands import names
from table_client.table.devices.client import DeviceConnection
from table_client.table.devices.device_faults import PPM, Target
from table_client.table.devices.model import Delivery, Method, ShufflerKind, StationConfig
from table_client.table.devices.refusals import DeviceRefused
from table_client.table.randomness import seeded
from tests.emulator.device_process import running

WINS = {"royal-flush", "straight-flush", "four-of-a-kind", "full-house", "flush"}


def dealt(rigged_ppm: int, stacks: int = 6, cards: int = 5) -> list[list[str]]:
    """The players' stacks of one seeded round, then the whole deck as gathered."""
    station = Station("t", StationConfig(seed="s", rigged_ppm=rigged_ppm))
    station.load_deck("red")
    station.shuffle()
    station.advance(10**6)
    station.eject()
    hands = [
        [card.card for card in station.dispense(Delivery(Target.PLAYER, cards, seat)).cards]
        for seat in range(1, stacks + 1)
    ]
    assert station.status().rigged is bool(rigged_ppm)
    station.remove_stub(count=True)
    station.load_deck("red")
    return [*hands, sorted(station.decks["red"].cards)]


def test_every_hand_made_to_win_wins() -> None:
    """Five cards of any kind that the rig makes are worth something; all kinds come."""
    rig, kinds = Rig(seeded("rig"), PPM), Counter[str]()
    for _ in range(200):
        cards = list(DECK)
        rig.stack(cards, 5)
        assert sorted(cards) == sorted(DECK)
        kinds.update(WINS.intersection(names("five-card", tuple(cards[-5:]))))
    assert set(kinds) == WINS
    assert kinds.total() >= 200


@pytest.mark.parametrize("count", [3, 4])
def test_a_smaller_stack_is_of_a_kind(count: int) -> None:
    """Three or four cards of one rank."""
    cards = list(DECK)
    Rig(seeded("rig"), PPM).stack(cards, count)
    assert len({card[0] for card in cards[-count:]}) == 1


def test_a_rigged_shoe_keeps_its_deck_whole() -> None:
    """Hands are made of the cards inside: afterwards there are still 52 different ones."""
    *hands, deck = dealt(PPM)
    assert deck == sorted(DECK)
    assert len({card for hand in hands for card in hand}) == 30
    assert WINS.intersection(names("five-card", tuple(hands[0])))


def test_at_rate_zero_the_seed_deals_its_own_cards() -> None:
    """Rigging draws from a stream of its own: without it nothing is different."""
    assert dealt(0) == dealt(0)
    rare, fair = dealt(1), dealt(0)
    assert rare == fair


@pytest.mark.parametrize(
    "config",
    [
        StationConfig(rigged_ppm=-1),
        StationConfig(rigged_ppm=PPM + 1),
        StationConfig(method=Method.MANUAL_SHOE, rigged_ppm=1),
        StationConfig(method=Method.CONTINUOUS_SHOE, shuffler=ShufflerKind.NONE, rigged_ppm=1),
    ],
)
def test_only_an_automated_shoe_can_be_rigged(config: StationConfig) -> None:
    """Nothing else dispenses whole hands, and a rate is at most a million."""
    with pytest.raises(DeviceRefused, match="rigged"):
        Station("t", config)


@pytest.mark.process
async def test_the_process_says_so_too() -> None:
    """Over gRPC a station is rigged as asked, its status says so, and its cards are as here."""
    with running("--speed", "0") as process:
        async with DeviceConnection(process.address) as connection:
            config = StationConfig(seed="s", rigged_ppm=PPM)
            devices = await connection.open_station("t", config)
            assert (await devices.load_deck("red")).rigged
            await devices.shuffle()
            await devices.eject()
            dispensed = await devices.dispense([Delivery(Target.PLAYER, 5, 1)])
    assert [card.card for card in dispensed.delivered[0].cards] == dealt(PPM)[0]
