"""The chart of a meter on the operator page, in a real browser."""

import time
from itertools import pairwise

from jackpot.display.history.site_history import LevelHistory
from jackpot.display.views.words import money
from tests.display.browser import DESKTOP, PHONE, Browser, Window
from tests.display.shown import Shown
from tests.engine.pit import eventually

HOUR_S = 3_600
BASE = 10_000_000_000
# Every text that is drawn, with the box that it takes.
RECORDER = """
window.texts = [];
const fillText = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...more) {
  const { a, e } = this.getTransform();
  const wide = this.measureText(text).width * a;
  window.texts.push([text, a * x + e - wide / 2, a * x + e + wide / 2, y]);
  return fillText.call(this, text, x, y, ...more);
};
"""
# The color of the line where a time (as a part of the way from the first to the last) and an
# amount in cents meet.
PIXEL = """async ([part, cents]) => {
  const { chart } = await import("/static/history.js");
  const [times] = chart.plot.data;
  const x = chart.plot.valToPos(times[0] + part * (times.at(-1) - times[0]), "x", true);
  const y = chart.plot.valToPos(cents, "y", true);
  const found = chart.plot.ctx.getImageData(Math.round(x), Math.round(y), 1, 1).data;
  return found[0] > 180 && found[3] > 200;
}"""

# All texts of a chart from one time to another.
DRAW = """async (times_s) => {
  const { chart } = await import("/static/history.js");
  window.texts.length = 0;
  chart.draw({ link: "", level: "", range: "hit", since_s: 0, times_s, amounts: ["1.00", "2.00"] });
  await new Promise(requestAnimationFrame);
  return window.texts;
}"""


async def past(shown: Shown, *samples: tuple[int, int]) -> None:
    """Give the meter of `five` a past: (seconds ago, micros) pairs, the oldest first."""
    source = shown.display._pages._feed
    await eventually(lambda: source.past is not None)
    history = LevelHistory()
    for ago_s, value in samples:
        history.add(int(time.time()) - ago_s, value)
    assert source.past is not None
    source.past.levels["five/main"] = history


async def opened(shown: Shown, browser: Browser, size: tuple[int, int] = DESKTOP) -> Window:
    """The operator page, its chart drawn."""
    context = await browser.context(size)
    await context.add_init_script(RECORDER)
    window = Window(await context.new_page())
    await window.page.goto(f"{shown.url}/ops")
    await window.until('document.querySelector("#chart canvas")')
    return window


async def test_a_meter_holds_its_value_until_it_changes(shown: Shown, browser: Browser) -> None:
    """Between two samples the line is level; it does not climb through what never was."""
    await past(shown, (20 * HOUR_S, BASE), (4 * HOUR_S, 2 * BASE), (1, BASE))
    window = await opened(shown, browser)
    for part, cents, drawn in ((0.4, 1_000_000, True), (0.4, 1_500_000, False)):
        assert await window.page.evaluate(PIXEL, [part, cents]) is drawn, cents
    assert await window.page.evaluate(PIXEL, [0.9, 2_000_000])


async def test_now_is_what_the_meter_beside_it_shows(shown: Shown, browser: Browser) -> None:
    """A wager is in the chart's note and at its end as soon as it is in the table of meters."""
    window = await opened(shown, browser)
    await window.until('document.getElementById("chart-note").innerText.includes("$10,000.00")')
    await (await shown.house.dealer("t4")).collected(1, 2)
    now = money((await shown.house.meter("five"))["main"])
    await window.until(f'document.querySelector("#links .meter").innerText === "${now}"', 4)
    await window.until(f'document.getElementById("chart-note").innerText.endsWith("${now}.")', 0.5)
    end = await window.page.evaluate(
        'import("/static/history.js").then(({ chart }) => chart.plot.data[1].at(-1))'
    )
    assert end == 1_000_042
    assert window.complaints == []


async def test_dates_do_not_overlap_on_a_phone(shown: Shown, browser: Browser) -> None:
    """Wherever a story begins and however long it is, the labels below the chart stand apart."""
    window = await opened(shown, browser, PHONE)
    midnight_s = 1_792_454_400
    for span_s in (20, 40, 90, 400, 1_500, 9_000, 40_000, 170 * HOUR_S):
        for part in range(0, 10, 3):
            begin_s = midnight_s - span_s * part // 10
            drawn = await window.page.evaluate(DRAW, [begin_s, begin_s + span_s])
            dates = sorted((y, left, right) for text, left, right, y in drawn if text[0] != "$")
            assert dates
            for (y, _, right), (other_y, left, _) in pairwise(dates):
                assert y != other_y or right < left, (span_s, part, drawn)
