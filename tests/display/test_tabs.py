"""Many tabs of one browser: over HTTP/1.1 they share six connections to the controller."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from playwright.async_api import CDPSession

from jackpot.display.views.words import money
from tests.display.browser import LOOK_S, WHOLE, Browser, open_browser
from tests.display.shown import Shown
from tests.engine.pit import eventually

TABS = 7
WAITS = 300
AMOUNT = 'document.querySelector(".level .amount > span")?.innerText'


class Tabs:
    """Tabs of one window, of which one is in front and the others are hidden.

    Playwright makes every page of its own believe that it is in front, so these are none of its.
    """

    def __init__(self, session: CDPSession) -> None:
        self._session = session
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self.tabs: list[tuple[str, str]] = []
        session.on("Target.receivedMessageFromTarget", self._heed)

    def _heed(self, event: dict[str, Any]) -> None:
        answer = json.loads(event["message"])
        if asked := self._asked.pop(answer.get("id"), None):
            asked.set_result(answer["result"]["result"].get("value"))

    async def open(self, url: str) -> int:
        """A new tab, in front; its number."""
        made = await self._session.send("Target.createTarget", {"url": url})
        target = {"targetId": made["targetId"]}
        attached = await self._session.send("Target.attachToTarget", target)
        self.tabs.append((made["targetId"], attached["sessionId"]))
        await self.show(len(self.tabs) - 1)
        return len(self.tabs) - 1

    async def show(self, tab: int) -> None:
        """Bring a tab to the front."""
        await self._session.send("Target.activateTarget", {"targetId": self.tabs[tab][0]})

    async def evaluate(self, tab: int, expression: str) -> Any:
        """What an expression is in a tab."""
        number = len(self._asked) + 1
        asked = self._asked[number] = asyncio.get_running_loop().create_future()
        what = {"id": number, "method": "Runtime.evaluate", "params": {"expression": expression}}
        message = {"sessionId": self.tabs[tab][1], "message": json.dumps(what)}
        await self._session.send("Target.sendMessageToTarget", message)
        return await asked

    async def until(self, tab: int, expression: str, value: object) -> None:
        """Wait until an expression has a value."""
        for _ in range(WAITS):
            if (found := await self.evaluate(tab, expression)) == value:
                return
            await asyncio.sleep(LOOK_S)
        raise AssertionError(f"tab {tab}: {expression} is {found!r} and not {value!r}")


@asynccontextmanager
async def open_tabs(browser: Browser) -> AsyncIterator[Tabs]:
    """A window for tabs, which are closed at the end."""
    session = await browser._chromium.new_browser_cdp_session()
    opened = Tabs(session)
    try:
        yield opened
    finally:
        for target, _ in opened.tabs:
            await session.send("Target.closeTarget", {"targetId": target})
        await session.detach()


@pytest.mark.browser
async def test_seven_tabs_show_what_is_so_when_brought_to_front(shown: Shown) -> None:
    """A hidden tab gives its stream back; in front it has the meter of this moment at once."""
    dealer = await shown.house.dealer("t4")
    places = shown.display._pages._places
    async with open_browser(WHOLE) as browser, open_tabs(browser) as tabs:
        for _ in range(TABS):
            await tabs.until(await tabs.open(f"{shown.url}/sign/five"), "Boolean(document)", True)  # noqa: FBT003 - as JSON has it
        for tab in (*range(TABS), *reversed(range(TABS))):
            await dealer.settled({}, 1, 2)
            now = f"${money((await shown.house.meter('five'))['main'])}"
            await tabs.show(tab)
            await tabs.until(tab, AMOUNT, now)
            assert await tabs.evaluate(tab, 'document.getElementById("out").hidden')
            assert not await tabs.evaluate((tab + 1) % TABS, f"{AMOUNT} === '{now}'")
        await eventually(lambda: len(places._streams) <= 1)
