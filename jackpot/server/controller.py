"""A controller: the services behind its fronts, from the self-check to the last answer.

Health says NOT_SERVING until the journal was checked and the site is set up, again while the store
is in trouble, and for good when the writer has died or a drain begins.
"""

import asyncio
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import msgspec

from jackpot.auth.pins import Pins
from jackpot.auth.roles import Listener
from jackpot.core.config import Site
from jackpot.core.events.table import TableEvent
from jackpot.core.reasons import Reason
from jackpot.engine import CommittedBatch, Engine
from jackpot.engine.commit_points import Faults, none
from jackpot.engine.read_back import read_back
from jackpot.engine.witness import Witness
from jackpot.processor import SharedProcessor
from jackpot.rules.bad_beat import POKER
from jackpot.rules.hands import names
from jackpot.server.admission import Admission
from jackpot.server.calls import Method
from jackpot.server.children import Children, Inside, Recipe
from jackpot.server.errors import refused
from jackpot.server.figures import Tally
from jackpot.server.fronts import Fronts
from jackpot.server.meter_service import MeterService
from jackpot.server.operator_service import OperatorService
from jackpot.server.pages import Trusting, acts, reads
from jackpot.server.pin_service import PinService
from jackpot.server.rpc import service
from jackpot.server.sessions import BySession, Sessions
from jackpot.server.setup import set_up
from jackpot.server.standard import Health, Reflection
from jackpot.server.standing_alarms import StandingAlarms
from jackpot.server.table_service import TableService
from jackpot.software import this_software
from jackpot.sources import MACHINE, REPLAY_START_MS, Sources
from jackpot.store.journal import StoreError, UnsoundError
from jackpot.store.opening import Address, is_postgres, journal_opener, open_to_read
from jackpot.wire.address import AddressError, may_be_one, verify_address, verify_loopback
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import meter_pb2, operator_pb2, pin_pb2, table_pb2

if TYPE_CHECKING:
    from jackpot.auth.gate import Gate


_LAST_PAGE_S = 5.0  # for whoever reads past alarms to notice that nobody wants them any more
_TABLES = table_pb2.DESCRIPTOR.services_by_name["TableService"]
_METERS = meter_pb2.DESCRIPTOR.services_by_name["MeterService"]
_OPERATORS = operator_pb2.DESCRIPTOR.services_by_name["OperatorService"]
_OF_TABLES = frozenset(get_args(TableEvent))
_PINS = pin_pb2.DESCRIPTOR.services_by_name["PinService"]
WRITERS = 8  # at most; each has its share of the sites, and a connection of its own
_log = logging.getLogger(__name__)


