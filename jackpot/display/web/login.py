"""Logging a browser in and out.

`jackpot login` fetches a code with its certificate and prints an address that carries it behind
the `#`, which browsers keep to themselves: the code reaches neither a server's log nor a proxy's.
The page there posts it, and gets a cookie that no script can read.
"""

import json
import math

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from jackpot.auth.gate import Actor, record_denial, record_login
from jackpot.auth.logins import CODE_S, Attempts
from jackpot.auth.roles import OPS_PAGE, PAGES
from jackpot.display.web.access import ByRole, RefusedPageError
from jackpot.display.web.responses import json_answer, peer_of, static_page

CODE_PATH, LOGIN_PATH, LOGOUT_PATH = "/login/code", "/login", "/logout"
MAX_BYTES = 256
NOTHING = "There is no page for this role to log in to."
WRONG = "That code is wrong, was used, or is older than five minutes."


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
        actor = self._access.certified(request)
        # A login does not beget logins: only the certificate does.
        if not any(actor.role in roles for roles in PAGES.values()) or self._elsewhere(actor):
            raise RefusedPageError(NOTHING, 403, actor.principal, "a code is not for this role")
        code = self._access.logins.new_code(actor)
        record_login("code given", peer_of(request), actor.principal)
        return json_answer({"code": code, "valid_s": int(CODE_S), "principal": actor.principal})

    def _elsewhere(self, actor: Actor) -> bool:
        return actor.site != self._access.site

    async def _log_in(self, request: Request) -> Response:
        if problem := _foreign(request):
            return problem
        peer = peer_of(request)
        if wait_s := self._attempts.wait_s(peer):
            headers = {"retry-after": str(math.ceil(wait_s))}
            return PlainTextResponse("Too many wrong codes; wait a minute.\n", 429, headers)
        made = self._access.logins.redeem(await _code_of(request))
        if made is None:
            self._attempts.failed(peer)
            record_denial(LOGIN_PATH, peer, "", "a wrong code")
            return PlainTextResponse(f"{WRONG}\n", 403)
        token, login = made
        record_login("in", peer, login.actor.principal)
        answer = json_answer({"home": "/ops" if login.actor.role in PAGES[OPS_PAGE] else "/"})
        # Without an age the browser forgets it when it is closed; here it ends before that anyway.
        answer.set_cookie(self._access.cookie, token, secure=True, httponly=True, samesite="strict")
        return answer

    async def _log_out(self, request: Request) -> Response:
        if problem := _foreign(request):
            return problem
        if actor := self._access.logins.end(request.cookies.get(self._access.cookie, "")):
            record_login("out", peer_of(request), actor.principal)
        answer = Response(status_code=204)
        answer.delete_cookie(self._access.cookie, secure=True, httponly=True, samesite="strict")
        return answer


def _foreign(request: Request) -> Response | None:
    """A refusal where another site's page has made the browser ask."""
    origin = request.headers.get("origin")  # "null" for a page that hides where it is from
    if origin is None or origin.partition("://")[2] == request.headers.get("host"):
        return None
    return PlainTextResponse("only this site's own page may ask that\n", 403)


async def _code_of(request: Request) -> str:
    """The code in a request's body; empty where there is none."""
    raw = b""
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > MAX_BYTES:
            return ""
    try:
        body = json.loads(raw)
    except ValueError:
        return ""
    code = body.get("code") if isinstance(body, dict) else None
    return code if isinstance(code, str) else ""
