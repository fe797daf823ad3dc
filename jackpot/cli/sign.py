"""`jackpot sign`: signs in a process of their own, fed by a controller over the network."""

import asyncio
import logging
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jackpot import display
from jackpot.cli.shared.connection import Connection, connected
from jackpot.cli.shared.parameters import settings, theme_option
from jackpot.console import one_line
from jackpot.tuning import raise_file_limit

if TYPE_CHECKING:
    from jackpot.display.web.app import Settings


@click.command()
@click.option(
    "--http",
    metavar="HOST:PORT",
    default=display.ADDRESS,
    show_default=True,
    help="Where to serve the signs; port 0 picks a free port.",
)
@click.option("--site", metavar="SITE", default="", help="The site, if the controller has several.")
@theme_option
@one_line
@connected
def sign(connection: Connection, http: str, site: str, theme: Path | None) -> None:
    r"""Serve signs from a machine other than the controller's.

    If the controller is down, the command waits for it. The command ends when its certificate
    expires or is revoked, so that no sign shows old amounts. The controller sees only one
    client, no matter how many signs you serve.

    \b
    Example:
      jackpot sign --controller 127.0.0.1:7400 --http 0.0.0.0:8080
    """
    import uvloop

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    raise_file_limit()
    look = settings(theme)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_sign(connection, http, site, look))


async def _sign(connection: Connection, http: str, site: str, look: "Settings") -> None:
    from jackpot.display.feeds.site_feed import SiteFeed
    from jackpot.display.web.access import SignsOnly
    from jackpot.display.web.serving import listen, serve_feed
    from table_client.client import open_channel

    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    listening = listen(http)
    async with open_channel(connection.address, connection.identity) as channel:
        source = SiteFeed(channel, site)
        await source.start()
        # What a certificate may see is for its holder, not for whoever can reach these pages.
        access = SignsOnly() if connection.identity else None
        display = await serve_feed(source, listening, look, access=access)
        click.echo(f"signs of {connection.address} on {display.url}")
        sys.stdout.flush()
        refused = asyncio.create_task(source.refused())
        waiting = asyncio.create_task(stopped.wait())
        await asyncio.wait((refused, waiting), return_when=asyncio.FIRST_COMPLETED)
        await display.stop()
        await source.stop()
        waiting.cancel()
        if refused.done():
            raise refused.result()
        refused.cancel()
    click.echo("stopped")
