"""Every command is told apart from its repeat, its reuse and whatever came before it."""

from hashlib import sha256

import msgspec
import pytest

from jackpot.core import evolve
from jackpot.core.commands import Probe, Request
from jackpot.core.commands.base import ControllerOrigin, OperatorOrigin, TableOrigin
from jackpot.core.commands.operator import AttachTable, DefineTable, SuspendLink
from jackpot.core.commands.table import LockOut, OpenRound, PlaceWagers, Wager
from jackpot.core.decide import decide
from jackpot.core.events import Probed, Record, Refused
from jackpot.core.events.table import TableAttached
from jackpot.core.identity import Repeat, digest, identify
from jackpot.core.reasons import Reason, Refusal
from jackpot.core.state import RECENT_NUMBERS, RECENT_REQUESTS, State
from tests.core.floor import DOLLAR, Floor, five_card_a, ok, reason, table, tagged_names


@pytest.fixture
def floor() -> Floor:
    """One table, attached once."""
    return Floor().open_up([five_card_a()], [table("t1", "a")])


def known(
    floor: Floor, origin: TableOrigin | OperatorOrigin, command: OpenRound | LockOut | SuspendLink
) -> Repeat | Refusal | None:
    """What the state makes of an identity."""
    return identify(floor.state, Request("test", origin, command), digest(command))


def test_a_repeat_is_answered_where_it_was_answered_first(floor: Floor) -> None:
    """The same identity with the same content leads to the earlier entry."""
    ok(floor.play("t1", OpenRound()))
    answered = floor.state.sequence
    assert known(floor, TableOrigin("t1", 1, 1), OpenRound()) == Repeat(answered)


def test_a_refused_command_is_refused_again_though_it_could_be_accepted_now(floor: Floor) -> None:
    """A refusal is an answer too: a lamp that stayed dark stays dark."""
    first = floor.play("t1", LockOut())
    assert reason(first) == Reason.NO_ROUND
    ok(floor.play("t1", OpenRound()))
    assert floor.handle(TableOrigin("t1", 1, 1), LockOut()) == first


def test_an_identity_with_other_content_is_a_reuse(floor: Floor) -> None:
    """It is refused by the sequence that holds the identity."""
    ok(floor.play("t1", OpenRound()))
    answer = known(floor, TableOrigin("t1", 1, 1), LockOut())
    assert isinstance(answer, Refusal)
    assert answer.reason == Reason.REQUEST_REUSED
    assert answer.details == {"sequence": str(floor.state.sequence)}


def test_a_table_that_nobody_defined_is_unknown(floor: Floor) -> None:
    """Identity itself says so, and so does a decision that is asked all the same."""
    origin = TableOrigin("t9", 1, 1)
    assert reason(floor.handle(origin, OpenRound())) == Reason.UNKNOWN_TABLE
    decided = decide(floor.state, Request("test", origin, OpenRound()), tagged_names)
    assert isinstance(decided, Refusal)
    assert decided.reason == Reason.UNKNOWN_TABLE


@pytest.mark.parametrize("epoch", [0, 1])
def test_a_table_must_attach_first(epoch: int) -> None:
    """Neither epoch nought nor one from the future speaks for a table that never attached."""
    floor = Floor().open_up([five_card_a()], [])
    ok(floor.operate(DefineTable(table("t1", "a"))))
    assert reason(floor.handle(TableOrigin("t1", epoch, 1), OpenRound())) == Reason.NOT_ATTACHED


@pytest.mark.parametrize(
    ("epoch", "why"), [(1, Reason.FENCED), (2, None), (3, Reason.NOT_ATTACHED)]
)
def test_only_the_last_attachment_speaks_for_a_table(
    floor: Floor, epoch: int, why: Reason | None
) -> None:
    """An earlier epoch is fenced, a later one has not attached."""
    ok(floor.play("t1", OpenRound()))
    event = ok(floor.operate(AttachTable("t1")))
    assert isinstance(event, TableAttached)
    assert (event.epoch, event.last_number, event.rounds) == (2, 1, 1)
    answer = floor.handle(TableOrigin("t1", epoch, 1), LockOut())
    assert (answer.reason if isinstance(answer, Refusal) else None) == why


def test_an_attachment_begins_to_count_anew(floor: Floor) -> None:
    """Number one of the new epoch is a new command, whatever number one was before."""
    ok(floor.play("t1", OpenRound()))
    ok(floor.operate(AttachTable("t1")))
    assert floor.state.tables["t1"].recent == {}
    assert known(floor, TableOrigin("t1", 2, 1), LockOut()) is None


@pytest.mark.parametrize(("number", "why"), [(1, None), (2, Reason.NUMBER_GAP)])
def test_numbers_have_no_gaps(floor: Floor, number: int, why: Reason | None) -> None:
    """Only the next number is new; a later one says which was expected."""
    answer = known(floor, TableOrigin("t1", 1, number), OpenRound())
    assert not isinstance(answer, Repeat)
    assert (answer and answer.reason) == why
    assert (answer and answer.details) == (why and {"table": "t1", "expected": "1"})


