"""Whole rounds with emulated devices against a real controller over gRPC."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from grpc.aio import AioRpcError

from emulator.devices.local import LocalDevices
from jackpot.rules.cards import parse_cards
from jackpot.rules.site import load_site
from jackpot.wire.refusals import from_rpc_error
from table_client.client import TableClient, open_channel
from table_client.table.devices.device_deck import DeviceDeck
from table_client.table.devices.device_faults import Fault
from table_client.table.devices.model import StationConfig
from table_client.table.games.catalogue import GAMES
from table_client.table.players import SimulatedPlayer
from table_client.table.ports import SideAward
from table_client.table.progressive import LinkedProgressive
from table_client.table.round.play import Table
from tests.client.games.decks import PlainDeck, seeded_order, stacked
from tests.client.games.tables import PA, Scripted, clauses, steps
from tests.server.house import (
    BONUS,
    FIVE,
    SITE,
    House,
    open_house,
    serving,
    site_text,
    write_site,
)

CONFIG = StationConfig(seed="linked")


class Pit:
    """A controller, a table's client, and a floor that validates and pays."""

    def __init__(self, house: House, client: TableClient) -> None:
        self.house = house
        self.client = client
        self.progressive = LinkedProgressive(client, self)

    async def pay(self, award: SideAward) -> None:
        """What a floorperson and the cage do."""
        if award.needs_floorperson:
            await self.house.operate("ValidatePayout", payout=award.payout, floorperson="Ann")
        form = "F-1" if award.source == "cage" else ""
        await self.house.operate("PayPayout", payout=award.payout, form=form)

    async def approve(self, call: int) -> None:
        """What a floorperson does for a table that calls."""
        await self._act("ApproveFloorCall", call=call)

    async def _act(self, rpc: str, **about: Any) -> None:
        try:
            await self.house.operate(rpc, **about)
        except AioRpcError as error:
            raise from_rpc_error(error) from error

    async def meter(self) -> int:
        """The Five-Card Progressive's meter."""
        return (await self.house.meter("five"))["main"]


@pytest.mark.rule("PA 657a.11(f)(3)")
async def test_electronic_wagers_come_from_the_players_account(tmp_path: Path) -> None:
    """The account pays the Five Card Hand Bonus and no chip, and is given what it wins."""
    async with pit(tmp_path) as at:
        await at.house.operate("BuyIn", account="acc-1", amount_micros=50_000_000, reference="C-1")
        player = SimulatedPlayer("ann", "accounts", account="acc-1")
        deck = PlainDeck(seeded_order("accounts"))
        table = Table(GAMES[PA], deck, at.progressive)
        paid = won = 0
        for _ in range(6):
            seat = (await table.play_round({3: player})).seats[3]
            bonus = [bet for bet in seat.linked if bet.startswith(BONUS)]
            paid += sum(seat.linked[bet] for bet in bonus)
            won += sum(a.amount_micros for a in seat.awards if a.source == "account")
        held = await at.house.engine.read(SITE, lambda state: state.balances["@account/acc-1"])
        assert paid > 0
        assert held == 50_000_000 - paid + won


def decks_of(house: House) -> Any:
    """The decks that the controller has on record for the table."""
    return house.engine.read(SITE, lambda state: dict(state.tables["t1"].decks))


@pytest.mark.rule("PA 657a.3(c)")
async def test_the_controller_knows_the_decks_in_use(tmp_path: Path) -> None:
    """Put into use, changed for their age, and dealt by shoe: the journal has it all."""
    async with pit(tmp_path) as at:
        devices = LocalDevices("t1", CONFIG)
        table = Table(GAMES[PA], DeviceDeck(devices, CONFIG), at.progressive)
        players = {seat: SimulatedPlayer(f"p{seat}", "decks") for seat in (1, 2)}
        await table.play_round(players)
        first = await decks_of(at.house)
        assert set(first) == {"red", "blue"}
        for deck in first.values():
            assert deck.dealing == "shoe"
            assert deck.due_micros - deck.since_micros == 8 * 3_600 * 1_000_000
        await table.play_round(players)
        assert await decks_of(at.house) == first  # nothing new, so nothing is sent
        await devices.pass_time(8 * 3_600_000)
        for _ in range(3):
            await table.play_round(players)
        now = await decks_of(at.house)
        assert all(now[back] != deck for back, deck in first.items())  # both were changed
        await at.progressive.use_decks((), by_hand=False)
        assert await decks_of(at.house) == {}


@asynccontextmanager
async def pit(folder: Path) -> AsyncIterator[Pit]:
    """Table t1, on the progressive and the hand bonus."""
    async with (
        open_house(folder) as house,
        open_channel(house.address) as channel,
        TableClient(channel, SITE, "t1", deadline_s=10) as client,
    ):
        await client.attach()
        yield Pit(house, client)


async def test_rounds_with_devices_and_a_controller(tmp_path: Path) -> None:
    """Ten rounds of six players: every lamp is an increment, and the next round always opens."""
    async with pit(tmp_path) as floor:
        table = Table(GAMES[PA], DeviceDeck(LocalDevices("t1", CONFIG), CONFIG), floor.progressive)
        players = {seat: SimulatedPlayer(f"p{seat}", "linked") for seat in range(1, 7)}
        rounds = [await table.play_round(players) for _ in range(10)]
        lit = sum(FIVE in seat.linked for result in rounds for seat in result.seats.values())
        assert lit > 10
        shares = [
            a for r in rounds for s in r.seats.values() for a in s.awards if a.kind == "share"
        ]
        assert not shares
        assert await floor.meter() == 10_000_000_000 + lit * 210_000


