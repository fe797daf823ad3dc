"""Whatever bytes arrive: no INTERNAL, no UNKNOWN, and nothing changes."""

import asyncio
from collections.abc import Iterator
from functools import cache
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message_factory import GetMessageClass
from grpc.aio import AioRpcError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jackpot.core.reasons import Reason
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import meter_pb2, operator_pb2, table_pb2
from tests.server.house import (
    DOLLAR,
    FIVE,
    SITE,
    Dealer,
    House,
    info_of,
    open_house,
    status_of,
    wagers,
)
from tests.stores import KINDS, Stores

MOST = 2**63 - 1
METHODS: dict[str, MethodDescriptor] = {
    f"/{service.full_name}/{method.name}": method
    for file in (table_pb2, meter_pb2, operator_pb2)
    for service in file.DESCRIPTOR.services_by_name.values()
    for method in service.methods
}
NEVER = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN}


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    """One loop for all examples: a controller for each would take minutes."""
    with asyncio.Runner() as loop:
        yield loop


@pytest.fixture(scope="module", params=KINDS)
def still_house(
    request: pytest.FixtureRequest,
    runner: asyncio.Runner,
    tmp_path_factory: pytest.TempPathFactory,
    stores: Stores,
) -> Iterator[House]:
    """A house in which nothing should ever happen."""
    opening = open_house(tmp_path_factory.mktemp("house"), stores.new(request.param))
    house = runner.run(opening.__aenter__())
    runner.run(house.dealer("t4"))
    yield house
    runner.run(opening.__aexit__(None, None, None))


async def call_raw(house: House, path: str, raw: bytes) -> grpc.StatusCode:
    """Send bytes to a method and give the code that comes back."""
    method = METHODS[path]
    any_channel: Any = house.channel  # whose stubs know messages only
    try:
        if method.client_streaming:
            await any_channel.stream_stream(path)(iter([raw]), timeout=10).read()
        elif method.server_streaming:
            # A good watch may have nothing to say; then the deadline ends it.
            call = any_channel.unary_stream(path)(raw, timeout=0.5)
            await call.read()
            call.cancel()
        else:
            await any_channel.unary_unary(path)(raw, timeout=10)
    except AioRpcError as error:
        return error.code()
    return grpc.StatusCode.OK


def values(field: Any) -> st.SearchStrategy[Any]:
    """Values that a field can carry and nobody should send, with good ones among them."""
    kinds = {
        field.TYPE_STRING: st.sampled_from(
            ["", SITE, "t4", FIVE, "five", "main", "As", "x" * 5_000, "\0", "a/b", "é", " "]
        )
        | st.text(max_size=8)
        | st.builds(new_request_id),
        field.TYPE_INT32: st.sampled_from([-(2**31), -1, 0, 1, 6, 7, 33, 2**31 - 1]),
        field.TYPE_INT64: st.sampled_from([-(2**63), -1, 0, 1, DOLLAR, 10**15, 10**15 + 1, MOST]),
        field.TYPE_ENUM: st.sampled_from([0, 1, 99, -1]),
        field.TYPE_BOOL: st.booleans(),
    }
    if field.type in kinds:
        return kinds[field.type]
    return messages(field.message_type)


@cache
def messages(descriptor: Any) -> st.SearchStrategy[Any]:
    """Messages of a type, with fields that are wrong in every way that the wire allows."""
    parts: dict[str, st.SearchStrategy[Any]] = {}
    for field in descriptor.fields:
        if field.message_type and field.message_type.GetOptions().map_entry:
            parts[field.name] = st.dictionaries(
                values(field.message_type.fields_by_name["key"]),
                values(field.message_type.fields_by_name["value"]),
                max_size=3,
            )
        elif field.is_repeated:
            parts[field.name] = st.lists(values(field), max_size=3)
        elif field.containing_oneof is None:
            parts[field.name] = values(field)
    build = GetMessageClass(descriptor)
    plain = st.fixed_dictionaries({}, optional=parts)
    choices = [f for f in descriptor.fields if f.containing_oneof]
    if not choices:
        return plain.map(lambda chosen: build(**chosen))
    chosen = st.one_of(*(st.tuples(st.just(f.name), values(f)) for f in choices))
    return st.tuples(plain, chosen).map(lambda both: build(**both[0], **dict([both[1]])))


