"""Which refusals use a command's number: after a bad command a table goes on with the next one."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from grpc.aio import AioRpcError

from jackpot.core import decide
from jackpot.core.commands.operator import SuspendLink
from jackpot.core.commands.table import LockOut
from jackpot.core.reasons import Reason
from jackpot.engine.batch import FAILED
from jackpot.store.opening import open_to_read
from jackpot.wire.refusals import RefusedError
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import table_pb2
from table_client.client import TableClient
from tests.auth.secured import secured
from tests.core.number_use import NO_NUMBER
from tests.server.house import SITE, Dealer, House, hands, info_of, status_of, wager, wagers
from tests.server.test_malformed import play_command, play_message

BAD_HANDS = hands({1: ["Xs", "Kd", "Qh", "Jc", "9d"]}, 1)
GOOD_HANDS = hands({}, 1)
TOO_MUCH = wagers(*[2] * 65)


async def refused(dealer: Dealer, kind: str, command: Any = None, number: int | None = None) -> Any:
    """A command that must be refused; its ErrorInfo."""
    with pytest.raises(AioRpcError) as caught:
        await dealer.do(kind, command, number)
    return info_of(status_of(caught.value))


async def play(house: House, dealer: Dealer, *commands: dict[str, Any]) -> list[Any]:
    """Commands in one message on a stream; their results."""
    call = house.tables.Play()
    numbers = range(dealer.number + 1, dealer.number + 1 + len(commands))
    sent = [
        play_command(number, **command) for number, command in zip(numbers, commands, strict=True)
    ]
    dealer.number += len(commands)
    await call.write(play_message(dealer, *sent))
    await call.done_writing()
    return [result async for response in call for result in response.results]


def kinds(results: list[Any]) -> list[str]:
    """What became of each command."""
    return [
        info_of(result.error).reason
        if result.WhichOneof("result") == "error"
        else result.WhichOneof("result")
        for result in results
    ]


async def test_a_settlement_with_a_bad_card_is_followed_by_the_right_one(house: House) -> None:
    """By unary RPCs."""
    dealer = await house.dealer("t4")
    await dealer.collected(1)
    info = await refused(dealer, "settle", BAD_HANDS)
    assert (info.reason, info.metadata["value"]) == (Reason.MALFORMED, "Xs")
    assert int(info.metadata["sequence"]) == await house.sequence()
    assert (await dealer.do("settle", GOOD_HANDS)).sequence


async def test_so_is_one_on_a_stream(house: House) -> None:
    """Both in one message."""
    dealer = await house.dealer("t4")
    await dealer.collected(1)
    results = await play(house, dealer, {"settle": BAD_HANDS}, {"settle": GOOD_HANDS})
    assert kinds(results) == [Reason.MALFORMED, "settle"]


@pytest.mark.parametrize(
    ("bad", "reason"), [(wagers(99), Reason.MALFORMED), (TOO_MUCH, Reason.TOO_MANY)]
)
async def test_a_bad_wager_does_not_hold_up_the_lock_out(
    bad: table_pb2.PlaceWagers, reason: Reason, house: House
) -> None:
    """What stands behind it in the pipeline is carried out."""
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    good: list[dict[str, Any]] = [{"place_wagers": wagers(seat)} for seat in (1, 2)]
    lock_out = {"lock_out": table_pb2.LockOut()}
    results = await play(house, dealer, good[0], {"place_wagers": bad}, good[1], lock_out)
    assert kinds(results) == ["place_wagers", reason, "place_wagers", "lock_out"]
    assert {w.seat for w in results[3].lock_out.wagers} == {1, 2}


async def test_a_repeat_of_a_bad_command_gets_its_refusal(house: House) -> None:
    """By stream or unary RPC, whatever was done since; other content is a reuse."""
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    first = await refused(dealer, "place_wagers", wagers(99))
    await dealer.do("place_wagers", wagers(1))
    assert await refused(dealer, "place_wagers", wagers(99), number=2) == first
    dealer.number = 1
    (result,) = await play(house, dealer, {"place_wagers": wagers(99)})
    assert info_of(result.error) == first
    for other in (wagers(98), wagers(1), TOO_MUCH):
        info = await refused(dealer, "place_wagers", other, number=2)
        assert info.reason == Reason.REQUEST_REUSED
    assert (await refused(dealer, "lock_out", number=2)).reason == Reason.REQUEST_REUSED


async def test_a_command_of_no_known_kind_uses_its_number(house: House) -> None:
    """A newer client's command is refused, and known when it comes again."""
    dealer = await house.dealer("t4")
    newer = table_pb2.PlayCommand.FromString(
        table_pb2.PlayCommand(number=1).SerializeToString() + b"\xfa\x07\x01x"  # field 127
    )
    found = []
    for _ in range(2):
        call = house.tables.Play()
        await call.write(play_message(dealer, newer))
        await call.done_writing()
        found += [result async for response in call for result in response.results]
    assert kinds(found) == [Reason.MALFORMED] * 2
    assert found[0] == found[1]
    assert (await dealer.do("open_round", number=2)).sequence


