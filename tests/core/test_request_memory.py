"""What is remembered of requests: nothing is carried out twice, and nobody pays for another."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackpot.core import request_memory
from jackpot.core.commands import Request
from jackpot.core.commands.base import OperatorOrigin
from jackpot.core.commands.operator import AttachTable, DefineTable, OperatorCommand, SuspendLink
from jackpot.core.decide import decide
from jackpot.core.events import Record, Refused
from jackpot.core.evolve import evolve
from jackpot.core.identity import Repeat, digest, identify
from jackpot.core.reasons import Reason, Refusal
from jackpot.core.state import (
    MAX_PRINCIPALS,
    RECENT_ATTACHES,
    RECENT_REQUESTS,
    State,
)
from tests.core.floor import Floor, five_card_a, ok, reason, table, tagged_names

FUTURE = 5_000_000


class Asked(NamedTuple):
    """A request: who, under which id, and for an attachment the table."""

    principal: str
    number: int
    table: str = ""

    @property
    def command(self) -> OperatorCommand:
        """What it asks for."""
        return AttachTable(self.table) if self.table else SuspendLink("nowhere")

    @property
    def identity(self) -> tuple[str, int]:
        """What makes it the same request again."""
        return (f"table {self.table}" if self.table else self.principal, self.number)


def floor_state() -> State:
    """Two tables."""
    return Floor().open_up([five_card_a()], [table("t1", "a"), table("t2", "a")]).state


def ask(state: State, asked: Asked) -> Repeat | Refusal | None:
    """What a request is taken for; a new one is carried out: None."""
    command = asked.command
    origin = OperatorOrigin(asked.principal, f"{asked.number:08d}-test")
    request = Request("test", origin, command)
    known = identify(state, request, digest(command))
    if known is None:
        event = decide(state, request, tagged_names)
        if isinstance(event, Refusal):
            event = Refused(type(command).__name__, event.reason, event.details)
        evolve(state, Record(origin, event, digest(command)), state.sequence + 1, state.time_micros)
    return known


def said(known: Repeat | Refusal | None) -> str:
    """An answer without the place where it stands."""
    return known.reason if isinstance(known, Refusal) else type(known).__name__


@contextmanager
def tight(principals: int = 3) -> Iterator[None]:
    """Room for very little, so that short examples fill it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(request_memory, "RECENT_REQUESTS", 3)
        patch.setattr(request_memory, "RECENT_ATTACHES", 2)
        patch.setattr(request_memory, "MAX_PRINCIPALS", principals)
        yield


REQUESTS = st.lists(
    st.builds(
        Asked,
        st.sampled_from(["ann", "bob", "cy", "dee", "eve"]),
        st.integers(90_000_000, 90_000_012),
        st.sampled_from(["", "", "t1", "t2"]),
    ),
    max_size=60,
)


@given(requests=REQUESTS)
@tight()
def test_no_request_is_carried_out_twice(requests: list[Asked]) -> None:
    """In whatever order ids arrive, and whoever had to be forgotten in between."""
    state = floor_state()
    first: dict[tuple[str, int], int] = {}
    for asked in requests:
        known = ask(state, asked)
        if known is None:
            assert asked.identity not in first
            first[asked.identity] = state.sequence
        elif isinstance(known, Repeat):
            assert known.sequence == first[asked.identity]
        else:
            assert known.reason == Reason.REQUEST_TOO_OLD
    assert len(state.requests_by) <= 3
    assert all(len(memory.recent) <= 3 for memory in state.requests_by.values())
    assert all(len(each.attaches.recent) <= 2 for each in state.tables.values())


@given(requests=REQUESTS, flooder=st.sampled_from(["ann", "t1"]))
@tight(principals=5)
def test_nobodys_flood_changes_what_others_are_answered(
    requests: list[Asked], flooder: str
) -> None:
    """With and without one principal's or table's requests, everybody else hears the same."""

    def floods(asked: Asked) -> bool:
        return (asked.table or asked.principal) == flooder

    crowded, calm = floor_state(), floor_state()
    for asked in requests:
        if floods(asked):
            ask(crowded, asked._replace(number=asked.number + FUTURE))
        else:
            assert said(ask(crowded, asked)) == said(ask(calm, asked))


