"""The options by which a command finds its controller and says who is calling."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jackpot.cli.shared.parameters import FILE

if TYPE_CHECKING:
    import grpc

    from jackpot.wire.channels import Identity


DEFAULT_CONTROLLER = "127.0.0.1:7400"
_CA = click.option(
    "--ca", type=FILE, envvar="JACKPOT_CA", help="The authority's ca.pem. [$JACKPOT_CA]"
)
_CERT = click.option(
    "--cert",
    type=FILE,
    envvar="JACKPOT_CERT",
    help="Your certificate; its .key file must be beside it. [$JACKPOT_CERT]",
)
_CONTROLLER = click.option(
    "--controller",
    metavar="HOST:PORT",
    envvar="JACKPOT_CONTROLLER",
    default=DEFAULT_CONTROLLER,
    show_default=True,
    help="Where the controller listens. [$JACKPOT_CONTROLLER]",
)


class Connection:
    """Where the controller is and as whom it is called."""

    def __init__(self, address: str, identity: "Identity | None") -> None:
        self.address = address
        self.identity = identity

    @contextmanager
    def open(self) -> "Iterator[grpc.Channel]":
        """A channel. A call that fails inside is told as what it is, a closed door included."""
        import grpc

        from jackpot.wire.channels import open_sync_channel
        from jackpot.wire.refusals import explained, from_rpc_error

        with open_sync_channel(self.address, self.identity) as channel:
            try:
                yield channel
            except grpc.RpcError as error:
                raise explained(from_rpc_error(error), channel) from error


def connected(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command --controller, --cert and --ca, and hand it a `connection`."""

    def run(controller: str, cert: Path | None, ca: Path | None, **options: Any) -> Any:
        from jackpot.wire.channels import Identity

        if (cert is None) != (ca is None):
            raise click.UsageError("give both --cert and --ca, or neither")
        identity = Identity(cert, ca) if cert and ca else None
        return command(connection=Connection(controller, identity), **options)

    return _with_options(command, run, _CA, _CERT, _CONTROLLER)


def certified(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command --cert and --ca, which it can't do without, and hand it an `identity`."""

    def run(cert: Path | None, ca: Path | None, **options: Any) -> Any:
        from jackpot.wire.channels import Identity

        if cert is None or ca is None:
            raise click.UsageError("this command needs your certificate: give --cert and --ca")
        return command(identity=Identity(cert, ca), **options)

    return _with_options(command, run, _CA, _CERT)


def _with_options(
    command: Callable[..., Any], run: Callable[..., Any], *options: Callable[..., Any]
) -> Callable[..., Any]:
    run.__doc__, run.__name__ = command.__doc__, command.__name__
    for option in options:
        run = option(run)
    return run
