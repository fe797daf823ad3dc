"""A controller on a real socket in the test's own loop, and those who call it."""

import itertools
import os
import socket
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import grpc
from google.rpc import error_details_pb2, status_pb2
from grpc.aio import AioRpcError

from emulator.soak.under_test import InjectedError
from jackpot.core.config import Site
from jackpot.engine import Engine, Limits
from jackpot.engine.commit_points import Point
from jackpot.rules.bad_beat import POKER
from jackpot.rules.hands import names
from jackpot.rules.site import load_site
from jackpot.server.controller import Controller
from jackpot.sources import clock_micros
from jackpot.store.journal import Journal
from jackpot.store.opening import Address, journal_opener
from jackpot.wire.identity import DEPARTMENT_KEY, PRINCIPAL_KEY
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import (
    meter_pb2,
    meter_pb2_grpc,
    operator_pb2,
    operator_pb2_grpc,
    payout_pb2,
    table_pb2,
    table_pb2_grpc,
)

SITE = "house"
FIVE = "five-card-progressive"
BONUS = "five-card-hand-bonus"
DOLLAR = 1_000_000
ROYALS = {s: [r + s for r in "AKQJT"] for s in "sh"}
# Six hands and a dealer's that win nothing, none of the cards in two of them or in a royal.
NOTHING = {
    0: ["2c", "4d", "6h", "8s", "9c"],
    1: ["2d", "4h", "6s", "8c", "9d"],
    2: ["2h", "4s", "6c", "8d", "9h"],
    3: ["2s", "4c", "6d", "8h", "9s"],
    4: ["3c", "5d", "7h", "Tc", "Qd"],
    5: ["3d", "5h", "7s", "Td", "Jc"],
    6: ["3h", "5s", "7c", "Jd", "Qc"],
}
RPCS = {
    "open_round": "OpenRound",
    "place_wagers": "PlaceWagers",
    "withdraw_wagers": "WithdrawWagers",
    "lock_out": "LockOut",
    "confirm_collection": "ConfirmCollection",
    "settle": "Settle",
    "void_round": "VoidRound",
    "call_floor": "CallFloor",
    "withdraw_call": "WithdrawCall",
    "contribute_pot": "ContributePot",
    "place_deck": "PlaceDeck",
    "remove_deck": "RemoveDeck",
}


def link_text(link: str, paytable: str, wager: int, *, in_service: bool = True) -> str:
    """A link of the site file."""
    return (
        f'[[links]]\nid = "{link}"\ntitle = "{link}"\nrule = "pa-crazy-4-poker"\nbet = "{FIVE}"\n'
        f'paytable = "{paytable}"\nwager = "${wager}"\nin_service = {str(in_service).lower()}\n\n'
    )


def site_text(many: int = 0) -> str:
    """A site with a link of each kind, tables t1 to t4, and as many plain tables as wanted."""
    tables = {"t1": '["five", "bonus"]', "t2": '["mega"]', "t3": '["spare"]', "t4": '["five"]'}
    tables.update({f"s{number}": '["five"]' for number in range(many)})
    return (
        f'[site]\nid = "{SITE}"\n\n'
        + link_text("five", "A", 1)
        + link_text("mega", "C", 5)
        + link_text("spare", "A", 1, in_service=False)
        + f'[[links]]\nid = "bonus"\ntitle = "bonus"\nrule = "pa-crazy-4-poker"\nbet = "{BONUS}"\n'
        'wager = "$1"\nmagic_share = "0%"\nlucky_share = "0%"\nin_service = true\n\n'
        + "".join(f'[[tables]]\nid = "{id_}"\nlinks = {on}\n\n' for id_, on in tables.items())
    )


def fund_text() -> str:
    """A Bad Beat fund at table p1, and a link at table t5 whose rates are the operator's."""
    return (
        '[[links]]\nid = "fund"\nrule = "pa-2010-poker-bad-beat"\nbet = "bad-beat"\n'
        'in_service = true\n[links.pot]\nminimum_pot = "$20"\ncontribution = "10%"\ncap = "$2"\n'
        'qualifying_hand = "four-eights"\nloser = "50%"\nwinner = "25%"\ntable = "25%"\n'
        'passes_on_to = "fund"\n\n'
        '[[links]]\nid = "stud"\nrule = "pa-2011-caribbean-stud"\nbet = "progressive"\n'
        'wager = "$1"\nin_service = true\n[links.levels.main]\nseed = "$10,000"\n'
        'reseed = "$10,000"\nprimary = "70%"\n[links.pays]\nstraight-flush = "10% of main"\n\n'
        '[[tables]]\nid = "p1"\nlinks = ["fund"]\n\n[[tables]]\nid = "t5"\nlinks = ["stud"]\n\n'
    )


