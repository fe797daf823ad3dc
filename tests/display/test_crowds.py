"""Crowds at the pages: an address has its share, and staff and health keep theirs."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import pytest_asyncio

from jackpot.display import push
from jackpot.display.web.app import Settings
from jackpot.display.web.serving import OTHER_REQUESTS
from tests.display.secured import SecuredPages, secured_pages
from tests.display.shown import Answer, ask

SIGN = "/events/sign/five"
MOST, EACH = 12, 4
ATTACKER, BYSTANDER = "127.0.0.66", "127.0.0.7"


@pytest_asyncio.fixture(loop_scope="session")
async def pages(tmp_path: Path) -> AsyncIterator[SecuredPages]:
    """The usual site behind TLS, with room for few signs."""
    settings = Settings(max_watchers=MOST, max_watchers_each=EACH)
    async with secured_pages(tmp_path, settings) as served:
        yield served


async def watched(pages: SecuredPages, held: AsyncExitStack, source: str) -> Answer:
    """A sign's stream from an address, kept open."""
    return await held.enter_async_context(ask(pages.url, SIGN, pages.tls(), source=source))


async def test_one_address_has_its_share_of_the_signs(pages: SecuredPages) -> None:
    """Past it, that address is told 503; a sign elsewhere, staff and health are served."""
    olga = pages.house.identity("operations", "olga")
    async with AsyncExitStack() as held:
        for number in range(EACH + 2):
            stream = await watched(pages, held, ATTACKER)
            assert stream.status == (200 if number < EACH else 503)
        assert (await watched(pages, held, BYSTANDER)).status == 200
        assert (await pages.get("/ops", olga))[0] == 200
        assert (await pages.get("/health"))[0] == 200


async def test_one_address_has_its_share_of_the_connections(pages: SecuredPages) -> None:
    """However many it opens and leaves silent, others come in."""
    host, port = pages.url.removeprefix("https://").split(":")
    silent = [
        await asyncio.open_connection(host, int(port), local_addr=(ATTACKER, 0), ssl=pages.tls())
        for _ in range(MOST + OTHER_REQUESTS)
    ]
    async with AsyncExitStack() as held:
        assert (await watched(pages, held, BYSTANDER)).status == 200
        assert (await pages.get("/ops", pages.house.identity("operations", "olga")))[0] == 200
        assert (await pages.get("/health"))[0] == 200
    for _, writer in silent:
        writer.close()


async def test_a_crowd_from_everywhere_leaves_staff_and_health_their_room(
    pages: SecuredPages,
) -> None:
    """Every place for signs is taken, from many addresses: staff look and log in all the same."""
    olga = pages.house.identity("operations", "olga")
    async with AsyncExitStack() as held:
        for number in range(MOST):
            source = f"127.0.1.{1 + number // EACH}"
            assert (await watched(pages, held, source)).status == 200
        host, port = pages.url.removeprefix("https://").split(":")
        for number in range(OTHER_REQUESTS):  # and every connection beside them
            own = (f"127.0.2.{1 + number}", 0)
            silent = await asyncio.open_connection(host, int(port), local_addr=own, ssl=pages.tls())
            held.callback(silent[1].close)
        assert (await watched(pages, held, BYSTANDER)).status == 503
        assert (await pages.get("/health"))[0] == 200
        login = await pages.log_in(olga)
        assert (await pages.get("/events/ops", headers=login))[0] == 200
        assert (await pages.get("/ops", olga))[0] == 200
        assert (await pages.get("/metrics", pages.house.identity("monitor", "m")))[0] == 200


async def test_one_person_has_their_share_of_what_is_kept_for_staff(
    pages: SecuredPages, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person's many tabs cost no other person theirs."""
    monkeypatch.setattr(push, "STAFF_EACH", 2)
    flo, olga = pages.house.identity("floor", "flo"), pages.house.identity("operations", "olga")
    async with AsyncExitStack() as held:
        for number in range(3):
            tab = await held.enter_async_context(ask(pages.url, "/events/ops", pages.tls(flo)))
            assert tab.status == (200 if number < 2 else 503)
        assert (await pages.get("/events/ops", olga))[0] == 200
