"""What a table may not do alone: once a round is collected, a floorperson voids it.

A floorperson at hand does it with a credential of their own. Where there is none, the table waits
for staff, who do it by command line, and looks at its round until they have.
"""

from collections.abc import Awaitable, Callable

from jackpot.wire.refusals import RefusedError
from jackpot.wire.v1 import table_pb2
from table_client.client import TableClient
from table_client.table.ports import Floorperson

VOID_BY_FLOOR_ONLY = "VOID_BY_FLOOR_ONLY"
COMMAND = "command"  # in the metadata of what staff are waited for with
_UNCOLLECTED = (table_pb2.ROUND_PHASE_OPEN, table_pb2.ROUND_PHASE_LOCKED)
Staff = Callable[[RefusedError], Awaitable[None]]


class Calls:
    """A table's calls for the floor."""

    def __init__(
        self, client: TableClient, floor: Floorperson | None = None, staff: Staff | None = None
    ) -> None:
        """`staff` is waited for where no floorperson is at hand."""
        self._client = client
        self._floor = floor
        self._staff = staff

    async def void_left(self, left: table_pb2.Round, irregularity: str) -> None:
        """Void a round that was found under way."""
        collected = left.phase not in _UNCOLLECTED
        await self.void_round(left.number, irregularity, collected=collected)

    async def void_round(self, round_: int, irregularity: str, *, collected: bool) -> None:
        """Void the round: by the table itself, or once it is collected by a floorperson."""
        if not collected:
            await self._client.void_round(irregularity)
        elif self._floor:
            await self._floor.void_round(self._client.table, round_, irregularity)
        else:
            command = f"jackpot void {self._client.table} --round {round_} --reason {irregularity}"
            await self._wait(command, round_, lambda _: False)

    async def void_seat(
        self, round_: int, seat: int, irregularity: str, *, collected: bool
    ) -> None:
        """Void one seat, by whoever may."""
        if not collected:
            await self._client.void_seat(seat, irregularity)
        elif self._floor:
            await self._floor.void_seat(self._client.table, round_, seat, irregularity)
        else:
            what = f"jackpot void {self._client.table} --round {round_} --seat {seat}"
            command = f"{what} --reason {irregularity}"
            await self._wait(command, round_, lambda left: seat in left.void_seats)

    async def remove_wager(self, round_: int, seat: int, bet: str) -> None:
        """Have a wager removed that has no chip."""
        if self._floor:
            await self._floor.remove_wager(self._client.table, round_, seat, bet)
            return
        what = f"jackpot wager remove {self._client.table} --round {round_}"
        command = f"{what} --seat {seat} --bet {bet}"
        await self._wait(
            command,
            round_,
            lambda left: all((each.seat, each.bet) != (seat, bet) for each in left.wagers),
        )

    async def _wait(
        self, command: str, round_: int, done: Callable[[table_pb2.Round], bool]
    ) -> None:
        """Wait until staff have done it, or have ended the round."""
        refusal = RefusedError(
            "FAILED_PRECONDITION",
            "a floorperson must do this",
            VOID_BY_FLOOR_ONLY,
            {COMMAND: command},
        )
        if self._staff is None:
            raise refusal
        while (left := (await self._client.attach()).round).number == round_ and not done(left):
            await self._staff(refusal)
