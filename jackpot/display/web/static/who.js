// Who is logged in, and the way out.

import { h } from "./dom.js";

/** Say who looks, with a button that logs out; nothing where there are no logins. */
export function who(element, site) {
  element.hidden = !(site.login && site.viewer);
  if (element.hidden) return;
  const [role, name] = site.viewer.split(":");
  const out = h("button", { type: "button", class: "out" }, "Log out");
  out.addEventListener("click", async () => {
    await fetch("/logout", { method: "POST" });
    location.replace("/");
  });
  element.replaceChildren(`${name}, ${role.replace("-", " ")}`, out);
}
