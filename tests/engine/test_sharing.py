"""Several controllers on one journal: the head check holds, whoever stops in between."""

import asyncio
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

import pytest

from jackpot.core.commands.table import LockOut, OpenRound
from jackpot.core.reasons import Reason
from jackpot.engine import Limits
from jackpot.engine.commit_points import Point
from jackpot.store.journal import Entry, Head, Journal, StoredSnapshot, Transaction
from jackpot.store.opening import Address, journal_opener, open_to_read
from jackpot.store.sqlite import SqliteJournal
from jackpot.verify import verify
from tests.engine.pit import METER, SITE, Pit, Trap, eventually, ok, reason, running, wagers
from tests.stores import Stores


@pytest.mark.parametrize("point", ["before-lock", "before-commit"])
async def test_one_identity_on_two_controllers(store: Address, point: Point) -> None:
    """A command sent to two controllers, one of them paused before its commit, is done once."""
    trap = Trap(point)
    journal = journal_opener(store)
    if file := isinstance(store, Path):
        journal = partial(SqliteJournal.open, store, busy_timeout_s=0.1)
    async with (
        running(store, faults=trap, journal=journal) as paused,
        running(store, journal=journal) as other,
    ):
        pit = await Pit(paused).open_up("t1")
        trap.armed = True
        (first,) = pit.send("t1", OpenRound())
        await eventually(trap.reached.is_set)
        request = pit.request("t1", OpenRound(), 1)
        meanwhile = await other.execute(request)
        trap.release.set()
        answer = ok(await first)
        if point == "before-lock" or not file:
            assert meanwhile == answer
        else:  # the lock was held, so it was not known what would come of it
            assert reason(meanwhile) is Reason.STORE_UNAVAILABLE
            await eventually(lambda: other.healthy)
            assert await other.execute(request) == answer
    assert verify(store).ok


async def test_a_refusal_waits_for_the_head(store: Address) -> None:
    """A controller that has not heard of a command elsewhere does not refuse by what it knows."""
    slow = Limits(poll_s=60)
    async with running(store) as one, running(store, limits=slow) as two:
        pit = await Pit(one).open_up("t1")
        ok(await pit.play("t1", OpenRound()))
        pit.engine = two
        ok(await pit.play("t1", wagers(1)))  # to `two` the table and its round are news
        pit.engine = one
        ok(await pit.play("t1", LockOut()))
        pit.engine = two
        assert reason(await pit.play("t1", wagers(2))) is Reason.LOCKED_OUT


async def test_meters_follow_another_controller(store: Address) -> None:
    """What another controller commits is shown here within half a second."""
    async with running(store) as one, running(store) as two:
        pit = await Pit(one).open_up("t1")
        await pit.round("t1", 1)

        def shown() -> bool:
            frame = two.meters.frame(SITE, "a")
            return frame is not None and frame.levels[0].meter_micros == 10_000_210_000

        await eventually(shown, 0.5)


async def test_a_look_that_need_not_be_fresh(store: Address) -> None:
    """It does not ask the store; any other look sees what another controller has committed."""
    async with running(store) as one, running(store, limits=Limits(poll_s=60)) as two:

        async def look(*, fresh: bool) -> object:
            return await two.read(SITE, lambda state: state.sequence, fresh=fresh)

        before = await look(fresh=True)
        await Pit(one).open_up("t1")
        assert await look(fresh=False) == before
        assert (after := await look(fresh=True)) == await one.read(SITE, lambda s: s.sequence)
        assert before != after == await look(fresh=False)


async def test_far_behind(store: Address) -> None:
    """A controller that is many pages behind catches up before it decides anything."""
    slow = Limits(poll_s=60, snapshot_every=100_000, refusals_burst=2_000)
    async with running(store, limits=slow) as one, running(store, limits=slow) as two:
        pit = await Pit(one).open_up("t1")
        ok(await pit.play("t1", OpenRound()))
        for _ in range(12):  # refused, but journaled
            await asyncio.gather(*pit.send("t1", *[OpenRound()] * 100))
        pit.engine = two
        ok(await pit.play("t1", wagers(1)))
    assert verify(store).ok


