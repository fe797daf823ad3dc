"""A real browser: Debian's Chromium driven by Playwright. Without one the tests say so and skip.

Its headless shell has the same engine without a window around it, and takes less than half of the
processor time. Only tabs, of which one is in front, need the window.
"""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic
from urllib.parse import urlsplit, urlunsplit

import pytest
from playwright.async_api import Browser as Chromium
from playwright.async_api import BrowserContext, Error, Page, async_playwright

from jackpot.wire.identity import Identity

WHOLE = shutil.which("chromium") or shutil.which("chromium-browser")
CHROMIUM = shutil.which("chromium-headless-shell") or WHOLE
WHY = "no Chromium on this machine: `make browser` as root tries to install Debian's package"
FLAGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Pages that are not in front count up too.
    "--disable-renderer-backgrounding",
    "--disable-background-timer-throttling",
    *(["--no-sandbox"] if os.geteuid() == 0 else []),
]
DESKTOP = (1920, 1080)
PHONE = (390, 844)
LOOK_S = 0.03
LOOKS_S = 2.0  # after which a page that was stopped meanwhile is asked anew


class Window:
    """A page with all that it complained about and asked for."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.hosts: set[str] = set()
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))

    def _note(self, message: object) -> None:
        if getattr(message, "type", "") in ("error", "warning"):
            self.complaints.append(getattr(message, "text", ""))

    async def text(self, selector: str) -> str:
        """What an element shows."""
        return await self.page.inner_text(selector)

    async def until(self, condition: str, timeout_s: float = 20) -> None:
        """Wait until a condition of the page holds."""
        # Playwright's own waiting evaluates text in the page, which the page's policy forbids.
        # The page looks by itself: asked from here each time, three processes would be kept busy.
        look = f"""(left_ms) => new Promise((done) => {{
            const ends = performance.now() + left_ms;
            const look = () => {{
                const holds = Boolean({condition});
                if (holds || performance.now() > ends) done(holds);
                else setTimeout(look, {LOOK_S * 1000});
            }};
            look();
        }})"""
        ends = monotonic() + timeout_s
        while True:
            try:
                if await self.page.evaluate(look, min(LOOKS_S, ends - monotonic()) * 1000):
                    return
                why: Error | None = None
            except Error as error:  # of a page that just gives way to another
                why = error
                await asyncio.sleep(LOOK_S)
            if monotonic() > ends:
                raise AssertionError(f"not within {timeout_s} s: {condition}") from why

    async def meters(self) -> dict[str, str]:
        """What a sign shows by level."""
        found: dict[str, str] = await self.page.evaluate(
            """() => Object.fromEntries([...document.querySelectorAll(".level")].map(
                (node) => [node.dataset.level, node.querySelector(".amount > span").innerText]))"""
        )
        return found


class Browser:
    """A running Chromium."""

    def __init__(self, chromium: Chromium) -> None:
        self._chromium = chromium

    async def close_windows(self) -> None:
        """Close everything that was opened."""
        for context in self._chromium.contexts:
            await context.close()

    async def context(
        self,
        size: tuple[int, int] = DESKTOP,
        *,
        still: bool = False,
        shows: dict[str, str] | None = None,
    ) -> BrowserContext:
        """A fresh profile with a screen of some size, and perhaps a certificate."""
        return await self._chromium.new_context(
            client_certificates=[shows] if shows else None,  # type: ignore[list-item]  # its type is private
            # Playwright itself then speaks to the server, and does not know the house's authority.
            ignore_https_errors=bool(shows),
            viewport={"width": size[0], "height": size[1]},
            device_scale_factor=1 if size[0] > 800 else 2,
            reduced_motion="reduce" if still else "no-preference",
            locale="en-US",
        )

    async def open(
        self,
        url: str,
        size: tuple[int, int] = DESKTOP,
        *,
        still: bool = False,
        identity: Identity | None = None,
    ) -> Window:
        """A page in a window of its own."""
        shows = None
        if identity and identity.certificate:
            shows = {
                "origin": urlunsplit(urlsplit(url)._replace(path="")),
                "certPath": str(identity.certificate),
                "keyPath": str(identity.certificate.with_suffix(".key")),
            }
        context = await self.context(size, still=still, shows=shows)
        window = Window(await context.new_page())
        await window.page.goto(url)
        return window


@asynccontextmanager
async def open_browser(program: str | None = CHROMIUM) -> AsyncIterator[Browser]:
    """Chromium for as long as this lasts."""
    if program is None:
        pytest.skip(WHY)
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=program, args=FLAGS)
        try:
            yield Browser(chromium)
        finally:
            await chromium.close()
