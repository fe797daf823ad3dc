"""The controller behind the wire, and the people who act on it while a client is tried."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc

from emulator.conform.timeline import Timeline
from emulator.soak.controllers import ControllerProcess, Supervisor
from jackpot.wire.identity import PRINCIPAL_KEY
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import (
    meter_pb2,
    meter_pb2_grpc,
    operator_pb2,
    operator_pb2_grpc,
    table_pb2_grpc,
)
from jackpot.wire.v1 import table_pb2 as pb
from table_client.client import open_channel

SITE = "conformance"
TABLE = "table-1"
BET = "five-card-progressive"
DOLLAR = 1_000_000
_LOOK_S = 0.02
SITE_FILE = f"""\
[site]
id = "{SITE}"
shortest_round_seconds = 0

[[links]]
id = "five"
title = "Five-Card Progressive"
rule = "pa-crazy-4-poker"
bet = "{BET}"
paytable = "A"
wager = "$1"
in_service = true

[[tables]]
id = "{TABLE}"
links = ["five"]
"""


class Stage:
    """One controller, one table, and staff."""

    def __init__(self, supervisor: Supervisor, timeline: Timeline, papers_s: float) -> None:
        self.timeline = timeline
        self._supervisor = supervisor
        self._papers_s = papers_s
        channel = open_channel(supervisor.controller.address)
        self._channel = channel
        self._tables: Any = table_pb2_grpc.TableServiceStub(channel)
        self._staff: Any = operator_pb2_grpc.OperatorServiceStub(channel)
        self._meters: Any = meter_pb2_grpc.MeterServiceStub(channel)

    @property
    def address(self) -> str:
        """Where the controller is."""
        return self._supervisor.controller.address

    async def close(self) -> None:
        """Let go of the connection."""
        await self._channel.close()

    async def restart(self, fault: str = "") -> None:
        """Kill the controller and start it again, with a fault to meet."""
        self._supervisor.next_fault = fault
        await self._supervisor.kill()

    async def settle_down(self) -> None:
        """Disarm what was not met, and wait until the controller serves."""
        await self._supervisor.recover()

    async def stop_politely(self) -> None:
        """Ask the controller to stop, and wait until it takes no calls; it is started again."""
        self._supervisor.end_by(signal.SIGTERM)
        self._supervisor.up.clear()
        while True:
            try:
                await self._meters.ListMeters(meter_pb2.ListMetersRequest(site=SITE))
            except grpc.aio.AioRpcError:
                return
            await asyncio.sleep(_LOOK_S)

    async def meter_micros(self) -> int:
        """What the sign shows."""
        request = meter_pb2.ListMetersRequest(site=SITE)
        response = await self._meters.ListMeters(request, wait_for_ready=True)
        return sum(meter.amount_micros for link in response.links for meter in link.meters)

    async def void_round(self) -> None:
        """A floorperson voids the table's round."""
        request = operator_pb2.GetTableRequest(site=SITE, table=TABLE)
        shown = await self._staff.GetTable(request, metadata=_person("floor"))
        number = shown.table.round.number
        await self._do("VoidTableRound", table=TABLE, round=number, irregularity="MISDEALT")

    async def take_over(self) -> None:
        """Another client attaches as the table, and voids what is open so that it can be played."""
        attached = await self._tables.Attach(
            pb.AttachRequest(site=SITE, table=TABLE, request_id=new_request_id()),
            wait_for_ready=True,
        )
        if attached.HasField("round") and attached.round.phase == pb.ROUND_PHASE_OPEN:
            which = pb.CommandId(site=SITE, table=TABLE, epoch=attached.epoch, number=1)
            void = pb.VoidRound(irregularity="CONTROLLER_LOST")
            await self._tables.VoidRound(pb.VoidRoundRequest(id=which, command=void))

    async def pay_after_a_while(self) -> None:
        """Validate and pay what is open, after as long as papers take."""
        await asyncio.sleep(self._papers_s)
        open_ = await self._staff.ListPayouts(
            operator_pb2.ListPayoutsRequest(site=SITE), metadata=_person("floor")
        )
        for payout in open_.payouts:
            await self._do("ValidatePayout", payout=payout.id, floorperson="floor")
            await self._do("PayPayout", payout=payout.id, form=f"form {payout.id}")

    async def _do(self, method: str, **about: Any) -> None:
        request = getattr(operator_pb2, f"{method}Request")(
            site=SITE, request_id=new_request_id(), **about
        )
        await getattr(self._staff, method)(request, metadata=_person("floor"), wait_for_ready=True)


def _person(name: str) -> tuple[tuple[str, str]]:
    return ((PRINCIPAL_KEY, name),)


@asynccontextmanager
async def set_up(folder: Path, timeline: Timeline, papers_s: float) -> AsyncIterator[Stage]:
    """A controller of its own for as long as this lasts."""
    site = folder / "site.toml"
    site.write_text(SITE_FILE)
    controller = ControllerProcess(site, str(folder / "data"), folder / "controller.log")
    await controller.start()
    supervisor = Supervisor(controller)
    keeping = asyncio.create_task(supervisor.work())
    stage = Stage(supervisor, timeline, papers_s)
    try:
        yield stage
    finally:
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)
        await stage.close()
        await controller.kill()
