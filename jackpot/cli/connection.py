"""The options by which a command finds its controller and says who is calling."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import grpc

from jackpot.auth.client import Identity, open_sync_channel
from table_client.errors import explained, from_rpc_error

DEFAULT_CONTROLLER = "127.0.0.1:7400"


class Connection:
    """Where the controller is and as whom it is called."""

    def __init__(self, address: str, identity: Identity | None) -> None:
        self.address = address
        self.identity = identity

    @contextmanager
    def open(self) -> Iterator[grpc.Channel]:
        """A channel. A call that fails inside is told as what it is, a closed door included."""
        with open_sync_channel(self.address, self.identity) as channel:
            try:
                yield channel
            except grpc.RpcError as error:
                raise explained(from_rpc_error(error), channel) from error


def connected(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command --controller, --cert and --ca, and hand it a `connection`."""

    def run(controller: str, cert: Path | None, ca: Path | None, **options: Any) -> Any:
        if (cert is None) != (ca is None):
            raise click.UsageError("--cert and --ca go together")
        identity = Identity(cert, ca) if cert and ca else None
        return command(connection=Connection(controller, identity), **options)

    run.__doc__, run.__name__ = command.__doc__, command.__name__
    file = click.Path(path_type=Path, dir_okay=False)
    for option in (
        click.option(
            "--ca", type=file, envvar="JACKPOT_CA", help="The authority's ca.pem. [$JACKPOT_CA]"
        ),
        click.option(
            "--cert",
            type=file,
            envvar="JACKPOT_CERT",
            help="Your certificate; its key lies beside it. [$JACKPOT_CERT]",
        ),
        click.option(
            "--controller",
            metavar="HOST:PORT",
            envvar="JACKPOT_CONTROLLER",
            default=DEFAULT_CONTROLLER,
            show_default=True,
            help="Where the controller listens. [$JACKPOT_CONTROLLER]",
        ),
    ):
        run = option(run)
    return run
