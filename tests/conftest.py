"""Settings and stores for all tests, and what each test may start."""

import gc
import os
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

from jackpot.store.opening import Address
from tests.postgres import Server
from tests.stores import KINDS, Stores

# The machine may be busy: an example's time says nothing about the code.
settings.register_profile("default", deadline=None)
settings.load_profile("default")

# What the audit hook is told when a process is started.
STARTS = {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "os.exec"}
_running: list[pytest.Item] = []
_strict = False  # whether this run leaves out tests that start a process


def pytest_configure(config: pytest.Config) -> None:
    """Be strict in runs such as `make unit`, which go by the marks."""
    global _strict  # noqa: PLW0603 - one run of pytest has one answer
    _strict = "process" in config.option.markexpr


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Let the garbage collector pass over the thousands of tests: all of them stay to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def _timeout_s(item: pytest.Item) -> float:
    mark = item.get_closest_marker("timeout")
    return float(mark.args[0]) if mark and mark.args else 0.0


def _long_first(items: list[pytest.Item], workers: int) -> list[pytest.Item]:
    """Begin each worker's part with tests that may take long: else one would run alone at the end.

    xdist gives each worker an equal part of the list, and those who are done take from the others.
    """
    long = sorted(filter(_timeout_s, items), key=_timeout_s, reverse=True)
    rest = [item for item in items if not _timeout_s(item)]
    part = -(-len(rest) // workers)
    return [
        item
        for number in range(workers)
        for item in (*long[number::workers], *rest[number * part : (number + 1) * part])
    ]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests that use a browser or PostgreSQL by their fixtures and parameters."""
    items[:] = _long_first(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        spec = getattr(item, "callspec", None)
        if "chromium" in fixtures:
            item.add_marker("browser")
        if "postgres" in fixtures or (spec and "postgres" in spec.params.values()):
            item.add_marker("postgres")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Know which test runs, from its setup to its teardown."""
    _running.append(item)
    try:
        return (yield)
    finally:
        _running.pop()


def _need(does: str, *marks: str) -> None:
    """Fail the running test if it has none of these marks: `make unit` goes by them."""
    if _strict and _running and not any(map(_running[-1].get_closest_marker, marks)):
        pytest.fail(f"{_running[-1].name} {does}: mark it with @pytest.mark.{marks[0]}")


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if event in STARTS:
        _need(f"starts a process {arguments[:2]}", "process", "browser", "postgres")


sys.addaudithook(_watch)


@pytest.fixture(scope="session")
def stores() -> Iterator[Stores]:
    """Where stores come from."""
    with Stores(lambda: _need("uses PostgreSQL", "postgres")) as made:
        yield made


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, stores: Stores) -> Address:
    """An empty store; the test runs once for each kind."""
    return stores.new(request.param)


@pytest.fixture
def postgres(stores: Stores) -> Server:
    """The PostgreSQL server that this test process shares."""
    return stores.server
