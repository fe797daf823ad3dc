"""Carry out `jackpot-emulator soak`: linked tables under load and faults, audited to the cent."""

import ast
import asyncio
import json
import shutil
import signal
import sys
import tempfile
from contextlib import closing, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from emulator.output import make_folder
from emulator.soak.controllers import ControllerError
from emulator.soak.options import EVERY_S, SIGN_LIMIT_S, Options
from emulator.soak.site import MAX_TABLES
from jackpot.console import FiniteRange
from jackpot.store.journal import StoreError
from jackpot.tuning import raise_file_limit

if TYPE_CHECKING:
    from rich.console import Console

    from emulator.soak.run import Soak

_DEFAULT_ROUNDS = 100
_MAX_SEED = 64
_SAME_S = 1.0  # `timeout` sends its signal twice, to the process and to its group
_INTERRUPTED = 128 + signal.SIGINT  # what a shell says of a program that Ctrl-C ended


def fault_texts() -> dict[str, str]:
    """What each fault does, read from the source: help must not wait for all that faults import."""
    found = {}
    for module in Path(__file__).with_name("faults").glob("*.py"):
        for each in ast.parse(module.read_text("utf-8")).body:
            if isinstance(each, ast.ClassDef):
                fields = {
                    ast.unparse(line.targets[0]): line.value
                    for line in each.body
                    if isinstance(line, ast.Assign)
                }
                if {"name", "text"} <= fields.keys():
                    name, text = (ast.literal_eval(fields[key]) for key in ("name", "text"))
                    found[name] = text
    return dict(sorted(found.items()))


_FAULTS = "\n".join(f"  {name:<11} {text}" for name, text in fault_texts().items())


def _faults(_context: click.Context, _option: click.Parameter, value: str) -> Any:
    from emulator.soak.faults import UnknownFaultError, parse_faults

    try:
        return parse_faults(value)
    except UnknownFaultError as error:
        raise click.BadParameter(str(error)) from None


def _seed(_context: click.Context, _option: click.Parameter, value: str) -> str:
    if not value.strip() or not value.isprintable() or len(value) > _MAX_SEED:
        raise click.BadParameter(f"expected 1 to {_MAX_SEED} printable characters")
    return value


def _store(_context: click.Context, _option: click.Parameter, value: str) -> str:
    from jackpot.store.opening import is_postgres

    try:
        known = not value or is_postgres(value)
    except StoreError as error:
        raise click.BadParameter(str(error)) from error
    if not known:
        raise click.BadParameter(
            f"{value!r} is not a database address; expected postgresql://HOST/DATABASE, "
            "such as postgresql://localhost/soak"
        )
    return value


def _is_empty(store: str) -> None:
    """Refuse a database that others keep a journal in: a soak would write into it."""
    from jackpot.store.opening import open_to_read

    with suppress(StoreError), closing(open_to_read(store)) as journal:
        if sites := sorted(journal.heads()):
            raise click.ClickException(
                f"the database is not empty: it holds the journal of {', '.join(sites)}; "
                "create an empty one for the soak"
            )


@click.command(epilog=f"\b\nFaults:\n{_FAULTS}")
@click.option(
    "--tables",
    type=click.IntRange(1, MAX_TABLES - 10),
    default=10,
    show_default=True,
    help="How many tables play.",
)
@click.option(
    "--rounds",
    type=click.IntRange(1),
    help=f"Stop after this many rounds at each table.  [default: {_DEFAULT_ROUNDS}, unless another "
    "option ends the run]",
)
@click.option(
    "--wagers",
    type=click.IntRange(1),
    help="Stop after this many accepted wagers, all tables together.",
)
@click.option(
    "--duration", "duration_s", type=FiniteRange(0.1), help="Stop after this many seconds."
)
@click.option(
    "--until-hit",
    metavar="LEVEL",
    default="",
    help="Stop when 100% of this level is won, such as mega/major.",
)
@click.option(
    "--seed",
    default="1",
    show_default=True,
    callback=_seed,
    help="Text that decides cards, players and faults.",
)
@click.option(
    "--faults",
    default="none",
    show_default=True,
    metavar="LIST",
    callback=_faults,
    help="all; none; some, such as kill,late; or all but some, such as all,-disk.",
)
@click.option(
    "--deck",
    type=click.Choice(["fair", "rigged"]),
    default="fair",
    show_default=True,
    help="rigged deals a winning hand in about every fourth round.",
)
@click.option(
    "--speed",
    type=FiniteRange(0),
    default=0,
    show_default=True,
    help="Multiple of a real table's pace, a round a minute; 0 is as fast as possible.",
)
@click.option(
    "--controllers",
    type=click.IntRange(1, 4),
    default=1,
    show_default=True,
    help="How many controllers share the journal.",
)
@click.option(
    "--fronts",
    type=click.IntRange(0, 64),
    help="How many front processes each controller has.  [default: as `jackpot serve`]",
)
@click.option(
    "--store",
    default="",
    metavar="ADDRESS",
    callback=_store,
    help="Empty PostgreSQL database for the journal.  [default: SQLite in a folder]",
)
@click.option(
    "--fault-every",
    "every_s",
    type=FiniteRange(0.1),
    default=EVERY_S,
    show_default=True,
    help="Seconds between two faults of controllers or connections.",
)
@click.option(
    "--whole-games",
    type=click.IntRange(0),
    default=4,
    show_default=True,
    help="Every Nth table plays whole games with a shuffler and a shoe; 0 is none.",
)
@click.option(
    "--sign-limit",
    "sign_limit_s",
    type=FiniteRange(0.1),
    default=SIGN_LIMIT_S,
    show_default=True,
    help="Seconds that a sign may lag behind the journal.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option(
    "--report",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write report.json, report.html and report.txt to this folder.",
)
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep the journal, the transcript and the logs in this folder.",
)
def soak(deck: str, report: Path | None, keep: Path | None, *, as_json: bool, **asked: Any) -> None:
    r"""Play linked tables, break things, and audit every cent.

    Exits with 1 if anything was wrong. The report then gives the seed, and the shortest part of the
    run that shows the fault.

    \b
    Example:
      jackpot-emulator soak --tables 50 --rounds 200 --faults all --report out
    """
    from emulator.soak.report.text import text_lines

    if not any(asked[end] for end in ("rounds", "wagers", "duration_s", "until_hit")):
        asked["rounds"] = _DEFAULT_ROUNDS
    given = {name: value for name, value in asked.items() if value is not None}
    options = Options(rigged=deck == "rigged", **given)
    if options.store:
        _is_empty(options.store)
    if report:
        make_folder(report, "--report")  # before hours are played for it
    found = run_soak(options, keep, show=not as_json or sys.stderr.isatty())
    if report:
        write_report(found, report)
    if as_json:
        click.echo(json.dumps(found))
    else:
        click.echo("\n".join(text_lines(found)))
    if not found["passed"]:
        raise SystemExit(1)
    if found["stopped_early"]:
        raise SystemExit(_INTERRUPTED)


