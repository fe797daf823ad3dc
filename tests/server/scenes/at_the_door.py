"""Refused before the round is looked at: no entry, an old number, an unknown name."""

import asyncio
import threading
from pathlib import Path

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from jackpot.core.reasons import Reason
from jackpot.restoring import begin_incarnations
from jackpot.store.journal import Journal
from jackpot.store.opening import Address, journal_opener
from jackpot.wire.v1 import (
    meter_pb2,
    meter_pb2_grpc,
    operator_pb2,
    operator_pb2_grpc,
    pin_pb2,
    pin_pb2_grpc,
    table_pb2,
)
from tests.auth.secured import secured
from tests.engine.pit import eventually
from tests.server.house import BONUS, ROYALS, SITE, House, free_port, open_house, wagers
from tests.server.scenes.stage import Scenes, adjust, placed
from tests.store.tamper import change

SCENES = Scenes()
scene = SCENES.scene


# -- at the door ----------------------------------------------------------------------------------


@scene(Reason.MALFORMED)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("place_wagers", wagers(0))


@scene(Reason.TOO_MANY)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("place_wagers", wagers(*range(1, 33), *range(1, 34)))


@scene(Reason.OVERLOADED)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    house.faults.hold_at = "before-lock"
    call = house.tables.Play()
    for count in (32, 1):
        numbers = range(dealer.number + 1, dealer.number + 1 + count)
        dealer.number += count
        await call.write(
            table_pb2.PlayRequest(
                site=SITE,
                table="t4",
                epoch=dealer.epoch,
                commands=[
                    table_pb2.PlayCommand(number=number, lock_out=table_pb2.LockOut())
                    for number in numbers
                ],
            )
        )
    # Only when the controller has read the last of them may it answer the others.
    streams = house.controller._tables._streams
    await eventually(lambda: any(stream._ending for stream in streams), within_s=30)
    house.faults.hold_at = None
    house.faults.go_on.set()
    answered = 0
    async for response in call:
        answered += len(response.results)
    assert answered == 32


async def _starting(folder: Path, store: Address) -> None:
    """Calls that come while the journal is still being checked."""
    checked = threading.Event()

    def open_slowly() -> Journal:
        checked.wait(10)
        return journal_opener(store)()

    address = f"127.0.0.1:{free_port()}"
    opening = open_house(folder, store, journal_factory=open_slowly, address=address)
    entering = asyncio.create_task(opening.__aenter__())
    try:
        async with grpc.aio.insecure_channel(address) as channel:
            stub: meter_pb2_grpc.MeterServiceAsyncStub
            stub = meter_pb2_grpc.MeterServiceStub(channel)
            health = health_pb2_grpc.HealthStub(channel)
            await channel.channel_ready()
            answer = await health.Check(health_pb2.HealthCheckRequest())
            assert answer.status == health_pb2.HealthCheckResponse.NOT_SERVING
            await stub.ListMeters(meter_pb2.ListMetersRequest(site=SITE))
    finally:
        checked.set()
        await entering
        await opening.__aexit__(None, None, None)


SCENES[Reason.STARTING] = _starting


async def _not_allowed(folder: Path, _: Address) -> None:
    """A sign shows meters and does nothing else."""
    async with secured(folder) as house, house.channel(house.identity("sign")) as channel:
        stub: operator_pb2_grpc.OperatorServiceAsyncStub
        stub = operator_pb2_grpc.OperatorServiceStub(channel)
        await stub.SuspendLink(operator_pb2.SuspendLinkRequest())


SCENES[Reason.NOT_ALLOWED] = _not_allowed


async def _unauthenticated(folder: Path, _: Address) -> None:
    """A revoked certificate is nobody's."""
    async with secured(folder) as house:
        identity = house.identity("sign")
        house.revoke(identity)
        async with asyncio.timeout(30), house.channel(identity) as channel:
            stub: meter_pb2_grpc.MeterServiceAsyncStub = meter_pb2_grpc.MeterServiceStub(channel)
            while True:  # the list is read anew every second
                await stub.ListSites(meter_pb2.ListSitesRequest())
                await asyncio.sleep(0.1)


SCENES[Reason.UNAUTHENTICATED] = _unauthenticated


@scene(Reason.DRAINING)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await house.engine.drain()
    await dealer.do("open_round")


@scene(Reason.STORE_UNAVAILABLE)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    house.faults.raise_at = "before-commit"
    await dealer.do("open_round")


@scene(Reason.SITE_HALTED)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    change(house.store, "UPDATE streams SET hash = zeroblob(32)")
    await dealer.do("open_round")


# -- who and which --------------------------------------------------------------------------------


@scene(Reason.UNKNOWN_SITE)
async def _(house: House) -> None:
    await house.meters.ListMeters(meter_pb2.ListMetersRequest(site="elsewhere"))


@scene(Reason.UNKNOWN_TABLE)
async def _(house: House) -> None:
    await house.dealer("t99")


@scene(Reason.OTHER_INCARNATION)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await asyncio.to_thread(begin_incarnations, house.store, reason="test", by="ann")
    await dealer.do("open_round")


@scene(Reason.OUT_OF_RANGE)
async def _(house: House) -> None:
    request = meter_pb2.WatchMetersRequest(site=SITE, after_sequence=1_000_000)
    async for _ in house.meters.WatchMeters(request):
        pass


@scene(Reason.NOT_ATTACHED)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    dealer.epoch += 1
    await dealer.do("open_round")


@scene(Reason.FENCED)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await house.dealer("t4")
    await dealer.do("open_round")


@scene(Reason.REQUEST_REUSED)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    await dealer.do("lock_out", number=1)


@scene(Reason.REQUEST_TOO_OLD)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    for _ in range(32):
        await dealer.do("place_wagers", wagers(1))
        await dealer.do("withdraw_wagers", placed(1))
    assert (await dealer.do("place_wagers", wagers(1), number=2)).sequence  # still at hand
    await dealer.do("open_round", number=1)


@scene(Reason.NUMBER_GAP)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("open_round", number=2)


# -- what it names --------------------------------------------------------------------------------


@scene(Reason.UNKNOWN_LINK)
async def _(house: House) -> None:
    await house.operate("SuspendLink", link="nowhere")


@scene(Reason.UNKNOWN_LEVEL)
async def _(house: House) -> None:
    await adjust(house, 1, level="mega")


@scene(Reason.UNKNOWN_PAYOUT)
async def _(house: House) -> None:
    await house.operate("PayPayout", payout=1)


@scene(Reason.UNKNOWN_BET)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    await dealer.do("place_wagers", wagers(1, bet=BONUS))


@scene(Reason.UNKNOWN_SEAT)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    await dealer.do("place_wagers", wagers(7))


@scene(Reason.FLOORPERSON_REQUIRED)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    (payout,) = await dealer.settled({1: ROYALS["s"]}, 1)
    await house.operate("ValidatePayout", payout=payout.id)


@scene(Reason.NO_PINS)
async def _(house: House) -> None:
    stub: pin_pb2_grpc.PinServiceAsyncStub = pin_pb2_grpc.PinServiceStub(house.channel)
    await stub.SetPin(pin_pb2.SetPinRequest(site=SITE, pin="493817"))
