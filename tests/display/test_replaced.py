"""Signs left open while the journal behind them is replaced: a new one, or a restored backup."""

from contextlib import AsyncExitStack
from pathlib import Path

from jackpot.display.feeds.site_feed import SiteFeed
from jackpot.display.web.app import Settings
from jackpot.display.web.serving import listen, serve_feed
from table_client.client import open_channel
from tests.display.browser import Browser
from tests.display.shown import ask, open_shown
from tests.engine.pit import eventually
from tests.server.house import free_port, fund_text, open_house

OUT = 'document.getElementById("out")'
SHOWN = 'document.querySelector(".level .amount > span").innerText'


async def test_a_sign_shows_what_the_other_journal_has(tmp_path: Path, browser: Browser) -> None:
    """At the very sequence that it had seen, the sign shows the new value, not what it had."""
    http, stood, window = f"127.0.0.1:{free_port()}", set(), None
    for name, seats, amount in (("old", (1, 2, 3), "$10,000.63"), ("new", (1,), "$10,000.21")):
        folder = tmp_path / name
        folder.mkdir()
        async with open_shown(folder, http=http) as shown:
            await (await shown.house.dealer("t4")).collected(*seats)
            stood.add(await shown.house.sequence())
            window = window or await browser.open(f"{shown.url}/sign/five")
            await window.until(f"{OUT}.hidden")
            await window.until(f'{SHOWN} === "{amount}"', 4)
        await window.until(f"!{OUT}.hidden", 6)
    assert len(stood) == 1


async def test_a_sign_opened_while_the_controller_is_away_is_whole_when_it_is_back(
    tmp_path: Path, browser: Browser
) -> None:
    """Title and paytable are said once to whoever connects, and nobody could say them then."""
    address = f"127.0.0.1:{free_port()}"
    title = 'document.getElementById("title").innerText'
    async with AsyncExitStack() as held:
        source = SiteFeed(await held.enter_async_context(open_channel(address)))
        async with open_house(tmp_path, address=address):
            await source.start()
            held.push_async_callback(source.stop)
            await eventually(lambda: source.serving)
            display = await serve_feed(
                source, listen("127.0.0.1:0"), Settings(staff_on_loopback=True)
            )
            held.push_async_callback(display.stop)
        await eventually(lambda: not source.serving)
        window = await browser.open(f"{display.url}/sign/five")
        await window.until(f"!{OUT}.hidden")
        async with open_house(tmp_path, address=address):
            await window.until(f'{OUT}.hidden && {title} !== ""')


async def test_signs_of_another_process_follow(tmp_path: Path) -> None:
    """The same sequence with another value is sent; a link that is gone is not in service."""
    old, new, address = tmp_path / "old", tmp_path / "new", f"127.0.0.1:{free_port()}"
    old.mkdir()
    new.mkdir()
    async with AsyncExitStack() as held:
        source = SiteFeed(await held.enter_async_context(open_channel(address)))
        async with open_house(old, more=fund_text(), address=address) as house:
            await (await house.dealer("t4")).collected(1, 2, 3)
            await source.start()
            held.push_async_callback(source.stop)
            await eventually(lambda: source.serving)
            display = await serve_feed(
                source, listen("127.0.0.1:0"), Settings(staff_on_loopback=True)
            )
            held.push_async_callback(display.stop)
            five, fund = [
                await held.enter_async_context(ask(display.url, f"/events/sign/{link}"))
                for link in ("five", "fund")
            ]
            assert (await five.event("frame"))["levels"][0]["amount"] == "10,000.63"
            assert (await fund.event("beat"))["serving"] is True
        while (await fund.event("beat"))["serving"]:
            pass
        async with open_house(new, address=address) as house:
            await (await house.dealer("t4")).collected(1)
            while (await five.event("frame"))["levels"][0]["amount"] != "10,000.21":
                pass
            while not (await five.event("beat"))["serving"]:
                pass
            for _ in range(3):
                assert (await fund.event("beat"))["serving"] is False
