"""`jackpot-emulator conform`: test a vendor's table client with a controller that causes faults."""

import asyncio
import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from emulator.output import address

if TYPE_CHECKING:
    from emulator.conform.trials import Trial


@click.command(context_settings={"ignore_unknown_options": True})
@click.option(
    "--listen",
    default="127.0.0.1:0",
    metavar="HOST:PORT",
    callback=address,
    help="Where the client connects. [default: a free port of this machine]",
)
@click.option(
    "--only", multiple=True, metavar="TRIAL", help="Run only this trial; may be repeated."
)
@click.option(
    "--patience",
    type=click.FloatRange(1, 3_600),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for a client that does not ask for its next round.",
)
@click.option(
    "--papers",
    type=click.FloatRange(0, 3_600),
    default=11.0,  # two heartbeats are five seconds apart: whoever waits shows that they beat
    show_default=True,
    metavar="SECONDS",
    help="How long the simulated paperwork of a large award takes.",
)
@click.option(
    "--tls",
    is_flag=True,
    help="Use TLS. The command issues certificates, and revokes the client's certificate at the "
    "end.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.option(
    "--junit",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the result as JUnit XML.",
)
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the result as a web page.",
)
@click.option("--list", "only_list", is_flag=True, help="List the trials and rules, and stop.")
@click.argument("client", nargs=-1, type=click.UNPROCESSED)
def conform(
    listen: str,
    only: tuple[str, ...],
    patience: float,
    papers: float,
    junit: Path | None,
    html: Path | None,
    client: tuple[str, ...],
    *,
    tls: bool,
    as_json: bool,
    only_list: bool,
) -> None:
    r"""Test a table client against a controller that causes faults.

    CLIENT is the command that starts your client. The client reads the address, the site and
    the table from the environment variables JACKPOT_ADDRESS, JACKPOT_SITE and JACKPOT_TABLE. With
    --tls, it also reads the names of its files from JACKPOT_CA, JACKPOT_CERT and JACKPOT_KEY.
    Without CLIENT, start your client yourself.

    Exits with 1 if the client breaks a rule of the table contract, or if the test did not see the
    client follow a rule.

    \b
    Example:
      jackpot-emulator conform -- node client.js
      jackpot-emulator conform --listen 127.0.0.1:7500 --junit conform.xml
    """
    from emulator.conform import report
    from emulator.conform.lines import RULES
    from emulator.conform.run import Options, Verdict, hold
    from emulator.conform.trials import all_trials
    from emulator.output import wrapped

    trials = all_trials()
    if only_list:
        lines = [("trial", each.id, each.text) for each in trials]
        lines += [("rule", each.id, each.text) for each in RULES]
        said = (wrapped(f"{kind:<7}{name:<24}", text) for kind, name, text in lines)
        click.echo("\n".join(chain(*said)))
        return
    chosen = _choose(trials, only)
    started: list[subprocess.Popen[bytes]] = []

    def ready(known: dict[str, str]) -> None:
        if client:
            started.append(_start(client, known))
        elif not as_json:
            click.echo("waiting for a client started with these variables:")
            click.echo("\n".join(f"  {name}={value}" for name, value in known.items()))

    def ending() -> str:
        return next((said for process in started if (said := _ending(process))), "")

    def tell(verdict: Verdict) -> None:
        for line in () if as_json else report.lines_of(verdict):
            click.echo(line)

    with tempfile.TemporaryDirectory(prefix="jackpot-conform-") as folder:
        options = Options(listen, patience, papers, tls)
        try:
            verdicts = asyncio.run(hold(chosen, Path(folder), options, ready, tell, ending))
        except KeyboardInterrupt:
            raise click.ClickException("stopped before the end, so there is no result") from None
        finally:
            for process in started:
                _end(process)
    click.echo(
        json.dumps(report.as_data(verdicts), indent=2) if as_json else report.summary(verdicts)
    )
    for path, make in ((junit, report.junit), (html, report.html_page)):
        if path:
            path.write_text(make(verdicts), "utf-8")
    raise SystemExit(0 if report.kept(verdicts) else 1)


def _choose(trials: "list[Trial]", only: tuple[str, ...]) -> "list[Trial]":
    if unknown := sorted(set(only) - {trial.id for trial in trials}):
        raise click.BadParameter(f"{unknown[0]} is not a trial; see --list", param_hint="--only")
    return [trial for trial in trials if not only or trial.id in only]


def _start(client: Sequence[str], known: Mapping[str, str]) -> "subprocess.Popen[bytes]":
    try:
        return subprocess.Popen(client, env={**os.environ, **known})  # noqa: S603 - as the user says
    except OSError as error:
        raise click.ClickException(f"can't start {client[0]}: {error.strerror}") from None


def _ending(process: "subprocess.Popen[bytes]") -> str:
    """How a process has ended; empty: it has not."""
    code = process.poll()
    if code is None:
        return ""
    return f"it exited with code {code}" if code >= 0 else f"signal {-code} ended it"


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Let it end by itself, then ask, then kill."""
    for number in (None, signal.SIGTERM, signal.SIGKILL):
        if number is not None:
            process.send_signal(number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=3)
            return
