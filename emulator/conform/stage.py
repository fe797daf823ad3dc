"""The controller behind the wire, its certificates, and the people who act on it in a trial."""

import asyncio
import signal
import socket
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
from cryptography import x509

from emulator.conform.timeline import Timeline
from emulator.soak.controllers import ControllerProcess, Supervisor, jackpot
from jackpot.auth.authority import CA_CERTIFICATE, Authority
from jackpot.auth.holder import parse_holder
from jackpot.core.config import Site
from jackpot.core.money import share_micros
from jackpot.rules.site import load_site
from jackpot.wire.identity import PRINCIPAL_KEY, Identity
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

_DAYS = 1


class Certificates:
    """Everything that mutual TLS needs for as long as the trials last."""

    def __init__(self, folder: Path, site: str, table: str, host: str) -> None:
        self._authority = Authority.create(folder, "Conformance kit")
        self._site = site
        self.authority = folder / CA_CERTIFICATE
        hosts = dict.fromkeys((host, "127.0.0.1", "localhost", socket.gethostname()))
        self.server = self._authority.issue_server(tuple(hosts), _DAYS).certificate
        self.client = self.identity("table", table)

    def identity(self, role: str, name: str) -> Identity:
        """A certificate of its own for a table or a person."""
        certificate, _ = self._authority.issue(parse_holder(self._site, role, name), _DAYS)
        return Identity(certificate, self.authority)

    def server_credentials(self) -> grpc.ServerCredentials:
        """What the wire shows a client, and asks of it."""
        pair = (self.server.with_suffix(".key").read_bytes(), self.server.read_bytes())
        return grpc.ssl_server_credentials(
            [pair], self.authority.read_bytes(), require_client_auth=True
        )

    def environment(self) -> dict[str, str]:
        """Where a client finds its certificate, its key and the authority's certificate."""
        certificate = self.client.certificate
        if certificate is None:
            raise AssertionError("issued above")
        return {
            "JACKPOT_CA": str(self.authority),
            "JACKPOT_CERT": str(certificate),
            "JACKPOT_KEY": str(certificate.with_suffix(".key")),
        }

    def revoke_client(self) -> None:
        """Put the client's certificate on the list; the controller reads it within a second."""
        certificate = Path(self.environment()["JACKPOT_CERT"])
        serial = x509.load_pem_x509_certificate(certificate.read_bytes()).serial_number
        self._authority.revoke(serial)


