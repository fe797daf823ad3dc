"""Snapshots of version 3, in which all principals shared one memory of requests, are converted."""

import logging
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackpot.core.commands.operator import AttachTable, DefineTable, ResumeLink, SuspendLink
from jackpot.core.events import Record
from jackpot.core.evolve import evolve
from jackpot.core.reasons import Reason
from jackpot.core.request_memory import agree, requests_of
from jackpot.core.state import STATE_VERSION, State
from jackpot.engine import Limits
from jackpot.store import codec
from jackpot.store.journal import StoredSnapshot
from jackpot.store.opening import Address, open_to_read
from jackpot.verify import _but_for_memory, verify
from tests.core.floor import Floor, table
from tests.core.test_request_memory import Asked, ask, floor_state
from tests.engine.pit import SITE, Pit, ok, reason, running
from tests.golden.test_journals import HERE, lines
from tests.store.tamper import change, rows

OLD = 3
PRINCIPAL = "ops"  # who attaches tables in these tests


class OldMemory:
    """What version 3 remembered: the latest answers of all, and the greatest id it dropped."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.requests: dict[str, Any] = {}
        self.forgotten = ""

    def add(self, key: str, answer: Any) -> None:
        """In the order of arrival."""
        self.requests[key] = answer
        if len(self.requests) > self._most:
            oldest = next(iter(self.requests))
            del self.requests[oldest]
            self.forgotten = max(self.forgotten, oldest.split(" ")[0])


def old_form(state: State, memory: OldMemory) -> StoredSnapshot:
    """A state as version 3 wrote it."""
    form = msgspec.json.decode(msgspec.json.encode(state))
    del form["requests_by"], form["converted_at"]
    for each in form["tables"].values():
        del each["attaches"]
    form["requests"], form["forgotten_request"] = memory.requests, memory.forgotten
    return StoredSnapshot(state.sequence, OLD, msgspec.json.encode(form))


def answers_in(state: State) -> list[tuple[str, Any]]:
    """Every answer that is remembered, by version 3's key and in order of arrival."""
    found = [
        (f"{request_id} {principal}", answer)
        for principal, memory in state.requests_by.items()
        for request_id, answer in memory.recent.items()
    ]
    found += [
        (f"{request_id} {PRINCIPAL}", answer)
        for each in state.tables.values()
        for request_id, answer in each.attaches.recent.items()
    ]
    return sorted(found, key=lambda pair: pair[1].sequence)


