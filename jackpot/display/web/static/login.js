// Give the code for a login. It comes behind the address's #, which no server is sent.

import { byId, say } from "./dom.js";

async function logIn(code) {
  const button = document.querySelector("button");
  button.disabled = true;
  try {
    const answer = await fetch("/login", { method: "POST", body: JSON.stringify({ code }) });
    if (answer.ok) {
      location.replace((await answer.json()).home);
      return;
    }
    complain((await answer.text()).trim());
  } catch {
    complain("The controller can’t be reached.");
  }
  button.disabled = false;
  byId("code").focus();
}

function complain(text) {
  byId("why").classList.add("wrong");
  say(byId("why"), text);
}

byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  logIn(byId("code").value);
});
document.querySelector("button").disabled = false; // before, the browser would have sent the form

function fromAddress() {
  const code = location.hash.slice(1);
  if (!code) return;
  history.replaceState(null, "", location.pathname); // it is used up, and need not be remembered
  byId("code").value = code;
  logIn(code);
}

addEventListener("hashchange", fromAddress);
fromAddress();