SITE = "conformance"
TABLE = "table-1"
BET = "five-card-progressive"
DOLLAR = 1_000_000
_LOOK_S = 0.02
_WALK_S = 0.5  # until a floorperson has come to the table
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

    def __init__(
        self,
        supervisor: Supervisor,
        timeline: Timeline,
        site: Site,
        folder: Path,
        papers_s: float,
        certificates: Certificates | None,
    ) -> None:
        self.timeline = timeline
        self.certificates = certificates  # None: without TLS
        self._supervisor = supervisor
        self._site = site
        self._folder = folder
        self._papers_s = papers_s
        self._backup = folder / "backup"
        self._channels: list[grpc.aio.Channel] = []
        floor = self._connect("floor", "floor")
        self._tables: Any = table_pb2_grpc.TableServiceStub(self._connect("table", TABLE))
        self._staff: Any = operator_pb2_grpc.OperatorServiceStub(floor)
        self._cage: Any = operator_pb2_grpc.OperatorServiceStub(
            self._connect("accounting", "cage") if certificates else floor
        )
        self._meters: Any = meter_pb2_grpc.MeterServiceStub(floor)

    def _connect(self, role: str, name: str) -> grpc.aio.Channel:
        """A connection of somebody's own, with a certificate where the controller asks for one."""
        identity = self.certificates.identity(role, name) if self.certificates else None
        self._channels.append(open_channel(self.address, identity))
        return self._channels[-1]

    @property
    def address(self) -> str:
        """Where the controller is."""
        return self._supervisor.controller.address

    async def close(self) -> None:
        """Let go of the connections."""
        for channel in self._channels:
            await channel.close()

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
            await asyncio.sleep(0)  # it does not say so for long, and then is gone

    async def meter_micros(self) -> int:
        """What the sign shows."""
        request = meter_pb2.ListMetersRequest(site=SITE)
        response = await self._meters.ListMeters(request, wait_for_ready=True)
        return sum(meter.amount_micros for link in response.links for meter in link.meters)

    def worth_micros(self, wagers: Iterable[pb.Wager]) -> int:
        """What these add to the sign when each is counted once, by the site file's rates."""
        levels = {bet.id: link.levels for link in self._site.links for bet in link.bets}
        return sum(
            share_micros(wager.amount_micros, level.primary_bps)
            for wager in wagers
            for level in levels[wager.bet]
        )

    async def void_round(self) -> None:
        """A floorperson voids the round that the client was last told it had opened."""
        number = next((one.round for one in reversed(self.timeline.seen) if one.round), 0)
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
            await self._do("PayPayout", self._cage, payout=payout.id, form=f"form {payout.id}")

    async def answer_call(self, method: str, outcome: str) -> None:
        """A floorperson answers the table's call for the floor, after a moment."""
        request = operator_pb2.ListFloorCallsRequest(site=SITE)
        while True:
            listed = await self._staff.ListFloorCalls(request, metadata=_person("floor"))
            if listed.calls:
                break
            await asyncio.sleep(_LOOK_S)
        await asyncio.sleep(_WALK_S)
        self.timeline.note("floor", kind=outcome)  # before the client can hear of it
        await self._do(method, call=listed.calls[0].id)

    async def back_up(self) -> None:
        """Take a backup of the journal as it is now."""
        await jackpot("backup", str(self._backup), "--data", self._data, "--json")

    async def restore(self) -> None:
        """Put the backup in the journal's place, as after a lost disk, and start the controller."""
        await self._supervisor.hold(signal.SIGTERM)
        try:
            about = ("--reason", "conformance", "--by", "kit", "--discard-newer", "--json")
            await jackpot("restore", str(self._backup), "--data", self._data, *about)
        finally:
            self._supervisor.may_start.set()
        await self._supervisor.up.wait()

    async def revoke(self) -> None:
        """Revoke the client's certificate, and wait until the controller knows of it."""
        if self.certificates is None:
            raise AssertionError("only behind TLS")
        self.certificates.revoke_client()
        async with open_channel(self.address, self.certificates.client) as channel:
            meters: Any = meter_pb2_grpc.MeterServiceStub(channel)
            while True:
                try:
                    await meters.ListMeters(meter_pb2.ListMetersRequest(site=SITE))
                except grpc.aio.AioRpcError as error:
                    if error.code() is grpc.StatusCode.UNAUTHENTICATED:
                        return
                await asyncio.sleep(_LOOK_S)

    @property
    def _data(self) -> str:
        return str(self._folder / "data")

    async def _do(self, method: str, by: Any = None, **about: Any) -> None:
        request = getattr(operator_pb2, f"{method}Request")(
            site=SITE, request_id=new_request_id(), **about
        )
        call = getattr(by or self._staff, method)
        await call(request, metadata=_person("floor"), wait_for_ready=True)


def _person(name: str) -> tuple[tuple[str, str]]:
    return ((PRINCIPAL_KEY, name),)


@asynccontextmanager
async def set_up(
    folder: Path, timeline: Timeline, papers_s: float, certificates: Certificates | None = None
) -> AsyncIterator[Stage]:
    """A controller of its own for as long as this lasts."""
    site = folder / "site.toml"
    site.write_text(SITE_FILE)
    controller = ControllerProcess(site, str(folder / "data"), folder / "controller.log")
    if certificates:
        files = ("--cert", str(certificates.server), "--ca", str(certificates.authority))
        controller.command.extend(files)
    await controller.start()
    supervisor = Supervisor(controller)
    keeping = asyncio.create_task(supervisor.work())
    stage = Stage(supervisor, timeline, load_site(site), folder, papers_s, certificates)
    try:
        yield stage
    finally:
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)
        await stage.close()
        await controller.kill()
