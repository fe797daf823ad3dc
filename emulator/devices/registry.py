"""The stations of a device process, with their recent answers: a retry is no second deal."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from hashlib import sha256
from typing import Any, TypeVar

from google.protobuf.message import Message
from msgspec import structs

from emulator.devices.local import LocalDevices
from emulator.devices.timing import DeviceClock
from table_client.table.devices.faults import Fault
from table_client.table.devices.model import MAX_NAME, StationConfig
from table_client.table.devices.refusals import DeviceRefused, Reason

M = TypeVar("M", bound=Message)

MAX_STATIONS = 256
MAX_ANSWERS = 256  # a station


def verify_name(field: str, text: str) -> None:
    """Refuse an empty, long or unprintable name."""
    if not (0 < len(text) <= MAX_NAME and text.isprintable()):
        raise DeviceRefused(Reason.INVALID_COMMAND, field=field, most=MAX_NAME)


class OpenedStation:
    """A station with its recent answers."""

    def __init__(self, devices: LocalDevices) -> None:
        self.devices = devices
        self._answers: OrderedDict[str, tuple[bytes, asyncio.Future[Any]]] = OrderedDict()

    async def answer(self, request_id: str, request: Message, run: Callable[[], Awaitable[M]]) -> M:
        """Run a command once; the same again gets the same answer, even while it runs.

        A caller that goes away does not stop its command: the cards would be half dealt.
        """
        verify_name("request_id", request_id)
        digest = sha256(
            type(request).__name__.encode() + request.SerializeToString(deterministic=True)
        ).digest()
        kept = self._answers.get(request_id)
        if kept is None:
            task: asyncio.Future[Any] = asyncio.ensure_future(run())
            self._answers[request_id] = (digest, task)
            task.add_done_callback(lambda done: self._forget_if_refused(request_id, done))
            if len(self._answers) > MAX_ANSWERS:
                self._answers.popitem(last=False)
        elif kept[0] != digest:
            raise DeviceRefused(Reason.REQUEST_ID_REUSED, request_id=request_id)
        else:
            task = kept[1]
        answer: M = await asyncio.shield(task)
        return answer

    def _forget_if_refused(self, request_id: str, task: asyncio.Future[Any]) -> None:
        # A refused command changed nothing, so it may be tried again under its own id.
        if task.cancelled() or task.exception() is not None:
            self._answers.pop(request_id, None)


class Registry:
    """All stations of the process."""

    def __init__(
        self, *, speed: float = 0, seed: str = "", rates_ppm: Mapping[Fault, int] | None = None
    ) -> None:
        self._speed = speed
        self._seed = seed
        self._rates_ppm = dict(rates_ppm or {})
        self._stations: dict[str, OpenedStation] = {}
        self.draining = False

    async def open(self, name: str, config: StationConfig) -> OpenedStation:
        """The station of that name; new, or as it is if its settings are the same."""
        self._verify_not_draining()
        verify_name("station", name)
        if config.seed:
            verify_name("seed", config.seed)
        else:
            config = structs.replace(config, seed=self._seed)
        station = self._stations.get(name)
        if station is None:
            if len(self._stations) >= MAX_STATIONS:
                raise DeviceRefused(Reason.TOO_MANY, stations=len(self._stations))
            devices = LocalDevices(name, config, DeviceClock(self._speed))
            station = self._stations[name] = OpenedStation(devices)
            await devices.set_fault_rates(self._rates_ppm)
        elif station.devices.config != config:
            raise DeviceRefused(Reason.STATION_DIFFERS, station=name)
        return station

    def get(self, name: str) -> OpenedStation:
        """The open station of that name."""
        self._verify_not_draining()
        station = self._stations.get(name)
        if station is None:
            raise DeviceRefused(Reason.STATION_UNKNOWN, station=name[:MAX_NAME])
        return station

    async def close(self, name: str) -> bool:
        """Close a station; says whether it was open."""
        station = self._stations.pop(name, None)
        if station is not None:
            await station.devices.close()
        return station is not None

    async def drain(self) -> None:
        """Refuse everything from now on, and end all watchers."""
        self.draining = True
        for name in list(self._stations):
            await self.close(name)

    def _verify_not_draining(self) -> None:
        if self.draining:
            raise DeviceRefused(Reason.SHUTTING_DOWN)
