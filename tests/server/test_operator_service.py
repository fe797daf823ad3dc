"""What staff do over gRPC: links, payouts, meters, tables."""

import pytest
from grpc.aio import AioRpcError

from jackpot.core.reasons import Reason
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import meter_pb2, operator_pb2, payout_pb2, table_pb2
from tests.server.house import (
    DOLLAR,
    FIVE,
    ROYALS,
    SITE,
    House,
    info_of,
    status_of,
    wagers,
)

RETIRED = meter_pb2.LINK_STATUS_RETIRED


async def test_a_links_life(house: House) -> None:
    """Put in service with its seed from the house, suspended, resumed, retired with it back."""
    await house.operate("PutLinkInService", link="spare")
    spare = (await house.balances())["spare"]
    assert (spare.levels[0].meter_micros, spare.house_micros) == (
        10_000 * DOLLAR,
        -10_000 * DOLLAR,
    )
    await house.operate("SuspendLink", link="spare")
    dealer = await house.dealer("t3")
    await dealer.do("open_round")
    with pytest.raises(AioRpcError) as caught:
        await dealer.do("place_wagers", wagers(1))
    assert info_of(status_of(caught.value)).reason == Reason.LINK_NOT_IN_SERVICE
    await house.operate("ResumeLink", link="spare")
    await dealer.do("place_wagers", wagers(1))
    void = table_pb2.VoidRound(irregularity="MISDEALT")
    assert (await dealer.do("void_round", void)).returned_micros == DOLLAR
    await house.operate("SuspendLink", link="spare")
    await house.operate("RetireLink", link="spare")
    spare = (await house.balances())["spare"]
    assert (spare.status, spare.levels[0].meter_micros, spare.house_micros) == (RETIRED, 0, 0)


async def test_a_request_id_makes_it_happen_once(house: House) -> None:
    """Sent again it has the first answer; with other content it is refused."""
    request_id = new_request_id()
    first = await house.operate("SuspendLink", request_id, link="five")
    await house.operate("ResumeLink", link="five")
    assert await house.operate("SuspendLink", request_id, link="five") == first
    assert (await house.balances())["five"].status == meter_pb2.LINK_STATUS_IN_SERVICE
    with pytest.raises(AioRpcError) as caught:
        await house.operate("SuspendLink", request_id, link="mega")
    assert info_of(status_of(caught.value)).reason == Reason.REQUEST_REUSED


async def test_attaching_twice_with_one_id_is_one_epoch(house: House) -> None:
    """A table that did not hear the answer asks again and is not fenced by itself."""
    request = table_pb2.AttachRequest(site=SITE, table="t4", request_id=new_request_id())
    first = await house.tables.Attach(request)
    again = await house.tables.Attach(request)
    again.server_time.CopyFrom(first.server_time)  # what is told of now is told as of now
    assert again == first
    assert (await house.dealer("t4")).epoch == first.epoch + 1


@pytest.mark.rule("PA 657a.12(e)(4)")
async def test_payouts_are_validated_and_paid(house: House) -> None:
    """Listed while open, paid by the cage with a form, and then the table goes on."""
    dealer = await house.dealer("t4")
    await dealer.settled({6: ROYALS["s"], 2: ROYALS["h"]}, 2, 6)
    request = operator_pb2.ListPayoutsRequest(site=SITE, table="t4")
    payouts = list((await house.operators.ListPayouts(request)).payouts)
    shares = [p for p in payouts if p.kind == payout_pb2.PAYOUT_KIND_SHARE]
    assert [(p.seat, p.level, p.hand, list(p.cards)) for p in shares] == [
        (6, "main", "royal-flush", ROYALS["s"]),
        (2, "main", "royal-flush", ROYALS["h"]),
    ]
    for payout in payouts:
        await house.operate("ValidatePayout", payout=payout.id, floorperson="Ann")
    pending = (await house.balances())["five"].pending_micros
    assert pending == sum(p.amount_micros for p in payouts)
    with pytest.raises(AioRpcError) as denied:
        await house.operate("PayPayout", who="flo/floor", payout=shares[0].id, form="F-1")
    assert denied.value.code().name == "PERMISSION_DENIED"
    for payout in payouts:
        paid = await house.operate("PayPayout", payout=payout.id, form=f"F-{payout.id}")
        assert (paid.amount_micros, paid.source) == (payout.amount_micros, payout.source)
    assert not (await house.operators.ListPayouts(request)).payouts
    assert (await house.balances())["five"].pending_micros == 0
    assert (await dealer.do("open_round")).round == 2


