"""Every reason for a refusal, as a caller sees it over gRPC."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.rpc import code_pb2, error_details_pb2
from grpc.aio import AioRpcError
from grpc_health.v1 import health_pb2, health_pb2_grpc

from jackpot.core.reasons import MEANINGS, Reason
from jackpot.request_id import make_request_id, new_request_id
from jackpot.server.caller import Door
from jackpot.server.errors import refused
from jackpot.server.rpc import service
from jackpot.store.journal import Journal
from jackpot.store.opening import Address, journal_opener
from jackpot.v1 import (
    meter_pb2,
    meter_pb2_grpc,
    operator_pb2,
    operator_pb2_grpc,
    payout_pb2,
    reason_pb2,
    table_pb2,
)
from tests.auth.secured import secured
from tests.server.house import (
    BONUS,
    DOLLAR,
    FIVE,
    NOTHING,
    ROYALS,
    SITE,
    House,
    free_port,
    fund_text,
    hands,
    info_of,
    open_house,
    status_of,
    wager,
    wagers,
)
from tests.store.tamper import change

SCENARIOS: dict[Reason, Callable[[Path, Address], Awaitable[Any]]] = {}
Scene = Callable[[House], Awaitable[Any]]


def scene(reason: Reason, more: str = "") -> Callable[[Scene], Scene]:
    """A scene in the usual house, or one with more in it, whose last call is refused."""

    def register(play: Scene) -> Scene:
        async def run(folder: Path, store: Address) -> Any:
            async with open_house(folder, store, more=more) as house:
                return await play(house)

        SCENARIOS[reason] = run
        return play

    return register


@pytest.mark.parametrize("reason", Reason)
async def test_a_refusal_tells_its_reason(reason: Reason, tmp_path: Path, store: Address) -> None:
    """The caller gets the code, the reason, the domain, and a retry delay where one helps."""
    with pytest.raises(AioRpcError) as caught:
        await SCENARIOS[reason](tmp_path, store)
    status, meaning = status_of(caught.value), MEANINGS[reason]
    info = info_of(status)
    assert (info.reason, info.domain) == (reason.value, "jackpot")
    assert caught.value.code() == grpc.StatusCode[meaning.code]
    assert code_pb2.Code.Name(status.code) == meaning.code
    assert caught.value.details() == status.message == meaning.sentence
    retry = error_details_pb2.RetryInfo()
    assert any(detail.Unpack(retry) for detail in status.details) == (meaning.retry == "same")


def test_every_reason_is_on_the_wire() -> None:
    """The proto's enum lists every reason of the core, in the same order."""
    names = [name.removeprefix("REASON_") for name in reason_pb2.Reason.DESCRIPTOR.values_by_name]
    assert names == ["UNSPECIFIED", *(reason.value for reason in Reason)]


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


SCENARIOS[Reason.STARTING] = _starting


async def _not_allowed(folder: Path, _: Address) -> None:
    """A sign shows meters and does nothing else."""
    async with secured(folder) as house, house.channel(house.identity("sign")) as channel:
        stub: operator_pb2_grpc.OperatorServiceAsyncStub
        stub = operator_pb2_grpc.OperatorServiceStub(channel)
        await stub.SuspendLink(operator_pb2.SuspendLinkRequest())


SCENARIOS[Reason.NOT_ALLOWED] = _not_allowed


async def _unauthenticated(folder: Path, _: Address) -> None:
    """A revoked certificate is nobody's."""
    async with secured(folder) as house:
        identity = house.identity("sign")
        house.revoke(identity)
        await asyncio.sleep(1.5)
        async with house.channel(identity) as channel:
            stub: meter_pb2_grpc.MeterServiceAsyncStub = meter_pb2_grpc.MeterServiceStub(channel)
            await stub.ListSites(meter_pb2.ListSitesRequest())


SCENARIOS[Reason.UNAUTHENTICATED] = _unauthenticated


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
        await dealer.do("withdraw_wagers", _placed(1))
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
    await _adjust(house, 1, level="mega")


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
    await dealer.do("open_round")
    await dealer.do("void_round", table_pb2.VoidRound(irregularity="misdeal"))


