"""`jackpot demo`: a whole floor at work, live in the terminal.

A controller, its pages, a process with shufflers and shoes, and six tables of three games.
"""

import contextlib
import secrets
import tempfile
from pathlib import Path

import click

from jackpot.cli.connection import DEFAULT_CONTROLLER
from jackpot.cli.http import PAGES
from jackpot.console import FiniteRange, one_line
from table_client.table.devices.faults import PPM

SPEED = 8.0  # so that something happens every few seconds


@click.command()
@click.option("--rounds", type=click.IntRange(1), help="Stop after so many rounds, all tables.")
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep the journal here. [default: a temporary directory]",
)
@click.option(
    "--grpc", "address", metavar="HOST:PORT", help=f"[default: {DEFAULT_CONTROLLER} if free]"
)
@click.option("--http", metavar="HOST:PORT", help=f"Signs and pages. [default: {PAGES} if free]")
@click.option("--seed", type=int, help="The same seed deals the same cards.")
@click.option(
    "--speed",
    type=FiniteRange(0, 1_000),
    help=f"Times as fast as people play; 0: at once. [default: {SPEED:g}, with --rounds 0]",
)
@click.option("--fair", is_flag=True, help="Leave the cards to chance; jackpots are rare then.")
@click.option(
    "--fault-rate",
    type=click.IntRange(0, PPM),
    default=0,
    show_default=True,
    metavar="PPM",
    help="How often each fault of devices and cards happens, in a million chances.",
)
@click.option("--json", "json_", is_flag=True, help="One line of JSON a round.")
@one_line
def demo(
    rounds: int | None,
    data: Path | None,
    address: str | None,
    http: str | None,
    seed: int | None,
    speed: float | None,
    fault_rate: int,
    *,
    fair: bool,
    json_: bool,
) -> None:
    r"""Run a controller, shufflers and shoes, and six tables on it, until Ctrl-C.

    The cards are rigged, so that an award falls every few rounds; --fair leaves them to chance.
    With --rounds the time is the demo's own too: the same seed gives the same journal.

    \b
    Example:
      jackpot demo --rounds 30 --seed 7
    """
    from jackpot.cli.demo_floor import Options, run_demo

    if speed is None:
        speed = SPEED if rounds is None else 0
    name = str(secrets.randbits(32) if seed is None else seed)
    with contextlib.ExitStack() as stack:
        if data is None:
            data = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="jackpot-demo-")))
        run_demo(Options(rounds, data, address, http, name, speed, fair, fault_rate), json_=json_)
