"""Pages over TLS, and browsers that are none: with a certificate, with a login, with nothing."""

import json
import ssl
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from jackpot.auth.authority import CA_CERTIFICATE
from jackpot.auth.logins import Logins
from jackpot.display.web.access import ByRole
from jackpot.display.web.app import Settings
from jackpot.display.web.beside import pages
from jackpot.display.web.process import PagesProcess
from jackpot.display.web.serving import Display, listen
from jackpot.wire.identity import Identity
from tests.auth.secured import Secured, secured
from tests.display.shown import NONE, ask
from tests.server.house import SITE

COOKIE = f"__Host-jackpot-{SITE}"


class SecuredPages:
    """A house behind TLS and its pages."""

    def __init__(self, house: Secured, display: Display) -> None:
        self.house = house
        self.display = display
        self.url = display.url

    def expire(self, in_s: float) -> None:
        """Put the clocks forward by which certificates are judged: the ledger's and the pages'."""
        access = self.display._pages._access
        assert isinstance(access, ByRole)
        for gate in (access.gate, self.house.gate):
            gate.clock = lambda: time.time() + in_s

    @property
    def logins(self) -> Logins:
        """What the ledger keeps."""
        assert self.house.controller.sessions is not None
        return self.house.controller.sessions.logins

    def tls(self, identity: Identity | None = None) -> ssl.SSLContext:
        """What a client shows and trusts."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        (identity or Identity(None, self.house.folder / CA_CERTIFICATE)).show_in(context)
        return context

    async def get(
        self, path: str, identity: Identity | None = None, headers: Mapping[str, str] = NONE
    ) -> tuple[int, str]:
        """Status and text of an answer; of a stream, only that it began."""
        async with ask(self.url, path, self.tls(identity), headers=headers) as answer:
            stream = "event-stream" in answer.headers["content-type"]
            return answer.status, "" if stream else (await answer.body()).decode()

    async def post(
        self,
        path: str,
        body: object = None,
        identity: Identity | None = None,
        headers: Mapping[str, str] = NONE,
    ) -> tuple[int, str, str]:
        """Status, text and cookie of an answer."""
        raw = json.dumps(body).encode()
        async with ask(self.url, path, self.tls(identity), raw, headers) as answer:
            text = "" if answer.status == 204 else (await answer.body()).decode()
            return answer.status, text, answer.headers.get("set-cookie", "")

    async def code(self, identity: Identity) -> str:
        """A code for a login."""
        status, text, _ = await self.post("/login/code", identity=identity)
        assert status == 200, text
        code: str = json.loads(text)["code"]
        return code

    async def log_in(self, identity: Identity) -> dict[str, str]:
        """A login, as the header that carries it."""
        status, text, cookie = await self.post("/login", {"code": await self.code(identity)})
        assert status == 200, text
        return {"Cookie": cookie.partition(";")[0]}


@asynccontextmanager
async def secured_pages(
    folder: Path, settings: Settings | None = None
) -> AsyncIterator[SecuredPages]:
    """The usual site behind TLS, with its pages."""
    async with secured(folder) as house:
        inside, store, look = PagesProcess(), folder / "data", settings or Settings()
        with listen("127.0.0.1:0") as place:
            async with pages(house.controller, store, {SITE: place}, look, inside):
                yield SecuredPages(house, inside.displays[SITE])