@pytest.fixture
def standing(runner: asyncio.Runner, still_house: House) -> dict[str, operator_pb2.Link]:
    """Every link with its accounts, before anything is sent."""
    return runner.run(still_house.balances())


async def unharmed(
    house: House, standing: dict[str, operator_pb2.Link], path: str, raw: bytes
) -> None:
    """Send it; whatever was answered, it was an answer, and the meters stand where they stood."""
    code = await call_raw(house, path, raw)
    assert code not in NEVER, (path, code)
    assert await house.balances() == standing


FUZZ = settings(
    max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)


@FUZZ
@given(path=st.sampled_from(sorted(METHODS)), raw=st.binary(max_size=200))
def test_random_bytes(
    path: str,
    raw: bytes,
    runner: asyncio.Runner,
    still_house: House,
    standing: dict[str, operator_pb2.Link],
) -> None:
    """Bytes that are no message are an invalid argument at worst."""
    runner.run(unharmed(still_house, standing, path, raw))


@FUZZ
@given(data=st.data(), path=st.sampled_from(sorted(set(METHODS))))
def test_messages_of_nonsense(
    data: st.DataObject,
    path: str,
    runner: asyncio.Runner,
    still_house: House,
    standing: dict[str, operator_pb2.Link],
) -> None:
    """Well-formed messages with impossible values are refused by name, and post nothing."""
    if path.endswith(("AdjustMeter", "TransferFunds", "Link", "LinkInService")):
        return  # a sensible value among the nonsense would rightly change something
    message = data.draw(messages(METHODS[path].input_type))
    runner.run(unharmed(still_house, standing, path, message.SerializeToString()))


WITHOUT_FIELD_1 = {f"/jackpot.v1.MeterService/{rpc}" for rpc in ("GetServerInfo", "ListSites")}


@pytest.mark.parametrize("raw", [b"\xff", b"\x0a\xff\xff\xff\xff\x0f", b"\x0a\x02\xff\xfe"])
@pytest.mark.parametrize("path", sorted(set(METHODS) - WITHOUT_FIELD_1))
def test_undecodable_bytes_are_an_invalid_argument(
    path: str, raw: bytes, runner: asyncio.Runner, still_house: House
) -> None:
    """What gRPC itself would call INTERNAL is the caller's mistake here."""
    code = runner.run(call_raw(still_house, path, raw))
    assert code == grpc.StatusCode.INVALID_ARGUMENT


def one(**changes: Any) -> table_pb2.PlaceWagers:
    """A wager that is right but for the changes."""
    right: dict[str, Any] = {"seat": 1, "bet": FIVE, "amount_micros": DOLLAR}
    return table_pb2.PlaceWagers(wagers=[table_pb2.Wager(**(right | changes))])


BAD_WAGERS: dict[str, tuple[table_pb2.PlaceWagers, Reason]] = {
    "none": (table_pb2.PlaceWagers(), Reason.MALFORMED),
    "amount of nothing": (one(amount_micros=0), Reason.MALFORMED),
    "amount below nothing": (one(amount_micros=-DOLLAR), Reason.MALFORMED),
    "amount past all money": (one(amount_micros=MOST), Reason.MALFORMED),
    "seat 0": (one(seat=0), Reason.MALFORMED),
    "seat -1": (one(seat=-1), Reason.MALFORMED),
    "seat 33": (one(seat=33), Reason.MALFORMED),
    "no bet": (one(bet=""), Reason.MALFORMED),
    "a path for a bet": (one(bet="../etc"), Reason.MALFORMED),
    "a player with a line break": (one(player="Ann\n"), Reason.MALFORMED),
    "a player of 129 characters": (one(player="a" * 129), Reason.TOO_MANY),
    "65 wagers": (wagers(*[1] * 65), Reason.TOO_MANY),
    "1,000 seats": (wagers(*range(1, 1_001)), Reason.TOO_MANY),
}


