"""What people do from a page: with their login, their certificate, or a PIN at a table's page.

A page sends an operator's request as JSON. It is carried out by the ledger for whoever's session it
comes with; nothing here decides who that is or what they may. A PIN is typed at a table's page that
its browser may see, names the one act it is for, and gives a token that is good for it once.
"""

import math
from collections.abc import Awaitable, Callable, Collection

import grpc
from google.protobuf import json_format
from google.protobuf.message_factory import GetMessageClass
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from jackpot.auth.roles import TABLE_PAGE
from jackpot.display.web.access import ByRole, SessionClient, certificate_of, check
from jackpot.display.web.responses import foreign, json_answer, json_body, missing, peer_of
from jackpot.wire.refusals import RefusedError, from_rpc_error
from jackpot.wire.v1 import operator_pb2

PIN_PATH, PEOPLE_PATH, ACT_PATH = "/pin", "/pin/{table}", "/act/{rpc}"
TOKEN_HEADER = "x-jackpot-session"  # noqa: S105 - where a token is, not one
MAX_BYTES = 16 << 10
WRONG_PIN = "The PIN does not match the name."
_SERVICE = operator_pb2.DESCRIPTOR.services_by_name["OperatorService"]
_STATUS = {
    "INVALID_ARGUMENT": 400,
    "UNAUTHENTICATED": 401,
    "PERMISSION_DENIED": 403,
    "NOT_FOUND": 404,
    "ALREADY_EXISTS": 409,
    "FAILED_PRECONDITION": 409,
    "RESOURCE_EXHAUSTED": 429,
}


class ActPages:
    """Where a page sends what people do."""

    def __init__(self, access: ByRole, tables: Callable[[], Awaitable[Collection[str]]]) -> None:
        self._access = access
        self._tables = tables

    @property
    def _sessions(self) -> SessionClient:
        return self._access.sessions

    def routes(self) -> list[Route]:
        """Where they are."""
        return [
            Route(PIN_PATH, self._pin, methods=["POST"]),
            Route(PEOPLE_PATH, self._people, methods=["GET"]),
            Route(ACT_PATH, self._act, methods=["POST"]),
        ]

    async def _pin(self, request: Request) -> Response:
        """A token for one act, for a name and a PIN."""
        if problem := foreign(request):
            return problem
        body = await json_body(request, MAX_BYTES)
        said = [body.get(key) for key in ("name", "pin", "table", "act")]
        if not all(isinstance(each, str) and 0 < len(each) <= 128 for each in said):  # noqa: PLR2004 - more than anybody types
            return PlainTextResponse("expected name, pin, table and act\n", 400)
        name, pin, table, act = map(str, said)
        await check(self._access, request, TABLE_PAGE, self._access.site, table)
        if table not in await self._tables():
            return missing("table")
        try:
            made = await self._sessions.pin(
                name, pin, table, f"{_SERVICE.name}/{act}", peer_of(request)
            )
        except grpc.RpcError as error:
            return _refusal(from_rpc_error(error))
        if made.wait_s:
            headers = {"retry-after": str(math.ceil(made.wait_s))}
            minutes = math.ceil(made.wait_s / 60)
            text = f"Too many wrong PINs; try again in {minutes} min, or log in.\n"
            if made.busy:
                text = "Too many PINs are being typed just now; try again.\n"
            return PlainTextResponse(text, 429, headers)
        if not made.secret:
            return PlainTextResponse(f"{WRONG_PIN} {_left(made.left)}\n", 403)
        return json_answer({"token": made.secret, "principal": made.principal})

    async def _people(self, request: Request) -> Response:
        """Who can type a PIN at a table's page, for whoever may see that page."""
        table = request.path_params["table"]
        await check(self._access, request, TABLE_PAGE, self._access.site, table)
        return json_answer({"people": await self._sessions.people()})

    async def _act(self, request: Request) -> Response:
        """Carry out an operator's request for whoever's session it comes with."""
        if problem := foreign(request):
            return problem
        method = _SERVICE.methods_by_name.get(request.path_params["rpc"])
        if method is None or "request_id" not in method.input_type.fields_by_name:
            return missing("act")
        body = await json_body(request, MAX_BYTES)
        message = GetMessageClass(method.input_type)()
        try:
            json_format.ParseDict({**body, "site": self._access.site}, message)
        except json_format.ParseError as error:
            problem_, _, _ = str(error).partition("\n")
            return PlainTextResponse(f"{problem_[:200]}\n", 400)
        path = f"/{_SERVICE.full_name}/{method.name}"
        try:
            token = await self._token(request)
            raw = await self._sessions.act(path, message.SerializeToString(), token)
        except grpc.RpcError as error:
            return _refusal(from_rpc_error(error))
        answer = GetMessageClass(method.output_type).FromString(raw)
        return json_answer(json_format.MessageToDict(answer, preserving_proto_field_name=True))

    async def _token(self, request: Request) -> str:
        """Whose session it is: a PIN's, a login's, or one for the browser's certificate."""
        if token := request.headers.get(TOKEN_HEADER):
            return token
        if token := request.cookies.get(self._access.cookie):
            return token
        shown = certificate_of(request)
        return (await self._sessions.certified(shown)).secret if shown else ""


def _left(tries: int) -> str:
    """How often somebody may still be wrong."""
    if not tries:
        return "There are no tries left at this table. Wait 15 minutes."
    return f"{tries} {'try' if tries == 1 else 'tries'} left at this table."


def _refusal(error: RefusedError) -> Response:
    answer = json_answer({"reason": error.reason, "text": error.message, "details": error.metadata})
    answer.status_code = _STATUS.get(error.code, 503)
    return answer
