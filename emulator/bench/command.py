"""The `jackpot-emulator bench` command and its benchmarks, as the command line has them.

Each is carried out by `run` in the module of its name.
"""

import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from emulator.output import make_folder
from jackpot.console import LazyGroup

_BENCHMARKS = ("rounds", "hostile", "wagers", "cluster", "costs", "scaling", "watchers", "hands")
_SCENARIO = "--scenario"
MOST_TABLES = 512
PARTS = ("tables", "load", "length", "links")  # of `wagers`
TABLES = (1, 8, 64, 512)
ATTACK_S = 5.0
_COSTS = Path("docs/internals/bench/costs.json")


def _writable(_context: click.Context, option: click.Parameter, value: Path | None) -> Path | None:
    """Check the folder before minutes are spent measuring."""
    if value:
        make_folder(value, option.opts[0])
    return value


def folder_option(name: str, says: str) -> Callable[[Any], Any]:
    """An option that names a folder to write into."""
    kind = click.Path(path_type=Path, file_okay=False)
    return click.option(name, type=kind, callback=_writable, help=says)


report_option = folder_option("--report", "Also write the report into this folder.")
quick_option: Callable[[Any], Any] = click.option(
    "--quick", is_flag=True, help="Do fewer and shorter runs, only to see that it works."
)
data_option: Callable[[Any], Any] = click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Folder on the disk to measure; files made there are removed.  [default: this folder]",
)
runs_option: Callable[[Any], Any] = click.option(
    "--runs",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="How many times to repeat the whole measurement.",
)
json_option: Callable[[Any], Any] = click.option(
    "--json", "as_json", is_flag=True, help="Print the report as JSON."
)


