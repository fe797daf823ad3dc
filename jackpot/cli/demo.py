"""`jackpot demo`: a whole floor at work, live in the terminal.

A controller, its pages, a process with shufflers and shoes, and six tables of three games.
"""

import contextlib
import secrets
import tempfile
from pathlib import Path
from typing import Any

import click

from jackpot import display
from jackpot.cli.shared.connection import DEFAULT_CONTROLLER
from jackpot.cli.shared.parameters import FOLDER
from jackpot.console import FiniteRange, one_line
from table_client.table.devices.device_faults import PPM

SPEED = 8.0  # so that something happens every few seconds


@click.command()
@click.option(
    "--rounds", type=click.IntRange(1), help="Stop after this many rounds, all tables together."
)
@click.option(
    "--data", type=FOLDER, help="Where to keep the journal. [default: a temporary directory]"
)
@click.option(
    "--grpc",
    "address",
    metavar="HOST:PORT",
    help=f"Where to listen. [default: {DEFAULT_CONTROLLER} if free]",
)
@click.option(
    "--http",
    metavar="HOST:PORT",
    help=f"Where to serve signs and pages. [default: {display.ADDRESS} if free]",
)
@click.option("--seed", type=int, help="The same seed deals the same cards.")
@click.option(
    "--speed",
    type=FiniteRange(0, 1_000),
    help=f"How many times as fast as a real table; 0 is as fast as possible. "
    f"[default: {SPEED:g}, or 0 with --rounds]",
)
@click.option("--fair", is_flag=True, help="Do not rig the cards; jackpots are then rare.")
@click.option(
    "--fault-rate",
    "fault_rate_ppm",
    type=click.IntRange(0, PPM),
    default=0,
    show_default=True,
    metavar="PPM",
    help="How often each device or card fault happens, per million chances.",
)
@click.option("--json", "json_", is_flag=True, help="Print one line of JSON per round.")
@one_line
def demo(data: Path | None, seed: int | None, speed: float | None, **options: Any) -> None:
    r"""Run a controller and six simulated tables, until Ctrl-C.

    The cards are rigged so that someone wins every few rounds; --fair deals them at random.
    With --rounds, time is simulated too, so the same seed gives the same journal.

    \b
    Example:
      jackpot demo --rounds 30 --seed 7
    """
    from jackpot.cli.demo_floor import Options, run_demo

    json_ = options.pop("json_")
    if speed is None:
        speed = SPEED if options["rounds"] is None else 0
    options |= {"speed": speed, "seed": str(secrets.randbits(32) if seed is None else seed)}
    with contextlib.ExitStack() as stack:
        if data is None:
            data = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="jackpot-demo-")))
        run_demo(Options(data=data, **options), json_=json_)
