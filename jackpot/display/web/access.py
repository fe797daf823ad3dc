"""Who is looking, and at what they may look.

Signs show what everybody on the floor may see. Table panels, the operator page and the metrics are
for staff. With TLS a browser shows who it is by certificate or by a login that somebody with a
certificate has let it have, and the table of roles decides. Without TLS nobody is staff, unless the
machine was said to be trusted; then it is whoever uses it, reached by no other way.
"""

import ipaddress
import re
from typing import TYPE_CHECKING, Protocol

import grpc
import msgspec
from starlette.requests import Request

from jackpot.auth.callers import Actor, DeniedError, allow
from jackpot.front.client import LedgerChannel
from jackpot.server import sessions
from jackpot.server.sessions import AskSite, Known, ShowCertificate, ShowPin, ShowSecret
from jackpot.wire.identity import SESSION_KEY

if TYPE_CHECKING:
    from jackpot.auth.gate import Gate

# What proxies add; of those that begin with "x-forwarded-" there are many.
_FORWARDED = frozenset(
    {"via", "forwarded", "x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip"}
)
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(:[0-9]{1,5})?", re.IGNORECASE)
CALL_S = 5.0  # a PIN is compared on purpose slowly, and waits for others
_read = msgspec.msgpack.Decoder(Known).decode
ON_THIS_MACHINE = "Without TLS, only a browser on the controller's own machine can open this page."
NEEDS_TLS = (
    "This page needs TLS: start the controller with --cert and --ca. "
    "In a laboratory without a proxy, --staff-on-loopback shows it to browsers on that machine."
)
ELSEWHERE = "This machine serves only signs. Open this page on the controller."
NOT_KNOWN = "This page is for staff. Log in, or use a browser that has your certificate."
NOT_TAKEN = "The controller does not accept this certificate."
AWAY = "The controller can't be reached to check who you are. Try again soon."
NOT_YOURS = "Your role may not open this page."


class RefusedPageError(Exception):
    """Somebody may not see a page; the text is for them, `why` for the audit log."""

    def __init__(self, text: str, status: int, principal: str = "", why: str = "") -> None:
        super().__init__(text)
        self.status = status
        self.principal = principal
        self.why = why  # empty where nobody claimed to be anybody


class Access(Protocol):
    """How it is decided."""

    async def viewer(self, request: Request) -> Actor:
        """Who is looking; RefusedPageError where that can't be told."""


class SignsOnly:
    """Nobody is staff here."""

    async def viewer(self, _request: Request) -> Actor:
        """Nobody."""
        raise RefusedPageError(ELSEWHERE, 403)


class ThisMachine:
    """Without TLS: nobody is staff, or whoever uses this machine where that was asked for.

    A proxy's request can look like that of a browser here: only whoever set the machine up can know
    that there is none.
    """

    def __init__(self, *, trusted: bool) -> None:
        """Trusted: nothing on this machine passes requests of others on."""
        self._trusted = trusted

    async def viewer(self, request: Request) -> Actor:
        """Somebody here."""
        if not self._trusted:
            raise RefusedPageError(NEEDS_TLS, 403)
        # A proxy on this machine speaks for somebody elsewhere.
        names = request.headers.keys()
        proxied = any(name in _FORWARDED or name.startswith("x-forwarded") for name in names)
        host = request.client.host if request.client else ""
        # A page of another site can make a browser here ask for us under that site's own name.
        if proxied or not is_loopback(host) or not is_loopback(_named(request)):
            raise RefusedPageError(ON_THIS_MACHINE, 403)
        return Actor("local")


