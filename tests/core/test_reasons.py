"""Every refusal has a meaning, and every one that the core can give is given here."""

import ast
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest
from msgspec.structs import replace

from jackpot import core
from jackpot.core.changes import MAX_PROPOSALS, PROPOSAL_LIFE_MICROS
from jackpot.core.commands import AnyCommand
from jackpot.core.commands.base import TableOrigin
from jackpot.core.commands.operator import (
    AdjustMeter,
    ApproveFloorCall,
    ApproveProposal,
    AttachTable,
    BeginIncarnation,
    ConfigureSite,
    ConfirmDisplay,
    CountBox,
    DeclineProposal,
    DefineLink,
    DescribeTable,
    PayPayout,
    PutInService,
    RetireLink,
    SetDualControl,
    SetRate,
    SuspendLink,
    TransferFunds,
    ValidatePayout,
    VoidTableRound,
    VoidTableSeat,
)
from jackpot.core.commands.table import (
    CallFloor,
    ConfirmCollection,
    ContributePot,
    LockOut,
    OpenRound,
    Placed,
    PlaceWagers,
    RemoveDeck,
    SeatHand,
    Settle,
    VoidRound,
    Wager,
    WithdrawCall,
    WithdrawWagers,
)
from jackpot.core.config import Irregularities, Link, Table
from jackpot.core.events import AnyEvent
from jackpot.core.reasons import MEANINGS, Code, Reason, Refusal, refuse
from tests.core.floor import (
    DOLLAR,
    Floor,
    bad_beat_fund,
    cards,
    five_card_a,
    four_eights_lose,
    hand,
    hand_bonus,
    ok,
    reason,
    table,
)

CHANGE = AdjustMeter("a", "main", DOLLAR, "malfunction", "T-1")
BAD_BEAT = four_eights_lose()
CALL = CallFloor("void-round", 1, irregularity="MISDEAL")
VOID_SEAT = VoidTableSeat("t1", 1, 1, "MISDEAL")
ONE = PlaceWagers((Wager(1, "a-five", DOLLAR),))
Answer = AnyEvent | Refusal


def test_every_reason_has_a_meaning_in_order_of_precedence() -> None:
    """The list of meanings is the list of reasons, sentence by sentence."""
    assert list(MEANINGS) == list(Reason)
    assert all(reason_.value == reason_.name for reason_ in Reason)
    for meaning in MEANINGS.values():
        assert meaning.code in get_args(Code)
        assert meaning.sentence.endswith(".")
        assert meaning.sentence[0].isupper()
    assert len({meaning.sentence for meaning in MEANINGS.values()}) == len(Reason)


@pytest.mark.parametrize("why", list(Reason))
def test_a_reasons_code_and_retry_agree(why: Reason) -> None:
    """What is malformed or unknown will be so again; only unavailability is retried as it is."""
    meaning = MEANINGS[why]
    assert (meaning.code == "NOT_FOUND") == why.startswith("UNKNOWN_")
    assert (meaning.retry == "same") == (meaning.code in {"UNAVAILABLE", "RESOURCE_EXHAUSTED"})
    if meaning.code in {"INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS", "DATA_LOSS"}:
        assert meaning.retry == "never"


def test_a_refusals_details_are_text() -> None:
    """A client is shown every value that the sentence would mention."""
    assert refuse(Reason.UNKNOWN_SEAT, table="t1", seat=7) == Refusal(
        Reason.UNKNOWN_SEAT, {"table": "t1", "seat": "7"}
    )


def start() -> Floor:
    """A table on two links."""
    return Floor().open_up([five_card_a(), hand_bonus()], [table("t1", "a", "hb", boxes=1)])


def at(*steps: str) -> Floor:
    """A floor on which a round has come as far as these steps."""
    floor = start()
    commands: dict[str, AnyCommand] = {"open": OpenRound(), "bet": ONE, "lock": LockOut()}
    for step in steps:
        if step == "confirm":
            floor.confirm("t1")
        elif step == "settle":
            floor.settle("t1", hand(1, "straight-flush"))
        else:
            ok(floor.play("t1", commands[step]))
    return floor


