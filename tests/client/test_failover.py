"""A table goes on with another controller when the one that it talked to fails."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from jackpot.core.reasons import Reason
from jackpot.store.opening import Address
from jackpot.verify import verify
from jackpot.wire.refusals import RefusedError, UnreachableError
from table_client.client import TableClient, open_channel
from table_client.controllers import PATIENCE_S
from tests.server.house import FIVE, SITE, House, free_port, hands, open_house, wager
from tests.stores import Stores

MODES = pytest.mark.parametrize("streaming", [True, False], ids=["stream", "unary"])


@asynccontextmanager
async def two_houses(folder: Path, store: Address) -> AsyncIterator[tuple[House, House]]:
    """Two controllers of one site on one store."""
    async with open_house(folder, store) as one, open_house(folder, store) as other:
        yield one, other


def client_of(*houses: House, streaming: bool = True, deadline_s: float = 20) -> TableClient:
    """A table's client that knows these controllers."""
    channels = [house.channel for house in houses]
    return TableClient(channels, SITE, "t4", deadline_s=deadline_s, streaming=streaming)


@MODES
async def test_the_round_goes_on_elsewhere(tmp_path: Path, store: Address, streaming: bool) -> None:
    """A controller that ends in the middle of a round is replaced by the next, in one epoch."""
    async with two_houses(tmp_path, store) as (one, other):
        async with client_of(one, other, streaming=streaming) as client:
            attached = await client.attach()
            await client.open_round()
            await client.place_wagers([wager(1), wager(2)])
            await one.controller.stop()
            locked = await client.lock_out()
            assert [placed.seat for placed in locked.wagers] == [1, 2]
            await client.confirm_collection({FIVE: 2})
            deal = hands({}, 1, 2)
            await client.settle(deal.hands, deal.dealer)
            assert client.epoch == attached.epoch
        assert (await other.meter("five"))["main"] == 10_000_420_000
    assert verify(store).ok


@pytest.mark.postgres
async def test_a_silent_controller_is_left(tmp_path: Path, stores: Stores) -> None:
    """What one controller does not answer in time another one does, and it happens once."""
    store = stores.new("postgres")
    async with two_houses(tmp_path, store) as (one, other), client_of(one, other) as client:
        await client.attach()
        one.faults.hold_at = "before-commit"
        began = time.monotonic()
        opened = await client.open_round()
        assert PATIENCE_S - 0.5 < time.monotonic() - began < PATIENCE_S + 20
        one.faults.hold_at = None
        one.faults.go_on.set()
        assert opened.round == 1
        assert (await client.lock_out()).sequence == opened.sequence + 1
    assert verify(store).ok


async def test_the_later_attachment_fences_the_earlier(tmp_path: Path, store: Address) -> None:
    """A table attached anew through another controller shuts out whoever spoke for it before."""
    async with (
        two_houses(tmp_path, store) as (one, other),
        client_of(one) as early,
        client_of(other) as late,
    ):
        first = await early.attach()
        await early.open_round()
        second = await late.attach()
        assert second.epoch == first.epoch + 1
        assert second.round.number == 1
        with pytest.raises(RefusedError) as caught:
            await early.place_wagers([wager(1)])
        assert caught.value.reason == Reason.FENCED
        with pytest.raises(RefusedError) as caught:
            await early.heartbeat()
        assert caught.value.reason == Reason.FENCED
        await late.place_wagers([wager(1)])
        assert (await late.heartbeat()).last_number == 1


@MODES
async def test_with_no_controller_left_the_deadline_counts(streaming: bool) -> None:
    """When none of them answers, commands and attachments fail after the deadline, not before."""
    channels = [open_channel(f"127.0.0.1:{free_port()}") for _ in range(2)]
    client = TableClient(channels, SITE, "t4", deadline_s=0.5, streaming=streaming)
    began = time.monotonic()
    with pytest.raises(UnreachableError):
        await client.attach()
    assert 0.3 < time.monotonic() - began < 20
    await asyncio.gather(*(channel.close() for channel in channels))