@given(who=st.lists(st.sampled_from("abcdefgh"), max_size=60))
@tight()
def test_a_fast_clock_locks_out_nobody_where_principals_are_forgotten(who: list[str]) -> None:
    """A caller with ids of the present is served, although another caller's are from the future."""
    state = floor_state()
    for number, principal in enumerate(who, 90_000_000):
        ahead = FUTURE if principal == "a" else 0
        known = ask(state, Asked(principal, number + ahead))
        assert known is None


def test_a_few_ids_from_a_fast_clock_do_not_lock_out_their_own_principal() -> None:
    """They stay, and the mark follows the true time."""
    state = floor_state()
    ask(state, Asked("ann", 90_000_000 + FUTURE // 2))
    for number in range(90_000_000, 90_000_000 + 3 * RECENT_REQUESTS):
        assert ask(state, Asked("ann", number)) is None
    assert isinstance(ask(state, Asked("ann", 90_000_000 + FUTURE // 2)), Repeat)


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_so_many_attachments_are_remembered(more: int) -> None:
    """Each table's own; the first of one too many is too old."""
    state = floor_state()  # each table has attached once
    numbers = range(90_000_000, 90_000_000 + RECENT_ATTACHES + more)
    for number in numbers:
        assert ask(state, Asked("ann", number, "t1")) is None
    known = ask(state, Asked("ann", numbers[0], "t1"))
    assert said(known) == ("Repeat" if more <= 0 else Reason.REQUEST_TOO_OLD)
    assert len(state.tables["t2"].attaches.recent) == 1


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_so_many_principals_are_remembered(more: int) -> None:
    """The one whose last request is oldest is forgotten, and that request is too old then."""
    state = State("test")
    for number in range(MAX_PRINCIPALS + more):
        assert ask(state, Asked(f"p{number}", 90_000_000 + number)) is None
    assert len(state.requests_by) == MAX_PRINCIPALS + min(more, 0)
    assert said(ask(state, Asked("p1", 90_000_001))) == "Repeat"
    first = ask(state, Asked("p0", 90_000_000))
    assert said(first) == ("Repeat" if more <= 0 else Reason.REQUEST_TOO_OLD)
    assert ask(state, Asked("p0", 95_000_000)) is None


def test_a_forgotten_principal_who_comes_back_keeps_the_mark() -> None:
    """What they asked before stays too old after their next request."""
    state = State("test")
    for number in range(MAX_PRINCIPALS + 1):
        ask(state, Asked(f"p{number}", 90_000_000 + number))
    assert ask(state, Asked("p0", 95_000_000)) is None
    assert said(ask(state, Asked("p0", 90_000_000))) == Reason.REQUEST_TOO_OLD


def test_tables_make_no_principals() -> None:
    """Neither by attaching nor by failing to; an unknown table's attachment is not journaled."""
    floor = Floor().open_up([five_card_a()], [table("t1", "a")])
    before = set(floor.state.requests_by)
    ok(floor.operate(AttachTable("t1"), principal="table:t1"))
    sequence = floor.state.sequence
    unknown = floor.operate(AttachTable("t9"), principal="table:t9")
    assert reason(unknown) == Reason.UNKNOWN_TABLE
    assert (set(floor.state.requests_by), floor.state.sequence) == (before, sequence)


def test_an_old_refusal_of_an_unknown_table_is_nobodys() -> None:
    """Journals have such rows; the table may be defined since."""
    floor = Floor().open_up([five_card_a()], [])
    refused = Refused("AttachTable", Reason.UNKNOWN_TABLE, {"table": "t1"})
    origin = OperatorOrigin("table:t1", "90000000")
    floor.commit(Record(origin, refused, digest(AttachTable("t1"))))
    assert "table:t1" not in floor.state.requests_by
    ok(floor.operate(DefineTable(table("t1", "a"))))
    ok(floor.operate(AttachTable("t1")))
