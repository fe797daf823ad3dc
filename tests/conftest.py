"""Settings and stores for all tests."""

from collections.abc import Iterator

import pytest
from hypothesis import settings

from jackpot.store.opening import Address
from tests.postgres import Server
from tests.stores import KINDS, Stores

# The machine may be busy: an example's time says nothing about the code.
settings.register_profile("default", deadline=None)
settings.load_profile("default")


@pytest.fixture(scope="session")
def stores() -> Iterator[Stores]:
    """Where stores come from."""
    with Stores() as made:
        yield made


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, stores: Stores) -> Address:
    """An empty store; the test runs once for each kind."""
    return stores.new(request.param)


@pytest.fixture
def postgres(stores: Stores) -> Server:
    """The PostgreSQL server that this test process shares."""
    return stores.server