OPEN, BET = ("open",), ("open", "bet")
LOCKED = (*BET, "lock")
COLLECTED = (*LOCKED, "confirm")
SETTLED = (*COLLECTED, "settle")


def playing(steps: tuple[str, ...], *commands: AnyCommand) -> Callable[[], Answer]:
    """The answer to the last of these commands of the table."""

    def play() -> Answer:
        floor = at(*steps)
        *first, last = commands
        for command in first:
            ok(floor.play("t1", command))
        return floor.play("t1", last)

    return play


def operating(steps: tuple[str, ...], *commands: AnyCommand) -> Callable[[], Answer]:
    """The answer to the last of these commands of an operator."""

    def operate() -> Answer:
        floor = at(*steps)
        *first, last = commands
        for command in first:
            ok(floor.operate(command))
        return floor.operate(last)

    return operate


def numbered(table_id: str, epoch: int, number: int) -> Callable[[], Answer]:
    """The answer to an identity."""

    def handle() -> Answer:
        floor = start()
        ok(floor.operate(AttachTable("t1")))
        for _ in range(65):
            floor.play("t1", OpenRound())
        return floor.handle(TableOrigin(table_id, epoch, number), LockOut())

    return handle


def wager(seat: int = 1, bet: str = "a-five", amount: int = DOLLAR, who: str = "") -> PlaceWagers:
    """One wager."""
    return PlaceWagers((Wager(seat, bet, amount, who),))


