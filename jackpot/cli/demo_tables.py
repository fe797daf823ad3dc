"""Tables that play by themselves for `jackpot demo`: chips, cards and payouts over real gRPC.

Everything that chance decides comes from one seed a table. With a number of rounds nothing is
stacked and nobody waits; for people to watch, a round takes its time and `Luck` may have a say.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from itertools import repeat

import grpc

from jackpot.cli.demo_luck import Luck
from jackpot.core.config import Site, Table
from jackpot.request_id import new_request_id
from jackpot.rules.cards import deck
from jackpot.v1 import operator_pb2, operator_pb2_grpc, payout_pb2, table_pb2
from table_client.client import TableClient

SEAT_TAKEN = 0.8
BETS = 0.75  # of the seats taken, on each bet
FOLDS = 0.25
FLOORPERSON = "demo floor"
# Of a table's pace: how long each step of a round takes for people to follow it.
CHIP, COUNT, DEAL, VALIDATE, PAY = 0.12, 0.5, 1.0, 6.0, 4.0


class Tally:
    """What the demo has seen so far."""

    def __init__(self) -> None:
        self.rounds = 0
        self.wagers = 0
        self.wagered_micros = 0
        self.payouts = 0
        self.paid_micros = 0


class DemoTable:
    """One table with its dealer, its players and its floorperson."""

    def __init__(
        self,
        channel: grpc.aio.Channel,
        site: Site,
        table: Table,
        rng: random.Random,
        on_award: Callable[[payout_pb2.Payout], None],
        luck: Luck | None = None,
    ) -> None:
        """With luck a round takes its time, and somebody wins now and then."""
        self._site = site
        self._table = table
        self._rng = rng
        self._on_award = on_award
        self._luck = luck
        self._client = TableClient(channel, site.id, table.id)
        self._operator: operator_pb2_grpc.OperatorServiceAsyncStub = (
            operator_pb2_grpc.OperatorServiceStub(channel)
        )
        links = [link for link in site.links if link.id in table.links]
        self._bets = [(bet, link.wager_micros) for link in links for bet in link.bets]
        self._chip_bets = {bet.id for bet, _ in self._bets if bet.medium == "chips"}

    async def play(self, rounds: int | None, tally: Tally, pause_s: float) -> None:
        """Play so many rounds, or for ever."""
        async with self._client:
            await self._tidy((await self._client.attach()).round)
            for _ in repeat(None) if rounds is None else range(rounds):
                await self._round(tally)
                await asyncio.sleep(pause_s * self._rng.uniform(0.5, 1.5))

    async def _tidy(self, left: table_pb2.Round) -> None:
        """Finish what a demo that was stopped left on the table."""
        if left.phase not in (table_pb2.ROUND_PHASE_UNSPECIFIED, table_pb2.ROUND_PHASE_SETTLED):
            await self._client.void_round("demo stopped", FLOORPERSON)
        request = operator_pb2.ListPayoutsRequest(site=self._site.id, table=self._table.id)
        await self.pay((await self._operator.ListPayouts(request)).payouts)

    async def _round(self, tally: Tally) -> None:
        client, rng = self._client, self._rng
        seats = [s for s in range(1, self._table.seats + 1) if rng.random() < SEAT_TAKEN]
        wagers = [
            table_pb2.Wager(seat=seat, bet=bet.id, amount_micros=wager_micros)
            for seat in seats
            for bet, wager_micros in self._bets
            if rng.random() < BETS
        ]
        placed: list[Awaitable[object]] = [client.open_round()]
        for wager in wagers:  # chip by chip
            placed.append(client.place_wagers([wager]))
            await self._while(CHIP)
        locked = client.lock_out()
        await asyncio.gather(*placed)
        await self._while(COUNT)
        if not (await locked).collected:
            chips = Counter(wager.bet for wager in wagers if wager.bet in self._chip_bets)
            await client.confirm_collection(chips)
        await self._while(DEAL)
        settled = await self._deal(seats, {wager.seat for wager in wagers})
        tally.rounds += 1
        tally.wagers += len(wagers)
        tally.wagered_micros += sum(wager.amount_micros for wager in wagers)
        for payout in settled.payouts:
            self._on_award(payout)
            tally.payouts += 1
            tally.paid_micros += payout.amount_micros
        await self.pay(settled.payouts)

    async def _while(self, part: float) -> None:
        """Take the time that people need to follow."""
        if self._luck is not None:
            await asyncio.sleep(part * self._rng.uniform(0.6, 1.4))

    async def _deal(self, seats: Iterable[int], bettors: set[int]) -> table_pb2.SettleResponse:
        cards = list(deck())
        self._rng.shuffle(cards)
        lucky = self._luck.hand(bettors, self._table.seat_cards) if self._luck else None
        if lucky:
            cards = [card for card in cards if card not in lucky[1]]

        def draw(count: int) -> list[str]:
            return [cards.pop() for _ in range(count)]

        hands = []
        for seat in seats:
            folds = self._rng.random() < FOLDS
            hand = draw(self._table.seat_cards)
            if lucky and seat == lucky[0]:
                folds, hand = False, lucky[1]
            fate = table_pb2.FATE_FOLDED if folds else table_pb2.FATE_PLAYED
            hands.append(table_pb2.SeatHand(seat=seat, cards=hand, fate=fate))
        dealer, community = draw(self._table.dealer_cards), draw(self._table.community_cards)
        return await self._client.settle(hands, dealer, community)

    async def pay(self, payouts: Iterable[payout_pb2.Payout]) -> None:
        """The floorperson validates in payment order, envy last: it hangs on another's hand."""
        payouts = sorted(payouts, key=lambda payout: payout.kind == payout_pb2.PAYOUT_KIND_ENVY)
        if any(payout.share_bps for payout in payouts):
            await self._while(VALIDATE)
        for payout in payouts:
            if payout.needs_floorperson and not payout.floorperson:
                await self._operator.ValidatePayout(
                    operator_pb2.ValidatePayoutRequest(
                        site=self._site.id,
                        request_id=new_request_id(),
                        payout=payout.id,
                        floorperson=FLOORPERSON,
                    )
                )
        if any(payout.share_bps for payout in payouts):
            await self._while(PAY)
        for payout in payouts:
            by_cage = payout.source == payout_pb2.PAYOUT_SOURCE_CAGE
            await self._operator.PayPayout(
                operator_pb2.PayPayoutRequest(
                    site=self._site.id,
                    request_id=new_request_id(),
                    payout=payout.id,
                    form=f"demo-{payout.id}" if by_cage else "",
                )
            )
