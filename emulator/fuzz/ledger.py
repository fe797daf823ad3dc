"""A ledger in memory: the controller's own parsing, deciding and answering, without a store.

What is refused must leave no trace: the state is compared byte for byte with what the last accepted
event left.
"""

import asyncio
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message_factory import GetMessageClass
from msgspec.msgpack import encode

from jackpot.auth.callers import Actor
from jackpot.auth.pins import PINS, Pins
from jackpot.auth.roles import PIN_ACTS
from jackpot.core import incarnation
from jackpot.core.commands import AnyCommand, Request
from jackpot.core.commands.base import OperatorOrigin
from jackpot.core.commands.operator import BeginIncarnation, DefineLink, DefineTable, PutInService
from jackpot.core.commands.table import Malformed
from jackpot.core.config import Site
from jackpot.core.events import AnyEvent, Refused
from jackpot.core.identity import Repeat, digest, identify
from jackpot.core.reasons import Refusal
from jackpot.engine.batch import FAILED, Decider
from jackpot.engine.messages import JournaledAnswer, Limits
from jackpot.engine.replica import Replica
from jackpot.rules.bad_beat import POKER
from jackpot.rules.hands import names
from jackpot.server.codec import Command, Read
from jackpot.server.codec import meter as meters
from jackpot.server.codec import operator as operators
from jackpot.server.codec import table as tables
from jackpot.server.errors import CallRefusedError, status_of
from jackpot.server.pin_service import PinService
from jackpot.server.rpc import decode, paged
from jackpot.sources import replayed
from jackpot.wire.v1 import table_pb2

ROWS = {
    "TableService": tables.ROWS,
    "MeterService": meters.ROWS,
    "OperatorService": operators.ROWS,
}
LOOK_EVERY = 128  # messages; also before every accepted one
RESTORE_EVERY = 900  # messages, after which the journal goes on as if from a backup
STAFF = (
    Actor("ann", "operations"),
    Actor("bob", "accounting"),
    Actor("flo", "table games"),
    Actor("fay", "table games", at_table="table-001"),  # a PIN is good at one table only
)
_UNTIL_S = 4e9


