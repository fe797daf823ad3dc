"""Network faults: answers and commands are lost, duplicated, delayed or refused."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from emulator.conform.interference import PASS, Act
from emulator.conform.stage import DOLLAR
from emulator.conform.timeline import Seen, answers, commands
from emulator.conform.trials.base import STEPS, Trial, a_round
from jackpot.wire.refusals import to_status


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
    text = "Continue normally when a command arrives twice; it counts once."
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


class Refused(Trial):
    """The wagers are of the wrong denomination."""

    id = "refused"
    text = "When a wager is refused for good, do not send it again."
    source = "Refusals"
    counts = False
    rounds: ClassVar = [a_round(amount_micros=3 * DOLLAR)]

    def judge(self, seen: Sequence[Seen]) -> Iterator[str]:
        """It was refused, and not tried again."""
        said = [one for one in answers(seen, "place_wagers") if one.reason]
        if not any(one.reason == "WRONG_DENOMINATION" for one in said):
            yield "the client never sent the wagers"
        if len(commands(seen, "place_wagers")) > 1:
            yield "the client sent the same wagers again"


class LostAttach(Trial):
    """The answer to an attachment is lost."""

    id = "lost-attach"
    text = "When the answer to Attach is lost, send it again with the same request_id."
    source = "Attach"
    rounds: ClassVar = [a_round(attach=True)]

    def __init__(self) -> None:
        super().__init__()
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
        yield from self.played(seen)
