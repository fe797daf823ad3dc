"""What the engine promises when something goes wrong: an answer at once, and nothing twice."""

import asyncio
import time
from pathlib import Path

import pytest

from emulator.linux_process import free_port
from emulator.soak.under_test import InjectedError, from_environment
from jackpot.core.commands.table import LockOut, OpenRound
from jackpot.core.events.table import WagersPlaced
from jackpot.core.invariants import BrokenInvariantError, check
from jackpot.core.reasons import Reason
from jackpot.core.state import State
from jackpot.engine import CommandOrder, JournaledAnswer, Limits, replica
from jackpot.engine.commit_points import POINTS, Point
from jackpot.store.journal import StoreError
from jackpot.store.opening import Address
from jackpot.verify import verify
from tests.engine.pit import WITHIN_S, Pit, Trap, eventually, ok, reason, running, wagers
from tests.stores import KINDS


class WriterKilled(BaseException):
    """Nothing that a program expects."""


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize(
    "error", [InjectedError("test"), WriterKilled("test")], ids=["error", "death"]
)
async def test_writer_raises_at_each_step(
    store: Address, point: Point, error: BaseException
) -> None:
    """Whatever raises wherever: all who wait are answered within a second, and health flips."""
    healths: list[bool] = []
    trap = Trap(point, error)
    limits = Limits(snapshot_every=1) if point == "snapshot" else Limits()
    async with running(store, faults=trap, limits=limits, on_health=healths.append) as engine:
        pit = await Pit(engine).open_up("t1", "t2")
        trap.armed = True
        in_batch = pit.send("t1", OpenRound(), wagers(1))
        await eventually(trap.reached.is_set)
        behind = pit.send("t2", OpenRound(), wagers(1), order=CommandOrder())
        began = time.monotonic()
        trap.release.set()
        outcomes = await asyncio.wait_for(asyncio.gather(*in_batch, *behind), WITHIN_S)
        assert time.monotonic() - began < WITHIN_S
        assert [reason(outcome) for outcome in outcomes[2:]] == [Reason.STORE_UNAVAILABLE] * 2
        if point != "snapshot":  # a snapshot is taken when its batch has been answered
            assert reason(outcomes[0]) is Reason.STORE_UNAVAILABLE
        await eventually(lambda: False in healths, WITHIN_S)
        if isinstance(error, WriterKilled):
            assert not engine.healthy
            refused = await asyncio.wait_for(pit.play("t1", OpenRound()), WITHIN_S)
            assert reason(refused) is Reason.STORE_UNAVAILABLE
    await _retry(store, pit)


async def _retry(store: Address, pit: Pit) -> None:
    """Send the same commands again to a controller that is well: each is carried out once."""
    async with running(store) as engine:
        pit.engine = engine
        for table_id in ("t1", "t2"):
            first = [
                await pit.play(table_id, OpenRound(), 1),
                await pit.play(table_id, wagers(1), 2),
            ]
            again = [
                await pit.play(table_id, OpenRound(), 1),
                await pit.play(table_id, wagers(1), 2),
            ]
            assert [ok(outcome) for outcome in first] == again
            placed = first[1]
            assert isinstance(placed, JournaledAnswer)
            assert isinstance(placed.event, WagersPlaced)
    assert verify(store).ok


async def test_health_comes_back(store: Address) -> None:
    """After a failed batch the controller probes its store and serves again, by itself."""
    healths: list[bool] = []
    trap = Trap("before-commit", InjectedError("test"))
    trap.release.set()
    async with running(store, faults=trap, on_health=healths.append) as engine:
        pit = await Pit(engine).open_up("t1")
        trap.armed = True
        assert reason(await pit.play("t1", OpenRound())) is Reason.STORE_UNAVAILABLE
        await eventually(lambda: engine.healthy)
        ok(await pit.play("t1", OpenRound(), 1))
    assert healths == [True, False, True, False]


async def test_no_lock_out_from_a_failed_batch(store: Address) -> None:
    """A wager behind a lock-out whose commit failed is not told that it was locked out."""
    trap = Trap("before-commit", InjectedError("test"))
    trap.release.set()
    async with running(store, faults=trap) as engine:
        pit = await Pit(engine).open_up("t1")
        ok(await pit.play("t1", OpenRound()))
        trap.armed = True
        outcomes = await asyncio.gather(*pit.send("t1", LockOut(), wagers(1)))
        assert [reason(outcome) for outcome in outcomes] == [Reason.STORE_UNAVAILABLE] * 2
        await eventually(lambda: engine.healthy)
        ok(await pit.play("t1", wagers(1), 2))  # nothing was decided, so another order is as good


