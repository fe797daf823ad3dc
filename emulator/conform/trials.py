"""The trials of a client: one round each, with trouble at a chosen moment."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from google.rpc import status_pb2

from emulator.conform.stage import BET, DOLLAR, Stage
from emulator.conform.timeline import Seen, answers, commands
from emulator.conform.v1 import conform_pb2
from emulator.conform.wire import PASS, Act
from jackpot.engine.faults import POINTS, Point
from jackpot.wire.refusals import to_status
from jackpot.wire.v1 import table_pb2 as pb

STEPS = ("open_round", "place_wagers", "lock_out", "confirm_collection", "settle")
DEALER = ("2c", "4d", "6h", "8s", "9c")
HANDS = {  # none wins anything
    1: ("2d", "4h", "6s", "8c", "9d"),
    2: ("2h", "4s", "6c", "8d", "9h"),
    3: ("2s", "4c", "6d", "8h", "9s"),
}
ROYAL = ("As", "Ks", "Qs", "Js", "Ts")


def a_round(*, amount_micros: int = DOLLAR, royal: bool = False) -> conform_pb2.NextRoundResponse:
    """Three players, each with a wager."""
    hands = dict(HANDS) | ({2: ROYAL} if royal else {})
    return conform_pb2.NextRoundResponse(
        wagers=[pb.Wager(seat=seat, bet=BET, amount_micros=amount_micros) for seat in hands],
        hands=[
            pb.SeatHand(seat=seat, cards=cards, fate=pb.FATE_PLAYED)
            for seat, cards in hands.items()
        ],
        dealer=DEALER,
    )


class Trial:
    """A plain round; others make trouble in it."""

    id = "round"
    text = "Play a whole round: open, wager, lock out, count, settle."
    source = "A round"
    counts = True  # its wagers reach the meter
    once: ClassVar[dict[str, Act]] = {}  # by kind of command: what happens to the first of it

    def __init__(self) -> None:
        self.round = a_round()
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
        yield from self._played(seen)

    def _played(self, seen: Sequence[Seen]) -> Iterator[str]:
        done = {one.kind for one in seen if one.what == "answer"}
        if missing := [step for step in STEPS if step not in done]:
            yield f"the round was not played: {missing[0]} was never accepted"


class LostAnswers(Trial):
    """Each command is carried out, and its first answer lost."""

    id = "lost-answers"
    text = "When the answer to a command is lost, send the same command again."
    source = "Lost answers"
    once: ClassVar = dict.fromkeys(STEPS, Act(lose_answer=True))


class LostCommands(Trial):
    """Each command is lost once."""

    id = "lost-commands"
    text = "When a command is lost, send the same command again."
    source = "Lost answers"
    once: ClassVar = dict.fromkeys(STEPS, Act(lose_command=True))


class Duplicates(Trial):
    """Each command arrives twice."""

    id = "duplicates"
    text = "A command that arrives twice counts once, and the client goes on."
    source = "Lost answers"
    once: ClassVar = dict.fromkeys(STEPS, Act(twice=True))


class Delays(Trial):
    """Answers take their time."""

    id = "delays"
    text = "Wait for a slow answer; until then no lamp is lit."
    source = "Lamps"
    once: ClassVar = {"place_wagers": Act(hold_s=1.5), "settle": Act(hold_s=1.0)}


class Overloaded(Trial):
    """The controller is full for a moment."""

    id = "overloaded"
    text = "After OVERLOADED, send the same command again with the same number."
    source = "Refusals"
    once: ClassVar = {
        kind: Act(refuse=to_status("RESOURCE_EXHAUSTED", "too much waits", "OVERLOADED", {}, 100))
        for kind in ("place_wagers", "settle")
    }


class Restart(Trial):
    """The controller is killed at a step of a commit."""

    source = "Restarts"

    def __init__(self, point: Point) -> None:
        super().__init__()
        self.id = f"restart-{point}"
        self.text = f"Survive a controller that dies {point.replace('-', ' the ', 1)}."
        self._point = point

    async def before(self, stage: Stage) -> None:
        """Start a controller that will die within the round."""
        await stage.restart(fault=f"{self._point}:kill:3")

    def judge(self, seen: Sequence[Seen]) -> Iterator[str]:
        """It really died, and the round was played all the same."""
        if not any(one.what == "refused" and one.again for one in seen):
            yield "the controller was not made to die: the client sent too few commands"
        yield from self._played(seen)


class Drain(Trial):
    """The controller is stopped, politely, while the client plays."""

    id = "drain"
    text = "When a controller stops (DRAINING), send the same commands to the next one."
    source = "Restarts"

    async def before(self, stage: Stage) -> None:
        """It stops when betting ends."""
        self.left = {"lock_out": Act(first=stage.stop_politely)}

    def judge(self, seen: Sequence[Seen]) -> Iterator[str]:
        """It met a controller that stops, and the round was played all the same."""
        if not any(one.again for one in answers(list(seen))):
            yield "the client met no controller that stops"
        yield from super().judge(seen)


class Refused(Trial):
    """The wagers are of the wrong denomination."""

    id = "refused"
    text = "When a wager is refused for good, do not send it again; play on without it."
    source = "Refusals"
    counts = False

    def __init__(self) -> None:
        super().__init__()
        self.round = a_round(amount_micros=3 * DOLLAR)

    def judge(self, seen: Sequence[Seen]) -> Iterator[str]:
        """It was refused, and not tried again."""
        said = [one for one in answers(list(seen), "place_wagers") if one.reason]
        if not any(one.reason == "WRONG_DENOMINATION" for one in said):
            yield "the client never sent the wagers"
        if len(commands(list(seen), "place_wagers")) > 1:
            yield "the client sent the same wagers again"


class VoidedByFloor(Trial):
    """A floorperson voids the round just before it would be settled."""

    id = "voided-by-floor"
    text = "When the floor has voided the round, accept it and go on to the next."
    source = "Voids"
    counts = False

    async def before(self, stage: Stage) -> None:
        """The floor is quicker than the settlement."""
        self.left = {"settle": Act(first=stage.void_round)}

    def judge(self, seen: Sequence[Seen]) -> Iterator[str]:
        """It was told, and did not try again."""
        settles = commands(list(seen), "settle")
        if not settles:
            yield "the client never settled"
        if len({one.number for one in settles}) > 1:
            yield "the client tried again to settle a void round"


class Papers(Trial):
    """A royal is won: the next round stays shut until the award's papers are done."""

    id = "papers"
    text = "Do not open the next round while an award of this table lacks its papers."
    source = "Payouts"
    counts = False

    def __init__(self) -> None:
        super().__init__()
        self.round = a_round(royal=True)


