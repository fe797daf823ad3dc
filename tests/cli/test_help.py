"""Help is quick: it imports nothing that only a running command needs."""

import subprocess
import sys

import click
import pytest

from emulator.cli import main as emulator
from jackpot.cli.http import PAGES
from jackpot.cli.main import main
from jackpot.display.web.beside import ADDRESS

SLOW = (
    *("grpc", "google.protobuf", "numpy", "sqlite3", "pysqlite3", "sqlite_utils", "starlette"),
    *("uvicorn", "psycopg", "cryptography"),
)
EVERY_HELP = """
import sys
from click import Context, Group
from click.testing import CliRunner
from emulator.devices.command import devices
from jackpot.cli.main import main
from table_client.table.command import main as table

def paths(group, *before):
    yield before
    if isinstance(group, Group):
        for name in group.list_commands(Context(group)):
            yield from paths(group.get_command(Context(group), name), *before, name)

def help_of(command, *words):
    done = CliRunner().invoke(command, [*words, "--help"])
    assert done.exit_code == 0, (words, done.output)
    found = sorted(set(sys.argv[1:]) & set(sys.modules))
    assert not found, (words, found)

for words in paths(main):
    help_of(main, *words)
for command in (table, devices):
    help_of(command)
"""
LISTS = """
import sys
from click.testing import CliRunner
from emulator.cli import main
for words in (["--help"], ["bench", "--help"]):
    assert CliRunner().invoke(main, words).exit_code == 0
print(*sorted(set(sys.argv[1:]) & set(sys.modules)))
"""


@pytest.mark.parametrize("program", [EVERY_HELP, LISTS])
def test_help_imports_nothing_slow(program: str) -> None:
    """Neither the help of any command, nor the list of the emulator's and the benchmarks."""
    done = subprocess.run(
        [sys.executable, "-c", program, *SLOW],
        capture_output=True,
        text=True,
        timeout=60,
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


def test_pages_are_served_where_the_help_says() -> None:
    """The address is written where help can read it, and where pages are served."""
    assert PAGES == ADDRESS
