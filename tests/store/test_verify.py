"""`verify` finds whatever differs from what the controllers wrote."""

import asyncio
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from jackpot.cli.main import main
from jackpot.core.commands.table import OpenRound
from jackpot.core.events.operator import LinkDefined
from jackpot.core.evolve import evolve
from jackpot.core.reasons import Reason
from jackpot.core.state import State
from jackpot.engine import Limits
from jackpot.store import codec
from jackpot.store.journal import Entry, Journal, StoreError
from jackpot.store.opening import Address, journal_opener, open_to_read
from jackpot.store.sqlite import FILE_NAME
from jackpot.verify import verify
from tests.engine.pit import METER, SITE, Pit, ok, reason, running
from tests.store.tamper import change, rows
from tests.stores import KINDS, Stores

COLUMNS = ("sequence", "time_micros", "kind", "version", "body", "hash")


@pytest.fixture(scope="module", params=KINDS)
def original(request: pytest.FixtureRequest, stores: Stores) -> Address:
    """A journal with two rounds, a settlement and snapshots in the middle and at the end."""
    return played(stores.new(request.param))


def played(store: Address) -> Address:
    """Such a journal."""

    async def play() -> None:
        async with running(store, limits=Limits(snapshot_every=8)) as engine:
            pit = await Pit(engine).open_up("t1")
            await pit.round("t1", 1, 2, 3)
            await pit.settle("t1")
            await pit.round("t1", 4)

    asyncio.run(play())
    return store


@pytest.fixture
def journal(original: Address, stores: Stores) -> Address:
    """A copy to damage."""
    return stores.copy(original)


@pytest.fixture(scope="module")
def original_file(tmp_path_factory: pytest.TempPathFactory) -> Address:
    """The same in a file."""
    return played(tmp_path_factory.mktemp("original"))


@pytest.fixture
def file(original_file: Path, tmp_path: Path) -> Path:
    """A copy of the file to damage."""
    shutil.copy(original_file / FILE_NAME, tmp_path / FILE_NAME)
    return tmp_path


def rows_of(store: Address) -> list[dict[str, Any]]:
    """Every event row by column."""
    found = rows(store, f"SELECT {', '.join(COLUMNS)} FROM events ORDER BY sequence")
    return [dict(zip(COLUMNS, row, strict=True)) for row in found]


def test_a_sound_journal_passes(journal: Address) -> None:
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
def test_a_flipped_bit_of_any_row_is_found(journal: Address, column: str) -> None:
    """A bit changed in any column of any row is found, and the row named."""
    source = random.Random(657)
    new = "CAST(? AS TEXT)" if column in {"kind", "body"} else "?"
    flip = f"UPDATE events SET {column} = {new} WHERE sequence = ?"
    found = 0
    step = 1 if isinstance(journal, Path) else 3  # a connection for each takes its time
    for row in rows_of(journal)[::step]:
        sequence, bad = row["sequence"], flipped(row[column], source)
        if not change(journal, flip, bad, sequence):
            continue
        found += 1
        report = verify(journal)
        assert not report.ok, f"{column} of {sequence} as {bad!r}"
        assert report.sites[0].first_bad == sequence
        now = bad if column == "sequence" else sequence
        assert change(journal, flip, as_stored(row[column]), now)
    assert verify(journal).ok
    assert found > 0


def test_every_byte_of_a_row_counts(file: Path) -> None:
    """Each byte of an entry's body and hash, flipped in the file itself, is found."""
    path = file / FILE_NAME
    good = path.read_bytes()
    # Pages that were split hold dead copies of rows; of this row there is none.
    row = next(row for row in rows_of(file) if good.count(row["body"].encode()) == 1)
    for part in (row["body"].encode(), row["hash"]):
        start = good.index(part)
        for offset in range(start, start + len(part)):
            bad = bytearray(good)
            bad[offset] ^= 0x01
            path.write_bytes(bad)
            assert not verify(file).ok, f"byte {offset - start} of {part!r}"
    path.write_bytes(good)
    assert verify(file).ok


@pytest.mark.parametrize(
    ("damage", "first_bad"),
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
        ("UPDATE streams SET version = 99", None),
        ("UPDATE snapshots SET sequence = 0 WHERE sequence = 8", 1),
    ],
)
def test_larger_damage_is_found(journal: Address, damage: str, first_bad: int | None) -> None:
    """Rows that are gone, heads that lie, snapshots of nothing: each is found."""
    assert change(journal, damage)
    report = verify(journal)
    assert not report.ok
    if first_bad is not None:
        assert report.sites[0].first_bad == first_bad


def test_damage_to_the_file_is_found(file: Path) -> None:
    """A page of rubbish ends in a report, not in an exception."""
    path = file / FILE_NAME
    content = bytearray(path.read_bytes())
    content[8192:12288] = bytes(random.Random(1).randbytes(4096))
    path.write_bytes(content)
    assert not verify(file).ok


def test_there_must_be_a_journal(store: Address) -> None:
    """Where there is nothing to verify, that is said."""
    with pytest.raises(StoreError, match="there is no journal"):
        verify(store)


def edit_snapshots(store: Address, which: str) -> None:
    """Put a dollar more on the meter of snapshots."""
    for sequence, state in rows(store, f"SELECT sequence, state FROM snapshots {which}"):
        assert f'"{METER}":10000'.encode() in state
        edited = state.replace(f'"{METER}":10000'.encode(), f'"{METER}":10001'.encode())
        change(store, "UPDATE snapshots SET state = ? WHERE sequence = ?", edited, sequence)


