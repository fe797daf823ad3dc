// A table's call for the floor: what is asked, and the answer of a floorperson who types their PIN.
//
// What is typed is kept in a variable of this module and nowhere else: in no field that a browser
// could remember, in no address, and not past the answer. It is forgotten when nobody types, when
// the page is hidden, and when the table asks for something else.

import { byId, fill, h, say } from "./dom.js";

const SHORTEST = 6;
const LONGEST = 12;
const FORGET_MS = 30_000;
const ACTS = { approve: "ApproveFloorCall", decline: "DeclineFloorCall" };
const OUTCOMES = { approved: "Approved", declined: "Declined", withdrawn: "Withdrawn by the table", expired: "Expired: nobody answered", overtaken: "Closed: it can no longer be done" };
const LOST = "The controller can’t be reached. If this call is still shown, try again.";

let table = "";
let call = null;
let now = Date.now;
let pin = "";
let busy = false;
let forgetting = 0;

const name = (principal) => principal.split(":").pop();
const clock = (at_ms) => new Date(at_ms).toLocaleTimeString([], { timeStyle: "short" });

/** Show what a table's panel says of its call; null where it has none. */
export function showCall(at, found, server_now) {
  table = at;
  now = server_now;
  if (call?.id !== found?.id) {
    forget();
    tell("");
    if (found && !found.outcome) offer();
  }
  call = found;
  byId("call").hidden = !call;
  if (!call) return;
  const open = !call.outcome;
  byId("call").classList.toggle("closed", !open);
  say(byId("when"), `Floor call ${call.id}, ${clock(call.since_ms)}${open ? `, open until ${clock(call.expires_ms)}` : ""}`);
  say(byId("asks"), `${call.asks}${open ? "?" : ""}`);
  say(byId("reason"), call.why);
  fill(byId("stake"), ...call.stake.map((line) => h("li", {}, line)));
  if (!open) {
    forget();
    byId("answer").hidden = true;
    say(byId("terminal"), "");
    tell(outcome(call.outcome, call.by, call.closed_ms), call.outcome === "approved" ? "done" : "no");
  }
}

function outcome(kind, by, at_ms) {
  const who = by ? ` by ${name(by)}` : "";
  return `${OUTCOMES[kind] ?? kind}${who} at ${clock(at_ms)}.`;
}

/** Ask who can answer here, and let them. */
async function offer() {
  byId("answer").hidden = true;
  const answer = await fetch(`/pin/${encodeURIComponent(table)}`).catch(() => null);
  const people = answer?.ok ? (await answer.json()).people : [];
  if (!call || call.outcome) return;
  fill(byId("person"), h("option", { value: "" }, "Choose your name"), ...people.map((each) => h("option", { value: each }, name(each))));
  byId("person").value = "";
  byId("answer").hidden = !people.length;
  say(byId("terminal"), people.length ? "" : `Nobody has a PIN here. Answer in a terminal: jackpot floor approve ${call.id}, or decline ${call.id}.`);
  ready();
}

function tell(text, kind = "no") {
  byId("told").dataset.kind = kind;
  say(byId("told"), text);
}

function ready() {
  const able = !busy && pin.length >= SHORTEST && byId("person").value !== "";
  for (const id of Object.keys(ACTS)) byId(id).disabled = !able;
  say(byId("dots"), pin ? "●".repeat(pin.length) : "PIN");
  byId("dots").classList.toggle("none", !pin);
  say(byId("digits"), pin.length === 1 ? "1 digit" : `${pin.length} digits`);
}

function forget() {
  pin = "";
  clearTimeout(forgetting);
  ready();
}

function press(key) {
  if (busy) return;
  if (key === "Clear") pin = "";
  else if (key === "Delete") pin = pin.slice(0, -1);
  else if (pin.length < LONGEST) pin += key;
  clearTimeout(forgetting);
  forgetting = setTimeout(forget, FORGET_MS);
  tell("");
  ready();
}

/** Say yes or no to the call that is shown, for whoever's PIN was typed. */
async function answer(act) {
  const asked = { name: byId("person").value, pin, table, act: ACTS[act] };
  const number = call.id;
  busy = true;
  forget();
  try {
    const known = await post("/pin", asked);
    asked.pin = "";
    if (!known.ok) {
      tell((await refusal(known)) ?? LOST);
    } else {
      const { token } = await known.json();
      const done = await post(`/act/${ACTS[act]}`, { call: number, request_id: requestId() }, { "x-jackpot-session": token });
      if (!done.ok) tell((await refusal(done)) ?? LOST);
      else if (call?.id === number) tell(`${act === "approve" ? "Approved" : "Declined"} by ${name(asked.name)}.`, "done");
    }
  } catch {
    tell(LOST);
  }
  busy = false;
  ready();
}

const post = (path, body, headers = {}) => fetch(path, { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) });

/** Why not, in words: a line of text, or what the controller refused. */
async function refusal(answer) {
  const text = (await answer.text()).trim();
  if (!answer.headers.get("content-type")?.includes("json")) return text;
  const { reason, text: said, details } = JSON.parse(text);
  return reason === "CALL_CLOSED" && details.outcome ? outcome(details.outcome, details.by, Date.parse(details.closed_time)) : said;
}

/** A UUID of version 7 by the controller's clock: ids must grow with time, whatever this clock says. */
function requestId() {
  const time = Math.trunc(now()).toString(16).padStart(12, "0");
  const random = crypto.randomUUID().slice(15); // of version 4, from its variable digits on
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random}`;
}

for (const key of ["1", "2", "3", "4", "5", "6", "7", "8", "9", "Clear", "0", "Delete"]) {
  const button = h("button", { type: "button", "data-key": key }, key);
  button.addEventListener("click", () => press(key));
  byId("pad").append(button);
}
byId("answer").addEventListener("keydown", (event) => {
  if (event.target === byId("person") || event.ctrlKey || event.altKey || event.metaKey) return;
  const key = { Backspace: "Delete", Escape: "Clear", Delete: "Delete" }[event.key] ?? event.key;
  if (!byId("pad").querySelector(`[data-key="${CSS.escape(key)}"]`)) return;
  event.preventDefault();
  press(key);
});
byId("person").addEventListener("change", () => {
  forget(); // digits of one person are not tried as another's
  tell("");
  byId("typed").focus();
});
for (const id of Object.keys(ACTS)) byId(id).addEventListener("click", () => answer(id));
document.addEventListener("visibilitychange", () => document.hidden && forget());
addEventListener("pagehide", forget);