async def test_a_rejected_payout_changes_the_next(house: House) -> None:
    """The first royal was misread: the second wins the meter that it had taken."""
    dealer = await house.dealer("t4")
    payouts = await dealer.settled({6: ROYALS["s"], 2: ROYALS["h"]}, 2, 6)
    first, second = [p for p in payouts if p.kind == payout_pb2.PAYOUT_KIND_SHARE]
    rejected = await house.operate(
        "RejectPayout",
        payout=first.id,
        reason=operator_pb2.REJECT_REASON_HAND_MISREAD,
        floorperson="Ann",
    )
    changes = {change.payout: change for change in rejected.changes}
    assert changes[first.id].closed
    assert changes[second.id].amount_micros == first.amount_micros


@pytest.mark.rule("PA 657a.11(e)(3)")
async def test_a_rejection_decides_an_open_jackpot_again_behind_a_validated_award(
    house: House,
) -> None:
    """The meter is 20,000.63; without seat 6's tenth seat 2 wins 18,200.58.

    Seat 6 had no valid wager, so its envy bonuses for the others' hands fall, too.
    """
    asked = await house.operate(
        "AdjustMeter",
        who="ann/slots",
        link="five",
        level="main",
        to_micros=20_000 * DOLLAR,
        reason=operator_pb2.METER_REASON_MALFUNCTION,
        reference="memo 1",
    )
    await house.operate("ApproveProposal", who="bob/accounting", proposal=asked.proposed.id)
    dealer = await house.dealer("t4")
    straights = {6: [rank + "c" for rank in "76543"], 4: [rank + "d" for rank in "T9876"]}
    payouts = await dealer.settled({**straights, 2: ROYALS["s"]}, 2, 4, 6)
    six, four, two = [p for p in payouts if p.kind == payout_pb2.PAYOUT_KIND_SHARE]
    won = [payout.amount_micros for payout in (six, four, two)]
    assert won == [2_000_060_000, 1_800_050_000, 16_200_520_000]
    for payout in (six, four):
        await house.operate("ValidatePayout", payout=payout.id, floorperson="Ann")
    rejected = await house.operate(
        "RejectPayout",
        payout=six.id,
        reason=operator_pb2.REJECT_REASON_WAGER_INVALID,
        floorperson="Ann",
    )
    changes = {change.payout: change for change in rejected.changes}
    envy = {p.id for p in payouts if p.kind == payout_pb2.PAYOUT_KIND_ENVY and p.seat == 6}
    assert len(envy) == 2
    assert changes.keys() == {six.id, two.id, *envy}
    assert all(changes[bonus].closed for bonus in envy)
    assert changes[two.id].amount_micros == 18_200_580_000
    (level,) = (await house.balances())["five"].levels
    assert (level.meter_micros, level.overflow_micros) == (10_000 * DOLLAR, 0)


async def test_tables_are_listed_with_their_rounds(house: House) -> None:
    """State, round and last heartbeat of every table."""
    dealer = await house.dealer("t4")
    await dealer.locked(2, 3)
    response = await house.operators.ListTables(operator_pb2.ListTablesRequest(site=SITE))
    tables = {table.id: table for table in response.tables}
    assert list(tables) == ["t1", "t2", "t3", "t4"]
    assert (tables["t1"].epoch, tables["t1"].HasField("heartbeat_time")) == (0, False)
    assert not tables["t1"].HasField("round")
    four = tables["t4"]
    assert (four.game, list(four.links), four.seats) == ("crazy-4-poker", ["five"], 6)
    assert (four.round.number, four.round.phase) == (1, table_pb2.ROUND_PHASE_LOCKED)
    assert [(w.seat, w.bet, w.amount_micros) for w in four.round.wagers] == [
        (2, FIVE, DOLLAR),
        (3, FIVE, DOLLAR),
    ]
    before = four.heartbeat_time.ToMicroseconds()
    beat = table_pb2.HeartbeatRequest(site=SITE, table="t4", epoch=dealer.epoch)
    assert (await house.tables.Heartbeat(beat)).last_number == dealer.number
    request = operator_pb2.GetTableRequest(site=SITE, table="t4")
    assert (await house.operators.GetTable(request)).table.heartbeat_time.ToMicroseconds() > before


async def test_a_seat_is_voided(house: House) -> None:
    """Its wager comes back and its increment leaves the meter; the others' stay."""
    dealer = await house.dealer("t4")
    await dealer.collected(1, 2)
    voided = await house.operate(
        "VoidTableSeat", table="t4", round=1, seat=2, irregularity="HAND_FOULED"
    )
    assert (voided.round, voided.returned_micros) == (1, DOLLAR)
    assert (await house.meter("five"))["main"] == 10_000 * DOLLAR + 210_000
