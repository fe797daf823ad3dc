"""What the pages ask the ledger about people, over the link that they share."""

import msgspec

from jackpot.auth.callers import Actor
from jackpot.front.client import LedgerChannel
from jackpot.server import sessions
from jackpot.server.sessions import AskSite, Known, ShowCertificate, ShowPin, ShowSecret
from jackpot.wire.identity import SESSION_KEY

CALL_S = 5.0  # a PIN is compared on purpose slowly, and waits for others
_read = msgspec.msgpack.Decoder(Known).decode


class SessionClient:
    """The sessions of one site, which the ledger keeps."""

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
