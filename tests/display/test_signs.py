"""Signs in a real browser: what they show is what the journal holds."""

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from jackpot.core.money import parse_dollars
from jackpot.display.views.words import money
from jackpot.verify import verify
from jackpot.wire.v1 import table_pb2
from tests.display.browser import DESKTOP, PHONE, Browser, Window
from tests.display.shown import Shown, open_shown
from tests.e2e.process import Process
from tests.server.house import FOUR_EIGHTS_LOSE, ROYALS, House, free_port, fund_text

QUADS = ["7s", "7h", "7d", "7c", "As"]
UP = 'document.getElementById("out").hidden'
DOWN = '!document.getElementById("out").hidden && document.getElementById("out-text").innerText'


async def settle_count(window: Window, expected: dict[str, str]) -> None:
    """Wait until a sign has counted up to these values."""
    for _ in range(100):
        if await window.meters() == expected:
            return
        await asyncio.sleep(0.05)
    assert await window.meters() == expected


async def shown_meters(house: House, link: str) -> dict[str, str]:
    """What a sign must show of a link."""
    return {lv: f"${money(micros)}" for lv, micros in (await house.meter(link)).items()}


async def test_values_after_a_burst_are_the_journals(shown: Shown, browser: Browser) -> None:
    """After many wagers the sign shows the meters to the cent, and complained of nothing."""
    window = await browser.open(f"{shown.url}/sign/mega")
    await window.until(UP)
    dealer = await shown.house.dealer("t2")
    for _ in range(12):
        await dealer.settled({}, 1, 2, 3, 4, 5, 6, dollars=5)
    expected = await shown_meters(shown.house, "mega")
    assert expected["mega"] != "$50,000.00"
    await settle_count(window, expected)
    assert window.complaints == []
    assert window.hosts == {shown.url.removeprefix("http://")}


@pytest.mark.rule("PA 657a.2(b)(6)")
async def test_a_sign_posts_what_every_hand_pays(shown: Shown, browser: Browser) -> None:
    """Hands and payments are posted, odds worded "for 1" as the regulation words them."""
    window = await browser.open(f"{shown.url}/sign/five")
    await window.until(UP)
    rows = await window.page.locator("#card table:first-of-type tr").all_inner_texts()
    posted = dict(row.split("\t") for row in rows)
    assert posted["Royal flush"] == "100% of the meter"
    assert posted["Straight flush"] == "10% of the meter"
    assert posted["Four of a kind"] == "300 for 1"
    assert posted["Three of a kind"] == "9 for 1"
    assert not any(" to 1" in pays for pays in posted.values())
    envy = await window.page.locator("#card .envy tr").all_inner_texts()
    assert envy == ["Royal flush\t$1,000.00", "Straight flush\t$300.00"]


async def test_a_hit_is_pending_then_paid(shown: Shown, browser: Browser) -> None:
    """A hit is up within a second with table, seat, level and amount, and ends as paid."""
    window = await browser.open(f"{shown.url}/sign/mega")
    await window.until(UP)
    dealer = await shown.house.dealer("t2")
    (payout,) = await dealer.settled({3: QUADS}, 1, 3, dollars=5)
    begun_s = time.monotonic()
    await window.until('document.querySelector(".hit")')
    assert time.monotonic() - begun_s < 1
    banner = await window.text(".hit")
    for part in ("Four of a kind", "Minor", "T2, seat 3", f"${money(payout.amount_micros)}"):
        assert part in banner
    assert await window.text(".hit .status") == "Pending"
    assert (await window.text(".hit .next")).startswith("Minor now $1,250.")
    await shown.house.operate("ValidatePayout", payout=payout.id, floorperson="Flo")
    await window.until('document.querySelector(".hit .status").innerText === "Validated"', 2)
    await shown.house.operate("PayPayout", payout=payout.id, form="W-2G")
    await window.until('document.querySelector(".hit .status").innerText === "Paid"', 2)
    assert window.complaints == []


