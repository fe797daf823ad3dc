"""Random floors: whatever is asked in whatever order, nothing is created, lost or paid twice."""

from typing import Any

import msgspec
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from jackpot.core import ledger
from jackpot.core.commands import (
    AdjustMeter,
    AnyCommand,
    ApproveProposal,
    AttachTable,
    BuyIn,
    CashOut,
    ConfigureSite,
    ConfirmCollection,
    ConfirmDisplay,
    ContributePot,
    CountBox,
    DeclineProposal,
    LockOut,
    OpenRound,
    Origin,
    PayPayout,
    Placed,
    PlaceWagers,
    RejectPayout,
    RemoveWager,
    ResumeLink,
    RetireLink,
    SeatHand,
    SetLimit,
    SetRate,
    Settle,
    SuspendLink,
    TableOrigin,
    TransferFunds,
    ValidatePayout,
    VerifyBadBeat,
    VoidRound,
    VoidSeat,
    Wager,
    WithdrawWagers,
)
from jackpot.core.config import Table
from jackpot.core.events import AnyEvent, PayoutPaid, Refused
from jackpot.core.invariants import check
from jackpot.core.reasons import Reason, Refusal
from jackpot.core.state import State
from tests.core.floor import (
    DOLLAR,
    Floor,
    bad_beat_fund,
    cards,
    caribbean,
    five_card_a,
    hand_bonus,
    table,
)

HANDS = ["nothing", "nothing", "full-house", "four-of-a-kind", "straight-flush", "royal-flush"]
TABLES = ["t1", "t2", "t3", "t4"]
LINKS = ["a", "b", "cs", "hb"]
BETS = ["a-five", "b-five", "cs-bet", "hb-player", "hb-dealer", "none"]
tables = st.sampled_from(TABLES)
seats = st.integers(0, 7)
people = st.sampled_from(["", "", "", "ann", "bob"])
floorpeople = st.sampled_from(["flo", "flo", "flo", ""])


def snapshot(state: State) -> bytes:
    """The whole state as bytes."""
    return msgspec.json.encode(state)


