"""Pages over TLS in a real browser: the authority is trusted, the login is clicked through."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Error

from jackpot.auth.authority import CA_CERTIFICATE, Authority
from table_client.client import TableClient, open_channel
from tests.display.browser import PHONE, Browser, Window
from tests.display.secured import SecuredPages, secured_pages
from tests.display.trusting import trusting_browser
from tests.server.house import SITE, wager

pytestmark = pytest.mark.browser

READY = '!document.querySelector("button").disabled'  # the page's script is there
LISTED = 'document.querySelectorAll("#links tr").length > 3'
REFUSED = 'document.querySelector("h1")?.innerText === "Page not shown"'
UP = 'document.getElementById("out").hidden'
# What the browser says by itself of a status that is no success.
ANSWERED_401 = "Failed to load resource: the server responded with a status of 401 (Unauthorized)"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def trusting(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Browser, Path]]:
    """A browser, and the authority that it trusts."""
    folder = tmp_path_factory.mktemp("trusting")
    Authority.create(folder / "ca", "House")
    async with trusting_browser(folder / "home", folder / "ca" / CA_CERTIFICATE) as browser:
        yield browser, folder / "ca"


@pytest_asyncio.fixture(loop_scope="session")
async def pages(tmp_path: Path, trusting: tuple[Browser, Path]) -> AsyncIterator[SecuredPages]:
    """The usual site, certified by that authority."""
    shutil.copytree(trusting[1], tmp_path / "ca")
    async with secured_pages(tmp_path) as served:
        yield served


@pytest_asyncio.fixture(loop_scope="session")
async def staff_browser(trusting: tuple[Browser, Path]) -> AsyncIterator[Browser]:
    """That browser, all windows of the test closed at its end."""
    yield trusting[0]
    await trusting[0].close_windows()


async def lock_out(pages: SecuredPages, table: str) -> None:
    """A round with one wager, locked out."""
    identity = pages.house.identity("table", table)
    async with (
        open_channel(pages.house.address, identity) as channel,
        TableClient(channel, SITE, table) as client,
    ):
        await client.attach()
        await client.open_round()
        await client.place_wagers([wager(2)])
        await client.lock_out()


async def log_in(pages: SecuredPages, browser: Browser) -> Window:
    """Open the address that `jackpot login` prints, and arrive."""
    code = await pages.code(pages.house.identity("operations", "olga"))
    window = await browser.open(f"{pages.url}/login#{code}")
    await window.page.wait_for_url(f"{pages.url}/ops")
    await window.until(LISTED)
    return window


async def test_a_browser_logs_in_watches_and_logs_out(
    pages: SecuredPages, staff_browser: Browser
) -> None:
    """From the printed address to live pages, and out again; no script can read the cookie."""
    window = await log_in(pages, staff_browser)
    assert "olga, operations" in await window.text("#who")
    assert await window.page.evaluate("document.cookie") == ""
    await window.page.goto(f"{pages.url}/table/t4")
    await window.until('document.getElementById("phase").dataset.phase === "idle"')
    await lock_out(pages, "t4")
    await window.until('document.getElementById("phase").dataset.phase === "locked"', 4)
    await window.page.goto(f"{pages.url}/ops")
    await window.until(LISTED)
    assert window.complaints == []
    await window.page.click("text=Log out")
    await window.page.wait_for_url(f"{pages.url}/")
    await window.page.goto(f"{pages.url}/ops")
    await window.until(REFUSED)
    assert window.complaints == [ANSWERED_401]
    assert window.hosts == {pages.url.removeprefix("https://")}


async def test_a_page_whose_login_ended_says_what_to_do(
    pages: SecuredPages, staff_browser: Browser
) -> None:
    """The login is ended elsewhere: the page that was left open stops showing anything."""
    window = await log_in(pages, staff_browser)
    for cookie in await window.page.context.cookies():
        assert pages.logins.end(cookie["value"])
    await window.page.wait_for_selector(".how code", timeout=8_000)
    assert await window.text(".how code") == f"jackpot login {pages.url}"


async def test_a_code_is_typed_on_a_phone(pages: SecuredPages, staff_browser: Browser) -> None:
    """A wrong code is told in the page and can be mended by keyboard; nothing is too wide."""
    window = await staff_browser.open(f"{pages.url}/table/t1", PHONE)
    await window.page.click("text=I have a code")
    await window.page.fill("#code", "no such code")
    await window.until(READY)
    await window.page.keyboard.press("Enter")
    await window.until('document.querySelector(".wrong")')
    assert (await window.text("#why")).startswith("This code is wrong")
    assert await window.page.evaluate("document.activeElement.id") == "code"
    assert await window.page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    code = await pages.code(pages.house.identity("dealer", "dee"))
    await window.page.fill("#code", code.lower())
    await window.page.keyboard.press("Enter")
    await window.page.wait_for_url(f"{pages.url}/")
    await window.page.click("text=t2")
    await window.page.wait_for_url(f"{pages.url}/table/t2")
    await window.until('document.getElementById("phase").dataset.phase === "idle"')


async def test_a_code_is_never_in_an_address(pages: SecuredPages, staff_browser: Browser) -> None:
    """Whoever is quicker than the page's script, or has none, sends nothing."""
    window = await staff_browser.open(f"{pages.url}/login")
    await window.page.route("**/login.js", lambda route: route.abort())
    await window.page.reload()
    await window.page.fill("#code", "ABCD-EFGH")
    await window.page.keyboard.press("Enter")
    await window.page.wait_for_timeout(500)
    assert window.page.url == f"{pages.url}/login"
    assert await window.page.input_value("#code") == "ABCD-EFGH"


async def test_a_sign_needs_nobody(
    pages: SecuredPages, staff_browser: Browser, browser: Browser
) -> None:
    """Over TLS a sign is public and live; a browser without the authority opens nothing."""
    window = await staff_browser.open(f"{pages.url}/sign/five")
    await window.until(UP)
    assert window.complaints == []
    with pytest.raises(Error, match="ERR_CERT_AUTHORITY_INVALID"):
        await browser.open(f"{pages.url}/sign/five")


async def test_a_browser_with_a_certificate_needs_no_login(
    pages: SecuredPages, browser: Browser
) -> None:
    """Its certificate says who it is: the operator page is simply there."""
    identity = pages.house.identity("auditor", "ada")
    window = await browser.open(f"{pages.url}/ops", identity=identity)
    await window.until(LISTED)
    assert "ada, auditor" in await window.text("#who")
    assert window.complaints == []
