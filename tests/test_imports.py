"""The folders' order: who may import whom, so that the core stays pure."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
NETWORK = {"grpc", "asyncio", "socket", "time", "random", "secrets", "os", "subprocess"}


def imported(folder: str) -> Iterator[tuple[str, str]]:
    """Every module of a folder with each name that it imports."""
    for path in sorted((ROOT / folder).rglob("*.py")):
        place = str(path.relative_to(ROOT))
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                yield from ((place, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield place, node.module or ""


def offenders(folder: str, forbidden: set[str]) -> list[str]:
    """Imports of what a folder must not know, by the first words of their names."""
    return [
        f"{place} imports {name}"
        for place, name in imported(folder)
        if any(name == word or name.startswith(f"{word}.") for word in forbidden)
    ]


def test_the_core_is_pure() -> None:
    """No clock, no chance, no input or output, and nothing of the rest of the project."""
    rest = {f"jackpot.{each.stem}" for each in (ROOT / "jackpot").iterdir()} - {"jackpot.core"}
    assert not offenders("jackpot/core", NETWORK | rest | {"table_client", "emulator"})


@pytest.mark.parametrize(
    "folder", ["rules", "odds", "store", "engine", "server", "auth", "reports"]
)
def test_the_controller_knows_no_tables_and_no_emulator(folder: str) -> None:
    """Tables come to it over the wire; only its command line and pages speak their language."""
    assert list(imported(f"jackpot/{folder}"))
    assert not offenders(f"jackpot/{folder}", {"table_client", "emulator"})


@pytest.mark.parametrize("folder", ["table_client/round", "table_client/games"])
def test_rounds_and_games_know_no_network(folder: str) -> None:
    """A round speaks to cards and a progressive, whoever they are."""
    wire = {
        "grpc",
        "jackpot.v1",
        "emulator.devices",
        "table_client.client",
        "table_client.table.devices.deck",
    }
    assert not offenders(folder, wire)


def test_the_commands_that_start_tables_are_few() -> None:
    """The demo, and nothing else of the command line, knows the emulator."""
    found = {place for place, name in imported("jackpot/cli") if name.startswith("emulator")}
    assert found == {"jackpot/cli/demo.py", "jackpot/cli/demo_floor.py"}
