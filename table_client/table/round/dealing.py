"""Deal a round by its plan, and put every card where it belongs.

The deck stops where the dealer sees something: a card face up, a card exposed. A wrong number of
cards is found by counting hands and, at least every fifth round where no device counts, the stub.
"""

from collections.abc import Sequence

from msgspec import Struct

from table_client.table.games.irregularities import Irregularity
from table_client.table.games.model import Draw, Pass
from table_client.table.ports import (
    Conduct,
    Deal,
    Dealt,
    DeckSource,
    Drawn,
    ShoeFailedError,
    Spot,
    Way,
)
from table_client.table.round.judging import Judge
from table_client.table.round.round_state import DEALER, Layout


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
        self.judge = Judge(layout)
        self.conduct: dict[int, Conduct] = {}
        self._prescribed = 0
        self._stack: list[Drawn] = []

    def steps(self) -> list[Step]:
        """The requests of the plan, in order."""
        return [
            Step(deal, each)
            for each in self.game.plans[self.layout.way]
            if not each.if_bet or self.layout.has(each.if_bet)
            for deal in self._requests(each)
        ]

    async def deal(self) -> None:
        """Deal everybody's first cards."""
        steps = self.steps()
        self._prescribed += sum(step.deal.count for step in steps)
        await self._all(steps)
        self.judge.first_deal_done()
        self.judge.doubles()
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
            while missing := places.stop - len(layout.community):
                if missing < 0:
                    break  # one too many is found when all hands are counted
                says = f"There are {len(layout.community)} community cards."
                self.judge.act(Irregularity.COMMUNITY_WRONG_NUMBER, says)
                await self._all([Step(Deal(Spot.COMMUNITY), card)] * missing)
        layout.turned += places
        self.judge.doubles()
        shown = layout.community[places.start : places.stop]
        layout.trace.note("turn", act.call, act.clause, cards=shown)

    async def finish(self, *, count: bool) -> None:
        """Put the stub away, counted if it is time, and look at the number of everybody's cards."""
        layout, clauses = self.layout, self.game.clauses.ways[self.layout.way]
        counted = await self.deck.remove_stub(count=count or self.game.counts_every_stub)
        if counted is None:
            layout.trace.note("stub", "The stub goes to the discard rack, unseen.", clauses.stub)
        else:
            layout.trace.note("count", f"The stub has {counted} cards.", clauses.count)
            self.judge.count(counted, self._prescribed)
            layout.trace.note("stub", "The stub goes to the discard rack.", clauses.count_right)
        self.judge.hands()
        for place, cards in sorted(layout.empty.items()):
            layout.rack.place(f"position {place}", cards)
            says = f"Position {place} has no wager; its cards go to the rack, unseen."
            layout.trace.note("discard", says, clauses.no_wager)
        layout.empty.clear()

    async def _complete_dealer(self) -> None:
        """Where the chapter says so, a dealer with one card too few takes another."""
        remedy = self.judge.remedy(Irregularity.DEALER_ONE_SHORT)
        if remedy.does != "complete-hand" or self.judge.dealer_off() != -1:
            return
        says = "The dealer is one card short and takes another."
        self.layout.trace.note("irregularity", says, remedy.clause)
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
                seats = self.layout.dealt_in()
                return [Deal(Spot.SEAT, each.cards, seat.number) for seat in seats]
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
            answers = await self.deck.deal([step.deal for step in waiting])
            if not answers:
                raise ShoeFailedError("No card comes.")
            for dealt in answers:
                step = waiting.pop(0)
                if missing := self._receive(step, dealt):
                    again = Deal(step.deal.spot, missing, step.deal.seat)
                    waiting.insert(0, Step(again, step.plan))

    def _receive(self, step: Step, dealt: Dealt) -> int:
        """Take what came for a request; says how many cards must be dealt in its place."""
        if dealt.conduct and dealt.deal.seat:
            self.conduct.setdefault(dealt.deal.seat, dealt.conduct)
        self.layout.out += len(dealt.cards)
        missing = sum(self.judge.sets_aside(drawn) for drawn in dealt.cards)
        self._stack += [drawn for drawn in dealt.cards if not drawn.face_up]
        if missing:
            return missing
        stack, self._stack = self._stack, []
        self._lay(step, stack)
        if dealt.out_of_turn:
            self.judge.out_of_turn()
        return 0

    # Where cards go

    def _lay(self, step: Step, stack: Sequence[Drawn]) -> None:
        layout, each, deal = self.layout, step.plan, step.deal
        cards = [drawn.card for drawn in stack]
        kept = _kept(each, cards)
        clause = each.clause or self.game.clauses.ways[layout.way].deal
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
        if rest := [card for card in cards if card not in kept]:
            layout.rack.place("rest of a stack", rest)
            says = f"{len(rest)} card{'s' * (len(rest) > 1)} of the stack to the discard rack."
            layout.trace.note("discard", says, clause)
        self.judge.exposed(deal, each, [drawn.card for drawn in stack if drawn.exposed])

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
