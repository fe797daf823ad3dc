"""What operators decide about payouts, meters, links and accounts, in whatever order."""

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from jackpot.core.commands.operator import (
    AdjustMeter,
    ApproveProposal,
    BuyIn,
    CashOut,
    ConfigureSite,
    ConfirmDisplay,
    CountBox,
    DeclineProposal,
    PayPayout,
    RejectPayout,
    ResumeLink,
    RetireLink,
    SetLimit,
    SetRate,
    SuspendLink,
    TransferFunds,
    ValidatePayout,
)
from jackpot.core.events.operator import PayoutPaid
from tests.core.floor import DOLLAR, four_eights_lose
from tests.core.random_floor import LINKS, RandomFloor, floorpeople


class RandomOperators(RandomFloor):
    """Everything that is not a table's to say."""

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

    @rule(at=st.sampled_from(["p1", "p2"]), counted=st.integers(0, 9_000))
    def count_box(self, at: str, counted: int) -> None:
        """A box is counted, right or not."""
        self.floor.operate(CountBox("bb", at, counted * 10_000, "carl"))

    @rule(seat=st.integers(2, 9), others=st.sets(st.integers(1, 11), max_size=5))
    def bad_beat(self, seat: int, others: set[int]) -> None:
        """A Bad Beat, perhaps while the display is still pending adjustment."""
        self.floor.operate(four_eights_lose(seats=(seat, seat - 1, *sorted(others))))
        held = self.floor.state.balances.get("bb/main/meter", 0)
        self.floor.operate(ConfirmDisplay("bb", held + (seat == 9)))
