"""A table's side of the controller: typed commands that may be pipelined.

A command gets its number when it is called; the awaitable that is returned has its response, or
raises `RefusedError`. When the controller can't be reached for longer than the deadline, commands
fail with `UnreachableError`: then attach again, and the answer shows what it has of the round.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Self

import grpc
from tenacity import stop_after_delay

from jackpot.wire.channels import Identity, open_async_channel
from jackpot.wire.limits import HEARTBEAT_S
from jackpot.wire.refusals import RefusedError, UnreachableError
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import table_pb2 as pb
from jackpot.wire.v1.meter_pb2 import LinkMeters
from jackpot.wire.v1.table_config_pb2 import TableConfig
from table_client.controllers import Controllers
from table_client.conversation import CALL_TIMEOUT_S, Conversation, retried
from table_client.outbox import AnswersHeard, Outbox
from table_client.watching import until, watch_meters, watch_table

_OPTIONS = (
    ("grpc.initial_reconnect_backoff_ms", 50),  # a restarted controller is found at once
    ("grpc.max_reconnect_backoff_ms", 1_000),
    ("grpc.use_local_subchannel_pool", 1),  # two clients of one process don't share a backoff
)
# A round in one of these phases needs nothing more of its table; the first: there was none.
OVER = (pb.ROUND_PHASE_UNSPECIFIED, pb.ROUND_PHASE_SETTLED, pb.ROUND_PHASE_VOIDED)


def open_channel(address: str, identity: Identity | None = None) -> grpc.aio.Channel:
    """A connection to a controller; without an identity, to one on this machine."""
    return open_async_channel(address, identity, _OPTIONS)


class TableClient:
    """Speaks for one table. Use as a context manager; call `attach` before anything else."""

    def __init__(
        self,
        channels: grpc.aio.Channel | Sequence[grpc.aio.Channel],
        site: str,
        table: str,
        *,
        deadline_s: float = 30.0,
        streaming: bool = True,
        outbox: Outbox | None = None,
        request_id: Callable[[], str] = new_request_id,
    ) -> None:
        """With channels to several controllers, another one is used when one fails.

        `streaming=False` sends each command by its own RPC, for networks without streams. With an
        outbox, `recover` takes up what an earlier process of this table left unanswered. A replay
        hands in its own request ids.
        """
        self.site = site
        self.table = table
        several = channels if isinstance(channels, Sequence) else [channels]
        self._controllers = Controllers(several)
        self._deadline_s = deadline_s
        self._streaming = streaming
        self._outbox = outbox
        self._request_id = request_id
        self._conversation: Conversation | None = None
        self.heard = outbox.heard if outbox else AnswersHeard()
        self.epoch = 0
        self.restored = False  # a backup was restored since the attachment before
        self.config = TableConfig()  # what the table is, once it has attached

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._hang_up("the client was closed")

    async def attach(self) -> pb.AttachResponse:
        """Speak for the table from now on; whoever did before is fenced.

        The controller is told what this table had heard. Where a backup was restored since,
        `restored` is set: the round that was under way is not in the journal, and what the answer
        shows of an earlier one is to be voided.
        """
        request = pb.AttachRequest(
            site=self.site,
            table=self.table,
            request_id=self._request_id(),
            acknowledged=self.heard.message(),
        )
        controllers = self._controllers
        timeout_s = controllers.patience_s(min(CALL_TIMEOUT_S, self._deadline_s))

        async def call() -> pb.AttachResponse:
            stub = controllers.stub
            try:
                return await stub.Attach(
                    request, timeout=timeout_s, wait_for_ready=controllers.waits
                )
            except grpc.RpcError as error:
                raise await controllers.judge(stub, error) from error

        await self._hang_up("the table attached again")
        response = await retried(call, stop_after_delay(self._deadline_s))
        self.restored = self.heard.attached(response)
        self._converse(response.epoch)
        self.config = response.config
        if self._outbox:
            self._outbox.begin(response.epoch)
        return response

    async def recover(self) -> pb.AttachResponse:
        """Have what the outbox holds carried out, each command once, and then attach.

        The answer to the attachment says how far the round has come.
        """
        await self._hang_up("the table recovers")
        left = self._outbox.unanswered() if self._outbox else None
        if left and left.commands:
            answers = self._converse(left.epoch).resume(left)
            # A refusal is an answer too; and whoever attached since has the last word.
            results = await asyncio.gather(*answers, return_exceptions=True)
            for result in results:
                if isinstance(result, UnreachableError):
                    raise result
        return await self.attach()

    def _converse(self, epoch: int) -> Conversation:
        self.epoch = epoch
        where = pb.CommandId(site=self.site, table=self.table, epoch=epoch)
        self._conversation = Conversation(
            self._controllers,
            where,
            self._deadline_s,
            streaming=self._streaming,
            outbox=self._outbox,
            heard=self.heard,
        )
        return self._conversation

    async def get_round(self) -> pb.Round:
        """The current or the last round whole: hands, payouts, and how far each has come."""
        request = pb.GetRoundRequest(site=self.site, table=self.table)
        answer: pb.GetRoundResponse = await self._asked("GetRound", request)
        return answer.round

    async def get_table(self) -> TableConfig:
        """What the table is now; an attachment says so too."""
        request = pb.TableServiceGetTableRequest(site=self.site, table=self.table)
        self.config = (await self._asked("GetTable", request)).config
        return self.config

    async def _asked(self, rpc: str, request: Any) -> Any:
        """The answer to a question that changes nothing, by whichever controller is there."""
        controllers = self._controllers

        async def call() -> Any:
            stub = controllers.stub
            try:
                return await getattr(stub, rpc)(
                    request, timeout=CALL_TIMEOUT_S, wait_for_ready=controllers.waits
                )
            except grpc.RpcError as error:
                raise await controllers.judge(stub, error) from error

        return await retried(call, stop_after_delay(self._deadline_s))

    async def heartbeat(self) -> pb.HeartbeatResponse:
        """Tell the controller that the table is alive; not repeated, the next one comes soon."""
        request = pb.HeartbeatRequest(site=self.site, table=self.table, epoch=self.epoch)
        stub = self._controllers.stub
        try:
            return await stub.Heartbeat(request, timeout=CALL_TIMEOUT_S)
        except grpc.RpcError as error:
            raise await self._controllers.judge(stub, error) from error

    @asynccontextmanager
    async def alive(self, every_s: float | None = None) -> AsyncIterator[None]:
        """Send heartbeats for as long as this lasts; one that fails is followed by the next.

        As often as the controller wants them, where nothing else is said.
        """

        async def beat() -> None:
            while True:
                with suppress(RefusedError):
                    await self.heartbeat()
                told_s = self.config.heartbeat_interval.ToTimedelta().total_seconds()
                await asyncio.sleep(every_s or told_s or HEARTBEAT_S)

        task = asyncio.create_task(beat())
        try:
            yield
        finally:
            task.cancel()

    def watch_meters(self, links: Iterable[str] = ()) -> AsyncIterator[LinkMeters]:
        """The links' meters, now and whenever they change, whatever becomes of controllers."""
        return watch_meters(self._controllers, self.site, links)

    def watch_table(self) -> AsyncIterator[pb.WatchTableResponse]:
        """The table itself, now and whenever somebody changes something about it.

        It ends with the refusal FENCED when the table has attached again.
        """
        return watch_table(self._controllers, self.site, self.table, self.epoch)

    async def until(
        self, ready: Callable[[pb.WatchTableResponse], bool], timeout_s: float | None = None
    ) -> pb.WatchTableResponse | None:
        """Watch the table until it is as wanted; None when that takes too long."""
        return await until(self.watch_table(), ready, timeout_s)

    def open_round(self) -> Awaitable[pb.OpenRoundResponse]:
        """Begin the next round."""
        return self.send(pb.PlayCommand(open_round=pb.OpenRound()))

    def place_wagers(self, wagers: Iterable[pb.Wager]) -> Awaitable[pb.PlaceWagersResponse]:
        """Place wagers, all of them or none. Only the answer lights their lamps."""
        return self.send(pb.PlayCommand(place_wagers=pb.PlaceWagers(wagers=wagers)))

    def withdraw_wagers(
        self, wagers: Iterable[pb.PlacedWager]
    ) -> Awaitable[pb.WithdrawWagersResponse]:
        """Take wagers back while the round is open."""
        return self.send(pb.PlayCommand(withdraw_wagers=pb.WithdrawWagers(wagers=wagers)))

    def lock_out(self) -> Awaitable[pb.LockOutResponse]:
        """No more bets."""
        return self.send(pb.PlayCommand(lock_out=pb.LockOut()))

    def confirm_collection(
        self, chips: Mapping[str, int]
    ) -> Awaitable[pb.ConfirmCollectionResponse]:
        """The dealer's count of chips by bet."""
        return self.send(pb.PlayCommand(confirm_collection=pb.ConfirmCollection(chips=chips)))

    def settle(
        self,
        hands: Iterable[pb.SeatHand],
        dealer: Iterable[str] = (),
        community: Iterable[str] = (),
    ) -> Awaitable[pb.SettleResponse]:
        """Every hand of the round; the answer has its awards in payment order."""
        settlement = pb.Settle(hands=hands, dealer=dealer, community=community)
        return self.send(pb.PlayCommand(settle=settlement))

    def void_round(self, irregularity: str) -> Awaitable[pb.VoidRoundResponse]:
        """The round comes to nothing; once it is collected only a floorperson can say so."""
        return self.send(pb.PlayCommand(void_round=pb.VoidRound(irregularity=irregularity)))

    def call_floor(self, call: pb.CallFloor) -> Awaitable[pb.CallFloorResponse]:
        """Ask a floorperson for what the table may not do alone; `watch_table` has the answer."""
        return self.send(pb.PlayCommand(call_floor=call))

    def withdraw_call(self, call: int) -> Awaitable[pb.WithdrawCallResponse]:
        """Take an open call back."""
        return self.send(pb.PlayCommand(withdraw_call=pb.WithdrawCall(call=call)))

    def contribute_pot(self, pot_micros: int) -> Awaitable[pb.ContributePotResponse]:
        """A Poker pot after its rake; the answer says what goes into the box."""
        return self.send(pb.PlayCommand(contribute_pot=pb.ContributePot(pot_micros=pot_micros)))

    def place_deck(
        self, back: str, dealing: pb.Dealing.ValueType, used_s: int = 0
    ) -> Awaitable[pb.PlaceDeckResponse]:
        """A deck is in use; the answer says when it has to be changed."""
        placed = pb.PlaceDeck(back=back, dealing=dealing, used_s=used_s)
        return self.send(pb.PlayCommand(place_deck=placed))

    def remove_deck(self, back: str) -> Awaitable[pb.RemoveDeckResponse]:
        """A deck is off the table."""
        return self.send(pb.PlayCommand(remove_deck=pb.RemoveDeck(back=back)))

    def send(self, command: pb.PlayCommand) -> Awaitable[Any]:
        """Any command; the others are made of this one."""
        if self._conversation is None:
            raise RefusedError("FAILED_PRECONDITION", "attach the table first", "NOT_ATTACHED")
        return self._conversation.send(command)

    async def _hang_up(self, why: str) -> None:
        if self._conversation:
            await self._conversation.close(UnreachableError("CANCELLED", why))
            self._conversation = None
