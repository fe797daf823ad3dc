"""A table's layout as a page: what is offered there, for whoever looks, on any screen."""

from pathlib import Path
from typing import Any

import pytest

from jackpot.core.money import parse_dollars
from jackpot.display.feeds.site_feed import STRANGE, SiteFeed
from jackpot.display.web.app import Settings
from jackpot.rules.posted_layout import layout_card
from jackpot.rules.site import load_site
from jackpot.wire.v1 import meter_pb2
from tests.display.browser import DESKTOP, PHONE, Browser
from tests.display.shown import Shown, open_shown
from tests.rules.test_posted_layout import HOUSE
from tests.server.house import fund_text, site_text, write_site

FOUR_K = (3840, 2160)
UP = 'document.getElementById("out").hidden'
THERE = 'document.querySelector(".wager")'


@pytest.mark.rule("PA 657a.2(b)(6)")
@pytest.mark.rule("PA 657a.2(b)(7)")
@pytest.mark.parametrize("size", [PHONE, DESKTOP, FOUR_K], ids=["phone", "1080p", "4k"])
async def test_a_layout_page_has_all_wagers_with_odds_and_inscriptions(
    shown: Shown, browser: Browser, tmp_path: Path, size: tuple[int, int]
) -> None:
    """Whatever `jackpot rules layout` says, and nothing is wider than the screen."""
    window = await browser.open(f"{shown.url}/layout/t1", size)
    await window.until(THERE)
    site = load_site(write_site(tmp_path, site_text()))
    card = layout_card(next(each for each in site.tables if each.id == "t1"), site.links)
    assert await window.page.locator(".wager").count() == len(card.wagers)
    page = (await window.text("main")).lower()
    for wager in card.wagers:
        assert wager.title.lower() in page
        for line in wager.lines:
            for part in (line.hand, line.pays, line.odds):
                assert part.lower() in page
    for each in card.inscriptions:
        assert each.says.lower() in page
        assert each.clause.lower() in page
    assert "1 in 649,740" in page
    wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not await window.page.evaluate(f"() => {wide}")
    assert window.complaints == []


async def test_everyone_may_read_a_layout(tmp_path: Path) -> None:
    """It hangs on the wall: it is not for staff only. A table without one has no page."""
    async with open_shown(tmp_path, Settings(), more=fund_text()) as shown:
        found = await shown.json("/api/layout/t1")
        assert found["table"] == "t1"
        assert (await shown.get("/layout/t1"))[0] == 200
        for table in ("p1", "nowhere"):
            assert (await shown.get(f"/layout/{table}"))[0] == 404
            assert (await shown.get(f"/api/layout/{table}"))[0] == 404