# Four eights that lose to four nines, in Hold 'em.
FOUR_EIGHTS_LOSE: dict[str, Any] = {
    "losing_cards": ["8s", "8h"],
    "winning_cards": ["9s", "9h"],
    "community_cards": ["8d", "8c", "9d", "9c", "2s"],
}


def write_site(folder: Path, text: str) -> Path:
    """The site file in a folder."""
    path = folder / "site.toml"
    path.write_text(text)
    return path


# Below the ports that the system gives to connections, from another place for each test process.
_PORTS = itertools.islice(itertools.cycle(range(10_000, 32_000)), os.getpid() * 211 % 22_000, None)


def free_port() -> int:
    """A port that nobody listens on, and that nobody else is given before it is used."""
    for port in _PORTS:
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError  # there is always another one


def wager(seat: int, bet: str = FIVE, dollars: int = 1, player: str = "") -> table_pb2.Wager:
    """A wager in whole dollars."""
    return table_pb2.Wager(seat=seat, bet=bet, amount_micros=dollars * DOLLAR, player=player)


def wagers(*seats: int, bet: str = FIVE, dollars: int = 1) -> table_pb2.PlaceWagers:
    """The same wager at each seat."""
    return table_pb2.PlaceWagers(wagers=[wager(seat, bet, dollars) for seat in seats])


def hands(special: Mapping[int, list[str]], *seats: int) -> table_pb2.Settle:
    """Hands for the seats; whoever is not special holds nothing. 0 is the dealer."""
    dealt = NOTHING | dict(special)
    played = [
        table_pb2.SeatHand(seat=seat, cards=dealt[seat], fate=table_pb2.FATE_PLAYED)
        for seat in seats
    ]
    return table_pb2.Settle(hands=played, dealer=dealt[0])


def status_of(error: AioRpcError) -> status_pb2.Status:
    """The rich status of a failed call."""
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            assert isinstance(value, bytes)
            return status_pb2.Status.FromString(value)
    raise AssertionError(f"no rich status: {error}")


def info_of(status: status_pb2.Status) -> error_details_pb2.ErrorInfo:
    """The ErrorInfo of a status."""
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    return info


class Faults:
    """Makes the writer raise or wait at a point, when a test says so."""

    def __init__(self) -> None:
        self.raise_at: Point | None = None
        self.hold_at: Point | None = None
        self.held = threading.Event()
        self.go_on = threading.Event()

    def __call__(self, point: Point) -> None:
        """What the engine calls at each point."""
        if point == self.raise_at:
            raise InjectedError(point)
        if point == self.hold_at:
            self.held.set()
            assert self.go_on.wait(30)


class Clock:
    """The machine's clock, put forward as a test says."""

    def __init__(self) -> None:
        self.ahead_s = 0

    def __call__(self) -> int:
        """What the engine calls."""
        return clock_micros() + self.ahead_s * 1_000_000


class Dealer:
    """Sends one table's commands by unary RPCs, numbered as they should be."""

    def __init__(self, house: "House", table: str, epoch: int) -> None:
        self.house = house
        self.table = table
        self.epoch = epoch
        self.number = 0

    def id(self, number: int | None = None) -> table_pb2.CommandId:
        """The next command's identity, or that of another number."""
        if number is None:
            self.number += 1
            number = self.number
        return table_pb2.CommandId(site=SITE, table=self.table, epoch=self.epoch, number=number)

    async def do(self, kind: str, command: Any = None, number: int | None = None) -> Any:
        """Send a command and wait for its response."""
        rpc = RPCS[kind]
        command = command if command is not None else getattr(table_pb2, rpc)()
        request = getattr(table_pb2, f"{rpc}Request")(id=self.id(number), command=command)
        return await getattr(self.house.tables, rpc)(request, timeout=10)

    async def locked(self, *seats: int, dollars: int = 1) -> Any:
        """A round with these wagers, locked out."""
        await self.do("open_round")
        if seats:
            await self.do("place_wagers", wagers(*seats, dollars=dollars))
        return await self.do("lock_out")

    async def collected(self, *seats: int, dollars: int = 1) -> None:
        """A round with these wagers, the chips counted."""
        if not (await self.locked(*seats, dollars=dollars)).collected:
            chips = table_pb2.ConfirmCollection(chips={FIVE: len(seats)})
            await self.do("confirm_collection", chips)

    async def settled(
        self, special: Mapping[int, list[str]], *seats: int, dollars: int = 1
    ) -> list[payout_pb2.Payout]:
        """A whole round; its payouts."""
        await self.collected(*seats, dollars=dollars)
        return list((await self.do("settle", hands(special, *seats))).payouts)