class GamingFloor(RuleBasedStateMachine):
    """Four tables on four links of two denominations, driven by chance."""

    def __init__(self) -> None:
        super().__init__()
        self.floor = Floor()
        self.paid: set[int] = set()
        self.sent: list[tuple[Origin, AnyCommand, AnyEvent | Refusal]] = []

    @initialize(limit=st.sampled_from([0, 10_001 * DOLLAR]), fund=st.booleans())
    def open_up(self, limit: int, fund: bool) -> None:
        """A limit that the first increments pass, and both ways to use a reserve."""
        more: dict[str, Any] = {"reserve_bps": 500, "reserve_mode": "fund" if fund else "add"}
        poker = [Table(at, "poker", ("bb",), 10, 0) for at in ("p1", "p2")]
        self.floor.open_up(
            [
                five_card_a("a", limit_micros=limit),
                five_card_a("b", 5, limit_micros=5 * limit, **more),
                hand_bonus(drawn_bps=5_000),
                caribbean("cs", seed_micros=1_000 * DOLLAR, reseed_micros=100 * DOLLAR, **more),
                bad_beat_fund(),
            ],
            [
                table("t1", "a"),
                table("t2", "a", "hb"),
                table("t3", "b", "hb"),
                table("t4", "cs", "b"),
                *poker,
            ],
        )

    def send(self, table_id: str, command: AnyCommand, entropy: bytes = bytes(32)) -> None:
        """A table's command, remembered so that it can be sent again."""
        state = self.floor.state.tables[table_id]
        origin = TableOrigin(table_id, state.epoch, state.last_number + 1)
        answer = self.floor.handle(origin, command, entropy)
        self.sent = [*self.sent[-20:], (origin, command, answer)]

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

    @rule(at=tables, seat=seats, bet=st.sampled_from(BETS))
    def withdraw(self, at: str, seat: int, bet: str) -> None:
        """A wager back."""
        self.send(at, WithdrawWagers((Placed(seat, bet),)))

    @rule(at=tables, entropy=st.binary(min_size=32, max_size=32))
    def lock_out(self, at: str, entropy: bytes) -> None:
        """No more bets."""
        self.send(at, LockOut(), entropy)

    @rule(at=tables, seat=seats, bet=st.sampled_from(BETS), who=floorpeople)
    def remove(self, at: str, seat: int, bet: str, who: str) -> None:
        """A wager without a chip."""
        self.send(at, RemoveWager(Placed(seat, bet), who))

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

    @precondition(lambda self: self.floor.state.payouts)
    @rule(how_many=st.integers(1, 12), form=st.sampled_from(["F-1", ""]))
    def pay_in_order(self, how_many: int, form: str) -> None:
        """The floor works through the awards that are due."""
        for payout in list(self.floor.state.payouts)[:how_many]:
            self.floor.operate(ValidatePayout(payout, "flo"))
            self.hand_over(payout, form)

    def hand_over(self, payout: int, form: str) -> None:
        """Pay, and see that it is the first time."""
        event = self.floor.operate(PayPayout(payout, form))
        if isinstance(event, PayoutPaid):
            assert event.payout not in self.paid
            self.paid.add(event.payout)

    def void_seats(self, at: str) -> list[int]:
        """Seats that are out of the round."""
        round_ = self.floor.state.tables[at].round
        return round_.void_seats if round_ else []

    @rule(at=tables, who=floorpeople)
    def void(self, at: str, who: str) -> None:
        """An irregularity."""
        self.send(at, VoidRound("MISDEAL", who))

    @rule(at=tables, seat=seats, who=floorpeople)
    def void_seat(self, at: str, seat: int, who: str) -> None:
        """An irregularity at one seat."""
        self.send(at, VoidSeat(seat, "MISDEAL", who))

    def decide(self, command: type, fields: dict[str, object]) -> None:
        """An operator's command, with drawn values in its closed lists."""
        self.floor.operate(msgspec.convert({"type": command.__name__} | fields, command))

    def pick(self, data: st.DataObject) -> int:
        """An open payout, or one that is closed or not there."""
        return data.draw(
            st.sampled_from([*self.floor.state.payouts, self.floor.state.last_payout, 0])
        )

    @precondition(lambda self: self.floor.state.last_payout)
    @rule(data=st.data(), who=floorpeople, source=st.sampled_from([None, "cage", "inventory"]))
    def validate(self, data: st.DataObject, who: str, source: str | None) -> None:
        """A floorperson looks at an award."""
        self.floor.operate(
            msgspec.convert(
                {
                    "type": "ValidatePayout",
                    "payout": self.pick(data),
                    "floorperson": who,
                    "source": source,
                },
                ValidatePayout,
            )
        )

    @precondition(lambda self: self.floor.state.last_payout)
    @rule(data=st.data(), form=st.sampled_from(["", "F-1", "F-2"]))
    def pay(self, data: st.DataObject, form: str) -> None:
        """An award is handed over, once."""
        self.hand_over(self.pick(data), form)

    @precondition(lambda self: self.floor.state.last_payout)
    @rule(
        data=st.data(),
        why=st.sampled_from(["hand-misread", "lamp-dark", "wager-invalid"]),
        who=floorpeople,
    )
    def reject(self, data: st.DataObject, why: str, who: str) -> None:
        """An award falls."""
        self.floor.operate(
            msgspec.convert(
                {
                    "type": "RejectPayout",
                    "payout": self.pick(data),
                    "reason": why,
                    "floorperson": who,
                },
                RejectPayout,
            )
        )

    @rule(
        link=st.sampled_from([*LINKS, "none"]),
        to=st.integers(0, 60_000 * 100),
        why=st.sampled_from(["malfunction", "reset", "limit", "promotion"]),
    )
    def adjust(self, link: str, to: int, why: str) -> None:
        """A meter is set by hand."""
        self.floor.operate(
            msgspec.convert(
                {
                    "type": "AdjustMeter",
                    "link": link,
                    "level": "main",
                    "to_micros": to * 10_000,
                    "reason": why,
                    "reference": "T-1",
                },
                AdjustMeter,
            )
        )

    @rule(
        link=st.sampled_from(LINKS),
        to_link=st.sampled_from(LINKS),
        pool=st.sampled_from(["overflow", "reserve"]),
        amount=st.integers(1, 100 * DOLLAR),
    )
    def transfer(self, link: str, to_link: str, pool: str, amount: int) -> None:
        """Money that lies aside goes to a meter."""
        self.floor.operate(
            msgspec.convert(
                {
                    "type": "TransferFunds",
                    "link": link,
                    "level": "main",
                    "pool": pool,
                    "to_link": to_link,
                    "to_level": "main",
                    "amount_micros": amount,
                    "reference": "T-2",
                },
                TransferFunds,
            )
        )

    @rule(
        link=st.sampled_from(LINKS),
        what=st.sampled_from([SuspendLink, RetireLink]),
    )
    def life_cycle(self, link: str, what: type[SuspendLink | RetireLink]) -> None:
        """A link comes and goes; it is back soon, or no round would get anywhere."""
        self.floor.operate(SuspendLink(link))
        if what is RetireLink:
            self.floor.operate(RetireLink(link))
        self.floor.operate(ResumeLink(link))

    @rule(who=st.sampled_from(["ann", "bob"]), out=st.booleans(), amount=st.integers(1, 9))
    def move_account(self, who: str, out: bool, amount: int) -> None:
        """A player buys in or cashes out."""
        self.floor.operate((CashOut if out else BuyIn)(who, amount * DOLLAR, "C-1"))

    @rule(
        at=st.sampled_from(["t2", "t3"]),
        seat=seats,
        bet=st.sampled_from(["hb-player", "hb-dealer"]),
        who=st.sampled_from(["ann", "bob"]),
    )
    def place_from_account(self, at: str, seat: int, bet: str, who: str) -> None:
        """An electronic wager that an account pays for, or can't."""
        self.send(at, PlaceWagers((Wager(seat, bet, DOLLAR, account=who),)))

    @rule(dual=st.booleans())
    def dual_control(self, dual: bool) -> None:
        """The site begins or ceases to ask for a second person."""
        self.floor.operate(ConfigureSite(dual))

    @precondition(lambda self: self.floor.state.last_proposal)
    @rule(data=st.data(), who=st.sampled_from(["ops", "acc"]), approve=st.booleans())
    def decide_proposal(self, data: st.DataObject, who: str, approve: bool) -> None:
        """Somebody approves or declines."""
        state = self.floor.state
        proposal = data.draw(st.sampled_from([*state.proposals, state.last_proposal]))
        command = ApproveProposal(proposal) if approve else DeclineProposal(proposal)
        self.floor.operate(command, who, who)

    @rule(
        link=st.sampled_from(LINKS),
        bps=st.integers(0, 5_000),
        limit=st.integers(0, 60_000),
        rate=st.booleans(),
    )
    def set_parameters(self, link: str, bps: int, limit: int, rate: bool) -> None:
        """Another rate or limit, with the link suspended for it."""
        self.floor.operate(SuspendLink(link))
        command = (
            SetRate(link, "main", bps, bps // 3, "T-3")
            if rate
            else SetLimit(link, "main", limit * DOLLAR, "T-4")
        )
        self.floor.operate(command)
        self.floor.operate(ResumeLink(link))

    @rule(at=st.sampled_from(["p1", "p2"]), pot=st.integers(1, 90_000))
    def pot(self, at: str, pot: int) -> None:
        """A Poker pot."""
        self.send(at, ContributePot(pot * 10_000))

    @rule(at=st.sampled_from(["p1", "p2"]), counted=st.integers(0, 9_000))
    def count_box(self, at: str, counted: int) -> None:
        """A box is counted, right or not."""
        self.floor.operate(CountBox("bb", at, counted * 10_000, "carl", "flo"))

    @rule(seat=st.integers(2, 9), others=st.sets(st.integers(1, 11), max_size=5))
    def bad_beat(self, seat: int, others: set[int]) -> None:
        """A Bad Beat, perhaps while the display is still pending adjustment."""
        self.floor.operate(
            VerifyBadBeat("bb", "p1", "quads", seat, seat - 1, tuple(sorted(others)), "sue")
        )
        held = self.floor.state.balances.get("bb/main/meter", 0)
        self.floor.operate(ConfirmDisplay("bb", held + (seat == 9), "flo"))

    @rule(at=tables)
    def attach(self, at: str) -> None:
        """Another client takes the table over; what was sent for the old one is fenced."""
        self.floor.operate(AttachTable(at))

    @precondition(lambda self: self.sent)
    @rule(data=st.data())
    def send_again(self, data: st.DataObject) -> None:
        """The same identity with the same content changes nothing and gives the same answer."""
        origin, command, answer = data.draw(st.sampled_from(self.sent))
        before = snapshot(self.floor.state)
        again = self.floor.handle(origin, command)
        assert again == answer or (isinstance(again, Refusal) and again.reason == Reason.FENCED)
        assert snapshot(self.floor.state) == before

    @precondition(lambda self: self.sent)
    @rule(data=st.data())
    def reuse(self, data: st.DataObject) -> None:
        """The same identity with other content is refused and changes nothing."""
        origin, command, _ = data.draw(st.sampled_from(self.sent))
        before = snapshot(self.floor.state)
        other = OpenRound() if not isinstance(command, OpenRound) else LockOut()
        again = self.floor.handle(origin, other)
        assert isinstance(again, Refusal)
        assert again.reason in (Reason.REQUEST_REUSED, Reason.FENCED)
        assert snapshot(self.floor.state) == before

    @invariant()
    def conserved(self) -> None:
        """Every cent is somewhere, and the books of the state agree with its ledger."""
        state = self.floor.state
        check(state)
        funded = -sum(state.balances.get(ledger.house(link), 0) for link in state.links)
        wagered = -sum(state.balances.get(ledger.players(link), 0) for link in state.links)
        held = sum(
            amount
            for account, amount in state.balances.items()
            if not account.endswith(("/house", "/players"))
        )
        wagered -= state.balances.get(ledger.CASHIER, 0)
        assert funded + wagered == held
        open_ = dict(state.payouts)
        for name, settlement in state.settlements.items():
            assert any(p in open_ for award in settlement.awards for p in award.payouts)
            for award in settlement.awards:
                for p, winner in zip(award.payouts, award.claim.winners, strict=True):
                    if payout := open_.pop(p, None):
                        assert payout.amount_micros == award.amount_micros
                        assert (payout.seat, payout.player) == (winner.seat, winner.player)
                effects = award.effects
                assert award.amount_micros * len(award.payouts) == -(
                    effects.meter_micros
                    + effects.reserve_micros
                    + effects.overflow_micros
                    + effects.house_micros
                ), name
        assert not open_, "every payout is of one award of a settlement that is kept"

    def teardown(self) -> None:
        """The journal alone gives the same state."""
        if self.floor.journal:
            assert self.floor.replayed() == self.floor.state


TestGamingFloor = GamingFloor.TestCase
TestGamingFloor.settings = settings(max_examples=120, stateful_step_count=60, deadline=None)


def test_a_refused_command_moves_no_money() -> None:
    """A refusal is journaled and posts nothing."""
    floor = Floor().open_up([five_card_a()], [table("t1", "a")])
    before = dict(floor.state.balances)
    answer = floor.play("t1", LockOut())
    assert isinstance(answer, Refused)
    assert floor.state.balances == before
