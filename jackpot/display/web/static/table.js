// A table's panel: may wagers still be placed, whose lamps are lit, do the chips agree, what is due.

import { showCall } from "./call.js";
import { cards } from "./cards.js";
import { ago, byId, fill, h, say } from "./dom.js";
import { watch } from "./stream.js";

const PHASES = {
  idle: "No round",
  open: "Open for wagers",
  locked: "Locked out",
  collected: "Locked out, counted",
  settled: "Settled",
};
const FATES = { folded: "folded", abandoned: "abandoned", forfeited: "forfeited" };
const DROP_REM = 4.4; // how far the middle of the arc hangs below its ends

const table = decodeURIComponent(location.pathname.split("/").pop());
let now_ms = Date.now();

byId("layout").href = `/layout/${encodeURIComponent(table)}`;

function show(panel) {
  document.title = `${panel.table} · ${PHASES[panel.phase] ?? panel.phase}`;
  say(byId("name"), panel.table);
  const heard = panel.attached ? "attached" : `not attached, heard ${ago(panel.heard_ms, now_ms)} ago`;
  say(byId("about"), `${panel.game} · round ${panel.round} · ${panel.links.join(", ")} · ${heard}`);
  byId("phase").dataset.phase = panel.phase;
  say(byId("phase"), PHASES[panel.phase] ?? panel.phase);
  showCall(table, panel.call, () => now_ms);
  showSeats(panel.seats);
  say(byId("drawn"), drawn(panel));
  fill(byId("counts"), ...panel.counts.map((count) => countRow(count, panel.phase)));
  fill(byId("payouts"), ...(panel.payouts.length ? panel.payouts.map(award) : [h("p", { class: "none" }, "None")]));
  byId("past").hidden = panel.rounds === null;
  fill(byId("rounds"), ...(panel.rounds ?? []).map(pastRound));
}

function showSeats(seats) {
  fill(byId("seats"), ...seats.map(seat));
  // Placed by script, not by attribute: the page's policy allows no inline styles.
  [...byId("seats").children].forEach((node, index) => {
    const x = seats.length > 1 ? (2 * index) / (seats.length - 1) - 1 : 0;
    node.style.setProperty("--drop", `${(DROP_REM * (1 - x * x)).toFixed(2)}rem`);
  });
}

function seat({ seat: number, lamps, void: voided }) {
  const lit = lamps.some((lamp) => lamp.lit);
  return h(
    "li",
    { class: `seat${lit ? " lit" : ""}${voided ? " void" : ""}` },
    h("p", { class: "number" }, h("span", { class: "spoken" }, "Seat "), String(number)),
    h(
      "ul",
      { class: "lamps" },
      ...lamps.map((lamp) =>
        h("li", { class: `lamp${lamp.lit ? " lit" : ""}` }, lamp.name, h("span", { class: "spoken" }, lamp.lit ? ": lit" : ": dark")),
      ),
    ),
    voided ? h("p", {}, "void") : null,
  );
}

function drawn({ magic_card: magic, lucky_position: lucky }) {
  const parts = [];
  if (magic) parts.push(`Magic Card ${magic}`);
  if (lucky >= 0) parts.push(`Lucky Bonus ${lucky ? `seat ${lucky}` : "dealer"}`);
  return parts.join(" · ");
}

function countRow(count, phase) {
  let chips = phase === "locked" ? h("td", { class: "due" }, "count now") : h("td", { class: "muted" }, "–");
  if (count.electronic) chips = h("td", { class: "muted" }, "electronic");
  else if (count.confirmed !== null) {
    const agree = count.confirmed === count.accepted;
    chips = h("td", { class: agree ? "agree" : "differ" }, String(count.confirmed));
  }
  return h("tr", {}, h("td", {}, count.name), h("td", {}, String(count.accepted)), chips);
}

function award(payout) {
  const kind = payout.kind === "share" ? `${payout.link}/${payout.level}` : payout.kind.replaceAll("-", " ");
  const state = payout.state === "pending" ? (payout.needs_floorperson ? "Pending: floorperson" : "Pay") : "Validated: pay";
  return h(
    "article",
    { class: "award", "data-state": payout.state },
    h("b", {}, `Seat ${payout.seat}: ${payout.hand}`),
    h("span", { class: "sum" }, `$${payout.amount}`),
    h("span", { class: "muted" }, `${kind}, from ${payout.source}, payout ${payout.payout}`),
    h("span", { class: "state" }, state),
  );
}

function pastRound(round) {
  const at = new Date(round.time_ms).toLocaleTimeString();
  const head = h("h3", {}, `Round ${round.number}`, h("span", {}, at));
  if (round.void) return h("article", { class: "round" }, head, h("p", { class: "voided" }, `Void: ${round.void}`));
  const community = round.community.length ? [dealt({ seat: "Board", cards: round.community, fate: "", awards: [] })] : [];
  return h("article", { class: "round" }, head, h("div", { class: "hands" }, ...community, ...round.hands.map(dealt)));
}

function dealt(hand) {
  const who = hand.seat === 0 ? "Dealer" : Number.isInteger(hand.seat) ? `Seat ${hand.seat}` : hand.seat;
  const fate = FATES[hand.fate];
  return h(
    "div",
    { class: `hand${fate ? " folded" : ""}` },
    h("p", {}, fate ? `${who}, ${fate}` : who),
    cards(hand.cards, 5),
    ...hand.awards.map((text) => h("p", { class: "award-line" }, text)),
  );
}

watch(
  `/events/table/${encodeURIComponent(table)}`,
  {
    panel: show,
    clock: (at_ms) => {
      now_ms = at_ms;
    },
  },
  (alive) => {
    byId("lost").hidden = alive;
  },
);
