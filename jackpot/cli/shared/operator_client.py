"""Call the controller on an operator's behalf, and print its answers.

A change carries a request id and is sent again with the same id while its outcome is unknown, so
that nothing happens twice. Before money moves, the command shows it before and after and asks for
confirmation, unless `--yes` was given.
"""

import functools
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

import click

from jackpot.cli.shared.connection import Connection, connected
from jackpot.cli.shared.operator_view import as_json
from jackpot.console import NotConfirmedError, UnreachableException, one_line, refusal_text
from jackpot.core.money import dollars
from jackpot.wire.ids import SAYS, is_id

if TYPE_CHECKING:
    import grpc
    from google.protobuf.message import Message

    from jackpot.wire.v1 import operator_pb2


TIMEOUT_S = 5.0
RETRY_S = 10.0  # how long a change is sent again while its outcome is unknown
P = ParamSpec("P")


class OperatorClient:
    """A connection to a site's controller, on behalf of a person."""

    def __init__(self, channel: "grpc.Channel", **options: Any) -> None:
        from rich.console import Console

        from jackpot.wire.identity import DEPARTMENT_KEY, PRINCIPAL_KEY
        from jackpot.wire.v1 import operator_pb2_grpc

        self._channel = channel
        self._operator = operator_pb2_grpc.OperatorServiceStub(channel)
        self._options = options
        self._metadata = tuple(
            (key, options[name])
            for key, name in ((PRINCIPAL_KEY, "principal"), (DEPARTMENT_KEY, "department"))
            if options.get(name)
        )
        self._site: str = options.get("site") or ""
        self.json: bool = bool(options.get("json_"))
        self.console = Console(highlight=False)

    @property
    def repeats(self) -> bool:
        """Whether this repeats a request, which may have been carried out already."""
        return bool(self._options.get("request_id"))

    @property
    def site(self) -> str:
        """The site that was named, or the only one."""
        from jackpot.wire.v1 import meter_pb2, meter_pb2_grpc

        if not self._site:
            stub = meter_pb2_grpc.MeterServiceStub(self._channel)
            sites = stub.ListSites(
                meter_pb2.ListSitesRequest(), timeout=TIMEOUT_S, metadata=self._metadata
            ).sites
            if len(sites) != 1:
                raise click.UsageError(
                    f"add --site with one of this controller's sites: {', '.join(sites)}"
                )
            self._site = sites[0]
        return self._site

    def ask(self, rpc: str, **values: Any) -> Any:
        """Call an RPC that changes nothing; of a list, all of its pages."""
        from jackpot.wire.paging import all_pages

        return all_pages(lambda request: self._call(rpc, request), self._request(rpc, **values))

    def _request(self, rpc: str, **values: Any) -> Any:
        from jackpot.wire.v1 import operator_pb2

        return getattr(operator_pb2, f"{rpc}Request")(site=self.site, **values)

    def _call(self, rpc: str, request: "Message") -> Any:
        return getattr(self._operator, rpc)(request, timeout=TIMEOUT_S, metadata=self._metadata)

    def link(self, name: str) -> "operator_pb2.Link":
        """A link by name."""
        links: dict[str, operator_pb2.Link] = {
            link.id: link for link in self.ask("ListLinks").links
        }
        if name not in links:
            known = ", ".join(links)
            raise click.ClickException(f"there is no link {name!r}; the links are: {known}")
        return links[name]

    def level(
        self, link: str, level: str | None
    ) -> "tuple[operator_pb2.Link, operator_pb2.LevelAccounts]":
        """A level by name, or a link's only one."""
        found = self.link(link)
        levels = {one.level: one for one in found.levels}
        if level is None and len(levels) == 1:
            return found, found.levels[0]
        if level is None or level not in levels:
            known = ", ".join(levels) or "none"
            says = "name a level" if level is None else f"there is no level {level!r}"
            raise click.ClickException(f"{says}; {link} has: {known}")
        return found, levels[level]

    def amount(self, said: int | None, held: int) -> int:
        """What was said, or all that is held; a repeat is of the same amount as the first."""
        if said is None and self._options.get("request_id"):
            raise click.UsageError("--request-id repeats a request; give its amount too")
        return held if said is None else said

    def round(self, table: str, said: int | None) -> int:
        """The round that was said, or the table's last; a repeat is of the same one as before."""
        if said is not None:
            return said
        if self._options.get("request_id"):
            raise click.UsageError("--request-id repeats a request; give its --round too")
        found: int = self.ask("GetTable", table=table).table.round.number
        if not found:
            raise click.ClickException(
                f"{table} has played no round, so there is nothing to void or correct"
            )
        return found

    def order(self, rpc: str, **values: Any) -> Any:
        """Call an RPC that changes something; it happens once, however often it is sent."""
        from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_random_exponential

        from jackpot.wire.refusals import RefusedError
        from jackpot.wire.request_id import new_request_id

        request_id = self._options.get("request_id") or new_request_id()
        request = self._request(rpc, request_id=request_id, **values)
        retrying = Retrying(
            retry=retry_if_exception(
                lambda error: isinstance(error, RefusedError) and error.retry_s is not None
            ),
            wait=wait_random_exponential(multiplier=0.1, max=1.0),
            stop=stop_after_delay(RETRY_S),
            reraise=True,
        )
        amount = dollars(values["amount_micros"]) if "amount_micros" in values else ""
        same = f" (the amount was ${amount})" if amount else ""
        again = f"; to try again safely{same}, add --request-id {request_id}"
        try:
            return retrying(self._send, rpc, request)
        except RefusedError as error:
            if error.retry_s is None:
                raise
            # Nobody knows what became of this attempt, or of one before it.
            raise UnreachableException(f"{refusal_text(error).removesuffix('.')}{again}") from error
        except KeyboardInterrupt as stopped:
            says = f"stopped; the change may or may not have happened{again}"
            raise UnreachableException(says) from stopped

    def _send(self, rpc: str, request: "Message") -> Any:
        import grpc

        from jackpot.wire.refusals import explained, from_rpc_error

        try:
            return self._call(rpc, request)
        except grpc.RpcError as error:
            raise explained(from_rpc_error(error), self._channel) from error

    def confirm(self, what: str) -> None:
        """Ask before money moves; everything but a yes ends the command with nothing done."""
        if self._options.get("yes"):
            return
        click.echo(what, err=True)
        try:
            agreed = click.confirm("Do it?", err=True)
        except click.Abort as error:
            raise NotConfirmedError from error
        if not agreed:
            raise NotConfirmedError

    def tell(self, response: "Message", *lines: str) -> None:
        """Give the answer: the message as JSON, or lines for people."""
        if self.json:
            click.echo(json.dumps(as_json(response), indent=2))
            return
        for line in lines:
            click.echo(line)

    def done(self, response: Any, what: str, *more: str) -> None:
        """Say what was done, and where the journal has it."""
        self.tell(response, f"{what} (journal {response.sequence})", *more)


