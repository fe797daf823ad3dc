"""The `jackpot-emulator bench` command, and the options that its benchmarks share."""

import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from emulator.output import make_folder
from jackpot.console import LazyGroup

_BENCHMARKS = ("compare", "cluster", "costs", "scaling", "watchers", "hands")


def _writable(_context: click.Context, option: click.Parameter, value: Path | None) -> Path | None:
    """Find out before minutes are measured for it."""
    if value:
        make_folder(value, option.opts[0])
    return value


def folder_option(name: str, says: str) -> Callable[[Any], Any]:
    """An option that names a folder to write into."""
    kind = click.Path(path_type=Path, file_okay=False)
    return click.option(name, type=kind, callback=_writable, help=says)


report_option = folder_option("--report", "Also write the report into this folder.")
quick_option: Callable[[Any], Any] = click.option(
    "--quick", is_flag=True, help="Fewer and shorter runs, to see that it works."
)
json_option: Callable[[Any], Any] = click.option(
    "--json", "as_json", is_flag=True, help="Print the report as JSON."
)


class _Benchmarks(LazyGroup):
    """Runs `compare` where no benchmark is named."""

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        """Take options without a name for those of `compare`."""
        if not arguments or (arguments[0].startswith("-") and arguments[0] != "--help"):
            arguments = ["compare", *arguments]
        return super().parse_args(context, arguments)


@click.group(
    cls=_Benchmarks,
    modules={name: f"emulator.bench.{name}" for name in _BENCHMARKS},
    extras={"numpy": "emulator"},
)
def bench() -> None:
    r"""Measure the controller. Without the name of a benchmark, run `compare`.

    \b
    Example:
      jackpot-emulator bench --quick
      jackpot-emulator bench hands
    """
    signal.signal(signal.SIGTERM, _end)


def _end(*_: object) -> None:
    """Whatever was started is stopped, and the folder goes."""
    sys.exit(128 + signal.SIGTERM)
