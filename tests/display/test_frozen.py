"""A sign that can't show its meter freezes at the largest amount that it can, and says so."""

from pathlib import Path

import pytest

from jackpot.core import ledger
from jackpot.core.config import SIGN_DIGITS
from jackpot.core.money import MICROS_PER_CENT, frozen_at, largest_shown, parse_dollars
from jackpot.core.plan import plan
from jackpot.core.state import LinkState, State
from jackpot.engine.meter_board import FrameMaker, frame_of
from jackpot.rules.site import check_site, load_site
from jackpot.server.codec.meter import link_meters
from tests.display.browser import Browser
from tests.display.frozen import set_digits
from tests.display.shown import Shown
from tests.server.house import site_text, write_site

UP = 'document.getElementById("out").hidden'
LARGEST = parse_dollars("9,999.99")  # of six digits


@pytest.mark.parametrize(
    ("cents", "frozen"),
    [(-1, 0), (0, 0), (1, LARGEST)],
    ids=["n-1", "n", "n+1"],
)
def test_a_meter_is_frozen_a_cent_above_what_the_digits_show(cents: int, frozen: int) -> None:
    """One cent below the largest amount and at it the meter is shown, one above it is not."""
    assert largest_shown(6) == LARGEST
    assert frozen_at(LARGEST + cents * MICROS_PER_CENT, 6) == frozen


def test_a_part_of_a_cent_freezes_nothing() -> None:
    """A sign shows whole cents, rounded down."""
    assert frozen_at(LARGEST + MICROS_PER_CENT - 1, 6) == 0


@pytest.mark.parametrize("above", [-MICROS_PER_CENT, 0, MICROS_PER_CENT])
def test_the_ledger_counts_on(tmp_path: Path, above: int) -> None:
    """A frame has the meter itself, and beside it what a sign shows instead."""
    state = State(site="house", sign_digits=6)
    site = load_site(write_site(tmp_path, site_text()))
    link = LinkState(next(each for each in site.links if each.id == "five"))
    state.links["five"] = link
    state.balances[ledger.meter(ledger.key("five", "main"))] = LARGEST + above
    (meter,) = link_meters(frame_of(state, link)).meters
    assert meter.amount_micros == LARGEST + above
    assert meter.frozen_micros == (LARGEST if above > 0 else 0)


async def test_a_sign_freezes_and_thaws(shown: Shown, browser: Browser) -> None:
    """It stays at the largest amount while wagers come in, and follows again when it can."""
    window = await browser.open(f"{shown.url}/sign/five", still=True)
    await window.until(UP)
    note = '.level[data-level="main"] .frozen'
    assert await window.page.locator(note).is_hidden()
    await set_digits(shown.house, 6)
    await window.until(f"!document.querySelector('{note}').hidden")
    await (await shown.house.dealer("t4")).settled({}, 1, 2, 3)
    meter = (await shown.house.meter("five"))["main"]
    assert meter > parse_dollars("10,000")
    assert await window.meters() == {"main": "$9,999.99"}
    assert "jackpot is higher" in await window.text(note)
    await set_digits(shown.house, 7)
    await window.until(f"document.querySelector('{note}').hidden")
    assert (await window.meters())["main"].startswith("$10,000.")
    assert window.complaints == []


def test_a_site_file_says_how_many_digits(tmp_path: Path) -> None:
    """From five to twelve; nothing said is eleven."""
    assert load_site(write_site(tmp_path, site_text())).sign_digits == SIGN_DIGITS
    for digits, wrong in ((4, True), (5, False), (12, False), (13, True)):
        text = site_text().replace("[site]\n", f"[site]\nsign_digits = {digits}\n")
        found = check_site(write_site(tmp_path, text))
        assert bool(found.violations) == wrong, digits
        assert wrong or found.site.sign_digits == digits


def test_a_seed_that_no_sign_can_show_is_warned_of(tmp_path: Path) -> None:
    """With its line, and what the signs can show."""
    text = site_text().replace("[site]\n", "[site]\nsign_digits = 6\n")
    said = [str(each) for each in check_site(write_site(tmp_path, text)).warnings]
    assert any("the seed of mega/mega is $50,000.00" in each for each in said)
    assert all("$9,999.99" in each for each in said)
    assert not check_site(write_site(tmp_path, site_text())).warnings


def test_other_digits_are_planned_and_shown_anew(tmp_path: Path) -> None:
    """A start on a file with other digits changes them, and every sign gets a frame."""
    site = load_site(write_site(tmp_path, site_text()))
    state = State(site="house", sign_digits=9, dual_control=True, day=site.day)
    state.links = {link.id: LinkState(link) for link in site.links}
    (step,) = [step for step in plan(state, site) if step.key == ("sign_digits",)]
    assert (step.verdict, step.old, step.new) == ("change", "9", "11")
    frames = FrameMaker()
    assert frames.changed(state)
    assert not frames.changed(state)
    state.sign_digits = 8
    assert len(frames.changed(state)) == len(site.links)