STRAIGHT_FLUSHES = {
    seat: [f"{rank}{suit}" for rank in ("34567" if suit == "c" else "9TJQK")]
    for seat, suit in enumerate("cdhs", 1)
}


async def test_a_pending_jackpot_stays_up(shown: Shown, browser: Browser) -> None:
    """Newer hits, paid or not, never push out a larger one that is not yet paid."""
    window = await browser.open(f"{shown.url}/sign/five")
    await window.until(UP)
    (jackpot,) = await (await shown.house.dealer("t1")).settled({1: ROYALS["s"]}, 1)
    dealer = await shown.house.dealer("t4")
    for _ in range(3):
        (minor,) = await dealer.settled({1: STRAIGHT_FLUSHES[1]}, 1)
        await shown.house.operate("ValidatePayout", payout=minor.id, floorperson="Flo")
        await shown.house.operate("PayPayout", payout=minor.id, form="W-2G")
    await window.until('document.querySelectorAll(".hit[data-status=paid]").length === 2', 3)
    first = 'document.querySelector(".hit").dataset'
    assert await window.page.evaluate(f"{first}.payout") == str(jackpot.id)
    assert await window.text(".hit .sum") == f"${money(jackpot.amount_micros)}"
    await dealer.settled(STRAIGHT_FLUSHES, *STRAIGHT_FLUSHES)
    await window.until('document.getElementById("more").innerText', 3)
    assert await window.text("#more") == "and 2 more not yet paid"
    assert await window.page.evaluate(f"{first}.payout") == str(jackpot.id)
    due = await window.page.locator(".hit .sum").all_inner_texts()
    amounts = [parse_dollars(text.removeprefix("$")) for text in due]
    assert amounts == sorted(amounts, reverse=True)
    assert window.complaints == []


async def test_a_sign_never_shows_more_than_the_meter(shown: Shown, browser: Browser) -> None:
    """Every number drawn while counting up, and across a hit, is at most what the meter held."""
    window = await browser.open(f"{shown.url}/sign/five")
    await window.until(UP)
    await window.page.evaluate(
        """() => {
            const node = document.querySelector(".level .amount > span");
            window.drawn = [];
            new MutationObserver(() => window.drawn.push(node.innerText))
                .observe(node, { childList: true, characterData: true, subtree: true });
        }"""
    )
    dealer = await shown.house.dealer("t4")
    for _ in range(3):
        await dealer.settled({}, 1, 2, 3, 4, 5, 6)
    before = await shown_meters(shown.house, "five")
    await settle_count(window, before)
    drawn = await window.page.evaluate("window.drawn")
    assert len(drawn) > 10, "it counts, it does not jump"
    assert max(drawn) == before["main"]
    await window.page.evaluate("window.drawn.length = 0")
    (payout, *_) = await dealer.settled({1: ROYALS["s"]}, 1)
    after = await shown_meters(shown.house, "five")
    await settle_count(window, after)
    assert after["main"] < before["main"]
    # Between the count of the chip and the hand the meter held what was won, and may be shown so.
    drawn = await window.page.evaluate("window.drawn")
    assert max(drawn) <= f"${money(payout.amount_micros)}"
    assert max(drawn[drawn.index(after["main"]) :]) == after["main"]


async def test_reduced_motion_jumps(shown: Shown, browser: Browser) -> None:
    """Who asked for less motion gets the new value at once, and no animation."""
    window = await browser.open(f"{shown.url}/sign/five", still=True)
    await window.until(UP)
    await window.page.evaluate(
        """() => {
            const node = document.querySelector(".level .amount > span");
            window.drawn = new Set();
            new MutationObserver(() => window.drawn.add(node.innerText))
                .observe(node, { childList: true, characterData: true, subtree: true });
        }"""
    )
    dealer = await shown.house.dealer("t4")
    payouts = await dealer.settled({2: ROYALS["s"]}, 1, 2)
    expected = await shown_meters(shown.house, "five")
    await settle_count(window, expected)
    assert await window.page.evaluate("window.drawn.size") <= 2
    await window.until('document.querySelector(".hit")')
    animations = await window.page.evaluate("document.getAnimations().length")
    assert animations == 0
    assert payouts