@pytest.fixture
def old_program(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Snapshots are written as version 3 did, which remembers six requests."""

    def encode_state(state: State) -> StoredSnapshot:
        memory = OldMemory(6)
        for key, answer in answers_in(state):
            memory.add(key, answer)
        return old_form(state, memory)

    monkeypatch.setattr(codec, "encode_state", encode_state)
    return monkeypatch


async def test_an_old_snapshot_is_started_from(
    store: Address, old_program: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Old requests are repeats or too old, new ones go on, and verify vouches for all of it."""
    limits = Limits(snapshot_every=8)
    async with running(store, limits=limits) as engine:
        pit = await Pit(engine).open_up("t1", "t2")
        first = ok(await pit.operate(SuspendLink("a"), "00000100"))
        resumed = ok(await pit.operate(ResumeLink("a"), "00000101"))
        attached = ok(await pit.operate(AttachTable("t2"), "00000102"))
        for number in range(103, 106):
            await pit.operate(SuspendLink("none"), f"{number:08d}")
    old_program.undo()
    assert {row[0] for row in rows(store, "SELECT version FROM snapshots")} == {OLD}
    assert verify(store).ok
    change(store, "DELETE FROM snapshots WHERE sequence < 12")  # all but the last

    caplog.set_level(logging.WARNING)
    async with running(store, limits=limits) as engine:
        assert "is not used" not in caplog.text
        converted_at = await engine.read(SITE, lambda state: state.converted_at)
        assert isinstance(converted_at, int)
        assert converted_at > 0
        pit = Pit(engine)
        assert await pit.operate(SuspendLink("a"), "00000100") == first
        assert await pit.operate(ResumeLink("a"), "00000101") == resumed
        assert await pit.operate(AttachTable("t2"), "00000102") == attached
        reused = await pit.operate(SuspendLink("none"), "00000101")
        assert reason(reused) == Reason.REQUEST_REUSED
        for forgotten in (AttachTable("t1"), DefineTable(table("t1", "a"))):
            for number in (1, 2, 3, 4):
                old = await pit.operate(forgotten, f"{number:08d}")
                assert reason(old) == Reason.REQUEST_TOO_OLD
        await pit.operate(SuspendLink("none"), "00000200")
        await pit.operate(AttachTable("t1"), "00000201")
        for number in range(300, 310):
            await pit.operate(SuspendLink("none"), f"{number:08d}")
    versions = {row[0] for row in rows(store, "SELECT version FROM snapshots")}
    assert STATE_VERSION in versions
    assert verify(store).ok

    async with running(store) as engine:  # from a snapshot of today that was old once
        assert await Pit(engine).operate(ResumeLink("a"), "00000101") == resumed


async def test_verify_finds_an_old_snapshot_that_remembers_wrongly(
    store: Address, old_program: pytest.MonkeyPatch
) -> None:
    """Fewer requests may be remembered than a replay remembers, but none in another way."""
    async with running(store) as engine:
        await Pit(engine).open_up("t1")
    old_program.undo()
    archive = open_to_read(store)
    (snapshot,) = archive.snapshots(SITE)
    archive.close()
    form = msgspec.json.decode(snapshot.state)
    key = next(iter(form["requests"]))
    form["requests"][key][0] += 1
    edited = snapshot._replace(state=msgspec.json.encode(form))
    change(store, "UPDATE snapshots SET state = ?", edited.state)
    report = verify(store)
    assert "differs from the replayed state" in report.sites[0].problem


def test_a_snapshot_that_version_3_itself_wrote_equals_a_replay() -> None:
    """Of a released journal: all but the memory is the same, and the memories agree."""
    raw = (HERE / "snapshot-v3.json").read_bytes()
    journal = lines("0.1.0-dev2")
    state = codec.decode_state(StoredSnapshot(len(journal), OLD, raw))
    replayed = State("golden")
    for sequence, line in enumerate(journal, 1):
        record = msgspec.json.decode(line.record, type=Record)
        evolve(replayed, record, sequence, line.time_micros)
    assert state is not None
    assert state.converted_at == len(journal)
    assert _but_for_memory(state) == _but_for_memory(replayed)
    assert agree(state, replayed)
    # The journal is short: the old memory had forgotten nothing.
    for name, memory in replayed.requests_by.items():
        assert requests_of(state, name) == memory
    assert {n: t.attaches for n, t in state.tables.items()} == {
        n: t.attaches for n, t in replayed.tables.items()
    }


@given(
    before=st.lists(
        st.builds(
            Asked,
            st.sampled_from(["ann", "bob", PRINCIPAL]),
            st.integers(90_000_000, 90_000_020),
            st.just(""),
        )
        | st.builds(
            Asked,
            st.just(PRINCIPAL),
            st.integers(90_000_000, 90_000_020),
            st.sampled_from(["t1", "t2"]),
        ),
        max_size=40,
    ),
    after=st.lists(st.integers(0, 60), max_size=40),
    most=st.integers(1, 12),
)
def test_nothing_is_carried_out_twice_across_a_conversion(
    before: list[Asked], after: list[int], most: int
) -> None:
    """Whatever the old memory had dropped; and the converted memory agrees with a replay's."""
    replayed, memory = floor_state(), OldMemory(most)
    for key, answer in answers_in(replayed):
        memory.add(key, answer)
    done = set()
    for asked in before:
        key = f"{asked.number:08d}-test {asked.principal}"
        # In version 3 a principal's ids were shared by all that they asked for.
        if key in memory.requests or key.split(" ")[0] <= memory.forgotten:
            continue
        if ask(replayed, asked) is None:
            done.add(asked.identity)
            # An id that is smaller than the few that are kept is forgotten at once.
            if answer := dict(answers_in(replayed)).get(key):
                memory.add(key, answer)
    converted = codec.decode_state(old_form(replayed, memory))
    assert converted is not None
    assert agree(converted, replayed)
    for number in after:
        asked = before[number] if number < len(before) else Asked("ann", 90_000_000 + number)
        known = ask(converted, asked)
        if known is None:
            assert asked.identity not in done
            done.add(asked.identity)
    assert codec.decode_state(codec.encode_state(converted)) == converted


def test_a_snapshot_of_an_unknown_form_is_not_used() -> None:
    """Neither older nor newer ones, nor bytes that are none."""
    raw = codec.encode_state(Floor().state).state
    for version in (OLD - 1, STATE_VERSION + 1):
        assert codec.decode_state(StoredSnapshot(0, version, raw)) is None
    for version in (OLD, STATE_VERSION):
        assert codec.decode_state(StoredSnapshot(0, version, b"\xff")) is None