class House:
    """A served site."""

    def __init__(
        self, controller: Controller, engine: Engine, address: str, store: Address
    ) -> None:
        self.controller = controller
        self.engine = engine
        self.address = address
        self.store = store
        self.channel = grpc.aio.insecure_channel(
            address, options=[("grpc.use_local_subchannel_pool", 1)]
        )
        self.tables: table_pb2_grpc.TableServiceAsyncStub = table_pb2_grpc.TableServiceStub(
            self.channel
        )
        self.meters: meter_pb2_grpc.MeterServiceAsyncStub = meter_pb2_grpc.MeterServiceStub(
            self.channel
        )
        self.operators: operator_pb2_grpc.OperatorServiceAsyncStub = (
            operator_pb2_grpc.OperatorServiceStub(self.channel)
        )
        self.faults = Faults()
        self.clock = Clock()

    async def dealer(self, table: str) -> Dealer:
        """Attach a table."""
        request = table_pb2.AttachRequest(site=SITE, table=table, request_id=new_request_id())
        return Dealer(self, table, (await self.tables.Attach(request)).epoch)

    async def operate(
        self, rpc: str, request_id: str | None = None, who: str = "", **values: Any
    ) -> Any:
        """Call an operator's RPC that changes something; `who` is "person/department"."""
        request = getattr(operator_pb2, f"{rpc}Request")(
            site=SITE, request_id=request_id or new_request_id(), **values
        )
        metadata = zip((PRINCIPAL_KEY, DEPARTMENT_KEY), who.split("/") if who else (), strict=False)
        return await getattr(self.operators, rpc)(request, timeout=10, metadata=tuple(metadata))

    async def meter(self, link: str) -> dict[str, int]:
        """A link's meters by level."""
        request = meter_pb2.ListMetersRequest(site=SITE, link=link)
        (found,) = (await self.meters.ListMeters(request)).links
        return {meter.level: meter.amount_micros for meter in found.meters}

    async def sequence(self) -> int:
        """Where the journal stands."""
        return (await self.meters.ListMeters(meter_pb2.ListMetersRequest(site=SITE))).sequence

    async def balances(self) -> dict[str, operator_pb2.Link]:
        """Every link with its accounts."""
        response = await self.operators.ListLinks(operator_pb2.ListLinksRequest(site=SITE))
        return {link.id: link for link in response.links}


@asynccontextmanager
async def serving(
    store: Address,
    site: Site,
    *,
    limits: Limits | None = None,
    journal_factory: Callable[[], Journal] | None = None,
    address: str = "127.0.0.1:0",
) -> AsyncIterator[House]:
    """Serve a site for as long as this lasts."""
    faults, clock = Faults(), Clock()
    engine = Engine(
        journal_factory or journal_opener(store),
        names,
        sites=[site.id],
        limits=limits,
        faults=faults,
        clock=clock,
        poker=POKER,
    )
    controller = Controller(engine, site)
    house = House(controller, engine, await controller.start(address), store)
    house.faults, house.clock = faults, clock
    try:
        yield house
    finally:
        faults.raise_at = faults.hold_at = None
        faults.go_on.set()
        await house.channel.close()
        await controller.stop()


@asynccontextmanager
async def open_house(
    folder: Path, store: Address | None = None, *, many: int = 0, more: str = "", **options: Any
) -> AsyncIterator[House]:
    """The usual site and whatever else its file says, served from a folder or on a store."""
    site = load_site(write_site(folder, site_text(many) + more))
    async with serving(store or folder / "data", site, **options) as house:
        yield house
