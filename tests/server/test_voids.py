"""Who may void what: a table alone before its collection, a floorperson after it."""

from contextlib import closing
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc.aio import AioRpcError

from jackpot.core.events.table import RoundVoided, SeatVoided, WagerRemoved
from jackpot.store import codec
from jackpot.store.opening import Address, journal_opener
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import operator_pb2, operator_pb2_grpc, table_pb2, table_pb2_grpc
from tests.auth.secured import code_of, secured
from tests.server.house import (
    DOLLAR,
    FIVE,
    ROYALS,
    SITE,
    Dealer,
    House,
    hands,
    info_of,
    status_of,
    wagers,
)

# As a table's software may still write it: what was once the floorperson is an unknown field.
NAMED_ROUND = table_pb2.VoidRound.FromString(b"\x0a\x08MISDEALT\x12\x08anything")
VOIDS: dict[str, Any] = {"void_round": NAMED_ROUND}


async def refused(answer: Any) -> Any:
    """The ErrorInfo of a call that must be refused."""
    with pytest.raises(AioRpcError) as caught:
        await answer
    return info_of(status_of(caught.value))


async def all_of(house: House) -> tuple[Any, Any]:
    """Accounts and pending payouts."""
    request = operator_pb2.ListPayoutsRequest(site=SITE)
    payouts = (await house.operators.ListPayouts(request)).payouts
    return await house.balances(), list(payouts)


async def by_play(dealer: Dealer, command: table_pb2.PlayCommand) -> table_pb2.PlayResult:
    """A command's result on a Play stream."""
    dealer.number += 1
    command.number = dealer.number
    request = table_pb2.PlayRequest(
        site=SITE, table=dealer.table, epoch=dealer.epoch, commands=[command]
    )
    stream = dealer.house.tables.Play()
    await stream.write(request)
    response: table_pb2.PlayResponse = await stream.read()  # type: ignore[assignment]  # never EOF here
    await stream.done_writing()
    return response.results[0]


@pytest.mark.parametrize("kind", VOIDS)
@pytest.mark.parametrize("phase", ["collected", "settled"])
async def test_a_table_takes_back_no_decided_award(house: House, phase: str, kind: str) -> None:
    """Neither by a call of its own nor on its stream; the royal stays, to the micro."""
    dealer = await house.dealer("t4")
    await dealer.collected(1, 2)
    if phase == "settled":
        await dealer.do("settle", hands({1: ROYALS["s"]}, 1, 2))
    before = await all_of(house)
    assert bool(before[1]) is (phase == "settled")
    info = await refused(dealer.do(kind, VOIDS[kind]))
    assert info.reason == "VOID_BY_FLOOR_ONLY"
    assert (info.metadata["table"], info.metadata["round"]) == ("t4", "1")
    result = await by_play(dealer, table_pb2.PlayCommand(**{kind: VOIDS[kind]}))
    assert info_of(result.error).reason == "VOID_BY_FLOOR_ONLY"
    assert "call the floor" in result.error.message
    assert await all_of(house) == before


@pytest.mark.parametrize("phase", ["open", "locked"])
@pytest.mark.parametrize("kind", VOIDS)
async def test_a_table_voids_alone_before_its_collection(
    house: House, phase: str, kind: str
) -> None:
    """And whatever name its message has, the journal names nobody."""
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    await dealer.do("place_wagers", wagers(1))
    if phase == "locked":
        await dealer.do("lock_out")
    assert (await dealer.do(kind, VOIDS[kind])).returned_micros == DOLLAR
    (event,) = voids(house.store)
    assert event.floorperson == ""


async def test_a_table_removes_no_wager(house: House) -> None:
    """It has no such command any more."""
    dealer = await house.dealer("t4")
    await dealer.locked(1, 2)
    before = await all_of(house)
    wager = table_pb2.PlacedWager(seat=2, bet=FIVE).SerializeToString()
    removal = b"\x0a" + bytes([len(wager)]) + wager + b"\x12\x03Ann"
    call: Any = house.channel.unary_unary("/jackpot.v1.TableService/RemoveWager")
    request = table_pb2.OpenRoundRequest(
        id=dealer.id(), command=table_pb2.OpenRound()
    ).SerializeToString()
    with pytest.raises(AioRpcError) as caught:
        await call(request + b"\x12" + bytes([len(removal)]) + removal)
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
    dealer.number -= 1  # that one was never taken
    command = table_pb2.PlayCommand.FromString(b"\x32" + bytes([len(removal)]) + removal)
    assert info_of((await by_play(dealer, command)).error).reason == "MALFORMED"
    table = operator_pb2.GetTableRequest(site=SITE, table="t4")
    assert len((await house.operators.GetTable(table)).table.round.wagers) == 2
    assert await all_of(house) == before


