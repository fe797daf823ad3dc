"""A controller elsewhere as a source: its meters as they change, its tables and payouts as asked.

For signs in a process of their own, so that any number of them costs the controller one watcher.
What the controller does not tell over the wire (past rounds, contributions) is not shown.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TypeVar

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from msgspec.structs import replace

from jackpot.core import ledger
from jackpot.display import alarms, wire, words
from jackpot.display.errors import NoSuchSiteError, SeveralSitesError
from jackpot.display.series import LevelHistory
from jackpot.display.source import SILENT_MS, for_list, hit_view
from jackpot.display.views import HistoryView, Overview, PanelView, Range, SignCard
from jackpot.engine import MeterBoard, MeterFrame
from jackpot.wire.refusals import RefusedError, explained, from_rpc_error
from jackpot.wire.v1 import meter_pb2, meter_pb2_grpc, operator_pb2, operator_pb2_grpc

CALL_S = 2.0
BEAT_S = 1.0
RECONNECT_S = 0.5
HITS_SHOWN = 25
_log = logging.getLogger(__name__)
Answer = TypeVar("Answer")


class ControllerSource:
    """One site of a controller, over gRPC."""

    def __init__(self, channel: grpc.aio.Channel, site: str = "") -> None:
        """Without a site's name, the only one that the controller serves."""
        self.site = site
        self._channel = channel
        self.meters = MeterBoard()
        self._meter: meter_pb2_grpc.MeterServiceAsyncStub = meter_pb2_grpc.MeterServiceStub(channel)
        self._operator: operator_pb2_grpc.OperatorServiceAsyncStub = (
            operator_pb2_grpc.OperatorServiceStub(channel)
        )
        self._health = health_pb2_grpc.HealthStub(channel)
        self._watching = False
        self._healthy = False
        self._tasks: list[asyncio.Task[None]] = []
        self._cards: dict[str, SignCard] = {}
        self._histories: dict[str, LevelHistory] = {}
        self._since_s = int(time.time())
        self._trouble: RefusedError | None = None

    async def start(self) -> None:
        """Begin to watch; a controller that is not there yet is waited for.

        SeveralSitesError where none was named and the controller has several, NoSuchSiteError where
        it does not have the one that was, RefusedError where it does not take our certificate.
        """
        try:
            if self.site and self.site not in (sites := await self._sites()):
                raise NoSuchSiteError(f"no site {self.site} there; there are: {', '.join(sites)}")
            await self._find_site()
        except grpc.RpcError as error:
            refusal = await asyncio.to_thread(explained, from_rpc_error(error), self._channel)
            if refusal.code == "UNAUTHENTICATED":
                raise refusal from error
        self._tasks = [asyncio.create_task(run()) for run in (self._watch, self._beat)]

    async def stop(self) -> None:
        """Watch no more."""
        for task in self._tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    @property
    def serving(self) -> bool:
        """Whether the controller is there, serves, and sends its meters."""
        return self._watching and self._healthy

    @property
    def trouble(self) -> RefusedError | None:
        """Why the last question had no answer; None where it had."""
        return self._trouble

    async def card(self, link: str) -> SignCard | None:
        """What of a link does not change."""
        frame = self.meters.frame(self.site, link)
        if link not in self._cards and frame is not None:
            request = meter_pb2.ListPaytablesRequest(site=self.site, link=link)
            found = await self._asked(lambda: self._meter.ListPaytables(request, timeout=CALL_S))
            if found is None:
                return None
            self._cards[link] = wire.card(frame, found.links[0])
        return self._cards.get(link)

    async def tables(self) -> tuple[str, ...]:
        """The ids of all tables."""
        request = operator_pb2.ListTablesRequest(site=self.site)
        found = await self._asked(lambda: self._operator.ListTables(request, timeout=CALL_S))
        return tuple(table.id for table in found.tables) if found else ()

    async def panel(self, table: str) -> PanelView | None:
        """A table, as far as the controller tells."""
        get = operator_pb2.GetTableRequest(site=self.site, table=table)
        due = operator_pb2.ListPayoutsRequest(site=self.site, table=table)
        found = await self._asked(lambda: self._operator.GetTable(get, timeout=CALL_S))
        payouts = await self._asked(lambda: self._operator.ListPayouts(due, timeout=CALL_S))
        if found is None or payouts is None:
            return None
        bets = [bet for link in found.table.links for bet in await self._bets(link)]
        panel = wire.panel(found.table, payouts.payouts, bets)
        return replace(panel, attached=panel.attached and _fresh(panel.heard_ms))

    async def overview(self) -> Overview | None:
        """The whole site."""
        site, operator = self.site, self._operator
        links = await self._asked(
            lambda: operator.ListLinks(operator_pb2.ListLinksRequest(site=site), timeout=CALL_S)
        )
        if links is None:  # the rest would not be answered either
            return None
        tables = await self._asked(
            lambda: operator.ListTables(operator_pb2.ListTablesRequest(site=site), timeout=CALL_S)
        )
        payouts = await self._asked(
            lambda: operator.ListPayouts(operator_pb2.ListPayoutsRequest(site=site), timeout=CALL_S)
        )
        proposals = await self._asked(
            lambda: operator.ListProposals(
                operator_pb2.ListProposalsRequest(site=site), timeout=CALL_S
            )
        )
        if tables is None or payouts is None or proposals is None:
            return None
        now_ms = _now_ms()
        views = [wire.table(table) for table in tables.tables]
        shown = tuple(replace(v, attached=v.attached and _fresh(v.heard_ms)) for v in views)
        due = tuple(wire.payout(payout) for payout in payouts.payouts)
        hits = for_list(hit for frame in self.meters.frames() for hit in frame.hits)
        return Overview(
            site=site,
            sequence=payouts.sequence,
            now_ms=now_ms,
            serving=self.serving,
            links=tuple(wire.link(link) for link in links.links),
            tables=shown,
            payouts=due,
            proposals=tuple(wire.proposal(found) for found in proposals.proposals),
            alarms=(
                *alarms.of_controller(None, now_ms, serving=self.serving),
                *alarms.of_floor(shown, due, now_ms),
            ),
            hits=tuple(hit_view(hit) for hit in hits[:HITS_SHOWN]),
            record_since_ms=self._since_s * 1_000,
        )

    def history(self, link: str, level: str, range_: Range) -> HistoryView | None:
        """A meter since this process began to watch it."""
        found = self._histories.get(ledger.key(link, level))
        if found is None:
            return None
        pairs = found.over(range_, int(time.time()))
        return HistoryView(
            link=link,
            level=level,
            range=range_,
            times_s=tuple(time_s for time_s, _ in pairs),
            amounts=tuple(words.money(value) for _, value in pairs),
            since_s=self._since_s,
        )

    async def _bets(self, link: str) -> list[str]:
        request = meter_pb2.ListPaytablesRequest(site=self.site, link=link)
        found = await self._asked(lambda: self._meter.ListPaytables(request, timeout=CALL_S))
        return [paytable.bet for paytable in found.links[0].paytables] if found else []

    async def _sites(self) -> Sequence[str]:
        return (await self._meter.ListSites(meter_pb2.ListSitesRequest(), timeout=CALL_S)).sites

    async def _find_site(self) -> None:
        if not self.site:
            sites = await self._sites()
            if len(sites) != 1:
                raise SeveralSitesError(f"say --site, one of: {', '.join(sites)}")
            self.site = sites[0]

    async def _watch(self) -> None:
        while True:
            try:
                await self._find_site()
                # From the beginning: what was seen before need not be what a restored journal has,
                # nor its links and paytables.
                request = meter_pb2.WatchMetersRequest(site=self.site)
                board = MeterBoard()
                async for response in self._meter.WatchMeters(request):
                    if self.meters is not board:
                        self.meters = board
                        self._cards.clear()
                    self._watching = True
                    self._publish([wire.frame(self.site, link) for link in response.links])
            except grpc.RpcError as error:
                if self._watching:
                    _log.warning("the controller is lost: %s", wire.problem(error))
            self._watching = False
            await asyncio.sleep(RECONNECT_S)

    def _publish(self, frames: list[MeterFrame]) -> None:
        self.meters.publish(frames)
        for frame in frames:
            for level in frame.levels:
                key = ledger.key(frame.link, level.level)
                history = self._histories.setdefault(key, LevelHistory())
                won = level.meter_micros < history.value
                history.add(int(time.time()), level.meter_micros)
                if won:
                    history.won(int(time.time()))

    async def _asked(self, call: Callable[[], Awaitable[Answer]]) -> Answer | None:
        """What the controller answers, or None where it does not."""
        try:
            answer = await call()
        except grpc.RpcError as error:
            self._trouble = from_rpc_error(error)
            return None
        self._trouble = None
        return answer

    async def _beat(self) -> None:
        """Ask the controller how it is: a cut cable shows only when somebody speaks."""
        request = health_pb2.HealthCheckRequest()
        while True:
            try:
                answer = await self._health.Check(request, timeout=CALL_S)
                self._healthy = answer.status == answer.SERVING
            except grpc.RpcError:
                self._healthy = False
            await asyncio.sleep(BEAT_S)


def _fresh(heard_ms: int) -> bool:
    return heard_ms > _now_ms() - SILENT_MS


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
