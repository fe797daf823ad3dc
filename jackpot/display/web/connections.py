"""What one connection may ask of the pages, for how long, and who it says it is.

Past a limit it is told so and cut off; one that connects and says nothing leaves its place to
others. Over TLS the browser's certificate, where it has one, is told to the application.

uvicorn's httptools parser has no limit of its own. It joins what it has of a header to every piece
that comes, so each piece of an endless header costs as much as all pieces before it, and all other
browsers wait meanwhile.
"""

import asyncio
import ssl
from http import HTTPStatus

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from jackpot.audit_log import record_denial

REQUEST_S = 10.0  # for a whole request, from the connection or from its first byte
MAX_REQUEST_BYTES = 64 << 10  # of one request: its line, headers, body and trailers
MAX_HEADERS = 128  # of one request, trailers included
MAX_WAITING = 16  # requests on one connection that wait for the answer to an earlier one
MAX_TURNED_AWAY = 64  # connections past `limit_concurrency`: signs are told 503, staff is served
LINGER_S = 1.0  # to read why, before the connection is reset
_PIECE_BYTES = 8 << 10  # parsed at once; a limit is found exceeded at most so much later


class DeadlineProtocol(HttpToolsProtocol):
    """Closes a connection whose request does not come to its end; uvicorn would wait for ever.

    Between two requests uvicorn's own limit for kept connections holds.
    """

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn
        """The first request is due."""
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        """After an answer this begins another request, and uvicorn's own limit ends."""
        if self.cycle and self.cycle.response_complete:  # type: ignore[truthy-bool]  # None at first
            self._expect()
        super().data_received(data)

    def on_message_begin(self) -> None:
        """Also one that was sent before the last was answered."""
        super().on_message_begin()
        self._expect()

    def on_message_complete(self) -> None:
        """The request is whole; its answer may take as long as it wants."""
        super().on_message_complete()
        self._relax()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is due any more."""
        self._relax()
        super().connection_lost(exc)

    def _expect(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(REQUEST_S, self.transport.abort)

    def _relax(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class _ExceededError(Exception):
    """Stops the parser, which is in the midst of a request."""


class BoundedProtocol(DeadlineProtocol):
    """Cuts off a connection that exceeds a limit; uvicorn would read on for ever."""

    most_each = 1 << 20  # connections of one address; whoever serves sets it
    _received = 0  # bytes of the request that is being read
    _cut_off = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn
        """Past the room for those who are told that there is none, nobody is told anything.

        Nor is an address that has its share: what is left is for others.
        """
        super().connection_made(transport)
        most = self.limit_concurrency
        crowded = most is not None and len(self.connections) > most + MAX_TURNED_AWAY
        if crowded or self._like_this() > self.most_each:
            self._cut_off = True
            transport.abort()

    def _like_this(self) -> int:
        """How many connections this one's address has."""
        host = (self.client or ("",))[0]
        return sum(
            isinstance(each, BoundedProtocol) and (each.client or ("",))[0] == host
            for each in self.connections
        )

    def data_received(self, data: bytes) -> None:
        """Count before parsing."""
        for start in range(0, len(data), _PIECE_BYTES):
            if self._cut_off or self.transport.is_closing():
                return
            piece = data[start : start + _PIECE_BYTES]
            self._received += len(piece)
            if self._received > MAX_REQUEST_BYTES:
                self._refuse(
                    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
                    f"The request is larger than {MAX_REQUEST_BYTES} bytes.",
                )
                return
            super().data_received(piece)

    def on_message_begin(self) -> None:
        """Nobody needs to ask for very much before the first answer."""
        if len(self.pipeline) >= MAX_WAITING:
            self._exceeded(
                HTTPStatus.TOO_MANY_REQUESTS, f"More than {MAX_WAITING} requests wait already."
            )
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Short ones are within the bytes, and many of them are work for the application."""
        if len(self.headers) >= MAX_HEADERS:
            self._exceeded(
                HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
                f"The request has more than {MAX_HEADERS} headers.",
            )
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """A body that is announced as too large is refused before it comes."""
        for name, value in self.headers:
            # The parser takes nothing but digits, and as many as fit into 64 bits.
            if name == b"content-length" and int(value) > MAX_REQUEST_BYTES:
                self._exceeded(
                    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                    f"The request's body is larger than {MAX_REQUEST_BYTES} bytes.",
                )
        most = self.limit_concurrency
        if not _is_for_everybody(self.url):  # staff and health have the room that is left
            self.limit_concurrency = None
        super().on_headers_complete()
        self.limit_concurrency = most

    def on_message_complete(self) -> None:
        """What comes next is another request."""
        super().on_message_complete()
        self._received = 0

    def send_400_response(self, msg: str) -> None:
        """The parser stops at what is no HTTP, and where it was told to."""
        if not self._cut_off:
            self._refuse(HTTPStatus.BAD_REQUEST, msg)

    def _unsupported_upgrade_warning(self) -> None:
        """Say nothing: the request is answered as if it had not asked for another protocol."""

    def _exceeded(self, status: HTTPStatus, why: str) -> None:
        self._refuse(status, why)
        raise _ExceededError(why)

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        """Say why where that is still an answer, read no more, and reset the connection.

        A polite close would go on reading for as long as the other side sends.
        """
        self._cut_off = True
        record_denial("pages", (self.client or ("",))[0], "", why)
        if self.cycle and not self.cycle.response_complete:  # type: ignore[truthy-bool]  # None at first
            self.transport.abort()
            return
        self.flow.pause_reading()
        if not (self.cycle and self.cycle.scope is self.scope):  # type: ignore[truthy-bool]  # not answered yet
            self.transport.write(_answer(status, why))
        self.loop.call_later(LINGER_S, self.transport.abort)


def _is_for_everybody(url: bytes) -> bool:
    """Whether a request is a sign's, which waits where there is no room; all others are short."""
    path = url.partition(b"?")[0]
    return path == b"/" or path.startswith((b"/sign/", b"/events/sign/"))


def _answer(status: HTTPStatus, why: str) -> bytes:
    body = f"{why}\n".encode()
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\nconnection: close\r\n"
        f"content-type: text/plain; charset=utf-8\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class CertifiedProtocol(BoundedProtocol):
    """Puts the peer's certificate where ASGI's TLS extension has it, which uvicorn does not."""

    _chain: tuple[str, ...] = ()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn
        """Remember who is there; TLS has checked by which authority they are certified."""
        super().connection_made(transport)
        tls = transport.get_extra_info("ssl_object")
        der = tls.getpeercert(binary_form=True) if tls else None
        self._chain = (ssl.DER_cert_to_PEM_cert(der),) if der else ()

    def on_message_begin(self) -> None:
        """Tell it with every request."""
        super().on_message_begin()
        self.scope["extensions"] = {"tls": {"client_cert_chain": self._chain}}