class Controller:
    """Serves a site."""

    def __init__(
        self,
        engine: Engine,
        site: Site,
        gate: "Gate | None" = None,
        *more: Site,
        request_id: Callable[[], str] = new_request_id,
        fronts: int = 0,
        pins: Path | None = None,
    ) -> None:
        """Serve one site, or several of a group that share a store.

        The sockets are owned by so many processes besides this one; 0: by this one. People's PINs
        are kept in a file of their own, where there is one and TLS to know people by.
        """
        self.engine = engine
        self.site = site
        self.sites = (site, *more)
        self.gate = gate
        self._request_id = request_id
        self.addresses: dict[Listener, str] = {}  # where it listens, once it has taken them
        self._admission = Admission(gate, self.addresses)
        self._watching: list[asyncio.Task[None]] = []
        self._reading: asyncio.Task[None] | None = None
        self._tables = TableService(engine, self._admission)
        self._meters = MeterService(engine, [each.id for each in self.sites])
        self.heartbeats = self._tables.heartbeats  # (site, table) -> when it was last heard
        engine.observers.append(self._hear)
        self._standing = StandingAlarms(engine, [each.id for each in self.sites], self.heartbeats)
        self._operators = OperatorService(engine, self.heartbeats, self._standing)
        kept = Pins(pins, gate.fault) if gate and pins else None
        self.sessions = Sessions(gate, kept) if gate else None
        self._meters.features |= {"tls"} if gate else set()
        self._meters.features |= {"pins"} if kept else set()
        services = {
            _TABLES: self._tables.rpcs(),
            _METERS: self._meters.rpcs(),
            _OPERATORS: self._operators.rpcs(),
            _PINS: PinService(kept).rpcs(),
        }
        names = [descriptor.full_name for descriptor in services]
        self._health, reflection = Health(names), Reflection(names)

        def methods(listener: Listener) -> dict[str, Method]:
            admission = self._admission.at(listener)
            found = self._health.methods(admission) | reflection.methods(admission)
            for descriptor, rpcs in services.items():
                found |= service(descriptor, rpcs, admission)
            return found

        self._count = fronts
        self._fronts: dict[Listener, Fronts] = {
            "tables": Fronts(methods("tables"), fronts, engine.alarms),
            # Of its own, however few people there are: no flood of tables is in their way.
            "staff": Fronts(methods("staff"), min(fronts, 1), engine.alarms, "the staff's front"),
        }

    def pages(
        self,
        module: str,
        inside: Callable[[], Inside],
        setup: msgspec.Struct,
        descriptors: tuple[int, ...],
    ) -> Children:
        """The process that serves pages, in this one where the sockets are in this one too.

        Its watches don't count with those of strangers: they can't crowd it out.
        """
        meters = MeterService(self.engine, [site.id for site in self.sites])
        methods = reads({_METERS: meters.rpcs(), _OPERATORS: self._operators.rpcs()})
        methods |= self._health.methods(Trusting()) | Tally(self.engine).methods()
        if self.sessions:
            methods |= self.sessions.methods()
            methods |= acts(_OPERATORS, self._operators.rpcs(), BySession(self.sessions))
        recipe = Recipe("the pages' process", module, inside, methods, setup, descriptors)
        return Children(recipe, min(self._count, 1), self.engine.alarms)

    async def start(self, address: str, staff: str = "") -> str:
        """Listen, check the journal, set up the sites, serve; where it listens for tables.

        Staff may have an address of their own; without one they call where tables do.
        """
        self.take(address, staff)
        await self._listen(address, staff)
        try:
            await self.engine.start()
            release = (await asyncio.to_thread(this_software)).release
            for site in self.sites:
                await set_up(self.engine, site, self._request_id, release)
        except BaseException:
            await self._stop_fronts()
            await self.engine.drain()  # or its writers would go on without anybody
            raise
        self._meters.addresses = self.addresses
        self._heed_health(self.engine.healthy)
        self.engine.on_health = self._heed_health
        self._watching = [
            asyncio.create_task(run()) for run in (self._standing.run, self._admission.watch)
        ]
        return self.addresses["tables"]

    def take(self, address: str, staff: str = "") -> None:
        """Keep addresses for this controller; AddressError unless it can and may listen there."""
        asked = _asked(address, staff)
        for each in asked.values():
            verify_address(each)
        if self.gate is None:
            verify_loopback(address)
            if staff:
                raise AddressError(
                    f"{staff}: without TLS nobody is known to be staff; an address for staff needs "
                    "--cert and --ca"
                )
        if staff and may_be_one(staff, address):
            raise AddressError(f"{staff}: tables call there; staff need another address")
        self.addresses.clear()
        try:
            for listener, each in asked.items():
                self.addresses[listener] = self._fronts[listener].take(each)
        except AddressError:
            self.release()
            raise

    def release(self) -> None:
        """Let others have the addresses."""
        for fronts in self._fronts.values():
            fronts.release()

    async def _listen(self, address: str, staff: str) -> None:
        try:
            tls = self.gate.tls() if self.gate else None
            for listener, each in _asked(address, staff).items():
                await self._fronts[listener].start(each, tls)
        except BaseException:
            await self._stop_fronts()
            raise

    async def _stop_fronts(self) -> None:
        await asyncio.gather(*(fronts.stop() for fronts in self._fronts.values()))

    async def stop(self) -> None:
        """Answer what was accepted, refuse the rest, and end."""
        self.engine.on_health = None
        self._health.close()
        error = refused(Reason.DRAINING)
        self._tables.end_streams(error)
        self._meters.end_streams(error)
        await self.engine.drain()
        await self._stop_fronts()
        if self._reading is not None:  # or the journal would still be open behind our back
            await asyncio.wait((self._reading,), timeout=_LAST_PAGE_S)
        for task in self._watching:
            task.cancel()

    def _hear(self, commit: CommittedBatch) -> None:
        """A table whose command was committed is as alive as one that sends a heartbeat."""
        for kind in commit.events.keys() & _OF_TABLES:
            for site, committed in commit.events[kind]:
                event: Any = committed.event
                self.heartbeats[site, event.table] = committed.time_micros

    def _heed_health(self, healthy: bool) -> None:  # noqa: FBT001 - the engine's callback
        serving = healthy and any(site.id not in self.engine.halted for site in self.sites)
        self._health.show(serving=serving)
        self.engine.meters.publish(())  # whoever watches a halted site is told
        self.engine.tables.publish_all()
        if serving:
            self._reading = self._reading or asyncio.create_task(self._read_back())

    async def _read_back(self) -> None:
        """List the alarms of the past; what a failed commit has left behind is among them."""
        engine, ids = self.engine, [site.id for site in self.sites]
        wanted = lambda: engine.healthy  # noqa: E731 - a drain does not wait for it
        try:
            await asyncio.to_thread(read_back, engine.open_journal, ids, engine.alarms, wanted)
        except (StoreError, UnsoundError) as error:
            _log.warning("past alarms are not listed: %s", error)
        self._reading = None


