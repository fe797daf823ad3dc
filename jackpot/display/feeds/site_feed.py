"""A site as pages show it, made of a controller's answers.

A feed asks a controller through its API and hands the answers to the projection. However many
browsers look, the controller has one watcher.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import grpc
from google.protobuf.message import Message

from jackpot.core import ledger
from jackpot.display.feeds.watch import CALL_S, Links, MeterWatch
from jackpot.display.history.follower import JournalFollower
from jackpot.display.history.site_history import SiteHistory
from jackpot.display.views import projection
from jackpot.display.views.values import (
    HistoryView,
    LayoutView,
    Overview,
    PanelView,
    Range,
    SignCard,
)
from jackpot.quota import CallerQuota
from jackpot.store.journal import Archive
from jackpot.wire.errors import PlainError
from jackpot.wire.paging import all_pages_async
from jackpot.wire.refusals import RefusedError, explained, from_rpc_error
from jackpot.wire.v1 import meter_pb2, meter_pb2_grpc, operator_pb2, operator_pb2_grpc

STRANGE, STRANGE_PER_S = 20, 5  # names of no linked table that are asked for: at once, a second
MS_PER_S = 1_000
MICROS_PER_S = 1_000_000


class SiteError(PlainError):
    """A controller does not serve the site that was named, or serves several and none was."""


class SiteFeed:
    """One site, as far as people may look at it."""

    def __init__(
        self, channel: Any, site: str = "", open_reader: Callable[[], Archive] | None = None
    ) -> None:
        """Over a gRPC channel or the controller's own link; without a name, its only site.

        Past rounds are read from the journal. Without a reader of it they are not shown, and
        meters over time begin now.
        """
        self.site = site
        self._channel = channel
        self._stubs = (
            meter_pb2_grpc.MeterServiceStub(channel),
            operator_pb2_grpc.OperatorServiceStub(channel),
        )
        self._watch = MeterWatch(channel, self._take, self._begin_anew)
        self._paytables: dict[str, meter_pb2.LinkPaytables] = {}
        self._layouts: dict[str, LayoutView] = {}  # by table
        # Everybody may ask for the layout of any name: the controller hears of few that it lacks.
        self._strange = CallerQuota(STRANGE, STRANGE_PER_S)
        self._terms: dict[str, int] = {}  # by link, when its terms last changed
        self._trouble: RefusedError | None = None
        self._follower = JournalFollower(site, open_reader, self._meters) if open_reader else None
        self._seen = SiteHistory(has_rounds=False)
        self._seen.since_micros = int(time.time()) * MICROS_PER_S

    async def start(self) -> None:
        """Begin to watch; a controller that is not there yet is waited for.

        SiteError where none was named and the controller has several, or it does not have the one
        that was; RefusedError where it does not take our certificate.
        """
        try:
            if self.site and self.site not in (sites := await self._sites()):
                raise SiteError(
                    f"the controller has no site {self.site} (it has: {', '.join(sites)})"
                )
            await self._find_site()
        except grpc.RpcError as error:
            refusal = await asyncio.to_thread(explained, from_rpc_error(error), self._channel)
            if refusal.code == "UNAUTHENTICATED":
                raise refusal from error
        self._watch.start(self._find_site)
        if self._follower:
            self._follower.start()

    async def first(self, within_s: float) -> None:
        """Wait a while until the controller has been heard and serves."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._watch.first.wait(), within_s)

    async def stop(self) -> None:
        """Watch no more."""
        await self._watch.stop()
        if self._follower:
            await self._follower.stop()

    @property
    def serving(self) -> bool:
        """Whether what the meters show is what the controller holds."""
        return self._watch.serving

    async def refused(self) -> RefusedError:
        """Wait until the controller does not let us watch any more; why."""
        await self._watch.refused.wait()
        assert self._watch.refusal is not None
        return self._watch.refusal

    @property
    def trouble(self) -> RefusedError | None:
        """Why we may not watch, or why the last question had no answer; None where it had."""
        return self._watch.refusal or self._trouble

    @property
    def past(self) -> SiteHistory | None:
        """What is known of the past; None: nothing yet."""
        return self._follower.history if self._follower else self._seen

    def frames(self) -> Sequence[meter_pb2.LinkMeters]:
        """The latest meters of every link."""
        return list(self._watch.frames.values())

    def frame(self, link: str) -> meter_pb2.LinkMeters | None:
        """A link's latest meters; the same object until they change."""
        return self._watch.frames.get(link)

    async def card(self, link: str) -> SignCard | None:
        """What a sign is told first of a link; the title is the one of this moment."""
        frame, pays = self.frame(link), await self._pays(link)
        return projection.sign_card(frame, pays) if frame and pays else None

    async def layout(self, table: str) -> LayoutView | None:
        """What a table tells patrons; None: it has no layout, or nobody answers."""
        if table not in self._layouts:
            if table not in await self._linked() and not self._strange.take(
                "", "", time.monotonic_ns() // 1_000
            ):
                return None
            found = await self._ask(meter_pb2.GetLayoutRequest(site=self.site, table=table))
            if found is None or not found.HasField("layout"):
                return None
            self._layouts[table] = projection.layout(found.layout)
        return self._layouts[table]

    async def _linked(self) -> set[str]:
        """The tables of links that have a layout; one without a link is not among them."""
        pays = [await self._pays(link.link) for link in self.frames()]
        return {table for each in pays if each for table in each.tables}

    async def tables(self) -> tuple[str, ...]:
        """The ids of all tables."""
        found = await self._ask(operator_pb2.ListTablesRequest(site=self.site))
        return tuple(table.id for table in found.tables) if found else ()

    async def panel(self, table: str) -> PanelView | None:
        """A table."""
        found = await self._ask(operator_pb2.GetTableRequest(site=self.site, table=table))
        due = await self._ask(operator_pb2.ListPayoutsRequest(site=self.site, table=table))
        if found is None or due is None:
            return None
        pays = [await self._pays(link) for link in found.table.links]
        return projection.panel(found.table, due.payouts, filter(None, pays), self.past, _now_ms())

    async def overview(self) -> Overview | None:
        """The whole site; without links and tables while its journal can't be asked.

        None while nobody answers.
        """
        site, past = self.site, self.past
        alarms = await self._ask(operator_pb2.ListAlarmsRequest(site=site))
        if alarms is None:
            return None
        links = await self._ask(operator_pb2.ListLinksRequest(site=site))
        links = links or operator_pb2.ListLinksResponse()
        tables = payouts = proposals = calls = None
        if links.links:  # else the rest would not be answered either
            tables = await self._ask(operator_pb2.ListTablesRequest(site=site))
            payouts = await self._ask(operator_pb2.ListPayoutsRequest(site=site))
            proposals = await self._ask(operator_pb2.ListProposalsRequest(site=site))
            calls = await self._ask(operator_pb2.ListFloorCallsRequest(site=site))
        now_ms = _now_ms()
        return Overview(
            site=site,
            sequence=payouts.sequence if payouts else alarms.sequence,
            now_ms=now_ms,
            serving=self.serving,
            links=tuple(map(projection.link, links.links)),
            tables=projection.tables(tables.tables if tables else (), past, now_ms),
            payouts=tuple(map(projection.payout, payouts.payouts if payouts else ())),
            proposals=tuple(map(projection.proposal, proposals.proposals if proposals else ())),
            alarms=tuple(map(projection.alarm, alarms.alarms)),
            hits=projection.hits(self.frames()),
            record_since_ms=past.since_micros // projection.MICROS_PER_MS if past else 0,
            calls=tuple(map(projection.call, calls.calls if calls else ())),
        )

    def history(self, link: str, level: str, range_: Range) -> HistoryView | None:
        """A meter over time."""
        return projection.history(self.past, link, level, range_, _now_ms() // MS_PER_S)

    async def _pays(self, link: str) -> meter_pb2.LinkPaytables | None:
        """What a link pays; asked again when its terms have changed."""
        if link not in self._paytables:
            found = await self._ask(meter_pb2.ListPaytablesRequest(site=self.site, link=link))
            if found is None:
                return None
            self._paytables[link] = found.links[0]
        return self._paytables[link]

    async def _meters(self) -> meter_pb2.ListMetersResponse | None:
        found: meter_pb2.ListMetersResponse | None
        found = await self._ask(meter_pb2.ListMetersRequest(site=self.site))
        return found

    async def _ask(self, request: Message) -> Any:
        """What the controller answers, or None where it does not."""
        name = request.DESCRIPTOR.name.removesuffix("Request")
        call: Any = next(getattr(stub, name) for stub in self._stubs if hasattr(stub, name))
        try:
            answer = await all_pages_async(lambda page: call(page, timeout=CALL_S), request)
        except grpc.RpcError as error:
            self._trouble = from_rpc_error(error)
            return None
        self._trouble = None
        if self._follower:
            self._follower.heed(answer.sequence)
        return answer

    async def _sites(self) -> Sequence[str]:
        ask: Any = self._stubs[0]
        found: Sequence[str]
        found = (await ask.ListSites(meter_pb2.ListSitesRequest(), timeout=CALL_S)).sites
        return found

    async def _find_site(self) -> str:
        if not self.site:
            sites = await self._sites()
            if len(sites) != 1:
                raise SiteError(
                    f"add --site with one of this controller's sites: {', '.join(sites)}"
                )
            self.site = sites[0]
        return self.site

    def _begin_anew(self) -> None:
        self._paytables.clear()
        self._layouts.clear()

    def _take(self, links: Links) -> None:
        now_s = int(time.time())
        for link in links:
            if self._terms.get(link.link) != link.terms_sequence:
                self._terms[link.link] = link.terms_sequence
                self._paytables.pop(link.link, None)
                self._layouts.clear()
            if self._follower:
                self._follower.heed(link.sequence)
                continue
            for meter in link.meters:
                history = self._seen.level(ledger.key(link.link, meter.level))
                won = meter.amount_micros < history.value
                history.add(now_s, meter.amount_micros)
                if won:
                    history.won(now_s)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
