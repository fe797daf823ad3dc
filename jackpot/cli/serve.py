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

from jackpot.auth.gate import Files, Gate
from jackpot.cli.failures import one_line
from jackpot.cli.http import pages, settings, theme_option
from jackpot.core.config import Site
from jackpot.display.app import Settings
from jackpot.engine import Engine
from jackpot.engine.faults import from_environment
from jackpot.rules.hands import names
from jackpot.rules.site import load_site_file
from jackpot.server.collector import calm_collector
from jackpot.server.controller import Controller
from jackpot.sources import MACHINE, Sources
from jackpot.store.opening import Address, journal_opener


def make_controller(
    site: Site,
    store: Address,
    gate: Gate | None = None,
    *,
    accept_lost_commits: bool = False,
    sources: Sources = MACHINE,
) -> Controller:
    """A controller for a site on a store; call it in the loop."""
    engine = Engine(
        journal_opener(store, accept_lost_commits=accept_lost_commits),
        names,
        sites=[site.id],
        clock=sources.clock,
        entropy=sources.entropy,
        faults=from_environment(os.environ),
    )
    return Controller(engine, site, gate, request_id=sources.request_id)


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
@click.option(
    "--cert",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The controller's certificate; its key lies beside it. Without it: loopback only.",
)
@click.option(
    "--ca",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The authority's ca.pem, with its list of revoked certificates beside it.",
)
@theme_option
@one_line
def serve(
    site_path: Path,
    store: str | None,
    address: str | None,
    http: str | None,
    cert: Path | None,
    ca: Path | None,
    theme: Path | None,
    *,
    accept_lost_commits: bool,
) -> None:
    r"""Run a controller until SIGTERM or Ctrl-C, then answer what is under way and stop.

    \b
    Example:
      jackpot serve --site site.toml --data /var/lib/jackpot \
        --cert ca/issued/controller.pem --ca ca/ca.pem
      jackpot serve --site site.toml --store postgresql://db1,db2/jackpot
    """
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    file = load_site_file(site_path)
    for warning in file.warnings:
        click.echo(f"{site_path}:{warning}", err=True)
    where = address or file.server.listen[0]
    if (cert is None) != (ca is None):
        raise click.UsageError("--cert and --ca go together")
    gate = Gate(Files.beside(cert, ca), file.site.id) if cert and ca else None
    look, http = settings(theme), http or file.server.http
    store = store or file.server.data
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        make = partial(
            make_controller, file.site, store, gate, accept_lost_commits=accept_lost_commits
        )
        runner.run(_serve(make, store, where, gate, http, look))


async def _serve(
    make: Callable[[], Controller],
    store: str,
    address: str,
    gate: Gate | None,
    http: str,
    look: Settings,
) -> None:
    controller = make()
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    where = await controller.start(address)
    calm_collector()
    try:
        async with pages(controller, store, http, look) if http else nullcontext() as url:
            guard = "with TLS" if gate else "without TLS, for this machine only"
            click.echo(f"serving {controller.site.id} on {where} {guard}")
            if url:
                click.echo(f"signs and pages on {url}")
            sys.stdout.flush()
            await stopped.wait()
    finally:
        await controller.stop()
    click.echo("stopped")
