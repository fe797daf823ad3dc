"""A trial: a round that is given out, the trouble that it meets, and how the client is judged."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from google.rpc import status_pb2

from emulator.conform.interference import PASS, Act
from emulator.conform.stage import BET, DOLLAR, Stage
from emulator.conform.timeline import Seen
from emulator.conform.v1 import conform_pb2
from jackpot.wire.v1 import table_pb2 as pb

STEPS = ("open_round", "place_wagers", "lock_out", "confirm_collection", "settle")
DEALER = ("2c", "4d", "6h", "8s", "9c")
HANDS = {  # none wins anything
    1: ("2d", "4h", "6s", "8c", "9d"),
    2: ("2h", "4s", "6c", "8d", "9h"),
    3: ("2s", "4c", "6d", "8h", "9s"),
}
ROYAL = ("As", "Ks", "Qs", "Js", "Ts")


def a_round(
    *,
    amount_micros: int = DOLLAR,
    royal: bool = False,
    attach: bool = False,
    irregularity: str = "",
    collected: bool = False,
) -> conform_pb2.NextRoundResponse:
    """Three players, each with a wager."""
    hands = dict(HANDS) | ({2: ROYAL} if royal else {})
    return conform_pb2.NextRoundResponse(
        wagers=[pb.Wager(seat=seat, bet=BET, amount_micros=amount_micros) for seat in hands],
        hands=[
            pb.SeatHand(seat=seat, cards=cards, fate=pb.FATE_PLAYED)
            for seat, cards in hands.items()
        ],
        dealer=DEALER,
        attach=attach,
        irregularity=irregularity,
        collected=collected,
    )


class Trial:
    """A plain round; others make trouble in it."""

    id = "round"
    text = "Play a whole round: open, wager, lock out, count, settle."
    source = "A round"
    counts = True  # the wagers of one round reach the meter
    may_end = False  # a client that ends itself has done what it should
    rounds: ClassVar[list[conform_pb2.NextRoundResponse]] = [
        a_round()
    ]  # given out one after the other
    once: ClassVar[dict[str, Act]] = {}  # by kind of command: what happens to the first of it

    def __init__(self) -> None:
        self.left = dict(self.once)

    def on_call(self, method: str) -> status_pb2.Status | None:  # noqa: ARG002 - lets all pass
        """Refuse a call; None lets it through."""
        return None

    def on_command(self, kind: str, number: int) -> Act:  # noqa: ARG002 - the first, whichever
        """What happens to a command."""
        return self.left.pop(kind, PASS)

    def on_attach(self) -> Act:
        """What happens to an attachment."""
        return PASS

    async def before(self, stage: Stage) -> None:
        """What is done before the round is given out."""

    async def during(self, stage: Stage) -> None:
        """What is done while the client plays."""

    def judge(self, seen: Sequence[Seen]) -> Iterator[str]:
        """What the client did wrong."""
        if self.left:
            yield f"the client never sent {', '.join(sorted(self.left))}"
        yield from self.played(seen)

    def played(self, seen: Sequence[Seen]) -> Iterator[str]:
        """Each step of the round was accepted."""
        done = {one.kind for one in seen if one.what == "answer"}
        if missing := [step for step in STEPS if step not in done]:
            yield f"the round was not played: {missing[0]} was never accepted"
