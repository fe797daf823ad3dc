"""`verify` finds whatever differs from what the controllers wrote."""

import asyncio
import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pysqlite3
import pytest

from jackpot.core.commands import OpenRound
from jackpot.core.events import LinkDefined
from jackpot.core.evolve import evolve
from jackpot.core.reasons import Reason
from jackpot.core.state import State
from jackpot.engine import Limits
from jackpot.store import codec
from jackpot.store.journal import StoreError
from jackpot.store.sqlite import FILE_NAME, SqliteJournal
from jackpot.verify import verify
from tests.engine.pit import METER, SITE, Pit, ok, reason, running

COLUMNS = ("sequence", "time_micros", "kind", "version", "body", "hash")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal with two rounds, a settlement and snapshots in the middle and at the end."""
    directory = tmp_path_factory.mktemp("original")

    async def play() -> None:
        async with running(directory, limits=Limits(snapshot_every=8)) as engine:
            pit = await Pit(engine).open_up("t1")
            await pit.round("t1", 1, 2, 3)
            await pit.settle("t1")
            await pit.round("t1", 4)

    asyncio.run(play())
    return directory


@pytest.fixture
def journal(original: Path, tmp_path: Path) -> Path:
    """A copy to damage."""
    shutil.copy(original / FILE_NAME, tmp_path / FILE_NAME)
    return tmp_path


@contextmanager
def database(directory: Path) -> Iterator[Any]:
    """The file as anybody could open it."""
    connection = pysqlite3.connect(str(directory / FILE_NAME))
    yield connection
    connection.commit()
    connection.close()


def rows_of(directory: Path) -> list[dict[str, Any]]:
    """Every event row by column."""
    with database(directory) as opened:
        rows = opened.execute(f"SELECT {', '.join(COLUMNS)} FROM events").fetchall()
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows]


def test_a_sound_journal_passes(journal: Path) -> None:
    """All entries and snapshots are found good, and progress is told."""
    progress: list[tuple[str, int, int]] = []
    report = verify(journal, lambda *step: progress.append(step))
    (site,) = report.sites
    assert report.ok
    assert site.entries == site.head_sequence == len(rows_of(journal))
    assert site.snapshots == 2
    assert progress == [(SITE, site.entries, site.entries)]


def flipped(value: int | str | bytes, source: random.Random) -> int | bytes:
    """A column's value with one bit of one byte changed."""
    if isinstance(value, int):
        return value ^ (1 << source.randrange(40))
    raw = bytearray(as_stored(value))
    raw[source.randrange(len(raw))] ^= 1 << source.randrange(8)
    return bytes(raw)


def as_stored(value: int | str | bytes) -> Any:
    """A value whose text is given as bytes, good or bad."""
    return value.encode() if isinstance(value, str) else value


@pytest.mark.parametrize("column", COLUMNS)
def test_a_flipped_bit_of_any_row_is_found(journal: Path, column: str) -> None:
    """A bit changed in any column of any row is found, and the row named."""
    source = random.Random(657)
    new = "CAST(? AS TEXT)" if column in {"kind", "body"} else "?"
    change = f"UPDATE OR IGNORE events SET {column} = {new} WHERE sequence = ?"
    for row in rows_of(journal):
        sequence, bad = row["sequence"], flipped(row[column], source)
        with database(journal) as opened:
            # Two rows can't have one number: the table itself keeps such a flip out.
            if not opened.execute(change, (bad, sequence)).rowcount:
                continue
        report = verify(journal)
        assert not report.ok, f"{column} of {sequence} as {bad!r}"
        assert report.sites[0].first_bad == sequence
        with database(journal) as opened:
            now = bad if column == "sequence" else sequence
            opened.execute(change, (as_stored(row[column]), now))
    assert verify(journal).ok


def test_every_byte_of_a_row_counts(journal: Path) -> None:
    """Each byte of an entry's body and hash, flipped in the file itself, is found."""
    path = journal / FILE_NAME
    good = path.read_bytes()
    # Pages that were split hold dead copies of rows; of this row there is none.
    row = next(row for row in rows_of(journal) if good.count(row["body"].encode()) == 1)
    for part in (row["body"].encode(), row["hash"]):
        start = good.index(part)
        for offset in range(start, start + len(part)):
            bad = bytearray(good)
            bad[offset] ^= 0x01
            path.write_bytes(bad)
            assert not verify(journal).ok, f"byte {offset - start} of {part!r}"
    path.write_bytes(good)
    assert verify(journal).ok


