"""A floorperson answers a table's call at the table's own screen, with a PIN, in a real browser."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Route

from jackpot.rules.irregularities import SENTENCES, listed
from jackpot.rules.loader import rules
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import table_pb2
from tests.auth.test_pins import GOOD
from tests.display.at_tables import VOID_ROUND, at_table, with_a_royal
from tests.display.browser import DESKTOP, PHONE, Browser, Window
from tests.display.secured import SecuredPages
from tests.display.shown import Shown
from tests.display.test_acts import last_entry
from tests.server.house import FIVE, wagers

pytestmark = pytest.mark.browser
ASKED = '!document.getElementById("answer").hidden'
ABLE = '!document.getElementById("approve").disabled'
FOUR_K = (3840, 2160)


@asynccontextmanager
async def called(
    served: SecuredPages, browser: Browser, size: tuple[int, int] = DESKTOP
) -> AsyncIterator[Window]:
    """The dealer's browser at table t4, where a royal is due and the floor is called."""
    async with at_table(served.house, "t4") as table:
        await with_a_royal(table)
        await table.call_floor(VOID_ROUND)
    dealer = served.house.identity("dealer", "dan")
    window = await browser.open(f"{served.url}/table/t4", size, identity=dealer)
    await window.until(ASKED)
    yield window


async def type_pin(window: Window, pin: str = GOOD, name: str = "floor:flo") -> None:
    """Choose a name, and touch the keys."""
    await window.page.select_option("#person", name)
    for digit in pin:
        await window.page.click(f'[data-key="{digit}"]')


async def told(window: Window, text: str) -> str:
    """Wait until the page has said something of this kind; all of it."""
    await window.until(f'document.getElementById("told").innerText.includes("{text}")')
    return await window.text("#told")


