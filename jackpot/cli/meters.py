"""`jackpot meters`: what the signs show, in a terminal."""

import json
import sys
import time
from typing import TYPE_CHECKING

import click

from jackpot.cli.shared.connection import Connection, connected
from jackpot.cli.shared.operator_view import as_json, meters_table, money
from jackpot.console import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    import grpc

    from jackpot.wire.v1 import meter_pb2, meter_pb2_grpc


TIMEOUT_S = 5.0
RECONNECT_S = 1.0


@click.command()
@click.option("--watch", is_flag=True, help="Keep running, and show the meters as they change.")
@click.option(
    "--json", "json_", is_flag=True, help="Print JSON; with --watch, one line per change."
)
@click.option("--site", metavar="SITE", help="The site, if the controller has several.")
@one_line
@connected
def meters(*, watch: bool, json_: bool, connection: Connection, site: str | None) -> None:
    r"""Show the meters of every link.

    \b
    Example:
      jackpot meters --watch
    """
    from jackpot.wire.v1 import meter_pb2_grpc

    with connection.open() as channel:
        stub = meter_pb2_grpc.MeterServiceStub(channel)
        site = site or _only_site(stub)
        try:
            if watch:
                _watch(channel, site, json_=json_)
            else:
                _list(stub, site, json_=json_)
        except KeyboardInterrupt:
            pass


def _only_site(stub: "meter_pb2_grpc.MeterServiceStub") -> str:
    from jackpot.wire.v1 import meter_pb2

    sites = stub.ListSites(meter_pb2.ListSitesRequest(), timeout=TIMEOUT_S).sites
    if len(sites) != 1:
        raise click.ClickException(
            f"add --site with one of this controller's sites: {', '.join(sites)}"
        )
    return sites[0]


def _list(stub: "meter_pb2_grpc.MeterServiceStub", site: str, *, json_: bool) -> None:
    from rich.console import Console

    from jackpot.wire.v1 import meter_pb2

    response = stub.ListMeters(meter_pb2.ListMetersRequest(site=site), timeout=TIMEOUT_S)
    if json_:
        click.echo(json.dumps(as_json(response), indent=2))
    else:
        Console().print(meters_table(response.links))


def _watch(channel: "grpc.Channel", site: str, *, json_: bool) -> None:
    from rich.live import Live

    links: dict[str, meter_pb2.LinkMeters] = {}
    if json_ or not sys.stdout.isatty():
        for response in _changes(channel, site):
            if json_:
                click.echo(json.dumps(as_json(response)))
            else:
                for link in response.links:
                    shown = "  ".join(f"{m.level} {money(m.amount_micros)}" for m in link.meters)
                    click.echo(f"{response.sequence} {link.link}: {shown}")
        return
    with Live(meters_table([]), auto_refresh=False) as live:
        for response in _changes(channel, site):
            links.update((link.link, link) for link in response.links)
            live.update(meters_table(links.values()), refresh=True)


def _changes(channel: "grpc.Channel", site: str) -> "Iterator[meter_pb2.WatchMetersResponse]":
    """Frames as they come, across restarts of the controller."""
    import grpc

    from jackpot.wire.channels import refusal_of
    from jackpot.wire.v1 import meter_pb2, meter_pb2_grpc

    stub = meter_pb2_grpc.MeterServiceStub(channel)
    sequence = 0
    while True:
        request = meter_pb2.WatchMetersRequest(site=site, after_sequence=sequence)
        try:
            for response in stub.WatchMeters(request):
                sequence = response.sequence
                yield response
        except grpc.RpcError as error:
            if error.code() != grpc.StatusCode.UNAVAILABLE or refusal_of(channel):
                raise
            click.echo("the controller can't be reached; waiting for it", err=True)
            time.sleep(RECONNECT_S)
