"""Carry out `jackpot-emulator soak`: linked tables under load and faults, audited to the cent."""

import ast
import json
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import click

from emulator.output import make_folder
from emulator.soak.options import EVERY_S, SIGN_LIMIT_S, Options
from emulator.soak.site import MAX_TABLES
from jackpot.console import FiniteRange

_DEFAULT_ROUNDS = 100
_MAX_SEED = 64


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
    from jackpot.store.journal import StoreError
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
    from jackpot.store.journal import StoreError
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
    help="Any text. The same text gives the same cards, players and faults.",
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
    help="How many times as fast as a real table, which plays a round a minute. 0 is as fast as "
    "possible.",
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
    help="Every Nth table plays whole games with a shuffler and a shoe; 0 means no table.",
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
    r"""Play linked tables, cause faults, and audit every cent.

    Exits with 1 if the audit finds an error. The report then gives the
    seed, and the shortest part of the run that shows the error.

    \b
    Example:
      jackpot-emulator soak --tables 50 --rounds 200 --faults all --report out
    """
    from emulator.soak.report.text import text_lines
    from emulator.soak.run_soak import INTERRUPTED, run_soak, write_report

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
        raise SystemExit(INTERRUPTED)
