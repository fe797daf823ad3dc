"""Help is quick and fits the screen: it imports nothing that only a running command needs."""

import os
import subprocess
import sys

import click
import pytest

from emulator.cli import main as emulator
from emulator.soak.command import fault_texts
from emulator.soak.faults import FAULTS
from jackpot.cli.main import main

SLOW = (
    *("grpc", "google.protobuf", "numpy", "sqlite3", "pysqlite3", "sqlite_utils", "starlette"),
    *("uvicorn", "psycopg", "cryptography"),
)
EVERY_HELP = """
import sys
from click import Context, Group
from click.testing import CliRunner
from emulator.cli import main as emulator
from jackpot.cli.main import main

def paths(group, *before):
    yield before
    if isinstance(group, Group):
        for name in group.list_commands(Context(group)):
            yield from paths(group.get_command(Context(group), name), *before, name)

def help_of(command, *words):
    done = CliRunner().invoke(command, [*words, "--help"])
    assert done.exit_code == 0, (words, done.output)
    assert max(map(len, done.output.splitlines())) <= 80, done.output
    assert "..." not in done.output.partition("Commands:")[2], done.output
    found = sorted(set(sys.argv[1:]) & set(sys.modules))
    assert not found, (words, found)

for words in ("soak", "bench rounds", "bench hostile"):
    help_of(emulator, *words.split())
    assert "asyncio" not in sys.modules, words

from table_client.table.command import main as table

for program in (main, table, emulator):
    for words in paths(program):
        help_of(program, *words)
"""


def test_help_imports_nothing_slow_and_fits_the_screen() -> None:
    """The help of every command of every program, and no command's line in a list is cut short."""
    done = subprocess.run(
        [sys.executable, "-c", EVERY_HELP, *SLOW],
        capture_output=True,
        text=True,
        timeout=60,
        # `make coverage` keeps its figures with sqlite3.
        env={name: os.environ[name] for name in os.environ if not name.startswith("COVERAGE_")},
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr


@pytest.mark.parametrize("group", [main, emulator])
def test_a_list_of_commands_says_what_each_command_says_of_itself(group: click.Group) -> None:
    """What is read from the source is what the imported command has as its help."""
    context = click.Context(group)
    read = click.HelpFormatter(width=80)
    group.format_commands(context, read)
    imported = click.HelpFormatter(width=80)
    click.Group.format_commands(group, context, imported)
    assert read.getvalue() == imported.getvalue()


def test_soak_help_has_every_fault() -> None:
    """What help reads from the source is what the faults themselves say."""
    assert fault_texts() == {name: fault.text for name, fault in FAULTS.items()}
