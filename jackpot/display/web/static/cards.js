// Playing cards, drawn.

import { h } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";
const SHAPES = {
  s: "M12 2C5 8 2 11 2 14.5a4.7 4.7 0 0 0 8.6 2.6L9 22h6l-1.6-4.9A4.7 4.7 0 0 0 22 14.5C22 11 19 8 12 2z",
  h: "M12 21.5C5 15.5 2 12 2 8.2A5.2 5.2 0 0 1 12 6a5.2 5.2 0 0 1 10 2.2c0 3.8-3 7.3-10 13.3z",
  d: "M12 1.5 20 12l-8 10.5L4 12z",
  c: "M12 2a4.6 4.6 0 0 0-4.2 6.4A4.6 4.6 0 1 0 10.9 16L9 22h6l-1.9-6a4.6 4.6 0 1 0 3.1-7.6A4.6 4.6 0 0 0 12 2z",
};
const SUITS = { s: "spades", h: "hearts", d: "diamonds", c: "clubs" };
const RANKS = { A: "ace", K: "king", Q: "queen", J: "jack", T: "10" };

function suit(letter) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", SHAPES[letter]);
  svg.append(path);
  return svg;
}

/** A card such as "As", "Td" or "Jk". */
export function card(code) {
  if (code === "Jk") return h("span", { class: "pc joker", role: "img", "aria-label": "joker" }, "Jo");
  const [rank, letter] = code;
  const label = `${RANKS[rank] ?? rank} of ${SUITS[letter]}`;
  return h(
    "span",
    { class: `pc ${"hd".includes(letter) ? "red" : "black"}`, role: "img", "aria-label": label },
    h("b", { "aria-hidden": "true" }, rank === "T" ? "10" : rank),
    suit(letter),
  );
}

/** A hand, or backs where nobody looked. */
export function cards(codes, unseen = 0) {
  const shown = codes.length ? codes.map(card) : Array.from({ length: unseen }, () => h("span", { class: "pc back" }));
  return h("span", { class: "pcs" }, ...shown);
}
