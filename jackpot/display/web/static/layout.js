// A table's layout: every wager that it offers, what each hand pays and how often it comes, limits.

import { byId, dress, fill, h, say } from "./dom.js";

const LOOK_MS = 15_000; // limits change only while a link is suspended
const table = decodeURIComponent(location.pathname.split("/").pop());

function show(layout) {
  document.title = `${layout.table} · wagers and odds`;
  say(byId("title"), layout.title);
  say(byId("table"), `${layout.table} · all wagers with what they pay`);
  fill(byId("wagers"), ...layout.wagers.map(wager));
  fill(byId("inscriptions"), ...layout.inscriptions.map(inscription));
}

function wager(offered) {
  const counted = offered.lines.some((line) => line.odds);
  return h(
    "article",
    { class: "wager" },
    h("h2", {}, offered.title),
    h("p", { class: "posted" }, offered.wager),
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h("tr", {}, h("th", { scope: "col" }, "Hand"), h("th", { scope: "col" }, "Pays"), counted ? h("th", { scope: "col" }, "Odds") : null),
      ),
      h("tbody", {}, ...offered.lines.map((line) => row(line, counted))),
    ),
    h("p", { class: "note" }, `${offered.odds} · `, h("span", { class: "clause" }, offered.clause)),
  );
}

function row(line, counted) {
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, line.hand),
    h("td", {}, line.pays),
    counted ? h("td", { class: "odds" }, line.odds) : null,
  );
}

function inscription({ says, clause }) {
  return h("li", {}, says, " ", h("span", { class: "clause" }, clause));
}

async function look() {
  const answer = await fetch(`/api/layout/${encodeURIComponent(table)}`).catch(() => null);
  byId("lost").hidden = Boolean(answer?.ok);
  if (answer?.ok) show(await answer.json());
}

look();
setInterval(() => document.hidden || look(), LOOK_MS);
document.addEventListener("visibilitychange", () => document.hidden || look());
dress(byId("house"), byId("logo")).catch(() => {});
