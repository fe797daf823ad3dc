"""`jackpot-emulator devices`: shufflers and dealing shoes for many tables, in a process."""

import asyncio
import json
import time
from collections.abc import Callable

import click

from emulator.devices.timing import MAX_SPEED
from emulator.output import address
from jackpot.console import FiniteRange
from jackpot.wire.address import AddressError
from table_client.table.devices.device_faults import PPM

Log = Callable[..., None]


def make_log(*, as_json: bool) -> Log:
    """A function that prints what happened, one line each, for people or for machines."""

    def log(event: str, **fields: object) -> None:
        if as_json:
            line = json.dumps({"at": round(time.time(), 3), "event": event, **fields})
        else:
            line = " ".join([event, *(f"{name}={value}" for name, value in fields.items())])
        click.echo(line)

    return log


@click.command()
@click.option(
    "--listen",
    default="127.0.0.1:7171",
    show_default=True,
    metavar="HOST:PORT",
    callback=address,
    help="Where to listen; port 0 picks a free one.",
)
@click.option(
    "--speed",
    type=FiniteRange(0, MAX_SPEED),
    default=1,
    show_default=True,
    help="How many times as fast as real devices; 0 is as fast as possible.",
)
@click.option(
    "--seed",
    default="",
    metavar="TEXT",
    help="Replay the same shuffles and faults. Without a seed they are unpredictable.",
)
@click.option(
    "--fault-rate",
    type=click.IntRange(0, PPM),
    default=0,
    show_default=True,
    metavar="PPM",
    help="How often each fault happens, per million chances.",
)
@click.option("--json", "as_json", is_flag=True, help="Write log lines as JSON.")
@click.option(
    "--until-eof", is_flag=True, help="Stop when standard input ends; for use as a child process."
)
def devices(
    listen: str, speed: float, seed: str, fault_rate: int, *, as_json: bool, until_eof: bool
) -> None:
    r"""Emulate shufflers and dealing shoes for many tables, over gRPC.

    Prints the address it listens on. SIGTERM stops it.

    \b
    Example:
      jackpot-emulator devices --listen 127.0.0.1:7171 --speed 10
    """
    from emulator.devices.process import serve
    from table_client.table.devices.device_faults import Fault
    from table_client.table.devices.model import MAX_NAME

    if len(seed) > MAX_NAME:
        raise click.BadParameter(f"at most {MAX_NAME} characters", param_hint="--seed")
    log = make_log(as_json=as_json)
    rates_ppm = dict.fromkeys(Fault, fault_rate)
    try:
        asyncio.run(
            serve(listen, log, speed=speed, seed=seed, rates_ppm=rates_ppm, until_eof=until_eof)
        )
    except AddressError as error:
        raise click.ClickException(str(error)) from None
