"""What goes into the engine and what comes out of it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from jackpot.core.commands import Request
from jackpot.core.events import AnyEvent
from jackpot.core.reasons import Refusal
from jackpot.core.state import State


class JournaledAnswer(Struct, frozen=True, gc=False):
    """A durable answer: what the journal says of the command, whenever it was first sent.

    A refusal of the core is journaled too and comes as a `Refused` event.
    """

    sequence: int
    time_micros: int
    event: AnyEvent


# A bare refusal is not in the journal: the command may be sent again.
Outcome = JournaledAnswer | Refusal
Deliver = Callable[[Outcome], None]


class CommandOrder:
    """The commands of one stream, in order.

    Once a command was not taken, none behind it may be: a retried wager would land behind its
    own lock-out. So the first that the store can't take ends the stream for good.
    """

    __slots__ = ("broken",)

    def __init__(self) -> None:
        self.broken = False


class Limits(Struct, frozen=True):
    """How much the engine takes on. Everything has a limit."""

    queued_commands: int = 16_384
    batch_commands: int = 1_024
    batch_bytes: int = 4 << 20  # of entries, looked at after every 64 commands
    crowd_commands: int = 8  # after a batch of so many the next waits for what it sets off ...
    delivery_s: float = 0.05  # ... until its answers have left, and for so long at most
    snapshot_every: int = 10_000  # events; what a restart replays at most
    frames_s: float = 0.02  # while more commands wait, frames are so far apart at least
    poll_s: float = 0.25  # how old a meter may be that another controller changed
    refusals_burst: int = 100  # of one caller, journaled at once ...
    refusals_per_s: int = 20  # ... and in the long run
    attaches_burst: int = 100  # of one table, likewise: each is a commit that others wait for
    attaches_per_s: int = 20
    stalled_s: float = 5.0  # a commit that takes longer is reported as ill health
    retry_s: float = 2.0  # at most this long between attempts to use a failed store


class Job(Struct, frozen=True, gc=False):
    """A command on its way to the writer. With a refusal, only its turn is waited for."""

    request: Request
    deliver: Deliver
    order: CommandOrder | None
    refusal: Refusal | None = None


class Read(NamedTuple):
    """A question about a site's state, answered by the writer between two batches."""

    site: str
    question: Callable[[State], Any]
    deliver: Callable[[Any], None]
    fresh: bool = True  # whether the store is asked first what others have committed


# What was committed, by the kind of event, each with its site.
ByKind = Mapping[type, Sequence[tuple[str, JournaledAnswer]]]


class CommittedBatch(NamedTuple):
    """A commit that is durable, for whoever counts or records: most look at a few kinds only."""

    events: ByKind
    commit_s: float  # from the lock to the disk's answer


Observer = Callable[[CommittedBatch], None]
Answer = tuple[Callable[[Any], None], Any]
