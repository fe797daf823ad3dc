"""A Play stream between a client and a controller, with an adversary on it."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import grpc

from emulator.conform.interference import Act, Context, abort, abort_like, break_off
from emulator.conform.timeline import About, Notes
from jackpot.wire.v1 import table_pb2 as pb


class PlayRelay:
    """One Play stream. Commands are passed on one by one, so that each can meet its trouble."""

    def __init__(
        self, notes: Notes, act_on: Callable[[About], Act], upstream: Any, context: Context
    ) -> None:
        self._notes = notes
        self._act_on = act_on
        self._upstream = upstream
        self._context = context
        self._queue: asyncio.Queue[tuple[pb.PlayRequest, About] | None] = asyncio.Queue()
        self._untold: dict[int, About] = {}

    async def run(self) -> None:
        """Until the client is done, the controller ends it, or the adversary breaks it."""
        reading = asyncio.create_task(self._read())
        try:
            while (item := await self._queue.get()) is not None:
                await self._handle(*item)
        except grpc.aio.AioRpcError as error:
            for about in self._untold.values():
                self._notes.failed(about, error)
            await abort_like(self._context, error)
        finally:
            reading.cancel()
            self._upstream.cancel()

    async def _read(self) -> None:
        while (raw := await self._context.read()) is not grpc.aio.EOF:
            message = pb.PlayRequest.FromString(raw)
            for command in message.commands:
                kind = command.WhichOneof("command") or ""
                content = (
                    getattr(command, kind).SerializeToString(deterministic=True) if kind else b""
                )
                about = self._notes.commanded(message.epoch, command.number, kind, content)
                self._untold[command.number] = about
                alone = pb.PlayRequest(
                    site=message.site, table=message.table, epoch=message.epoch, commands=[command]
                )
                self._queue.put_nowait((alone, about))
        self._queue.put_nowait(None)

    async def _handle(self, alone: pb.PlayRequest, about: About) -> None:
        act = self._act_on(about)
        if act.first:
            await self._notes.attempt(act.first())
        if act.lose_command:
            await self._break()
        if act.refuse:
            await self._tell(pb.PlayResult(number=about["number"], error=act.refuse), about)
            await abort(self._context, act.refuse)
        raw = alone.SerializeToString()
        for _ in range(2 if act.twice else 1):
            with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                await self._upstream.write(raw)  # if it has ended, reading says why
        result = await self._result(about["number"])
        if act.lose_answer:
            await self._break()
        await asyncio.sleep(act.hold_s)
        await self._tell(result, about)

    async def _result(self, number: int) -> pb.PlayResult:
        while (raw := await self._upstream.read()) is not grpc.aio.EOF:
            for result in pb.PlayResponse.FromString(raw).results:
                if result.number == number:
                    return result
        raise grpc.aio.AioRpcError(
            await self._upstream.code(),
            await self._upstream.initial_metadata(),
            await self._upstream.trailing_metadata(),
            await self._upstream.details(),
        )

    async def _tell(self, result: pb.PlayResult, about: About) -> None:
        self._untold.pop(about["number"], None)
        kind = result.WhichOneof("result")
        if kind == "error":
            self._notes.refused(about, result.error)
        elif kind:
            self._notes.accepted(about, getattr(result, kind))
        await self._context.write(pb.PlayResponse(results=[result]).SerializeToString())

    async def _break(self) -> None:
        for about in self._untold.values():
            self._notes.broke(about)
        await break_off(self._context)
