"""What an operator is refused: links, payouts, proposals, meters and Bad Beat funds."""

from pathlib import Path
from typing import Any

import grpc

from jackpot.core.reasons import Reason
from jackpot.engine.alarms import AlarmBoard
from jackpot.server.admission import Admission
from jackpot.server.errors import refused
from jackpot.server.fronts import Fronts
from jackpot.server.rpc import service
from jackpot.store.opening import Address
from jackpot.wire.v1 import operator_pb2, operator_pb2_grpc, payout_pb2, table_pb2
from tests.server.house import DOLLAR, FOUR_EIGHTS_LOSE, ROYALS, House, fund_text
from tests.server.scenes.stage import Scenes, adjust

SCENES = Scenes()
scene = SCENES.scene


# -- links ----------------------------------------------------------------------------------------


async def _already_defined(_folder: Path, _: Address) -> None:
    """Links are defined by the site file, not over the wire: a server that only refuses."""

    async def refuse(*_: object) -> Any:
        raise refused(Reason.ALREADY_DEFINED, link="five")

    descriptor = operator_pb2.DESCRIPTOR.services_by_name["OperatorService"]
    rpcs = {method.name: refuse for method in descriptor.methods}
    fronts = Fronts(service(descriptor, rpcs, Admission()), 0, AlarmBoard())
    address = await fronts.start("127.0.0.1:0", None)
    try:
        async with grpc.aio.insecure_channel(address) as channel:
            stub: operator_pb2_grpc.OperatorServiceAsyncStub
            stub = operator_pb2_grpc.OperatorServiceStub(channel)
            await stub.SuspendLink(operator_pb2.SuspendLinkRequest())
    finally:
        await fronts.stop()


SCENES[Reason.ALREADY_DEFINED] = _already_defined


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
    response = await adjust(house, 10_001, who="ann/slots")
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
    await adjust(house, 10_000)


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


@scene(Reason.NOT_A_BAD_BEAT, fund_text())
async def _(house: House) -> None:
    twos: dict[str, Any] = {
        "losing_cards": ["2s", "2h"],
        "winning_cards": ["9s", "9h"],
        "community_cards": ["8d", "Kc", "9d", "3c", "5s"],
    }
    await house.operate(
        "VerifyBadBeat",
        link="fund",
        table="p1",
        loser_seat=1,
        winner_seat=2,
        supervisor="Sam",
        **twos,
    )


@scene(Reason.PENDING_ADJUSTMENT, fund_text())
async def _(house: House) -> None:
    for _ in range(2):
        await house.operate(
            "VerifyBadBeat",
            link="fund",
            table="p1",
            loser_seat=1,
            winner_seat=2,
            other_seats=[3],
            supervisor="Sam",
            **FOUR_EIGHTS_LOSE,
        )


@scene(Reason.DISPLAY_MISMATCH, fund_text())
async def _(house: House) -> None:
    await house.operate("ConfirmDisplay", link="fund", displayed_micros=10_000)


@scene(Reason.SETTING_UNCHANGED)
async def _(house: House) -> None:
    await house.operate("SetDualControl", dual_control=True, reference="memo 1")
