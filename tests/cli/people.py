"""People at the command line, a served site, and a table that plays."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from click.testing import CliRunner, Result

from jackpot.cli.main import main
from jackpot.wire.channels import Identity
from jackpot.wire.v1 import payout_pb2
from table_client.client import TableClient, open_channel
from tests.server.house import FIVE, SITE, hands, wager

WIDTH = 80


class Person:
    """Somebody who runs `jackpot`; "ann/slots" is Ann of the slots department.

    With an identity, a certificate says who it is.
    """

    def __init__(self, address: str, who: str, identity: Identity | None = None) -> None:
        self._address = address
        self._identity = identity
        self._principal, _, self._department = who.partition("/")

    def run(self, *args: str, answer: str = "", yes: bool = True) -> Result:
        """Run a command, whatever comes of it."""
        identity = ["--controller", self._address]
        if self._identity:
            identity += ["--cert", str(self._identity.certificate)]
            identity += ["--ca", str(self._identity.authority)]
        else:
            identity += ["--principal", self._principal]
        if self._department:
            identity += ["--department", self._department]
        if yes and "--yes" in CliRunner().invoke(main, [*_words(args), "--help"]).output:
            identity.append("--yes")
        result = CliRunner().invoke(main, [*args, *identity], input=answer)
        assert result.exception is None or isinstance(result.exception, SystemExit), result
        return result

    def does(self, *args: str) -> str:
        """Run a command that must succeed; what it says fits the screen."""
        result = self.run(*args)
        assert result.exit_code == 0, result.output
        assert max(map(len, result.output.splitlines()), default=0) <= WIDTH, result.output
        return result.stdout

    def json(self, *args: str) -> Any:
        """What a command says to a machine."""
        result = self.run(*args, "--json")
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    def fails(self, *args: str, code: int = 1) -> str:
        """Run a command that must fail; its one line."""
        result = self.run(*args)
        assert result.exit_code == code, result.output
        (line,) = result.stderr.splitlines()
        assert line.startswith("Error: ")
        return line.removeprefix("Error: ")


def _words(args: tuple[str, ...]) -> list[str]:
    """The command without its arguments."""
    groups = ("link", "account", "badbeat", "wager", "floor")
    return list(args[: 2 if args[0] in groups else 1])


def play(
    address: str,
    table: str,
    special: Mapping[int, list[str]],
    *seats: int,
    identity: Identity | None = None,
) -> list[payout_pb2.Payout]:
    """A round at a table with a wager from every seat; its payouts."""

    async def round_() -> list[payout_pb2.Payout]:
        async with (
            open_channel(address, identity) as channel,
            TableClient(channel, SITE, table) as client,
        ):
            await client.attach()
            await client.open_round()
            await client.place_wagers([wager(seat) for seat in seats])
            await client.lock_out()
            await client.confirm_collection({FIVE: len(seats)})
            dealt = hands(special, *seats)
            settled = await client.settle(dealt.hands, dealt.dealer)
            return list(settled.payouts)

    return asyncio.run(round_())
