"""Between a call's bytes and the engine: decode, admit the caller, carry out, and answer.

Each service is a table of its RPCs by name; one that the proto has and the table lacks, or the
other way round, stops the start. How a single RPC is read and answered is its row in `codec`.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Awaitable, Callable, Mapping
from hashlib import sha256
from typing import Any

from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

from jackpot.auth.callers import Actor
from jackpot.core.reasons import Reason, Refusal
from jackpot.engine import Engine
from jackpot.server.admission import Admission
from jackpot.server.calls import Call, Method
from jackpot.server.codec import Command, Read, Row
from jackpot.server.codec.fields import malformed, whole
from jackpot.server.errors import accepted, refused, seen
from jackpot.wire.limits import MAX_NUMBER, MAX_PAGE, MAX_REQUEST_BYTES

Unary = Callable[[Any, Actor], Awaitable[Message]]
Watch = Callable[[Any, Call, Actor], Awaitable[None]]  # writes to the call by itself
Duplex = Callable[[Call, Actor], None]  # takes the call's messages as they come
Rpc = Unary | Watch | Duplex
_SAME_DIGITS = 16  # of a hash that tells items of a list apart


def service(
    descriptor: ServiceDescriptor, rpcs: Mapping[str, Rpc], admission: Admission
) -> dict[str, Method]:
    """The methods of a service by the names that they have on the wire."""
    if missing := {method.name for method in descriptor.methods} ^ rpcs.keys():
        raise LookupError(f"{descriptor.full_name}: {sorted(missing)}")
    return {
        f"/{descriptor.full_name}/{method.name}": _method(method, rpcs[method.name], admission)
        for method in descriptor.methods
    }


def unary_rpcs(engine: Engine, rows: Mapping[str, Row]) -> dict[str, Unary]:
    """The RPCs that need no more than their rows: they execute a command or read the state."""
    commands = {rpc: _command(engine, row) for rpc, row in rows.items() if isinstance(row, Command)}
    reads = {rpc: _read(engine, row) for rpc, row in rows.items() if isinstance(row, Read)}
    return commands | reads


def _command(engine: Engine, row: Command) -> Unary:
    async def call(message: Any, actor: Actor) -> Message:
        done = accepted(await engine.execute(row.request(message, actor)))
        answer: Message = row.answer(done.sequence, done.event)
        return answer

    return call


def _read(engine: Engine, row: Read) -> Unary:
    async def call(message: Any, _actor: Actor) -> Message:
        site, asked = row.parse(message)
        found: Message | Refusal
        found = await engine.read(site, lambda state: row.answer(state, asked), fresh=row.fresh)
        if isinstance(found, Refusal) and not row.fresh:
            found = await engine.read(site, lambda state: row.answer(state, asked))
        return seen(found)

    return call


def decode(message_type: Any, raw: bytes) -> Any:
    """The message that the bytes are, unless there are too many of them."""
    if len(raw) > MAX_REQUEST_BYTES:
        raise refused(Reason.TOO_MANY, field="message", bytes=len(raw), limit=MAX_REQUEST_BYTES)
    try:
        return message_type.FromString(raw)
    except DecodeError as error:
        raise refused(Reason.MALFORMED, problem="not a message", bytes=len(raw)) from error


def _method(method: MethodDescriptor, rpc: Any, admission: Admission) -> Method:
    message_type = GetMessageClass(method.input_type)
    name = f"{method.containing_service.name}/{method.name}"

    async def answer(raw: bytes, call: Call) -> None:
        message = decode(message_type, raw)
        actor = admission.admit(call, name, *_about(message))
        if method.server_streaming:
            admission.hold(call, actor)
            await rpc(message, call, actor)
        else:
            with admission.busy(actor):
                found: Message = paged(message, await rpc(message, actor))
            call.send(found.SerializeToString())

    def serve_one(call: Call) -> None:
        def begin(raw: bytes | None) -> None:
            if raw is not None:
                call.receive = lambda _: None
                call.run(answer(raw, call), to_its_end=not method.server_streaming)

        admission.admit(call, name)  # before a stranger's bytes are looked at
        call.receive = begin

    def serve_stream(call: Call) -> None:
        actor = admission.admit(call, name)
        admission.hold(call, actor)
        rpc(call, actor)

    serve = serve_stream if method.client_streaming else serve_one
    return Method(serve, method.client_streaming, method.server_streaming)


def _about(message: Any) -> tuple[str | None, str | None]:
    """The table and the site that a message is about, where it says so."""
    about = message.id if "id" in message.DESCRIPTOR.fields_by_name else message
    return getattr(about, "table", None), getattr(about, "site", None)


def paged(request: Any, answer: Any) -> Any:
    """The page of an answer that a request asks for; whatever is no list stays as it is.

    A page token names what the page before ended with. So a page follows the one before it whatever
    was added or taken away elsewhere meanwhile. If what the token names is gone, nobody can say
    where to go on, and the caller begins again.
    """
    if "page_token" not in request.DESCRIPTOR.fields_by_name:
        return answer
    size = whole(request.page_size, "page_size", 0, MAX_NUMBER)
    size = min(size, MAX_PAGE) or MAX_PAGE
    (listed,) = (
        field.name
        for field in answer.DESCRIPTOR.fields
        if field.is_repeated and field.name != "next_page_token"
    )
    items = getattr(answer, listed)
    begin = _after(items, request.page_token) if request.page_token else 0
    if begin + size < len(items):
        answer.next_page_token = urlsafe_b64encode(_key(items[begin + size - 1]).encode()).decode()
        del items[begin + size :]
    del items[:begin]
    return answer


def _after(items: Any, token: str) -> int:
    try:
        last = urlsafe_b64decode(token).decode()
    except ValueError as error:
        raise malformed("page_token", "not a page token", token) from error
    for place, item in enumerate(items):
        if _key(item) == last:
            return place + 1
    problem = "the item before this page is gone; start again without a token"
    raise malformed("page_token", problem, token)


def _key(item: Any) -> str:
    """What tells an item of a list from the others."""
    if isinstance(item, str):
        return item
    for name in ("id", "link", "principal"):
        if name in item.DESCRIPTOR.fields_by_name:
            return str(getattr(item, name))
    return sha256(item.SerializeToString(deterministic=True)).hexdigest()[:_SAME_DIGITS]
