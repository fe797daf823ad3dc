"""Calls for the floor over real gRPC: asked by a table, answered by a known floorperson."""

import asyncio
import datetime as dt
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc.aio import AioRpcError

from jackpot.rules.site import load_site
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import alarm_pb2, operator_pb2, operator_pb2_grpc, table_pb2, table_pb2_grpc
from tests.auth.secured import secured
from tests.server.house import (
    FIVE,
    ROYALS,
    SITE,
    Dealer,
    House,
    hands,
    info_of,
    serving,
    site_text,
    status_of,
    wagers,
    write_site,
)
from tests.server.test_voids import all_of, refused, voids

ROUND, SEAT, WAGER = (
    table_pb2.FLOOR_ACT_VOID_ROUND,
    table_pb2.FLOOR_ACT_VOID_SEAT,
    table_pb2.FLOOR_ACT_REMOVE_WAGER,
)
VOID = table_pb2.CallFloor(act=table_pb2.FLOOR_ACT_VOID_ROUND, round=1, irregularity="MISDEALT")


async def calls(house: House) -> list[table_pb2.FloorCall]:
    """The open calls."""
    request = operator_pb2.ListFloorCallsRequest(site=SITE)
    return list((await house.operators.ListFloorCalls(request)).calls)


async def with_a_royal(house: House) -> Dealer:
    """A table at which a royal flush is pending."""
    dealer = await house.dealer("t4")
    await dealer.settled({1: ROYALS["s"]}, 1, 2)
    return dealer


async def test_a_royal_goes_only_by_a_floorpersons_approval(house: House) -> None:
    """The call changes nothing; the approval does it all, and names call and person."""
    dealer = await with_a_royal(house)
    before = await all_of(house)
    called = await dealer.do("call_floor", VOID)
    assert await all_of(house) == before
    (call,) = await calls(house)
    assert (call.id, call.table, call.round, call.irregularity) == (1, "t4", 1, "MISDEALT")
    assert (call.id, call.expires_time) == (called.call, called.expires_time)
    done = await house.operate("ApproveFloorCall", who="flo", call=called.call)
    assert (done.table, done.round, done.returned_micros) == ("t4", 1, 2_000_000)
    assert [change.closed for change in done.changes] == [True, True]  # and the envy bonus
    assert not await calls(house)
    assert not (await all_of(house))[1]
    (event,) = voids(house.store)
    assert (event.floorperson, event.call, event.late_voids) == ("flo", 1, 1)


async def test_the_second_answer_is_told_who_was_first_and_when(house: House) -> None:
    """Also where the first was a decline; and the table may take its call back."""
    dealer = await with_a_royal(house)
    call = (await dealer.do("call_floor", VOID)).call
    await house.operate("DeclineFloorCall", who="flo", call=call)
    info = await refused(house.operate("ApproveFloorCall", who="eve", call=call))
    assert info.reason == "CALL_CLOSED"
    assert (info.metadata["by"], info.metadata["outcome"]) == ("flo", "declined")
    closed = dt.datetime.fromisoformat(info.metadata["closed_time"])
    assert dt.datetime.now(dt.UTC) - closed < dt.timedelta(minutes=5)
    call = (await dealer.do("call_floor", VOID)).call
    await dealer.do("withdraw_call", table_pb2.WithdrawCall(call=call))
    info = await refused(house.operate("ApproveFloorCall", who="eve", call=call))
    assert (info.reason, info.metadata["outcome"]) == ("CALL_CLOSED", "withdrawn")
    assert (await all_of(house))[1]


async def test_of_two_controllers_answers_one_counts(house: House, tmp_path: Path) -> None:
    """Flo approves at one while Eve declines at the other; who is second is told so."""
    dealer = await house.dealer("t4")
    site = load_site(write_site(tmp_path, site_text()))
    async with serving(house.store, site) as second:
        for round_ in (1, 2, 3, 4):
            await dealer.collected(1)
            about = table_pb2.CallFloor(act=ROUND, round=round_, irregularity="MISDEALT")
            call = (await dealer.do("call_floor", about)).call
            answers = await asyncio.gather(
                house.operate("ApproveFloorCall", who="flo", call=call),
                second.operate("ApproveFloorCall", who="eve", call=call),
                return_exceptions=True,
            )
            (late,) = [each for each in answers if isinstance(each, AioRpcError)]
            info = info_of(status_of(late))
            assert (info.reason, info.metadata["outcome"]) == ("CALL_CLOSED", "approved")
            first = voids(house.store)[-1].floorperson
            assert info.metadata["by"] == first == ("eve" if late is answers[0] else "flo")
    assert [each.call for each in voids(house.store)] == [1, 2, 3, 4]