async def test_text_and_cents_agree_in_the_browser(shown: Shown, browser: Browser) -> None:
    """The browser's own reading and writing of amounts is exact, up to a billion dollars."""
    window = await browser.open(f"{shown.url}/sign/five")
    amounts = [1, 99, 100, 12_345_67, 999_99, 1_000_00, 100_000_000_000, 99_999_999_999]
    texts = [money(cents * 10_000) for cents in amounts]
    read = await window.page.evaluate(
        "(texts) => import('/static/money.js').then((m) => texts.map((t) => m.cents(t)))", texts
    )
    written = await window.page.evaluate(
        "(all) => import('/static/money.js').then((m) => all.map((c) => m.text(c)))", amounts
    )
    assert read == amounts
    assert written == texts


async def test_killed_is_out_of_service_and_recovers(tmp_path: Path, browser: Browser) -> None:
    """A controller that dies leaves no stale meter up for 5 s; restarted, the sign is back."""
    http = free_port()
    process = Process(tmp_path, options=("--http", f"127.0.0.1:{http}"))
    with process:
        window = await browser.open(f"http://127.0.0.1:{http}/sign/mega")
        await window.until(UP)
        before = await window.meters()
        process.kill()
        begun_s = time.monotonic()
        await window.until(f'({DOWN}) === "Progressive out of service"', 15)
        assert time.monotonic() - begun_s < 5
        await asyncio.to_thread(process.start)
        await window.until(UP, 30)
        await settle_count(window, before)
    assert verify(process.store).ok


async def test_a_suspended_link_is_out_of_service(shown: Shown, browser: Browser) -> None:
    """A link that takes no wagers says so, and comes back when it is resumed."""
    window = await browser.open(f"{shown.url}/sign/five")
    await window.until(UP)
    await shown.house.operate("SuspendLink", link="five")
    await window.until(f'({DOWN}) === "Progressive out of service"', 3)
    await shown.house.operate("ResumeLink", link="five")
    await window.until(UP, 3)


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["1080p", "phone"])
async def test_nothing_is_cut_off(shown: Shown, browser: Browser, size: tuple[int, int]) -> None:
    """With hits up, amounts and rows lie within the screen's width, and at 1080p its height."""
    dealer = await shown.house.dealer("t2")
    await dealer.settled({3: QUADS, 5: ROYALS["h"]}, 1, 3, 5, dollars=5)
    window = await browser.open(f"{shown.url}/sign/mega", size)
    await window.until('document.querySelectorAll(".hit").length === 2')
    worst = await window.page.evaluate(
        """() => {
            const nodes = document.querySelectorAll(".amount > span:first-child, td, th, .hit *");
            const boxes = [...nodes].map((node) => node.getBoundingClientRect());
            const most = (side) => Math.max(...boxes.map((box) => box[side]));
            return [most("right"), most("bottom")];
        }"""
    )
    assert worst[0] <= size[0]
    if size == DESKTOP:
        assert worst[1] <= size[1]


@pytest.mark.rule("PA2010 553.20(b)")
@pytest.mark.rule("PA2010 553.20(b)(1)")
@pytest.mark.rule("PA2010 553.20(b)(2)")
@pytest.mark.rule("PA2010 553.20(b)(3)")
async def test_a_bad_beat_sign_posts_the_rules_of_its_fund(
    tmp_path: Path, browser: Browser
) -> None:
    """What a pot gives, from which pot on, what qualifies, who is paid what, and the fund."""
    async with open_shown(tmp_path, more=fund_text()) as shown:
        dealer = await shown.house.dealer("p1")
        await dealer.do("contribute_pot", table_pb2.ContributePot(pot_micros=100_000_000))
        box: dict[str, Any] = {"table": "p1", "counted_micros": 2_000_000, "cashier": "Cy"}
        await shown.house.operate("CountBox", link="fund", **box)
        window = await browser.open(f"{shown.url}/sign/fund", still=True)
        await window.until(UP)
        assert "2.00" in await window.text(".amount")
        assert await window.page.locator(".term").all_inner_texts() == [
            "10% of each pot goes to this fund, at most $2.00",
            "Only pots of $20.00 or more contribute",
        ]
        rows = await window.page.locator("#card tr").all_inner_texts()
        assert rows[0].startswith("Four eights or higher that loses\t50%")
        assert window.complaints == []


