"""Answers that several pages give: a file, JSON, something missing, a refusal."""

from collections.abc import Awaitable, Callable
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
from grpc import StatusCode
from grpc.aio import AioRpcError
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, Response

from jackpot.audit_log import record_denial
from jackpot.display.push import encode_json
from jackpot.display.web.access import AWAY, NOT_TAKEN, NOT_YOURS, RefusedPageError

STATIC = str(files("jackpot.display.web") / "static")
REFUSED = Path(STATIC, "refused.html").read_text("utf-8")
# How a browser without a certificate gets in, as HTTP wants it said with every 401.
CHALLENGE = 'Cookie realm="staff", form-action="/login"'
_BY_LEDGER = {
    StatusCode.UNAUTHENTICATED: (NOT_TAKEN, 401),
    StatusCode.PERMISSION_DENIED: (NOT_YOURS, 403),
}
Page = Callable[[Request], Awaitable[Response]]


def static_page(name: str) -> Page:
    """A page that is a file."""

    async def page(_request: Request) -> Response:
        return FileResponse(f"{STATIC}/{name}", headers={"cache-control": "no-cache"})

    return page


def json_answer(value: object) -> Response:
    """A value that is of this moment."""
    return Response(
        encode_json(value), media_type="application/json", headers={"cache-control": "no-store"}
    )


def away() -> Response:
    """The feed has nothing to say yet."""
    return PlainTextResponse("the controller can't be reached\n", 503, {"retry-after": "1"})


def missing(what: str) -> Response:
    """There is nothing there."""
    return PlainTextResponse(f"there is no such {what}\n", 404)


def peer_of(request: Request) -> str:
    """The address that a request came from."""
    return request.client.host if request.client else ""


async def refuse(request: Request, error: Exception) -> Response:
    """One clear line: as a page to a browser that wants one, as text to everything else."""
    assert isinstance(error, RefusedPageError)
    if error.why:
        record_denial(request.url.path, peer_of(request), error.principal, error.why)
    headers = {"cache-control": "no-store"}
    if error.status == 401:  # noqa: PLR2004 - HTTP's number for "who are you?"
        headers["www-authenticate"] = CHALLENGE
    if "text/html" not in request.headers.get("accept", ""):
        return PlainTextResponse(f"{error}\n", error.status, headers)
    command = f"jackpot login https://{request.url.netloc}" if "www-authenticate" in headers else ""
    page = REFUSED.replace("{text}", escape(str(error))).replace("{command}", escape(command))
    return HTMLResponse(page, error.status, headers)


async def refused_by_ledger(request: Request, error: Exception) -> Response:
    """For whoever the ledger does not take, or when it does not answer.

    The pages and the ledger each read the list of revoked certificates: one may know first.
    """
    assert isinstance(error, AioRpcError)
    text, status = _BY_LEDGER.get(error.code(), (AWAY, 503))
    return await refuse(request, RefusedPageError(text, status))


async def unheard(_request: Request, _error: Exception) -> Response:
    """For whoever left, or was cut off, in the midst of a request."""
    return Response(status_code=400)


def foreign(request: Request) -> Response | None:
    """A refusal where another site's page has made the browser ask."""
    origin = request.headers.get("origin")  # "null" for a page that hides where it is from
    # Without TLS a page of this name may be anybody's who is on the way.
    if origin is None or origin == f"{request.scope['scheme']}://{request.headers.get('host')}":
        return None
    return PlainTextResponse("only this site's own page may ask that\n", 403)


async def json_body(request: Request, most: int) -> dict[str, Any]:
    """The JSON object that a request brings; empty where it brings none, or too much."""
    raw = b""
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > most:
            return {}
    try:  # stricter than json's own: no half characters, which could not be passed on
        return msgspec.json.decode(raw, type=dict[str, Any])
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return {}
