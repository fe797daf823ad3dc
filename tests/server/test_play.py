"""Play streams: order, pipelining, repetition, and what ends them."""

import asyncio
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc.aio import AioRpcError

from jackpot.core.reasons import Reason
from jackpot.store.opening import Address
from jackpot.wire.v1 import table_pb2
from tests.server.house import (
    DOLLAR,
    FIVE,
    ROYALS,
    SITE,
    Dealer,
    House,
    hands,
    info_of,
    open_house,
    status_of,
    wagers,
)


def command(number: int, **kind: Any) -> table_pb2.PlayCommand:
    """A numbered command."""
    return table_pb2.PlayCommand(number=number, **kind)


def message(dealer: Dealer, commands: Iterable[table_pb2.PlayCommand]) -> table_pb2.PlayRequest:
    """Commands of one table in one message."""
    return table_pb2.PlayRequest(
        site=SITE, table=dealer.table, epoch=dealer.epoch, commands=commands
    )


def whole_round(first: int, special: dict[int, list[str]] | None = None) -> list[Any]:
    """The five commands of a round with six wagers."""
    seats = range(1, 7)
    return [
        command(first, open_round=table_pb2.OpenRound()),
        command(first + 1, place_wagers=wagers(*seats)),
        command(first + 2, lock_out=table_pb2.LockOut()),
        command(
            first + 3, confirm_collection=table_pb2.ConfirmCollection(chips={FIVE: len(seats)})
        ),
        command(first + 4, settle=hands(special or {}, *seats)),
    ]


async def results_of(call: Any, count: int) -> list[table_pb2.PlayResult]:
    """So many results, in the order in which they came."""
    results: list[table_pb2.PlayResult] = []
    while len(results) < count:
        response = await asyncio.wait_for(call.read(), 10)
        assert response is not grpc.aio.EOF
        results.extend(response.results)
    return results


async def test_a_round_in_one_message(house: House) -> None:
    """A whole round can be sent at once; each command sees what those before it did."""
    dealer = await house.dealer("t4")
    call = house.tables.Play()
    await call.write(message(dealer, whole_round(1)))
    results = await results_of(call, 5)
    kinds = [result.WhichOneof("result") for result in results]
    assert kinds == ["open_round", "place_wagers", "lock_out", "confirm_collection", "settle"]
    assert [result.number for result in results] == [1, 2, 3, 4, 5]
    sequences = [result.sequence for result in results]
    assert sequences == list(range(sequences[0], sequences[0] + 5))
    assert results[1].place_wagers.sequence == sequences[1]
    assert (await house.meter("five"))["main"] == 10_001_260_000
    await call.done_writing()
    assert await call.read() is grpc.aio.EOF
    assert await call.code() == grpc.StatusCode.OK


async def test_sent_again_it_is_answered_the_same(house: House) -> None:
    """A stream that repeats all of another's commands gets the very same results."""
    dealer = await house.dealer("t4")
    found = []
    for _ in range(2):
        call = house.tables.Play()
        await call.write(message(dealer, whole_round(1, {6: ROYALS["s"], 2: ROYALS["h"]})))
        found.append(await results_of(call, 5))
        call.cancel()
    assert found[0] == found[1]
    assert (await house.meter("five"))["main"] == 10_000 * DOLLAR


async def test_stream_and_unary_share_identity(house: House) -> None:
    """A command sent by RPC and again on a stream is one command."""
    dealer = await house.dealer("t4")
    opened = await dealer.do("open_round")
    call = house.tables.Play()
    await call.write(message(dealer, whole_round(1)[:1]))
    (result,) = await results_of(call, 1)
    assert result.open_round == opened


async def test_sixty_four_streams_are_answered_in_order(tmp_path: Path, store: Address) -> None:
    """However commands of 64 tables are mixed, each stream gets its answers in its own order."""
    rounds = 3
    async with open_house(tmp_path, store, many=64) as house:
        dealers = [await house.dealer(f"s{number}") for number in range(64)]

        async def play(dealer: Dealer) -> int:
            rng = random.Random(dealer.table)
            call = house.tables.Play()
            commands = [c for r in range(rounds) for c in whole_round(5 * r + 1)]
            reading = asyncio.create_task(results_of(call, len(commands)))
            while commands:
                size = rng.randint(1, 4)
                await call.write(message(dealer, commands[:size]))
                del commands[:size]
                await asyncio.sleep(rng.random() / 100)
            results = await reading
            assert [result.number for result in results] == list(range(1, 5 * rounds + 1))
            assert not [result for result in results if result.WhichOneof("result") == "error"]
            sequences = [result.sequence for result in results]
            assert sequences == sorted(set(sequences))
            call.cancel()
            return len(results)

        answered = sum(await asyncio.gather(*map(play, dealers)))
        assert answered == 64 * rounds * 5
        micros = 64 * rounds * 6 * 210_000
        assert (await house.meter("five"))["main"] == 10_000 * DOLLAR + micros