async def test_a_floorperson_removes_a_wager_without_a_chip(house: House) -> None:
    """The count fits then; a wager of another round is not touched."""
    dealer = await house.dealer("t4")
    await dealer.locked(1, 2)
    about: dict[str, Any] = {"table": "t4", "wager": table_pb2.PlacedWager(seat=2, bet=FIVE)}
    other = await refused(house.operate("RemoveWager", round=2, **about))
    assert other.reason == "WRONG_ROUND"
    await house.operate("RemoveWager", round=1, who="ann", **about)
    (event,) = voids(house.store)
    assert event.floorperson == "ann"
    await dealer.do("confirm_collection", table_pb2.ConfirmCollection(chips={FIVE: 1}))


async def test_a_floorperson_voids_only_the_round_that_is_meant(house: House) -> None:
    """A request for another round is refused and says which round it is; nothing has changed."""
    dealer = await house.dealer("t4")
    await dealer.settled({}, 1)
    await dealer.settled({1: ROYALS["s"]}, 1)
    before = await all_of(house)
    whole: dict[str, Any] = {"irregularity": "MISDEALT"}
    seat: dict[str, Any] = {"seat": 1, "irregularity": "HAND_FOULED"}
    for rpc, more in (("VoidTableRound", whole), ("VoidTableSeat", seat)):
        for number in (1, 3):
            info = await refused(house.operate(rpc, table="t4", round=number, **more))
            assert info.reason == "WRONG_ROUND"
            told = {key: info.metadata[key] for key in ("table", "round", "current")}
            assert told == {"table": "t4", "round": str(number), "current": "2"}
    assert await all_of(house) == before


async def test_a_void_that_is_sent_again_happens_once(house: House) -> None:
    """The same request id has the same answer; with another round it is refused."""
    dealer = await house.dealer("t4")
    (payout,) = await dealer.settled({1: ROYALS["s"]}, 1)
    request_id = new_request_id()
    about = {"table": "t4", "irregularity": "MISDEALT", "request_id": request_id}
    first = await house.operate("VoidTableRound", round=1, **about)
    assert (first.round, first.returned_micros) == (1, DOLLAR)
    assert [(change.payout, change.closed) for change in first.changes] == [(payout.id, True)]
    assert await house.operate("VoidTableRound", round=1, **about) == first
    reused = await refused(house.operate("VoidTableRound", round=2, **about))
    assert reused.reason == "REQUEST_REUSED"
    again = await refused(
        house.operate("VoidTableRound", table="t4", round=1, irregularity="MISDEALT")
    )
    assert again.reason == "NO_ROUND"


@pytest.mark.parametrize("rpc", ["VoidTableRound", "VoidTableSeat"])
async def test_a_floorperson_is_too_late_after_a_validation(house: House, rpc: str) -> None:
    """What somebody has confirmed stands."""
    dealer = await house.dealer("t4")
    (payout,) = await dealer.settled({1: ROYALS["s"]}, 1)
    await house.operate("ValidatePayout", payout=payout.id, floorperson="Ann")
    more: dict[str, Any] = {"irregularity": "MISDEALT"}
    if rpc == "VoidTableSeat":
        more = {"seat": 1, "irregularity": "HAND_FOULED"}
    late = house.operate(rpc, table="t4", round=1, **more)
    assert (await refused(late)).reason == "VOID_TOO_LATE"


@pytest.mark.parametrize("kind", ["round", "seat", "wager"])
async def test_the_journal_has_the_person_of_the_certificate(tmp_path: Path, kind: str) -> None:
    """A floorperson's own certificate is who acted; nobody else's certificate may act."""
    async with secured(tmp_path) as house:
        async with house.channel(house.identity("table", "t4")) as channel:
            await _play_to(channel, "locked" if kind == "wager" else "settled")
        request = _request(kind)
        rpc = type(request).__name__.removesuffix("Request")
        for role in ("dealer", "table", "accounting", "monitor", "operations", "auditor", "sign"):
            name = "t4" if role == "table" else "one"
            async with house.channel(house.identity(role, name)) as channel:
                raw = request.SerializeToString()
                code = await code_of(channel, f"OperatorService/{rpc}", raw)
                assert code == "PERMISSION_DENIED", role
        async with house.channel(house.identity("floor", "ann")) as channel:
            await getattr(operator_pb2_grpc.OperatorServiceStub(channel), rpc)(request)
    (event,) = voids(tmp_path / "data")
    assert event.floorperson == "floor:ann"


