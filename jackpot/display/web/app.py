"""The pages over HTTP: what is served where, to whom, and with which headers."""

from collections.abc import Awaitable, Callable
from functools import partial
from hashlib import sha256
from typing import get_args

import msgspec
from grpc.aio import AioRpcError
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from jackpot.auth.callers import Actor, DeniedError, allow
from jackpot.auth.roles import METRICS_PAGE, OPS_PAGE, TABLE_PAGE
from jackpot.display.feeds.site_feed import SiteFeed
from jackpot.display.push import (
    EventStream,
    Places,
    Shown,
    Topic,
    Watcher,
    encode_json,
    event_bytes,
)
from jackpot.display.views.projection import sign_frame
from jackpot.display.views.values import Range
from jackpot.display.web.access import Access, ByRole, RefusedPageError, ThisMachine, check
from jackpot.display.web.acts import ActPages
from jackpot.display.web.login import LoginPages
from jackpot.display.web.responses import (
    STATIC,
    Page,
    away,
    json_answer,
    missing,
    peer_of,
    refuse,
    refused_by_ledger,
    static_page,
    unheard,
)
from jackpot.display.web.theme import Theme

MAX_WATCHERS, MAX_WATCHERS_EACH = 1_000, 256  # of signs: of all, and of one address
SIGN_S = 0.2  # how often a sign may get another value; it counts up in between
PANEL_S = 0.3
OPS_S = 1.0
CSP = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
HSTS_S = 365 * 24 * 3_600  # how long a browser that came over TLS comes in no other way
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Settings(msgspec.Struct, frozen=True):
    """What an operator chooses of the pages."""

    theme: Theme = Theme()
    max_watchers: int = MAX_WATCHERS
    max_watchers_each: int = MAX_WATCHERS_EACH
    staff_on_loopback: bool = False  # without TLS, browsers on this machine are staff


