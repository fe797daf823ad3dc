// Where everything is, as far as whoever looks may see it.

import { byId, dress, h, say } from "./dom.js";
import { who } from "./who.js";

const site = await dress(null, null);
const line = (path, text) => h("li", {}, h("a", { href: path }, text));
say(byId("site"), site.name || site.site);
byId("signs").replaceChildren(
  ...site.links.map(({ link, title }) => line(`/sign/${encodeURIComponent(link)}`, title)),
);
byId("tables").replaceChildren(
  ...site.tables.map((table) => line(`/table/${encodeURIComponent(table)}`, table)),
);
byId("floor").hidden = !site.tables.length;
const pages = [
  site.ops && line("/ops", "Operator page"),
  site.metrics && line("/metrics", "Metrics"),
  site.login && !site.viewer && line("/login", "Log in"),
].filter(Boolean);
byId("pages").replaceChildren(...pages);
byId("staff").hidden = !pages.length;
who(byId("who"), site);
