"""What players decide after the deal, in the order of the script, from the dealer's left."""

from jackpot.core.money import MICROS_PER_CENT, dollars
from jackpot.rules.hands import at_least
from table_client.table.games.model import Ask, Draw, SetHands, Times, Turn, View
from table_client.table.ports import CAREFUL, Conduct, Dealer
from table_client.table.round.dealing import Dealing
from table_client.table.round.round_state import Layout, Outcome, Result, Seat, owner_of


class DecisionError(ValueError):
    """A player asked for what the rules don't allow."""


class Deciding:
    """The script of a round."""

    def __init__(self, layout: Layout, dealing: Dealing, dealer: Dealer = CAREFUL) -> None:
        self.layout = layout
        self.dealer = dealer
        self.game = layout.game
        self.dealing = dealing

    async def run(self) -> None:
        """Players look at their cards and decide, as the script has it."""
        layout = self.layout
        layout.trace.note("examine", "Players look at their cards.", self.game.clauses.examine)
        for seat in list(layout.active()):
            self._misconduct(seat)
        self._watch_cards()
        for act in self.game.script:
            match act:
                case Ask():
                    self._ask(act)
                case Turn():
                    layout.turned += act.places
                    shown = [layout.community[place] for place in act.places]
                    layout.trace.note("turn", act.call, act.clause, cards=shown)
                case Draw():
                    await self.dealing.draw(act)
                case SetHands():
                    self._set_hands(act)
        for seat in layout.dealt_in():
            if seat.fate == "folded":
                self.collect(seat)
        self._watch_cards(decided=True)

    def _watch_cards(self, *, decided: bool = False) -> None:
        """See whether the dealer lets players see a card that lies face down."""
        if self.dealer.exposes():
            self.dealing.judge.seen_early(decided=decided)

    def most(self, act: Ask, seat: Seat) -> int:
        """How many times the wager a seat may place."""
        if act.better is None:
            return act.most
        ranking, hand, most = act.better
        return most if at_least(ranking, seat.cards, hand) else act.most

    def collect(self, seat: Seat) -> None:
        """Put a hand that no wager needs any more in the discard rack."""
        if seat.collected or self._needs_cards(seat):
            return
        self.layout.rack.place(owner_of(seat.number), seat.cards)
        seat.collected = True
        says = f"Seat {seat.number}: the cards go to the discard rack."
        self.layout.trace.note("collect-hand", says, self.game.clauses.collect_folds)

    # Asking

    def _ask(self, act: Ask) -> None:
        layout = self.layout
        layout.trace.note("ask", act.call, act.clause)
        for seat in list(layout.active()):
            if act.of not in seat.wagers:
                continue
            most = self.most(act, seat)
            shown = tuple(layout.community[place] for place in layout.turned)
            view = View(tuple(seat.cards), tuple(layout.dealer_up), shown, most)
            times = seat.player.decide(self.game, act, view)
            if times and not (act.least <= times <= most and self._allowed(times, seat, act)):
                raise DecisionError(
                    f"seat {seat.number} may wager {act.least} to {most} times the {act.of} "
                    f"on {act.bet}, not {times} ({act.clause})"
                )
            self._carry_out(act, seat, times)
            self._watch_cards()

    def _allowed(self, times: Times, seat: Seat, act: Ask) -> bool:
        """Whole multiples, or any amount in whole cents where the house has it so."""
        if self.layout.option("play-amounts") == "any-amount":
            return (times * seat.wagers[act.of]) % MICROS_PER_CENT == 0
        return times == int(times)

    def _carry_out(self, act: Ask, seat: Seat, times: Times) -> None:
        title = self.layout.bet(act.bet).title
        if act.declining == "withdraw":
            self._note(act, seat, "let it ride" if times else f"{title} withdrawn")
            if not times:
                self._end(seat, act.bet, "withdrawn", act.clause)
        elif times:
            seat.wagers[act.bet] = amount_micros = int(times * seat.wagers[act.of])
            self._note(act, seat, f"{title}, ${dollars(amount_micros)}", amount_micros)
        elif act.declining == "check":
            self._note(act, seat, "check")
        else:
            self._note(act, seat, "fold")
            self._fold(seat)

    def _note(self, act: Ask, seat: Seat, says: str, amount_micros: int = 0) -> None:
        self.layout.trace.note(
            "decide",
            f"Seat {seat.number}: {says}.",
            act.clause,
            seat=seat.number,
            amount_micros=amount_micros,
        )

    def _fold(self, seat: Seat) -> None:
        seat.fate = "folded"
        for bet in seat.open_wagers:
            rule = self.layout.bet(bet)
            if self.layout.fold_forfeits(rule):
                clause = rule.fold.clause if rule.fold else rule.clause
                self._end(seat, bet, "forfeit", clause)
        if self.game.folds_at_once:
            self.collect(seat)

    def _needs_cards(self, seat: Seat) -> bool:
        """Whether a wager that a fold doesn't forfeit is still about the seat's own cards."""
        open_bets = set(seat.open_wagers) - self.game.without_own_cards
        linked = any(not self.layout.linked[bet].fold_forfeits for bet in seat.linked)
        return bool(open_bets) or (linked and seat.fate == "folded")

    # Conduct

    def _misconduct(self, seat: Seat) -> None:
        clauses = self.game.clauses
        conduct = self.dealing.conduct.get(seat.number) or seat.player.conduct()
        if conduct is Conduct.LEAVES:
            seat.fate = "abandoned"
            self._lose_all(seat, "leaves the table; the wagers are abandoned", clauses.abandoned)
        elif conduct is Conduct.TALKS and clauses.talking:
            seat.fate = "forfeited"
            self._lose_all(seat, "tells others of the hand and forfeits all", clauses.talking)

    def _lose_all(self, seat: Seat, says: str, clause: str) -> None:
        self.layout.trace.note("forfeit", f"Seat {seat.number} {says}.", clause, seat=seat.number)
        for bet in seat.open_wagers:
            self._end(seat, bet, "forfeit", clause)
        self.collect(seat)

    # Pai Gow

    def _set_hands(self, act: SetHands) -> None:
        """Set two hands each; one person's boxes in the order that the chapter prescribes."""
        for seat in self._setting_order():
            seat.hands = seat.player.set_hands(self.game, tuple(seat.cards))
            self._verify_set(seat)
            both = (*seat.hands.high, *seat.hands.low)
            says = f"Seat {seat.number} sets high and low hand:"
            self.layout.trace.note("set", says, act.clause, seat=seat.number, cards=both)
            self._watch_cards()
        for seat in list(self.layout.active()):
            if seat.hands and seat.player.surrenders(seat.hands):
                seat.fate = "folded"
                says = f"Seat {seat.number} surrenders; seven cards are counted face down."
                self.layout.trace.note("surrender", says, act.surrender, seat=seat.number)
                for bet in seat.open_wagers:
                    self._end(seat, bet, "forfeit", act.surrender)
                self.collect(seat)

    def _setting_order(self) -> list[Seat]:
        """From the left; of one person's boxes the larger wager first, else the right one."""
        order: list[Seat] = []
        for seat in self.layout.active():
            if seat in order:
                continue
            boxes = [other for other in self.layout.active() if other.player.key == seat.player.key]
            order += sorted(boxes, key=lambda box: (-sum(box.wagers.values()), -box.number))
        return order

    def _verify_set(self, seat: Seat) -> None:
        hands = seat.hands
        if hands is None or sorted((*hands.high, *hands.low)) != sorted(seat.cards):
            raise DecisionError(f"seat {seat.number} must set the seven cards that were dealt")

    def _end(self, seat: Seat, bet: str, result: Result, clause: str) -> None:
        amount_micros = seat.wagers[bet]
        seat.outcomes.append(Outcome(seat.number, bet, amount_micros, result, clause=clause))
