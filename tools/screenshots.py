"""Take the pictures in docs/screenshots: a day at the demo's tables, looked at in Chromium.

The engine is given a clock that runs through a day while the tables play, so that charts have a
past; then real time, for the scenes that are photographed.
"""

import asyncio
import os
import random
import shutil
import tempfile
import time
from collections import Counter
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path

import grpc
from playwright.async_api import Browser, async_playwright

from emulator.devices.process import device_process
from jackpot.cli.demo_floor import LOOK, House, play_floor
from jackpot.cli.demo_view import Show
from jackpot.core.config import Site
from jackpot.display.web.beside import FREE, pages_somewhere
from jackpot.engine import Engine
from jackpot.rules.cards import deck
from jackpot.rules.hands import names
from jackpot.rules.site import load_site
from jackpot.server.controller import Controller
from jackpot.store.sqlite import SqliteJournal
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import table_pb2
from table_client.client import TableClient, open_channel
from table_client.table.devices.client import DeviceConnection
from table_client.table.floor import Floor
from table_client.table.turns import Turns

OUT = Path("docs/screenshots")
ROUNDS = 110  # of each table
DAY_MICROS = 20 * 3_600 * 1_000_000
EVENTS = 6 * ROUNDS * 10  # about as many as those rounds make
DESKTOP, PHONE = (1920, 1080), (390, 844)
FLAGS = ["--disable-gpu", "--disable-background-networking", "--disable-component-update"]
ROYAL = ["Ah", "Kh", "Qh", "Jh", "Th"]
STRAIGHT_FLUSH = ["9s", "8s", "7s", "6s", "5s"]
QUADS = ["8s", "8h", "8d", "8c", "Ks"]


class Clock:
    """A day in steps, then the real time."""

    def __init__(self) -> None:
        self._now = time.time_ns() // 1_000 - DAY_MICROS
        self.real = False

    def __call__(self) -> int:
        """Micros since 1970."""
        real = time.time_ns() // 1_000
        if self.real:
            return real
        self._now = min(self._now + DAY_MICROS // EVENTS, real - 1_000_000)
        return self._now


class Scene:
    """The demo's floor, played by hand."""

    def __init__(self, channel: grpc.aio.Channel, devices: DeviceConnection, site: Site) -> None:
        self.channel = channel
        self.devices = devices
        self.site = site
        self._rng = random.Random(4)
        self._parts = 0

    async def play(self, rounds: int) -> None:
        """So many rounds of all tables together, left to chance."""
        self._parts += 1
        seed = f"scene {self._parts}"
        house = House(
            self.site, self.channel, self.devices, Turns(0), new_request_id, seed, rigged_ppm=0
        )
        await play_floor(house, Show(self.site, seed), rounds)

    async def round(
        self, table: str, special: dict[int, list[str]], *, pay: bool, upto: str = "settle"
    ) -> None:
        """One round with special hands, its awards paid or left due; or only a part of it."""
        config = next(t for t in self.site.tables if t.id == table)
        links = [link for link in self.site.links if link.id in config.links]
        async with TableClient(self.channel, self.site.id, table) as client:
            await client.attach()
            await client.open_round()
            seats = range(1, config.seats + 1)
            wagers = [
                table_pb2.Wager(seat=seat, bet=bet.id, amount_micros=link.wager_micros)
                for link in links
                for bet in link.bets
                for seat in seats
                if seat in special or self._rng.random() < 0.75  # noqa: PLR2004 - most do
            ]
            await client.place_wagers(wagers)
            locked = await client.lock_out()
            if upto == "lock":
                return
            if not locked.collected:
                chips = {bet.id for link in links for bet in link.bets if bet.medium == "chips"}
                await client.confirm_collection(Counter(w.bet for w in wagers if w.bet in chips))
            dealt = {card for hand in special.values() for card in hand}
            cards = [card for card in deck() if card not in dealt]
            self._rng.shuffle(cards)
            hands = [
                table_pb2.SeatHand(
                    seat=seat,
                    cards=special.get(seat) or [cards.pop() for _ in range(config.seat_cards)],
                    fate=table_pb2.FATE_PLAYED,
                )
                for seat in seats
            ]
            dealer = [cards.pop() for _ in range(config.dealer_cards)]
            await client.settle(hands, dealer, ())
            if pay:
                await Floor(self.channel, self.site.id).clear(table)


async def a_day(scene: Scene) -> None:
    """Rounds at all tables, with a few hits on the way."""
    for part, (table, hand) in enumerate(
        (("table-1", QUADS), ("table-3", STRAIGHT_FLUSH), ("table-2", STRAIGHT_FLUSH))
    ):
        await scene.play(ROUNDS * len(scene.site.tables) // 3)
        await scene.round(table, {2 + part: hand}, pay=True)


async def take(browser: Browser, url: str, name: str, size: tuple[int, int]) -> None:
    """One picture."""
    phone = size == PHONE
    page = await browser.new_page(
        viewport={"width": size[0], "height": size[1]},
        device_scale_factor=2 if phone else 1,
        locale="en-US",
        timezone_id="America/New_York",
    )
    await page.goto(url)
    await page.wait_for_timeout(3_000)
    await page.screenshot(path=OUT / f"{name}-{'phone' if phone else '1080p'}.png")
    await page.close()


async def photograph(scene: Scene, url: str) -> None:
    """Every picture."""
    flags = [*FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    async with async_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = await playwright.chromium.launch(executable_path=path, args=flags)
        sizes = (DESKTOP, PHONE)
        for size in sizes:
            await take(browser, f"{url}/sign/mega", "sign", size)
        await scene.round("table-1", {4: QUADS}, pay=True)
        await scene.round("table-1", {}, pay=True)
        await scene.round("table-1", {}, pay=True, upto="lock")
        await scene.round("table-2", {3: ROYAL}, pay=False)
        await asyncio.gather(
            *(scene.round(f"table-{n}", {}, pay=True, upto="lock") for n in (3, 5))
        )
        for name, page in (("hit", "sign/mega"), ("table", "table/table-1"), ("ops", "ops")):
            for size in sizes:
                await take(browser, f"{url}/{page}", name, size)
        await browser.close()


async def keep_alive(controller: Controller) -> None:
    """Heartbeats of tables that wait to be photographed."""
    while True:
        for table in controller.site.tables:
            controller.heartbeats[controller.site.id, table.id] = time.time_ns() // 1_000
        await asyncio.sleep(1)


async def main() -> None:
    """Play, then photograph."""
    with (
        as_file(files("jackpot.rules") / "data" / "demo.toml") as path,
        tempfile.TemporaryDirectory() as folder,
    ):
        site, data, clock = load_site(path), Path(folder), Clock()
        engine = Engine(partial(SqliteJournal.open, data), names, sites=[site.id], clock=clock)
        controller = Controller(engine, site)
        where = await controller.start("127.0.0.1:0")
        async with (
            device_process("--speed", "0") as devices,
            DeviceConnection(devices) as connection,
            open_channel(where) as channel,
        ):
            scene = Scene(channel, connection, site)
            await a_day(scene)
            clock.real = True
            async with pages_somewhere(controller, data, FREE, LOOK) as url:
                await scene.play(2 * len(site.tables))
                alive = asyncio.create_task(keep_alive(controller))
                await photograph(scene, url)
                alive.cancel()
        await controller.stop()
    print(f"pictures are in {OUT}")


if __name__ == "__main__":
    OUT.mkdir(parents=True, exist_ok=True)
    asyncio.run(main())
