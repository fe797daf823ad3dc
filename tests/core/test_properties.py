"""Random floors: whatever is asked in whatever order, nothing is created, lost or paid twice."""

import msgspec
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

from jackpot.core import ledger
from jackpot.core.commands.table import LockOut, OpenRound
from jackpot.core.events import Refused
from jackpot.core.invariants import check
from jackpot.core.reasons import Reason, Refusal
from jackpot.core.state import State
from tests.core.floor import Floor, five_card_a, table
from tests.core.random_operators import RandomOperators
from tests.core.random_tables import RandomTables


def snapshot(state: State) -> bytes:
    """The whole state as bytes."""
    return msgspec.json.encode(state)


class GamingFloor(RandomTables, RandomOperators):
    """Tables and operators at once; some of what was sent comes again."""

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
