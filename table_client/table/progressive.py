"""The progressive as a round sees it: none at all, or the links of a table over `TableClient`.

Only an acknowledged wager lights a lamp. While the controller can't be reached the progressive is
out of service: it offers nothing, and the game goes on without it. When the controller is back, a
round that was dealt is settled with its hands, and a round that was not is void. Where a backup was
restored meanwhile, the round is not in the journal: the controller has an alarm about it, and what
the journal has of an earlier one is void.
"""

import logging
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import TypeVar, cast

from msgspec.structs import asdict

from jackpot.wire.refusals import RefusedError, UnreachableError
from jackpot.wire.v1 import table_pb2
from jackpot.wire.v1.meter_pb2 import BET_MEDIUM_ELECTRONIC
from jackpot.wire.v1.table_config_pb2 import LinkConfig
from table_client.client import TableClient
from table_client.table.floor import Calls, Staff, award_of
from table_client.table.ports import (
    DeckInUse,
    Floorperson,
    LinkedBet,
    LockedOut,
    Mismatch,
    Progressive,
    ProgressiveLostError,
    SeatHand,
    SideAward,
    SideWager,
)

_MISMATCH = "COLLECTION_MISMATCH"
_RESTORED = "OTHER_INCARNATION"  # a backup was restored: the round is not in the journal
# What a floorperson is told who is to act on something that a restore has undone.
_GONE = ("UNKNOWN_PAYOUT", "WRONG_ROUND", "NO_ROUND")
_UNPAID = "DOCUMENTATION_OPEN"  # the cards of an award stay on the table until it is paid
_UNSETTLED = (
    table_pb2.ROUND_PHASE_OPEN,
    table_pb2.ROUND_PHASE_LOCKED,
    table_pb2.ROUND_PHASE_COLLECTED,
)
Answer = TypeVar("Answer")
_PATIENCE_S = 15.0  # before staff are told again
_log = logging.getLogger(__name__)


class _NoProgressive:
    """A table without a link: no round opens, so nothing more is asked of it."""

    bets: Mapping[str, LinkedBet] = MappingProxyType({})

    async def open_round(self) -> bool:
        """Nothing to open."""
        return False


NO_PROGRESSIVE = cast("Progressive", _NoProgressive())


def linked_bets(links: Iterable[LinkConfig]) -> dict[str, LinkedBet]:
    """What a table's links offer, as the controller says."""
    return {
        bet.bet: LinkedBet(
            link.wager_micros,
            "electronic" if bet.medium == BET_MEDIUM_ELECTRONIC else "chips",
            bet.fold_forfeits,
            frozenset(bet.divided_hands),
        )
        for link in links
        for bet in link.bets
    }