ADJUST = AdjustMeter("a", "main", 10_000 * DOLLAR, "reset", "T")
GIVEN: dict[Reason, Callable[[], Answer]] = {
    Reason.NOT_ALLOWED: lambda: _validated().operate(PayPayout(1, "F"), "flo", "table games"),
    Reason.UNKNOWN_TABLE: numbered("t9", 2, 1),
    Reason.OTHER_INCARNATION: lambda: _restored().handle(TableOrigin("t1", 1, 1), OpenRound()),
    Reason.NOT_ATTACHED: numbered("t1", 3, 1),
    Reason.FENCED: numbered("t1", 1, 1),
    Reason.REQUEST_REUSED: numbered("t1", 2, 2),
    Reason.REQUEST_TOO_OLD: numbered("t1", 2, 1),
    Reason.NUMBER_GAP: numbered("t1", 2, 67),
    Reason.UNKNOWN_LINK: operating((), SuspendLink("x")),
    Reason.UNKNOWN_LEVEL: operating((), AdjustMeter("a", "x", 1, "reset", "T")),
    Reason.UNKNOWN_PAYOUT: operating((), PayPayout(1)),
    Reason.UNKNOWN_BET: playing(OPEN, wager(bet="x")),
    Reason.UNKNOWN_SEAT: playing(OPEN, wager(seat=7)),
    Reason.FLOORPERSON_REQUIRED: lambda: at(*SETTLED).operate(ValidatePayout(1, "")),
    Reason.VOID_BY_FLOOR_ONLY: playing(COLLECTED, VoidRound("MISDEAL")),
    Reason.DOCUMENTATION_OPEN: playing(SETTLED, OpenRound()),
    Reason.ROUND_OPEN: playing(OPEN, OpenRound()),
    Reason.NO_ROUND: playing((), VoidRound("MISDEAL")),
    Reason.WRONG_ROUND: operating(COLLECTED, VoidTableRound("t1", 2, "MISDEAL")),
    Reason.LOCKED_OUT: playing(LOCKED, wager(seat=2)),
    Reason.NOT_LOCKED_OUT: playing(BET, ConfirmCollection({"a-five": 1})),
    Reason.ALREADY_COLLECTED: playing(COLLECTED, ConfirmCollection({"a-five": 1})),
    Reason.NOT_COLLECTED: playing(LOCKED, Settle((hand(1, "nothing"),))),
    Reason.ALREADY_SETTLED: playing(SETTLED, Settle((hand(1, "nothing"),))),
    Reason.LINK_NOT_IN_SERVICE: lambda: _suspended().play("t1", ONE),
    Reason.WRONG_DENOMINATION: playing(OPEN, wager(amount=2 * DOLLAR)),
    Reason.DUPLICATE_WAGER: playing(BET, ONE),
    Reason.TOO_MANY_BOXES: playing(OPEN, wager(who="ann"), wager(2, who="ann")),
    Reason.NO_SUCH_WAGER: playing(OPEN, WithdrawWagers((Placed(1, "a-five"),))),
    Reason.COLLECTION_MISMATCH: playing(LOCKED, ConfirmCollection({"a-five": 2})),
    Reason.SEAT_NOT_IN_ROUND: operating(OPEN, VOID_SEAT, VOID_SEAT),
    Reason.UNKNOWN_IRREGULARITY: lambda: _listed().play("t1", VoidRound("WHIM")),
    Reason.VOIDS_ALL_HANDS: lambda: _listed().void_seat("t1", 1, "MISDEALT"),
    Reason.CALL_OPEN: playing(COLLECTED, CALL, CALL),
    Reason.UNKNOWN_CALL: operating((), ApproveFloorCall(1)),
    Reason.CALL_CLOSED: playing(COLLECTED, CALL, WithdrawCall(1), WithdrawCall(1)),
    Reason.SETTING_UNCHANGED: operating((), SetDualControl(dual_control=False, reference="T")),
    Reason.HAND_MISSING: playing(COLLECTED, Settle(())),
    Reason.WRONG_CARD_COUNT: playing(COLLECTED, Settle((SeatHand(1, ("x",)),))),
    Reason.NO_SUCH_DECK: playing((), RemoveDeck("red")),
    Reason.DUPLICATE_CARD: playing(COLLECTED, Settle((hand(1, "x"),), cards(1, "x"))),
    Reason.ALREADY_DEFINED: operating((), DefineLink(five_card_a())),
    Reason.WRONG_LINK_STATE: operating((), PutInService("a")),
    Reason.LINK_NOT_EMPTY: operating(COLLECTED, SuspendLink("a"), RetireLink("a")),
    Reason.PAYOUT_CLOSED: operating(
        SETTLED, ValidatePayout(1, "flo"), PayPayout(1, "F"), PayPayout(1, "F")
    ),
    Reason.ALREADY_VALIDATED: operating(
        SETTLED, ValidatePayout(1, "flo"), ValidatePayout(1, "eve")
    ),
    Reason.OUT_OF_ORDER: lambda: _two_awards().operate(ValidatePayout(2, "flo")),
    Reason.NOT_VALIDATED: operating(SETTLED, PayPayout(1, "F")),
    Reason.WRONG_SOURCE: operating(SETTLED, ValidatePayout(1, "flo", "inventory")),
    Reason.FORM_REQUIRED: operating(SETTLED, ValidatePayout(1, "flo"), PayPayout(1)),
    Reason.METER_UNCHANGED: operating((), ADJUST),
    Reason.INSUFFICIENT_FUNDS: operating(
        (), TransferFunds("a", "main", "overflow", "hb", "main", 1, "T")
    ),
    Reason.TOO_MANY: lambda: _proposed(MAX_PROPOSALS).operate(CHANGE),
    Reason.UNKNOWN_PROPOSAL: lambda: start().operate(ApproveProposal(1)),
    Reason.PROPOSAL_CLOSED: lambda: _declined().operate(ApproveProposal(1)),
    Reason.PROPOSAL_EXPIRED: lambda: _a_day_later().operate(ApproveProposal(1), "anna", "b"),
    Reason.SECOND_PERSON_REQUIRED: lambda: _proposed().operate(ApproveProposal(1), "ops", "b"),
    Reason.OTHER_DEPARTMENT_REQUIRED: lambda: _proposed().operate(ApproveProposal(1), "anna"),
    Reason.PROPOSAL_OVERTAKEN: lambda: _overtaken().operate(ApproveProposal(1), "anna", "b"),
    Reason.FIXED_BY_REGULATION: lambda: _rate(five_card_a("x", fixed="PA 657a.12(e)(3)")),
    Reason.BELOW_MINIMUM: lambda: _rate(five_card_a("x", minimum_bps=7_000)),
    Reason.ABOVE_MAXIMUM: lambda: _rate(five_card_a("x"), 10_001),
    Reason.NOT_A_FUND: lambda: at().play("t1", ContributePot(DOLLAR)),
    Reason.NOT_A_BAD_BEAT: lambda: _bad_beat().operate(four_eights_lose(losing="Ks Kh")),
    Reason.PENDING_ADJUSTMENT: lambda: _bad_beat().operate(BAD_BEAT),
    Reason.DISPLAY_MISMATCH: lambda: _bad_beat().operate(ConfirmDisplay("bb", 1)),
    Reason.VOID_TOO_LATE: lambda: _validated().void_round("t1", "MISDEAL"),
}