class SessionClient:
    """The sessions of one site, which the ledger keeps, over the link that all pages share."""

    def __init__(self, channel: LedgerChannel, site: str) -> None:
        self._channel = channel
        self._site = site

    async def code(self, certificate: bytes) -> Known:
        """A code by which one browser gets in as whom a certificate names."""
        return await self._ask(sessions.CODE, ShowCertificate(self._site, certificate))

    async def log_in(self, code: str) -> Known:
        """A login for a code."""
        return await self._ask(sessions.LOG_IN, ShowSecret(self._site, code))

    async def who(self, token: str) -> Actor | None:
        """Whose login a token is, while it lasts."""
        if not 0 < len(token) <= sessions.MAX_SECRET:
            return None
        return actor_of(await self._ask(sessions.WHO, ShowSecret(self._site, token)))

    async def log_out(self, token: str) -> Known:
        """End a login; whose it was."""
        return await self._ask(sessions.LOG_OUT, ShowSecret(self._site, token[:256]))

    async def pin(self, name: str, pin: str, table: str, act: str, peer: str) -> Known:
        """A session for one act at a table, for a PIN."""
        shown = ShowPin(self._site, name, pin, table, act, peer)
        return await self._ask(sessions.PIN, shown)

    async def people(self) -> tuple[str, ...]:
        """Who can act with a PIN."""
        return (await self._ask(sessions.PEOPLE, AskSite(self._site))).people

    async def certified(self, certificate: bytes) -> Known:
        """A session for one act, for whoever shows a certificate."""
        return await self._ask(sessions.ACT, ShowCertificate(self._site, certificate))

    async def act(self, method: str, raw: bytes, token: str) -> bytes:
        """Call what staff call, with somebody's session; AioRpcError where it is refused."""
        return await self._channel.ask(method, raw, CALL_S, ((SESSION_KEY, token),))

    async def _ask(self, method: str, shown: msgspec.Struct) -> Known:
        return _read(await self._channel.ask(method, msgspec.msgpack.encode(shown), CALL_S))


def actor_of(known: Known) -> Actor | None:
    """Somebody as the table of roles knows them."""
    if not known.principal:
        return None
    return Actor(known.principal, role=known.role, table=known.table, site=known.site)  # type: ignore[arg-type]  # the ledger's own word


class ByRole:
    """With TLS: a login if the browser has one, else its certificate."""

    def __init__(self, gate: "Gate", site: str, sessions: SessionClient) -> None:
        self.gate = gate
        self.site = site
        self.sessions = sessions
        # Cookies know no ports: two sites on one host would take each other's. The prefix makes
        # browsers take it over TLS only, and from this very host.
        self.cookie = f"__Host-jackpot-{site}"

    async def viewer(self, request: Request) -> Actor:
        """Whom the login or the certificate names."""
        try:
            found = await self.sessions.who(request.cookies.get(self.cookie, ""))
        except grpc.RpcError as error:
            raise RefusedPageError(AWAY, 503) from error
        return found or self.certified(request)

    def certified(self, request: Request) -> Actor:
        """Whom the certificate names."""
        if not (shown := certificate_of(request)):
            raise RefusedPageError(NOT_KNOWN, 401)
        try:
            return self.gate.holder(shown)
        except DeniedError as error:
            status = 403 if error.known else 401
            raise RefusedPageError(NOT_TAKEN, status, why=str(error)) from error


def certificate_of(request: Request) -> bytes:
    """The certificate that a browser shows; empty where it shows none."""
    chain = request.scope.get("extensions", {}).get("tls", {}).get("client_cert_chain", ())
    return chain[0].encode() if chain else b""


async def check(
    access: Access, request: Request, page: str, site: str, table: str | None = None
) -> Actor:
    """Who is looking, if they may see this page; RefusedPageError otherwise."""
    viewer = await access.viewer(request)
    try:
        allow(viewer, page, table, site)
    except DeniedError as error:
        raise RefusedPageError(NOT_YOURS, 403, viewer.principal, str(error)) from error
    return viewer


def _named(request: Request) -> str:
    """The name under which we were asked; where it can't be read none, and not our own address."""
    hosts = request.headers.getlist("host")
    found = _HOST.fullmatch(hosts[0]) if len(hosts) == 1 else None
    return found[1].lower() if found else ""


def is_loopback(host: str) -> bool:
    """Whether a host's name or address stands for this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
