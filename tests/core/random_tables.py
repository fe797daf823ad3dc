"""What tables send in random rounds, in whatever order."""

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import rule

from jackpot.core.commands.operator import ApproveFloorCall, AttachTable, DeclineFloorCall
from jackpot.core.commands.table import (
    CallFloor,
    ConfirmCollection,
    ContributePot,
    LockOut,
    OpenRound,
    Placed,
    PlaceWagers,
    SeatHand,
    Settle,
    VoidRound,
    Wager,
    WithdrawCall,
    WithdrawWagers,
)
from tests.core.floor import DOLLAR, cards
from tests.core.random_floor import BETS, HANDS, RandomFloor, floorpeople, people, seats, tables


class RandomTables(RandomFloor):
    """Rounds at every table, allowed or not."""

    @rule(at=tables)
    def open_round(self, at: str) -> None:
        """The next round."""
        self.send(at, OpenRound())

    @rule(at=tables, some=st.lists(st.tuples(seats, st.sampled_from(BETS), people), max_size=6))
    def place(self, at: str, some: list[tuple[int, str, str]]) -> None:
        """Any wagers, allowed or not."""
        amount = {"a": 1, "b": 5, "c": 1, "h": 1, "n": 1}
        self.send(
            at,
            PlaceWagers(tuple(Wager(s, b, amount[b[0]] * DOLLAR, p) for s, b, p in some)),
        )

    @rule(at=tables, who=people)
    def place_everywhere(self, at: str, who: str) -> None:
        """One bet from every seat, so that rounds get somewhere."""
        link = self.floor.state.tables[at].config.links[0]
        amount = self.floor.state.links[link].config.wager_micros
        bet = self.floor.state.links[link].config.bets[0].id
        self.send(at, PlaceWagers(tuple(Wager(s, bet, amount) for s in range(1, 7))))
        self.send(
            at, PlaceWagers((Wager(3, "hb-dealer", DOLLAR, who), Wager(5, "hb-player", DOLLAR)))
        )

    @rule(
        at=st.sampled_from(["t2", "t3"]),
        seat=seats,
        bet=st.sampled_from(["hb-player", "hb-dealer"]),
        who=st.sampled_from(["ann", "bob"]),
    )
    def place_from_account(self, at: str, seat: int, bet: str, who: str) -> None:
        """An electronic wager that an account pays for, or can't."""
        self.send(at, PlaceWagers((Wager(seat, bet, DOLLAR, account=who),)))

    @rule(at=tables, seat=seats, bet=st.sampled_from(BETS))
    def withdraw(self, at: str, seat: int, bet: str) -> None:
        """A wager back."""
        self.send(at, WithdrawWagers((Placed(seat, bet),)))

    @rule(at=tables, entropy=st.binary(min_size=32, max_size=32))
    def lock_out(self, at: str, entropy: bytes) -> None:
        """No more bets."""
        self.send(at, LockOut(), entropy)

    @rule(at=tables, seat=seats, bet=st.sampled_from(BETS))
    def remove(self, at: str, seat: int, bet: str) -> None:
        """A wager without a chip."""
        self.floor.remove(at, seat, bet)

    @rule(at=tables, wrong=st.sampled_from([0, 0, 0, 1, -1]))
    def confirm(self, at: str, wrong: int) -> None:
        """A count of the chips, right most of the time."""
        round_ = self.floor.state.tables[at].round
        chips: dict[str, int] = {}
        for bets in round_.wagers.values() if round_ else ():
            for bet, accepted in bets.items():
                if accepted.medium == "chips":
                    chips[bet] = chips.get(bet, 0) + 1 + wrong
        self.send(at, ConfirmCollection(chips))

    @rule(
        at=tables,
        held=st.lists(st.sampled_from(HANDS), min_size=7, max_size=7),
        fates=st.lists(
            st.sampled_from(["played", "played", "played", "folded", "abandoned", "forfeited"]),
            min_size=6,
            max_size=6,
        ),
        twice=st.booleans(),
    )
    def settle(self, at: str, held: list[str], fates: list[str], twice: bool) -> None:
        """Hands for all seats, sometimes with a card that is there twice."""
        hands = tuple(
            msgspec.convert({"seat": s, "cards": cards(s, held[s]), "fate": fates[s - 1]}, SeatHand)
            for s in range(1, 7)
            if s not in self.void_seats(at)
        )
        dealer = cards(6 if twice and held[0] == held[6] else 0, held[0])
        self.send(at, Settle(hands, dealer))

    @rule(
        at=tables,
        held=st.lists(st.sampled_from(HANDS), min_size=7, max_size=7),
        bonus=st.lists(st.sampled_from(["hb-player", "hb-dealer", ""]), min_size=6, max_size=6),
    )
    def play_round(self, at: str, held: list[str], bonus: list[str]) -> None:
        """A round that goes as it should, from wherever the table stands."""
        self.send(at, OpenRound())
        self.place_everywhere(at, "")
        self.send(at, PlaceWagers(tuple(Wager(s, b, DOLLAR) for s, b in enumerate(bonus, 1) if b)))
        self.send(at, LockOut())
        self.confirm(at, 0)
        self.settle(at, held, ["played"] * 6, twice=False)

    def void_seats(self, at: str) -> list[int]:
        """Seats that are out of the round."""
        round_ = self.floor.state.tables[at].round
        return round_.void_seats if round_ else []

    @rule(at=tables, who=floorpeople)
    def void(self, at: str, who: str) -> None:
        """An irregularity."""
        if who:
            self.floor.void_round(at, "MISDEAL", who)
        else:
            self.send(at, VoidRound("MISDEAL"))

    @rule(at=tables, seat=seats, who=floorpeople)
    def void_seat(self, at: str, seat: int, who: str) -> None:
        """An irregularity at one seat, found by the floor or by the table."""
        if who:
            self.floor.void_seat(at, seat, "MISDEAL", who)
        else:
            round_ = self.floor.state.tables[at].rounds
            self.send(at, CallFloor("void-seat", round_, seat, irregularity="MISDEAL"))

    @rule(at=tables, off=st.sampled_from([0, 0, 0, 1]))
    def call_for_a_void(self, at: str, off: int) -> None:
        """A call to void the round, or one that is not there."""
        round_ = self.floor.state.tables[at].rounds + off
        self.send(at, CallFloor("void-round", round_, irregularity="MISDEAL"))

    @rule(at=tables, seat=seats, bet=st.sampled_from(BETS))
    def call_for_a_removal(self, at: str, seat: int, bet: str) -> None:
        """A call to remove a wager."""
        round_ = self.floor.state.tables[at].rounds
        self.send(at, CallFloor("remove-wager", round_, seat, bet))

    @rule(at=tables, how=st.sampled_from(["approve", "approve", "decline", "withdraw"]))
    def answer_call(self, at: str, how: str) -> None:
        """An answer to the table's call, or to any other."""
        call = self.floor.state.calls.get(at)
        number = call.id if call else self.floor.state.last_call or 1
        match how:
            case "approve":
                self.floor.operate(ApproveFloorCall(number), "flo")
            case "decline":
                self.floor.operate(DeclineFloorCall(number), "flo")
            case _:
                self.send(at, WithdrawCall(number))

    @rule(at=st.sampled_from(["p1", "p2"]), pot=st.integers(1, 90_000))
    def pot(self, at: str, pot: int) -> None:
        """A Poker pot."""
        self.send(at, ContributePot(pot * 10_000))

    @rule(at=tables)
    def attach(self, at: str) -> None:
        """Another client takes the table over; what was sent for the old one is fenced."""
        self.floor.operate(AttachTable(at))