class Pages:
    """The pages of one site."""

    def __init__(
        self,
        feed: SiteFeed,
        settings: Settings,
        metrics: Callable[[], Awaitable[bytes]] | None,
        access: Access | None = None,
    ) -> None:
        """Without more said of access, what is for staff is for this machine, if it is trusted."""
        self._feed = feed
        self._access = access or ThisMachine(trusted=settings.staff_on_loopback)
        self._settings = settings
        self._metrics = metrics
        self._places = Places(settings.max_watchers, settings.max_watchers_each)
        self._topics: dict[str, Topic] = {}
        self._encoded: dict[str, tuple[object, Shown]] = {}

    def app(self) -> ASGIApp:
        """The application."""
        routes = [
            Route("/", static_page("index.html")),
            Route("/sign/{link}", self._sign_page),
            Route("/layout/{table}", self._layout_page),
            Route("/table/{table}", self._staff(TABLE_PAGE, self._table_page)),
            Route("/ops", self._staff(OPS_PAGE, static_page("ops.html"))),
            Route("/events/sign/{link}", self._watch_sign),
            Route("/events/table/{table}", self._staff(TABLE_PAGE, self._watch_table)),
            Route("/events/ops", self._staff(OPS_PAGE, self._watch_ops)),
            Route("/api/site", self._site),
            Route("/api/layout/{table}", self._layout),
            Route("/api/history/{link}/{level}", self._staff(OPS_PAGE, self._history)),
            Route("/theme.css", self._theme_css),
            Route("/logo", self._logo),
            Route("/health", self._health),
            Mount("/static", StaticFiles(directory=STATIC)),
        ]
        if self._metrics:
            routes.append(Route("/metrics", self._staff(METRICS_PAGE, self._metrics_page)))
        if isinstance(self._access, ByRole):
            routes += LoginPages(self._access).routes()
            routes += ActPages(self._access, self._feed.tables).routes()
        return Starlette(
            routes=routes,
            middleware=[Middleware(_Headers)],
            exception_handlers={
                RefusedPageError: refuse,
                AioRpcError: refused_by_ledger,
                ClientDisconnect: unheard,
            },
        )

    def close(self) -> None:
        """Let every watcher go."""
        for topic in self._topics.values():
            topic.close()

    # -- who may --------------------------------------------------------------------------------

    def _staff(
        self, name: str, page: Callable[[Request], Awaitable[Response | EventStream]]
    ) -> Page:
        async def guarded(request: Request) -> Response:
            request.state.viewer = await self._check(request, name)
            return await page(request)  # type: ignore[return-value]  # a stream is an ASGI response too

        return guarded

    async def _check(self, request: Request, name: str, table: str | None = None) -> Actor:
        about = table or request.path_params.get("table")
        return await check(self._access, request, name, self._feed.site, about)

    async def _sees(self, request: Request, name: str, table: str | None = None) -> bool:
        try:
            await self._check(request, name, table)
        except RefusedPageError:
            return False
        return True

    def _may(self, viewer: Actor, name: str, table: str | None = None) -> bool:
        try:
            allow(viewer, name, table, self._feed.site)
        except DeniedError:
            return False
        return True

    # -- pages --------------------------------------------------------------------------------

    async def _sign_page(self, request: Request) -> Response:
        if self._unknown(request.path_params["link"]):
            return missing("link")
        return await static_page("sign.html")(request)

    async def _layout_page(self, request: Request) -> Response:
        if await self._feed.layout(request.path_params["table"]) is None:
            return missing("layout") if self._feed.serving else away()
        return await static_page("layout.html")(request)

    async def _layout(self, request: Request) -> Response:
        found = await self._feed.layout(request.path_params["table"])
        if found is None:
            return missing("layout") if self._feed.serving else away()
        return json_answer(found)

    def _unknown(self, link: str) -> bool:
        """Whether there is no such link; while no meters are known, a sign may wait for them."""
        return bool(self._feed.frames()) and self._feed.frame(link) is None

    async def _table_page(self, request: Request) -> Response:
        if request.path_params["table"] not in await self._feed.tables():
            return missing("table")
        return await static_page("table.html")(request)

    async def _site(self, request: Request) -> Response:
        try:
            viewer = await self._access.viewer(request)
        except RefusedPageError:
            viewer = None
        tables = await self._feed.tables() if viewer else ()
        seen = [each for each in tables if viewer and self._may(viewer, TABLE_PAGE, each)]
        return json_answer(
            {
                "site": self._feed.site,
                "name": self._settings.theme.name,
                "logo": bool(self._settings.theme.logo),
                "links": [
                    {"link": frame.link, "title": frame.title} for frame in self._feed.frames()
                ],
                "tables": seen,
                "ops": bool(viewer and self._may(viewer, OPS_PAGE)),
                "metrics": bool(self._metrics and viewer and self._may(viewer, METRICS_PAGE)),
                "viewer": viewer.principal if viewer else "",
                "login": isinstance(self._access, ByRole),
            }
        )

    async def _history(self, request: Request) -> Response:
        range_: Range = request.query_params.get("range", "day")  # type: ignore[assignment]  # checked next
        if range_ not in get_args(Range):
            return PlainTextResponse("range is day, week or hit\n", 400)
        found = self._feed.history(
            request.path_params["link"], request.path_params["level"], range_
        )
        return json_answer(found) if found else missing("meter")

    async def _theme_css(self, _request: Request) -> Response:
        return Response(self._settings.theme.css(), media_type="text/css")

    async def _logo(self, _request: Request) -> Response:
        theme = self._settings.theme
        return Response(theme.logo, media_type=theme.logo_type) if theme.logo else missing("logo")

    async def _health(self, _request: Request) -> Response:
        serving = self._feed.serving
        return PlainTextResponse(
            "serving\n" if serving else "not serving\n", 200 if serving else 503
        )

    async def _metrics_page(self, _request: Request) -> Response:
        assert self._metrics is not None
        return Response(await self._metrics(), media_type=METRICS_TYPE)

    # -- streams ------------------------------------------------------------------------------

    async def _watch_sign(self, request: Request) -> Response | EventStream:
        link = request.path_params["link"]
        if self._feed.frame(link) is None:
            return missing("link") if self._unknown(link) else away()
        hello = partial(self._card, link)
        return self._stream(
            request, "frame", f"sign/{link}", SIGN_S, partial(self._frame, link), hello
        )

    async def _watch_table(self, request: Request) -> Response | EventStream:
        table = request.path_params["table"]
        if table not in await self._feed.tables():
            return missing("table")

        async def look() -> Shown | None:
            found = await self._feed.panel(table)
            return _by_content(found) if found else None

        return self._stream(request, "panel", f"table/{table}", PANEL_S, look, still=TABLE_PAGE)

    async def _watch_ops(self, request: Request) -> Response | EventStream:
        async def look() -> Shown | None:
            found = await self._feed.overview()
            return Shown(str(found.now_ms), found) if found else None

        return self._stream(request, "overview", "ops", OPS_S, look, still=OPS_PAGE)

    def _stream(
        self,
        request: Request,
        kind: str,
        name: str,
        every_s: float,
        look: Callable[[], Awaitable[Shown | None]],
        hello: Callable[[], Awaitable[bytes]] | None = None,
        still: str = "",
    ) -> Response | EventStream:
        """A stream of a topic; it goes on only as long as its watcher may `still` see that page."""
        viewer: Actor | None = getattr(request.state, "viewer", None)
        who = Watcher(viewer.principal if viewer else peer_of(request), bool(viewer))
        if not self._places.has_room(who):
            return PlainTextResponse("too many watchers\n", 503, {"retry-after": "5"})
        if name not in self._topics:
            self._topics[name] = Topic(kind, look, every_s, lambda: self._feed.serving, hello)
        after = request.headers.get("last-event-id") or request.query_params.get("after", "")
        may = partial(self._sees, request, still) if still else None
        return EventStream(self._topics[name].watch(after), self._places, who, may)

    async def _frame(self, link: str) -> Shown | None:
        frame = self._feed.frame(link)
        if frame is None:
            return None
        known, shown = self._encoded.get(link, (None, None))
        if known is not frame or shown is None:
            view = sign_frame(frame)
            shown = _by_content(view, (view.hits, view.status, view.hit_count))
            self._encoded[link] = (frame, shown)
        return shown

    async def _card(self, link: str) -> bytes:
        card = await self._feed.card(link)
        return event_bytes("card", card) if card else b""


def _by_content(view: msgspec.Struct, urgent: object = None) -> Shown:
    """A view whose id is a digest of itself: it is sent again only when something changed.

    A sequence would not do: another journal, or a restored one, has it too with other values.
    """
    return Shown(sha256(encode_json(view)).hexdigest()[:16], view, urgent)


class _Headers:
    """Adds to every answer what keeps a page to itself."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["content-security-policy"] = CSP.decode()
                headers["x-content-type-options"] = "nosniff"
                headers["referrer-policy"] = "no-referrer"
                headers["cross-origin-resource-policy"] = "same-origin"
                if scope["scheme"] == "https":
                    headers["strict-transport-security"] = f"max-age={HSTS_S}"
            await send(message)

        await self._app(scope, receive, send_with if scope["type"] == "http" else send)