async def _play_to(channel: grpc.aio.Channel, phase: str) -> None:
    """A round of one player with a royal flush at t4, locked out or settled."""
    stub: table_pb2_grpc.TableServiceAsyncStub = table_pb2_grpc.TableServiceStub(channel)
    attach = table_pb2.AttachRequest(site=SITE, table="t4", request_id=new_request_id())
    epoch = (await stub.Attach(attach)).epoch
    commands: list[dict[str, Any]] = [
        {"open_round": table_pb2.OpenRound()},
        {"place_wagers": wagers(1)},
        {"lock_out": table_pb2.LockOut()},
    ]
    if phase == "settled":
        chips = table_pb2.ConfirmCollection(chips={FIVE: 1})
        commands += [{"confirm_collection": chips}, {"settle": hands({1: ROYALS["s"]}, 1)}]
    sent = [table_pb2.PlayCommand(number=n, **each) for n, each in enumerate(commands, 1)]
    stream = stub.Play()
    await stream.write(table_pb2.PlayRequest(site=SITE, table="t4", epoch=epoch, commands=sent))
    answered = 0
    while answered < len(sent):
        response: table_pb2.PlayResponse = await stream.read()  # type: ignore[assignment]  # never EOF here
        assert not any(result.HasField("error") for result in response.results)
        answered += len(response.results)
    await stream.done_writing()


def _request(kind: str) -> Any:
    about: dict[str, Any] = {"site": SITE, "request_id": new_request_id(), "table": "t4"}
    about["round"] = 1
    if kind == "wager":
        wager = table_pb2.PlacedWager(seat=1, bet=FIVE)
        return operator_pb2.RemoveWagerRequest(**about, wager=wager)
    if kind == "seat":
        return operator_pb2.VoidTableSeatRequest(**about, seat=1, irregularity="HAND_FOULED")
    return operator_pb2.VoidTableRoundRequest(**about, irregularity="MISDEALT")


def voids(store: Address) -> list[Any]:
    """What the journal has of voids and removed wagers."""
    with closing(journal_opener(store)()) as journal:
        found = [codec.decode_entry(SITE, entry).event for entry in journal.read(SITE, 0, 1_000)]
    return [each for each in found if isinstance(each, RoundVoided | SeatVoided | WagerRemoved)]


@pytest.mark.parametrize(
    ("rpc", "word", "reason"),
    [
        ("VoidTableRound", "anything", "UNKNOWN_IRREGULARITY"),
        ("VoidTableRound", "misdealt", "UNKNOWN_IRREGULARITY"),
        ("VoidTableRound", "HAND_FOULED", "UNKNOWN_IRREGULARITY"),
        ("VoidTableSeat", "anything", "UNKNOWN_IRREGULARITY"),
        ("VoidTableSeat", "MISDEALT", "VOIDS_ALL_HANDS"),
    ],
)
async def test_a_floorperson_has_no_words_of_their_own(
    house: House, rpc: str, word: str, reason: str
) -> None:
    """What takes a decided jackpot back is on the game's list, whoever says it."""
    dealer = await house.dealer("t4")
    await dealer.settled({1: ROYALS["s"]}, 1)
    before = await all_of(house)
    more: dict[str, Any] = {"seat": 1} if rpc == "VoidTableSeat" else {}
    info = await refused(house.operate(rpc, table="t4", round=1, irregularity=word, **more))
    assert info.reason == reason
    assert (info.metadata["table"], info.metadata["irregularity"]) == ("t4", word)
    assert await all_of(house) == before


async def test_staff_are_told_the_words(house: House) -> None:
    """GetTable has them: those that the table has too, and for a seat a few more."""
    asked = operator_pb2.GetTableRequest(site=SITE, table="t4")
    found = (await house.operators.GetTable(asked)).table
    attach = table_pb2.AttachRequest(site=SITE, table="t4", request_id=new_request_id())
    config = (await house.tables.Attach(attach)).config
    assert found.round_irregularities == config.round_irregularities
    assert set(config.seat_irregularities) < set(found.seat_irregularities)
    dealer = await house.dealer("t4")
    for number, word in enumerate(found.seat_irregularities, start=1):
        await dealer.settled({}, 1, 2)
        about: dict[str, Any] = {"table": "t4", "round": number, "irregularity": word}
        assert (await house.operate("VoidTableSeat", seat=1, **about)).returned_micros == DOLLAR
    before = len(found.seat_irregularities)
    for number, word in enumerate(found.round_irregularities, start=1):
        await dealer.settled({}, 1, 2)
        about = {"table": "t4", "round": before + number, "irregularity": word}
        assert (await house.operate("VoidTableRound", **about)).returned_micros == 2 * DOLLAR
