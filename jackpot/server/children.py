"""Processes that work for the ledger: started, pinged, restarted when they die, drained at the end.

Each shares a link with the ledger and lives no longer than it. With none wanted, the same runs in
the ledger's own process, over a link in memory.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from jackpot.engine.alarms import AlarmBoard, AlarmKind, alarm
from jackpot.front import frames
from jackpot.front.frames import FrameError, Link, Ready, connect, join
from jackpot.front.process import start
from jackpot.server.calls import FrontCalls, Method

if TYPE_CHECKING:
    from subprocess import Popen

PING_S = 1.0
UNANSWERED = 5  # pings, after which a child is ended ...
STARTING = 60  # ... and before it is ready
DRAIN_S = 6.0  # for what is under way to be answered
TRIES = 3  # of the first start
FIRST_WAIT_S, LONGEST_WAIT_S = 0.1, 5.0  # before another is started
STEADY_S = 10.0  # a child that lived so long did not die of its start
_log = logging.getLogger(__name__)


class Inside(Protocol):
    """What runs in a child's process, or in this one."""

    link: Link


class Recipe(NamedTuple):
    """How a child is made."""

    name: str  # in the log and in alarms
    module: str  # what a process of its own runs
    inside: Callable[[], Inside]  # the same in this process
    methods: Mapping[str, Method]  # which it can call
    setup: msgspec.Struct  # what it is told first
    descriptors: tuple[int, ...] = ()  # what its process inherits


class ChildError(Exception):
    """A child can't do its work; the text says why."""


class Children:
    """The children of one recipe."""

    def __init__(self, recipe: Recipe, count: int, alarms: AlarmBoard) -> None:
        """With a count of 0 there is one, in this process."""
        self._recipe = recipe
        self._count = count
        self._alarms = alarms
        self._keeping: list[asyncio.Task[None]] = []
        self._running: set[_Child] = set()
        self._stopping = False

    async def start(self) -> None:
        """Start all of them; ChildError where one can't do its work."""
        try:
            first = await asyncio.gather(*(self._first() for _ in range(max(1, self._count))))
        except BaseException:
            await self.stop()
            raise
        self._keeping = [asyncio.create_task(self._keep(child)) for child in first]

    async def _first(self) -> "_Child":
        """A child that does its work; one that is killed meanwhile is no reason not to start."""
        for _ in range(TRIES):
            child = await self._make()
            if await child.ready():
                return child
            self._sound(why := await child.ended())
            self._running.discard(child)
        raise ChildError(why)

    async def _make(self) -> "_Child":
        child = _Child(self._recipe)
        self._running.add(child)
        await (child.spawn() if self._count else child.join())
        return child

    async def stop(self) -> None:
        """Let every child answer what is under way, and end it."""
        self._stopping = True
        await asyncio.gather(*(child.drain() for child in self._running))
        for task in self._keeping:
            task.cancel()

    async def _keep(self, child: "_Child") -> None:
        """Start another child whenever one dies."""
        loop, wait_s = asyncio.get_running_loop(), FIRST_WAIT_S
        while True:
            began_s = loop.time()
            why = await child.ended()
            self._running.discard(child)
            if self._stopping:
                return
            if loop.time() - began_s > STEADY_S:
                wait_s = FIRST_WAIT_S
            self._sound(why)
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, LONGEST_WAIT_S)
            child = await self._make()

    def _sound(self, why: str) -> None:
        self._alarms.sound(alarm(AlarmKind.FRONT_LOST, process=self._recipe.name, why=why))


class _Child:
    """A child from its start to its end."""

    def __init__(self, recipe: Recipe) -> None:
        loop = asyncio.get_running_loop()
        self._recipe = recipe
        self._calls = FrontCalls(recipe.methods, self._control, self._heed_lost)
        self._ready: asyncio.Future[str] = loop.create_future()  # what keeps it from its work
        self._lost: asyncio.Future[str] = loop.create_future()
        self._process: Popen[bytes] | None = None
        self._inside: Inside | None = None
        self._pinging: asyncio.Task[None] | None = None
        self._unanswered = 0
        self._draining = False

    async def spawn(self) -> None:
        """Start it in a process of its own."""
        self._process, end = start(self._recipe.module, self._recipe.descriptors)
        await connect(self._calls.link, end)
        self._calls.link.tell(frames.SETUP, 0, self._recipe.setup)
        self._pinging = asyncio.create_task(self._ping())

    async def join(self) -> None:
        """Start it in this process."""
        self._inside = self._recipe.inside()
        join(self._calls.link, self._inside.link)
        self._calls.link.tell(frames.SETUP, 0, self._recipe.setup)

    async def ready(self) -> bool:
        """Wait until it does its work, or has ended; ChildError where it says that it can't."""
        await asyncio.wait((self._ready, self._lost), return_when=asyncio.FIRST_COMPLETED)
        if self._ready.done() and (problem := self._ready.result()):
            raise ChildError(problem)
        return self._ready.done()

    async def ended(self) -> str:
        """Wait until it has ended; why it did."""
        why = await self._lost
        code = await self._reaped()
        return why or (f"it was killed by signal {-code}" if code < 0 else f"exit code {code}")

    async def drain(self) -> None:
        """End it when it has answered what is under way; soon in any case."""
        self._draining = True
        if not self._lost.done():
            self._calls.link.send(frames.DRAIN, 0)
            await asyncio.wait((self._lost,), timeout=DRAIN_S)
        if not self._lost.done():
            self._kill()
        await self._reaped()

    async def _ping(self) -> None:
        """End it when it answers no more."""
        while True:
            await asyncio.sleep(PING_S)
            if self._unanswered >= (UNANSWERED if self._ready.done() else STARTING):
                self._kill()
            self._unanswered += 1
            self._calls.link.send(frames.PING, 0)

    def _control(self, kind: int, payload: bytes) -> None:
        if kind == frames.PONG:
            self._unanswered = 0
        elif kind == frames.READY and not self._ready.done():
            self._unanswered = 0
            self._ready.set_result(msgspec.msgpack.decode(payload, type=Ready).problem)
            if problem := self._ready.result():
                self._calls.link.fail(problem)  # another one may fare better
        else:
            raise FrameError(f"no ledger knows frames of kind {kind}")

    def _heed_lost(self, why: str) -> None:
        if why and not self._draining:
            _log.error("%s is being stopped: %s", self._recipe.name, why)
        self._kill()
        if self._pinging is not None:
            self._pinging.cancel()
        if not self._lost.done():
            self._lost.set_result(why)

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()  # nothing where it has ended already

    async def _reaped(self) -> int:
        return await asyncio.to_thread(self._process.wait) if self._process else 0
