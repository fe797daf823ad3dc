"""A controller behind mutual TLS, and callers with every kind of certificate."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import grpc

from jackpot.auth.authority import CA_CERTIFICATE, Authority
from jackpot.auth.client import Identity
from jackpot.auth.gate import Files, Gate
from jackpot.auth.names import parse_holder
from jackpot.engine import Engine
from jackpot.rules.hands import names
from jackpot.rules.site import load_site
from jackpot.server.controller import Controller
from jackpot.store.sqlite import SqliteJournal
from jackpot.v1 import meter_pb2, operator_pb2, table_pb2
from tests.server.house import SITE, site_text, write_site

SERVICES = {
    descriptor.name: descriptor
    for module in (table_pb2, meter_pb2, operator_pb2)
    for descriptor in module.DESCRIPTOR.services_by_name.values()
}


class Secured:
    """A served site with its authority."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "ca"
        self.authority = Authority.create(self.folder, "Test House")
        self.foreign = Authority.create(folder / "foreign", "Other House")
        self.address = ""
        self.engine: Engine

    def files(self) -> Files:
        """What the controller needs."""
        certificate, _ = self.authority.issue_server(("127.0.0.1", "localhost"), 1)
        return Files.beside(certificate, self.folder / CA_CERTIFICATE)

    def identity(
        self,
        role: str,
        name: str = "one",
        *,
        days: int = 1,
        site: str = SITE,
        by: Authority | None = None,
    ) -> Identity:
        """A certificate, which the controller's authority has issued or another."""
        holder = parse_holder(site, role, name)
        certificate, _ = (by or self.authority).issue(holder, days)
        return Identity(certificate, self.folder / CA_CERTIFICATE)

    def revoke(self, identity: Identity) -> None:
        """Put a certificate on the list."""
        wanted = identity.certificate.name
        (serial,) = [one.serial for one in self.authority.issued() if one.file == wanted]
        self.authority.revoke(serial)

    def channel(self, identity: Identity | None) -> grpc.aio.Channel:
        """A connection; without an identity it checks the controller and shows nothing."""
        if identity is None:
            root = (self.folder / CA_CERTIFICATE).read_bytes()
            credentials = grpc.ssl_channel_credentials(root)
        else:
            credentials = identity.credentials()
        options = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0)]
        return grpc.aio.secure_channel(self.address, credentials, options=options)

    async def journal_head(self) -> int:
        """The last sequence of the journal."""
        head = await self.engine.read(SITE, lambda state: state.sequence)
        assert isinstance(head, int)
        return head


@asynccontextmanager
async def secured(folder: Path) -> AsyncIterator[Secured]:
    """Serve the usual site behind TLS."""
    site = load_site(write_site(folder, site_text()))
    house = Secured(folder)
    house.engine = Engine(partial(SqliteJournal.open, folder / "data"), names, sites=[site.id])
    controller = Controller(house.engine, site, Gate(house.files(), site.id))
    house.address = await controller.start("127.0.0.1:0")
    try:
        yield house
    finally:
        await controller.stop()


def _raw(call: Any) -> Any:
    """A call without a serialiser takes bytes, which its stub does not know."""
    return call


async def code_of(channel: grpc.aio.Channel, rpc: str, raw: bytes = b"") -> str:
    """Call an RPC with raw bytes; the code that comes back."""
    service, method = rpc.split("/")
    descriptor = SERVICES[service].methods_by_name[method]
    path = f"/{SERVICES[service].full_name}/{method}"
    try:
        if descriptor.client_streaming:
            call: Any = channel.stream_stream(path)(timeout=5)
            await call.write(raw)
            await call.done_writing()
            async for _ in call:
                break
        elif descriptor.server_streaming:
            call = _raw(channel.unary_stream(path))(raw, timeout=5)
            async for _ in call:
                break
            call.cancel()
        else:
            await _raw(channel.unary_unary(path))(raw, timeout=5)
    except grpc.aio.AioRpcError as error:
        return error.code().name
    return "OK"
