"""Fixtures for tests that talk to a controller over gRPC."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from jackpot.store.opening import Address
from tests.server.house import House, open_house


@pytest_asyncio.fixture
async def house(tmp_path: Path, store: Address) -> AsyncIterator[House]:
    """The usual site, served."""
    async with open_house(tmp_path, store) as served:
        yield served
