"""A site as pages show it, made of a controller's answers.

A feed asks a controller through its API and hands the answers to the projection. Where the
controller is, in this process or elsewhere, is all that feeds differ in.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from google.protobuf.message import Message

from jackpot.display.history.site_history import SiteHistory
from jackpot.display.views import projection
from jackpot.display.views.values import HistoryView, Overview, PanelView, Range, SignCard
from jackpot.wire.v1 import meter_pb2, operator_pb2

CALL_S = 2.0  # a controller whose commit hangs does not answer
MS_PER_S = 1_000


class SiteFeed(ABC):
    """One site, as far as people may look at it."""

    def __init__(self, site: str) -> None:
        self.site = site
        self._paytables: dict[str, meter_pb2.LinkPaytables] = {}

    @property
    @abstractmethod
    def serving(self) -> bool:
        """Whether what the meters show is what the controller holds."""

    @property
    @abstractmethod
    def past(self) -> SiteHistory | None:
        """What is known of the past; None: nothing yet."""

    @abstractmethod
    def frames(self) -> Sequence[meter_pb2.LinkMeters]:
        """The latest meters of every link."""

    @abstractmethod
    def frame(self, link: str) -> meter_pb2.LinkMeters | None:
        """A link's latest meters; the same object until they change."""

    @abstractmethod
    async def _ask(self, request: Message) -> Any:
        """What the controller answers, or None where it does not."""

    async def card(self, link: str) -> SignCard | None:
        """What a sign is told first of a link; the title is the one of this moment."""
        frame, pays = self.frame(link), await self._pays(link)
        return projection.sign_card(frame, pays) if frame and pays else None

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
        tables = payouts = proposals = None
        if links.links:  # else the rest would not be answered either
            tables = await self._ask(operator_pb2.ListTablesRequest(site=site))
            payouts = await self._ask(operator_pb2.ListPayoutsRequest(site=site))
            proposals = await self._ask(operator_pb2.ListProposalsRequest(site=site))
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
        )

    def history(self, link: str, level: str, range_: Range) -> HistoryView | None:
        """A meter over time."""
        return projection.history(self.past, link, level, range_, _now_ms() // MS_PER_S)

    async def _pays(self, link: str) -> meter_pb2.LinkPaytables | None:
        """What a link pays, which never changes while its journal is the same."""
        if link not in self._paytables:
            found = await self._ask(meter_pb2.ListPaytablesRequest(site=self.site, link=link))
            if found is None:
                return None
            self._paytables[link] = found.links[0]
        return self._paytables[link]


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
