"""Start a controller and devices in the same process, for a table that plays alone."""

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from emulator.devices.local import LocalDevices
from emulator.devices.timing import DeviceClock
from jackpot.core.config import Site
from jackpot.server.controller import make_controller, replay_start_ms
from jackpot.sources import REPLAY_START_MS, Sources, replayed
from table_client.table.devices.api import Devices
from table_client.table.devices.model import StationConfig


def own_sources(seed: str, data: Path | None, site: str) -> Sources:
    """Time, chance and request ids from a seed; a journal that is there already is continued."""
    return replayed(seed, replay_start_ms(data, site) if data else REPLAY_START_MS)


@asynccontextmanager
async def own_controller(site: Site, data: Path | None, sources: Sources) -> AsyncIterator[str]:
    """A controller for as long as this lasts, and its address. Without `data` nothing is kept."""
    with tempfile.TemporaryDirectory(prefix="jackpot-table-") as folder:
        controller = make_controller(site, data or Path(folder), sources=sources)
        address = await controller.start("127.0.0.1:0")
        try:
            yield address
        finally:
            await controller.stop()


def own_devices(name: str, config: StationConfig) -> Devices:
    """A shuffler and a way of dealing that take no time."""
    return LocalDevices(name, config, DeviceClock(speed=0))