def temporary_folder(data: Path) -> Path:
    """A folder on a disk that was named, which is gone when the command ends."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="bench-", dir=data)).resolve()
    except OSError as error:
        says = f"can't write into --data {data}: {error.strerror}"
        raise click.ClickException(says) from None
    click.get_current_context().call_on_close(lambda: shutil.rmtree(folder, ignore_errors=True))
    folder.chmod(0o755)  # root's PostgreSQL runs as somebody else
    return folder


@contextmanager
def progress(steps: int, what: str) -> Iterator[Callable[[], object]]:
    """A bar on the terminal, where there is one, and what to call after each step."""
    shown = sys.stderr.isatty()
    with click.progressbar(
        length=steps, label=what, file=sys.stderr, width=30, hidden=not shown
    ) as bar:
        yield lambda: bar.update(1)


class Counts(click.ParamType[tuple[int, ...]]):
    """Numbers of tables: 8,64."""

    name = "counts"

    def convert(
        self, value: Any, _option: click.Parameter | None, _context: click.Context | None
    ) -> tuple[int, ...]:
        """What was asked for, each once."""
        words = str(value).split(",")
        if all(word.isdecimal() and 1 <= int(word) <= MOST_TABLES for word in words):
            return tuple(dict.fromkeys(map(int, words)))
        raise click.ClickException(
            f"--tables {value}: expected numbers from 1 to {MOST_TABLES}, such as 8,64"
        )


class _Benchmark(click.Command):
    """Imports what measures when it runs, so that help need not wait for it."""

    def invoke(self, context: click.Context) -> None:
        """Run it with all options, by name."""
        import_module(f"emulator.bench.{self.name}").run(**context.params)


class _Benchmarks(LazyGroup):
    """Runs `rounds` where no benchmark is named; `--scenario NAME` names one too."""

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        """Take options without a name for those of `rounds`."""
        first, _, name = (arguments or [""])[0].partition("=")
        if first == _SCENARIO:
            name, rest = (
                (name, arguments[1:]) if name else (" ".join(arguments[1:2]), arguments[2:])
            )
            if name not in _BENCHMARKS:
                known = ", ".join(_BENCHMARKS)
                raise click.ClickException(f"{_SCENARIO} {name}: expected one of {known}")
            arguments = [name, *rest]
        elif not first or (first.startswith("-") and first != "--help"):
            arguments = ["rounds", *arguments]
        return super().parse_args(context, arguments)


@click.group(
    cls=_Benchmarks,
    modules=dict.fromkeys(_BENCHMARKS, __name__),
    extras={"numpy": "emulator"},
)
def bench() -> None:
    r"""Measure the controller. Without a benchmark's name, run `rounds`.

    `bench --scenario NAME` means the same as `bench NAME`.

    \b
    Example:
      jackpot-emulator bench --scenario rounds --tables 8,64 --runs 3 --json
      jackpot-emulator bench hands
    """
    signal.signal(signal.SIGTERM, _end)


def _end(*_: object) -> None:
    """Whatever was started is stopped, and the folder goes."""
    sys.exit(128 + signal.SIGTERM)


@click.command(cls=_Benchmark)
@click.option(
    "--tables", type=Counts(), default="8,64", show_default=True, help="How many tables play."
)
@runs_option
@data_option
@report_option
@json_option
def rounds() -> None:
    r"""Measure whole rounds. This is the main benchmark.

    Plays rounds with a real site file: PA 657a, schedule C with the Five Card Hand Bonus, six
    seats, folds, awards and voids. Compares `jackpot serve` with three other servers: one that
    only echoes messages, a PostgreSQL procedure that does the bookkeeping of a round, and a simple
    controller that commits each wager alone. Each ratio compares two measurements of one run. The
    report gives the median of the runs, with the lowest and the highest. Takes under a minute.

    \b
    Example:
      jackpot-emulator bench rounds --tables 8,64 --runs 3 --json
    """


@click.command(cls=_Benchmark)
@runs_option
@click.option(
    "--seconds",
    type=click.FloatRange(0.5),
    default=ATTACK_S,
    show_default=True,
    help="How long each attack lasts once it is at full strength.",
)
@data_option
@report_option
@json_option
def hostile() -> None:
    r"""Measure a lock-out while abusive clients attack.

    There are four attacks: an endless HTTP header; 3,000 abandoned connections; calls with a
    revoked certificate, which the client resets; and 200 browsers that keep reloading. The report
    compares each attack with the same tables without an attack, in the same run. Exits with 1 if
    an answer is lost or a meter is wrong. Takes three minutes.

    \b
    Example:
      jackpot-emulator bench hostile --runs 1 --seconds 3
    """


@click.command(cls=_Benchmark)
@quick_option
@click.option(
    "--full",
    is_flag=True,
    help="Also measure with a journal of ten million entries (12 GB of disk).",
)
@click.option(
    "--only",
    type=click.Choice(PARTS),
    multiple=True,
    help="Measure only this part; may be repeated.",
)
@click.option(
    "--tables",
    type=click.IntRange(1, 512),
    multiple=True,
    help=f"How many tables play; may be repeated.  [default: {', '.join(map(str, TABLES))}]",
)
@data_option
@folder_option(
    "--journals", "Keep the long journals in this folder, and reuse those already there."
)
@report_option
@click.option(
    "--page",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Also write the figures into this Markdown page, between its two markers.",
)
@json_option
def wagers() -> None:
    r"""Measure wagers alone. This is a micro-benchmark.

    Shows wagers per second, latency, processor time and memory. Compares the controller with a
    server that only echoes, with PostgreSQL, and with a simple controller. Also measures the cost
    of a long journal and of many links. Tables place wagers and void them, so no meter changes. To
    measure realistic play, use `bench rounds`.

    The servers take turns, and a separate process sends the load. Compare only figures of the same
    run, because machines differ. The report is bench.json, bench.html and bench.txt.

    \b
    Example:
      jackpot-emulator bench wagers --quick --report out
    """


@click.command(cls=_Benchmark)
@quick_option
@report_option
@json_option
def cluster() -> None:
    r"""Measure three controllers on one PostgreSQL server.

    Compares the controllers with a simple stored procedure, which inserts a wager and adds to the
    meter's row. Exits with 1 if one link shared by all tables accepts fewer than five times as
    many wagers as the procedure, or if adding sites lowers the rate. Takes ten minutes.

    \b
    Example:
      jackpot-emulator bench cluster --report docs/internals/bench
    """


@click.command(cls=_Benchmark)
@quick_option
@report_option
@json_option
def costs() -> None:
    r"""Measure the processor time that a wager takes on PostgreSQL.

    Prints the processor time of the controller and of the database, in microseconds. Takes two
    minutes.

    \b
    Example:
      jackpot-emulator bench costs --report docs/internals/bench
    """


@click.command(cls=_Benchmark)
@click.option(
    "--costs",
    "costs_path",
    type=click.Path(path_type=Path, dir_okay=False),
    default=_COSTS,
    show_default=True,
    help="The file that `bench costs` wrote.",
)
@click.option(
    "--cores",
    type=click.IntRange(1),
    default=8,
    show_default=True,
    help="How many processor cores the database has.",
)
@click.option(
    "--flush-ms",
    default=1.0,
    show_default=True,
    help="How long the database takes to flush its log.",
)
@click.option(
    "--round-trip-ms",
    default=0.3,
    show_default=True,
    help="How long a message takes from a controller to the database and back.",
)
@click.option("--tables", type=click.IntRange(1), help="Simulate at most this many tables.")
@click.option(
    "--plot",
    "plot_path",
    type=click.Path(path_type=Path, dir_okay=False, writable=True),
    metavar="FILE.svg",
    help="Also draw a plot.",
)
@report_option
@json_option
def scaling() -> None:
    r"""Simulate the tables of a whole casino group.

    Uses the costs that `bench costs` measured. In the case "houses", each site has 20 tables, a
    controller that serves it, and a second one that follows. In the case "wide area", one link has
    tables on all controllers. Takes half a minute.

    \b
    Example:
      jackpot-emulator bench scaling --tables 10000
    """


@click.command(cls=_Benchmark)
@quick_option
@report_option
@json_option
def watchers() -> None:
    r"""Measure the processor time that 200 signs take.

    Compares the processor time per wager with and without the signs. Exits with 1 if the signs add
    more than 10%. Takes two minutes.

    \b
    Example:
      jackpot-emulator bench watchers --quick
    """


@click.command(cls=_Benchmark)
@quick_option
@report_option
@json_option
def hands() -> None:
    r"""Measure how fast hands are ranked.

    Ranks hands in bulk, as `jackpot odds` does, and one by one, as the settlement of a round does.
    Exits with 1 if bulk ranking takes fewer than two million five-card hands per second. Takes ten
    seconds on one core.

    \b
    Example:
      jackpot-emulator bench hands
    """
