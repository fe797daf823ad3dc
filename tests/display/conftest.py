"""Fixtures for tests of pages: a served site, and a real browser to look at it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from jackpot.auth import pins as pin_module
from tests.auth.test_pins import GOOD, call
from tests.display.browser import Browser, open_browser
from tests.display.secured import SecuredPages, secured_pages
from tests.display.shown import Shown, open_shown


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run these tests in one loop, since they share a browser that belongs to it."""
    here = f"{Path(__file__).parent}/"
    for item in items:
        if str(item.path).startswith(here) and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(loop_scope="session")
async def shown(tmp_path: Path) -> AsyncIterator[Shown]:
    """The usual site with its pages."""
    async with open_shown(tmp_path) as served:
        yield served


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium() -> AsyncIterator[Browser]:
    """Chromium, where there is one; it takes seconds to start, so all tests share it."""
    async with open_browser() as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="session")
async def browser(chromium: Browser) -> AsyncIterator[Browser]:
    """Chromium, all windows of the test closed at its end."""
    yield chromium
    await chromium.close_windows()


@pytest_asyncio.fixture(loop_scope="session")
async def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SecuredPages]:
    """The usual site behind TLS; floorperson Flo has a PIN."""
    from argon2 import PasswordHasher  # noqa: PLC0415

    hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(pin_module, "_hasher", lambda: hasher)
    pin_module._nobodys_hash.cache_clear()
    async with secured_pages(tmp_path) as served:
        flo = served.house.identity("floor", "flo")
        assert (await call(served.house, flo, "SetPin", pin=GOOD)).holder
        yield served