@pytest.mark.parametrize(
    ("change", "first_bad"),
    [
        ("DELETE FROM events WHERE sequence = 7", 7),
        ("DELETE FROM events WHERE sequence = (SELECT max(sequence) FROM events)", None),
        ("DELETE FROM events", 1),
        ("UPDATE streams SET sequence = sequence - 1", None),
        ("UPDATE streams SET hash = zeroblob(32)", None),
        ("UPDATE streams SET site = 'elsewhere'", 1),
        ("DELETE FROM streams", None),
        ("UPDATE snapshots SET sequence = 900 WHERE sequence = 8", 900),
        ("UPDATE events SET stream = 2 WHERE sequence > 5", 6),
        ("UPDATE events SET kind = 'Dreamt' WHERE sequence = 3", 3),
    ],
)
def test_larger_damage_is_found(journal: Path, change: str, first_bad: int | None) -> None:
    """Rows that are gone, heads that lie, snapshots of nothing: each is found."""
    with database(journal) as opened:
        opened.execute(change)
    report = verify(journal)
    assert not report.ok
    if first_bad is not None:
        assert report.sites[0].first_bad == first_bad


def test_damage_to_the_file_is_found(journal: Path) -> None:
    """A page of rubbish ends in a report, not in an exception."""
    path = journal / FILE_NAME
    content = bytearray(path.read_bytes())
    content[8192:12288] = bytes(random.Random(1).randbytes(4096))
    path.write_bytes(content)
    assert not verify(journal).ok


def test_there_must_be_a_journal(tmp_path: Path) -> None:
    """Where there is nothing to verify, that is said."""
    with pytest.raises(StoreError, match="there is no journal"):
        verify(tmp_path)


def edit_snapshots(directory: Path, which: str) -> None:
    """Put a dollar more on the meter of snapshots."""
    with database(directory) as opened:
        for sequence, state in opened.execute(f"SELECT sequence, state FROM snapshots {which}"):
            assert f'"{METER}":10000'.encode() in state
            edited = state.replace(f'"{METER}":10000'.encode(), f'"{METER}":10001'.encode())
            opened.execute("UPDATE snapshots SET state = ? WHERE sequence = ?", (edited, sequence))


@pytest.mark.parametrize("which", ["ORDER BY sequence DESC LIMIT 1", ""], ids=["newest", "all"])
async def test_an_edited_snapshot_is_refused(
    journal: Path, which: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A snapshot with one meter edited is not started from, and verify reports it."""
    edit_snapshots(journal, which)
    report = verify(journal)
    assert not report.ok
    assert "snapshot" in report.sites[0].problem
    async with running(journal) as engine:
        assert await Pit(engine).balance(METER) == 10_000_840_000
    assert "is not used" in caplog.text


def test_replay_consults_no_rates(journal: Path) -> None:
    """A journal whose links have other rates and paytables by now replays to the same money."""
    opened = SqliteJournal.open_to_read(journal)
    entries = opened.read(SITE, 0, 1_000)
    opened.close()
    states = []
    for primary_bps in (2_100, 9_900):
        state = State(SITE)
        for entry in entries:
            record = codec.decode_entry(SITE, entry)
            if isinstance(record.event, LinkDefined):
                body = entry.body.replace(b'"primary_bps":2100', b'"primary_bps":%d' % primary_bps)
                record = codec.decode_entry(SITE, entry._replace(body=body))
            evolve(state, record, entry.sequence, entry.time_micros)
        states.append(state)
    one, other = states
    assert one.links["a"].config != other.links["a"].config
    other.links["a"].config = one.links["a"].config
    assert one == other


async def test_restart_reads_from_the_snapshot_on(tmp_path: Path) -> None:
    """However long the journal is, a start reads no more than what follows the last snapshot."""
    limits = Limits(snapshot_every=10)
    async with running(tmp_path, limits=limits) as engine:
        pit = await Pit(engine).open_up("t1")
        for _ in range(60):
            await pit.play("t1", OpenRound())
    read = 0

    class Counting(SqliteJournal):
        def read(self, site: str, after: int, limit: int) -> list[Any]:
            nonlocal read
            entries = super().read(site, after, limit)
            read += len(entries)
            return entries

    async with running(tmp_path, limits=limits, journal=lambda: Counting.open(tmp_path)) as engine:
        assert read <= 12
        assert await engine.read(SITE, lambda state: state.sequence > 60)


async def test_a_broken_chain_halts_the_site(journal: Path) -> None:
    """A site whose journal was tampered with is not served; another site in the file is."""
    with database(journal) as opened:
        opened.execute("DELETE FROM snapshots")
        opened.execute("UPDATE events SET time_micros = time_micros + 1 WHERE sequence = 3")
    async with running(journal, sites=(SITE, "other")) as engine:
        assert "sequence 3" in engine.halted[SITE]
        refused = await Pit(engine).operate(OpenRound())
        assert reason(refused) is Reason.SITE_HALTED
        ok(await (await Pit(engine, "other").open_up("t1")).play("t1", OpenRound()))
    assert [site.first_bad for site in verify(journal).sites] == [0, 3]
