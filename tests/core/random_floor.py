"""A floor that chance drives: what is drawn for it, and how its commands are sent."""

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize

from jackpot.core.commands import AnyCommand
from jackpot.core.commands.base import Origin, TableOrigin
from jackpot.core.config import Table
from tests.core.floor import DOLLAR, Floor, bad_beat_fund, caribbean, five_card_a, hand_bonus, table

if TYPE_CHECKING:
    from jackpot.core.events import AnyEvent
    from jackpot.core.reasons import Refusal

HANDS = ["nothing", "nothing", "full-house", "four-of-a-kind", "straight-flush", "royal-flush"]
TABLES = ["t1", "t2", "t3", "t4"]
LINKS = ["a", "b", "cs", "hb"]
BETS = ["a-five", "b-five", "cs-bet", "hb-player", "hb-dealer", "none"]
tables = st.sampled_from(TABLES)
seats = st.integers(0, 7)
people = st.sampled_from(["", "", "", "ann", "bob"])
floorpeople = st.sampled_from(["flo", "flo", "flo", ""])


class RandomFloor(RuleBasedStateMachine):
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