@pytest.mark.parametrize("size", [DESKTOP, PHONE, FOUR_K], ids=["desktop", "phone", "4k"])
async def test_a_floorperson_approves_at_the_table(
    pages: SecuredPages,
    browser: Browser,
    size: tuple[int, int],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """What is asked and what it costs is told first; the journal names whose PIN it was."""
    caplog.set_level(logging.DEBUG)
    async with called(pages, browser, size) as window:
        asked = await window.text(".asked")
        assert "Void all hands of round 1?" in asked
        assert "The cards were misdealt." in asked
        assert "Wagers of $2.00 go back to the players." in asked
        assert "Canceled: royal flush at seat 2, $10,000" in asked
        assert "Canceled: the envy bonus for a royal flush at seat 1, $1,000.00." in asked
        assert await window.page.evaluate("document.documentElement.scrollWidth") <= size[0]
        for key in await window.page.query_selector_all(".answer button"):
            box = await key.bounding_box()
            assert box
            assert min(box["width"], box["height"]) >= 44  # what a finger can hit
        await type_pin(window)
        await window.page.click("#approve")
        assert await told(window, "Approved by flo at")
        assert window.complaints == []
        entry = await last_entry(pages)
        assert (entry.origin.principal, entry.event.call) == ("floor:flo", 1)
        assert type(entry.event).__name__ == "RoundVoided"
        await window.until('document.getElementById("answer").hidden')
        assert GOOD not in await window.page.content()
        assert GOOD not in "\n".join(record.getMessage() for record in caplog.records)


async def test_a_pin_is_masked_and_never_in_an_address_or_a_field(
    pages: SecuredPages,
    browser: Browser,
) -> None:
    """Only dots are in the page, only the body of one request has it, and it is soon forgotten."""
    async with called(pages, browser) as window:
        sent: list[str] = []
        window.page.on("request", lambda request: sent.append(request.url))
        await type_pin(window)
        assert await window.text("#dots") == "●" * len(GOOD)
        assert GOOD not in await window.page.content()
        assert await window.page.locator("input").count() == 0
        await window.page.click("#decline")
        await told(window, "Declined by flo at")
        assert GOOD not in "".join(sent)
        assert await window.page.evaluate("history.length") == 2  # the empty page, and this one
        assert window.page.url == f"{pages.url}/table/t4"


async def test_everything_is_done_by_keyboard_too(
    pages: SecuredPages,
    browser: Browser,
) -> None:
    """A name by its first letters, digits, Backspace, Escape, then Tab to Decline and Enter."""
    async with called(pages, browser) as window:
        keyboard = window.page.keyboard
        await window.page.focus("#person")
        await keyboard.type("fl")
        assert await window.page.evaluate("document.activeElement.id") == "typed"
        await keyboard.type("99")
        await keyboard.press("Backspace")
        assert await window.text("#dots") == "●"
        await keyboard.press("Escape")
        assert await window.text("#dots") == "PIN"
        await keyboard.type(GOOD)
        for _ in range(30):
            await keyboard.press("Tab")
            if await window.page.evaluate("document.activeElement.id") == "decline":
                break
        await keyboard.press("Enter")
        await told(window, "Declined by flo at")
        assert type((await last_entry(pages)).event).__name__ == "CallDeclined"


async def test_wrong_pins_are_counted_down(pages: SecuredPages, browser: Browser) -> None:
    """Each says how many are left; after the fifth even the right one waits. Nothing changes."""
    async with called(pages, browser) as window:
        before = await pages.house.journal_head()
        for left in ("4 tries left", "3 tries left", "2 tries left", "1 try left", "no tries left"):
            await type_pin(window, "735281")
            await window.page.click("#approve")
            assert "does not match the name" in await told(window, left)
            assert await window.text("#dots") == "PIN"
        await type_pin(window)
        await window.page.click("#approve")
        assert "try again in 15 min" in await told(window, "Too many wrong PINs")
        assert await pages.house.journal_head() == before
        assert [each for each in window.complaints if "403" not in each and "429" not in each] == []


async def test_who_is_too_late_is_told_who_was_first(pages: SecuredPages, browser: Browser) -> None:
    """Fay declines by certificate while Flo's PIN is on its way to approve."""
    async with called(pages, browser) as window:

        async def decline_first(route: Route) -> None:
            body = {"call": 1, "request_id": new_request_id()}
            fay = pages.house.identity("floor", "fay")
            status, text, _ = await pages.post("/act/DeclineFloorCall", body, identity=fay)
            assert status == 200, text
            await route.continue_()

        await type_pin(window)
        await window.page.route("**/act/ApproveFloorCall", decline_first)
        async with window.page.expect_response("**/act/ApproveFloorCall") as answer:
            await window.page.click("#approve")
        assert (await answer.value).status == 409
        await told(window, "Declined by fay at")
        assert type((await last_entry(pages)).event).__name__ == "Refused"


async def test_another_call_takes_what_was_typed_away(
    pages: SecuredPages,
    browser: Browser,
) -> None:
    """Nobody approves what they have not read: a PIN typed for one call is not for the next."""
    async with at_table(pages.house, "t4") as table:
        await table.open_round()
        await table.place_wagers(wagers(1, 2).wagers)
        await table.lock_out()
        removal = table_pb2.CallFloor(
            act=table_pb2.FLOOR_ACT_REMOVE_WAGER, round=1, seat=2, bet=FIVE
        )
        first = (await table.call_floor(removal)).call
        dealer = pages.house.identity("dealer", "dan")
        window = await browser.open(f"{pages.url}/table/t4", identity=dealer)
        await window.until(ASKED)
        assert "Remove seat 2's wager on Five card progressive?" in await window.text("#asks")
        assert "finds no chip" in await window.text("#reason")
        await type_pin(window)
        await window.until(ABLE)
        await table.withdraw_call(first)
        await told(window, "Withdrawn by the table")
        removal.seat = 1
        await table.call_floor(removal)
        await window.until('document.getElementById("asks").innerText.includes("seat 1")')
        await window.until(ASKED)
        assert await window.text("#dots") == "PIN"
        assert await window.page.is_disabled("#approve")


async def test_without_pins_the_page_says_how_to_answer(shown: Shown, browser: Browser) -> None:
    """Without TLS nobody has one; the call is shown all the same."""
    dealer = await shown.house.dealer("t4")
    await dealer.collected(1)
    await dealer.do("call_floor", VOID_ROUND)
    window = await browser.open(f"{shown.url}/table/t4")
    await window.until('document.getElementById("terminal").innerText')
    assert "jackpot floor approve 1" in await window.text("#terminal")
    assert not await window.page.is_visible("#answer")


async def test_only_who_sees_the_page_sees_who_has_a_pin(pages: SecuredPages) -> None:
    """A dealer and the table itself, not a sign, not another table, and not a stranger."""
    dealer, sign = pages.house.identity("dealer", "dan"), pages.house.identity("sign", "lobby")
    assert (await pages.get("/pin/t4", dealer))[1] == '{"people":["floor:flo"]}'
    assert (await pages.get("/pin/t4", pages.house.identity("table", "t4")))[0] == 200
    assert (await pages.get("/pin/t4", pages.house.identity("table", "t1")))[0] == 403
    assert (await pages.get("/pin/t4", sign))[0] == 403
    assert (await pages.get("/pin/t4"))[0] == 401


def test_every_irregularity_has_its_sentence() -> None:
    """Whatever word a table may give, the floorperson reads what happened."""
    for rule in rules().values():
        of = listed(rule)
        assert {*of.voids_round, *of.voids_seat} <= SENTENCES.keys(), rule.id