@pytest.mark.parametrize("name", BAD_WAGERS)
async def test_a_bad_wager_is_refused_and_uses_its_number(name: str, house: House) -> None:
    """It is refused by name, the refusal is journaled, and the right one takes the next number."""
    command, reason = BAD_WAGERS[name]
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    before = await house.sequence()
    with pytest.raises(AioRpcError) as caught:
        await dealer.do("place_wagers", command)
    info = info_of(status_of(caught.value))
    assert (info.reason, info.metadata["sequence"]) == (reason, str(before + 1))
    assert (await dealer.do("place_wagers", one())).sequence == before + 2


@pytest.mark.parametrize("player", ["", "é", "a" * 128])
async def test_what_is_at_a_limit_is_within_it(player: str, house: House) -> None:
    """A player's name may be empty, foreign, or 128 characters long."""
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    assert (await dealer.do("place_wagers", one(player=player))).sequence


async def test_a_message_past_the_limit_is_resource_exhausted(house: House) -> None:
    """A megabyte and more never reaches the controller's code."""
    dealer = await house.dealer("t4")
    with pytest.raises(AioRpcError) as caught:
        await dealer.do("place_wagers", one(player="a" * (1 << 20)))
    assert caught.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED


@pytest.mark.parametrize(
    "changes",
    [
        {"site": ""},
        {"table": "../t4"},
        {"epoch": 0},
        {"epoch": MOST},
        {"number": -1},
        {"number": 0},
    ],
    ids=str,
)
async def test_a_bad_identity_is_malformed(changes: dict[str, Any], house: House) -> None:
    """An identity is complete and within bounds."""
    right: dict[str, Any] = {"site": SITE, "table": "t4", "epoch": 1, "number": 1}
    await house.dealer("t4")
    request = table_pb2.OpenRoundRequest(
        id=table_pb2.CommandId(**(right | changes)), command=table_pb2.OpenRound()
    )
    with pytest.raises(AioRpcError) as caught:
        await house.tables.OpenRound(request)
    assert info_of(status_of(caught.value)).reason == Reason.MALFORMED


CASH: dict[str, tuple[str, dict[str, Any]]] = {
    "BuyIn": ("amount_micros", {"account": "p-17", "reference": "slip 1"}),
    "CashOut": ("amount_micros", {"account": "p-17", "reference": "slip 1"}),
    "CountBox": ("counted_micros", {"link": "fund", "table": "t4"}),
    "ConfirmDisplay": ("displayed_micros", {"link": "fund"}),
}


@pytest.mark.parametrize("rpc", CASH)
async def test_what_people_count_is_in_whole_cents(rpc: str, house: House) -> None:
    """Nobody hands over or displays a tenth of a cent."""
    field, values = CASH[rpc]
    with pytest.raises(AioRpcError) as caught:
        await house.operate(rpc, **(values | {field: 1_005_000}))
    info = info_of(status_of(caught.value))
    assert (info.reason, info.metadata["field"]) == (Reason.MALFORMED, field)


async def test_a_reset_is_no_reason_for_an_alteration(house: House) -> None:
    """They are rights of different people: 58 Pa. Code 605a.7(a)(5)-(6)."""
    about = {"link": "five", "level": "main", "to_micros": 1, "reference": "memo 1"}
    with pytest.raises(AioRpcError) as caught:
        await house.operate("AdjustMeter", **about, reason=2)  # type: ignore[arg-type]  # fields
    info = info_of(status_of(caught.value))
    assert (info.reason, info.metadata["field"]) == (Reason.MALFORMED, "reason")


@pytest.mark.parametrize("fate", [0, 5, -1])
async def test_an_unknown_enum_value_is_malformed(fate: int, house: House) -> None:
    """Neither nothing nor a value from the future is taken for "played"."""
    dealer = await house.dealer("t4")
    hand = table_pb2.SeatHand(seat=1, cards=["As"], fate=fate)  # type: ignore[arg-type]
    with pytest.raises(AioRpcError) as caught:
        await dealer.do("settle", table_pb2.Settle(hands=[hand]))
    info = info_of(status_of(caught.value))
    assert (info.reason, info.metadata["field"]) == (Reason.MALFORMED, "hands[0].fate")