@pytest.mark.parametrize("which", ["ORDER BY sequence DESC LIMIT 1", ""], ids=["newest", "all"])
async def test_an_edited_snapshot_is_refused(
    journal: Address, which: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A snapshot with one meter edited is not started from, and verify reports it."""
    edit_snapshots(journal, which)
    report = verify(journal)
    assert not report.ok
    assert "snapshot" in report.sites[0].problem
    async with running(journal) as engine:
        assert await Pit(engine).balance(METER) == 10_000_840_000
    assert "is not used" in caplog.text


def test_replay_consults_no_rates(journal: Address) -> None:
    """A journal whose links have other rates and paytables by now replays to the same money."""
    opened = open_to_read(journal)
    entries = opened.read(SITE, 0, 1_000)
    opened.close()
    states = []
    for primary_bps in (2_100, 9_900):
        state = State(SITE)
        for entry in entries:
            record = codec.decode_entry(SITE, entry)
            if isinstance(record.event, LinkDefined):
                body = entry.body.replace(b'"primary_bps":2100', b'"primary_bps":%d' % primary_bps)
                record = codec.decode_entry(SITE, replace(entry, body=body))
            evolve(state, record, entry.sequence, entry.time_micros)
        states.append(state)
    one, other = states
    assert one.links["a"].config != other.links["a"].config
    other.links["a"].config = one.links["a"].config
    assert one == other


async def test_restart_reads_from_the_snapshot_on(
    store: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the journal is, a start reads no more than what follows the last snapshot."""
    limits = Limits(snapshot_every=10)
    async with running(store, limits=limits) as engine:
        pit = await Pit(engine).open_up("t1")
        for _ in range(60):
            await pit.play("t1", OpenRound())
    read = 0

    def open_counting() -> Journal:
        journal = journal_opener(store)()
        read_some = journal.read

        def count(site: str, after: int, limit: int) -> list[Entry]:
            nonlocal read
            entries = read_some(site, after, limit)
            read += len(entries)
            return entries

        monkeypatch.setattr(journal, "read", count)
        return journal

    async with running(store, limits=limits, journal=open_counting) as engine:
        assert 0 < read <= 12
        assert await engine.read(SITE, lambda state: state.sequence > 60)


async def test_a_broken_chain_halts_the_site(journal: Address) -> None:
    """A site whose journal was tampered with is not served; another site in the file is."""
    change(journal, "DELETE FROM snapshots")
    change(journal, "UPDATE events SET time_micros = time_micros + 1 WHERE sequence = 3")
    async with running(journal, sites=(SITE, "other")) as engine:
        assert "sequence 3" in engine.halted[SITE]
        refused = await Pit(engine).operate(OpenRound())
        assert reason(refused) is Reason.SITE_HALTED
        ok(await (await Pit(engine, "other").open_up("t1")).play("t1", OpenRound()))
    assert [site.first_bad for site in verify(journal).sites] == [0, 3]


def test_reading_leaves_nothing_behind(file: Path) -> None:
    """A journal that lies still is read from a folder that can't be written, and stays alone."""
    before = sorted(path.name for path in file.iterdir())
    file.chmod(0o555)
    try:
        assert verify(file).ok
    finally:
        file.chmod(0o755)
    assert sorted(path.name for path in file.iterdir()) == before == [FILE_NAME]


def test_a_controller_that_starts_meanwhile_is_noticed(file: Path) -> None:
    """What was read beside a log that came later is worth nothing, and is not called damage."""
    archive = open_to_read(file)
    writer = journal_opener(file)()
    writer.heads()
    with pytest.raises(StoreError, match="try again"):
        archive.close()
    writer.close()


def test_an_empty_journal_is_not_sound(tmp_path: Path) -> None:
    """A store that was wiped, or never written, has nothing to vouch for."""
    journal_opener(tmp_path)().close()
    report = verify(tmp_path)
    assert (report.ok, report.problem) == (False, "the journal is empty")


def test_an_earlier_head_must_be_in_the_chain(journal: Address) -> None:
    """A tail that was cut off, a chain written anew and a missing site are found by it."""
    found = rows_of(journal)
    last = found[-1]["sequence"]
    for row in (found[0], found[-2], found[-1]):
        hash_ = bytes(row["hash"]).hex()
        for said in (hash_, hash_[:8]):
            assert verify(journal, noted={SITE: (row["sequence"], said)}).ok
    other = verify(journal, noted={SITE: (last - 1, bytes(found[-1]["hash"]).hex())})
    assert (other.ok, other.sites[0].first_bad) == (False, last - 1)
    cut = verify(journal, noted={SITE: (last + 1, "0" * 64)})
    assert (cut.ok, cut.sites[0].first_bad) == (False, last + 1)
    assert not verify(journal, noted={"elsewhere": (1, "0" * 64)}).ok


@pytest.mark.parametrize("head", ["x", "test=1", "test=x:00000000", "test=1:zz", "=1:00000000"])
def test_a_head_that_is_none_is_wrong_usage(tmp_path: Path, head: str) -> None:
    """One line says how a head is written."""
    result = CliRunner().invoke(main, ["verify", "--data", str(tmp_path), "--head", head])
    assert result.exit_code == 2
    assert "is not a journal head" in result.stderr


def test_the_command_takes_an_earlier_head(file: Path) -> None:
    """Exit 0 where it is in the chain, 1 where it is not."""
    row = rows_of(file)[-1]
    for hash_, code in ((row["hash"].hex(), 0), ("0" * 16, 1)):
        head = f"{SITE}={row['sequence']}:{hash_}"
        result = CliRunner().invoke(main, ["verify", "--data", str(file), "--head", head])
        assert result.exit_code == code, result.output
