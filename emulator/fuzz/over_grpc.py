"""The same messages over real gRPC, to a whole controller in this process."""

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.descriptor import MethodDescriptor

from emulator.fuzz.ledger import HarmError
from emulator.fuzz.messages import Messages
from jackpot.core.config import Site
from jackpot.core.state import RequestMemory, State
from jackpot.engine import Engine, Limits
from jackpot.rules.bad_beat import POKER
from jackpot.rules.hands import names
from jackpot.server.controller import Controller
from jackpot.store import codec
from jackpot.store.opening import journal_opener
from jackpot.wire.v1 import table_pb2

NEVER = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN}
CALL_S = 30.0
_WATCH_S = 0.3  # a good watch may have nothing to say
# What a caller is refused is journaled only so fast; here all of it is to be seen.
_LIMITS = Limits(refusals_burst=1 << 30, refusals_per_s=1 << 30, attaches_burst=1 << 30)


class Served:
    """A controller, and a channel to it."""

    def __init__(self, site: Site, seed: int) -> None:
        self.outcomes: Counter[str] = Counter()
        self._site = site
        self._messages = Messages(site, seed)
        self._engine: Engine

    async def run(self, count: int) -> None:
        """Send so many messages; HarmError where one does harm."""
        with tempfile.TemporaryDirectory() as folder:
            opener = journal_opener(Path(folder))
            self._engine = Engine(opener, names, sites=[self._site.id], limits=_LIMITS, poker=POKER)
            controller = Controller(self._engine, self._site)
            address = await controller.start("127.0.0.1:0")
            try:
                async with grpc.aio.insecure_channel(address) as channel:
                    await self._send(channel, count)
            finally:
                await controller.stop()

    async def _send(self, channel: Any, count: int) -> None:
        before = await self._state()
        for _ in range(count):
            method, raw = self._messages.next(before)
            code, refused = await _call(channel, method, raw)
            self.outcomes[code.name] += 1
            if code in NEVER:
                raise HarmError(f"{method.name} was answered with {code.name}: {raw.hex()}")
            after = await self._state()
            if refused and _business(after) != _business(before):
                raise HarmError(f"{method.name} was refused and changed the state: {raw.hex()}")
            before = after

    async def _state(self) -> State:
        """A copy of the site as it is now."""
        found = await self._engine.read(self._site.id, codec.encode_state)
        if not isinstance(found, tuple):
            raise HarmError(f"the controller does not answer: {found}")
        return codec.restore_state(found.state)


async def _call(channel: Any, method: MethodDescriptor, raw: bytes) -> tuple[Any, bool]:
    """The code that a caller gets, and whether all that it asked for was refused."""
    path = f"/{method.containing_service.full_name}/{method.name}"
    try:
        if method.client_streaming:
            call = channel.stream_stream(path)(iter([raw]), timeout=CALL_S)
            answers = [table_pb2.PlayResponse.FromString(each) async for each in call]
            done = any(not each.HasField("error") for found in answers for each in found.results)
            return grpc.StatusCode.OK, not done
        if method.server_streaming:
            call = channel.unary_stream(path)(raw, timeout=_WATCH_S)
            await call.read()
            call.cancel()
        else:
            await channel.unary_unary(path)(raw, timeout=CALL_S)
    except grpc.aio.AioRpcError as error:
        # A Play stream may have carried out something before the message that ended it.
        return error.code(), not method.client_streaming
    return grpc.StatusCode.OK, False


def _business(state: State) -> bytes:
    """A state without its place in the journal and its memory of who asked what."""
    copy = codec.restore_state(codec.encode_state(state).state)
    copy.sequence = copy.time_micros = 0
    copy.requests_by, copy.forgotten_request = {}, ""
    for table in copy.tables.values():
        table.last_number, table.recent, table.attaches = 0, {}, RequestMemory()
    return codec.encode_state(copy).state
