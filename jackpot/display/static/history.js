// Meters over time. Amounts come as text; they become numbers only to be drawn.

import { byId, h, say } from "./dom.js";
import { cents, text } from "./money.js";
import uPlot from "./vendor/uplot.js";

const REFRESH_MS = 15_000;
const NOTES = { day: "Last 24 hours", week: "Last seven days", hit: "Since the meter was last won" };

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

class Chart {
  constructor() {
    this.range = "day";
    this.plot = null;
    this.offered = "";
    byId("meter").addEventListener("change", () => this.load());
    for (const button of document.querySelectorAll("[data-range]")) {
      button.addEventListener("click", () => this.choose(button.dataset.range));
    }
    new ResizeObserver(() => this.fit()).observe(byId("chart"));
    setInterval(() => this.load(), REFRESH_MS);
  }

  /** Which meters there are. */
  offer(links) {
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
    const [link, level] = byId("meter").value.split("/").map(encodeURIComponent);
    if (!level) return;
    try {
      const answer = await fetch(`/api/history/${link}/${level}?range=${this.range}`);
      if (!answer.ok) return say(byId("chart-note"), "The journal is being read.");
      this.draw(await answer.json());
    } catch {
      // The controller is away; the page says so by itself.
    }
  }

  draw({ times_s, amounts, since_s, range }) {
    const data = [times_s, amounts.map(cents)];
    const last = amounts[amounts.length - 1];
    const known = new Date(since_s * 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
    const name = byId("meter").selectedOptions[0].textContent;
    say(byId("chart-note"), `${NOTES[range]}, as far as it is known: from ${known}. Now $${last}.`);
    byId("chart").setAttribute("aria-label", `${name}, ${NOTES[range].toLowerCase()}: $${amounts[0]} to $${last}`);
    this.plot?.destroy();
    this.plot = new uPlot(this.options(), data, byId("chart"));
  }

  options() {
    const { clientWidth: width, clientHeight: height } = byId("chart");
    const axis = { stroke: colour("--muted"), font: '12px "Archivo", sans-serif', ticks: { show: false }, grid: { stroke: "rgba(243,239,230,.08)", width: 1 } };
    return {
      width,
      height,
      cursor: { y: false },
      series: [{}, { stroke: colour("--accent"), width: 2, fill: "rgba(232,182,76,.10)", points: { show: false } }],
      axes: [
        axis,
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