async def test_identity_comes_before_what_a_command_says(house: House) -> None:
    """A bad command of a fenced table, or with a gap before it, uses nothing."""
    dealer = await house.dealer("t4")
    before = await house.sequence()
    gap = await refused(dealer, "place_wagers", wagers(99), number=5)
    assert (gap.reason, await house.sequence()) == (Reason.NUMBER_GAP, before)
    await house.dealer("t4")
    before = await house.sequence()
    fenced = await refused(dealer, "place_wagers", wagers(99), number=1)
    assert (fenced.reason, await house.sequence()) == (Reason.FENCED, before)
    assert {Reason.NUMBER_GAP, Reason.FENCED} <= NO_NUMBER


async def test_authority_comes_before_what_a_command_says(tmp_path: Path) -> None:
    """Whoever may not speak for a table can't use up its numbers with bad commands."""
    async with secured(tmp_path) as house:
        before = await house.journal_head()
        identity = house.identity("table", "t1")
        for streaming in (True, False):
            async with (
                house.channel(identity) as channel,
                TableClient(channel, SITE, "t2", streaming=streaming) as client,
            ):
                client._converse(1)
                with pytest.raises(RefusedError) as caught:
                    await client.place_wagers([wager(99)])
                assert caught.value.reason == Reason.NOT_ALLOWED
        assert await house.journal_head() == before


def failing(*_: Any) -> Any:
    """A decision that nobody foresaw."""
    raise ZeroDivisionError("for the test")


async def test_a_command_on_which_the_controller_fails_uses_its_number(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused for good, and the next one goes on."""
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    with monkeypatch.context() as patch:
        patch.setitem(decide._AT_TABLE, LockOut, failing)
        lock_out = {"lock_out": table_pb2.LockOut()}
        results = await play(house, dealer, lock_out, {"place_wagers": wagers(1)})
        assert kinds(results) == [Reason.MALFORMED, "place_wagers"]
        first = info_of(results[0].error)
        assert first.metadata["problem"] == FAILED
    assert await refused(dealer, "lock_out", number=2) == first
    assert (await dealer.do("lock_out")).sequence


async def test_so_does_an_operators_request(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its refusal is found again under its id; a new request goes on."""
    request_id = new_request_id()
    found = []
    for broken in (True, False):
        with monkeypatch.context() as patch:
            if broken:
                patch.setitem(decide._AT_SITE, SuspendLink, failing)
            with pytest.raises(AioRpcError) as caught:
                await house.operate("SuspendLink", request_id, link="five")
        found.append(info_of(status_of(caught.value)))
    assert found[0] == found[1]
    assert (found[0].reason, found[0].metadata["problem"]) == (Reason.MALFORMED, FAILED)
    assert (await house.operate("SuspendLink", link="five")).sequence


async def test_what_is_journaled_of_a_bad_command_is_short(house: House) -> None:
    """Never what was sent, but a few characters of it, in print."""
    dealer = await house.dealer("t4")
    before = await house.sequence()
    for bad in ("../" * 10_000, "\0\n" * 10_000, "\U0001f0cf" * 10_000):
        await refused(dealer, "place_wagers", wagers(1, bet=bad))
    with closing(open_to_read(house.store)) as journal:
        rows = journal.read(SITE, before, 10)
    assert len(rows) == 3
    assert all(len(row.body) < 600 for row in rows)


@pytest.mark.parametrize("streaming", [True, False])
async def test_a_client_goes_on_after_a_bad_command(house: House, *, streaming: bool) -> None:
    """With the next number, on a stream and by unary RPCs."""
    async with TableClient(house.channel, SITE, "t4", streaming=streaming) as client:
        await client.attach()
        await client.open_round()
        placed = client.place_wagers([wager(1)])
        bad = client.place_wagers([wager(99)])
        locked = client.lock_out()
        assert (await placed).sequence
        with pytest.raises(RefusedError) as caught:
            await bad
        assert caught.value.reason == Reason.MALFORMED
        assert (await locked).sequence
        await client.confirm_collection({"five-card-progressive": 1})
        with pytest.raises(RefusedError) as caught:
            await client.settle(BAD_HANDS.hands, BAD_HANDS.dealer)
        assert caught.value.reason == Reason.MALFORMED
        assert (await client.settle(GOOD_HANDS.hands, GOOD_HANDS.dealer)).sequence
