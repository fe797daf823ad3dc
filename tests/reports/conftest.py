"""Fixtures for what is read from a journal."""

from pathlib import Path

import pytest

from tests.reports.days import write_days


@pytest.fixture(scope="session")
def three_days(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory whose journal spans three days; nobody may change it."""
    return write_days(tmp_path_factory.mktemp("days"))