# -- the state of the round -----------------------------------------------------------------------


@scene(Reason.DOCUMENTATION_OPEN)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.settled({1: ROYALS["s"]}, 1)
    await dealer.do("open_round")


@scene(Reason.ROUND_OPEN)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    await dealer.do("open_round")


@scene(Reason.NO_ROUND)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("lock_out")


@scene(Reason.LOCKED_OUT)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.locked(1)
    await dealer.do("place_wagers", wagers(2))


@scene(Reason.NOT_LOCKED_OUT)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    await dealer.do("confirm_collection", table_pb2.ConfirmCollection())


@scene(Reason.ALREADY_COLLECTED)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.collected(1)
    await dealer.do("confirm_collection", table_pb2.ConfirmCollection(chips={FIVE: 1}))


@scene(Reason.NOT_COLLECTED)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.locked(1)
    await dealer.do("settle", hands({}, 1))


@scene(Reason.ALREADY_SETTLED)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.settled({}, 1)
    await dealer.do("settle", hands({}, 1))


@scene(Reason.VOID_TOO_LATE)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    (payout,) = await dealer.settled({1: ROYALS["s"]}, 1)
    await house.operate("ValidatePayout", payout=payout.id, floorperson="Ann")
    await dealer.do("void_round", table_pb2.VoidRound(irregularity="misdeal", floorperson="Ann"))


# -- what the command wants -----------------------------------------------------------------------


@scene(Reason.LINK_NOT_IN_SERVICE)
async def _(house: House) -> None:
    dealer = await house.dealer("t3")
    await dealer.do("open_round")
    await dealer.do("place_wagers", wagers(1))


@scene(Reason.WRONG_DENOMINATION)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    await dealer.do("place_wagers", wagers(1, dollars=5))


@scene(Reason.DUPLICATE_WAGER)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    await dealer.do("place_wagers", wagers(1, 1))


@scene(Reason.TOO_MANY_BOXES)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    both = [wager(1, player="Ann"), wager(2, player="Ann")]
    await dealer.do("place_wagers", table_pb2.PlaceWagers(wagers=both))


@scene(Reason.NO_SUCH_WAGER)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    await dealer.do("withdraw_wagers", _placed(1))


@scene(Reason.COLLECTION_MISMATCH)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.locked(1, 2)
    await dealer.do("confirm_collection", table_pb2.ConfirmCollection(chips={FIVE: 1}))


@scene(Reason.SEAT_NOT_IN_ROUND)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.collected(1)
    await dealer.do("settle", hands({}, 1, 1))


@scene(Reason.HAND_MISSING)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.collected(1, 2)
    await dealer.do("settle", hands({}, 1))


@scene(Reason.WRONG_CARD_COUNT)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.collected(1)
    await dealer.do("settle", hands({1: NOTHING[1][:4]}, 1))


@scene(Reason.NO_SUCH_DECK)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("remove_deck", table_pb2.RemoveDeck(back="red"))


@scene(Reason.DUPLICATE_CARD)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.collected(1, 2)
    await dealer.do("settle", hands({1: NOTHING[2]}, 1, 2))


# -- links ----------------------------------------------------------------------------------------