async def test_an_approval_that_is_sent_again_happens_once(house: House) -> None:
    """By its request id, as every operator's command."""
    dealer = await with_a_royal(house)
    call = (await dealer.do("call_floor", VOID)).call
    request_id = new_request_id()
    first = await house.operate("ApproveFloorCall", request_id, call=call)
    assert await house.operate("ApproveFloorCall", request_id, call=call) == first


async def test_a_call_survives_a_new_attachment_and_attach_shows_it(house: House) -> None:
    """It belongs to the table's round, not to whoever speaks for the table."""
    dealer = await with_a_royal(house)
    call = (await dealer.do("call_floor", VOID)).call
    request = table_pb2.AttachRequest(site=SITE, table="t4", request_id=new_request_id())
    shown = (await house.tables.Attach(request)).call
    assert (shown.id, shown.act) == (call, table_pb2.FLOOR_ACT_VOID_ROUND)
    await house.operate("ApproveFloorCall", call=call)


async def test_a_tables_command_is_answered_again_as_before(house: House) -> None:
    """A call has a number like every command; a repeat opens no second call."""
    dealer = await with_a_royal(house)
    first = await dealer.do("call_floor", VOID)
    assert await dealer.do("call_floor", VOID, dealer.number) == first
    info = await refused(dealer.do("call_floor", VOID))
    assert (info.reason, info.metadata["call"]) == ("CALL_OPEN", "1")


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (table_pb2.CallFloor(round=1, irregularity="MISDEALT"), "act"),
        (table_pb2.CallFloor(act=ROUND, irregularity="MISDEALT"), "round"),
        (table_pb2.CallFloor(act=ROUND, round=1), "irregularity"),
        (table_pb2.CallFloor(act=ROUND, round=1, seat=1, irregularity="MISDEALT"), "seat"),
        (table_pb2.CallFloor(act=SEAT, round=1, irregularity="MISDEALT"), "seat"),
        (table_pb2.CallFloor(act=SEAT, round=1, seat=1, bet=FIVE, irregularity="MISDEALT"), "bet"),
        (table_pb2.CallFloor(act=WAGER, round=1, seat=1), "bet"),
        (
            table_pb2.CallFloor(act=WAGER, round=1, seat=1, bet=FIVE, irregularity="x"),
            "irregularity",
        ),
    ],
)
async def test_a_call_says_what_it_needs_and_nothing_else(
    house: House, call: table_pb2.CallFloor, field: str
) -> None:
    """Or it is malformed, and uses its number."""
    dealer = await house.dealer("t4")
    info = await refused(dealer.do("call_floor", call))
    assert (info.reason, info.metadata["field"]) == ("MALFORMED", field)
    await dealer.do("open_round")


async def test_only_listed_words_and_never_a_seat_for_what_voids_all(house: House) -> None:
    """The game's rule has the list, and the journal has it with the table."""
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    await dealer.do("place_wagers", wagers(1, 2))
    info = await refused(dealer.do("void_round", table_pb2.VoidRound(irregularity="anything")))
    assert info.reason == "UNKNOWN_IRREGULARITY"
    seat = table_pb2.CallFloor(act=SEAT, round=1, seat=1, irregularity="PLAYER_WRONG_NUMBER")
    assert (await refused(dealer.do("call_floor", seat))).reason == "VOIDS_ALL_HANDS"
    about: dict[str, Any] = {"table": "t4", "round": 1, "seat": 1}
    info = await refused(
        house.operate("VoidTableSeat", **about, irregularity="PLAYER_WRONG_NUMBER")
    )
    assert info.reason == "VOIDS_ALL_HANDS"
    for word in ("CONTROLLER_LOST", "RESTORED"):
        await dealer.do("void_round", table_pb2.VoidRound(irregularity=word))
        await dealer.do("open_round")


