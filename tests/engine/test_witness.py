"""A journal that was rolled back is not served as if nothing had happened."""

import shutil
import threading
from pathlib import Path

import pytest

from jackpot.core.commands.table import OpenRound
from jackpot.core.reasons import Reason
from jackpot.engine import AlarmBoard, Engine
from jackpot.engine.commit_points import Faults, none
from jackpot.engine.witness import Witness, Witnessed, read_witness, write_witness
from jackpot.restoring import begin_incarnations
from jackpot.store.journal import Head, StoreError
from jackpot.store.opening import journal_opener
from jackpot.store.sqlite import FILE_NAME, SqliteJournal
from tests.core.floor import tagged_names
from tests.engine.pit import SITE, Pit, Trap, eventually, ok, reason


def engine_on(data: Path, witness: Path, faults: Faults = none) -> Engine:
    """An engine that keeps a witness."""
    opener = journal_opener(data)
    return Engine(opener, tagged_names, sites=[SITE], faults=faults, witness=Witness(witness))


def copy_of(data: Path, to: Path) -> Path:
    """A backup."""
    to.mkdir()
    journal = SqliteJournal.open_to_read(data)
    journal.backup(to / FILE_NAME)
    journal.close()
    return to


async def play(engine: Engine, *tables: str) -> int:
    """Start, play a little, stop; where the journal ends."""
    await engine.start()
    pit = Pit(engine)
    if tables:
        await pit.open_up(*tables)
    else:
        await pit.attach("t1")
        await pit.round("t1", 1)
    sequence = await engine.read(SITE, lambda state: state.sequence)
    await engine.drain()
    assert isinstance(sequence, int)
    return sequence


async def test_a_rolled_back_journal_is_halted_until_that_is_accepted(tmp_path: Path) -> None:
    """Behind the witness it is halted, with what to do; accepted, it is served."""
    data, witness = tmp_path / "data", tmp_path / "witness"
    await play(engine_on(data, witness), "t1")
    backup = copy_of(data, tmp_path / "backup")
    end = await play(engine_on(data, witness))
    # The last of all is a snapshot, which a stop takes.
    assert read_witness(witness)[SITE].sequence == end + 1
    shutil.rmtree(data)
    backup.rename(data)

    engine = engine_on(data, witness)
    await engine.start()
    assert "rolled back" in engine.halted[SITE]
    assert "jackpot restore --accept-rollback" in engine.halted[SITE]
    assert reason(await Pit(engine).operate(OpenRound())) == Reason.SITE_HALTED
    await engine.drain()

    known = read_witness(witness)
    (done,) = begin_incarnations(data, reason="disk failed", by="ann", known=known)
    assert (done.ordinal, done.lost_to) == (2, end + 1)
    engine = engine_on(data, witness)
    await engine.start()
    assert not engine.halted
    await Pit(engine).attach("t1")
    await engine.drain()
    assert read_witness(witness)[SITE].incarnation == done.incarnation
    assert read_witness(witness)[SITE].sequence < end, "the new history counts, not the longer one"


async def test_another_entry_at_the_same_place_is_a_rollback_too(tmp_path: Path) -> None:
    """A journal that was rolled back and has grown past its witness has another hash there."""
    data, witness, copy = tmp_path / "data", tmp_path / "witness", tmp_path / "copy"
    await play(engine_on(data, witness), "t1")
    copy_of(data, copy)
    await play(engine_on(data, witness))
    for _ in range(2):
        await play(engine_on(copy, tmp_path / "other"))
    engine = engine_on(copy, witness)
    await engine.start()
    assert "is now a different entry" in engine.halted[SITE]
    await engine.drain()


