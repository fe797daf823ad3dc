"""Play only the progressive side of a game, as fast as possible, on the transcript.

Everything that chance decides comes from the run's seed and the table's name. What the controller
answers is not judged here: the auditor does that. Only whether the round goes on depends on it.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Iterable, Iterator
from typing import Any

from emulator.soak.audit.terms import DEALER, BetTerms, LinkTerms, TableTerms
from emulator.soak.clients import RecordingClient
from emulator.soak.options import Chances, Options
from emulator.soak.report.hits import Hits
from emulator.soak.tables.players import Bettors, account_of, deal
from emulator.soak.tables.staff import Floor
from jackpot.wire.refusals import RefusedError
from jackpot.wire.v1 import payout_pb2
from jackpot.wire.v1 import table_pb2 as pb
from table_client.client import OVER

STEPS = 5  # of a round, each with a pause where it has a pace
_BUY_IN_DOLLARS = 300


class SideTable:
    """One table."""

    def __init__(
        self,
        client: RecordingClient,
        terms: TableTerms,
        floor: Floor,
        options: Options,
        chances: Chances,
        hits: Hits,
        spare: RecordingClient | None = None,
    ) -> None:
        """`spare` takes over when the client hangs."""
        self.client = client
        self.terms = terms
        self.rounds = 0
        self.hung = 0
        self.paused = 0
        self._floor = floor
        self._draw = random.Random(f"{options.seed}/{terms.id}")  # noqa: S311 - for a replay
        self._chances = chances
        self._rigged = options.rigged
        self._pause_s = options.pause_s(STEPS)
        self._hits = hits
        self._spare = spare
        self._void_seats: set[int] = set()
        self._round = 0
        self._restored = False  # a backup was: this round is not in the journal
        self._known_restores = 0  # that staff had told of when it attached
        self._collected = False  # from then on only a floorperson voids
        self._bettors = Bettors(terms, chances, self._draw)
        self._bets = {bet.id: (link, bet) for link in terms.links for bet in link.bets}

    async def begin(self) -> None:
        """Attach; a round that an earlier life left is finished by the floor."""
        await self._attach("TABLE_RESTARTED")
        if self._bettors.have_accounts:
            for seat in range(1, self.terms.seats + 1):
                await self._floor.buy_in(account_of(self.terms, seat), _BUY_IN_DOLLARS)

    async def _attach(self, irregularity: str) -> None:
        """Speak for the table; what is found under way is void."""
        self._restored, self._known_restores = False, self._floor.restores
        answer = await self.client.attach()
        if answer.round.phase not in OVER:
            self._round = answer.round.number
            self._collected = answer.round.phase == pb.ROUND_PHASE_COLLECTED
            await self._void(irregularity)

    async def play(self) -> None:
        """One round, also the one that a restore has cut short: what was lost is told at once."""
        self.rounds += 1
        if self._is_rolled_back():
            await self._attach("RESTORED")
        await self._play_round()
        if self._is_rolled_back():
            await self._attach("RESTORED")

    def _is_rolled_back(self) -> bool:
        return self._restored or self._known_restores != self._floor.restores

    async def _play_round(self) -> None:
        await self._floor.clear_table(self.terms.id, self._draw)
        if self._chance(self._chances.visits_cashier * self._bettors.have_accounts):
            seat = self._draw.randrange(1, self.terms.seats + 1)
            await self._floor.visit_cashier(account_of(self.terms, seat), self._draw)
        locking = await self._bet(hurry=self._chance(self._chances.hurries))
        if locking is None:
            await self._step()
            if self._spare and self._chance(self._chances.hangs):
                await self._hang(self._spare)
            locking = self.client.lock_out()
        accepted = await self._lock_out(locking)
        if accepted is None:
            return
        if self._chance(self._chances.void_round) and await self._void("MISDEALT"):
            return
        if not await self._collect(accepted):
            await self._void("COLLECTION_MISMATCH")
            return
        await self._maybe_void_seat()
        await self._settle(accepted)

    # -- betting ------------------------------------------------------------------------------

    async def _bet(self, *, hurry: bool) -> Awaitable[Any] | None:
        """Open and place, all on the way at once; in a hurry the lock-out too: it is returned."""
        wagers = self._bettors.wagers()
        answers: list[Awaitable[Any]] = [self.client.open_round()]
        if self._chance(self._chances.second_command):
            cut = self._draw.randrange(len(wagers) + 1)
            parts = [wagers[:cut], wagers[cut:]]
        else:
            parts = [wagers]
        answers += [self.client.place_wagers(part) for part in parts if part]
        if self._chance(self._chances.nonsense):
            answers.append(self.client.place_wagers([self._bettors.nonsense(wagers)]))
        if wagers and self._chance(self._chances.withdraws):
            gone = self._draw.choice(wagers)
            placed = pb.PlacedWager(seat=gone.seat, bet=gone.bet)
            answers.append(self.client.withdraw_wagers([placed]))
        locking = self.client.lock_out() if hurry else None
        await asyncio.gather(*(self._do(answer) for answer in answers))
        return locking

    async def _lock_out(self, locking: Awaitable[Any]) -> list[pb.Wager] | None:
        answer = await self._do(locking)
        if answer is None:
            return None
        self._round, self._collected = answer.round, answer.collected
        self._count_draws(answer)
        if self._chance(self._chances.late):
            await self._bet_late()
        await self._step()
        return list(answer.wagers)

    def _count_draws(self, answer: pb.LockOutResponse) -> None:
        for drawn in answer.draws:
            lucky = drawn.lucky_position if drawn.HasField("lucky_position") else -1
            magic = bool(drawn.magic_card)
            self._hits.note_draws(drawn.link, self.terms.seats, magic=magic, lucky=lucky)

    async def _bet_late(self) -> None:
        """After "no more bets", several at once."""
        link, bet = self._draw.choice(list(self._bets.values()))
        seats = self._draw.sample(range(1, self.terms.seats + 1), 2)
        late = [_wager(seat, link, bet) for seat in seats]
        await asyncio.gather(*(self._do(self.client.place_wagers([wager])) for wager in late))

    # -- collection ---------------------------------------------------------------------------

    async def _collect(self, accepted: list[pb.Wager]) -> bool:
        """Count the chips; now and then one is missing, or one too many."""
        chips = [w for w in accepted if not self._bets[w.bet][1].electronic]
        if not chips:
            return True
        count: dict[str, int] = Counter(wager.bet for wager in chips)
        if self._chance(self._chances.mismatch):
            wager = self._draw.choice(chips)
            wrong = {**count, wager.bet: count[wager.bet] + self._draw.choice([-1, 1])}
            await self._do(self.client.confirm_collection(wrong))
            if wrong[wager.bet] < count[wager.bet]:
                act = pb.FLOOR_ACT_REMOVE_WAGER
                if await self._call(act, seat=wager.seat, bet=wager.bet):
                    accepted.remove(wager)
                    count = wrong
        done = await self._do(self.client.confirm_collection(count))
        self._collected = done is not None
        await self._step()
        return done is not None or not any(count.values())

    # -- settlement ---------------------------------------------------------------------------

    async def _settle(self, accepted: list[pb.Wager]) -> None:
        playing = {wager.seat for wager in accepted}
        for seat in range(1, self.terms.seats + 1):
            if self._chance(0.1):
                playing.add(seat)  # at the game, but not on the progressive
        playing -= self._void_seats
        seats = sorted(playing)
        terms = self.terms
        sizes = (terms.seat_cards, terms.dealer_cards, terms.community_cards)
        dealt = deal(self._draw, seats, sizes, rigged=self._rigged and bool(seats))
        hands = [self._hand(seat, dealt.hands[seat]) for seat in seats]
        answer = await self._do(self.client.settle(hands, dealt.hands.get(0, []), dealt.community))
        await self._step()
        if answer is None:
            await self._void("DECK_INCOMPLETE")
            return
        if dealt.fair:
            paid = rows_paid(self.terms, accepted, hands, answer.payouts)
            self._hits.note_round(self.terms, paid)
        await self._after(answer.payouts)

    def _hand(self, seat: int, cards: list[str]) -> pb.SeatHand:
        fate: pb.Fate.ValueType = pb.FATE_PLAYED
        if self._chance(self._chances.folds):
            fate = pb.FATE_FOLDED
        elif self._chance(self._chances.leaves):
            fate = pb.FATE_ABANDONED
        elif self._chance(self._chances.talks):
            fate = pb.FATE_FORFEITED
        return pb.SeatHand(seat=seat, cards=cards, fate=fate)

    async def _after(self, payouts: Iterable[payout_pb2.Payout]) -> None:
        """Awards go to the floor, unless the round turns out to be void."""
        due = list(payouts)
        if due and self._chance(self._chances.void_seat * 5):
            seat = self._draw.choice(due).seat
            await self._void_seat(seat)
        if due and self._chance(self._chances.void_round * 5) and await self._void("MISDEALT"):
            return
        await self._floor.take(self.terms.id, [payout.id for payout in due], self._draw)

    async def _void(self, irregularity: str) -> bool:
        """By the table itself, or by the floor, who may at first name the wrong round."""
        if self._alone() and await self._do(self.client.void_round(irregularity)):
            return True
        if not self._collected:
            return False
        if self._chance(self._chances.clumsy):
            await self._floor.void_round(self.terms.id, self._round + 1, irregularity)
        return await self._call(pb.FLOOR_ACT_VOID_ROUND, irregularity=irregularity)

    async def _void_seat(self, seat: int) -> bool:
        """By a call where the game's rule has a word for it; else a floorperson finds it."""
        for word in sorted(self.terms.voids_seat):
            return await self._call(pb.FLOOR_ACT_VOID_SEAT, seat=seat, irregularity=word)
        return await self._floor.void_seat(self.terms.id, self._round, seat, "HAND_FOULED")

    async def _call(self, act: pb.FloorAct.ValueType, **about: Any) -> bool:
        """Call the floor; now and then they decline at first, or the table thinks better of it."""
        asked = pb.CallFloor(act=act, round=self._round, **about)
        if self._chance(self._chances.clumsy) and (call := await self._ask(asked)):
            if self._draw.choice([True, False]):
                await self._floor.decline(call)
            else:
                await self._do(self.client.withdraw_call(call))
            await self._floor.approve(call)  # too late
        call = await self._ask(asked)
        return call is not None and await self._floor.approve(call)

    async def _ask(self, asked: pb.CallFloor) -> int | None:
        answer = await self._do(self.client.call_floor(asked))
        return answer.call if answer else None

    def _alone(self) -> bool:
        """Whether the table tries without the floor, as it may before the collection only."""
        return not self._collected or self._chance(self._chances.oversteps)

    async def _maybe_void_seat(self) -> None:
        self._void_seats = set()
        if self._chance(self._chances.void_seat):
            seat = self._draw.randrange(1, self.terms.seats + 1)
            if await self._void_seat(seat):
                self._void_seats.add(seat)

    async def _hang(self, other: RecordingClient) -> None:
        """The client hangs in mid-round; another one takes over, and then the first wakes up."""
        hung, self.client, self._spare = self.client, other, self.client
        self.hung += 1
        await other.attach()
        await self._do(hung.lock_out())

    # -- steps --------------------------------------------------------------------------------

    def _chance(self, share: float) -> bool:
        return self._draw.random() < share

    async def _do(self, answer: Awaitable[Any]) -> Any:
        """Wait for an answer; None: refused."""
        try:
            return await answer
        except RefusedError as error:
            if not error.reason:
                raise
            self._restored = self._restored or error.reason == "OTHER_INCARNATION"
            return None

    async def _step(self) -> None:
        """Between two steps: the pace of the table, and a client that may start again."""
        if self._restored:
            return  # no round is under way any more
        if self._pause_s:
            await asyncio.sleep(self._pause_s * self._draw.uniform(0.5, 1.5))
        if self._chance(self._chances.pauses):
            self.paused += 1
            await asyncio.sleep(self._chances.pause_s)
        if self._chance(self._chances.resumes):
            await self.client.attach()


