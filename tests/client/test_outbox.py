"""The outbox on disk: what was sent and not answered survives the table's process."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import pytest

from jackpot.wire.v1 import table_pb2
from table_client.client import TableClient, open_channel
from table_client.outbox import Outbox, OutboxError, Unanswered
from tests.server.house import FIVE, SITE, open_house, wager


def command(number: int) -> table_pb2.PlayCommand:
    """A numbered lock-out."""
    return table_pb2.PlayCommand(number=number, lock_out=table_pb2.LockOut())


def left_in(path: Path) -> Unanswered:
    """What a new process finds."""
    outbox = Outbox(path)
    try:
        return outbox.unanswered()
    finally:
        outbox.close()


def test_what_is_not_crossed_out_comes_back(tmp_path: Path) -> None:
    """After a restart the unanswered commands are there in order, with their numbers."""
    path = tmp_path / "t4.outbox"
    outbox = Outbox(path)
    outbox.begin(3)
    for number in (1, 2, 3):
        outbox.put(command(number))
    outbox.cross_out(1)
    outbox.close()
    left = left_in(path)
    assert (left.epoch, left.last_number) == (3, 3)
    assert [each.number for each in left.commands] == [2, 3]
    assert left.commands[0] == command(2)


def test_a_line_cut_by_a_power_failure_was_never_sent(tmp_path: Path) -> None:
    """Half a line at the end is dropped; half a line in the middle is somebody's damage."""
    path = tmp_path / "t4.outbox"
    outbox = Outbox(path)
    outbox.begin(1)
    outbox.put(command(1))
    outbox.put(command(2))
    outbox.close()
    whole = path.read_text()
    path.write_text(whole[:-20])
    assert [each.number for each in left_in(path).commands] == [1]
    lines = whole.splitlines()
    path.write_text("\n".join([lines[0], lines[1][:-9], lines[2]]) + "\n")
    with pytest.raises(OutboxError, match=":2: not an outbox"):
        Outbox(path)


def test_a_new_attachment_starts_empty(tmp_path: Path) -> None:
    """Numbers begin again, and what the old attachment left is gone."""
    outbox = Outbox(tmp_path / "t4.outbox")
    outbox.begin(1)
    outbox.put(command(1))
    outbox.begin(2)
    outbox.close()
    left = left_in(tmp_path / "t4.outbox")
    assert (left.epoch, left.last_number, left.commands) == (2, 0, ())


@pytest.mark.parametrize("applied", [False, True], ids=["not yet applied", "applied, unheard"])
async def test_a_table_that_was_switched_off_recovers(tmp_path: Path, applied: bool) -> None:
    """A wager that was on its way when the power went is placed, once, and its lamp is known."""
    async with open_house(tmp_path) as house, open_channel(house.address) as channel:
        outbox = Outbox(tmp_path / "t4.outbox")
        async with TableClient(channel, SITE, "t4", outbox=outbox) as client:
            await client.attach()
            await client.open_round()
            placed = table_pb2.PlaceWagers(wagers=[wager(2), wager(5)])
            lost = table_pb2.PlayCommand(number=2, place_wagers=placed)
            if applied:
                await client.place_wagers(placed.wagers)
            epoch = client.epoch
        # As the file stood when the power went: the wager written, its answer not.
        outbox.begin(epoch)
        outbox.put(lost)
        outbox.close()
        again = Outbox(tmp_path / "t4.outbox")
        async with TableClient(channel, SITE, "t4", outbox=again) as client:
            attached = await client.recover()
            lit = [(w.seat, w.bet) for w in attached.round.wagers]
            assert lit == [(2, FIVE), (5, FIVE)]
            assert not again.unanswered().commands
            locked = await client.lock_out()
            assert len(locked.wagers) == 2
        again.close()


@pytest.fixture(name="full")
def _full() -> Iterator[TextIO]:
    file = Path("/dev/full").open("a")  # noqa: SIM115 - closing it fails, too
    yield file
    with suppress(OSError):
        file.close()


async def test_a_full_disk_loses_no_answer_and_no_number(tmp_path: Path, full: TextIO) -> None:
    """What can't be crossed out is answered all the same; what can't be put down is not sent."""
    outbox = Outbox(tmp_path / "t4.outbox")
    async with (
        open_house(tmp_path, tmp_path / "data") as house,
        open_channel(house.address) as channel,
        TableClient(channel, SITE, "t4", outbox=outbox) as client,
    ):
        await client.attach()
        opening = client.open_round()
        disk, outbox._file = outbox._file, full
        assert (await opening).round == 1
        with pytest.raises(OSError, match="No space left"):
            client.lock_out()
        outbox._file = disk
        assert (await client.place_wagers([wager(1)])).sequence
    outbox.close()