class LinkedProgressive:
    """A table's links, by its client; `floor` pays what is due and approves its calls."""

    def __init__(
        self,
        client: TableClient,
        floor: Floorperson | None = None,
        *,
        staff: Staff | None = None,
    ) -> None:
        """`staff` is waited for while the table may not go on without them.

        They have the cage's payment to make, or without a floor what only a floorperson does.
        """
        self._client = client
        self._staff = staff
        self._floor = floor
        self._calls = Calls(client, floor, staff)
        self._round = 0
        self._collected = False
        self._lost = False
        self._restored = False  # the controller has said so, and the table not yet attached again
        self._hands: list[table_pb2.SeatHand] | None = None  # dealt, and not yet settled
        self._middle: tuple[list[str], list[str]] = ([], [])
        self._decks: dict[str, tuple[int, table_pb2.Dealing.ValueType]] = {}  # as on record

    @property
    def bets(self) -> Mapping[str, LinkedBet]:
        """Every bet of the links, as the last attachment has told."""
        return linked_bets(self._client.config.links)

    async def open_round(self) -> bool:
        """Open a round; False while the controller can't be reached or takes no wagers."""
        while True:
            try:
                if self._lost:
                    await self._return()
                self._round = (await self._reach(self._client.open_round())).round
                self._collected = False
            except RefusedError as refusal:
                if refusal.reason != _UNPAID or self._staff is None:
                    return False
                await self._until_open(refusal)
            except ProgressiveLostError:
                if not self._restored:
                    return False
            else:
                return True

    async def _until_open(self, refusal: RefusedError) -> None:
        """Wait until staff have done what keeps the round shut. Watching is not journaled."""
        while self._staff:
            await self._staff(refusal)
            if await self._client.until(lambda table: table.may_open_round, _PATIENCE_S):
                return

    async def use_decks(self, decks: Sequence[DeckInUse], *, by_hand: bool) -> None:
        """Tell the controller what has changed; what it was not told, it is told the next time."""
        dealing = table_pb2.DEALING_HAND if by_hand else table_pb2.DEALING_SHOE
        with suppress(RefusedError, ProgressiveLostError):
            for back in sorted(self._decks.keys() - {deck.back for deck in decks}):
                del self._decks[back]
                await self._reach(self._client.remove_deck(back))
            for deck in decks:
                if self._decks.get(deck.back) != (deck.number, dealing):
                    await self._reach(self._client.place_deck(deck.back, dealing, deck.used_s))
                    self._decks[deck.back] = (deck.number, dealing)

    async def _return(self) -> None:
        """Speak for the table again, and bring the round that was interrupted to its end."""
        try:
            found = await self._client.attach()
        except UnreachableError as error:
            raise ProgressiveLostError(str(error)) from error
        self._lost = False
        if self._client.restored or self._restored:
            # Neither this table's round nor its decks are what the journal has now.
            _log.warning(
                "%s: a backup was restored; round %d is lost", self._client.table, self._round
            )
            self._restored, self._hands, self._decks = False, None, {}
            if found.round.phase in _UNSETTLED:
                await self._reach(self._calls.void_left(found.round, "RESTORED"))
            return
        if found.round.phase not in _UNSETTLED:
            return
        if self._hands is None:
            await self._reach(self._calls.void_left(found.round, "CONTROLLER_LOST"))
            return
        dealer, community = self._middle
        reply = await self._reach(self._client.settle(self._hands, dealer, community))
        self._hands = None
        for payout in reply.payouts:
            await self.pay(award_of(payout))

    async def _reach(self, answer: Awaitable[Answer]) -> Answer:
        try:
            return await answer
        except RefusedError as error:
            self._restored = self._restored or error.reason == _RESTORED
            if not isinstance(error, UnreachableError) and error.reason != _RESTORED:
                raise
            self._lost = True
            raise ProgressiveLostError(str(error)) from error

    async def _by_floor(self, answer: Awaitable[Answer]) -> Answer:
        """What a floorperson may have to do; if they find nothing, perhaps it was undone."""
        try:
            return await self._reach(answer)
        except RefusedError as refusal:
            if refusal.reason not in _GONE:
                raise
            await self._client.attach()
            if not self._client.restored:
                raise
            self._lost = self._restored = True
            raise ProgressiveLostError(str(refusal)) from refusal

    async def place(self, wagers: Sequence[SideWager]) -> tuple[SideWager, ...]:
        """All of a seat's wagers or none; a refusal leaves the lamps dark."""
        try:
            await self._reach(
                self._client.place_wagers(table_pb2.Wager(**asdict(wager)) for wager in wagers)
            )
        except (RefusedError, ProgressiveLostError):
            return ()
        return tuple(wagers)

    async def lock_out(self) -> LockedOut:
        """What was accepted, whatever the lamps showed until now."""
        reply = await self._reach(self._client.lock_out())
        self._collected = reply.collected
        lucky = reply.lucky_position if reply.HasField("lucky_position") else None
        accepted = tuple(
            SideWager(wager.seat, wager.bet, wager.amount_micros, wager.player, wager.account)
            for wager in reply.wagers
        )
        return LockedOut(accepted, reply.magic_card, lucky)

    async def remove_wager(self, wager: SideWager) -> None:
        """Have a wager removed that has no chip."""
        await self._by_floor(self._calls.remove_wager(self._round, wager.seat, wager.bet))

    async def confirm_collection(self, chips: Mapping[str, int]) -> Mismatch | None:
        """The dealer's count."""
        try:
            await self._reach(self._client.confirm_collection(chips))
        except RefusedError as refusal:
            if refusal.reason != _MISMATCH:
                raise
            told = refusal.metadata
            counted, accepted = int(told.get("counted", 0)), int(told.get("accepted", 0))
            return Mismatch(told.get("bet", ""), counted, accepted)
        self._collected = True
        return None

    async def settle(
        self, hands: Sequence[SeatHand], dealer: Sequence[str], community: Sequence[str]
    ) -> tuple[SideAward, ...]:
        """Every hand of the round, and its awards."""
        self._hands = [_hand(hand) for hand in hands]
        self._middle = (list(dealer), list(community))
        reply = await self._reach(self._client.settle(self._hands, dealer, community))
        self._hands = None
        return tuple(award_of(payout) for payout in reply.payouts)

    async def pay(self, award: SideAward) -> None:
        """Call the floor."""
        if self._floor:
            with suppress(ProgressiveLostError):  # then the alarm about this table tells of it
                await self._by_floor(self._floor.pay(award))

    async def void_round(self, irregularity: str) -> None:
        """Return the round's wagers."""
        collected = self._collected
        void = self._calls.void_round(self._round, irregularity, collected=collected)
        await self._by_floor(void)

    async def void_seat(self, seat: int, irregularity: str) -> None:
        """Return one seat's wagers, if it has any."""
        await self._by_floor(self._calls.void_seat(self._round, seat, irregularity))


def _hand(hand: SeatHand) -> table_pb2.SeatHand:
    fate = table_pb2.Fate.Value(f"FATE_{hand.fate.upper()}")
    return table_pb2.SeatHand(seat=hand.seat, cards=hand.cards, fate=fate, player=hand.player)
