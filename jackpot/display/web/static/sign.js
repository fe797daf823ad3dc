// A link's sign: its meters, its paytable, and whoever wins.

import { Counter } from "./counter.js";
import { byId, dress, h, say } from "./dom.js";
import { watch } from "./stream.js";

const PAID_SHOWN_MS = 20_000; // how long a hit stays up after it was paid
const OLD_MS = 60_000; // a finished hit that is older is not news to a sign just switched on
const MOST_HITS = 3;
const MOST_LAYOUTS = 4;
const STATES = { pending: "Pending", validated: "Validated", paid: "Paid", rejected: "Not paid" };

const link = decodeURIComponent(location.pathname.split("/").pop());
const meters = new Map(); // level -> { counter, spoken, frozen, amount }
const finished = new Map(); // payout -> when this sign saw that it was paid or rejected
let frame = null;
let serving = null;
let clockOffset = 0; // the controller's clock less this one's

function showCard(card) {
  showTitle(card.title);
  byId("wager").hidden = card.wager === "0.00"; // a Bad Beat's pots are no wagers
  byId("wager").replaceChildren("Wager ", h("b", {}, `$${card.wager.replace(/\.00$/, "")}`));
  byId("sign").classList.toggle("one", card.levels.length === 1);
  byId("sign").classList.toggle("none", card.levels.length === 0); // fixed amounts only
  meters.clear();
  byId("levels").replaceChildren(...card.levels.map(levelRow));
  byId("card").replaceChildren(
    payTable(card.rows, card.on, ""),
    ...(card.rows.some((row) => row.pays.endsWith(" for 1"))
      ? [h("p", { class: "note" }, "“For 1” includes the wager.")]
      : []),
    ...(card.envy.length ? [payTable(card.envy, "Envy bonus to every other bettor", "envy")] : []),
    ...card.terms.map((says) => h("p", { class: "note term" }, says)),
    ...(card.tables.length ? [layoutNote(card.tables)] : []),
  );
  const rows = card.rows.length + card.envy.length + card.terms.length + (card.tables.length ? 1 : 0);
  byId("card").style.setProperty("--rows", rows);
  if (frame) showFrame(frame);
}

function showTitle(title) {
  document.title = title;
  say(byId("title"), title);
}

/** Where all wagers and their odds can be read. */
function layoutNote(tables) {
  const links = tables.map((table) => h("a", { href: `/layout/${encodeURIComponent(table)}` }, tableName(table)));
  const shown = links.slice(0, MOST_LAYOUTS).flatMap((link) => [" ", link]);
  const rest = links.length > MOST_LAYOUTS ? [" ", h("a", { href: "/" }, "…")] : [];
  return h("p", { class: "note layouts" }, "All wagers and odds:", ...shown, ...rest);
}

function levelRow(level) {
  const amount = h("span", { "aria-hidden": "true" });
  const spoken = h("span", { class: "spoken" });
  const frozen = h("p", { class: "frozen", role: "status", hidden: true }, "The most this sign can show. The jackpot is higher.");
  const counter = new Counter((text) => {
    amount.replaceChildren(h("span", { class: "dollar" }, "$"), text);
    amount.style.setProperty("--length", text.length + 1);
  });
  meters.set(level.level, { counter, spoken, frozen, amount: "" });
  const hands = level.hands.map((row) =>
    h("span", {}, level.hands.length > 1 ? `${row.hand} ${row.pays.split(" ")[0]}` : row.hand),
  );
  return h(
    "article",
    { class: "level", "data-level": level.level },
    h("header", {}, h("h2", {}, level.name), h("p", { class: "hands" }, ...hands), frozen),
    h("div", { class: "amount" }, amount, spoken),
  );
}

function payTable(rows, caption, kind) {
  return h(
    "table",
    { class: kind },
    h("caption", {}, caption),
    h(
      "tbody",
      {},
      ...rows.map((row) =>
        h(
          "tr",
          { class: row.level ? "share" : false },
          h("th", { scope: "row" }, row.hand),
          h("td", {}, row.pays),
        ),
      ),
    ),
  );
}

