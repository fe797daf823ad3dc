"""Tell an accepted command from a refused one, journaled or not."""

from typing import TypeVar

from jackpot.core.events import Refused
from jackpot.core.reasons import Refusal
from jackpot.engine import Committed, Outcome
from jackpot.server.errors import CallRefusedError

Answer = TypeVar("Answer")


def accepted(outcome: Outcome) -> Committed:
    """What was committed; a refusal is raised."""
    if isinstance(outcome, Refusal):
        raise CallRefusedError(outcome)
    if isinstance(event := outcome.event, Refused):
        raise CallRefusedError(Refusal(event.reason, event.details), outcome.sequence)
    return outcome


def seen(answer: Answer | Refusal) -> Answer:
    """What a look at the state found; a refusal is raised."""
    if isinstance(answer, Refusal):
        raise CallRefusedError(answer)
    return answer