async def test_names_of_no_table_reach_the_ledger_only_so_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everybody may read layouts; whoever makes names up costs the ledger nothing."""
    asked: list[str] = []
    real = SiteFeed._ask

    async def count(self: SiteFeed, request: Any) -> Any:
        if isinstance(request, meter_pb2.GetLayoutRequest):
            asked.append(request.table)
        return await real(self, request)

    monkeypatch.setattr(SiteFeed, "_ask", count)
    async with open_shown(tmp_path, Settings()) as shown:
        for number in range(5 * STRANGE):
            assert (await shown.get(f"/api/layout/x{number}"))[0] == 404
        assert len(asked) < 3 * STRANGE
        assert (await shown.json("/api/layout/t1"))["table"] == "t1"


async def test_signs_and_panels_lead_to_the_layout(shown: Shown, browser: Browser) -> None:
    """A sign to the tables of its link, a panel to its own."""
    sign = await browser.open(f"{shown.url}/sign/mega")
    await sign.until(UP)
    hrefs = 'Array.from(document.querySelectorAll(".layouts a"), (a) => a.getAttribute("href"))'
    assert await sign.page.evaluate(f"() => {hrefs}") == ["/layout/t2"]
    panel = await browser.open(f"{shown.url}/table/t2")
    await panel.page.click("#layout")
    await panel.until(THERE)
    assert panel.page.url.endswith("/layout/t2")


async def set_limit(shown: Shown, link: str, level: str, limit: str) -> None:
    """Two people set a limit, while the link is suspended."""
    house, micros = shown.house, parse_dollars(limit)
    await house.operate("SuspendLink", link=link)
    change: dict[str, Any] = {"link": link, "level": level, "limit_micros": micros}
    made = await house.operate("SetLimit", who="ann/slots", reference="memo 8", **change)
    await house.operate("ApproveProposal", who="bob/accounting", proposal=made.proposed.id)
    await house.operate("ResumeLink", link=link)


@pytest.mark.rule("PA 657a.12(e)(3)")
async def test_a_limit_set_while_a_sign_hangs_comes_on_the_sign(
    shown: Shown, browser: Browser
) -> None:
    """Without anybody switching it off and on, and on the layout too."""
    sign = await browser.open(f"{shown.url}/sign/five")
    await sign.until(UP)
    assert await sign.page.locator(".term").count() == 0
    before = await shown.json("/api/layout/t4")
    assert not any("$25,000.00" in each["says"] for each in before["inscriptions"])
    await set_limit(shown, "five", "main", "25,000")
    await sign.until('document.querySelector(".term")')
    assert "at most $25,000.00" in await sign.text(".term")
    after = await shown.json("/api/layout/t4")
    assert any("at most $25,000.00" in each["says"] for each in after["inscriptions"])
    assert sign.complaints == []


@pytest.mark.rule("PA 657a.12(f)(3)")
@pytest.mark.rule("PA 657a.12(d)(3)")
async def test_a_sign_in_a_browser_shows_drawn_bonuses_and_the_reserve(
    tmp_path: Path, browser: Browser
) -> None:
    """Magic Card and Lucky Bonus with what they pay; what funds the next jackpot, in words."""
    drawn = (
        '[[links]]\nid = "hand"\ntitle = "hand"\nrule = "pa-crazy-4-poker"\n'
        'bet = "five-card-hand-bonus"\nwager = "$1"\nmagic_share = "2%"\nlucky_share = "5%"\n'
        'in_service = true\n\n[[links]]\nid = "four"\ntitle = "four"\n'
        'rule = "pa-crazy-4-poker"\nbet = "four-card-progressive"\npaytable = "B"\n'
        'wager = "$1"\nin_service = true\nlevels.main.limit = "$20,000"\n\n'
        '[[tables]]\nid = "t9"\nlinks = ["hand", "four"]\n\n'
    )
    async with open_shown(tmp_path, more=drawn) as shown:
        bonus = await browser.open(f"{shown.url}/sign/hand")
        await bonus.until(UP)
        card = await bonus.text("#card")
        assert "Magic Card\t20 for 1" in card
        assert "Lucky Bonus\t5 for 1" in card
        four = await browser.open(f"{shown.url}/sign/four")
        await four.until(UP)
        terms = await four.page.locator(".term").all_inner_texts()
        assert terms == [
            "Jackpot: at most $20,000.00",
            "Jackpot: 5% of each wager funds the next jackpot",
        ]
        assert all([await four.page.locator(".term").nth(n).is_visible() for n in (0, 1)])


def test_the_whole_house_has_a_layout_for_every_table(tmp_path: Path) -> None:
    """Of every game in the docs' site file; odds are exact or said not to be counted."""
    site = load_site(write_site(tmp_path, HOUSE))
    for table in site.tables:
        for wager in layout_card(table, site.links).wagers if table.base else ():
            hands = [line for line in wager.lines if not line.hand.startswith("envy bonus")]
            counted = not wager.odds.startswith("odds not counted")
            assert all(bool(line.odds) == counted for line in hands), wager
            assert all(line.odds != "never" for line in hands), wager
