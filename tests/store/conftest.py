"""Where the tests of the PostgreSQL store keep theirs."""

import pytest

from tests.stores import Stores


@pytest.fixture
def address(stores: Stores) -> str:
    """An empty database."""
    return str(stores.new("postgres"))
