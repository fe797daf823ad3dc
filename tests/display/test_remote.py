"""Signs in a process of their own: the same pages, fed over gRPC."""

import asyncio
import json
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from jackpot.cli.main import main
from jackpot.display.local import EngineSource
from jackpot.display.remote import ControllerSource
from table_client.client import open_channel
from tests.display.shown import ask
from tests.e2e.process import Process
from tests.engine.pit import eventually
from tests.server.house import SITE, House, free_port, open_house, wagers

QUADS = ["7s", "7h", "7d", "7c", "As"]
ON = re.compile(r"signs of \S+ on (http://\S+)")


@asynccontextmanager
async def both(folder: Path) -> AsyncIterator[tuple[House, EngineSource, ControllerSource]]:
    """A house seen from inside and from outside."""
    async with open_house(folder) as house:
        inside = EngineSource(house.engine, SITE, house.controller.heartbeats)
        inside.start()
        async with open_channel(house.address) as channel:
            outside = ControllerSource(channel)
            await outside.start()
            await eventually(lambda: outside.serving)
            try:
                yield house, inside, outside
            finally:
                await outside.stop()
                await inside.stop()


async def test_both_sources_show_the_same_signs(tmp_path: Path) -> None:
    """Paytable, meters and hits are the same from inside and from outside."""
    async with both(tmp_path) as (house, inside, outside):
        dealer = await house.dealer("t2")
        await dealer.settled({3: QUADS}, 1, 3, dollars=5)
        for link in ("five", "mega", "bonus", "spare"):
            assert await inside.card(link) == await outside.card(link)
        await eventually(
            lambda: outside.meters.frame(SITE, "mega") == inside.meters.frame(SITE, "mega")
        )
        assert outside.meters.frame(SITE, "mega").hit_count == 1  # type: ignore[union-attr]  # it is there


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
        near_site, far_site = await inside.overview(), await outside.overview()
        assert near_site is not None
        assert far_site is not None
        assert near_site.links == far_site.links
        assert near_site.payouts == far_site.payouts
        assert near_site.hits == far_site.hits
        assert [t.phase for t in near_site.tables] == [t.phase for t in far_site.tables]


async def test_a_sign_process_outlives_its_controller(tmp_path: Path) -> None:
    """Started before the controller, it waits; killed and restarted, it goes on by itself."""
    controller = Process(tmp_path, port=free_port())
    signs = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "jackpot", "sign"),
        *("--controller", controller.address, "--http", "127.0.0.1:0"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        assert signs.stdout is not None
        found = ON.match((await signs.stdout.readline()).decode())
        assert found
        url = found[1]
        async with ask(url, "/events/sign/mega") as away:
            assert away.status == 503
        async with ask(url, "/sign/mega") as page:
            assert page.status == 200, "a sign may be switched on before its controller"
        with controller:
            await _health(url, 200)
            async with ask(url, "/events/sign/mega") as stream:
                frame = await stream.event("frame")
                assert frame["levels"][0]["amount"] == "50,000.00"
                controller.kill()
                while (await stream.event("beat"))["serving"]:
                    pass
                await asyncio.to_thread(controller.start)
                while not (await stream.event("beat"))["serving"]:
                    pass
        signs.send_signal(signal.SIGTERM)
        async with asyncio.timeout(10):
            assert await signs.wait() == 0
    finally:
        with suppress(ProcessLookupError):
            signs.kill()
        await signs.communicate()


async def _health(url: str, status: int) -> None:
    for _ in range(100):
        async with ask(url, "/health") as answer:
            if answer.status == status:
                return
        await asyncio.sleep(0.1)
    raise AssertionError(f"never {status}")


def test_watch_shows_the_floor(tmp_path: Path) -> None:
    """`jackpot watch --once` prints what there is in 80 columns; --json for machines."""
    with Process(tmp_path, many=0) as controller:
        runner = CliRunner(env={"COLUMNS": "80"})
        shown = runner.invoke(main, ["watch", "--once", "--controller", controller.address])
        assert shown.exit_code == 0, shown.output
        assert "serving" in shown.output
        assert "$50,000.00" in shown.output
        assert "no payouts due" in shown.output
        assert max(map(len, shown.output.splitlines())) <= 80
        machine = runner.invoke(
            main, ["watch", "--once", "--json", "--controller", controller.address]
        )
        overview = json.loads(machine.output)
        assert overview["serving"] is True
        assert overview["links"][1]["levels"][0]["meter"] == "50,000.00"
        assert len(overview["tables"]) == 4


def test_watch_without_a_controller_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody there: one line, exit 1."""
    monkeypatch.setattr("jackpot.cli.watch.WAIT_S", 0.1)
    result = CliRunner().invoke(
        main, ["watch", "--once", "--controller", f"127.0.0.1:{free_port()}"]
    )
    assert result.exit_code == 1
    assert result.output.startswith("Error: the controller at 127.0.0.1:")
    assert result.output.count("\n") == 1