class OpensLate(Trial):
    """The next round is given out while the papers of the last are still open."""

    id = "opens-late"
    text = "Open the next round once the papers are done, and not before."
    source = "Payouts"

    async def during(self, stage: Stage) -> None:
        """Do the papers after a while."""
        await stage.pay_after_a_while()

    def judge(self, seen: Sequence[Seen]) -> Iterator[str]:
        """It did not knock at a shut door."""
        if early := [one for one in answers(list(seen), "open_round") if one.reason]:
            yield (
                f"at {early[0].at_s:.2f} s: open_round was sent before the papers were done "
                f"({early[0].reason})"
            )
        yield from self._played(seen)


class Fenced(Trial):
    """Another client attaches as the same table in the middle of the round."""

    id = "fenced-out"
    text = "When another client speaks for the table (FENCED), stop."
    source = "Fencing"
    counts = False

    async def before(self, stage: Stage) -> None:
        """The other one is quicker than the lock-out."""
        self.left = {"lock_out": Act(first=stage.take_over)}

    def judge(self, seen: Sequence[Seen]) -> Iterator[str]:
        """It was told, and attached to nothing by itself."""
        told = next((n for n, one in enumerate(seen) if one.reason == "FENCED"), None)
        if told is None:
            yield "the client never locked out"
        elif any(one.what == "attach" for one in seen[told:]):
            yield "the client took the table back without being asked to play"


class Returns(Trial):
    """The client is asked to play again after it was fenced."""

    id = "attach-again"
    text = "When asked to play again, attach and begin with number 1."
    source = "Fencing"

    def __init__(self) -> None:
        super().__init__()
        self.round.attach = True

    def judge(self, seen: Sequence[Seen]) -> Iterator[str]:
        """It attached, and played."""
        if not any(one.what == "attached" for one in seen):
            yield "the client did not attach"
        yield from self._played(seen)


class LostAttach(Trial):
    """The answer to an attachment is lost."""

    id = "lost-attach"
    text = "When the answer to Attach is lost, send it again with the same request_id."
    source = "Attach"

    def __init__(self) -> None:
        super().__init__()
        self.round.attach = True
        self._lost = False

    def on_attach(self) -> Act:
        """Lose the first answer."""
        act = PASS if self._lost else Act(lose_answer=True)
        self._lost = True
        return act

    def judge(self, seen: Sequence[Seen]) -> Iterator[str]:
        """The same id came again."""
        ids = [one.request_id for one in seen if one.what == "attach"]
        if not ids:
            yield "the client did not attach"
        elif len(ids) > 1 and ids[0] != ids[1]:
            yield "the client attached with another request_id after the answer was lost"
        elif len(ids) == 1:
            yield "the client did not send Attach again"
        yield from self._played(seen)


class Revoked(Trial):
    """Every call is refused as that of a revoked certificate."""

    id = "revoked"
    text = "When the certificate is refused (UNAUTHENTICATED), do not retry in a loop."
    source = "Refusals"
    counts = False
    MOST = 10

    def on_call(self, method: str) -> status_pb2.Status | None:  # noqa: ARG002 - every one
        """Nobody gets in."""
        return to_status(
            "UNAUTHENTICATED", "the certificate is revoked", "UNAUTHENTICATED", {}, None
        )

    def __init__(self) -> None:
        super().__init__()
        self.round.attach = True

    def judge(self, seen: Sequence[Seen]) -> Iterator[str]:
        """It gave up soon."""
        calls = [one for one in seen if one.what == "call" and one.kind != "Heartbeat"]
        if not calls:
            yield "the client never called"
        if len(calls) > self.MOST:
            yield f"the client called {len(calls)} times with a certificate that was refused"


def all_trials() -> list[Trial]:
    """Every trial, in the order in which they are held."""
    killed = [Restart(point) for point in POINTS if point != "snapshot"]
    return [
        *(Trial(), LostAnswers(), LostCommands(), Duplicates(), Delays(), Overloaded()),
        *(Refused(), LostAttach(), *killed, Drain(), VoidedByFloor()),
        *(Papers(), OpensLate(), Fenced(), Returns(), Revoked()),
    ]
