"""A controller: the services on one port, from the self-check to the last answer.

Health says NOT_SERVING until the journal was checked and the site is set up, again while the store
is in trouble, and for good when the writer has died or a drain begins.
"""

import asyncio
from collections.abc import Callable

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from jackpot.auth.gate import Gate
from jackpot.core.config import Site
from jackpot.core.events.table import TableEvent
from jackpot.core.reasons import Reason
from jackpot.engine import CommittedBatch, Engine
from jackpot.server.admission import Admission
from jackpot.server.errors import refused
from jackpot.server.floor_watch import FloorWatch
from jackpot.server.meters import MeterService
from jackpot.server.operators import OperatorService
from jackpot.server.rpc import service
from jackpot.server.setup import set_up
from jackpot.server.tables import TableService
from jackpot.wire.address import AddressError, verify_address, verify_free, verify_loopback
from jackpot.wire.keepalive import keepalive
from jackpot.wire.limits import CONNECTION_OPTIONS, MAX_MESSAGE_BYTES
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import meter_pb2, operator_pb2, table_pb2

DRAIN_S = 5.0  # for what has been accepted to be answered

_OPTIONS = (
    *CONNECTION_OPTIONS,
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.so_reuseport", 0),  # a second controller on the port must fail, not share it
    *keepalive(),  # a table whose cable was cut must not look attached
    ("grpc.keepalive_permit_without_calls", 1),
)


class Controller:
    """Serves a site."""

    def __init__(
        self,
        engine: Engine,
        site: Site,
        gate: Gate | None = None,
        *more: Site,
        request_id: Callable[[], str] = new_request_id,
    ) -> None:
        """Serve one site, or several of a group that share a store."""
        self.engine = engine
        self.site = site
        self.sites = (site, *more)
        self.gate = gate
        self._request_id = request_id
        self._admission = Admission(gate)
        self._watching: list[asyncio.Task[None]] = []
        self._tables = TableService(engine, self._admission)
        self._meters = MeterService(engine, [each.id for each in self.sites])
        self.heartbeats = self._tables.heartbeats  # (site, table) -> when it was last heard
        engine.observers.append(self._hear)
        self._floor = FloorWatch(engine, [each.id for each in self.sites], self.heartbeats)
        self._operators = OperatorService(engine, self.heartbeats, self._floor)
        self._health = health.aio.HealthServicer()
        self._server = grpc.aio.server(options=_OPTIONS)
        self._showing: asyncio.Task[None] | None = None
        services = {
            table_pb2.DESCRIPTOR.services_by_name["TableService"]: self._tables.rpcs(),
            meter_pb2.DESCRIPTOR.services_by_name["MeterService"]: self._meters.rpcs(),
            operator_pb2.DESCRIPTOR.services_by_name["OperatorService"]: self._operators.rpcs(),
        }
        self._server.add_generic_rpc_handlers(
            tuple(
                service(descriptor, rpcs, self._admission) for descriptor, rpcs in services.items()
            )
        )
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        self._names = ["", *(descriptor.full_name for descriptor in services)]
        reflection.enable_server_reflection(
            (*self._names[1:], health.SERVICE_NAME, reflection.SERVICE_NAME), self._server
        )

    async def start(self, address: str) -> str:
        """Listen, check the journal, set up the sites, serve; where it listens."""
        self.verify(address)
        await self._show(serving=False)
        try:
            port = self._listen(address)
        except RuntimeError as error:
            raise AddressError(f"{address}: cannot listen there") from error
        await self._server.start()
        try:
            await self.engine.start()
            for site in self.sites:
                await set_up(self.engine, site, self._request_id)
        except BaseException:
            await self._server.stop(None)
            await self.engine.drain()  # or its writers would go on without anybody
            raise
        await self._show(serving=self.engine.healthy)
        self.engine.on_health = self._heed_health
        self._watching.append(asyncio.create_task(self._floor.run()))
        return f"{address.rpartition(':')[0]}:{port}"

    def verify(self, address: str) -> None:
        """Raise unless it can and may listen there."""
        verify_address(address)
        if self.gate is None:
            verify_loopback(address)
        verify_free(address)

    def _listen(self, address: str) -> int:
        if self.gate is None:
            return self._server.add_insecure_port(address)
        self._watching.append(asyncio.create_task(self._admission.watch()))
        return self._server.add_secure_port(address, self.gate.credentials())

    async def stop(self) -> None:
        """Answer what was accepted, refuse the rest, and end."""
        self.engine.on_health = None
        await self._health.enter_graceful_shutdown()
        error = refused(Reason.DRAINING)
        self._tables.end_streams(error)
        self._meters.end_streams(error)
        await self.engine.drain()
        await self._server.stop(DRAIN_S)
        for task in self._watching:
            task.cancel()

    def _hear(self, commit: CommittedBatch) -> None:
        """A table whose command was committed is as alive as one that sends a heartbeat."""
        for (site, _), committed in commit.events.items():
            if isinstance(committed.event, TableEvent):
                self.heartbeats[site, committed.event.table] = committed.time_micros

    def _heed_health(self, healthy: bool) -> None:  # noqa: FBT001 - the engine's callback
        serving = healthy and any(site.id not in self.engine.halted for site in self.sites)
        self._showing = asyncio.create_task(self._show(serving=serving))

    async def _show(self, *, serving: bool) -> None:
        status = health_pb2.HealthCheckResponse.ServingStatus
        for name in self._names:
            await self._health.set(name, status.SERVING if serving else status.NOT_SERVING)
