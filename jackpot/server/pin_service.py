"""PinService: people set their own PINs."""

from typing import Any

from jackpot.audit_log import record_login
from jackpot.auth.callers import Actor
from jackpot.auth.pin_file import Pin, PinError
from jackpot.auth.pins import Pins
from jackpot.auth.roles import PIN_CLEARERS, ROLES
from jackpot.core.reasons import Reason
from jackpot.server.codec.fields import malformed, text, timestamp
from jackpot.server.errors import refused
from jackpot.server.rpc import Rpc
from jackpot.wire.v1 import pin_pb2 as pb

_MICROS_PER_S = 1_000_000


class PinService:
    """What holders of PINs call."""

    def __init__(self, pins: Pins | None) -> None:
        """None: PINs are not kept here."""
        self._pins = pins

    def rpcs(self) -> dict[str, Rpc]:
        """The service by the names of its RPCs."""
        return {"SetPin": self._set, "ClearPin": self._clear, "ListPins": self._list}

    def _kept(self) -> Pins:
        if self._pins is None:
            raise refused(Reason.NO_PINS)
        return self._pins

    async def _set(self, message: pb.SetPinRequest, actor: Actor) -> Any:
        pins = self._kept()
        try:
            made = await pins.set(actor, message.pin)
        except PinError as error:
            raise malformed("pin", str(error)) from None  # what was typed is not said again
        record_login("PIN set", "", actor.principal)
        return pb.SetPinResponse(holder=_holder(made, ended=False))

    async def _clear(self, message: pb.ClearPinRequest, actor: Actor) -> Any:
        pins = self._kept()
        whose = text(message.principal or actor.principal, "principal")
        if whose != actor.principal and actor.role not in PIN_CLEARERS:
            needs = ", ".join(role for role in ROLES if role in PIN_CLEARERS)
            raise refused(
                Reason.NOT_ALLOWED,
                rpc="PinService/ClearPin",
                principal=actor.principal,
                role=actor.role or "",
                site=actor.site,
                needs_role=needs,
            )
        try:
            cleared = await pins.clear(actor.site, whose)
        except PinError as error:
            raise malformed("principal", str(error)) from None
        if cleared:
            record_login(f"PIN of {whose} cleared", "", actor.principal)
        return pb.ClearPinResponse(cleared=cleared)

    async def _list(self, _message: pb.ListPinsRequest, actor: Actor) -> Any:
        holders = (_holder(pin, ended=ended) for pin, ended in self._kept().holders(actor.site))
        return pb.ListPinsResponse(holders=holders)


def _holder(pin: Pin, *, ended: bool) -> pb.PinHolder:
    since = int(pin.since_s * _MICROS_PER_S)
    return pb.PinHolder(principal=pin.principal, set_time=timestamp(since), ended=ended)
