"""A manager who adjusts meters, moves funds, and takes links out of service, now and then."""

import asyncio
import random

from emulator.audit.books import Books
from emulator.soak.clients import Staff
from jackpot.wire.v1 import operator_pb2 as op

_CENT = 10_000
_REASONS = (
    op.METER_REASON_MALFUNCTION,
    op.METER_REASON_RESET,
    op.METER_REASON_LIMIT,
    op.METER_REASON_PROMOTION,
)


class Manager:
    """Works beside the tables; looks at the auditor's books only to ask for sensible amounts."""

    def __init__(self, staff: Staff, books: Books, draw: random.Random, every_s: float) -> None:
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
        links = self._books.links
        levels = [(link, level) for link in links for level in links[link].levels]
        return self._draw.choice(levels)

    async def _adjust(self) -> None:
        link, level = self._level()
        meter = self._books.level((link, level)).meter
        by = self._draw.randrange(-20_000, 20_000) * _CENT // 100
        await self._staff.do(
            "AdjustMeter",
            link=link,
            level=level,
            to_micros=max(0, meter + by),
            reason=self._draw.choice(_REASONS),
            reference=f"ticket {self.acts}",
        )

    async def _transfer(self) -> None:
        link, level = self._level()
        to_link, to_level = self._level()
        pool = self._draw.choice([op.POOL_OVERFLOW, op.POOL_RESERVE])
        funds = self._books.level((link, level))
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
        terms = self._books.level((link, level)).terms
        about = {"link": link, "level": level, "reference": f"ticket {self.acts}"}
        if self._draw.choice([True, False]):
            limit = terms.seed_micros + self._draw.randrange(-100, 10_000) * 100 * _CENT
            await self._staff.do("SetLimit", limit_micros=max(0, limit), **about)
        else:
            primary = terms.primary_bps + self._draw.randrange(-50, 50)
            await self._staff.do(
                "SetRate", primary_bps=max(1, primary), reserve_bps=terms.reserve_bps, **about
            )
