"""Settle a round from the dealer's right: every wager by its rule, every award at its turn."""

from jackpot.core.money import dollars
from jackpot.rules.hands import names
from jackpot.rules.model import BetRule
from table_client.table.games.irregularities import Irregularity, remedy_for
from table_client.table.games.model import Wave
from table_client.table.ports import Progressive, ProgressiveLostError, SeatHand, SideAward
from table_client.table.round.round_state import DEALER, Layout, Outcome, Seat, owner_of
from table_client.table.round.verdicts import dealer_hand, dealer_qualifies, outcomes

_SAYS = {"lose": "loses", "push": "is returned", "win": "wins"}
_NO_CHECKS = ("", "", "", "")


def spoken(name: str) -> str:
    """A name of the rule files as a dealer says it."""
    return name.replace("-", " ")


class Settling:
    """The last part of a round."""

    def __init__(self, layout: Layout, progressive: Progressive) -> None:
        self.layout = layout
        self.game = layout.game
        self.progressive = progressive
        self._pending: dict[int, list[Outcome]] = {}
        self._due: list[SideAward] = []  # not yet paid, in the controller's order
        self._turned_up: set[int] = set()
        self._bonus_shown = False

    async def run(self) -> None:
        """Reveal, settle in the chapter's waves, and clear the table."""
        layout = self.layout
        self._reveal()
        if layout.linked:
            await self._ask_for_awards()
        in_order = sorted(layout.dealt_in(), key=lambda seat: -seat.number)
        self._pending = {seat.number: outcomes(layout, seat) for seat in in_order}
        unqualified = self.game.settles_unqualified if not dealer_qualifies(layout) else ()
        waves = unqualified or self.game.settles
        # Awards have one walk of their own order, so that none is paid before one it hangs on.
        paying = next((wave for wave in waves if wave.side_bets), waves[-1])
        if self.game.shows_all_first:
            for seat in in_order:
                self._turn_up(seat)
        for wave in waves:
            if wave.call:
                layout.trace.note("call", wave.call, wave.clause)
            for seat in in_order:
                await self._turn(seat, wave, pays=wave is paying)
        await self._pay_down(len(self._due))
        self.clear()

    def clear(self) -> None:
        """Put what is left on the table in the discard rack, hand by hand from the right."""
        layout = self.layout
        for seat in sorted(layout.seats.values(), key=lambda seat: -seat.number):
            self._collect(seat)
        for place, cards in sorted(layout.empty.items(), reverse=True):  # of a void round
            layout.rack.place(f"position {place}", cards)
        for owner, cards in (
            ("dealer", layout.dealer),
            ("community", layout.community),
            ("bonus card", [layout.bonus_card] if layout.bonus_card else []),
        ):
            if cards:
                layout.rack.place(owner, cards)
        says = "The cards go to the discard rack, hand by hand."
        layout.trace.note("discard", says, self.game.clauses.discard)

    # The dealer's hand

    def _reveal(self) -> None:
        layout, clauses = self.layout, self.game.clauses
        if not layout.dealer:
            return
        if self.game.house_way:
            self._set_dealer()
            return
        ranking = next(bet.ranking for bet in layout.rule.bets if bet.kind == "contest")
        says = f"The dealer has {spoken(names(ranking, dealer_hand(layout))[0])}:"
        layout.trace.note("reveal", says, clauses.reveal, seat=DEALER, cards=layout.dealer)
        if layout.rule.dealer and not dealer_qualifies(layout):
            says = "The dealer does not qualify."
            layout.trace.note("reveal", says, layout.rule.dealer.clause, seat=DEALER)

    def _set_dealer(self) -> None:
        """Set the dealer's two hands, in the house way whatever was set at first."""
        layout, house_way = self.layout, self.game.house_way
        if house_way is None:
            raise AssertionError("no house way")
        right = house_way(tuple(layout.dealer))
        if layout.dealer_hands not in (None, right):
            clause = remedy_for(self.game.irregularities, Irregularity.DEALER_MISSET).clause
            layout.trace.note("irregularity", "The dealer's hands are set again.", clause)
        layout.dealer_hands = right
        both = (*right.high, *right.low)
        says = "The dealer sets high and low hand:"
        layout.trace.note("reveal", says, self.game.clauses.reveal, seat=DEALER, cards=both)

    # The progressive

    async def _ask_for_awards(self) -> None:
        layout = self.layout
        hands = [
            SeatHand(
                seat.number,
                () if seat.collected else tuple(seat.cards),
                seat.fate,
                seat.player.key,
            )
            for seat in layout.dealt_in()
        ]
        try:
            awards = await self.progressive.settle(hands, layout.dealer, layout.community)
        except ProgressiveLostError:
            says = "The progressive is out of service; its awards follow."
            layout.trace.note("out-of-service", says, self.game.clauses.discard)
            return
        self._due = list(awards)
        for award in awards:
            layout.seats[award.seat].awards.append(award)

    async def _pay(self, seat: Seat, award: SideAward) -> None:
        """Hand, lamp, floorperson, payment; a hand that the cage pays for stays until then."""
        trace, clauses = self.layout.trace, self.game.clauses
        if award.bet not in seat.linked:
            raise AssertionError(f"an award for {award.bet} at seat {seat.number}, lamp dark")
        amount = dollars(award.amount_micros)
        if award.holder in self.layout.seats:
            self._turn_up(self.layout.seats[award.holder])
        told = f"Seat {seat.number}: {spoken(award.bet)}, {spoken(award.hand)}"
        hand, lamp, floor, payment = clauses.award_checks or _NO_CHECKS
        if award.bet.startswith("five-card-hand-bonus"):
            # Its wagers are electronic: there is a hand to verify, and no lamp.
            hand, floor, payment = clauses.hand_bonus or _NO_CHECKS[1:]
            lamp = ""
        if award.kind in ("share", "fixed"):
            trace.note("verify", f"{told}: a winning hand.", hand, seat=seat.number)
            if lamp:
                says = f"Seat {seat.number}: the lamp is lit."
                trace.note("verify", says, lamp, seat=seat.number)
        if award.needs_floorperson:
            says = f"Seat {seat.number}: a floorperson validates."
            trace.note("validate", says, floor, seat=seat.number)
        if award.source == "cage":
            says = f"Seat {seat.number}: the cards stay until the form is complete."
            trace.note("hold", says, payment, seat=seat.number)
        await self.progressive.pay(award)
        clause = clauses.envy if award.kind == "envy" else payment
        says = f"{told}: ${amount} ({award.kind})."
        trace.note("award", says, clause, seat=seat.number, amount_micros=award.amount_micros)

    # One player's turn

    async def _turn(self, seat: Seat, wave: Wave, *, pays: bool) -> None:
        """Settle what this wave is about: wagers in the order of the rule, awards in their own."""
        now = {each.bet: each for each in self._pending[seat.number] if self._fits(each, wave)}
        if self._is_shown(seat, wave, settles=bool(now)):
            self._turn_up(seat)
        if self.game.losers_first:
            for bet in self.layout.rule.bets:
                if bet.id in now and now[bet.id].result == "lose":
                    self._settle(seat, bet, now.pop(bet.id))
        for bet in self.layout.rule.bets:
            if bet.id in now:
                self._settle(seat, bet, now[bet.id])
            elif pays and bet.linkable:
                await self._pay_awards(seat)
        if self.game.collects_each and not self._pending[seat.number] and not self._waits(seat):
            self._collect(seat)

    def _waits(self, seat: Seat) -> bool:
        """Whether an award for a seat's hand is still due, so that its cards stay."""
        return any(award.holder == seat.number for award in self._due)

    def _is_shown(self, seat: Seat, wave: Wave, *, settles: bool) -> bool:
        """Hands are turned up at the first walk; for side bets alone only those that need it."""
        if wave.side_bets is None:
            return bool(self._pending[seat.number])
        return wave.side_bets and (settles or bool(seat.linked))

    def _fits(self, outcome: Outcome, wave: Wave) -> bool:
        bet = self.layout.bet(outcome.bet)
        side = bet.kind == "paytable" and bet.optional
        if wave.side_bets is not None and side is not wave.side_bets:
            return False
        return outcome.result in wave.results

    def _settle(self, seat: Seat, bet: BetRule, outcome: Outcome) -> None:
        layout = self.layout
        if bet.ranking == "six-card-bonus" and not self._bonus_shown:
            self._bonus_shown = True
            says = "Six Card Bonus card:"
            layout.trace.note("turn", says, outcome.clause, cards=[layout.bonus_card])
        self._pending[seat.number].remove(outcome)
        seat.outcomes.append(outcome)
        amount_micros = outcome.won_micros if outcome.result == "win" else outcome.wager_micros
        says = (
            f"Seat {seat.number}: {bet.title} {_SAYS[outcome.result]} ${dollars(amount_micros)}"
            f" ({spoken(outcome.hand)})."
        )
        layout.trace.note(
            "settle", says, outcome.clause, seat=seat.number, amount_micros=outcome.net_micros
        )

    async def _pay_awards(self, seat: Seat) -> None:
        """Pay down the list as far as it has awards of this seat's turn."""
        number = seat.number
        mine = [
            place
            for place, award in enumerate(self._due, 1)
            if award.holder == number or (award.seat == number and award.kind != "envy")
        ]
        many = max(mine, default=0)
        while 0 < many < len(self._due) and self._is_divided(*self._due[many - 1 : many + 1]):
            many += 1
        await self._pay_down(many)

    def _is_divided(self, award: SideAward, following: SideAward) -> bool:
        """Whether two awards are shares of one, so that the second is paid when the first is."""
        if (award.bet, award.hand, award.kind) != (following.bet, following.hand, following.kind):
            return False
        linked = self.layout.linked.get(award.bet)
        return award.kind == "share" and bool(linked and award.hand in linked.divided)

    async def _pay_down(self, many: int) -> None:
        """Pay the first awards of those that are due."""
        for award in self._due[:many]:
            await self._pay(self.layout.seats[award.seat], award)
        del self._due[:many]

    def _turn_up(self, seat: Seat) -> None:
        if seat.number in self._turned_up or seat.collected:
            return
        self._turned_up.add(seat.number)
        says = f"Seat {seat.number} shows:"
        clause = self.game.clauses.turn_up
        self.layout.trace.note("show", says, clause, seat=seat.number, cards=seat.cards)

    def _collect(self, seat: Seat) -> None:
        if not seat.collected and seat.cards:
            self.layout.rack.place(owner_of(seat.number), seat.cards)
            seat.collected = True