def _listed() -> Floor:
    floor = at(*COLLECTED)
    words = Irregularities(("MISDEALT",), ("PLAYER_WRONG_NUMBER",))
    config = replace(floor.state.tables["t1"].config, irregularities=words)
    ok(floor.operate(DescribeTable(config)))
    return floor


def _suspended() -> Floor:
    floor = at(*OPEN)
    ok(floor.operate(SuspendLink("a")))
    return floor


def _proposed(how_many: int = 1) -> Floor:
    floor = start()
    ok(floor.operate(ConfigureSite(dual_control=True)))
    for _ in range(how_many):
        ok(floor.operate(CHANGE))
    return floor


def _declined() -> Floor:
    floor = _proposed()
    ok(floor.operate(DeclineProposal(1)))
    return floor


def _restored() -> Floor:
    floor = start()
    ok(floor.operate(BeginIncarnation("b", "ab12", "disk failed", "ann")))
    return floor


def _a_day_later() -> Floor:
    floor = _proposed()
    floor.clock += PROPOSAL_LIFE_MICROS
    return floor


def _overtaken() -> Floor:
    floor = _proposed()
    floor.bets_in("t1", [Wager(2, "a-five", DOLLAR)])
    floor.settle("t1", hand(2, "straight-flush"))
    return floor


def _rate(link: Link, bps: int = 2_000) -> Answer:
    floor = Floor().open_up([link], [])
    ok(floor.operate(SuspendLink(link.id)))
    return floor.operate(SetRate(link.id, "main", bps, 0, "T-1"))


def _bad_beat() -> Floor:
    floor = Floor().open_up([bad_beat_fund()], [Table("p1", "poker", ("bb",), 10, 0)])
    ok(floor.operate(CountBox("bb", "p1", DOLLAR, "carl")))
    ok(floor.operate(BAD_BEAT))
    return floor


def _two_awards() -> Floor:
    floor = start()
    floor.bets_in("t1", [Wager(seat, "a-five", DOLLAR) for seat in (2, 1)])
    floor.settle("t1", hand(2, "straight-flush"), hand(1, "straight-flush"))
    return floor


def _validated() -> Floor:
    floor = at(*SETTLED)
    ok(floor.operate(ValidatePayout(1, "flo")))
    return floor


@pytest.mark.parametrize("why", list(GIVEN))
def test_the_core_gives_each_of_its_reasons(why: Reason) -> None:
    """A few commands lead to it."""
    assert reason(GIVEN[why]()) == why


def test_no_reason_of_the_core_is_left_out() -> None:
    """Every reason that the core names, apart from the list of reasons, is given above."""
    named: set[str] = set()
    for path in Path(core.__path__[0]).glob("*.py"):
        if path.name == "reasons.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "Reason":
                named.add(node.attr)
    assert named == {why.name for why in GIVEN}