function showFrame(next) {
  const changed = frame && frame.terms_sequence !== next.terms_sequence; // so is the card, perhaps
  frame = next;
  if (changed) stream.again();
  showTitle(frame.title);
  for (const { level, amount, frozen } of frame.levels) {
    const meter = meters.get(level);
    if (meter) meter.frozen.hidden = !frozen;
    if (meter && meter.amount !== amount) {
      meter.amount = amount;
      meter.counter.set(amount);
      say(meter.spoken, `$${amount}`);
    }
  }
  byId("adjusting").hidden = !frame.pending_adjustment;
  showHits();
  showService();
}

function due(hit) {
  return hit.status === "pending" || hit.status === "validated";
}

function news(hit, now) {
  if (due(hit)) {
    finished.delete(hit.payout);
    return true;
  }
  if (!finished.has(hit.payout)) {
    // A hit that this sign never showed as due was over before it looked.
    const seen = document.querySelector(`.hit[data-payout="${hit.payout}"]`);
    const late = !seen && now - hit.time_ms > OLD_MS;
    finished.set(hit.payout, late ? 0 : now);
  }
  return now - finished.get(hit.payout) < PAID_SHOWN_MS;
}

function showHits() {
  if (!frame) return;
  const now = Date.now() + clockOffset;
  // They come with what is not yet paid first, the largest first: no newer hit crowds that out.
  const current = frame.hits.filter((hit) => news(hit, now));
  const shown = current.slice(0, MOST_HITS);
  const waiting = current.slice(MOST_HITS).filter(due).length;
  byId("more").hidden = !waiting;
  say(byId("more"), waiting ? `and ${waiting} more not yet paid` : "");
  const known = new Set(frame.hits.map((hit) => hit.payout));
  for (const payout of finished.keys()) if (!known.has(payout)) finished.delete(payout);
  const old = new Map([...byId("won").children].map((node) => [node.dataset.payout, node]));
  const nodes = shown.map((hit) => hitBanner(hit, old.get(String(hit.payout))));
  const same = nodes.length === byId("won").children.length && nodes.every((n, i) => n === byId("won").children[i]);
  if (!same) byId("won").replaceChildren(...nodes);
}

function hitBanner(hit, old) {
  const node = old ?? emptyBanner(hit.payout);
  const part = (name) => node.querySelector(`.${name}`);
  node.dataset.status = hit.status;
  say(part("hand"), hit.hand);
  say(part("where"), `${hit.level_name} · ${tableName(hit.table)}, seat ${hit.seat}`);
  say(part("sum"), `$${hit.amount}`);
  say(part("status"), STATES[hit.status] ?? hit.status);
  const now = frame.levels.find((level) => level.level === hit.level);
  say(part("next"), now ? `${hit.level_name} now $${now.amount}` : "");
  return node;
}

function emptyBanner(payout) {
  return h(
    "article",
    { class: "hit", "data-payout": payout },
    h("div", {}, h("p", { class: "hand" }), h("p", { class: "where" })),
    h("p", { class: "sum" }),
    h("p", { class: "state" }, h("b", { class: "status" }), h("span", { class: "next" })),
  );
}

/** "table-4" is "Table 4"; other names are as the house gave them. */
function tableName(table) {
  const words = table.replaceAll("-", " ");
  return words[0].toUpperCase() + words.slice(1);
}

function showService() {
  const up = serving && frame && frame.status === "in-service";
  byId("out").hidden = Boolean(up);
  byId("sign").inert = !up;
  if (!up && (serving === false || frame)) {
    say(byId("out-text"), "Progressive out of service");
    say(byId("out-more"), serving && frame ? "" : "Waiting for the controller");
  }
}

const stream = watch(
  `/events/sign/${encodeURIComponent(link)}`,
  {
    card: showCard,
    frame: showFrame,
    clock: (now_ms) => {
      clockOffset = now_ms - Date.now();
    },
  },
  (alive) => {
    serving = alive;
    showService();
  },
);
setInterval(showHits, 1000);
dress(byId("house"), byId("logo")).catch(() => {});