@pytest.mark.rule("PA2010 553.20(f)(1)")
async def test_a_bad_beat_is_pending_adjustment(tmp_path: Path, browser: Browser) -> None:
    """The fund's shares are posted; a Bad Beat puts up a notice until the display is set right."""
    async with open_shown(tmp_path, more=fund_text()) as shown:
        house = shown.house
        window = await browser.open(f"{shown.url}/sign/fund")
        await window.until(UP)
        rows = await window.page.locator("#card tr").all_inner_texts()
        assert rows == [
            "Four eights or higher that loses\t50% of the meter",
            "Hand that beats it\t25% of the meter",
            "Others dealt in equally\t25% of the meter",
        ]
        notice = '!document.getElementById("adjusting").hidden'
        assert not await window.page.evaluate(f"() => {notice}")
        dealer = await house.dealer("p1")
        await dealer.do("contribute_pot", table_pb2.ContributePot(pot_micros=100_000_000))
        box: dict[str, Any] = {
            "table": "p1",
            "counted_micros": 2_000_000,
            "cashier": "Cy",
        }
        await house.operate("CountBox", link="fund", **box)
        who: dict[str, Any] = {"loser_seat": 3, "winner_seat": 7, "other_seats": [1]}
        who["supervisor"] = "Sam"
        await house.operate("VerifyBadBeat", link="fund", table="p1", **FOUR_EIGHTS_LOSE, **who)
        await window.until(notice, 3)
        left = (await house.meter("fund"))["main"]
        await house.operate("ConfirmDisplay", link="fund", displayed_micros=left)
        await window.until(f"!({notice})", 3)
        assert window.complaints == []


RIDE = """
[[links]]
id = "ride"
title = "Let It Ride Bonus"
rule = "pa-2010-let-it-ride"
bet = "bonus"
wager = "$1"
in_service = true

[[tables]]
id = "r1"
links = ["ride"]
"""


async def test_a_link_without_a_meter_posts_what_it_pays(tmp_path: Path, browser: Browser) -> None:
    """Fixed amounts only: the paytable has the whole screen; staff see that there is no meter."""
    async with open_shown(tmp_path, more=RIDE) as shown:
        window = await browser.open(f"{shown.url}/sign/ride")
        await window.until(UP)
        rows = await window.page.locator("#card tr").all_inner_texts()
        assert rows[0] == "Royal flush\t$25,000.00"
        wide = await window.page.evaluate("document.querySelector('#card table').offsetWidth")
        assert wide > 0.9 * DESKTOP[0]
        await window.page.goto(f"{shown.url}/ops")
        await window.until('document.querySelector("#links tr")')
        (row,) = await window.page.locator("#links tr", has_text="Let It Ride").all_inner_texts()
        assert "no meter" in row
        assert "in service" in row
        assert window.complaints == []


@pytest.mark.slow
async def test_fifty_signs_on_one_controller(shown: Shown, browser: Browser) -> None:
    """Fifty signs in real browsers all arrive at the same value, and none complains."""
    windows = []
    for _ in range(10):
        # A browser opens six connections to a host, so five signs share a profile.
        context = await browser.context((480, 270), still=True)
        for _ in range(5):
            window = Window(await context.new_page())
            await window.page.goto(f"{shown.url}/sign/mega", timeout=60_000)
            windows.append(window)
    dealer = await shown.house.dealer("t2")
    for _ in range(10):
        await dealer.settled({}, 1, 2, 3, 4, 5, 6, dollars=5)
    expected = await shown_meters(shown.house, "mega")
    for window in windows:
        await settle_count(window, expected)
        assert window.complaints == []
