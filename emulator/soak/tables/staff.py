"""Play the staff: floorpersons who validate, pay, reject and void; a manager who moves money."""

import asyncio
import random
from collections.abc import Callable, Iterable, Sequence

from emulator.soak.audit.books import Books
from emulator.soak.clients import StaffClient
from emulator.soak.options import Chances
from jackpot.wire.v1 import operator_pb2 as op
from jackpot.wire.v1 import payout_pb2
from table_client.table.floor import FLOORPERSON
from table_client.table.ports import SideAward

_DOLLAR = 1_000_000
_REJECT_REASONS = (
    op.REJECT_REASON_HAND_MISREAD,
    op.REJECT_REASON_LAMP_DARK,
    op.REJECT_REASON_WAGER_INVALID,
)


class Floor:
    """The floor of the whole site. An award that waits is done with before its table's next."""

    def __init__(self, staff: StaffClient, chances: Chances) -> None:
        self.paid = 0
        self.rejected = 0
        self.restores = 0  # of backups, that staff have heard of
        self._staff = staff
        self._chances = chances
        self._waiting: dict[str, list[int]] = {}
        self._done: set[int] = set()

    async def take(self, table: str, payouts: Sequence[int], draw: random.Random) -> None:
        """Deal with a round's awards; some wait."""
        if not payouts:
            return
        if draw.random() < self._chances.later:
            self._waiting.setdefault(table, []).extend(payouts)
            return
        await self._handle(list(payouts), draw)

    async def clear_table(self, table: str, draw: random.Random) -> None:
        """Before a round: what waits is dealt with, or not yet."""
        if table not in self._waiting or draw.random() < self._chances.later:
            return
        await self._handle(self._waiting.pop(table), draw)

    async def finish(self, draw: random.Random) -> None:
        """Everything that still waits."""
        for table in list(self._waiting):
            await self._handle(self._waiting.pop(table), draw)

    def start_over(self, due: Iterable[payout_pb2.Payout]) -> None:
        """A backup was restored: these are due, whatever was done before."""
        self.restores += 1
        self._waiting, self._done = {}, set()
        for payout in due:
            self._waiting.setdefault(payout.table, []).append(payout.id)

    async def buy_in(self, account: str, dollars: int) -> None:
        """A player puts money on a game account."""
        await self._staff.do(
            "BuyIn", account=account, amount_micros=dollars * _DOLLAR, reference="cashier"
        )

    async def visit_cashier(self, account: str, draw: random.Random) -> None:
        """A player buys in, or cashes out, perhaps more than there is."""
        if draw.choice([True, True, False]):
            await self.buy_in(account, draw.randrange(20, 200))
            return
        amount_micros = draw.randrange(1, 60) * _DOLLAR
        await self._staff.do(
            "CashOut", account=account, amount_micros=amount_micros, reference="cashier"
        )

    async def void_round(self, table: str, round_: int, irregularity: str) -> bool:
        """Void a table's round; False: refused."""
        about = {"table": table, "round": round_, "irregularity": irregularity}
        return await self._staff.do("VoidTableRound", **about) is not None

    async def void_seat(self, table: str, round_: int, seat: int, irregularity: str) -> bool:
        """Void one seat of a table's round; False: refused."""
        about = {"table": table, "round": round_, "irregularity": irregularity}
        return await self._staff.do("VoidTableSeat", seat=seat, **about) is not None

    async def approve(self, call: int) -> bool:
        """Do what a table has called for; False: refused."""
        return await self._staff.do("ApproveFloorCall", call=call) is not None

    async def decline(self, call: int) -> bool:
        """Decline what a table has called for; False: refused."""
        return await self._staff.do("DeclineFloorCall", call=call) is not None

    async def _handle(self, payouts: list[int], draw: random.Random) -> None:
        """In payment order; a second walk takes those whose turn had not come.

        What is still to be walked when a backup is restored is not due any more.
        """
        known = self.restores
        if draw.random() < self._chances.clumsy:
            await self._be_clumsy(payouts, draw)
        for payout in [*payouts, *payouts]:
            if self.restores != known:
                return
            if payout in self._done:
                continue
            if draw.random() < self._chances.rejects:
                await self._reject(payout, draw)
            else:
                await self._pay(payout, draw)
        self._done.difference_update(payouts)

    async def pay(self, award: SideAward) -> None:
        """Validate and pay at once."""
        payout = award.payout
        await self._staff.do("ValidatePayout", payout=payout, floorperson=FLOORPERSON)
        if await self._staff.do("PayPayout", payout=payout, form=f"form {payout}"):
            self.paid += 1

    async def _pay(self, payout: int, draw: random.Random) -> None:
        source = payout_pb2.PAYOUT_SOURCE_UNSPECIFIED
        if draw.random() < self._chances.clumsy:
            source = payout_pb2.PAYOUT_SOURCE_CAGE
        await self._staff.do(
            "ValidatePayout", payout=payout, floorperson=FLOORPERSON, source=source
        )
        if await self._staff.do("PayPayout", payout=payout, form=f"form {payout}"):
            self.paid += 1
            self._done.add(payout)

    async def _reject(self, payout: int, draw: random.Random) -> None:
        reason = draw.choice(_REJECT_REASONS)
        if await self._staff.do(
            "RejectPayout", payout=payout, reason=reason, floorperson=FLOORPERSON
        ):
            self.rejected += 1
            self._done.add(payout)

    async def _be_clumsy(self, payouts: list[int], draw: random.Random) -> None:
        """What staff may not do: too early, twice, without a name, out of order."""
        payout = draw.choice(payouts)
        match draw.randrange(5):
            case 0:
                await self._staff.do("PayPayout", payout=payout)
            case 1:
                await self._staff.do("ValidatePayout", payout=payouts[-1], floorperson=FLOORPERSON)
            case 2:
                await self._staff.do("ValidatePayout", payout=payout)
            case 3:
                await self._staff.do("PayPayout", payout=payout + 1_000_000)
            case 4:
                await self._staff.do(
                    "ValidatePayout",
                    payout=payout,
                    floorperson=FLOORPERSON,
                    source=payout_pb2.PAYOUT_SOURCE_INVENTORY,
                )


