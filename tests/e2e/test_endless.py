"""A client that sends the pages an endless request is cut off, and the tables don't notice."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from emulator.attacks.on_pages import FORMS, send_for_ever
from jackpot.auth.authority import CA_CERTIFICATE, Authority
from jackpot.auth.holder import parse_holder
from jackpot.display.web.connections import MAX_REQUEST_BYTES
from jackpot.wire.channels import Identity
from jackpot.wire.v1 import table_pb2
from table_client.client import TableClient, open_channel
from tests.display.shown import ask
from tests.e2e.process import Process
from tests.server.house import FIVE, SITE, free_port

# One read, and what lies in the sockets' buffers and in TLS's on its way there.
UNDER_WAY_BYTES = 1_500_000
ANSWERED = {  # the others are cut off in the midst of an answer, or after it
    "a header's value": b"431 ",
    "a header's name": b"431 ",
    "headers": b"431 ",
    "a path": b"431 ",
    "empty lines": b"431 ",
    "a body": b"413 ",
}


class Served(NamedTuple):
    """A controller with pages, and what a table and a browser need to speak to it."""

    process: Process
    port: int
    identity: Identity | None
    tls: ssl.SSLContext | None

    @property
    def url(self) -> str:
        """Where the pages are."""
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}"

    @asynccontextmanager
    async def table(self) -> AsyncIterator[TableClient]:
        """An attached table."""
        async with (
            open_channel(self.process.address, self.identity) as channel,
            TableClient(channel, SITE, "s0") as client,
        ):
            await client.attach()
            yield client


@pytest.fixture(scope="module", params=["HTTP", "HTTPS"])
def served(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """`jackpot serve` with its pages."""
    folder = tmp_path_factory.mktemp("served")
    port = free_port()
    options: tuple[str, ...] = ("--http", f"127.0.0.1:{port}")
    identity = tls = None
    if request.param == "HTTPS":
        identity, tls, more = _certified(folder / "ca")
        options += more
    with Process(folder, options=options) as process:
        yield Served(process, port, identity, tls)


def _certified(folder: Path) -> tuple[Identity, ssl.SSLContext, tuple[str, ...]]:
    authority = Authority.create(folder, "House")
    controller, _ = authority.issue_server(("127.0.0.1", "localhost"), 1)
    table, _ = authority.issue(parse_holder(SITE, "table", "s0"), 1)
    root = folder / CA_CERTIFICATE
    tls = ssl.create_default_context(cafile=str(root))
    return Identity(table, root), tls, ("--cert", str(controller), "--ca", str(root))


@pytest.mark.parametrize("form", FORMS)
async def test_an_endless_request_is_cut_off(served: Served, form: str) -> None:
    """After 64 KiB nothing more is read; meanwhile every lock-out is answered and a page shown."""
    async with served.table() as client:
        sending = asyncio.create_task(
            asyncio.to_thread(send_for_ever, ("127.0.0.1", served.port), served.tls, FORMS[form])
        )
        rounds, wager = 0, table_pb2.Wager(seat=1, bet=FIVE, amount_micros=1_000_000)
        while not sending.done() or not rounds:
            await client.open_round()
            await client.place_wagers([wager])
            await client.lock_out()
            await client.void_round("MISDEALT")
            rounds += 1
        async with ask(served.url, "/health", served.tls) as answer:
            assert answer.status == 200
        sent = await sending
    assert sent.size < MAX_REQUEST_BYTES + UNDER_WAY_BYTES
    assert ANSWERED.get(form, b"") in sent.answer


async def test_a_large_request_is_answered(served: Served) -> None:
    """What is well below the limit is no trouble."""
    headers = {f"X-{number}": "a" * 1_000 for number in range(50)}
    async with ask(served.url, "/health", served.tls, headers=headers) as answer:
        assert answer.status == 200
