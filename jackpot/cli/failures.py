"""What the user of a command sees when something fails: one line, never a traceback."""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import click
import grpc

from jackpot.auth.authority import AuthorityError
from jackpot.auth.names import HolderError
from jackpot.display.errors import DisplayError
from jackpot.rules.site import SiteFileError
from jackpot.server.controller import AddressError
from jackpot.server.errors import RefusedError
from jackpot.server.setup import SetupError
from jackpot.store.journal import StoreError, UnsoundError
from table_client.errors import from_rpc_error

P = ParamSpec("P")
T = TypeVar("T")

_KNOWN = (
    AuthorityError,
    HolderError,
    SiteFileError,
    AddressError,
    DisplayError,
    SetupError,
    StoreError,
    UnsoundError,
)


def one_line(command: Callable[P, T]) -> Callable[P, T]:
    """Print a known failure as one line and exit 1."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return command(*args, **kwargs)
        except _KNOWN as error:
            raise click.ClickException(str(error)) from error
        except RefusedError as error:
            refusal = error.refusal
            details = "".join(f", {key} {value}" for key, value in refusal.details.items())
            raise click.ClickException(f"{refusal.reason}{details}") from error
        except grpc.RpcError as error:
            raise click.ClickException(str(from_rpc_error(error))) from error

    return run
