"""Where the tests of the PostgreSQL store keep theirs."""

import pytest

from tests.postgres import Server
from tests.stores import Stores


@pytest.fixture
def address(stores: Stores, postgres: Server) -> str:  # noqa: ARG001 - marks the test
    """An empty database."""
    return str(stores.new("postgres"))