def _asked(address: str, staff: str) -> dict[Listener, str]:
    return {"tables": address, "staff": staff} if staff else {"tables": address}


def make_controller(
    site: Site,
    store: Address,
    gate: "Gate | None" = None,
    *more: Site,
    accept_lost_commits: bool = False,
    sources: Sources = MACHINE,
    faults: Faults = none,
    fronts: int | None = None,
    witness: Path | None = None,
    pins: Path | None = None,
) -> Controller:
    """A controller for one site or several on a store; call it in the loop."""
    fronts = usual_fronts() if fronts is None else fronts
    engine = Engine(
        journal_opener(store, accept_lost_commits=accept_lost_commits),
        names,
        sites=[site.id, *(each.id for each in more)],
        clock=sources.clock,
        entropy=sources.entropy,
        faults=faults,
        writers=min(WRITERS, 1 + len(more)) if is_postgres(store) else 1,
        poker=POKER,
        witness=Witness(witness) if witness else None,
        # Without fronts, gRPC's own threads are in this process too, and need the others.
        processor=SharedProcessor() if fronts else None,
    )
    return Controller(
        engine, site, gate, *more, request_id=sources.request_id, fronts=fronts, pins=pins
    )


def usual_fronts() -> int:
    """Two processes for the sockets, or one where the ledger would be left no processor."""
    return min(2, max(1, (os.cpu_count() or 1) - 1))


def replay_start_ms(data: Path, site: str) -> int:
    """A replay's own noon; where there is a journal already, a second after its last entry.

    Request ids would otherwise be those of the run before, and be given its answers.
    """
    try:
        journal = open_to_read(data)
    except StoreError:
        return REPLAY_START_MS
    try:
        head = journal.heads().get(site)
        last = journal.read(site, head.sequence - 1, 1) if head else []
    finally:
        journal.close()
    return max(REPLAY_START_MS, *(entry.time_micros // 1_000 + 1_000 for entry in last), 0)