class FuzzedPins:
    """PinService without a door: whoever asks may."""

    def __init__(self, folder: Path, site: str, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        # Argon2 would take most of a run, and no message can tell.
        pins = Pins(folder / PINS, lambda _: "", hash_pin=lambda pin: f"not a hash of {len(pin)}")
        self._rpcs: dict[str, Any] = {**PinService(pins).rpcs()}
        self._actor = Actor("floor:flo", "table games", "floor", "", 1, site, _UNTIL_S)

    def serve(self, rpc: str, message: Any) -> None:
        """Answer a message; CallRefusedError where it is refused."""
        answer = self._loop.run_until_complete(self._rpcs[rpc](message, self._actor))
        answer.SerializeToString()


@contextmanager
def fuzzed_pins(site: str) -> Iterator[FuzzedPins]:
    """PINs in a folder that is gone afterwards."""
    loop = asyncio.new_event_loop()
    try:
        with tempfile.TemporaryDirectory() as folder:
            yield FuzzedPins(Path(folder), site, loop)
            loop.run_until_complete(loop.shutdown_default_executor())
    finally:
        loop.close()


class HarmError(Exception):
    """A message did what none may do."""


class Ledger:
    """Takes messages, and sees that what it refuses changes nothing."""

    def __init__(self, site: Site, seed: int, pins: FuzzedPins | None = None) -> None:
        """Without PINs messages about them are only read."""
        self._pins = pins
        self.outcomes: Counter[str] = Counter()
        self.did: Counter[str] = Counter()  # by the names of events
        self._site = site
        sources = replayed(str(seed))
        self.request_id = sources.request_id
        self._decider = Decider(names, sources.clock, sources.entropy, Limits(), None, POKER)
        self._replica = Replica(site.id)
        self._since_look = 0
        self._left = encode(self._replica.state)
        setup: list[AnyCommand] = [*map(DefineLink, site.links), *map(DefineTable, site.tables)]
        for command in [*setup, *map(PutInService, site.in_service)]:
            self._carry_out(Request(site.id, OperatorOrigin("fuzz", self.request_id()), command))

    @property
    def state(self) -> Any:
        """The site as it is now."""
        return self._replica.state

    def take(self, method: MethodDescriptor, raw: bytes, turn: int) -> None:
        """Serve a message as the controller does; HarmError where it does harm."""
        try:
            self._serve(method, raw, STAFF[turn % len(STAFF)])
        except CallRefusedError as error:
            self.outcomes[error.refusal.reason] += 1
            status_of(error.refusal, error.sequence).SerializeToString()
        if turn % RESTORE_EVERY == RESTORE_EVERY - 1:
            self._restore()
        self._since_look += 1
        if self._since_look >= LOOK_EVERY:
            self.look()

    def look(self) -> None:
        """See that the state is what the last accepted event left."""
        self._since_look = 0
        if encode(self._replica.state) != self._left:
            raise HarmError("something that was refused changed the state")

    def _serve(self, method: MethodDescriptor, raw: bytes, actor: Actor) -> None:
        message = decode(GetMessageClass(method.input_type), raw)
        if method.containing_service.name == "PinService":
            if self._pins is not None:
                self._pins.serve(method.name, message)
            self.outcomes["PINs"] += 1
            return
        if f"{method.containing_service.name}/{method.name}" not in PIN_ACTS:
            actor = actor._replace(at_table="")
        row = ROWS[method.containing_service.name][method.name]
        if method.name == "Play":
            for kind, _, request in row.parse(message):
                done = self._carry_out(request)
                if done is not None:
                    result = table_pb2.PlayResult()
                    tables.play_result(result, kind, done)
                    result.SerializeToString()
        elif isinstance(row, Command):
            done = self._carry_out(row.request(message, actor))
            if done is not None:
                answer = row.answer(done.sequence, done.event)
                answer.SerializeToString()
        elif isinstance(row, Read):
            site, asked = row.parse(message)
            found = row.answer(self.state, asked) if site == self._site.id else None
            if isinstance(found, Refusal):
                raise CallRefusedError(found)
            if found is not None:
                paged(message, found).SerializeToString()
            self.outcomes["read"] += 1
        else:
            row.parse(message)
            self.outcomes["read"] += 1

    def _restore(self) -> None:
        """Begin another incarnation, as a restore does behind the last entry of a backup."""
        self.look()
        state, head = self.state, self._replica.head
        command = BeginIncarnation(f"i{head.sequence}", head.hash.hex(), "fuzz", "ann")
        origin = OperatorOrigin("ann", self.request_id())
        request = Request(state.site, origin, command, state.time_micros)
        self._add(request, incarnation.begin(state, command, request), state.time_micros)

    def _add(self, request: Request, event: AnyEvent, time_micros: int) -> JournaledAnswer:
        self._replica.add(request.origin, event, digest(request.command), time_micros)
        (entry,) = self._replica.seal()
        self._replica.check()
        self._left = encode(self._replica.state)
        self.did[type(event).__name__] += 1
        return JournaledAnswer(entry.sequence, entry.time_micros, event)

    def _carry_out(self, request: Request) -> JournaledAnswer | None:
        """A command as the engine carries it out; None where it is refused or a repeat."""
        if request.site != self._site.id:
            self.outcomes["UNKNOWN_SITE"] += 1
            return None
        if isinstance(request.command, Malformed) and FAILED in request.command.details.values():
            raise HarmError("a command could not be read")
        content = digest(request.command)
        known = identify(self.state, request, content)
        if known is not None:
            self.outcomes["repeat" if isinstance(known, Repeat) else known.reason] += 1
            return None
        event, time_micros = self._decider.decide(self.state, request)
        if isinstance(event, Refused):
            self.outcomes[event.reason] += 1
            status_of(Refusal(event.reason, event.details), 1).SerializeToString()
            return None
        self.look()
        where = self._where(event)
        if request.at_table and where not in ("", request.at_table):
            raise HarmError(f"a PIN typed at {request.at_table} did something at {where}")
        self.outcomes["accepted"] += 1
        return self._add(request, event, time_micros)

    def _where(self, event: Any) -> str:
        """The table that an event is about; empty where it is about none."""
        found = self.state.payouts.get(getattr(event, "payout", 0))
        return str(found.table if found else getattr(event, "table", ""))

    def told(self) -> Iterator[str]:
        """What became of the messages, the most frequent first."""
        for outcome, count in self.outcomes.most_common():
            yield f"{outcome}: {count:,}"
