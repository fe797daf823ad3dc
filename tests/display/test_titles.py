"""What a house may write, on every page: a title that is one long word; what the docs promise."""

import re
from pathlib import Path

import pytest

from jackpot.rules.site import load_site
from tests.display.browser import DESKTOP, PHONE, Browser
from tests.display.shown import open_shown
from tests.server.house import link_text, serving, site_text, write_site

LONG = "W" * 200
MORE = link_text("long", "C", 5).replace('title = "long"', f'title = "{LONG}"')
READY = {"/": "#signs li", "/ops": "#links tr", "/sign/long": ".level .amount .dollar"}

OUTMOST = """() => Math.max(
    ...[...document.querySelectorAll("h1, .wager, td.meter, select, .amount > span")]
        .map((node) => node.getBoundingClientRect().right))"""


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["1080p", "phone"])
async def test_a_long_title_pushes_nothing_off(
    tmp_path: Path, browser: Browser, size: tuple[int, int]
) -> None:
    """No page scrolls sideways for it; wager and meters stay on the screen."""
    async with open_shown(tmp_path, more=MORE) as shown:
        for path, ready in READY.items():
            window = await browser.open(f"{shown.url}{path}", size)
            await window.until(f"document.querySelector('{ready}')")
            await window.page.wait_for_timeout(300)
            wide = await window.page.evaluate("document.documentElement.scrollWidth")
            assert wide <= size[0], path
            outmost = await window.page.evaluate(OUTMOST)
            assert outmost <= size[0], path


async def test_a_sign_left_open_shows_another_title(tmp_path: Path, browser: Browser) -> None:
    """It was journaled by another controller of the site, which started with another site file."""
    async with open_shown(tmp_path) as shown:
        window = await browser.open(f"{shown.url}/sign/five")
        await window.until("document.title === 'five'")
        text = site_text().replace('title = "five"', 'title = "Five Card"')
        async with serving(tmp_path / "data", load_site(write_site(tmp_path, text))):
            await window.until("document.title === 'Five Card'")
            assert await window.text("#title") == "Five Card"


def test_the_docs_say_how_long_a_sign_counts() -> None:
    """The page's script and its description name the same time."""
    script = Path("jackpot/display/web/static/counter.js").read_text()
    found = re.search(r"COUNT_MS = (\d+)", script)
    assert found
    said = f"counts up to a new value in {int(found[1]) / 1000} seconds"
    assert said in Path("docs/operate/signs.md").read_text()
