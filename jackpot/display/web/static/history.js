// Meters over time. Amounts come as text; they become numbers only to be drawn. A meter holds its
// value until it gets another, so the line has steps.

import { byId, h, say } from "./dom.js";
import { cents, text } from "./money.js";
import uPlot from "./vendor/uplot.js";

const REFRESH_MS = 15_000;
const NOTES = { day: "Last 24 hours", week: "Last seven days", hit: "Since the meter was last won" };

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

class Chart {
  constructor() {
    this.range = "day";
    this.plot = null;
    this.past = null; // what was loaded, and what the stream has told since
    this.live = new Map(); // meter -> amount
    this.now_s = 0; // when that was
    this.offered = "";
    byId("meter").addEventListener("change", () => this.load());
    for (const button of document.querySelectorAll("[data-range]")) {
      button.addEventListener("click", () => this.choose(button.dataset.range));
    }
    new ResizeObserver(() => this.fit()).observe(byId("chart"));
    setInterval(() => this.load(), REFRESH_MS);
  }

  /** Which meters there are, and what they hold now. */
  offer(links, now_ms) {
    for (const link of links) for (const level of link.levels) this.live.set(`${link.link}/${level.level}`, level.meter);
    this.now_s = Math.floor(now_ms / 1000);
    this.goOn();
    const meters = links.flatMap((link) =>
      link.levels.map((level) => [`${link.link}/${level.level}`, link.levels.length > 1 ? `${link.title}: ${level.name}` : link.title]),
    );
    if (JSON.stringify(meters) === this.offered) return;
    this.offered = JSON.stringify(meters);
    byId("meter").replaceChildren(...meters.map(([value, name]) => h("option", { value }, name)));
    this.load();
  }

  choose(range) {
    this.range = range;
    for (const button of document.querySelectorAll("[data-range]")) {
      button.setAttribute("aria-pressed", String(button.dataset.range === range));
    }
    this.load();
  }

  async load() {
    const [meter, range] = [byId("meter").value, this.range];
    const [link, level] = meter.split("/").map(encodeURIComponent);
    if (!level) return;
    try {
      const answer = await fetch(`/api/history/${link}/${level}?range=${range}`);
      if (!answer.ok) return say(byId("chart-note"), "The controller is still reading the journal. Try again soon.");
      const past = await answer.json();
      if (meter === byId("meter").value && range === this.range) this.draw(past);
    } catch {
      // The controller is away; the page says so by itself.
    }
  }

  draw(past) {
    this.past = past;
    this.extend();
    this.plot?.destroy();
    this.plot = new uPlot(this.options(), this.data(), byId("chart"));
    this.note();
  }

  data() {
    return [this.past.times_s, this.past.amounts.map(cents)];
  }

  /** The line goes on with what the stream tells, until more is loaded. */
  goOn() {
    if (!this.past || byId("meter").value !== `${this.past.link}/${this.past.level}`) return;
    this.extend();
    this.plot.setData(this.data());
    this.note();
  }

  /** One value a second: the latest of it. */
  extend() {
    const { link, level, times_s, amounts } = this.past;
    if (this.now_s < times_s.at(-1)) return;
    const place = times_s.length - (this.now_s > times_s.at(-1) ? 0 : 1);
    times_s[place] = this.now_s;
    amounts[place] = this.live.get(`${link}/${level}`) ?? amounts.at(-1);
  }

  note() {
    const { amounts, since_s, range } = this.past;
    const known = new Date(since_s * 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
    const [meter] = byId("meter").selectedOptions;
    const now = this.live.get(meter.value) ?? amounts.at(-1);
    say(byId("chart-note"), `${NOTES[range]}. The record begins ${known}. The meter is now $${now}.`);
    byId("chart").setAttribute("aria-label", `${meter.textContent}, ${NOTES[range].toLowerCase()}: $${amounts[0]} to $${now}`);
  }

  options() {
    const { clientWidth: width, clientHeight: height } = byId("chart");
    const axis = { stroke: color("--muted"), font: '12px "Archivo", sans-serif', ticks: { show: false }, grid: { stroke: "rgba(243,239,230,.08)", width: 1 } };
    return {
      width,
      height,
      cursor: { y: false },
      series: [{}, { stroke: color("--accent"), width: 2, fill: "rgba(232,182,76,.10)", points: { show: false }, paths: uPlot.paths.stepped({ align: 1 }) }],
      axes: [
        { ...axis, space: 100 }, // two labels with date and time fit side by side
        { ...axis, size: 92, values: (_, values) => values.map((value) => `$${text(Math.round(value))}`) },
      ],
      scales: { y: { range: (_, low, high) => [low - Math.max((high - low) * 0.1, 100), high + Math.max((high - low) * 0.1, 100)] } },
      legend: { show: false },
    };
  }

  fit() {
    const { clientWidth: width, clientHeight: height } = byId("chart");
    this.plot?.setSize({ width, height });
  }
}

export const chart = new Chart();
