"""What the user of a command sees when something fails: one line, never a traceback.

The exit code tells a script what to do next; `jackpot --help` lists them.
"""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import click
import grpc

from jackpot.auth.authority import AuthorityError
from jackpot.auth.names import HolderError
from jackpot.display.errors import DisplayError
from jackpot.reports.slip import NoSuchPayoutError
from jackpot.rules.site import SiteFileError
from jackpot.server.address import AddressError
from jackpot.server.errors import RefusedError
from jackpot.server.setup import SetupError
from jackpot.signing import SigningError
from jackpot.store.journal import StoreError, UnsoundError
from jackpot.wire.refusals import RefusedError as RefusedByControllerError
from jackpot.wire.refusals import UnreachableError, from_rpc_error
from table_client.outbox import OutboxError
from table_client.table.ports import DeckLostError

P = ParamSpec("P")
T = TypeVar("T")

_KNOWN = (
    AuthorityError,
    HolderError,
    SiteFileError,
    AddressError,
    DisplayError,
    NoSuchPayoutError,
    SigningError,
    SetupError,
    StoreError,
    UnsoundError,
    DeckLostError,
    OutboxError,
)


class UnreachableException(click.ClickException):
    """Nobody answers there."""

    exit_code = 3


class NotConfirmedError(click.ClickException):
    """Whoever was asked did not say yes."""

    exit_code = 4

    def __init__(self) -> None:
        super().__init__("not confirmed: nothing was done")


def one_line(command: Callable[P, T]) -> Callable[P, T]:
    """Print a known failure as one line and exit with its code."""

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
            raise _told(from_rpc_error(error)) from error
        except RefusedByControllerError as error:
            raise _told(error) from error

    return run


def _told(error: RefusedByControllerError) -> click.ClickException:
    unreachable = isinstance(error, UnreachableError)
    kind = UnreachableException if unreachable else click.ClickException
    return kind(str(error))
