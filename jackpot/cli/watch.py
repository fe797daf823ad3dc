"""`jackpot watch`: the operator page for a terminal."""

import asyncio
import contextlib
import json
from typing import TYPE_CHECKING

import click

from jackpot.cli.shared.connection import Connection, connected
from jackpot.console import UnreachableException, one_line, refusal_text

if TYPE_CHECKING:
    from jackpot.display.feeds.site_feed import SiteFeed
    from jackpot.display.views.values import Overview
    from jackpot.wire.refusals import RefusedError


REFRESH_S = 1.0
WAIT_S = 5.0  # for a controller that is away, where only one look was asked for


@click.command()
@click.option("--site", metavar="SITE", default="", help="The site, if the controller has several.")
@click.option("--once", is_flag=True, help="Show the floor once and stop.")
@click.option(
    "--json", "json_", is_flag=True, help="Print JSON; without --once, one line per second."
)
@one_line
@connected
def watch(connection: Connection, site: str, *, once: bool, json_: bool) -> None:
    r"""Show the floor live: links, tables, payouts, alarms, hits.

    \b
    Example:
      jackpot watch --controller 127.0.0.1:7400
    """
    import uvloop

    with (
        contextlib.suppress(KeyboardInterrupt),
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        runner.run(_watch(connection, site, once=once, json_=json_))


async def _watch(connection: Connection, site: str, *, once: bool, json_: bool) -> None:
    from rich.console import Console

    from jackpot.display.feeds.site_feed import SiteFeed
    from table_client.client import open_channel

    async with open_channel(connection.address, connection.identity) as channel:
        source = SiteFeed(channel, site)
        await source.start()
        try:
            if once:
                overview = await _first(source, connection.address)
                _print(overview, json_=json_)
            elif json_ or not Console().is_terminal:
                await _print_all(source, json_=json_)
            else:
                await _draw(source, connection.address)
        finally:
            await source.stop()


async def _first(source: "SiteFeed", controller: str) -> "Overview":
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(WAIT_S):
            while not source.serving:  # noqa: ASYNC110 - it turns true behind two streams
                await asyncio.sleep(0.05)
    overview = await source.overview()
    if overview is None:
        if refusal := _refused(source):
            raise refusal
        raise UnreachableException(_away(controller))
    return overview


def _refused(source: "SiteFeed") -> "RefusedError | None":
    """Why the controller would not say; None where it is only away."""
    from jackpot.wire.refusals import UnreachableError

    return None if isinstance(source.trouble, UnreachableError) else source.trouble


def _lost(source: "SiteFeed", controller: str) -> str:
    refusal = _refused(source)
    return refusal_text(refusal) if refusal else _away(controller)


def _away(controller: str) -> str:
    return f"the controller at {controller} can't be reached"


async def _print_all(source: "SiteFeed", *, json_: bool) -> None:
    while True:
        if overview := await source.overview():
            _print(overview, json_=json_)
        elif refusal := _refused(source):
            raise refusal  # it will not be allowed the next time either
        await asyncio.sleep(REFRESH_S)


async def _draw(source: "SiteFeed", controller: str) -> None:
    from rich.console import Console
    from rich.live import Live

    from jackpot.cli.watch_view import page
    from jackpot.display.feeds.watch import FINAL

    console = Console()
    overview: Overview | None = None
    with Live(console=console, screen=True, auto_refresh=False) as live:
        while True:
            found = await source.overview()
            if not found and (refusal := _refused(source)) and refusal.code in FINAL:
                raise refusal  # these figures would never be new again
            overview = found or overview
            lost = "" if found else _lost(source, controller)
            live.update(page(overview, lost, console.height), refresh=True)
            await asyncio.sleep(REFRESH_S)


def _print(overview: "Overview", *, json_: bool) -> None:
    import msgspec
    from rich.console import Console

    from jackpot.cli.watch_view import page

    if json_:
        click.echo(json.dumps(msgspec.to_builtins(overview)))
    else:
        Console().print(page(overview))