async def _already_defined(_folder: Path, _: Address) -> None:
    """Links are defined by the site file, not over the wire: a server that only refuses."""

    async def refuse(*_: object) -> Any:
        raise refused(Reason.ALREADY_DEFINED, link="five")

    descriptor = operator_pb2.DESCRIPTOR.services_by_name["OperatorService"]
    server = grpc.aio.server()
    rpcs = {method.name: refuse for method in descriptor.methods}
    server.add_generic_rpc_handlers((service(descriptor, rpcs, Door()),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            stub: operator_pb2_grpc.OperatorServiceAsyncStub
            stub = operator_pb2_grpc.OperatorServiceStub(channel)
            await stub.SuspendLink(operator_pb2.SuspendLinkRequest())
    finally:
        await server.stop(None)


SCENARIOS[Reason.ALREADY_DEFINED] = _already_defined


@scene(Reason.WRONG_LINK_STATE)
async def _(house: House) -> None:
    await house.operate("ResumeLink", link="five")


@scene(Reason.LINK_NOT_EMPTY)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.settled({}, 1)
    await house.operate("SuspendLink", link="five")
    await house.operate("RetireLink", link="five")


# -- payouts --------------------------------------------------------------------------------------


async def _two_royals(house: House) -> list[int]:
    dealer = await house.dealer("t4")
    payouts = await dealer.settled({1: ROYALS["s"], 2: ROYALS["h"]}, 1, 2)
    return [p.id for p in payouts if p.kind == payout_pb2.PAYOUT_KIND_SHARE]


@scene(Reason.PAYOUT_CLOSED)
async def _(house: House) -> None:
    payout, _ = await _two_royals(house)
    await house.operate("ValidatePayout", payout=payout, floorperson="Ann")
    await house.operate("PayPayout", payout=payout, form="W2G-1")
    await house.operate("PayPayout", payout=payout, form="W2G-1")


@scene(Reason.ALREADY_VALIDATED)
async def _(house: House) -> None:
    payout, _ = await _two_royals(house)
    await house.operate("ValidatePayout", payout=payout, floorperson="Ann")
    await house.operate("ValidatePayout", payout=payout, floorperson="Ann")


@scene(Reason.OUT_OF_ORDER)
async def _(house: House) -> None:
    _, payout = await _two_royals(house)
    await house.operate("ValidatePayout", payout=payout, floorperson="Ann")


@scene(Reason.NOT_VALIDATED)
async def _(house: House) -> None:
    payout, _ = await _two_royals(house)
    await house.operate("PayPayout", payout=payout, form="W2G-1")


@scene(Reason.WRONG_SOURCE)
async def _(house: House) -> None:
    payout, _ = await _two_royals(house)
    source = payout_pb2.PAYOUT_SOURCE_INVENTORY
    await house.operate("ValidatePayout", payout=payout, floorperson="Ann", source=source)


@scene(Reason.FORM_REQUIRED)
async def _(house: House) -> None:
    payout, _ = await _two_royals(house)
    await house.operate("ValidatePayout", payout=payout, floorperson="Ann")
    await house.operate("PayPayout", payout=payout)


# -- proposals ------------------------------------------------------------------------------------


async def _propose(house: House) -> int:
    """Ann of slots proposes to set the meter."""
    response = await _adjust(house, 10_001, who="ann/slots")
    return int(response.proposed.id)


@scene(Reason.UNKNOWN_PROPOSAL)
async def _(house: House) -> None:
    await house.operate("ApproveProposal", proposal=await _propose(house) + 1)


@scene(Reason.PROPOSAL_CLOSED)
async def _(house: House) -> None:
    proposal = await _propose(house)
    await house.operate("DeclineProposal", proposal=proposal)
    await house.operate("DeclineProposal", proposal=proposal)


@scene(Reason.PROPOSAL_EXPIRED)
async def _(house: House) -> None:
    proposal = await _propose(house)
    house.clock.ahead_s = 24 * 60 * 60
    await house.operate("ApproveProposal", proposal=proposal, who="bob/accounting")


@scene(Reason.SECOND_PERSON_REQUIRED)
async def _(house: House) -> None:
    await house.operate("ApproveProposal", proposal=await _propose(house), who="ann/accounting")


@scene(Reason.OTHER_DEPARTMENT_REQUIRED)
async def _(house: House) -> None:
    await house.operate("ApproveProposal", proposal=await _propose(house), who="bob/slots")


@scene(Reason.PROPOSAL_OVERTAKEN)
async def _(house: House) -> None:
    proposal = await _propose(house)
    await (await house.dealer("t4")).settled({1: ROYALS["s"]}, 1)
    await house.operate("ApproveProposal", proposal=proposal, who="bob/accounting")


# -- meters ---------------------------------------------------------------------------------------


async def _rate(house: House, link: str, primary_bps: int, reserve_bps: int = 0) -> None:
    await house.operate("SuspendLink", link=link)
    await house.operate(
        "SetRate",
        link=link,
        level="main",
        primary_bps=primary_bps,
        reserve_bps=reserve_bps,
        reference="memo 1",
    )


@scene(Reason.FIXED_BY_REGULATION)
async def _(house: House) -> None:
    await _rate(house, "five", 2_101)


@scene(Reason.BELOW_MINIMUM, fund_text())
async def _(house: House) -> None:
    await _rate(house, "stud", 6_999)


@scene(Reason.ABOVE_MAXIMUM, fund_text())
async def _(house: House) -> None:
    await _rate(house, "stud", 9_000, 1_001)


@scene(Reason.METER_UNCHANGED)
async def _(house: House) -> None:
    await _adjust(house, 10_000)


@scene(Reason.INSUFFICIENT_FUNDS)
async def _(house: House) -> None:
    await house.operate(
        "TransferFunds",
        link="five",
        level="main",
        pool=operator_pb2.POOL_OVERFLOW,
        to_link="mega",
        to_level="mega",
        amount_micros=1,
        reference="memo 1",
    )


# -- Bad Beat -------------------------------------------------------------------------------------


@scene(Reason.NOT_A_FUND)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("contribute_pot", table_pb2.ContributePot(pot_micros=100 * DOLLAR))


@scene(Reason.PENDING_ADJUSTMENT, fund_text())
async def _(house: House) -> None:
    for _ in range(2):
        await house.operate(
            "VerifyBadBeat",
            link="fund",
            table="p1",
            hand="four eights",
            loser_seat=1,
            winner_seat=2,
            other_seats=[3],
            supervisor="Sam",
        )


@scene(Reason.DISPLAY_MISMATCH, fund_text())
async def _(house: House) -> None:
    await house.operate("ConfirmDisplay", link="fund", displayed_micros=1, floorperson="Ann")


async def _adjust(house: House, dollars: int, level: str = "main", who: str = "") -> Any:
    return await house.operate(
        "AdjustMeter",
        who=who,
        link="five",
        level=level,
        to_micros=dollars * DOLLAR,
        reason=operator_pb2.METER_REASON_MALFUNCTION,
        reference="memo 1",
    )


def _placed(seat: int) -> table_pb2.WithdrawWagers:
    return table_pb2.WithdrawWagers(wagers=[table_pb2.PlacedWager(seat=seat, bet=FIVE)])


# -- and what comes with them ---------------------------------------------------------------------


async def test_a_journaled_refusal_says_where(house: House) -> None:
    """A refusal that was journaled names its sequence, and comes again the same way."""
    dealer = await house.dealer("t4")
    found = []
    for number in (None, 1):
        with pytest.raises(AioRpcError) as caught:
            await dealer.do("lock_out", number=number)
        found.append(dict(info_of(status_of(caught.value)).metadata))
    assert found[0] == found[1] == {"table": "t4", "sequence": str(await house.sequence())}


async def test_a_mismatch_names_both_counts(house: House) -> None:
    """COLLECTION_MISMATCH has what was accepted and what was counted."""
    dealer = await house.dealer("t4")
    await dealer.locked(1, 2)
    with pytest.raises(AioRpcError) as caught:
        await dealer.do("confirm_collection", table_pb2.ConfirmCollection(chips={FIVE: 3}))
    metadata = info_of(status_of(caught.value)).metadata
    assert (metadata["accepted"], metadata["counted"], metadata["bet"]) == ("2", "3", FIVE)


async def test_an_operators_id_from_the_future_is_refused(house: House) -> None:
    """A clock far ahead must not make all other ids look old."""
    future = make_request_id(int(new_request_id()[:8], 16) << 17, 1)
    with pytest.raises(AioRpcError) as caught:
        await house.operate("SuspendLink", request_id=future, link="five")
    assert info_of(status_of(caught.value)).reason == Reason.MALFORMED
