"""Tests say what they start, so that `make unit` can leave out what is slow."""

import subprocess
import sys

import pytest

from tests import conftest
from tests.stores import Stores


@pytest.fixture(autouse=True)
def _strict(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in `make unit`, which leaves out what is marked."""
    monkeypatch.setattr(conftest, "_strict", True)


def test_a_process_needs_its_mark() -> None:
    """A test without one fails where it starts the process."""
    with pytest.raises(pytest.fail.Exception, match=r"starts a process.*@pytest\.mark\.process"):
        subprocess.run([sys.executable, "-c", ""], check=True)


def test_postgres_needs_its_mark(stores: Stores) -> None:
    """Even where another test has started the server already."""
    with pytest.raises(pytest.fail.Exception, match=r"uses PostgreSQL.*@pytest\.mark\.postgres"):
        stores.new("postgres")


@pytest.mark.process
def test_a_marked_test_may_start_one() -> None:
    """The mark is all that it needs."""
    assert subprocess.run([sys.executable, "-c", ""], check=True).returncode == 0


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_parameters_mark_a_test(request: pytest.FixtureRequest, kind: str) -> None:
    """A test that runs once for each kind of store is marked for PostgreSQL in one of them."""
    assert bool(request.node.get_closest_marker("postgres")) == (kind == "postgres")