@pytest.mark.parametrize(
    ("back", "expected"),
    [
        (RECENT_NUMBERS - 2, "repeat"),
        (RECENT_NUMBERS - 1, "repeat"),
        (RECENT_NUMBERS, Reason.REQUEST_TOO_OLD),
        (RECENT_NUMBERS + 1, Reason.REQUEST_TOO_OLD),
    ],
)
def test_a_table_is_remembered_for_so_many_numbers(
    floor: Floor, back: int, expected: Reason | str
) -> None:
    """The last answers are at hand; what is older is never carried out again."""
    for _ in range(RECENT_NUMBERS + 2):
        floor.play("t1", LockOut())
    last = floor.state.tables["t1"].last_number
    answer = known(floor, TableOrigin("t1", 1, last - back), LockOut())
    assert ("repeat" if isinstance(answer, Repeat) else answer and answer.reason) == expected
    assert len(floor.state.tables["t1"].recent) == RECENT_NUMBERS


def operator(number: int, principal: str = "ops") -> OperatorOrigin:
    """Request ids grow with time."""
    return OperatorOrigin(principal, f"{number:08d}")


def remember(state: State, number: int) -> None:
    """An operator's request that was answered."""
    record = Record(operator(number), Refused("SuspendLink", Reason.UNKNOWN_LINK), "digest")
    evolve.evolve(state, record, state.sequence + 1, 0)


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_operators_requests_are_remembered_up_to_a_limit(more: int) -> None:
    """The oldest is forgotten when one too many comes, and is then too old, never new."""
    state = State("test")
    for number in range(1, RECENT_REQUESTS + more + 1):
        remember(state, number)
    assert len(state.requests_by["ops"].recent) == min(RECENT_REQUESTS, RECENT_REQUESTS + more)
    answer = identify(state, Request("test", operator(1), SuspendLink("a")), "digest")
    if more <= 0:
        assert answer == Repeat(1)
    else:
        assert isinstance(answer, Refusal)
        assert answer.reason == Reason.REQUEST_TOO_OLD
        assert state.requests_by["ops"].forgotten == "00000001"


def test_a_forgotten_late_id_does_not_make_earlier_forgotten_ids_new() -> None:
    """What counts is the greatest id that was dropped, whatever the order of arrival."""
    state = State("test")
    for number in (5, *range(10, RECENT_REQUESTS + 9), 3, RECENT_REQUESTS + 9):
        remember(state, number)
    assert state.requests_by["ops"].forgotten == "00000005"
    for number, new in ((3, False), (5, False), (6, True)):
        answer = identify(state, Request("test", operator(number), SuspendLink("a")), "digest")
        assert (answer is None) == new


def test_two_people_may_use_the_same_request_id(floor: Floor) -> None:
    """An identity is who asks and under which id."""
    ok(floor.handle(operator(90_000_000), SuspendLink("a")))
    again = floor.handle(operator(90_000_000, "boss"), SuspendLink("a"))
    assert reason(again) == Reason.WRONG_LINK_STATE
    assert reason(floor.handle(operator(90_000_000), LockOut())) == Reason.REQUEST_REUSED


def test_the_controllers_own_bookkeeping_has_no_identity(floor: Floor) -> None:
    """A probe is always new and leaves no answer behind."""
    requests = msgspec.json.encode(floor.state.requests_by)
    assert floor.handle(ControllerOrigin(), Probe()) == Probed()
    assert floor.handle(ControllerOrigin(), Probe()) == Probed()
    assert msgspec.json.encode(floor.state.requests_by) == requests


def test_a_tables_command_from_somebody_else_is_a_mistake_of_the_program(floor: Floor) -> None:
    """The door never lets it through, so it is no refusal."""
    with pytest.raises(TypeError, match="OpenRound is a table's command"):
        decide(floor.state, Request("test", operator(1), OpenRound()), tagged_names)


def test_the_digest_tells_contents_apart() -> None:
    """Another command, or another value in it, has another digest."""
    marks = {digest(c) for c in (OpenRound(), LockOut(), SuspendLink("a"), SuspendLink("b"))}
    assert len(marks) == 4
    assert digest(SuspendLink("a")) == digest(SuspendLink("a"))


@pytest.mark.parametrize("count", [1, 16, 17])
def test_the_digest_of_wagers_does_not_depend_on_what_was_seen_before(count: int) -> None:
    """Few wagers are remembered and many are not, and both have the digest of their contents."""
    wagers = tuple(Wager(seat, "main", DOLLAR) for seat in range(1, count + 1))
    others = (*wagers[:-1], Wager(count, "main", 2 * DOLLAR))
    encoded = msgspec.json.encode(PlaceWagers(wagers))
    for _ in range(2):
        assert digest(PlaceWagers(wagers)) == sha256(encoded).hexdigest()[:24]
        assert digest(PlaceWagers(others)) != digest(PlaceWagers(wagers))