_CENT = 10_000
_METER_REASONS = (
    op.METER_REASON_MALFUNCTION,
    op.METER_REASON_LIMIT,
    op.METER_REASON_PROMOTION,
)


class Manager:
    """Works beside the tables; looks at the auditor's books only to ask for sensible amounts."""

    def __init__(
        self, staff: StaffClient, books: Callable[[], Books], draw: random.Random, every_s: float
    ) -> None:
        self.acts = 0
        self._staff = staff
        self._books = books
        self._draw = draw
        self._every_s = every_s

    async def work(self) -> None:
        """Until cancelled."""
        while True:
            await asyncio.sleep(self._every_s * self._draw.uniform(0.5, 1.5))
            act = self._draw.choice(
                [self._adjust, self._adjust, self._reset, self._transfer, self._suspend]
            )
            await act()
            self.acts += 1

    def _level(self) -> tuple[str, str]:
        links = self._books().links
        levels = [(link, level) for link in links for level in links[link].levels]
        return self._draw.choice(levels)

    async def _adjust(self) -> None:
        link, level = self._level()
        meter = self._books().level((link, level)).meter
        by = self._draw.randrange(-20_000, 20_000) * _CENT // 100
        await self._staff.do(
            "AdjustMeter",
            link=link,
            level=level,
            to_micros=max(0, meter + by),
            reason=self._draw.choice(_METER_REASONS),
            reference=f"ticket {self.acts}",
        )

    async def _transfer(self) -> None:
        link, level = self._level()
        to_link, to_level = self._level()
        pool = self._draw.choice([op.POOL_OVERFLOW, op.POOL_RESERVE])
        funds = self._books().level((link, level))
        held = funds.overflow if pool == op.POOL_OVERFLOW else funds.reserve
        await self._staff.do(
            "TransferFunds",
            link=link,
            level=level,
            pool=pool,
            to_link=to_link,
            to_level=to_level,
            amount_micros=max(_CENT, held // 2),
            reference=f"ticket {self.acts}",
        )

    async def _reset(self) -> None:
        link, level = self._level()
        await self._staff.do("ResetMeter", link=link, level=level, reference=f"ticket {self.acts}")

    async def _suspend(self) -> None:
        """Out of service for a moment, perhaps for other terms."""
        link, level = self._level()
        await self._staff.do("SuspendLink", link=link)
        try:
            await asyncio.sleep(0.05)
            await self._other_terms(link, level)
        finally:
            await self._staff.do("ResumeLink", link=link)

    async def _other_terms(self, link: str, level: str) -> None:
        terms = self._books().level((link, level)).terms
        about = {"link": link, "level": level, "reference": f"ticket {self.acts}"}
        if self._draw.choice([True, False]):
            limit = terms.seed_micros + self._draw.randrange(-100, 10_000) * 100 * _CENT
            await self._staff.do("SetLimit", limit_micros=max(0, limit), **about)
        else:
            primary = terms.primary_bps + self._draw.randrange(-50, 50)
            await self._staff.do(
                "SetRate", primary_bps=max(1, primary), reserve_bps=terms.reserve_bps, **about
            )
