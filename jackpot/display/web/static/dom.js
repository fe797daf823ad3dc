// Make and update elements without a template language, and without innerHTML.

/** h("p", { class: "x", "aria-label": "y" }, "text", child, …) */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export const byId = (id) => document.getElementById(id);

/** Set a text only where it differs, so that nothing is announced or painted twice. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Replace an element's children only where their content differs. */
export function fill(element, ...children) {
  const next = h("div", {}, ...children);
  if (element.innerHTML !== next.innerHTML) element.replaceChildren(...next.childNodes);
}

/** How long ago, in words that stay short. */
export function ago(from_ms, now_ms) {
  if (!from_ms) return "never";
  const seconds = Math.max(Math.round((now_ms - from_ms) / 1000), 0);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86400)} d`;
}

/** Name and logo of the house, where the theme has them. */
export async function dress(house, logo) {
  const site = await (await fetch("/api/site")).json();
  if (house) say(house, site.name);
  if (logo && site.logo) {
    logo.src = "/logo";
    logo.alt = site.name;
    logo.hidden = false;
    if (house) house.hidden = true;
  }
  return site;
}
