"""Pages over TLS: the browser's certificate, where it has one, is told to the application."""

import asyncio
import ssl

from jackpot.display.bounded import BoundedProtocol


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
