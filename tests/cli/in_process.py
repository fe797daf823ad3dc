"""Commands run in the test's own process: most of a new one's time would go into its imports."""

from typing import NamedTuple

import click
from click.testing import CliRunner


class Done(NamedTuple):
    """What a command that has ended leaves."""

    returncode: int
    stdout: str
    stderr: str


def run_here(program: click.Command, *args: str) -> Done:
    """Run a command without a terminal; an exception that it does not handle is raised."""
    result = CliRunner().invoke(program, args)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Done(result.exit_code, result.stdout, result.stderr)
