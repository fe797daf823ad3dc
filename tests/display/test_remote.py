"""Signs in a process of their own: the same pages, fed over gRPC."""

import asyncio
import json
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Self

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace
from rich.console import Console

from jackpot.cli.main import main
from jackpot.cli.watch_view import page
from jackpot.display.feeds.site_feed import SiteFeed
from jackpot.display.views.projection import sign_frame
from jackpot.display.views.words import money
from jackpot.display.web.app import Settings
from jackpot.display.web.serving import listen, serve_feed
from jackpot.engine.alarms import AlarmKind, alarm
from jackpot.rules.site import load_site
from jackpot.wire.v1 import meter_pb2
from table_client.client import TableClient, open_channel
from tests.auth.secured import Secured, secured
from tests.display.browser import Browser
from tests.display.shown import ask, open_shown
from tests.e2e.process import ALONE, Process
from tests.engine.pit import eventually
from tests.server.house import (
    BONUS,
    FIVE,
    ROYALS,
    SITE,
    House,
    free_port,
    fund_text,
    hands,
    open_house,
    serving,
    site_text,
    wager,
    wagers,
    write_site,
)

QUADS = ["7s", "7h", "7d", "7c", "As"]
ON = re.compile(r"signs of \S+ on (http://\S+)")


class SignProcess:
    """`jackpot sign` as a process of its own, at `url`."""

    def __init__(self, *options: object) -> None:
        self._command = (sys.executable, "-m", "jackpot", "sign", "--http", "127.0.0.1:0")
        self._options = map(str, options)
        self.url = ""

    async def __aenter__(self) -> Self:
        self._process = await asyncio.create_subprocess_exec(
            *self._command,
            *self._options,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        assert self._process.stdout is not None
        found = ON.match((await self._process.stdout.readline()).decode())
        assert found
        self.url = found[1]
        return self

    async def stop(self) -> int:
        """Ask it to stop; its exit code."""
        self._process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(10):
            return await self._process.wait()

    async def __aexit__(self, *_: object) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.communicate()


@asynccontextmanager
async def both(folder: Path) -> AsyncIterator[tuple[House, SiteFeed, SiteFeed]]:
    """A house seen by its own pages and from outside."""
    async with (
        open_shown(folder, more=fund_text()) as shown,
        open_channel(shown.house.address) as channel,
    ):
        outside = SiteFeed(channel)
        await outside.start()
        await eventually(lambda: outside.serving)
        try:
            yield shown.house, shown.display._pages._feed, outside
        finally:
            await outside.stop()


def both_show(inside: SiteFeed, outside: SiteFeed, link: str, hits: int, paid: int = 0) -> bool:
    """Whether both have come as far: so many hits, and so many of them paid."""
    frames = [source.frame(link) for source in (inside, outside)]
    return all(
        frame is not None
        and frame.hit_count == hits
        and [hit.status for hit in frame.recent_hits].count(meter_pb2.HIT_STATUS_PAID) == paid
        for frame in frames
    )


async def test_both_sources_show_the_same_signs(tmp_path: Path) -> None:
    """Paytable, meters and hits are the same from inside and from outside."""
    async with both(tmp_path) as (house, inside, outside):
        dealer = await house.dealer("t2")
        await dealer.settled({3: QUADS}, 1, 3, dollars=5)
        for link in ("five", "mega", "bonus", "spare", "fund"):
            assert await inside.card(link) == await outside.card(link)
        await eventually(lambda: both_show(inside, outside, "mega", hits=1))
        assert outside.frame("mega") == inside.frame("mega")


async def test_both_sources_put_what_is_not_yet_paid_first(tmp_path: Path) -> None:
    """On signs and lists a pending jackpot stands before newer hits that were paid."""
    async with both(tmp_path) as (house, inside, outside):
        (jackpot,) = await (await house.dealer("t1")).settled({1: ROYALS["s"]}, 1)
        dealer = await house.dealer("t4")
        low = [f"{rank}c" for rank in "34567"]
        paid = []
        for _ in range(3):
            (minor,) = await dealer.settled({1: low}, 1)
            await house.operate("ValidatePayout", payout=minor.id, floorperson="Flo")
            await house.operate("PayPayout", payout=minor.id, form="W-2G")
            paid.append(minor)
        await eventually(lambda: both_show(inside, outside, "five", hits=4, paid=3))
        largest = sorted(paid, key=lambda payout: -payout.amount_micros)
        for source in (inside, outside):
            frame, site = source.frame("five"), await source.overview()
            assert frame is not None
            assert site is not None
            on_sign = [hit.payout for hit in sign_frame(frame).hits]
            assert on_sign == [jackpot.id, *(payout.id for payout in largest)]
            listed = [hit.payout for hit in site.hits]
            assert listed == [jackpot.id, *(payout.id for payout in reversed(paid))]


async def test_both_sources_show_the_same_floor(tmp_path: Path) -> None:
    """Seats, lamps, counts and payouts agree; so do the lists of the operator page."""
    async with both(tmp_path) as (house, inside, outside):
        dealer = await house.dealer("t2")
        await dealer.settled({3: QUADS}, 1, 3, dollars=5)
        other = await house.dealer("t1")
        await other.do("open_round")
        await other.do("place_wagers", wagers(2, 5))
        for table in ("t1", "t2"):
            near, far = await inside.panel(table), await outside.panel(table)
            assert near is not None
            assert far is not None
            assert (near.seats, near.phase, near.round) == (far.seats, far.phase, far.round)
            assert near.payouts == far.payouts
            assert near.attached
            assert far.attached
            assert far.rounds is None
        await eventually(lambda: both_show(inside, outside, "mega", hits=1))
        near_site, far_site = await inside.overview(), await outside.overview()
        assert near_site is not None
        assert far_site is not None
        assert near_site.links == far_site.links
        assert near_site.payouts == far_site.payouts
        assert near_site.hits == far_site.hits
        assert [t.phase for t in near_site.tables] == [t.phase for t in far_site.tables]


async def test_both_sources_show_the_same_panels(tmp_path: Path) -> None:
    """Lamps and counts agree, those of an electronic bet too; a fund's table has none of either."""
    async with both(tmp_path) as (house, inside, outside):
        dealer = await house.dealer("t1")
        await dealer.do("open_round")
        await dealer.do("place_wagers", wagers(2, 5))
        await house.dealer("p1")
        await eventually(lambda: inside.past is not None)
        panels = {}
        for table in ("t1", "t2", "t3", "p1"):
            near, far = await inside.panel(table), await outside.panel(table)
            assert near is not None
            assert far is not None
            assert near == replace(far, rounds=near.rounds)
            panels[table] = near
        assert [(count.bet, count.electronic) for count in panels["t1"].counts] == [
            (FIVE, False),
            (BONUS, True),
            (f"{BONUS}-dealer", True),
        ]
        assert panels["p1"].counts == ()
        assert panels["p1"].attached


async def test_both_sources_show_the_same_site(tmp_path: Path) -> None:
    """All that the operator page has, but for what only the journal tells."""
    async with both(tmp_path) as (house, inside, outside):
        await (await house.dealer("t2")).settled({3: QUADS}, 1, 3, dollars=5)
        change = {"link": "mega", "level": "major", "reference": "memo 7"}
        await house.operate("ResetMeter", who="ann/slots", **change)
        await eventually(lambda: both_show(inside, outside, "mega", hits=1))
        near, far = await inside.overview(), await outside.overview()
        assert near is not None
        assert far is not None
        known = {each.table: each for each in near.tables}
        tables = tuple(
            replace(
                each,
                contributed=known[each.table].contributed,
                contributed_bp=known[each.table].contributed_bp,
            )
            for each in far.tables
        )
        same = {"now_ms": near.now_ms, "record_since_ms": near.record_since_ms}
        assert near == replace(far, tables=tables, **same)
        assert near.hits
        assert near.proposals


async def test_another_title_reaches_an_open_sign(tmp_path: Path) -> None:
    """It was journaled while the sign was open; whoever opens the sign next gets it first."""
    async with both(tmp_path) as (_, _, outside):
        display = await serve_feed(outside, listen("127.0.0.1:0"), Settings(staff_on_loopback=True))
        async with ask(display.url, "/events/sign/five") as sign:
            assert (await sign.event("card"))["title"] == "five"
            assert (await sign.event("frame"))["title"] == "five"
            text = (site_text() + fund_text()).replace('title = "five"', 'title = "Five Card"')
            async with serving(tmp_path / "data", load_site(write_site(tmp_path, text))):
                while (await sign.event("frame"))["title"] != "Five Card":
                    pass
            async with ask(display.url, "/events/sign/five") as next_one:
                assert (await next_one.event("card"))["title"] == "Five Card"
        await display.stop()


async def test_a_sign_process_outlives_its_controller(tmp_path: Path) -> None:
    """Started before the controller, it waits; killed and restarted, it goes on by itself."""
    controller = Process(tmp_path, port=free_port(), options=ALONE)
    async with SignProcess("--controller", controller.address) as signs:
        async with ask(signs.url, "/events/sign/mega") as away:
            assert away.status == 503
        async with ask(signs.url, "/sign/mega") as page:
            assert page.status == 200, "a sign may be switched on before its controller"
        with controller:
            await _health(signs.url, 200)
            async with ask(signs.url, "/events/sign/mega") as stream:
                frame = await stream.event("frame")
                assert frame["levels"][0]["amount"] == "50,000.00"
                controller.kill()
                while (await stream.event("beat"))["serving"]:
                    pass
                await asyncio.to_thread(controller.start)
                while not (await stream.event("beat"))["serving"]:
                    pass
        assert await signs.stop() == 0


async def test_a_sign_process_shows_its_certificate(tmp_path: Path, browser: Browser) -> None:
    """With a sign's certificate: paytable, a hit before its time, the theme; revoked, it is out."""
    theme = tmp_path / "theme.toml"
    theme.write_text('name = "Riverside"\n[colors]\naccent = "#9fd3ff"\n')
    async with secured(tmp_path) as house:
        await hit(house)
        identity = house.identity("sign", "lobby")
        options = ("--cert", identity.certificate, "--ca", identity.authority, "--theme", theme)
        async with SignProcess("--controller", house.address, *options) as signs:
            await _health(signs.url, 200)
            window = await browser.open(f"{signs.url}/sign/mega")
            await window.until('document.querySelector(".hit .status")?.innerText === "Pending"')
            assert "T2, seat 3" in await window.text(".hit")
            assert await window.text("#house") == "Riverside"
            posted = await window.page.locator("#card table:first-of-type tr").all_inner_texts()
            assert posted[2] == "Four of a kind\t100% of the minor"
            color = "getComputedStyle(document.querySelector('.level .amount')).color"
            assert await window.page.evaluate(color) == "rgb(159, 211, 255)"
            for path in ("/ops", "/table/t1", "/metrics", "/login"):
                async with ask(signs.url, path) as answer:
                    assert answer.status in (403, 404), "signs and nothing else"
            assert window.complaints == []
            house.revoke(identity)
            await window.until('!document.getElementById("out").hidden', 8)


async def hit(house: Secured) -> None:
    """Four of a kind at t2, seat 3, which takes the minor."""
    identity = house.identity("table", "t2")
    async with (
        open_channel(house.address, identity) as channel,
        TableClient(channel, SITE, "t2") as client,
    ):
        await client.attach()
        await client.open_round()
        await client.place_wagers([wager(3, dollars=5)])
        await client.lock_out()
        await client.confirm_collection({FIVE: 1})
        settle = hands({3: QUADS}, 3)
        await client.settle(settle.hands, settle.dealer)


async def _health(url: str, status: int) -> None:
    for _ in range(100):
        async with ask(url, "/health") as answer:
            if answer.status == status:
                return
        await asyncio.sleep(0.1)
    raise AssertionError(f"never {status}")


async def test_watch_shows_the_floor(tmp_path: Path) -> None:
    """`jackpot watch --once` has what the operator page has, in 80 columns; --json for machines."""
    async with open_house(tmp_path) as house:
        dealer = await house.dealer("t2")
        (payout,) = await dealer.settled({3: QUADS}, 1, 3, dollars=5)
        who = {"who": "ann/slots", "reference": "memo 7"}
        await house.operate("ResetMeter", link="mega", level="major", **who)
        await house.operate("SuspendLink", link="bonus")
        shown = await watch_once(house.address)
        assert shown.exit_code == 0, shown.output
        lines = [" ".join(line.split()) for line in shown.output.splitlines()]
        assert lines[0].startswith("house serving journal entry ")
        text = "\n".join(lines)
        assert f"1 t2 seat 3 Four of a kind ${money(payout.amount_micros)} pending" in text
        assert any(
            re.fullmatch(r"1 mega/major 5,000\.70 → 5,000\.00 ann \d s", line) for line in lines
        )
        assert "mega mega $50,000.00 $0.00 $0.00 1 in service" not in lines, "wagers have fed it"
        assert "bonus main $10,000.00 $0.00 $0.00 0 suspended" in lines
        assert any(re.fullmatch(r"t2 mega settled 1 2 \d s ago", line) for line in lines)
        assert "t3 spare not attached 0 0 never" in lines
        assert any(line.startswith("Four of a kind t2 seat 3 mega/minor") for line in lines)
        assert max(map(len, shown.output.splitlines())) <= 80
        overview = json.loads((await watch_once(house.address, "--json")).output)
        assert overview["serving"] is True
        assert overview["links"][0]["levels"][0]["meter"] == "10,000.00"
        assert overview["proposals"][0]["by"] == "ann"
        assert len(overview["tables"]) == 4


@pytest.mark.parametrize("height", [24, 40, 60])
async def test_watch_fits_the_screen(tmp_path: Path, height: int) -> None:
    """However many tables there are, what is drawn is no higher than the terminal."""
    async with open_house(tmp_path, many=50) as house, open_channel(house.address) as channel:
        source = SiteFeed(channel)
        await source.start()
        await eventually(lambda: source.serving)
        overview = await source.overview()
        await source.stop()
        console = Console(width=80, height=height)
        lines = console.render_lines(page(overview, "", height))
        assert len(lines) == height
        assert any("tables more" in segment.text for line in lines for segment in line)


async def test_watch_shows_every_critical_alarm_and_the_kind_of_each(tmp_path: Path) -> None:
    """However many warnings there are; what is left out is counted."""
    async with open_house(tmp_path) as house:
        board = house.engine.alarms
        for number in range(8):
            board.sound(alarm(AlarmKind.WITNESS_FAILED, why=f"fault {number}"))
            board.sound(alarm(AlarmKind.CLOCK_JUMPED, seconds=f"{number}.0"))
        shown = (await watch_once(house.address)).output
        for number in range(8):
            assert f"! WITNESS_FAILED: the witness can't be written: fault {number}" in shown
        assert "CLOCK_JUMPED" not in shown
        assert "and 8 alarms more" in shown
        overview = json.loads((await watch_once(house.address, "--json")).output)
        kinds = [each["kind"] for each in overview["alarms"]]
        assert kinds == ["WITNESS_FAILED"] * 8 + ["CLOCK_JUMPED"] * 8


async def watch_once(address: str, *options: object) -> Result:
    """`jackpot watch --once`, beside the loop that serves."""
    command = ["watch", "--once", "--controller", address, *map(str, options)]
    return await asyncio.to_thread(CliRunner(env={"COLUMNS": "80"}).invoke, main, command)


async def test_watch_says_who_may_not(tmp_path: Path) -> None:
    """A certificate whose role sees signs only is refused in one line, as what it is."""
    async with secured(tmp_path) as house:
        sign, floor = house.identity("sign"), house.identity("floor")
        for identity, code in ((floor, 0), (sign, 1)):
            options = ("--cert", identity.certificate, "--ca", identity.authority)
            result = await watch_once(house.address, *options)
            assert result.exit_code == code, result.output
        assert result.output.startswith("Error: NOT_ALLOWED")
        assert result.output.count("\n") == 1


def test_watch_without_a_controller_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody there: one line, exit 3."""
    monkeypatch.setattr("jackpot.cli.watch.WAIT_S", 0.1)
    result = CliRunner().invoke(
        main, ["watch", "--once", "--controller", f"127.0.0.1:{free_port()}"]
    )
    assert result.exit_code == 3
    assert result.output.startswith("Error: the controller at 127.0.0.1:")
    assert result.output.count("\n") == 1
