"""Define what a fault of a soak is: one class for each, with all that belongs to it.

To add a fault, write one subclass of `TableFault`, `InjectedFault` or `ClientFault` in a module of
this package. `--faults`, `soak --help` and the report find it by its name.
"""

import asyncio
import random
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

from emulator.soak.controllers import Supervisor
from emulator.soak.options import Options

if TYPE_CHECKING:
    from emulator.soak.run import Soak


@dataclass
class Target:
    """What faults act on."""

    folder: Path  # of the run
    draw: random.Random
    every_s: float  # between two injected faults
    supervisors: list[Supervisor] = field(default_factory=list)

    def failed_commits(self) -> int:
        """How many batches the controllers could not commit, by their own word."""
        return sum(each.controller.failed_commits() for each in self.supervisors)


class Fault(ABC):
    """Something that goes wrong in a run."""

    name: ClassVar[str]  # as `--faults` takes it
    text: ClassVar[str]  # what happens, for `--help` and the report
    needs_full_site: ClassVar[bool] = False  # the site must have all the tables that it may
    known: ClassVar[dict[str, "type[Fault]"]] = {}  # every fault there is, by name

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if "name" in vars(cls):
            Fault.known[cls.name] = cls

    def __init__(self, target: Target) -> None:
        self.target = target
        self.felt = 0

    @classmethod
    def why_impossible(cls, options: Options) -> str:  # noqa: ARG003 - for those that depend on them
        """Why these options, or this machine, rule the fault out; "" if they don't."""
        return ""

    def controller_arguments(self) -> tuple[str, ...]:
        """What a controller under test must be started with for this fault."""
        return ()

    async def set_up(self, soak: "Soak", stack: AsyncExitStack) -> None:  # noqa: B027 - optional
        """Prepare the run, before its controllers start; the stack undoes it at the very end."""

    def times_felt(self, soak: "Soak") -> int:  # noqa: ARG002 - for those that count elsewhere
        """How often it really happened: by its effect, not by the attempt."""
        return self.felt

    def figures(self, soak: "Soak") -> dict[str, Any]:  # noqa: ARG002 - for those that have any
        """Further figures for the report."""
        return {}


class TableFault(Fault):
    """A fault that tables and their clients commit themselves, by chance."""

    chances: ClassVar[Mapping[str, float]]  # fields of `Chances`
    refusal: ClassVar[str] = ""  # by which it is felt
    counter: ClassVar[str] = ""  # else: what a table, or its client, counts

    def times_felt(self, soak: "Soak") -> int:
        """By refusals, or by what tables count; not all kinds of tables do."""
        if self.refusal:
            return soak.transcript.refusals[self.refusal]
        total = 0
        for table in soak.tables:
            with suppress(AttributeError):
                total += attrgetter(self.counter)(table)
        return total


class Injection(NamedTuple):
    """What was done to a controller or a connection."""

    what: str
    was_felt: bool


class InjectedFault(Fault):
    """A fault that is injected into controllers or connections, one at a time."""

    breaks_store: ClassVar[bool] = False  # no controller can write meanwhile

    @abstractmethod
    async def inject(self, supervisor: Supervisor) -> Injection:
        """Do it once, to this controller if it is done to one, and see whether it was felt."""

    async def undo(self) -> None:
        """End what still lasts: the run is over."""


class ClientFault(Fault):
    """Clients beside the tables that play, who misbehave."""

    ends_by_itself: ClassVar[bool] = False  # then it is waited for, once it has begun
    has_begun = False

    @abstractmethod
    async def work(self, soak: "Soak") -> None:
        """Misbehave until cancelled, or until it is done."""


T = TypeVar("T")


class Bag(Generic[T]):
    """Draws each of its things once before any comes again, so that a short run meets them all."""

    def __init__(self, things: Iterable[T], draw: random.Random) -> None:
        self._things = list(things)
        self._left: list[T] = []
        self._draw = draw

    def __len__(self) -> int:
        return len(self._things)

    def take(self) -> T:
        """The next one."""
        if not self._left:
            self._left = self._draw.sample(self._things, len(self._things))
        return self._left.pop()


class FaultInjector:
    """Injects faults drawn from a seed, and counts only those that were felt."""

    def __init__(
        self, faults: Iterable[InjectedFault], target: Target, is_time_up: Callable[[], bool]
    ) -> None:
        self.how: Counter[str] = Counter()  # what was felt, in detail
        self.unfelt: Counter[str] = Counter()
        self.log: list[tuple[float, float, str]] = []  # from, to (monotonic), what
        self.current: InjectedFault | None = None  # under way
        self._faults = list(faults)
        self._target = target
        self._is_time_up = is_time_up
        self._bag = Bag(self._faults, target.draw)

    @property
    def has_work(self) -> bool:
        """Whether there is any fault to inject."""
        return len(self._bag) > 0

    async def work(self) -> None:
        """Inject one fault after the other, until cancelled."""
        target = self._target
        while not self._is_time_up():
            # All is well for a while before the next thing happens, or nothing would get on.
            for supervisor in target.supervisors:
                await supervisor.up.wait()
            await asyncio.sleep(target.every_s * target.draw.uniform(0.5, 1.5))
            supervisor = target.draw.choice(target.supervisors)
            await supervisor.up.wait()
            fault = self._bag.take()
            began, self.current = time.monotonic(), fault
            try:
                what, was_felt = await fault.inject(supervisor)
            except asyncio.CancelledError:
                self.log.append((began, time.monotonic(), f"{fault.name}, still under way"))
                raise
            finally:
                self.current = None
            self.log.append((began, time.monotonic(), what))
            fault.felt += was_felt
            (self.how if was_felt else self.unfelt)[what] += 1
        await asyncio.Event().wait()

    async def undo_all(self) -> None:
        """End what still lasts, and disarm what was not reached: the run is over."""
        for fault in self._faults:
            await fault.undo()
        for supervisor in self._target.supervisors:
            await supervisor.recover()