@pytest.mark.parametrize("card", ["Jk", "1s", "", "A", "AsKs", "As" * 10])
async def test_what_no_linked_game_is_dealt_is_no_card(card: str, house: House) -> None:
    """A joker is refused too: no ranking of a linked game could say what it makes."""
    dealer = await house.dealer("t4")
    hand = table_pb2.SeatHand(seat=1, cards=[card], fate=table_pb2.FATE_PLAYED)
    with pytest.raises(AioRpcError) as caught:
        await dealer.do("settle", table_pb2.Settle(hands=[hand]))
    info = info_of(status_of(caught.value))
    assert (info.reason, info.metadata["field"]) == (Reason.MALFORMED, "hands[0].cards[0]")


async def play_raw(house: House, *raws: bytes) -> AioRpcError:
    """Send raw bytes on a Play stream and give the error that ends it."""
    path = "/jackpot.v1.TableService/Play"
    stream: Any = house.channel.stream_stream(path)
    call = stream(iter(raws))
    with pytest.raises(AioRpcError) as caught:
        await call.read()
    return caught.value


async def test_undecodable_bytes_end_a_stream(house: House) -> None:
    """A stream whose bytes make no sense ends, after what came before was answered."""
    error = await play_raw(house, b"\xff")
    assert info_of(status_of(error)).reason == Reason.MALFORMED


async def test_too_many_commands_end_a_stream(house: House) -> None:
    """More commands in a message than may be unanswered at once."""
    dealer = await house.dealer("t4")
    commands = [play_command(number) for number in range(1, 34)]
    message = play_message(dealer, *commands)
    error = await play_raw(house, message.SerializeToString())
    assert info_of(status_of(error)).reason == Reason.TOO_MANY


def play_command(number: int, **command: Any) -> table_pb2.PlayCommand:
    """A command on a stream; a lock-out where nothing else is said."""
    return table_pb2.PlayCommand(number=number, **(command or {"lock_out": table_pb2.LockOut()}))


def play_message(dealer: Dealer, *commands: table_pb2.PlayCommand) -> table_pb2.PlayRequest:
    """Commands of a table on a stream."""
    return table_pb2.PlayRequest(
        site=SITE, table=dealer.table, epoch=dealer.epoch, commands=commands
    )


async def test_a_bad_command_does_not_end_a_stream(house: House) -> None:
    """A malformed command and one of no kind are answered in their turn; good ones go on."""
    dealer = await house.dealer("t4")
    call = house.tables.Play()
    await call.write(
        play_message(
            dealer,
            play_command(1, open_round=table_pb2.OpenRound()),
            play_command(2, place_wagers=wagers(99)),
            table_pb2.PlayCommand(number=3),
            play_command(4, place_wagers=wagers(1)),
        )
    )
    await call.done_writing()
    results = [result async for response in call for result in response.results]
    kinds = [result.WhichOneof("result") for result in results]
    assert kinds == ["open_round", "error", "error", "place_wagers"]
    assert [result.number for result in results] == [1, 2, 3, 4]
    assert [info_of(result.error).reason for result in results[1:3]] == [Reason.MALFORMED] * 2
    first = results[0].sequence
    assert [result.sequence for result in results] == [first, first + 1, first + 2, first + 3]


@pytest.mark.parametrize("number", [0, -1, MOST])
async def test_a_number_that_can_not_be_read_ends_a_stream(number: int, house: House) -> None:
    """What stands before it is answered; no number says which of the rest is meant."""
    dealer = await house.dealer("t4")
    call = house.tables.Play()
    await call.write(
        play_message(
            dealer,
            play_command(1, open_round=table_pb2.OpenRound()),
            play_command(number),
            play_command(2, place_wagers=wagers(1)),
        )
    )
    answered = await call.read()
    assert isinstance(answered, table_pb2.PlayResponse)
    assert [result.WhichOneof("result") for result in answered.results] == ["open_round"]
    with pytest.raises(AioRpcError) as caught:
        await call.read()
    info = info_of(status_of(caught.value))
    assert (info.reason, info.metadata["field"]) == (Reason.MALFORMED, "commands[1].number")
    assert (await dealer.do("place_wagers", wagers(1), number=2)).sequence
