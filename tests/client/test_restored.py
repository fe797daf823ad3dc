"""Our own table goes on by itself when a backup is restored behind it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from jackpot.core.events.table import RoundVoided, TableAttached
from jackpot.reports.walk import open_walk
from jackpot.restoring import restore
from jackpot.store import codec
from jackpot.store.sqlite import FILE_NAME, SqliteJournal
from table_client.client import TableClient, open_channel
from table_client.outbox import Outbox
from table_client.table.floor import Floor
from table_client.table.games.catalogue import GAMES
from table_client.table.players import SimulatedPlayer
from table_client.table.progressive import LinkedProgressive
from table_client.table.round.play import Table
from tests.client.games.decks import PlainDeck, seeded_order
from tests.engine.pit import eventually
from tests.server.house import SITE, free_port, open_house

GAME = "pa-crazy-4-poker"


def backup(data: Path, to: Path) -> None:
    """A copy of a journal in use."""
    to.mkdir()
    journal = SqliteJournal.open_to_read(data)
    journal.backup(to / FILE_NAME)
    journal.close()


def put_back(copy: Path, data: Path) -> int:
    """Restore it; the last entry that there still is."""
    (done,) = restore(copy, data, reason="disk failed", by="ann", discard_newer=True)
    return done.common_sequence


async def test_tables_play_on_from_an_older_backup(tmp_path: Path) -> None:
    """Taken while three tables play; each attaches again, says what it lost, and goes on."""
    data, copy, address = tmp_path / "data", tmp_path / "copy", f"127.0.0.1:{free_port()}"
    names = ["t4", "s0", "s1"]
    rounds = dict.fromkeys(names, 0)

    async def play(name: str) -> None:
        async with (
            open_channel(address) as channel,
            TableClient(channel, SITE, name, deadline_s=60) as client,
        ):
            await client.attach()
            linked = LinkedProgressive(client, Floor([channel], SITE))
            table = Table(GAMES[GAME], PlainDeck(seeded_order(name)), linked)
            players = {seat: SimulatedPlayer(f"p{seat}", name) for seat in (1, 2)}
            while True:
                await table.play_round(players)
                rounds[name] += 1
                await asyncio.sleep(0)

    async def several_more() -> None:
        so_far = dict(rounds)
        await eventually(lambda: all(rounds[name] > so_far[name] + 1 for name in names), 60)

    async with asyncio.TaskGroup() as group:
        async with open_house(tmp_path, many=2, address=address):
            tasks = [group.create_task(play(name)) for name in names]
            await several_more()
            await asyncio.to_thread(backup, data, copy)
            await several_more()
        common = await asyncio.to_thread(put_back, copy, data)
        async with open_house(tmp_path, many=2, address=address):
            await several_more()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    with open_walk(data) as walk:
        events = [codec.decode_entry(SITE, entry).event for entry in walk.entries(common)]
    lost = {
        event.table: event.lost
        for event in events
        if isinstance(event, TableAttached) and event.lost
    }
    assert lost.keys() == set(names)
    for each in lost.values():
        assert each.first == common + 1 <= each.last
        assert each.round > 0
    voids = [event.irregularity for event in events if isinstance(event, RoundVoided)]
    assert set(voids) <= {"RESTORED", "NO_WAGERS"}


@asynccontextmanager
async def outbox(path: Path) -> AsyncIterator[Outbox]:
    """A table's file, for as long as a process of it lasts."""
    box = Outbox(path)
    try:
        yield box
    finally:
        box.close()


async def test_a_table_that_starts_again_still_says_what_it_had(tmp_path: Path) -> None:
    """Its outbox remembers; what stands there unanswered is of the lost history, and is dropped."""
    data, address = tmp_path / "data", f"127.0.0.1:{free_port()}"
    path = tmp_path / "outbox"
    async with (
        open_house(tmp_path, address=address),
        open_channel(address) as channel,
        outbox(path) as box,
        TableClient(channel, SITE, "t4", outbox=box) as client,
    ):
        await client.attach()
        await asyncio.to_thread(backup, data, tmp_path / "copy")
        opened = await client.open_round()
    await asyncio.to_thread(put_back, tmp_path / "copy", data)
    async with (
        open_house(tmp_path, address=address),
        open_channel(address) as channel,
        outbox(path) as box,
        TableClient(channel, SITE, "t4", outbox=box) as client,
    ):
        assert (await client.recover()).round.number == 0
        assert client.restored
        assert (await client.open_round()).round == 1
    with open_walk(data) as walk:
        events = [codec.decode_entry(SITE, entry).event for entry in walk.entries()]
    (lost,) = [event.lost for event in events if isinstance(event, TableAttached) and event.lost]
    assert (lost.last, lost.round) == (opened.sequence, 1)


async def test_meters_are_shown_anew(tmp_path: Path) -> None:
    """Also where the restored journal has not come as far as what was seen."""
    data, address = tmp_path / "data", f"127.0.0.1:{free_port()}"
    async with open_channel(address) as channel:
        client = TableClient(channel, SITE, "t4")
        watch = client.watch_meters(["five"])
        async with open_house(tmp_path, address=address) as house:
            await asyncio.to_thread(backup, data, tmp_path / "copy")
            assert (await anext(watch)).meters[0].amount_micros == 10_000_000_000
            dealer = await house.dealer("t4")
            for _ in range(2):
                await dealer.settled({}, 1, 2)
            while (await anext(watch)).meters[0].amount_micros != 10_000_840_000:
                pass
        await asyncio.to_thread(put_back, tmp_path / "copy", data)
        async with open_house(tmp_path, address=address), asyncio.timeout(30):
            assert (await anext(watch)).meters[0].amount_micros == 10_000_000_000
