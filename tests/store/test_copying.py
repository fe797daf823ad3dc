"""Journals move between stores whole, once, and only to where they belong."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from jackpot.core.commands.operator import AttachTable
from jackpot.core.commands.table import OpenRound
from jackpot.engine import Limits
from jackpot.store import copying
from jackpot.store.journal import StoreError
from jackpot.store.opening import Address, open_to_read
from jackpot.verify import verify
from tests.engine.pit import METER, SITE, Pit, ok, running, wagers
from tests.store.tamper import change, rows
from tests.stores import KINDS, Stores

pytestmark = pytest.mark.process


def silent(_site: str, _done: int, _total: int) -> None:
    """No progress bar."""


async def played(store: Address, rounds: int = 3) -> Pit:
    """A journal with a few rounds and snapshots."""
    async with running(store, limits=Limits(snapshot_every=8)) as engine:
        pit = await Pit(engine).open_up("t1")
        for _ in range(rounds):
            await pit.round("t1", 1, 2)
            await pit.settle("t1")
    return pit


def jackpot(*arguments: str, stderr: int = subprocess.PIPE) -> "subprocess.CompletedProcess[str]":
    """The command, run by a user."""
    return subprocess.run(
        [sys.executable, "-m", "jackpot", *arguments],
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        check=False,
        env=os.environ | {"TERM": "xterm"},
    )


@pytest.mark.parametrize("kind", KINDS)
async def test_a_copy_is_the_same_journal(store: Address, stores: Stores, kind: str) -> None:
    """Every byte of every entry and snapshot is there, and a controller goes on from it."""
    pit = await played(store)
    target = stores.new(kind)
    (copied,) = copying.copy(store, target, silent)
    one, other = open_to_read(store), open_to_read(target)
    assert one.heads() == other.heads()
    assert one.read(SITE, 0, 1_000) == other.read(SITE, 0, 1_000)
    assert list(one.snapshots(SITE)) == list(other.snapshots(SITE)) != []
    one.close()
    other.close()
    assert copied.entries == copied.head_sequence
    assert verify(target).ok
    async with running(target) as engine:
        pit.engine = engine
        assert await pit.balance(METER) == 10_000_000_000 + 6 * 210_000
        ok(await pit.play("t1", OpenRound()))


@pytest.mark.postgres
async def test_an_interrupted_copy_goes_on(
    store: Address, stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut off after any page, the next attempt copies only what is missing."""
    await played(store)
    target = stores.new("postgres")
    monkeypatch.setattr(copying, "PAGE", 5)

    def cut_off(_site: str, done: int, _total: int) -> None:
        if done >= 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copying.copy(store, target, cut_off)
    (copied,) = copying.copy(store, target, silent)
    assert copied.entries == copied.head_sequence - 10
    (again,) = copying.copy(store, target, silent)
    assert again.entries == 0
    assert verify(target).ok


async def test_another_past_is_left_alone(store: Address, stores: Stores) -> None:
    """A target whose stream is not the beginning of the source's is refused, and not changed."""
    await played(store)
    target = stores.copy(store)
    for each, seat in ((store, 1), (target, 2)):
        async with running(each) as engine:
            pit = Pit(engine)
            ok(await pit.operate(AttachTable("t1"), "99999999"))
            pit.epochs["t1"], pit.numbers["t1"] = 2, 0
            ok(await pit.play("t1", OpenRound()))
            ok(await pit.play("t1", wagers(seat)))
    before = rows(target, "SELECT sequence FROM events")
    with pytest.raises(StoreError, match="a different history"):
        copying.copy(store, target, silent)
    assert rows(target, "SELECT sequence FROM events") == before


async def test_what_does_not_hang_together_is_not_copied(store: Address, stores: Stores) -> None:
    """A changed entry of the source stops the command before anything is copied."""
    await played(store)
    change(store, "UPDATE events SET time_micros = time_micros + 1 WHERE sequence = 7")
    target = stores.new("sqlite")
    result = jackpot("store", "copy", str(store), str(target))
    assert result.returncode == 1
    assert "FROM is not sound: test at sequence 7" in result.stderr
    assert not (Path(target) / "journal.sqlite").exists()


@pytest.mark.postgres
async def test_the_command_tells_what_it_did(store: Address, stores: Stores) -> None:
    """One line a site, or JSON; nothing new the second time."""
    await played(store)
    target = str(stores.new("postgres"))
    first = jackpot("store", "copy", str(store), target)
    assert first.returncode == 0, first.stderr
    assert "entries copied; both journals are sound up to entry" in first.stdout
    second = jackpot("store", "copy", str(store), target, "--site", SITE, "--json")
    (told,) = json.loads(second.stdout)
    assert (told["site"], told["entries"]) == (SITE, 0)
    unknown = jackpot("store", "copy", str(store), target, "--site", "nowhere")
    assert unknown.returncode == 1
    assert f"has no site nowhere (it has: {SITE})" in unknown.stderr


@pytest.mark.postgres
async def test_a_terminal_shows_how_far_it_is(stores: Stores) -> None:
    """Both checks and the copy have a bar for each site, and none is left behind in the output."""
    source, target = stores.new("sqlite"), stores.new("postgres")
    await played(source)
    screen, terminal = pty.openpty()
    done = jackpot("store", "copy", str(source), str(target), stderr=terminal)
    shown = os.read(screen, 1 << 16).decode()
    for each in (screen, terminal):
        os.close(each)
    for what in ("checking FROM", "copying", "checking TO"):
        assert re.search(rf"{what} {SITE} [^\n]*100%", shown), shown
    assert done.stdout.count("\n") == 1


@pytest.mark.postgres
async def test_a_source_that_moves_on_is_noticed(store: Address, stores: Stores) -> None:
    """Whoever copies under a running controller is told that the copy is behind."""
    pit = await played(store)
    target = stores.new("postgres")
    copied = copying.copy(store, target, silent)
    copying.verify_equal(store, target, copied)
    async with running(store) as engine:
        pit.engine = engine
        ok(await pit.play("t1", OpenRound()))
    with pytest.raises(StoreError, match="the source has new entries"):
        copying.verify_equal(store, target, copied)
