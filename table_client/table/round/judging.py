"""Judge what a dealer found: which irregularity it is, and whether the round can go on."""

from collections.abc import Sequence

from table_client.table.games.irregularities import Irregularity, Remedy, remedy_for
from table_client.table.games.model import Pass
from table_client.table.ports import Deal, Drawn, Spot, Way
from table_client.table.round.round_state import Layout, Seat, owner_of

WHOLE_DECK = 52


class VoidError(Exception):
    """The round comes to nothing."""

    def __init__(self, irregularity: Irregularity, remedy: Remedy, says: str) -> None:
        super().__init__(says)
        self.irregularity = irregularity
        self.remedy = remedy


class Judge:
    """What the chapter says of each thing that is found in a round."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.game = layout.game
        self.void_seats: list[tuple[Seat, Remedy]] = []
        self.first_cards_out = False
        self.deferred: VoidError | None = None

    def remedy(self, which: Irregularity) -> Remedy:
        """What follows an irregularity."""
        return remedy_for(self.game.irregularities, which)

    def act(self, which: Irregularity, says: str, seat: Seat | None = None) -> Remedy:
        """Note an irregularity, and end the round if the chapter says so."""
        remedy = self.remedy(which)
        number = seat.number if seat else None
        self.layout.trace.note("irregularity", says, remedy.clause, seat=number)
        if remedy.does == "void-round":
            void = VoidError(which, remedy, says)
            # A side bet that is settled all the same needs its cards: the deal is completed first.
            if not remedy.spares or self.first_cards_out:
                raise void
            self.deferred = self.deferred or void
        return remedy

    def first_deal_done(self) -> None:
        """Everybody has the first cards: what waited for that happens now."""
        self.first_cards_out = True
        if self.deferred:
            raise self.deferred

    # Single cards

    def sets_aside(self, drawn: Drawn) -> bool:
        """Whether a card is not used: face up. A second such card ends the round."""
        if not drawn.face_up:
            if drawn.drawn_in_error:
                says = "A card drawn in error is used as the next card."
                self.act(Irregularity.CARD_DRAWN_IN_ERROR, says)
            return False
        layout = self.layout
        layout.set_aside += 1
        layout.rack.place("face up", [drawn.card])
        if layout.set_aside > 1:
            late = self.first_cards_out
            which = Irregularity.CARDS_FACE_UP_LATE if late else Irregularity.CARDS_FACE_UP
            self.act(which, "More than one card was found face up.")
        self.act(Irregularity.CARD_FACE_UP, "A card was found face up and is set aside.")
        return True

    def exposed(self, deal: Deal, plan: Pass, cards: Sequence[str]) -> None:
        """Cards that were turned over while they were dealt."""
        if not cards:
            return
        stack = Irregularity.STACK_CARD_EXPOSED
        if self.layout.way is Way.HAND and stack in self.game.irregularities:
            self.act(stack, "A card was exposed while the stacks were dealt.")
        if deal.spot is Spot.DEALER:
            if any(card not in self.layout.dealer_up for card in cards):
                self.act(Irregularity.DEALER_CARD_EXPOSED, "One of the dealer's cards was exposed.")
        elif deal.spot is Spot.COMMUNITY:
            if plan.shows == "none":
                self.act(Irregularity.COMMUNITY_CARD_EXPOSED, "A community card was exposed.")
        elif deal.spot is Spot.SEAT:
            self._player_exposed(self.layout.seats[deal.seat], cards)

    def seen_early(self, *, decided: bool) -> None:
        """A card that lies face down was seen while players decided, or just after all had.

        It is one of the dealer's, or where the dealer has none one of the middle.
        """
        layout = self.layout
        if layout.dealer:
            which, says = Irregularity.DEALER_CARD_EXPOSED, "One of the dealer's cards was exposed."
        elif len(layout.turned) < len(layout.community):
            which, says = Irregularity.COMMUNITY_CARD_EXPOSED, "A community card was exposed."
        else:
            return
        remedy = self.remedy(which)
        if decided and remedy.until == "decided":
            says = f"{says} All players had decided: play goes on."
            layout.trace.note("irregularity", says, remedy.clause)
        else:
            self.act(which, says)

    def out_of_turn(self) -> None:
        """A card that went to another stack than the one whose turn it was."""
        if Irregularity.STACKS_OUT_OF_TURN in self.game.irregularities:
            says = "The stacks were not dealt from left to right and back."
            self.act(Irregularity.STACKS_OUT_OF_TURN, says)

    def _player_exposed(self, seat: Seat, cards: Sequence[str]) -> None:
        says = f"A card of {owner_of(seat.number)} was exposed."
        remedy = self.act(Irregularity.PLAYER_CARD_EXPOSED, says, seat)
        if remedy.does == "player-chooses" and seat.player.voids(tuple(cards)):
            self.void_seats.append((seat, remedy))

    # A card that is there twice

    def doubles(self) -> None:
        """A player sees one card twice, in the hand or among those turned up: no whole deck."""
        layout = self.layout
        shown = [*layout.dealer_up, *(layout.community[place] for place in layout.turned)]
        for seat in layout.active():
            self._verify_single([*seat.cards, *shown])

    def showdown(self) -> None:
        """The same of all cards that are turned up at the end."""
        layout = self.layout
        hands = [seat.cards for seat in layout.dealt_in() if not seat.collected]
        cards = [card for hand in hands for card in hand]
        self._verify_single([*cards, *layout.dealer, *layout.community])

    def _verify_single(self, cards: Sequence[str]) -> None:
        if len(set(cards)) == len(cards):
            return
        clause = self.game.clauses.ways[self.layout.way].count_wrong
        says = "A card is there twice: the deck is not whole."
        self.layout.trace.note("irregularity", says, clause)
        remedy = Remedy("void-round", clause, removes_deck=True)
        raise VoidError(Irregularity.DECK_INCOMPLETE, remedy, says)

    # Numbers of cards

    def dealer_off(self) -> int:
        """How many cards too many the dealer has."""
        deal = self.layout.rule.deal
        return len(self.layout.dealer) - (deal.dealer_cards if deal else 0)

    def count(self, counted: int, prescribed: int) -> None:
        """A count of the stub: right, wrong by a misdeal, or wrong by the deck itself."""
        layout = self.layout
        whole = WHOLE_DECK + bool(layout.rule.deal and layout.rule.deal.joker)
        if counted == whole - prescribed - layout.set_aside:
            return
        clause = self.game.clauses.ways[layout.way].count_wrong
        misdealt = bool(self._wrong_seats() or self.dealer_off() or self._community_off())
        removes = not (misdealt and counted + layout.out == whole)
        which = Irregularity.DECK_INCOMPLETE if removes else Irregularity.MISDEALT
        says = "The deck is not whole." if removes else "The cards were misdealt."
        layout.trace.note("irregularity", says, clause)
        raise VoidError(which, Remedy("void-round", clause, removes_deck=removes), says)

    def hands(self) -> None:
        """The number of everybody's cards."""
        layout = self.layout
        if self.dealer_off():
            says = f"The dealer has {len(layout.dealer)} cards."
            self.act(Irregularity.DEALER_WRONG_NUMBER, says)
        if self._community_off():
            says = f"There are {len(layout.community)} community cards."
            self.act(Irregularity.COMMUNITY_WRONG_NUMBER, says)
        for seat in self._wrong_seats():
            says = f"Seat {seat.number} has {len(seat.cards)} cards."
            remedy = self.act(Irregularity.PLAYER_WRONG_NUMBER, says, seat)
            if remedy.does == "void-seat":
                self.void_seats.append((seat, remedy))

    def _wrong_seats(self) -> list[Seat]:
        deal = self.layout.rule.deal
        expected = deal.seat_cards if deal else 0
        return [seat for seat in self.layout.dealt_in() if len(seat.cards) != expected]

    def _community_off(self) -> int:
        deal = self.layout.rule.deal
        expected = deal.community_cards if deal else 0
        dealt_first = any(each.to == "community" for each in self.game.plans[self.layout.way])
        return len(self.layout.community) - expected if dealt_first or self.layout.turned else 0
