"""A table that plays rounds, one after the other, from the shuffle to the discard rack.

Whatever goes wrong with the cards ends in a void by rule, never in a hang: wagers go back, the
progressive is told, and the next round begins with a fresh shuffle.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress

from msgspec import Struct

from jackpot.core.config import BaseTerms
from jackpot.core.money import dollars
from jackpot.rules.base_game import option_value
from jackpot.rules.compile_base_game import default_terms
from table_client.table.games.irregularities import Irregularity, Remedy, remedy_for
from table_client.table.games.model import Game
from table_client.table.players import Offer, Player
from table_client.table.ports import (
    CAREFUL,
    Dealer,
    DeckLostError,
    DeckSource,
    Made,
    Progressive,
    ProgressiveLostError,
    ShoeFailedError,
    SideAward,
    Way,
)
from table_client.table.progressive import NO_PROGRESSIVE
from table_client.table.round.betting import close_betting, take_wagers
from table_client.table.round.dealing import Dealing
from table_client.table.round.deciding import Deciding
from table_client.table.round.judging import VoidError
from table_client.table.round.round_state import DiscardRack, Layout, Outcome, Seat
from table_client.table.round.settling import Settling
from table_client.table.round.start import SeededStart, StartSource, starting_position
from table_client.table.round.verdicts import spared
from table_client.table.trace import Record, Trace

_COUNT_EVERY = 5  # rounds at the most, where a chapter leaves nothing to choose
_LOADS = {
    Way.MANUAL_SHOE: "The deck goes into the dealing shoe.",
    Way.HAND: "The dealer takes the deck in hand.",
    Way.AUTOMATED_SHOE: "The cards go into the automated shoe.",
    Way.CONTINUOUS_SHOE: "The shoe has taken the cards.",
}


class SeatResult(Struct, frozen=True):
    """What a round was to one seat."""

    seat: int
    player: str
    cards: tuple[str, ...]
    fate: str
    outcomes: tuple[Outcome, ...]
    linked: Mapping[str, int]
    awards: tuple[SideAward, ...]
    void: bool

    @property
    def net_micros(self) -> int:
        """What the player has more or less than before, awards and linked wagers included."""
        won = sum(award.amount_micros for award in self.awards)
        return sum(each.net_micros for each in self.outcomes) + won - sum(self.linked.values())


class RoundResult(Struct, frozen=True):
    """One round."""

    number: int
    void: str  # the irregularity that ended it; "": none
    seats: Mapping[int, SeatResult]
    dealer: tuple[str, ...]
    community: tuple[str, ...]
    rack: DiscardRack
    records: tuple[Record, ...]
    deck_removed: bool = False


class Table:
    """One game at one table."""

    def __init__(
        self,
        game: Game,
        deck: DeckSource,
        progressive: Progressive | None = None,
        terms: BaseTerms | None = None,
        *,
        boxes: int = 1,
        dealer: Dealer = CAREFUL,
        start: StartSource | None = None,
        listener: Callable[[Record], None] | None = None,
    ) -> None:
        if deck.way not in game.plans:
            raise ValueError(
                "this project's copy of the regulation does not say how "
                f"{game.name} is dealt by {deck.way}"
            )
        self.terms = terms or default_terms(game.name)
        self.game = game.under(self.terms)
        self._boxes = boxes
        self._dealer = dealer
        self.deck = deck
        self.progressive = progressive or NO_PROGRESSIVE
        self.rounds = 0
        self._since_count = 0
        self._spread = False  # the cards lie on the table until somebody comes to play
        self._start = start or SeededStart(game.name)
        self._listener = listener

    def open_for_gaming(self, *, decks: int = 1) -> tuple[Record, ...]:
        """Inspect, spread and wash the cards before the first player plays."""
        clauses, trace = self.game.clauses, Trace(self._listener)
        trace.note("open", "Dealer and floorperson inspect the cards.", clauses.inspect)
        trace.note("open", "The cards are spread face up for the first player.", clauses.spread)
        trace.note("open", "The cards are turned, washed and stacked.", clauses.wash)
        if decks > 1:
            trace.note("open", "The same is done with the second deck.", clauses.decks_two)
        return tuple(trace.records)

    async def play_round(self, players: Mapping[int, Player]) -> RoundResult:
        """One round of play."""
        self.rounds += 1
        trace = Trace(self._listener)
        if self._spread and players:
            self._open_again(trace)
        await self._prepare(trace)
        linked = dict(self.progressive.bets) if await self.progressive.open_round() else {}
        layout = Layout(self.game, self.terms, self.deck.way, trace, players, self._boxes)
        layout.linked = linked
        offer = Offer(self.game, self.terms, linked, self.rounds)
        try:
            await self._play(layout, offer)
        except VoidError as void:
            return await self._void(layout, void.irregularity, void.remedy)
        except (ShoeFailedError, DeckLostError) as failure:
            irregularity = Irregularity.SHOE_FAILED
            remedy = remedy_for(self.game.irregularities, irregularity)
            trace.note("irregularity", str(failure), remedy.clause)
            lost = isinstance(failure, DeckLostError)
            return await self._void(layout, irregularity, remedy, deck_lost=lost)
        return self._result(layout, "")

    async def _play(self, layout: Layout, offer: Offer) -> None:
        if layout.linked:
            by_hand = layout.way is Way.HAND
            await self.progressive.use_decks(await self.deck.in_use(), by_hand=by_hand)
        wished = await take_wagers(layout, self.progressive, offer)
        if not any(layout.dealt_in()):
            await self._nobody_plays(layout)
            return
        await close_betting(layout, self.progressive, offer, wished)
        first = 1
        if any(each.to == "positions" for each in self.game.plans[layout.way]):
            first = starting_position(layout, self._start, self.rounds)
        dealing = Dealing(layout, self.deck, first)
        await dealing.deal()
        if self.game.stub_after_script:
            dealing.judge.hands()  # a player sees how many cards there are, whatever the stub has
        else:
            await dealing.finish(count=self._count_is_due())
        for seat, remedy in dealing.judge.void_seats:
            await self._void_seat(layout, seat, remedy)
        await Deciding(layout, dealing, self._dealer).run()
        if self.game.stub_after_script:
            await dealing.finish(count=self._count_is_due())
        dealing.judge.showdown()
        settling = Settling(layout, self.progressive)
        if self.game.settlement_known:
            await settling.run()
        else:
            await self._give_back(layout, settling)

    async def _nobody_plays(self, layout: Layout) -> None:
        """Without a wager there is no round: the cards are spread until a player comes."""
        await self._void_linked(layout, "NO_WAGERS")
        await self.deck.remove_stub(count=False)
        text = "Nobody is playing; the cards are spread on the table."
        layout.trace.note("idle", text, self.game.clauses.idle)
        self._spread = True

    def _open_again(self, trace: Trace) -> None:
        """Show the spread cards to the first player who comes, then wash them."""
        clauses = self.game.clauses
        trace.note("open", "The first player looks at the cards.", clauses.idle)
        trace.note("open", "The cards are turned, washed and stacked.", clauses.wash)
        self._spread = False

    # Cards

    async def _prepare(self, trace: Trace) -> None:
        clauses, irregular = self.game.clauses, self.game.irregularities
        failed = remedy_for(irregular, Irregularity.SHUFFLER_FAILED).clause
        retired = remedy_for(irregular, Irregularity.DEVICE_OUT_OF_ORDER).clause
        says = {
            Made.DECK_OPENED: ("A deck is brought to the table.", clauses.inspect),
            Made.DECK_CHANGED: ("The deck is changed for its age.", clauses.deck_age),
            Made.DECK_REMOVED: ("The count is wrong: the deck is removed.", clauses.wrong_count),
            Made.SHUFFLED: ("The cards are shuffled.", clauses.shuffle),
            Made.SHUFFLED_AGAIN: ("The shuffler failed; the cards are reshuffled.", failed),
            Made.CUT: ("The cards are cut, at least ten cards deep.", clauses.cut),
            Made.DEVICE_RETIRED: ("The broken device is taken out of use.", retired),
        }
        for made in await self.deck.prepare():
            text, clause = says[made]
            trace.note(made.lower().replace("_", "-"), text, clause)
        way = self.deck.way
        if way not in self.game.plans:  # the shoe is out of order, and nothing may stand in for it
            how = way.replace("_", " ").lower()
            unsaid = (
                "this project's copy of the regulation does not say how "
                f"{self.game.name} is dealt by {how}"
            )
            text = f"{unsaid}; repair the shoe"
            raise DeckLostError(text)
        trace.note("load", _LOADS[way], clauses.ways[way].load)

    def _count_is_due(self) -> bool:
        """Where no device counts, the stub is counted at least once every so many rounds."""
        if self.deck.counts:
            return False
        self._since_count += 1
        every = option_value(self.game.rule, self.terms, "count-stub-every")
        if self._since_count < int(every or _COUNT_EVERY):
            return False
        self._since_count = 0
        return True

    # Voids

    async def _void_seat(self, layout: Layout, seat: Seat, remedy: Remedy) -> None:
        """One hand is void: its wagers go back, the others play on."""
        if seat.void:
            return
        code = Irregularity.PLAYER_WRONG_NUMBER
        if seat.linked:
            await self.progressive.void_seat(seat.number, code)
        _return_wagers(seat)
        seat.void = True
        says = f"Seat {seat.number}: the hand is void, and its wagers are returned."
        layout.trace.note("void-seat", says, remedy.clause, seat=seat.number)

    async def _void(
        self,
        layout: Layout,
        irregularity: Irregularity,
        remedy: Remedy,
        *,
        deck_lost: bool = False,
    ) -> RoundResult:
        """The round is void: wagers go back, but for those that the chapter spares."""
        await self._void_linked(layout, irregularity)
        for seat in layout.seats.values():
            self._spare(layout, seat, remedy)
            _return_wagers(seat, spared=remedy.spares)
        trace = layout.trace
        trace.note("void", "All hands are void; wagers are returned.", remedy.clause)
        try:
            if not deck_lost:
                await self._reshuffle(layout, remedy)
        except DeckLostError as lost:  # after the void; the next round will not begin
            trace.note("irregularity", str(lost), remedy.clause)
            deck_lost = True
        Settling(layout, self.progressive).clear()
        removed = remedy.removes_deck and not deck_lost
        return self._result(layout, irregularity, deck_removed=removed)

    async def _void_linked(self, layout: Layout, irregularity: str) -> None:
        """Return the progressive wagers; a lost progressive returns them when it is back."""
        if layout.linked:
            with suppress(ProgressiveLostError):
                await self.progressive.void_round(irregularity)

    def _spare(self, layout: Layout, seat: Seat, remedy: Remedy) -> None:
        deal = layout.rule.deal
        if deal is None or len(seat.cards) != deal.seat_cards:
            return
        for outcome in spared(layout, seat, remedy.spares, remedy.spared_by):
            seat.outcomes = [*(o for o in seat.outcomes if o.bet != outcome.bet), outcome]
            amount = dollars(outcome.won_micros)
            text = f"Seat {seat.number}: {outcome.bet} is settled all the same: ${amount}."
            clause = f"{remedy.clause}; {outcome.clause}"
            layout.trace.note("settle", text, clause, seat=seat.number)

    async def _reshuffle(self, layout: Layout, remedy: Remedy) -> None:
        await self.deck.remove_stub(count=False)
        if remedy.removes_deck:
            await self.deck.remove_deck()
            layout.trace.note("deck-removed", "The deck leaves the table.", remedy.clause)
        else:
            layout.trace.note("reshuffle", "The cards are reshuffled.", remedy.clause)

    async def _give_back(self, layout: Layout, settling: Settling) -> None:
        """A chapter of which no settlement is at hand: every wager goes back."""
        await self._void_linked(layout, "NO_SETTLEMENT")
        for seat in layout.seats.values():
            _return_wagers(seat)
        text = "The regulation says nothing more; all wagers are returned."
        layout.trace.note("end", text)
        settling.clear()

    def _result(self, layout: Layout, void: str, *, deck_removed: bool = False) -> RoundResult:
        seats = {
            seat.number: SeatResult(
                seat.number,
                seat.player.key,
                tuple(seat.cards),
                seat.fate,
                tuple(seat.outcomes),
                {} if void or seat.void else dict(seat.linked),
                tuple(seat.awards),
                seat.void,
            )
            for seat in layout.seats.values()
        }
        return RoundResult(
            self.rounds,
            void,
            seats,
            tuple(layout.dealer),
            tuple(layout.community),
            layout.rack,
            tuple(layout.trace.records),
            deck_removed,
        )


def _return_wagers(seat: Seat, spared: tuple[str, ...] = ()) -> None:
    """Give back every wager of a seat, also those already forfeited."""
    kept = [each for each in seat.outcomes if each.result == "withdrawn" or each.bet in spared]
    done = {each.bet for each in kept}
    back = [
        Outcome(seat.number, bet, amount_micros, "returned")
        for bet, amount_micros in seat.wagers.items()
        if bet not in done
    ]
    seat.outcomes = [*kept, *back]