@pytest.mark.rule("PA 657a.2(c)(2)")
@pytest.mark.rule("PA 657a.2(d)")
async def test_a_wager_after_the_lock_out_is_refused_by_the_controller(tmp_path: Path) -> None:
    """The late chip and the late electronic wager stay dark, and the meter knows only the other."""
    async with pit(tmp_path) as floor:
        table = Table(GAMES[PA], PlainDeck(stacked(())), floor.progressive)
        players = {1: Scripted("a", linked=(FIVE,)), 2: Scripted("b", late=(FIVE, BONUS))}
        result = await table.play_round(players)
        assert len(steps(result, "late")) == 2
        assert not result.seats[2].linked
        assert await floor.meter() == 10_000_210_000


@pytest.mark.rule("PA 657a.13(f)")
async def test_a_jam_leaves_the_controllers_meter_as_it_was(tmp_path: Path) -> None:
    """The round is void at the table and at the controller."""
    async with pit(tmp_path) as floor:
        devices = LocalDevices("t1", CONFIG)
        table = Table(GAMES[PA], DeviceDeck(devices, CONFIG), floor.progressive)
        before = await floor.house.balances()
        await devices.inject_fault(Fault.SHOE_JAM, skip=2)
        players = {seat: Scripted(f"p{seat}", linked=(FIVE, BONUS)) for seat in (1, 2, 3)}
        result = await table.play_round(players)
        assert result.void == "SHOE_FAILED"
        assert await floor.house.balances() == before
        assert not (await table.play_round(players)).void


@pytest.mark.rule("PA 657a.11(e)(4)")
async def test_a_royal_flush_is_paid_by_the_cage_before_the_cards_go(tmp_path: Path) -> None:
    """The whole meter, with envy for the other bettor, and the next round opens at once."""
    async with pit(tmp_path) as floor:
        cards = parse_cards("As Ks Qs Js Ts 4h 7h 6c 8d 9d Kd Jd 8c 5h 3h")
        table = Table(GAMES[PA], PlainDeck(stacked(cards)), floor.progressive)
        players = {1: Scripted("a", linked=(FIVE,)), 2: Scripted("b", linked=(FIVE,))}
        result = await table.play_round(players)
        paid = {(a.seat, a.kind): a.amount_micros for s in result.seats.values() for a in s.awards}
        assert paid == {(1, "share"): 10_000_420_000, (2, "envy"): 1_000_000_000}
        assert clauses(result, "hold") == ["PA 657a.11(e)(4)"]
        assert await floor.meter() == 10_000_000_000
        assert not (await table.play_round(players)).void


async def test_a_count_that_differs_is_put_right_by_the_floor(tmp_path: Path) -> None:
    """The controller refuses two chips for three wagers; the wager without a chip is removed."""
    async with pit(tmp_path) as floor:
        table = Table(GAMES[PA], PlainDeck(stacked(())), floor.progressive)
        players = {
            1: Scripted("a", linked=(FIVE,)),
            2: Scripted("b", linked=(FIVE,), no_chip=(FIVE,)),
            3: Scripted("c", linked=(FIVE,)),
        }
        result = await table.play_round(players)
        assert "2 chips for 3 wagers" in steps(result, "collect")[0].says
        assert await floor.meter() == 10_000_420_000


@pytest.mark.parametrize("moment", ["before", "lock-out", "collection", "settlement", "void"])
async def test_a_controller_that_is_lost_and_comes_back(tmp_path: Path, moment: str) -> None:
    """Lost before the deal, the wagers go back; after it, the hand is settled on return."""
    data, text = tmp_path / "data", site_text()
    site = load_site(write_site(tmp_path, text))
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(serving(data, site))
        channel = await stack.enter_async_context(open_channel(first.address))
        client = await stack.enter_async_context(TableClient(channel, SITE, "t1", deadline_s=1.0))
        await client.attach()
        floor = Pit(first, client)
        devices = LocalDevices("t1", CONFIG)
        table = Table(GAMES[PA], DeviceDeck(devices, CONFIG), floor.progressive)
        players = {1: Scripted("a", linked=(FIVE,)), 2: Scripted("b", linked=(FIVE,))}
        if moment == "void":
            await devices.inject_fault(Fault.SHOE_JAM)
        _stop_at(moment, first, floor.progressive)
        result = await table.play_round(players)
        dealt = moment in ("settlement", "void")
        assert bool(steps(result, "out-of-service")) is (moment not in ("before", "void"))
        assert all(seat.outcomes for seat in result.seats.values())
        assert all(bool(seat.linked) is (moment == "settlement") for seat in result.seats.values())
        again = await stack.enter_async_context(serving(data, site, address=first.address))
        floor.house = again
        back = await table.play_round({1: Scripted("a")})
        assert not back.void
        assert not dealt or back.seats[1].cards
        kept = 2 if moment == "settlement" else 0
        assert await floor.meter() == 10_000_000_000 + kept * 210_000


def _stop_at(moment: str, house: House, progressive: LinkedProgressive) -> None:
    """Stop the controller just before the progressive's call of that moment."""
    name = {
        "before": "open_round",
        "lock-out": "lock_out",
        "collection": "confirm_collection",
        "settlement": "settle",
        "void": "void_round",
    }[moment]
    real = getattr(progressive, name)

    async def stops(*given: object) -> object:
        setattr(progressive, name, real)
        await house.controller.stop()
        return await real(*given)

    setattr(progressive, name, stops)
