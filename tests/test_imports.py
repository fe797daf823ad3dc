"""Who may import whom, so that the core stays pure and the client stands alone."""

import ast
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
NETWORK = {"grpc", "asyncio", "socket", "time", "random", "secrets", "os", "subprocess"}
OURS = ("jackpot", "table_client", "emulator", "tests")
SDK = ("client", "controllers", "conversation", "outbox", "watching")


def modules(folder: str) -> list[Path]:
    """Every module of a folder."""
    found = sorted((ROOT / folder).rglob("*.py"))
    assert found, folder
    return found


@cache
def imports_of(path: Path) -> list[str]:
    """The full name of everything that a module imports, wherever in it."""
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found += (f"{node.module}.{alias.name}" for alias in node.names)
    return found


def is_of(name: str, words: set[str] | tuple[str, ...]) -> bool:
    """Whether a name is one of these, or inside one of them."""
    return any(name == word or name.startswith(f"{word}.") for word in words)


def offenders(paths: list[Path], forbidden: set[str]) -> list[str]:
    """Imports of what modules must not know."""
    return [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in paths
        for name in imports_of(path)
        if is_of(name, forbidden)
    ]


def strangers(paths: list[Path], allowed: set[str]) -> list[str]:
    """Imports from this project of anything but what modules may know."""
    return [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in paths
        for name in imports_of(path)
        if is_of(name, OURS) and not is_of(name, allowed)
    ]


def test_the_core_is_pure() -> None:
    """No clock, no chance, no input or output, and nothing of the rest of the project."""
    core = modules("jackpot/core")
    assert not strangers(core, {"jackpot.core"})
    assert not offenders(core, NETWORK)


# Each room, and the rooms below it that it may use. What stands in nobody's list imports freely.
ROOMS = {
    "wire": set[str](),
    "front": {"wire", "tuning", "processor", "audit_log"},
    "rules": {"core", "wire"},
    "odds": {"core", "rules", "charts", "wire"},
    "store": {"core", "wire"},
    "auth": {"durable", "wire"},
    "engine": {"core", "durable", "store", "sources", "quota", "processor", "wire"},
    "reports": {"core", "store", "engine", "rules", "verify", "signing", "software", "wire"},
    "server": {
        *("core", "rules", "store", "engine", "auth", "front", "sources", "software", "wire"),
        *("audit_log", "processor"),
    },
}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_uses_only_the_rooms_below_it(room: str) -> None:
    """Imports point one way, and no room of the controller knows tables or the emulator."""
    allowed = {f"jackpot.{each}" for each in ROOMS[room] | {room}}
    assert not strangers(modules(f"jackpot/{room}"), allowed)


def test_the_client_stands_alone() -> None:
    """A vendor's table needs the client and the wire, and nothing else of this project."""
    sdk = [ROOT / "table_client" / f"{name}.py" for name in ("__init__", *SDK)]
    assert sorted((ROOT / "table_client").glob("*.py")) == sorted(sdk)
    assert not strangers(sdk, {f"table_client.{name}" for name in SDK} | {"jackpot.wire"})


def test_a_table_that_plays_knows_rules_and_no_controller() -> None:
    """It uses the client, the rules, and what the rules are written in: money and configuration."""
    allowed = {"table_client", "jackpot.wire", "jackpot.rules", "jackpot.console"}
    allowed |= {"jackpot.core.money", "jackpot.core.config"}
    assert not strangers(modules("table_client"), allowed)


@pytest.mark.parametrize("folder", ["table_client/table/round", "table_client/table/games"])
def test_rounds_and_games_know_no_network(folder: str) -> None:
    """A round speaks to cards and a progressive, whoever they are."""
    wire = {"grpc", "jackpot.wire.v1", "jackpot.wire.channels", "table_client.client"}
    assert not offenders(modules(folder), {*wire, "table_client.table.devices", "emulator"})


def test_nothing_below_knows_the_command_line() -> None:
    """`jackpot.cli` is on top: only the module that starts it, and tests' controllers, know it."""
    everything = [path for folder in OURS[:3] for path in modules(folder)]
    below = [path for path in everything if "jackpot/cli" not in str(path)]
    assert [line.split()[0] for line in offenders(below, {"jackpot.cli"})] == [
        "jackpot/__main__.py",
        "emulator/soak/under_test.py",
    ]


def test_the_commands_that_start_tables_are_few() -> None:
    """The demo, and nothing else of the controller, knows the emulator and tables that play."""
    found = offenders(modules("jackpot"), {"emulator", "table_client.table"})
    places = {Path(line.split()[0]).name for line in found}
    assert places == {"demo.py", "demo_floor.py", "demo_view.py"}


def test_the_product_needs_neither_its_tools_nor_its_tests() -> None:
    """Both stay behind when it is installed."""
    for folder in ("jackpot", "table_client", "emulator"):
        assert not offenders(modules(folder), {"tools", "tests"})
