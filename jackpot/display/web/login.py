"""Logging a browser in and out; the ledger keeps the logins.

`jackpot login` fetches a code with its certificate and prints an address that carries it behind
the `#`, which browsers keep to themselves: the code reaches neither a server's log nor a proxy's.
The page there posts it, and gets a cookie that no script can read.
"""

import math

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from jackpot.audit_log import record_denial, record_login
from jackpot.auth.logins import CODE_S, Attempts
from jackpot.auth.roles import OPS_PAGE, PAGES
from jackpot.display.web.access import ByRole, RefusedPageError, certificate_of
from jackpot.display.web.responses import foreign, json_answer, json_body, peer_of, static_page
from jackpot.server.sessions import Known

CODE_PATH, LOGIN_PATH, LOGOUT_PATH = "/login/code", "/login", "/logout"
MAX_BYTES = 256
NOTHING = "Your role has no page to log in to."
WRONG = "This code is wrong, already used, or older than five minutes."


class LoginPages:
    """What a browser needs to log in and out."""

    def __init__(self, access: ByRole) -> None:
        self._access = access
        self._attempts = Attempts()

    def routes(self) -> list[Route]:
        """Where they are."""
        return [
            Route(LOGIN_PATH, static_page("login.html"), methods=["GET"]),
            Route(LOGIN_PATH, self._log_in, methods=["POST"]),
            Route(LOGOUT_PATH, self._log_out, methods=["POST"]),
            Route(CODE_PATH, self._code, methods=["POST"]),
        ]

    async def _code(self, request: Request) -> Response:
        """A code for whoever shows a certificate that sees any page at all."""
        if problem := foreign(request):
            return problem
        actor = self._access.certified(request)
        made = Known()
        if actor.site == self._access.site:
            made = await self._access.sessions.code(certificate_of(request))
        if not made.secret:
            raise RefusedPageError(NOTHING, 403, actor.principal, "a code is not for this role")
        record_login("code given", peer_of(request), made.principal)
        return json_answer(
            {"code": made.secret, "valid_s": int(CODE_S), "principal": made.principal}
        )

    async def _log_in(self, request: Request) -> Response:
        if problem := foreign(request):
            return problem
        peer = peer_of(request)
        if wait_s := self._attempts.wait_s(peer):
            headers = {"retry-after": str(math.ceil(wait_s))}
            return PlainTextResponse("Too many wrong codes; wait a minute.\n", 429, headers)
        made = await self._access.sessions.log_in(await _code_of(request))
        if not made.secret:
            self._attempts.failed(peer)
            record_denial(LOGIN_PATH, peer, "", "a wrong code")
            return PlainTextResponse(f"{WRONG}\n", 403)
        record_login("in", peer, made.principal)
        answer = json_answer({"home": "/ops" if made.role in PAGES[OPS_PAGE] else "/"})
        # Without an age the browser forgets it when it is closed; here it ends before that anyway.
        answer.set_cookie(
            self._access.cookie, made.secret, secure=True, httponly=True, samesite="strict"
        )
        return answer

    async def _log_out(self, request: Request) -> Response:
        if problem := foreign(request):
            return problem
        ended = await self._access.sessions.log_out(request.cookies.get(self._access.cookie, ""))
        if ended.principal:
            record_login("out", peer_of(request), ended.principal)
        answer = Response(status_code=204)
        answer.delete_cookie(self._access.cookie, secure=True, httponly=True, samesite="strict")
        return answer


async def _code_of(request: Request) -> str:
    """The code in a request's body; empty where there is none."""
    code = (await json_body(request, MAX_BYTES)).get("code")
    return code if isinstance(code, str) else ""
