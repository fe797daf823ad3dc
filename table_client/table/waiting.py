"""What `jackpot-table` waits for, and says so: a controller that answers, staff who pay or void."""

import asyncio
import socket
from collections.abc import Sequence
from contextlib import suppress

import click

from jackpot.wire.refusals import RefusedError, UnreachableError
from jackpot.wire.v1 import table_pb2
from table_client.client import TableClient
from table_client.table.floor import Floor
from table_client.table.floor_calls import COMMAND, VOID_BY_FLOOR_ONLY

_SILENCE_S = 0.5  # after which whoever looks on is told what is waited for
_LOOK_S, _SELDOM_S = 1.0, 15.0  # between two looks whether staff have paid; each is journaled
_CONNECT_S = 2.0


async def reach(client: TableClient, addresses: Sequence[str]) -> table_pb2.Round:
    """The round that was left; `UnreachableError` with addresses and causes if nobody answers."""
    what = f"waiting for the controller at {', '.join(addresses)}"
    telling = asyncio.get_running_loop().call_later(_SILENCE_S, _say, what)
    if not addresses:  # its own, which has started
        telling.cancel()
    try:
        return (await client.recover()).round
    except UnreachableError as error:
        why = [f"{each} ({await asyncio.to_thread(_cause, each, error)})" for each in addresses]
        raise UnreachableError("UNAVAILABLE", f"nobody answers at {', '.join(why)}") from error
    finally:
        telling.cancel()


def _cause(address: str, error: UnreachableError) -> str:
    """Why nobody answers there: gRPC, which goes on trying, tells only that time is up."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), _CONNECT_S):
            return str(error)
    except (OSError, UnicodeError) as failure:
        return getattr(failure, "strerror", "") or str(failure)


class Waiting:
    """Staff who must pay or void before the table may go on; its own people try again."""

    def __init__(self, floor: Floor | None, table: str) -> None:
        self._floor = floor
        self._table = table
        self._said = ""
        self._look_s = _LOOK_S

    async def wait(self, refusal: RefusedError) -> None:
        """Give them a moment; each thing is told once."""
        what = _what(refusal)
        if what != self._said:
            _say(what)
            self._said, self._look_s = what, _LOOK_S
        await asyncio.sleep(self._look_s)
        self._look_s = min(2 * self._look_s, _SELDOM_S)
        if self._floor:
            with suppress(RefusedError):  # as when it was to be paid at first
                await self._floor.clear(self._table)


def _what(refusal: RefusedError) -> str:
    if refusal.reason == VOID_BY_FLOOR_ONLY:
        return f"waiting for a floorperson: {refusal.metadata[COMMAND]}"
    payout = refusal.metadata.get("payout", "")
    return f"waiting for staff: payout {payout} (jackpot validate, jackpot pay)"


def _say(what: str) -> None:
    click.echo(what, err=True)
