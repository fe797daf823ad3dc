"""A controller behind mutual TLS, and callers with every kind of certificate."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import grpc
from cryptography import x509

from jackpot.auth.authority import CA_CERTIFICATE, Authority
from jackpot.auth.gate import Files, Gate
from jackpot.auth.holder import parse_holder
from jackpot.auth.pins import PINS
from jackpot.engine import Engine, Limits
from jackpot.rules.hands import names
from jackpot.rules.site import load_site
from jackpot.server.controller import Controller
from jackpot.store.sqlite import SqliteJournal
from jackpot.wire.channels import Identity, open_async_channel
from jackpot.wire.refusals import explained, from_rpc_error
from jackpot.wire.v1 import meter_pb2, operator_pb2, pin_pb2, table_pb2
from tests.server.house import SITE, site_text, write_site

SERVICES = {
    descriptor.name: descriptor
    for module in (table_pb2, meter_pb2, operator_pb2, pin_pb2)
    for descriptor in module.DESCRIPTOR.services_by_name.values()
}
HOSTS = ("127.0.0.1", "localhost")
_MORE_TRIES = 5


class Secured:
    """A served site with its authority."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "ca"
        there = self.folder.exists()  # several tests may share one
        self.authority = Authority(self.folder) if there else Authority.create(self.folder, "House")
        self.foreign = Authority.create(folder / "foreign", "Other House")
        self.address = ""
        self.engine: Engine
        self.gate: Gate
        self.controller: Controller

    def files(self, hosts: tuple[str, ...] = HOSTS) -> Files:
        """What the controller needs."""
        certificate, _ = self.authority.issue_server(hosts, 1)
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
        assert identity.certificate is not None
        certificate = x509.load_pem_x509_certificate(identity.certificate.read_bytes())
        self.authority.revoke(certificate.serial_number)

    def channel(self, identity: Identity, address: str = "") -> grpc.aio.Channel:
        """A connection of its own; to the tables' address where no other is given."""
        options = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0)]
        return open_async_channel(address or self.address, identity, options)

    async def journal_head(self) -> int:
        """The last sequence of the journal."""
        head = await self.engine.read(SITE, lambda state: state.sequence)
        assert isinstance(head, int)
        return head


STRANGERS = {
    "none": "the controller requires a certificate",
    "foreign": "the controller's authority has not issued this certificate",
    "expired": "the certificate has expired",
}


def stranger(house: Secured, kind: str) -> Identity:
    """Someone whom TLS does not let in."""
    if kind == "foreign":
        return house.identity("operations", by=house.foreign)
    if kind == "expired":
        return house.identity("operations", days=0)
    return Identity(None, house.folder / CA_CERTIFICATE)


@asynccontextmanager
async def secured(
    folder: Path, hosts: tuple[str, ...] = HOSTS, limits: Limits | None = None, staff: str = ""
) -> AsyncIterator[Secured]:
    """Serve the usual site behind TLS, for staff at an address of their own if there is one."""
    site = load_site(write_site(folder, site_text()))
    house = Secured(folder)
    opener = partial(SqliteJournal.open, folder / "data")
    house.engine = Engine(opener, names, limits=limits, sites=[site.id])
    house.gate = Gate(house.files(hosts), site.id)
    house.controller = Controller(house.engine, site, house.gate, pins=folder / PINS)
    house.address = await house.controller.start("127.0.0.1:0", staff)
    try:
        yield house
    finally:
        await house.controller.stop()


def _raw(call: Any) -> Any:
    """A call without a serialiser takes bytes, which its stub does not know."""
    return call


async def code_of(channel: grpc.aio.Channel, rpc: str, raw: bytes = b"") -> str:
    """Call an RPC with raw bytes; the code that a client makes of what comes back.

    A write that meets a call which was ended already is INTERNAL to a client, who never learns
    why it was ended: it calls again, as a table does.
    """
    service, method = rpc.split("/")
    descriptor = SERVICES[service].methods_by_name[method]
    code = await _code_of(channel, descriptor, raw)
    for _ in range(_MORE_TRIES if descriptor.client_streaming else 0):
        if code != "INTERNAL":
            break
        code = await _code_of(channel, descriptor, raw)
    return code


async def _code_of(channel: grpc.aio.Channel, descriptor: Any, raw: bytes) -> str:
    path = f"/{descriptor.containing_service.full_name}/{descriptor.name}"
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
        refusal = await asyncio.to_thread(explained, from_rpc_error(error), channel)
        return refusal.code
    return "OK"
