"""Table panel and operator page in a real browser."""

import pytest
from playwright.async_api import Page

from jackpot.display.views.words import money
from jackpot.wire.v1 import table_pb2
from tests.display.browser import PHONE, Browser, Window
from tests.display.shown import Shown
from tests.server.house import BONUS, FIVE, wager, wagers

QUADS = ["7s", "7h", "7d", "7c", "As"]


async def texts(page: Page, selector: str) -> list[str]:
    """What elements show."""
    return await page.locator(selector).all_inner_texts()


async def phase(window: Window, name: str) -> None:
    """Wait until the panel shows a phase."""
    await window.until(f'document.getElementById("phase").dataset.phase === "{name}"')


async def test_a_round_on_the_panel(shown: Shown, browser: Browser) -> None:
    """Lamps, lock-out, the count against the chips, the cards and the award due appear in turn."""
    window = await browser.open(f"{shown.url}/table/t1")
    await phase(window, "idle")
    dealer = await shown.house.dealer("t1")
    await dealer.do("open_round")
    await dealer.do("place_wagers", wagers(2, 4))
    both = table_pb2.PlaceWagers(wagers=[wager(4, BONUS)])
    await dealer.do("place_wagers", both)
    await window.until('document.querySelectorAll(".lamp.lit").length === 3')
    assert await window.text("#phase") == "Open for wagers"
    lit = await texts(window.page, ".seat.lit .number")
    assert [text.split()[-1] for text in lit] == ["2", "4"]
    await dealer.do("lock_out")
    await phase(window, "locked")
    assert await window.text("#phase") == "Locked out"
    assert (await texts(window.page, "#counts tr"))[0].split("\t")[1:] == ["2", "count now"]
    await dealer.do("confirm_collection", table_pb2.ConfirmCollection(chips={FIVE: 2}))
    await phase(window, "collected")
    await window.until('document.querySelector("#counts .agree")')
    assert (await texts(window.page, "#counts tr"))[0].split("\t")[1:] == ["2", "2"]
    settle = table_pb2.Settle(
        hands=[
            table_pb2.SeatHand(seat=2, cards=QUADS, fate=table_pb2.FATE_PLAYED),
            table_pb2.SeatHand(
                seat=4, cards=["2d", "4h", "6s", "8c", "9d"], fate=table_pb2.FATE_FOLDED
            ),
        ],
        dealer=["2c", "4d", "6h", "8s", "9c"],
    )
    await dealer.do("settle", settle)
    await phase(window, "settled")
    await window.until('document.querySelector(".round")')
    cards = await window.page.locator(".round .pc").evaluate_all(
        "(nodes) => nodes.map((node) => node.ariaLabel)"
    )
    assert "7 of spades" in cards
    assert "ace of spades" in cards
    assert len(cards) == 15
    assert await texts(window.page, ".hand.folded p") == ["Seat 4, folded"]
    award = await window.text(".award")
    assert "Seat 2: Four of a kind" in award
    assert "$300.00" in award
    assert "Pending: floorperson" in award
    assert window.complaints == []
    assert window.hosts == {shown.url.removeprefix("http://")}


async def test_the_operator_page(shown: Shown, browser: Browser) -> None:
    """Meters, payouts with their state, hits and proposals are those of the controller."""
    dealer = await shown.house.dealer("t2")
    (payout,) = await dealer.settled({3: QUADS}, 1, 3, dollars=5)
    window = await browser.open(f"{shown.url}/ops")
    await window.until('document.querySelector("#hits tbody tr")')
    meters = [text.lstrip("$") for text in await texts(window.page, "#links .meter")]
    expected = []
    for link in ("five", "mega", "spare", "bonus"):
        expected += [money(micros) for micros in (await shown.house.meter(link)).values()]
    assert meters == expected
    (due,) = await texts(window.page, "#payouts tbody tr")
    assert f"${money(payout.amount_micros)}" in due
    assert "pending" in due
    (hit,) = await texts(window.page, "#hits tbody tr")
    assert "t2, seat 3" in hit
    assert "Four of a kind" in hit
    # Contributions come of the record, which reads the journal after the state has changed.
    await window.until('document.getElementById("tables").innerText.includes("$1.90")')
    rows = await texts(window.page, "#tables tr")
    assert len(rows) == 4
    assert any("t2" in row and "settled" in row and "$1.90" in row for row in rows)
    assert await window.text("#proposals") == "Nothing"
    await window.until('document.querySelector("#chart canvas")')
    await window.page.select_option("#meter", "mega/minor")
    for name in ("week", "hit", "day"):
        await window.page.click(f'[data-range="{name}"]')
        await window.until('document.querySelectorAll("#chart canvas").length === 1')
    assert await window.page.get_attribute("[data-range=day]", "aria-pressed") == "true"
    assert window.complaints == []
    assert window.hosts == {shown.url.removeprefix("http://")}


async def test_the_operator_page_shows_what_waits(
    shown: Shown, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proposal, a payout that waits too long and a suspended link are told, in plain words."""
    monkeypatch.setattr("jackpot.server.standing_alarms.LATE_MICROS", 0)
    house = shown.house
    dealer = await house.dealer("t2")
    await dealer.settled({3: QUADS}, 1, 3, dollars=5)
    values = {"link": "mega", "level": "major", "reference": "memo 7"}
    await house.operate("ResetMeter", who="ann/slots", **values)
    await house.operate("SuspendLink", link="bonus")
    window = await browser.open(f"{shown.url}/ops")
    await window.until('document.querySelector(".proposal") && document.querySelector(".alarm")')
    waits = await window.text("#proposals")
    assert "mega/major: 5,000.70 → 5,000.00" in waits
    assert "by ann" in waits
    assert "payout 1 at t2 has been pending for 0 min" in await window.text("#alarms")
    rows = await texts(window.page, "#links tr")
    assert any("bonus" in row and "suspended" in row for row in rows)
    assert any("five" in row and "main" in row and "in service" in row for row in rows)
    assert window.complaints == []


async def test_pages_fit_a_phone(shown: Shown, browser: Browser) -> None:
    """No page is wider than a phone's screen."""
    for path in ("/", "/sign/mega", "/table/t1", "/ops"):
        window = await browser.open(f"{shown.url}{path}", PHONE)
        await window.page.wait_for_timeout(300)
        wide = await window.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= PHONE[0], path


async def test_everything_can_be_reached_by_keyboard(shown: Shown, browser: Browser) -> None:
    """Tab goes through links, the choice of meter and the ranges, each with a name to be read."""
    window = await browser.open(f"{shown.url}/ops")
    await window.until('document.querySelector("#links tr")')
    names = []
    for _ in range(14):
        await window.page.keyboard.press("Tab")
        names.append(
            await window.page.evaluate(
                "document.activeElement.ariaLabel || document.activeElement.innerText"
            )
        )
    assert "Which meter" in names
    assert "Since last hit" in names
    assert all(names)


async def test_a_panel_says_that_its_source_is_lost(shown: Shown, browser: Browser) -> None:
    """When the store fails, the panel warns that what it shows may be old, and then no more."""
    window = await browser.open(f"{shown.url}/table/t1")
    await phase(window, "idle")
    shown.house.engine._stalled = True
    shown.house.engine._watch.cancel()  # type: ignore[union-attr]  # it runs while the engine does
    shown.house.engine._tell_health()
    await window.until('!document.getElementById("lost").hidden', 4)
    shown.house.engine._stalled = False
    shown.house.engine._tell_health()
    await window.until('document.getElementById("lost").hidden', 4)