def _name(_: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """A name as a controller takes it; gRPC would not even send every other one."""
    if value and not is_id(value):
        raise click.BadParameter(f"{value!r} is not a valid name: {SAYS}", param=param)
    return value


_OPTIONS = (
    click.option(
        "--site",
        metavar="SITE",
        envvar="JACKPOT_SITE",
        help="The site, if the controller has several.",
    ),
    click.option(
        "--principal",
        metavar="NAME",
        envvar="JACKPOT_PRINCIPAL",
        callback=_name,
        help="Your name, if the controller runs without TLS.",
    ),
    click.option(
        "--department",
        metavar="NAME",
        envvar="JACKPOT_DEPARTMENT",
        callback=_name,
        help="Your department, if the controller runs without TLS.",
    ),
    click.option("--json", "json_", is_flag=True, help="Print JSON."),
)
_CHANGE_OPTIONS = (
    click.option("--yes", is_flag=True, help="Do not ask for confirmation."),
    click.option(
        "--request-id",
        metavar="ID",
        help="Repeat an earlier request, whose answer was lost, by its ID. The change happens "
        "only once.",
    ),
)
_NAMES = ("site", "principal", "department", "json_", "yes", "request_id")


def operator_command(
    *, changes: bool = False
) -> Callable[[Callable[Concatenate[OperatorClient, P], None]], Callable[..., None]]:
    """Give a command an `OperatorClient`, and the options that every such command has."""

    def wrap(command: Callable[Concatenate[OperatorClient, P], None]) -> Callable[..., None]:
        @functools.wraps(command)
        @one_line
        def run(connection: Connection, **values: Any) -> None:
            options = {name: values.pop(name) for name in _NAMES if name in values}
            with connection.open() as channel:
                command(OperatorClient(channel, **options), **values)  # type: ignore[call-arg]  # by keyword

        function: Callable[..., None] = connected(run)
        for option in reversed((*_OPTIONS, *(_CHANGE_OPTIONS if changes else ()))):
            function = option(function)
        return function

    return wrap
