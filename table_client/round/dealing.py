"""Deal a round by its plan, and find what is irregular as a dealer does.

The deck stops where the dealer sees something: a card face up, a card exposed, a shoe that fails. A
wrong number of cards is found by counting hands and, at least every fifth round where no device
counts, the stub.
"""

from collections.abc import Sequence

from msgspec import Struct

from table_client.games.irregularities import Irregularity, Remedy, remedy_for
from table_client.games.model import Draw, Pass
from table_client.ports import Conduct, Deal, Dealt, DeckSource, Drawn, Spot, Way
from table_client.round.layout import DEALER, Layout, Seat, owner_of

WHOLE_DECK = 52


class VoidError(Exception):
    """The round comes to nothing."""

    def __init__(self, irregularity: Irregularity, remedy: Remedy, says: str) -> None:
        super().__init__(says)
        self.irregularity = irregularity
        self.remedy = remedy


class Step(Struct, frozen=True):
    """One request of the plan."""

    deal: Deal
    plan: Pass


class Dealing:
    """The cards of one round, from the first request to the stub."""

    def __init__(self, layout: Layout, deck: DeckSource, start: int = 1) -> None:
        self.layout = layout
        self.game = layout.game
        self.deck = deck
        self.start = start  # the position that is dealt first, where all positions are dealt
        self.conduct: dict[int, Conduct] = {}
        self.void_seats: list[tuple[Seat, Remedy]] = []
        self.first_cards_out = False
        self._prescribed = 0
        self._stack: list[Drawn] = []

    # The plan

    def steps(self) -> list[Step]:
        """The requests of the plan, in order."""
        found: list[Step] = []
        for each in self.game.plans[self.layout.way]:
            if each.if_bet and not self.layout.has(each.if_bet):
                continue
            requests = self._requests(each)
            found += [Step(deal, each) for deal in requests]
        return found

    async def deal(self) -> None:
        """Deal everybody's first cards."""
        steps = self.steps()
        self._prescribed += sum(step.deal.count for step in steps)
        await self._all(steps)
        self.first_cards_out = True
        await self._complete_dealer()
        if self.game.stub_after_script and not self.layout.community:
            await self._take_in_hand()

    async def draw(self, act: Draw) -> None:
        """Burn, and deal community cards face up; what the shoe gave before is only turned."""
        layout = self.layout
        places = range(len(layout.turned), len(layout.turned) + act.cards)
        if len(layout.community) < places.stop:
            burn = Pass("bonus-card", clause=act.clause)
            card = Pass("community", shows="all", clause=act.clause)
            steps = [Step(Deal(Spot.OTHER), burn)] * act.burn
            steps += [Step(Deal(Spot.COMMUNITY), card)] * act.cards
            self._prescribed += len(steps)
            await self._all(steps)
        layout.turned += places
        shown = layout.community[places.start : places.stop]
        layout.trace.note("turn", act.call, act.clause, cards=shown)

    # The stub

    async def finish(self, *, count: bool) -> None:
        """Put the stub away, counted if it is time, and look at the number of everybody's cards."""
        layout, clauses = self.layout, self.game.clauses.ways[self.layout.way]
        count = count or self.game.counts_every_stub
        counted = await self.deck.remove_stub(count=count)
        if counted is None:
            layout.trace.note("stub", "The stub goes to the discard rack, unseen.", clauses.stub)
        else:
            layout.trace.note("count", f"The stub has {counted} cards.", clauses.count)
            self._judge_count(counted)
            layout.trace.note("stub", "The stub goes to the discard rack.", clauses.count_right)
        self._judge_hands()

    def _judge_count(self, counted: int) -> None:
        whole = WHOLE_DECK + bool(self.layout.rule.deal and self.layout.rule.deal.joker)
        if counted == whole - self._prescribed - self.layout.set_aside:
            return
        clause = self.game.clauses.ways[self.layout.way].count_wrong
        if self._misdealt() and counted + self.layout.out == whole:
            says = "The count is wrong because the cards were misdealt."
            raise VoidError(Irregularity.MISDEALT, Remedy("void-round", clause), says)
        says = "The deck has a wrong number of cards."
        remedy = Remedy("void-round", clause, removes_deck=True)
        raise VoidError(Irregularity.DECK_INCOMPLETE, remedy, says)

    # Hands

    def _wrong_seats(self) -> list[Seat]:
        deal = self.layout.rule.deal
        expected = deal.seat_cards if deal else 0
        return [seat for seat in self.layout.dealt_in() if len(seat.cards) != expected]

    def _dealer_off(self) -> int:
        deal = self.layout.rule.deal
        return len(self.layout.dealer) - (deal.dealer_cards if deal else 0)

    def _community_off(self) -> int:
        deal = self.layout.rule.deal
        expected = deal.community_cards if deal else 0
        dealt_first = any(each.to == "community" for each in self.game.plans[self.layout.way])
        return len(self.layout.community) - expected if dealt_first or self.layout.turned else 0

    def _misdealt(self) -> bool:
        return bool(self._wrong_seats() or self._dealer_off() or self._community_off())

    def _judge_hands(self) -> None:
        if self._dealer_off():
            says = f"The dealer has {len(self.layout.dealer)} cards."
            self._act(Irregularity.DEALER_WRONG_NUMBER, says)
        if self._community_off():
            says = f"There are {len(self.layout.community)} community cards."
            self._act(Irregularity.COMMUNITY_WRONG_NUMBER, says)
        for seat in self._wrong_seats():
            says = f"Seat {seat.number} has {len(seat.cards)} cards."
            remedy = self._act(Irregularity.PLAYER_WRONG_NUMBER, says, seat)
            if remedy.does == "void-seat":
                self.void_seats.append((seat, remedy))

    async def _complete_dealer(self) -> None:
        """Where the chapter says so, a dealer with one card too few takes another."""
        remedy = self._remedy(Irregularity.DEALER_ONE_SHORT)
        if remedy.does != "complete-hand" or self._dealer_off() != -1:
            return
        self.layout.trace.note(
            "irregularity", "The dealer is one card short and takes another.", remedy.clause
        )
        await self._all([Step(Deal(Spot.DEALER), Pass("dealer", clause=remedy.clause))])

    async def _take_in_hand(self) -> None:
        if self.layout.way in (Way.AUTOMATED_SHOE, Way.CONTINUOUS_SHOE):
            await self.deck.take_in_hand()
            clause = self.game.clauses.ways[self.layout.way].stub
            self.layout.trace.note("stub", "The rest is dealt from the hand.", clause)

    # Requests and answers

    def _requests(self, each: Pass) -> list[Deal]:
        match each.to:
            case "seats":
                return [Deal(Spot.SEAT, each.cards, seat.number) for seat in self.layout.dealt_in()]
            case "dealer":
                return [Deal(Spot.DEALER, each.cards)]
            case "community":
                return [Deal(Spot.COMMUNITY, each.cards)]
            case "bonus-card":
                return [Deal(Spot.OTHER, each.cards)]
            case "positions":
                return self._positions(each)

    def _positions(self, each: Pass) -> list[Deal]:
        """All positions and the dealer, clockwise from the starting position."""
        table = self.layout.rule.table
        around = [*range(1, (table.seats if table else 0) + 1), DEALER]
        first = around.index(self.start)
        taken = {seat.number for seat in self.layout.dealt_in()}
        found = [
            Deal(
                Spot.DEALER if place == DEALER else Spot.SEAT if place in taken else Spot.OTHER,
                each.cards,
                place,
            )
            for place in around[first:] + around[:first]
        ]
        return found[::-1] if each.right_to_left else found

    async def _all(self, steps: Sequence[Step]) -> None:
        waiting = list(steps)
        while waiting:
            for dealt in await self.deck.deal([step.deal for step in waiting]):
                step = waiting.pop(0)
                if missing := self._receive(step, dealt):
                    again = Deal(step.deal.spot, missing, step.deal.seat)
                    waiting.insert(0, Step(again, step.plan))

    def _receive(self, step: Step, dealt: Dealt) -> int:
        """Take what came for a request; says how many cards must be dealt in its place."""
        if dealt.conduct and dealt.deal.seat:
            self.conduct.setdefault(dealt.deal.seat, dealt.conduct)
        self.layout.out += len(dealt.cards)
        missing = sum(self._is_set_aside(drawn) for drawn in dealt.cards)
        self._stack += [drawn for drawn in dealt.cards if not drawn.face_up]
        if missing:
            return missing
        stack, self._stack = self._stack, []
        self._lay(step, stack)
        return 0

    def _is_set_aside(self, drawn: Drawn) -> bool:
        """A card face up is not used; a second one ends the round."""
        if not drawn.face_up:
            if drawn.drawn_in_error:
                says = "A card drawn in error is used as the next card."
                self._act(Irregularity.CARD_DRAWN_IN_ERROR, says)
            return False
        layout = self.layout
        layout.set_aside += 1
        layout.rack.place("face up", [drawn.card])
        if layout.set_aside > 1:
            late = self.first_cards_out
            which = Irregularity.CARDS_FACE_UP_LATE if late else Irregularity.CARDS_FACE_UP
            self._act(which, "More than one card was found face up.")
        self._act(Irregularity.CARD_FACE_UP, "A card was found face up and is set aside.")
        return True

    def _lay(self, step: Step, stack: Sequence[Drawn]) -> None:
        layout, each, deal = self.layout, step.plan, step.deal
        cards = [drawn.card for drawn in stack]
        kept = _kept(each, cards)
        clause = each.clause or self.game.clauses.ways[layout.way].deal
        rest = [card for card in cards if card not in kept]
        if deal.spot is Spot.SEAT:
            layout.seats[deal.seat].cards += kept
            layout.trace.note("deal", f"Seat {deal.seat}:", clause, seat=deal.seat, cards=kept)
        elif deal.spot is Spot.DEALER:
            self._lay_dealer(each, kept, clause)
        elif deal.spot is Spot.COMMUNITY:
            layout.community += kept
            if each.shows == "none":
                layout.trace.note("deal", "Community, face down:", clause, cards=kept)
        else:
            self._lay_other(each, deal, kept, clause)
        if rest:
            layout.rack.place("rest of a stack", rest)
            says = f"{len(rest)} card{'s' * (len(rest) > 1)} of the stack to the discard rack."
            layout.trace.note("discard", says, clause)
        self._judge_exposed(step, [drawn.card for drawn in stack if drawn.exposed])

    def _lay_dealer(self, each: Pass, kept: list[str], clause: str) -> None:
        layout = self.layout
        layout.dealer += kept
        up = kept if each.shows == "all" else kept[-1:] if each.shows == "bottom" else []
        layout.dealer_up += up
        says = "Dealer, face up:" if each.shows == "all" else "Dealer:"
        layout.trace.note("deal", says, clause, seat=DEALER, cards=kept)
        if each.shows == "bottom":
            says = "The dealer turns the bottom card up:"
            layout.trace.note("deal", says, each.shows_clause, seat=DEALER, cards=up)

    def _lay_other(self, each: Pass, deal: Deal, kept: list[str], clause: str) -> None:
        layout = self.layout
        if each.to == "positions":
            layout.empty.setdefault(deal.seat, []).extend(kept)
            says = f"Position {deal.seat}, no wager:"
            layout.trace.note("deal", says, clause, seat=deal.seat, cards=kept)
        elif each.if_bet:
            layout.bonus_card = kept[0] if kept else ""
            layout.trace.note("deal", "Bonus card, face down:", clause, cards=kept)
        else:
            layout.rack.place("burned", kept)
            layout.trace.note("burn", "Burn:", clause, cards=kept)

    # Irregularities

    def _judge_exposed(self, step: Step, exposed: Sequence[str]) -> None:
        if not exposed:
            return
        if step.deal.spot is Spot.DEALER:
            if any(card not in self.layout.dealer_up for card in exposed):
                says = "A card of the dealer's was exposed."
                self._act(Irregularity.DEALER_CARD_EXPOSED, says)
        elif step.deal.spot is Spot.COMMUNITY:
            if step.plan.shows == "none":
                says = "A community card was exposed."
                self._act(Irregularity.COMMUNITY_CARD_EXPOSED, says)
        elif step.deal.spot is Spot.SEAT:
            seat = self.layout.seats[step.deal.seat]
            says = f"A card of {owner_of(seat.number)} was exposed."
            remedy = self._act(Irregularity.PLAYER_CARD_EXPOSED, says, seat)
            if remedy.does == "player-chooses" and seat.player.voids(tuple(exposed)):
                self.void_seats.append((seat, remedy))

    def _remedy(self, which: Irregularity) -> Remedy:
        return remedy_for(self.game.irregularities, which)

    def _act(self, which: Irregularity, says: str, seat: Seat | None = None) -> Remedy:
        """Note an irregularity, and end the round if the chapter says so."""
        remedy = self._remedy(which)
        number = seat.number if seat else None
        self.layout.trace.note("irregularity", says, remedy.clause, seat=number)
        if remedy.does == "void-round":
            raise VoidError(which, remedy, says)
        return remedy


def _kept(each: Pass, cards: list[str]) -> list[str]:
    """The cards of a stack that are used."""
    match each.keep:
        case "top":
            return cards[:1]
        case "bottom":
            return cards[-1:]
        case "two-from-left":
            # The bottom card, at the dealer's left, is discarded; the middle one is then leftmost.
            return cards[-2::-1] if len(cards) > 1 else []
    return cards