async def test_two_controllers_at_once(store: Address) -> None:
    """Two controllers that take rounds of one link at the same time lose and double nothing."""
    async with running(store) as one, running(store) as two:
        left = await Pit(one).open_up("t1", "t2")
        right = Pit(two)
        right.epochs, right.numbers = left.epochs, left.numbers

        async def rounds(pit: Pit, table_id: str) -> None:
            for _ in range(15):
                await pit.round(table_id, 1, 2, 3)
                await pit.settle(table_id)

        await asyncio.gather(rounds(left, "t1"), rounds(right, "t2"))
        meter = 10_000_000_000 + 2 * 15 * 3 * 210_000
        assert await left.balance(METER) == await right.balance(METER) == meter
    assert verify(store).ok


async def test_one_snapshot_is_enough(store: Address) -> None:
    """However many controllers follow a site, one of them takes its snapshot."""
    limits = Limits(snapshot_every=20, poll_s=0.01)
    async with (
        running(store, limits=limits) as one,
        running(store, limits=limits),
        running(store, limits=limits),
    ):
        pit = await Pit(one).open_up("t1")
        for _ in range(100):
            await pit.play("t1", OpenRound())
            await asyncio.sleep(0.002)
    reader = open_to_read(store)
    kinds = [entry.kind for entry in reader.read(SITE, 0, 1_000)]
    reader.close()
    assert 5 <= kinds[:105].count("SnapshotTaken") <= 6
    assert verify(store).ok


class Switch:
    """A journal that can be exchanged for another behind the engine's back."""

    def __init__(self, *stores: Address) -> None:
        self._journals = [journal_opener(store)() for store in stores]
        self.shared = self._journals[0].shared
        self.current = 0

    @property
    def _journal(self) -> Journal:
        return self._journals[self.current]

    def heads(self, sites: Collection[str] = ()) -> dict[str, Head]:
        """Where every stream ends, or each of some."""
        return self._journal.heads(sites)

    def head(self, site: str) -> Head:
        """Where the stream ends."""
        return self._journal.head(site)

    def read(self, site: str, after: int, limit: int) -> list[Entry]:
        """Entries after a sequence."""
        return self._journal.read(site, after, limit)

    def read_each(self, after: Mapping[str, int], limit: int) -> dict[str, list[Entry]]:
        """Entries of several streams."""
        return self._journal.read_each(after, limit)

    def begin(self, sites: Collection[str]) -> AbstractContextManager[Transaction]:
        """Make ready to write."""
        return self._journal.begin(sites)

    def snapshots(self, site: str) -> Iterator[StoredSnapshot]:
        """The snapshots there are."""
        return self._journal.snapshots(site)

    def damage(self) -> str:
        """What is wrong."""
        return self._journal.damage()

    def close(self) -> None:
        """Let go of both."""
        for journal in self._journals:
            journal.close()


@pytest.mark.parametrize("longer", [False, True])
async def test_a_forked_journal_is_never_appended_to(
    store: Address, stores: Stores, *, longer: bool
) -> None:
    """When the store comes back with another past, the state is made anew from that past."""
    mine = store
    async with running(mine) as engine:
        pit = await Pit(engine).open_up("t1")
    theirs = stores.copy(mine)
    async with running(theirs) as engine:
        pit.engine = engine
        ok(await pit.play("t1", OpenRound(), 1))
        if longer:
            ok(await pit.play("t1", wagers(1), 2))
    switches: list[Switch] = []

    def switch() -> Switch:
        switches.append(Switch(mine, theirs))
        return switches[-1]

    async with running(mine, journal=switch, limits=Limits(poll_s=60)) as engine:
        pit.engine = engine
        ok(await pit.play("t1", OpenRound(), 1))
        ok(await pit.play("t1", wagers(5), 2))
        switches[-1].current = 1
        placed = ok(await pit.play("t1", wagers(1), 2))
        assert placed.sequence == (7 if longer else 8)
        seats = await engine.read(SITE, lambda state: list(state.tables["t1"].round.wagers))  # type: ignore[union-attr]
        assert seats == [1]
    assert verify(mine).ok
    assert verify(theirs).ok
