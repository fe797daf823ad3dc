"""What people do: the floor voids and answers calls, papers take time, somebody else attaches."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from google.rpc import status_pb2

from emulator.conform.interference import Act
from emulator.conform.stage import Stage
from emulator.conform.timeline import Seen, answers, commands
from emulator.conform.trials.base import Trial, a_round
from jackpot.wire.refusals import to_status

IRREGULARITY = "MISDEALT"


class VoidedByFloor(Trial):
    """A floorperson voids the round just before it would be settled."""

    id = "voided-by-floor"
    text = "When the floor has voided the round, accept that and open the next round."
    source = "Voids"
    counts = False

    async def before(self, stage: Stage) -> None:
        """The floor is quicker than the settlement."""
        self.left = {"settle": Act(first=stage.void_round)}

    def judge(self, seen: Sequence[Seen]) -> Iterator[str]:
        """It was told, and did not try again."""
        settles = commands(seen, "settle")
        if not settles:
            yield "the client never settled"
        if len({one.number for one in settles}) > 1:
            yield "the client tried again to settle a void round"


class VoidedByTable(Trial):
    """Something is wrong before the collection, when the table may void by itself."""

    id = "voids-round"
    text = "Before the collection, void a round that must be void, and do not settle it."
    source = "Voids"
    counts = False
    rounds: ClassVar = [a_round(irregularity=IRREGULARITY)]

    def judge(self, seen: Sequence[Seen]) -> Iterator[str]:
        """It voided, and that was all."""
        if not any(one.what == "answer" and one.kind == "void_round" for one in seen):
            yield "the client did not void the round"
        if commands(seen, "settle"):
            yield "the client settled a round that must be void"


class FloorApproves(Trial):
    """Something is wrong after the collection: the table calls the floor, who voids the round."""

    id = "floor-approves"
    text = "After the collection, call the floor to void a round, and wait for the answer."
    source = "Calls for the floor"
    counts = False
    answer = ("ApproveFloorCall", "approved")
    rounds: ClassVar = [a_round(irregularity=IRREGULARITY, collected=True)]

    async def during(self, stage: Stage) -> None:
        """The floor comes, and answers."""
        await stage.answer_call(*self.answer)

    def judge(self, seen: Sequence[Seen]) -> Iterator[str]:
        """It asked, waited, and did as it was told."""
        if not any(one.what == "answer" and one.kind == "call_floor" for one in seen):
            yield "the client did not call the floor"
            return
        called = next(n for n, one in enumerate(seen) if one.kind == "call_floor")
        for one in seen[called:]:
            if one.what == "floor":
                break
            if one.what == "asks" or (one.what == "command" and one.kind != "call_floor"):
                what = one.kind or "NextRound"
                yield f"at {one.at_s:.2f} s: {what} was sent before the floor had answered"
        yield from self.obeyed(seen)

    def obeyed(self, seen: Sequence[Seen]) -> Iterator[str]:
        """What the client does with the answer."""
        if commands(seen, "settle", "void_round"):
            yield "the client sent something for a round that the floor had voided"


class FloorDeclines(FloorApproves):
    """The floor sees nothing wrong: the round goes on."""

    id = "floor-declines"
    text = "When the floor declines a call, go on with the round."
    counts = True
    answer = ("DeclineFloorCall", "declined")

    def obeyed(self, seen: Sequence[Seen]) -> Iterator[str]:
        """It settled."""
        yield from self.played(seen)


class Papers(Trial):
    """A royal is won: the next round stays shut until the award's papers are done."""

    id = "papers"
    text = "Do not open the next round while an award at this table waits for its paperwork."
    source = "Payouts"
    counts = False
    rounds: ClassVar = [a_round(royal=True)]


class OpensLate(Trial):
    """The next round is given out while the papers of the last are still open."""

    id = "opens-late"
    text = "Open the next round when the paperwork is done, and not before."
    source = "Payouts"

    async def during(self, stage: Stage) -> None:
        """Do the papers after a while."""
        await stage.pay_after_a_while()

    def judge(self, seen: Sequence[Seen]) -> Iterator[str]:
        """It did not knock at a shut door."""
        if early := [one for one in answers(seen, "open_round") if one.reason]:
            yield (
                f"at {early[0].at_s:.2f} s: open_round was sent before the paperwork was done "
                f"({early[0].reason})"
            )
        yield from self.played(seen)


class Fenced(Trial):
    """Another client attaches as the same table in the middle of the round."""

    id = "fenced-out"
    text = "When another client speaks for the table (FENCED), stop until a person says otherwise."
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
    """The client is asked to play again after it was fenced: the kit is the person who says so."""

    id = "attach-again"
    text = "When asked to play again, attach and begin with number 1."
    source = "Fencing"
    rounds: ClassVar = [a_round(attach=True)]

    def judge(self, seen: Sequence[Seen]) -> Iterator[str]:
        """It attached, and played."""
        if not any(one.what == "attached" for one in seen):
            yield "the client did not attach"
        yield from self.played(seen)


class Revoked(Trial):
    """The client's certificate is revoked while it plays; without TLS the kit only says so."""

    id = "revoked"
    text = "When the certificate is refused (UNAUTHENTICATED), do not retry in a loop."
    source = "A refused certificate"
    counts = False
    may_end = True
    MOST = 10
    rounds: ClassVar = [a_round(attach=True)]

    def __init__(self) -> None:
        super().__init__()
        self._refusal: status_pb2.Status | None = None

    async def before(self, stage: Stage) -> None:
        """Behind TLS the controller itself refuses, from the lock-out on."""
        if stage.certificates:
            self.left = {"lock_out": Act(first=stage.revoke)}
        else:
            self._refusal = to_status(
                "UNAUTHENTICATED", "the certificate is revoked", "UNAUTHENTICATED", {}, None
            )

    def on_call(self, method: str) -> status_pb2.Status | None:  # noqa: ARG002 - every one
        """Nobody gets in."""
        return self._refusal

    def judge(self, seen: Sequence[Seen]) -> Iterator[str]:
        """It gave up soon."""
        told = next((n for n, one in enumerate(seen) if one.reason == "UNAUTHENTICATED"), None)
        if told is None:
            yield "the client never met the refusal"
            return
        calls = [one for one in seen[told:] if one.what == "call" and one.kind != "Heartbeat"]
        if len(calls) > self.MOST:
            yield f"the client called {len(calls)} times with a certificate that was refused"