_BY_HAND = (payout_pb2.PAYOUT_KIND_SHARE, payout_pb2.PAYOUT_KIND_FIXED)


def rows_paid(
    terms: TableTerms,
    accepted: Iterable[pb.Wager],
    hands: Iterable[pb.SeatHand],
    payouts: Iterable[payout_pb2.Payout],
) -> Iterator[tuple[BetTerms, str]]:
    """Each bet that a hand was settled on, with the row that was paid, "" for none."""
    fates = {hand.seat: hand.fate for hand in hands}
    by_hand = [payout for payout in payouts if payout.kind in _BY_HAND]
    of_seat = {(payout.seat, payout.bet): payout.hand for payout in by_hand}
    of_dealer = {payout.bet: payout.hand for payout in by_hand if payout.holder == DEALER}
    for wager in accepted:
        bet, fate = terms.bet(wager.bet), fates.get(wager.seat)
        if bet is None:
            continue
        if fate == pb.FATE_PLAYED or (fate == pb.FATE_FOLDED and not bet.fold_loses):
            own = of_seat.get((wager.seat, bet.id), "")
            yield bet, of_dealer.get(bet.id, "") if bet.on_dealer else own


def _wager(seat: int, link: LinkTerms, bet: BetTerms) -> pb.Wager:
    return pb.Wager(seat=seat, bet=bet.id, amount_micros=link.wager_micros)