def run_soak(options: Options, keep: Path | None = None, *, show: bool = False) -> dict[str, Any]:
    """Run a soak; its report."""
    import uvloop

    raise_file_limit()  # every table has connections of its own, and a herd has a thousand
    if keep:
        make_folder(keep, "--keep")
        if earlier := [name for name in ("data", "transcript") if (keep / name).exists()]:
            raise click.ClickException(
                f"--keep {keep} already holds a run ({earlier[0]}); choose an empty folder"
            )
    folder = keep or Path(tempfile.mkdtemp(prefix="soak-"))
    wanted, kept = keep is not None, True  # also by what nobody foresaw
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            found = runner.run(_run(options, folder, keep=wanted, show=show))
        kept = wanted or not found["passed"]  # a seed does not repeat what the clock decided
        return {**found, "kept": str(folder) if kept else ""}
    except asyncio.CancelledError:
        kept = wanted
        raise SystemExit(_INTERRUPTED) from None
    except ControllerError as error:
        kept = wanted
        raise click.ClickException(str(error)) from None
    except click.ClickException:
        kept = wanted
        raise
    finally:
        if not kept:
            shutil.rmtree(folder)


async def _run(options: Options, folder: Path, *, keep: bool, show: bool) -> dict[str, Any]:
    from rich.console import Console

    from emulator.soak.report.data import make_report
    from emulator.soak.report.progress import Progress
    from emulator.soak.run import Soak

    run = Soak(options, folder, keep=keep)
    _known_level(run, options.until_hit)
    console = Console(stderr=True)
    stop_when_told(run, console)
    for fault, why in run.impossible.items():
        console.print(f"Fault {fault!r} is excluded: {why}", highlight=False, soft_wrap=True)
    progress = Progress(run, console)
    if show:
        run.say = console.print
    drawing = asyncio.create_task(progress.go_on()) if show else None
    with progress.live() if show else nullcontext():
        await run.run()
    if drawing:
        drawing.cancel()
    return make_report(run)


def stop_when_told(run: "Soak", console: "Console") -> None:
    """Ctrl-C ends a run as if it were over, with its report; the second time without."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    first_s = 0.0

    def stop() -> None:
        nonlocal first_s
        if not first_s:
            first_s = loop.time()
            run.stopping = not run.ended
            doing = "Finishing the rounds under way" if run.stopping else "The run is over"
            console.print(f"{doing}; press Ctrl-C again to quit without a report.")
        elif task and loop.time() - first_s > _SAME_S:
            task.cancel()  # it leaves no controllers and mounts behind

    with suppress(RuntimeError, ValueError):  # not in the main thread
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop)


def _known_level(run: "Soak", level: str) -> None:
    known = [
        f"{link}/{name}" for link, held in run.auditor.books.links.items() for name in held.levels
    ]
    if level and level not in known:
        says = f"there is no level {level!r}; choose from: {', '.join(known)}"
        raise click.BadParameter(says, param_hint="--until-hit")


def write_report(found: dict[str, Any], folder: Path) -> None:
    """The report in all its forms."""
    from emulator.soak.report.html import html_page
    from emulator.soak.report.text import text_lines

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.json").write_text(json.dumps(found, indent=1), "utf-8")
    (folder / "report.html").write_text(html_page(found), "utf-8")
    (folder / "report.txt").write_text("\n".join(text_lines(found)) + "\n", "utf-8")
