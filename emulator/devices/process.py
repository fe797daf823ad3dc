"""The device process: serve the devices of many tables over gRPC, or start a process that does.

On SIGTERM or SIGINT it says NOT_SERVING, ends every stream, and lets calls under way finish for a
short while. The cards are in memory only; whoever was dealing has to void the round.
"""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from emulator.devices.service import DeviceServices, Log, Registry
from jackpot.wire.address import AddressError, verify_free
from jackpot.wire.limits import CONNECTION_OPTIONS
from table_client.table.devices.device_faults import Fault
from table_client.table.devices.refusals import DeviceLost
from table_client.table.devices.v1 import devices_pb2 as pb
from table_client.table.devices.v1 import devices_pb2_grpc as pb_grpc

MAX_MESSAGE_BYTES: Final = 64 * 1024  # received; no command comes near it
MAX_CALLS: Final = 4_096  # at once, watchers included
GRACE_S: Final = 3.0
_READ_BYTES: Final = 4_096
_OPTIONS: Final = (
    *CONNECTION_OPTIONS,
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    # Two processes on one port would each have half of the stations.
    ("grpc.so_reuseport", 0),
    ("grpc.http2.min_ping_interval_without_data_ms", 1_000),
    ("grpc.http2.max_ping_strikes", 0),
)
_SERVICES: Final = ("DeviceService", "EmulationService")


def _stop_at_eof(stop: asyncio.Event) -> None:
    if not os.read(0, _READ_BYTES):
        asyncio.get_running_loop().remove_reader(0)
        stop.set()


async def serve(
    listen: str,
    log: Log,
    *,
    speed: float = 0,
    seed: str = "",
    rates_ppm: Mapping[Fault, int] | None = None,
    until_eof: bool = False,
) -> None:
    """Serve until SIGTERM or SIGINT, or until standard input ends."""
    registry = Registry(speed=speed, seed=seed, rates_ppm=rates_ppm)
    services: Any = DeviceServices(registry, log)  # its methods come from a table
    server = grpc.aio.server(options=_OPTIONS, maximum_concurrent_rpcs=MAX_CALLS)
    pb_grpc.add_DeviceServiceServicer_to_server(services, server)
    pb_grpc.add_EmulationServiceServicer_to_server(services, server)
    vitals = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(vitals, server)
    names = [pb.DESCRIPTOR.services_by_name[name].full_name for name in _SERVICES]
    reflection.enable_server_reflection([*names, reflection.SERVICE_NAME], server)
    verify_free(listen)
    try:
        port = server.add_insecure_port(listen)
    except RuntimeError:
        raise AddressError(f"{listen}: cannot listen there") from None
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        # Not everywhere can signals be taken; there the process just ends.
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(number, stop.set)
    if until_eof:
        loop.add_reader(0, _stop_at_eof, stop)
    await server.start()
    for name in ("", *names):
        await vitals.set(name, health_pb2.HealthCheckResponse.SERVING)
    host = listen.rpartition(":")[0]
    log("listening", address=f"{host}:{port}", speed=speed, seeded=bool(seed))
    await stop.wait()
    log("stopping")
    await vitals.enter_graceful_shutdown()
    await registry.drain()
    await server.stop(GRACE_S)
    log("stopped")


_COMMAND = (sys.executable, "-c", "from emulator.cli import main; main()", "devices")
_END_S = 5.0


@contextlib.asynccontextmanager
async def device_process(*options: str) -> AsyncIterator[str]:
    """`jackpot-emulator devices` for as long as this lasts; its address.

    It has a session of its own, so that Ctrl-C reaches the parent alone, which ends it in order;
    and it stops when its standard input ends, so that it does not outlive a parent that was killed.
    """
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *(*_COMMAND, "--listen", "127.0.0.1:0", "--json", "--until-eof", *options),
        stdin=pipe,
        stdout=pipe,
        start_new_session=True,
    )
    try:
        line = await process.stdout.readline() if process.stdout else b""
        if not line:
            raise DeviceLost("the device process did not start")
        draining = asyncio.create_task(_drain(process.stdout))
        try:
            yield str(json.loads(line)["address"])
        finally:
            draining.cancel()
    finally:
        await _end(process)


async def _drain(log: asyncio.StreamReader | None) -> None:
    """Keep its log from filling up."""
    while log and await log.readline():
        pass


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        try:
            await asyncio.wait_for(process.wait(), _END_S)
        except TimeoutError:
            process.kill()
            await process.wait()