async def test_a_wager_without_a_chip_goes_by_a_call(house: House) -> None:
    """Between lock-out and collection; the collection closes the call."""
    dealer = await house.dealer("t4")
    await dealer.locked(1, 2)
    removal = table_pb2.CallFloor(act=WAGER, round=1, seat=2, bet=FIVE)
    first = (await dealer.do("call_floor", removal)).call
    await house.operate("ApproveFloorCall", call=first)
    removal.seat = 1
    second = (await dealer.do("call_floor", removal)).call
    await dealer.do("confirm_collection", table_pb2.ConfirmCollection(chips={FIVE: 1}))
    info = await refused(house.operate("ApproveFloorCall", call=second))
    assert (info.reason, info.metadata["outcome"]) == ("CALL_CLOSED", "overtaken")


async def test_late_voids_raise_one_alarm_for_each_table(house: House) -> None:
    """With their count; those of other kinds are not pushed off the list."""
    dealer = await house.dealer("t4")
    for round_ in (1, 2, 3):
        await dealer.collected(1)
        VOID.round = round_
        call = (await dealer.do("call_floor", VOID)).call
        await house.operate("ApproveFloorCall", who="flo", call=call)
    VOID.round = 1
    request = operator_pb2.ListAlarmsRequest(site=SITE)
    alarms = (await house.operators.ListAlarms(request)).alarms
    (late,) = [each for each in alarms if each.kind == alarm_pb2.ALARM_KIND_LATE_VOID]
    assert late.text == (
        "t4, round 3: flo voided all hands after lock-out; late voids at this table: 3"
    )


@pytest.mark.parametrize("role", ["table", "accounting", "operations", "auditor", "dealer"])
async def test_only_a_floorperson_answers(tmp_path: Path, role: str) -> None:
    """Whoever else has a certificate is turned away, and the call stays open."""
    async with secured(tmp_path) as served:
        request = operator_pb2.ApproveFloorCallRequest(
            site=SITE, request_id=new_request_id(), call=1
        )
        async with served.channel(served.identity(role, "t4")) as channel:
            stub: Any = operator_pb2_grpc.OperatorServiceStub(channel)
            with pytest.raises(AioRpcError) as caught:
                await stub.ApproveFloorCall(request)
        assert caught.value.code() is grpc.StatusCode.PERMISSION_DENIED


async def test_the_journal_has_the_certificates_name(tmp_path: Path) -> None:
    """Over mutual TLS: the table calls, the floorperson approves, and nobody writes a name."""
    async with secured(tmp_path) as served:
        async with served.channel(served.identity("table", "t4")) as channel:
            tables: Any = table_pb2_grpc.TableServiceStub(channel)
            attach = table_pb2.AttachRequest(site=SITE, table="t4", request_id=new_request_id())
            epoch = (await tables.Attach(attach)).epoch
            commands: list[tuple[str, Any]] = [
                ("OpenRound", table_pb2.OpenRound()),
                ("PlaceWagers", wagers(1)),
                ("LockOut", table_pb2.LockOut()),
                ("ConfirmCollection", table_pb2.ConfirmCollection(chips={FIVE: 1})),
                ("Settle", hands({1: ROYALS["s"]}, 1)),
                ("CallFloor", VOID),
            ]
            for number, (rpc, command) in enumerate(commands, 1):
                which = table_pb2.CommandId(site=SITE, table="t4", epoch=epoch, number=number)
                message = getattr(table_pb2, f"{rpc}Request")(id=which, command=command)
                answer = await getattr(tables, rpc)(message)
        async with served.channel(served.identity("floor", "flo")) as channel:
            stub: Any = operator_pb2_grpc.OperatorServiceStub(channel)
            approval = operator_pb2.ApproveFloorCallRequest(
                site=SITE, request_id=new_request_id(), call=answer.call
            )
            await stub.ApproveFloorCall(approval)
    (event,) = voids(tmp_path / "data")
    assert (event.floorperson, event.call) == ("floor:flo", answer.call)
