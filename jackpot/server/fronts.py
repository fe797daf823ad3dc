"""The fronts of a controller: the processes that own its gRPC sockets."""

from collections.abc import Mapping

from grpc import StatusCode

from jackpot.core.reasons import Reason, refuse
from jackpot.engine.alarms import AlarmBoard
from jackpot.front.frames import Setup, write_ending
from jackpot.front.relay import Front
from jackpot.server.calls import Method
from jackpot.server.children import ChildError, Children, Recipe
from jackpot.server.errors import uncounted_status
from jackpot.server.port_guard import PortGuard
from jackpot.wire.address import AddressError
from jackpot.wire.identity import Tls
from jackpot.wire.refusals import trailers_of


class Fronts:
    """All fronts of one controller on one address."""

    def __init__(
        self,
        methods: Mapping[str, Method],
        count: int,
        alarms: AlarmBoard,
        name: str = "a front",
    ) -> None:
        """With a count of 0 the front is in this process, without a socket between.

        The name is how the log and alarms speak of one.
        """
        self._methods = methods
        self._name = name
        self._count = count
        self._alarms = alarms
        self._guard = PortGuard()
        self._children: Children | None = None

    def take(self, address: str) -> str:
        """Keep everybody else off the address; where that is, if any port was asked for.

        AddressError where somebody has it.
        """
        self._guard.take(address)
        return f"{address.rpartition(':')[0]}:{self._guard.port}"

    def release(self) -> None:
        """Let others have the address."""
        self._guard.release()

    async def start(self, address: str, tls: Tls | None) -> str:
        """Listen; where, once all fronts do."""
        where = self.take(address)
        shapes = {name: (each.streams_in, each.streams_out) for name, each in self._methods.items()}
        status = uncounted_status(refuse(Reason.OVERLOADED))
        overloaded = write_ending(
            StatusCode.RESOURCE_EXHAUSTED, status.message, trailers_of(status)
        )
        setup = Setup(where, tls, shapes, overloaded)
        recipe = Recipe(self._name, "jackpot.front", Front, self._methods, setup)
        self._children = Children(recipe, self._count, self._alarms)
        try:
            await self._children.start()
        except ChildError as error:
            self._guard.release()
            raise AddressError(f"{where}: cannot listen there: {error}") from error
        return where

    async def stop(self) -> None:
        """Let every front answer what is under way, and end it."""
        if self._children is not None:
            await self._children.stop()
        self._guard.release()