async def test_a_failed_lane_stays_failed(store: Address) -> None:
    """Behind a failed batch nothing of its order is taken, even when the store works again."""
    trap = Trap("before-commit", InjectedError("test"))
    async with running(store, faults=trap) as engine:
        pit = await Pit(engine).open_up("t1", "t2")
        order = CommandOrder()
        (opened,) = pit.send("t1", OpenRound(), order=order)
        ok(await opened)
        trap.armed = True
        failing = pit.send("t1", wagers(1), order=order)
        await eventually(trap.reached.is_set)
        queued = pit.send("t1", wagers(2), order=order)
        trap.release.set()
        await asyncio.gather(*failing, *queued)
        await eventually(lambda: engine.healthy)
        later = pit.send("t1", wagers(3), LockOut(), order=order)
        outcomes = await asyncio.gather(*failing, *queued, *later)
        assert [reason(outcome) for outcome in outcomes] == [Reason.STORE_UNAVAILABLE] * 4
        (other,) = pit.send("t2", OpenRound(), order=CommandOrder())
        ok(await other)
        for number, command in ((2, wagers(1)), (3, wagers(2)), (4, wagers(3)), (5, LockOut())):
            ok(await pit.play("t1", command, number))


async def test_a_deliver_that_raises_harms_nobody_else(store: Address) -> None:
    """When one answer can't be delivered, the next one still is."""

    def broken(_: object) -> None:
        raise RuntimeError("the caller is gone")

    async with running(store) as engine:
        pit = await Pit(engine).open_up("t1")
        engine.submit(pit.request("t1", OpenRound()), broken)
        ok(await pit.play("t1", wagers(1)))


async def test_a_hanging_commit_is_ill_health(store: Address) -> None:
    """A commit that takes too long shows in the controller's health while it lasts."""
    trap = Trap("before-commit")
    async with running(store, faults=trap, limits=Limits(stalled_s=0.2)) as engine:
        pit = await Pit(engine).open_up("t1")
        trap.armed = True
        (opened,) = pit.send("t1", OpenRound())
        await eventually(lambda: not engine.healthy)
        trap.release.set()
        ok(await opened)
        await eventually(lambda: engine.healthy)


async def test_a_broken_invariant_halts_its_site_only(
    store: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A site whose accounts stop adding up takes nothing more; another site goes on."""

    def check_east(state: State) -> None:
        if state.site == "east" and state.tables["t1"].round:
            raise BrokenInvariantError("for the test")
        check(state)

    async with running(store, sites=("east", "west")) as engine:
        east, west = Pit(engine, "east"), Pit(engine, "west")
        await east.open_up("t1")
        await west.open_up("t1")
        monkeypatch.setattr(replica, "check_open", check_east)
        assert reason(await east.play("t1", OpenRound())) is Reason.SITE_HALTED
        await eventually(lambda: engine.healthy)
        assert "for the test" in engine.halted["east"]
        assert reason(await east.play("t1", OpenRound(), 1)) is Reason.SITE_HALTED
        refused = await engine.read("east", lambda state: state.sequence)
        assert refused.reason is Reason.SITE_HALTED  # type: ignore[union-attr]
        ok(await west.play("t1", OpenRound()))
    monkeypatch.undo()
    assert verify(store).ok


@pytest.mark.parametrize("kind", KINDS)
async def test_writer_that_never_starts(tmp_path: Path, kind: str) -> None:
    """An engine whose store can't be opened says why, and is not healthy."""
    store: Address = tmp_path
    if kind == "sqlite":
        (tmp_path / "journal.sqlite").write_text("this is no database, by any means")
    else:
        store = f"postgresql://127.0.0.1:{free_port()}/nowhere"
    with pytest.raises(StoreError, match=r"not a database|refused"):
        async with running(store):
            pass


def test_fault_variable() -> None:
    """A fault is a point, an action and a count; anything else is refused."""
    fault = from_environment({"JACKPOT_FAULT": "before-lock:raise:2"})
    fault("before-lock")
    fault("after-decide")
    with pytest.raises(InjectedError):
        fault("before-lock")
    from_environment({})("before-lock")
    for bad in ("nowhere:kill:1", "before-lock:dance:1", "before-lock:kill:often"):
        with pytest.raises(ValueError, match="JACKPOT_FAULT"):
            from_environment({"JACKPOT_FAULT": bad})
