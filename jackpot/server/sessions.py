"""Sessions of people at the pages: the ledger keeps them, and acts carry a token, never a name.

The pages ask over their own link, which nobody else has: a login for a code, a session for a single
act for a PIN. With the token they then call what staff call, and the ledger finds out by itself who
that is and whether they may. So whatever a page shows or sends, an event names somebody who proved
who they are.
"""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from jackpot.audit_log import record_denial, record_login
from jackpot.auth.callers import Actor, DeniedError, Fault, allow, unknown
from jackpot.auth.logins import Logins
from jackpot.auth.pins import Pins
from jackpot.auth.roles import PAGES, PIN_ACTS
from jackpot.core.reasons import Reason
from jackpot.server.admission import Admission
from jackpot.server.calls import Call, Method
from jackpot.server.codec.fields import identifier
from jackpot.server.errors import CallRefusedError, refused
from jackpot.wire.identity import SESSION_KEY

if TYPE_CHECKING:
    from jackpot.auth.gate import Gate

_PREFIX = "/jackpot.internal.Sessions/"  # on the link to the pages, and nowhere else
CODE, LOG_IN, WHO, LOG_OUT, PIN, PEOPLE, ACT = (
    f"{_PREFIX}{name}" for name in ("Code", "LogIn", "Who", "LogOut", "Pin", "People", "Act")
)
MAX_SECRET = 256  # characters of what somebody types
Asked = TypeVar("Asked", bound=msgspec.Struct)


class ShowCertificate(msgspec.Struct):
    """Somebody whom TLS has let in with this certificate; PEM."""

    site: str
    certificate: bytes


class ShowSecret(msgspec.Struct):
    """Somebody who has a code, or a token."""

    site: str
    secret: str


class AskSite(msgspec.Struct):
    """A question about a site."""

    site: str


class ShowPin(msgspec.Struct):
    """Somebody who typed a name and a PIN at a table's page, to do one thing there."""

    site: str
    name: str
    pin: str
    table: str
    act: str  # such as OperatorService/ValidatePayout
    peer: str


class Known(msgspec.Struct):
    """Who somebody is, as far as pages need to know; without a principal, nobody."""

    principal: str = ""
    role: str = ""
    table: str = ""
    site: str = ""
    secret: str = ""  # a new code, or a new token
    wait_s: float = 0.0  # before another PIN may be tried
    left: int = 0  # wrong PINs before that
    busy: bool = False  # this one was not looked at
    people: tuple[str, ...] = ()  # who has a PIN


def known(actor: Actor | None, secret: str = "") -> Known:
    """What the pages are told of somebody."""
    if actor is None:
        return Known()
    return Known(actor.principal, actor.role or "", actor.table, actor.site, secret)


