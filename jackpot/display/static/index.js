// Where everything is.

import { byId, dress, h, say } from "./dom.js";

const site = await dress(null, null);
const line = (path, text) => h("li", {}, h("a", { href: path }, text));
say(byId("site"), site.name || site.site);
byId("signs").replaceChildren(
  ...site.links.map(({ link, title }) => line(`/sign/${encodeURIComponent(link)}`, title)),
);
byId("tables").replaceChildren(
  ...site.tables.map((table) => line(`/table/${encodeURIComponent(table)}`, table)),
);
byId("staff").hidden = !site.staff;
