"""`jackpot serve`: a controller, until it is told to stop."""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import click
import uvloop

from jackpot.cli.failures import one_line
from jackpot.cli.http import pages, settings, theme_option
from jackpot.core.config import Site
from jackpot.display.app import Settings
from jackpot.engine import Engine
from jackpot.engine.faults import from_environment
from jackpot.rules.hands import names
from jackpot.rules.site import load_site_file
from jackpot.server.controller import Controller
from jackpot.store.opening import Address, journal_opener


def make_controller(site: Site, store: Address, *, accept_lost_commits: bool = False) -> Controller:
    """A controller for a site on a store; call it in the loop."""
    engine = Engine(
        journal_opener(store, accept_lost_commits=accept_lost_commits),
        names,
        sites=[site.id],
        faults=from_environment(os.environ),
    )
    return Controller(engine, site)


@click.command()
@click.option(
    "--site",
    "site_path",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="The site file: links, bets, tables.",
)
@click.option(
    "--store",
    "--data",
    "store",
    metavar="ADDRESS",
    help="Where the journal is kept: a directory, or postgresql://… "
    "[default: what the site file says]",
)
@click.option(
    "--accept-lost-commits",
    is_flag=True,
    help="Serve although the database can lose commits that it has acknowledged.",
)
@click.option(
    "--grpc",
    "address",
    metavar="HOST:PORT",
    help="Where to listen; port 0 picks a free one. [default: what the site file says]",
)
@click.option(
    "--http",
    metavar="HOST:PORT",
    help="Where to serve signs and pages. [default: what the site file says, or nowhere]",
)
@theme_option
@one_line
def serve(
    site_path: Path,
    store: str | None,
    address: str | None,
    http: str | None,
    theme: Path | None,
    *,
    accept_lost_commits: bool,
) -> None:
    r"""Run a controller until SIGTERM or Ctrl-C, then answer what is under way and stop.

    \b
    Example:
      jackpot serve --site site.toml --data /var/lib/jackpot
      jackpot serve --site site.toml --store postgresql://db1,db2/jackpot
    """
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    file = load_site_file(site_path)
    for warning in file.warnings:
        click.echo(f"{site_path}:{warning}", err=True)
    where = address or file.server.listen[0]
    look, http = settings(theme), http or file.server.http
    store = store or file.server.data
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        controller = partial(
            make_controller, file.site, store, accept_lost_commits=accept_lost_commits
        )
        runner.run(_serve(controller, store, where, http, look))


async def _serve(
    make: Callable[[], Controller], store: str, address: str, http: str, look: Settings
) -> None:
    controller = make()
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    where = await controller.start(address)
    try:
        async with pages(controller, store, http, look) if http else nullcontext() as url:
            click.echo(f"serving {controller.site.id} on {where}")
            if url:
                click.echo(f"signs and pages on {url}")
            sys.stdout.flush()
            await stopped.wait()
    finally:
        await controller.stop()
    click.echo("stopped")