async def test_a_refused_command_does_not_end_the_stream(house: House) -> None:
    """A late wager is answered LOCKED_OUT in its turn, and the round goes on."""
    dealer = await house.dealer("t4")
    commands = whole_round(1)
    late = [
        *commands[:3],
        command(4, place_wagers=wagers(1)),
        command(5, confirm_collection=table_pb2.ConfirmCollection(chips={FIVE: 6})),
    ]
    call = house.tables.Play()
    await call.write(message(dealer, late))
    results = await results_of(call, 5)
    assert info_of(results[3].error).reason == Reason.LOCKED_OUT
    assert results[3].sequence == results[2].sequence + 1
    assert results[4].WhichOneof("result") == "confirm_collection"


async def test_a_failed_commit_fails_all_behind_it_and_ends_the_stream(house: House) -> None:
    """A lock-out whose commit failed is not answered LOCKED_OUT, nor is the wager behind it."""
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    house.faults.raise_at = "before-commit"
    call = house.tables.Play()
    late = [command(2, lock_out=table_pb2.LockOut()), command(3, place_wagers=wagers(1))]
    await call.write(message(dealer, late))
    results = await results_of(call, 2)
    reasons = [info_of(result.error).reason for result in results]
    assert reasons == [Reason.STORE_UNAVAILABLE] * 2
    with pytest.raises(AioRpcError) as caught:
        await call.read()
    assert info_of(status_of(caught.value)).reason == Reason.STORE_UNAVAILABLE
    house.faults.raise_at = None
    # Sent again with the same identities, in whatever state the store left them.
    results = await _until_served(house, dealer, late)
    assert results[0].WhichOneof("result") == "lock_out"
    assert info_of(results[1].error).reason == Reason.LOCKED_OUT


async def _until_served(house: House, dealer: Dealer, commands: Any) -> Any:
    for _ in range(50):
        call = house.tables.Play()
        await call.write(message(dealer, commands))
        results = await results_of(call, len(commands))
        call.cancel()
        errors = [info_of(r.error).reason for r in results if r.WhichOneof("result") == "error"]
        if Reason.STORE_UNAVAILABLE not in errors:
            return results
        await asyncio.sleep(0.1)
    raise AssertionError("the store did not recover")


async def test_more_streams_than_allowed_are_turned_away(house: House) -> None:
    """The stream that is one too many is refused, and there is room when another ends."""
    house.controller._tables._max_streams = 2
    calls = [house.tables.Play() for _ in range(2)]
    dealer = await house.dealer("t4")
    for call in calls:
        await call.write(message(dealer, [command(9, lock_out=table_pb2.LockOut())]))
        await results_of(call, 1)
    with pytest.raises(AioRpcError) as caught:
        await house.tables.Play().read()
    assert info_of(status_of(caught.value)).reason == Reason.OVERLOADED
    calls[0].cancel()
    for _ in range(50):
        await asyncio.sleep(0.02)
        if len(house.controller._tables._streams) == 1:
            break
    call = house.tables.Play()
    await call.write(message(dealer, [command(9, lock_out=table_pb2.LockOut())]))
    assert len(await results_of(call, 1)) == 1


async def test_a_client_that_goes_away_leaves_nothing(house: House) -> None:
    """Cancelled streams are forgotten; what they had sent is carried out all the same."""
    dealer = await house.dealer("t4")
    house.faults.hold_at = "before-commit"
    call = house.tables.Play()
    await call.write(message(dealer, whole_round(1)))
    await asyncio.sleep(0.1)
    call.cancel()
    house.faults.hold_at = None
    house.faults.go_on.set()
    for _ in range(50):
        await asyncio.sleep(0.02)
        if not house.controller._tables._streams:
            break
    assert not house.controller._tables._streams
    assert (await house.meter("five"))["main"] == 10_001_260_000


async def test_a_stream_that_fails_does_not_end_well(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What nobody foresaw is told as an error; a good end would say that there is no more."""
    dealer = await house.dealer("t4")
    monkeypatch.setattr(house.engine, "submit", lambda *_: 1 // 0)
    call = house.tables.Play()
    await call.write(message(dealer, [command(1, open_round=table_pb2.OpenRound())]))
    assert await call.code() == grpc.StatusCode.INTERNAL
