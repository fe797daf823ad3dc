"""Controller faults: it dies, stops, or comes back with the journal of a backup."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from emulator.conform.interference import Act
from emulator.conform.stage import Stage
from emulator.conform.timeline import Seen, answers
from emulator.conform.trials.base import Trial, a_round
from jackpot.engine.commit_points import Point


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
        yield from self.played(seen)


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
        if not any(one.again for one in answers(seen)):
            yield "the client met no controller that stops"
        yield from super().judge(seen)


class Restored(Trial):
    """A backup is restored in the middle of a round: what the client was told since is lost."""

    id = "restored"
    text = "After OTHER_INCARNATION, attach again, report the answers you received, and play on."
    source = "After a restore"
    rounds: ClassVar = [a_round(), a_round()]  # a client that leaves the first plays the second

    async def before(self, stage: Stage) -> None:
        """The backup has the round, and none of its wagers."""
        self.left = {"place_wagers": Act(first=stage.back_up), "lock_out": Act(first=stage.restore)}

    def judge(self, seen: Sequence[Seen]) -> Iterator[str]:
        """It said what it had been told, and played a round of the new incarnation."""
        told = next((n for n, one in enumerate(seen) if one.reason == "OTHER_INCARNATION"), None)
        if told is None:
            yield "the client never met the restored journal"
            return
        yield from self._reported(seen[:told], seen[told:])
        yield from super().judge(seen[told:])

    def _reported(self, before: Sequence[Seen], after: Sequence[Seen]) -> Iterator[str]:
        attach = next((one for one in after if one.what == "attach"), None)
        if attach is None:
            yield "the client did not attach again"
            return
        heard = [one for one in before if one.what in ("answer", "attached")]
        last, opened = heard[-1].sequence, max(one.round for one in heard)
        said, when = attach.acknowledged, f"at {attach.at_s:.2f} s: Attach"
        if said is None:
            yield f"{when} does not report the answers that the client received (acknowledged)"
        elif said.last_sequence != last:
            yield f"{when} says that the last answer was {said.last_sequence}; it was {last}"
        elif not 0 < said.first_sequence <= heard[0].sequence:
            first = heard[0].sequence
            yield f"{when} says that the first answer was {said.first_sequence}; it was {first}"
        elif said.round != opened:
            yield f"{when} says that round {said.round} was played; it was round {opened}"
        elif said.incarnation in {one.incarnation for one in after if one.what == "attached"}:
            yield f"{when} does not name the incarnation of those answers"