class Sessions:
    """The sessions of a controller behind TLS."""

    def __init__(self, gate: "Gate", pins: Pins | None) -> None:
        self.logins = Logins(gate.fault, gate.now_s)
        self.pins = pins
        self._gate = gate

    def methods(self) -> dict[str, Method]:
        """What the pages can ask about people."""
        return {
            CODE: _method(ShowCertificate, self._code),
            LOG_IN: _method(ShowSecret, self._log_in),
            WHO: _method(ShowSecret, self._who),
            LOG_OUT: _method(ShowSecret, self._log_out),
            PIN: _method(ShowPin, self._pin),
            PEOPLE: _method(AskSite, self._people),
            ACT: _method(ShowCertificate, self._act),
        }

    async def _code(self, asked: ShowCertificate) -> Known:
        actor = self._holder(asked)
        # A login does not beget logins: only the certificate does.
        if not any(actor.role in roles for roles in PAGES.values()):
            return Known()
        return known(actor, self.logins.new_code(actor))

    async def _log_in(self, asked: ShowSecret) -> Known:
        made = self.logins.redeem(asked.secret)
        if made is None or made[1].actor.site != asked.site:
            return Known()
        return known(made[1].actor, made[0])

    async def _who(self, asked: ShowSecret) -> Known:
        return known(self._of_site(self.logins.find(asked.secret), asked.site))

    async def _log_out(self, asked: ShowSecret) -> Known:
        return known(self.logins.end(asked.secret))

    async def _pin(self, asked: ShowPin) -> Known:
        """A session for one act; what was typed is in no answer and in no log."""
        if self.pins is None:
            raise refused(Reason.NO_PINS)
        table = identifier(asked.table, "table")
        if asked.act not in PIN_ACTS:
            raise refused(Reason.MALFORMED, field="act", problem="an act that a PIN does not allow")
        found = await self.pins.check(asked.site, asked.name, asked.pin, table)
        if found.actor is None:
            why = "too many wrong PINs" if found.wait_s else "a wrong PIN"
            why = "too many PINs at once" if found.busy else why
            # A name may be a PIN that was typed into the wrong field: it is not logged either.
            record_denial(f"PIN for {asked.act} at {table}", asked.peer, "", why)
            return Known(wait_s=found.wait_s, left=found.left, busy=found.busy)
        try:
            allow(found.actor, asked.act, table, asked.site)
        except DeniedError as error:
            record_denial(f"PIN for {asked.act}", asked.peer, error.principal, str(error))
            raise refused(Reason.NOT_ALLOWED) from error
        record_login(f"PIN for {asked.act} at {table}", asked.peer, found.actor.principal)
        token, _ = self.logins.grant(found.actor, asked.act, table, found.stands)
        return known(found.actor, token)

    async def _people(self, asked: AskSite) -> Known:
        """Who can act with a PIN, for somebody at a table's page to choose from."""
        held = self.pins.holders(asked.site) if self.pins else []
        return Known(people=tuple(pin.principal for pin, ended in held if not ended))

    async def _act(self, asked: ShowCertificate) -> Known:
        """A session for whoever has no login and shows a certificate instead."""
        actor = self._holder(asked)
        token, _ = self.logins.grant(actor)
        return known(actor, token)

    def _holder(self, asked: ShowCertificate) -> Actor:
        try:
            actor = self._gate.holder(asked.certificate)
        except DeniedError as error:
            record_denial("pages", "", error.principal, str(error))
            reason = Reason.NOT_ALLOWED if error.known else Reason.UNAUTHENTICATED
            raise refused(reason, **error.details) from error
        if actor.site != asked.site:
            raise refused(Reason.NOT_ALLOWED)
        return actor

    @staticmethod
    def _of_site(actor: Actor | None, site: str) -> Actor | None:
        return actor if actor and actor.site == site else None


class BySession(Admission):
    """Admits calls over the pages' link by the token that they carry."""

    def __init__(self, sessions: Sessions) -> None:
        super().__init__()
        self._sessions = sessions

    def admit(
        self, call: Call, rpc: str, table: str | None = None, site: str | None = None
    ) -> Actor:
        """Whose session it is, if the call is theirs to make; CallRefusedError otherwise.

        A session for a single act is used up by the first message that is made with it.
        """
        token = dict(call.metadata).get(SESSION_KEY, "")
        logins = self._sessions.logins
        single = logins.single(token)
        actor = single.actor if single else logins.find(token)
        if actor is None:
            record_denial(rpc, "pages", "", Fault.ENDED)
            raise refused(Reason.UNAUTHENTICATED, **unknown(Fault.ENDED).details)
        if single and site is not None:
            logins.use_up(token)
        if single and single.act not in ("", rpc):
            raise _denied(rpc, actor.principal, f"the PIN was for {single.act}")
        if single and single.table and table and table != single.table:
            raise _denied(rpc, actor.principal, f"the PIN was typed at {single.table}")
        try:
            allow(actor, rpc, table, site)
        except DeniedError as error:
            raise _denied(rpc, actor.principal, str(error)) from error
        # A call or a payout is known by its number: only the core can say whose table's it is.
        return actor._replace(at_table=single.table) if single else actor


def _denied(rpc: str, principal: str, why: str) -> CallRefusedError:
    record_denial(rpc, "pages", principal, why)
    return refused(Reason.NOT_ALLOWED)


def _method(asked: type[Asked], answer: Callable[[Asked], Awaitable[Known]]) -> Method:
    read: Callable[[bytes], Any] = msgspec.msgpack.Decoder(asked).decode

    async def carry_out(raw: bytes, call: Call) -> None:
        call.send(msgspec.msgpack.encode(await answer(read(raw))))

    def serve(call: Call) -> None:
        def begin(raw: bytes | None) -> None:
            if raw is not None:
                call.run(carry_out(raw, call), to_its_end=True)

        call.receive = begin

    return Method(serve, streams_in=False, streams_out=False)
