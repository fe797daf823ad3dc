// The operator's page: everything of a site, read only.

import { ago, byId, dress, fill, h, say } from "./dom.js";
import { chart } from "./history.js";
import { watch } from "./stream.js";
import { who } from "./who.js";

const PHASES = { idle: "no round", open: "open", locked: "locked out", collected: "counted", settled: "settled" };

const cell = (text, kind = "") => h("td", kind ? { class: kind } : {}, text);
const state = (kind, text) => h("td", {}, h("span", { class: `state ${kind}` }, text));
const words = (id) => id.replaceAll("-", " ");
const none = (text) => h("p", { class: "none" }, text);

/** When: today without the date. */
function time(at_ms) {
  const at = new Date(at_ms);
  const today = at.toDateString() === new Date().toDateString();
  return at.toLocaleString([], today ? { timeStyle: "medium" } : { dateStyle: "short", timeStyle: "short" });
}

function show(site) {
  document.title = `${site.site} · operator`;
  say(byId("site"), site.site);
  say(byId("serving"), site.serving ? "Serving" : "Not serving");
  byId("serving").classList.toggle("no", !site.serving);
  say(byId("where"), `journal entry ${site.sequence.toLocaleString("en")} · ${time(site.now_ms)}`);
  fill(byId("alarms"), ...site.alarms.map(alarm));
  fill(byId("links"), ...site.links.flatMap(linkRows));
  fill(byId("tables"), ...site.tables.map((table) => tableRow(table, site.now_ms)));
  fill(byId("calls"), ...(site.calls.length ? [h("h2", {}, "Calls for the floor"), ...site.calls.map(call)] : []));
  fill(byId("payouts"), payouts(site));
  fill(byId("proposals"), ...(site.proposals.length ? site.proposals.map(proposal) : [none("Nothing")]));
  fill(byId("hits"), hits(site.hits));
  say(byId("contributed-since"), site.record_since_ms ? `contributed since ${time(site.record_since_ms)}` : "");
  chart.offer(site.links, site.now_ms);
}

function alarm({ kind, severity, text, time_ms }) {
  return h("p", { class: `alarm ${severity}` }, `${kind}: ${text}`, h("time", {}, time(time_ms)));
}

function linkRows(link) {
  // Some links pay fixed amounts only and have no meter.
  const levels = link.levels.length ? link.levels : [null];
  const whole = (td) => {
    td.rowSpan = levels.length;
    return td;
  };
  const title = h("a", { href: `/sign/${encodeURIComponent(link.link)}` }, link.title);
  const paid = link.wager === "0.00" ? "from pots" : `$${link.wager} wager`;
  const kind = link.status === "in-service" ? "validated" : "pending";
  const about = [
    h("span", { class: "sub" }, `${link.link} · ${paid}`),
    h("span", { class: `sub narrow state ${kind}` }, words(link.status)),
  ];
  return levels.map((level, index) =>
    h(
      "tr",
      {},
      index ? null : whole(h("td", {}, title, ...about)),
      cell(level?.level ?? "no meter", level ? "" : "muted"),
      cell(level ? `$${level.meter}` : "", "meter num"),
      cell(level ? `$${level.reserve}` : "", "num wide"),
      cell(level ? `$${level.overflow}` : "", "num wide"),
      index ? null : whole(cell(String(link.hit_count), "num wide")),
      index ? null : whole(h("td", { class: "wide" }, h("span", { class: `state ${kind}` }, words(link.status)))),
    ),
  );
}

function tableRow(table, now_ms) {
  const share = h("meter", { min: 0, max: 10000, value: table.contributed_bp, class: "wide", "aria-label": `${table.contributed_bp / 100}% of all` });
  return h(
    "tr",
    {},
    h("td", {}, h("a", { href: `/table/${encodeURIComponent(table.table)}` }, table.table), h("span", { class: "sub" }, table.links.join(", "))),
    table.attached ? state(table.phase, PHASES[table.phase] ?? table.phase) : state("off", "not attached"),
    cell(table.round.toLocaleString("en"), "num wide"),
    cell(String(table.accepted), "num wide"),
    cell(table.heard_ms ? `${ago(table.heard_ms, now_ms)} ago` : "never", "num"),
    h("td", { class: "num" }, table.contributed ? `$${table.contributed}` : "–", share),
  );
}

function payouts(site) {
  if (!site.payouts.length) return none("Nothing is due");
  return listed(
    ["Payout", "Table", "Hand", "Amount", "State", "Age"],
    site.payouts.map((p) => [
      cell(String(p.payout)),
      h("td", {}, p.table, h("span", { class: "sub" }, `seat ${p.seat}`)),
      h("td", {}, p.hand, h("span", { class: "sub" }, p.kind === "share" ? `${p.link}/${p.level}` : `${words(p.kind)}, ${p.link}`)),
      cell(`$${p.amount}`, "num"),
      state(p.state, p.state),
      cell(ago(p.since_ms, site.now_ms), "num"),
    ]),
  );
}

function hits(all) {
  if (!all.length) return none("None yet");
  return listed(
    ["When", "Hand", "Amount"],
    all.map((hit) => [
      h("td", {}, time(hit.time_ms), h("span", { class: "sub" }, `${hit.table}, seat ${hit.seat}`)),
      h("td", {}, hit.hand, h("span", { class: "sub" }, `${hit.link}/${hit.level}`)),
      h("td", { class: "num" }, `$${hit.amount}`, h("span", { class: `sub state ${hit.status}` }, hit.status)),
    ]),
  );
}

function listed(heads, rows) {
  const numbers = rows[0].map((td) => td.classList.contains("num"));
  return h(
    "table",
    {},
    h("thead", {}, h("tr", {}, ...heads.map((text, i) => h("th", { scope: "col", class: numbers[i] ? "num" : false }, text)))),
    h("tbody", {}, ...rows.map((cells) => h("tr", {}, ...cells))),
  );
}

function call(item) {
  const seat = item.seat ? `, seat ${item.seat}` : "";
  return h(
    "p",
    { class: "proposal call" },
    h("b", {}, `${item.table}, round ${item.round}${seat}: ${item.act}`),
    h("span", { class: "sub muted" }, `${item.why} · call ${item.id}, ${time(item.since_ms)}, until ${time(item.expires_ms)} · jackpot floor approve ${item.id}`),
  );
}

function proposal(item) {
  return h(
    "p",
    { class: "proposal" },
    h("b", {}, `${item.link}/${item.level}: ${item.before} → ${item.after}`),
    h("span", { class: "sub muted" }, `proposal ${item.id} by ${item.by}, ${time(item.since_ms)}, until ${time(item.expires_ms)}`),
  );
}

for (const head of document.querySelectorAll(".meters thead th:nth-child(n+3):nth-child(-n+6), .tables thead th:nth-child(n+3)")) {
  head.classList.add("num");
}
watch("/events/ops", { overview: show }, (alive) => {
  byId("lost").hidden = alive;
});
who(byId("who"), await dress(null, null));