async def test_a_rollback_under_a_running_controller_is_noticed(tmp_path: Path) -> None:
    """The next command finds another journal, and nothing is served from it."""
    data, witness = tmp_path / "data", tmp_path / "witness"
    trap = Trap("before-lock", StoreError("for the test"))
    engine = engine_on(data, witness, trap)
    await engine.start()
    pit = await Pit(engine).open_up("t1")
    backup = copy_of(data, tmp_path / "backup")
    await pit.round("t1", 1)
    for path in data.iterdir():
        path.unlink()
    shutil.copy(backup / FILE_NAME, data / FILE_NAME)
    trap.armed = True
    trap.release.set()
    await pit.play("t1", OpenRound())  # the store fails, and is opened again
    await eventually(lambda: SITE in engine.halted, 30)
    assert "rolled back" in engine.halted[SITE]
    await engine.drain()


async def test_a_commit_that_failed_is_no_rollback(tmp_path: Path) -> None:
    """Only what the store has confirmed is witnessed: what came to nothing was never there."""
    data, witness = tmp_path / "data", tmp_path / "witness"
    trap = Trap("before-commit", StoreError("for the test"))
    engine = engine_on(data, witness, trap)
    await engine.start()
    pit = await Pit(engine).open_up("t1")
    trap.armed = True
    trap.release.set()
    assert reason(await pit.play("t1", OpenRound())) == Reason.STORE_UNAVAILABLE
    await eventually(lambda: engine.healthy, 30)
    assert not engine.halted
    ok(await pit.play("t1", OpenRound(), 1))
    await engine.drain()


async def test_two_controllers_share_a_witness(tmp_path: Path) -> None:
    """Each adds what it is sure of, and neither takes the other's for a rollback."""
    data, witness = tmp_path / "data", tmp_path / "witness"
    one, two = engine_on(data, witness), engine_on(data, witness)
    await one.start()
    pit = await Pit(one).open_up("t1", "t2")
    await two.start()
    other = Pit(two)
    await other.attach("t2")
    for _ in range(3):
        await pit.round("t1", 1)
        await other.round("t2", 1)
        await pit.settle("t1")
        await other.settle("t2")
    await two.drain()
    await one.drain()
    again = engine_on(data, witness)
    await again.start()
    assert not again.halted
    await again.drain()


def test_a_witness_never_goes_back(tmp_path: Path) -> None:
    """Also where many write it at once; a later incarnation counts more than a longer one."""
    path = tmp_path / "deep" / "witness"
    heads = [Witnessed(number, f"{number:064x}", number) for number in range(1, 41)]
    threads = [
        threading.Thread(target=write_witness, args=(path, {SITE: head})) for head in heads[::-1]
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert read_witness(path) == {SITE: heads[-1]}
    newer = Witnessed(3, "cd", 90, "b", 2, begun_micros=80)
    write_witness(path, {SITE: newer, "other": heads[0]})
    write_witness(path, {SITE: heads[-1]})
    assert read_witness(path) == {SITE: newer, "other": heads[0]}
    assert path.stat().st_mode & 0o007 == 0


def test_a_broken_witness_is_not_passed_over(tmp_path: Path) -> None:
    """Whoever breaks it would have what they want."""
    path = tmp_path / "witness"
    path.write_text("{")
    with pytest.raises(StoreError, match="is not a witness"):
        read_witness(path)


async def test_a_witness_that_cannot_be_written_is_an_alarm(tmp_path: Path) -> None:
    """Play goes on, the floor hears of it, and it is tried again."""
    (tmp_path / "file").write_text("")
    witness = Witness(tmp_path / "file" / "witness")
    board = AlarmBoard()
    engine = Engine(journal_opener(tmp_path / "data"), tagged_names, sites=[SITE])
    await engine.start()
    await Pit(engine).open_up("t1")
    await engine.read(SITE, lambda state: witness.note(state, Head(state.sequence, bytes(32))))
    witness.start(board)
    await eventually(lambda: bool(board.alarms(SITE)), 30)
    assert [raised.kind.name for raised in board.alarms(SITE)] == ["WITNESS_FAILED"]
    (tmp_path / "file").unlink()
    await eventually(lambda: not board.alarms(SITE), 30)
    witness.stop()
    await engine.drain()
    assert SITE in read_witness(tmp_path / "file" / "witness")
