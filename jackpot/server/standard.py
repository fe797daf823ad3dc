"""The two services that every gRPC tool knows: health, and reflection."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Any

from grpc import StatusCode
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection, reflection_pb2

from jackpot.server.admission import Admission
from jackpot.server.calls import Call, Method
from jackpot.server.rpc import decode

HEALTH = health_pb2.DESCRIPTOR.services_by_name["Health"].full_name
# The two versions differ in their names only.
REFLECTIONS = ("grpc.reflection.v1.ServerReflection", reflection.SERVICE_NAME)
_Status = health_pb2.HealthCheckResponse


class Health:
    """Whether the controller serves: the same for it as a whole and for each of its services."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(("", *names))
        self._changed = asyncio.Event()
        self._closed = False
        self.serving = False

    def show(self, *, serving: bool) -> None:
        """Say so from now on."""
        if serving != self.serving and not self._closed:
            self.serving = serving
            self._changed.set()
            self._changed = asyncio.Event()

    def close(self) -> None:
        """Not serving, for good."""
        self.show(serving=False)
        self._closed = True

    def methods(self, admission: Admission) -> dict[str, Method]:
        """Check, List and Watch, for whom the admission knows."""
        return {
            f"/{HEALTH}/Check": _method(self._check, admission),
            f"/{HEALTH}/List": _method(self._list, admission),
            f"/{HEALTH}/Watch": _method(self._watch, admission, streams_out=True),
        }

    def _status(self) -> "health_pb2.HealthCheckResponse.ServingStatus":
        return _Status.SERVING if self.serving else _Status.NOT_SERVING

    async def _check(self, raw: bytes, call: Call) -> None:
        if decode(health_pb2.HealthCheckRequest, raw).service not in self._names:
            call.abort(StatusCode.NOT_FOUND, "This controller has no such service.")
            return
        call.send(_Status(status=self._status()).SerializeToString())

    async def _list(self, _raw: bytes, call: Call) -> None:
        answer = health_pb2.HealthListResponse()
        for name in self._names:
            answer.statuses[name].status = self._status()
        call.send(answer.SerializeToString())

    async def _watch(self, raw: bytes, call: Call) -> None:
        known = decode(health_pb2.HealthCheckRequest, raw).service in self._names
        while True:
            changed = self._changed
            status = self._status() if known else _Status.SERVICE_UNKNOWN
            await call.write(_Status(status=status).SerializeToString())
            await changed.wait()


def _method(answer: Any, admission: Admission, *, streams_out: bool = False) -> Method:
    def serve(call: Call) -> None:
        admission.know(call, HEALTH)
        call.receive = lambda raw: call.run(answer(raw, call)) if raw is not None else None

    return Method(serve, streams_in=False, streams_out=streams_out)


class Reflection:
    """Which services and messages there are, for tools that ask."""

    def __init__(self, names: Iterable[str]) -> None:
        self._answers: Any = reflection.aio.ReflectionServicer((*names, HEALTH, *REFLECTIONS))

    def methods(self, admission: Admission) -> dict[str, Method]:
        """One stream of questions and answers, by both of its names."""

        def serve(call: Call) -> None:
            admission.know(call, REFLECTIONS[0])
            asked: asyncio.Queue[bytes | None] = asyncio.Queue()  # no longer than the call's window
            call.receive = asked.put_nowait
            call.run(self._answer(asked, call))

        method = Method(serve, streams_in=True, streams_out=True)
        return {f"/{name}/ServerReflectionInfo": method for name in REFLECTIONS}

    async def _answer(self, asked: "asyncio.Queue[bytes | None]", call: Call) -> None:
        async def questions() -> AsyncIterator[Any]:
            while (raw := await asked.get()) is not None:
                yield decode(reflection_pb2.ServerReflectionRequest, raw)

        async for found in self._answers.ServerReflectionInfo(questions(), None):
            call.send(found.SerializeToString())
