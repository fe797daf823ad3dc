"""A deadline for requests: whoever connects and says nothing leaves the place to others."""

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

REQUEST_S = 10.0  # for a whole request, from the connection or from its first byte


class PromptProtocol(HttpToolsProtocol):
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
