"""A Bad Beat fund: fed by pots, counted daily, shared out when the supervisor has verified."""

import pytest

from jackpot.core.commands import AnyCommand
from jackpot.core.commands.operator import (
    AdjustMeter,
    ConfirmDisplay,
    CountBox,
    DefineLink,
    DefineTable,
    PayPayout,
    RejectPayout,
    ResetMeter,
    RetireLink,
    SuspendLink,
    TransferFunds,
    VerifyBadBeat,
)
from jackpot.core.commands.table import ContributePot
from jackpot.core.config import Table
from jackpot.core.events import Refused
from jackpot.core.events.operator import BadBeatVerified, BoxCounted
from jackpot.core.events.table import PotContributed
from jackpot.core.reasons import Reason
from tests.core.floor import (
    DOLLAR,
    Floor,
    bad_beat_fund,
    five_card_a,
    four_eights_lose,
    ok,
    reason,
    table,
)


def room() -> Floor:
    """Two Poker tables on one fund, another fund, and a table without one."""
    poker = [Table(t, "poker", ("bb",), 10, 0) for t in ("p1", "p2")]
    return Floor().open_up(
        [bad_beat_fund(), bad_beat_fund("bb2"), five_card_a()], [*poker, table("t1", "a")]
    )


def count(floor: Floor, at: str, micros: int) -> BoxCounted:
    """A box counted by the cage with a floorperson."""
    event = ok(floor.operate(CountBox("bb", at, micros, "carl")))
    assert isinstance(event, BoxCounted)
    return event


BAD_BEAT = four_eights_lose()


@pytest.mark.rule("PA2010 553.7(e)(6)(iv)")
@pytest.mark.rule("PA2010 553.20(b)(1)")
@pytest.mark.rule("PA2010 553.20(b)(2)")
@pytest.mark.rule("PA2010 553.20(c)")
@pytest.mark.parametrize(
    ("pot_cents", "cents"), [(1_999, 0), (2_000, 200), (2_001, 200), (1_000_000, 200)]
)
def test_a_pot_contributes_from_the_minimum_up_to_the_cap(pot_cents: int, cents: int) -> None:
    """The posted rules say how much a pot gives."""
    floor = room()
    event = ok(floor.play("p1", ContributePot(pot_cents * 10_000)))
    assert isinstance(event, PotContributed)
    assert event.amount_micros == cents * 10_000


@pytest.mark.rule("PA2010 553.20(d)")
@pytest.mark.rule("PA2010 553.20(e)")
@pytest.mark.parametrize(("counted", "alarm"), [(3_990_000, True), (4_000_000, False)])
def test_the_count_is_the_record(counted: int, alarm: bool) -> None:
    """The fund gains what was counted, and a difference from the contributions is an alarm."""
    floor = room()
    for _ in range(2):
        ok(floor.play("p1", ContributePot(50 * DOLLAR)))
    assert floor.meter("bb/main") == "0.00"
    event = count(floor, "p1", counted)
    assert bool(event.alarms) is alarm
    assert floor.state.balances["bb/main/meter"] == counted
    assert floor.balance("bb/box/p1") == "0.00"


def test_a_count_that_is_entered_again_is_added_again_and_the_meter_can_be_set_right() -> None:
    """So the handbook says to adjust the meter after a recount."""
    floor = room()
    for _ in range(2):
        count(floor, "p1", 4_000_000)
    assert floor.meter("bb/main") == "8.00"
    ok(floor.operate(AdjustMeter("bb", "main", 4_000_000, "malfunction", "recount")))
    assert floor.meter("bb/main") == "4.00"


@pytest.mark.rule("PA2010 553.20(a)")
@pytest.mark.rule("PA2010 553.20(b)(3)")
@pytest.mark.rule("PA2010 553.20(f)")
def test_the_fund_is_shared_once_the_supervisor_has_verified() -> None:
    """Half to the loser, a quarter to the winner, a quarter divided; the residue stays."""
    floor = room()
    count(floor, "p1", 1_000_010_000)
    assert reason(floor.operate(four_eights_lose(supervisor=""))) == Reason.FLOORPERSON_REQUIRED
    event = ok(floor.operate(BAD_BEAT))
    assert isinstance(event, BadBeatVerified)
    due = [(p.seat, p.amount_micros // 10_000) for p in event.payouts]
    assert due == [(3, 50_000), (7, 25_000), (1, 8_333), (2, 8_333), (5, 8_333)]
    told = [(p.seat, p.role, p.cards) for p in event.payouts]
    assert told[:3] == [(3, "loser", ("8s", "8h")), (7, "winner", ("9s", "9h")), (1, "table", ())]
    assert (event.loser, event.winner) == (3, 7)
    assert floor.meter("bb/main") == "0.02"
    for payout in event.payouts:
        assert reason(floor.operate(PayPayout(payout.id))) == Reason.FORM_REQUIRED
        ok(floor.operate(PayPayout(payout.id, "BB-1")))
    assert floor.replayed() == floor.state


BOARD = "7d 7c 8d 8c 9d"


@pytest.mark.rule("PA2010 553.1")
@pytest.mark.rule("PA2010 553.20(b)(3)")
@pytest.mark.rule("PA2010 553.20(f)")
@pytest.mark.parametrize(
    ("losing", "winning", "community", "why"),
    [
        ("7s 7h", "8s 8h", BOARD, "the losing hand is lower than the qualifying hand"),
        ("8s 8h", "9s 9h", "8d 8c 9d 9c 2s", None),
        ("9s 9h", "Ts Th", "9d 9c Td Tc 2s", None),
        ("2s 3s", "2h 3h", "8s 8h 8d 8c As", "the winning hand does not beat the losing hand"),
        ("9s 9h", "8s 8h", "8d 8c 9d 9c 2s", "the winning hand does not beat the losing hand"),
        ("2s 2h", "As Ah", "2d Kc Qd 9c 7s", "the losing hand is lower than the qualifying hand"),
    ],
)
def test_only_the_posted_hand_or_higher_that_was_beaten_is_paid(
    losing: str, winning: str, community: str, why: str | None
) -> None:
    """A hand below, at and above the posted one; a tie and a hand that won are no Bad Beats."""
    floor = room()
    count(floor, "p1", 100 * DOLLAR)
    answer = floor.operate(four_eights_lose(losing=losing, winning=winning, community=community))
    if why is None:
        assert isinstance(answer, BadBeatVerified)
        return
    assert isinstance(answer, Refused)
    assert (answer.reason, answer.details["problem"]) == (Reason.NOT_A_BAD_BEAT, why)
    assert floor.meter("bb/main") == "100.00"


@pytest.mark.rule("PA2010 553.4(f)")
def test_the_record_names_what_the_cards_rank_as() -> None:
    """The event has both hands' cards, and every payout the hand that lost."""
    floor = room()
    count(floor, "p1", 100 * DOLLAR)
    event = ok(floor.operate(BAD_BEAT))
    assert isinstance(event, BadBeatVerified)
    assert (event.hand, event.winning_hand) == ("four-eights", "four-nines")
    assert (event.losing, event.winning) == (("8s", "8h"), ("9s", "9h"))
    assert event.community == ("8d", "8c", "9d", "9c", "2s")
    assert {p.hand for p in event.payouts} == {"four-eights"}


@pytest.mark.rule("PA2010 553.20(b)(3)")
@pytest.mark.parametrize("cards", ["8s", "8s 8h As", "8s 8h As Ks", "8s 8h 8d 8c As"])
def test_both_hands_have_as_many_cards_as_a_game_deals(cards: str) -> None:
    """One card too few or too many, or another game's number, is refused for either hand."""
    floor = room()
    for command in (four_eights_lose(losing=cards), four_eights_lose(winning=cards)):
        assert reason(floor.operate(command)) == Reason.WRONG_CARD_COUNT
    allowed = len(cards.split()) == 4
    other = "Kh Kd Kc Qs Qd"[: len(cards)]
    answer = floor.operate(four_eights_lose(losing=cards, winning=other))
    assert (reason(answer) == Reason.WRONG_CARD_COUNT) is not allowed


@pytest.mark.parametrize(
    "command",
    [
        four_eights_lose(losing="8s 8s"),
        four_eights_lose(winning="8s 9h"),
        four_eights_lose(community="8s 8c 9d 9c 2s"),
    ],
)
def test_no_card_is_dealt_twice(command: VerifyBadBeat) -> None:
    """Not within a hand, not to two players, not to a player and the table."""
    assert reason(room().operate(command)) == Reason.DUPLICATE_CARD


@pytest.mark.rule("PA2010 553.20(a)")
@pytest.mark.rule("PA2010 553.20(i)")
def test_a_fund_passes_on_to_bad_beats_only() -> None:
    """What pots gave goes to no progressive, and a progressive's money to no fund."""
    floor = room()
    count(floor, "p1", 100 * DOLLAR)
    ok(floor.operate(ResetMeter("bb", "main", "end")))
    ok(floor.operate(AdjustMeter("a", "main", 9_000 * DOLLAR, "reset", "T-1")))
    for link, to in (("bb", "a"), ("a", "bb")):
        transfer = TransferFunds(link, "main", "overflow", to, "main", DOLLAR, "T-2")
        assert reason(floor.operate(transfer)) == Reason.NOT_A_FUND
    ok(floor.operate(TransferFunds("bb", "main", "overflow", "bb", "main", DOLLAR, "T-3")))


def test_a_suspended_fund_is_still_counted_shared_and_shown() -> None:
    """What was won and what is in the box before the suspension stay due."""
    floor = room()
    ok(floor.play("p1", ContributePot(50 * DOLLAR)))
    ok(floor.operate(SuspendLink("bb")))
    count(floor, "p1", 2 * DOLLAR)
    ok(floor.operate(BAD_BEAT))
    ok(floor.operate(ConfirmDisplay("bb", floor.state.balances["bb/main/meter"])))


@pytest.mark.rule("PA2010 553.20(f)(1)")
@pytest.mark.rule("PA2010 553.20(h)(1)")
@pytest.mark.rule("PA2010 553.20(h)(2)")
def test_the_display_is_pending_adjustment_until_it_shows_the_record() -> None:
    """Only the very amount on record is confirmed, and only then can another hand be verified."""
    floor = room()
    count(floor, "p1", 100 * DOLLAR)
    ok(floor.operate(BAD_BEAT))
    assert floor.state.links["bb"].pending_adjustment
    count(floor, "p2", 5 * DOLLAR)
    assert reason(floor.operate(BAD_BEAT)) == Reason.PENDING_ADJUSTMENT
    held = floor.state.balances["bb/main/meter"]
    for shown in (held - 1, held + 1):
        answer = floor.operate(ConfirmDisplay("bb", shown))
        assert reason(answer) == Reason.DISPLAY_MISMATCH
    ok(floor.operate(ConfirmDisplay("bb", held)))
    assert not floor.state.links["bb"].pending_adjustment
    ok(floor.operate(BAD_BEAT))


def test_a_rejected_share_goes_back_to_the_fund() -> None:
    """What is not paid is the players' money still; a misread hand takes all shares back."""
    floor = room()
    count(floor, "p1", 100 * DOLLAR)
    event = ok(floor.operate(BAD_BEAT))
    assert isinstance(event, BadBeatVerified)
    ok(floor.operate(RejectPayout(event.payouts[0].id, "wager-invalid", "flo")))
    assert floor.meter("bb/main") == "50.01"
    ok(floor.operate(RejectPayout(event.payouts[1].id, "hand-misread", "flo")))
    assert floor.meter("bb/main") == "100.00"
    assert not floor.state.payouts


@pytest.mark.rule("PA2010 553.20(i)")
def test_a_discontinued_fund_goes_to_another() -> None:
    """A fund ends only when boxes are counted and all it holds went to players elsewhere."""
    floor = room()
    ok(floor.play("p2", ContributePot(50 * DOLLAR)))
    count(floor, "p1", 100 * DOLLAR)
    ok(floor.operate(SuspendLink("bb")))
    assert reason(floor.operate(RetireLink("bb"))) == Reason.LINK_NOT_EMPTY
    count(floor, "p2", 2 * DOLLAR)
    assert reason(floor.operate(RetireLink("bb"))) == Reason.LINK_NOT_EMPTY
    ok(floor.operate(ResetMeter("bb", "main", "end")))
    ok(
        floor.operate(
            TransferFunds("bb", "main", "overflow", "bb2", "main", 102 * DOLLAR, "board 3")
        )
    )
    ok(floor.operate(RetireLink("bb")))
    assert floor.meter("bb2/main") == "102.00"


def test_only_a_fund_takes_pots() -> None:
    """A table without a fund has no box, and a progressive is no fund."""
    floor = room()
    assert reason(floor.play("t1", ContributePot(50 * DOLLAR))) == Reason.NOT_A_FUND
    answer = floor.operate(CountBox("a", "t1", DOLLAR, "carl"))
    assert reason(answer) == Reason.NOT_A_FUND


@pytest.mark.parametrize("at", ["t1", "p9"])
def test_a_table_that_does_not_feed_the_fund_has_no_part_in_it(at: str) -> None:
    """Neither a box of it is counted for the fund nor a Bad Beat there paid from it."""
    floor = room()
    for command in (
        CountBox("bb", at, DOLLAR, "carl"),
        four_eights_lose(at),
    ):
        assert reason(floor.operate(command)) == Reason.UNKNOWN_TABLE


def test_another_link_of_the_table_does_not_stop_the_fund() -> None:
    """A pot contributes though a progressive of the same table is suspended."""
    links = [five_card_a("a"), bad_beat_fund()]
    floor = Floor().open_up(links, [Table("p1", "poker", ("a", "bb"), 10, 0)])
    ok(floor.operate(SuspendLink("a")))
    ok(floor.play("p1", ContributePot(50 * DOLLAR)))
    ok(floor.operate(SuspendLink("bb")))
    assert reason(floor.play("p1", ContributePot(50 * DOLLAR))) == Reason.WRONG_LINK_STATE


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (CountBox("x", "none", 1, "carl"), Reason.UNKNOWN_TABLE),
        (CountBox("x", "p1", 1, "carl"), Reason.UNKNOWN_LINK),
        (CountBox("a", "p1", 1, "carl"), Reason.UNKNOWN_TABLE),
        (CountBox("bb", "p1", 1, "carl"), Reason.WRONG_LINK_STATE),
        (four_eights_lose(seats=(99, 1), supervisor="", losing=""), Reason.UNKNOWN_SEAT),
        (four_eights_lose(supervisor="", losing=""), Reason.FLOORPERSON_REQUIRED),
        (four_eights_lose(losing="8s", winning="8s"), Reason.WRONG_CARD_COUNT),
        (four_eights_lose(losing="2h 2d", winning="2h 2c"), Reason.DUPLICATE_CARD),
        (four_eights_lose(losing="2h 2d"), Reason.WRONG_LINK_STATE),
        (ConfirmDisplay("x", 1), Reason.UNKNOWN_LINK),
        (ConfirmDisplay("bb", 1), Reason.WRONG_LINK_STATE),
    ],
)
def test_refusals_come_in_their_order(command: AnyCommand, why: Reason) -> None:
    """With everything wrong at once, the first of the list is the answer."""
    floor = Floor()
    for link in (five_card_a("a"), bad_beat_fund()):
        ok(floor.operate(DefineLink(link)))  # and never put in service
    ok(floor.operate(DefineTable(Table("p1", "poker", ("bb",), 10, 0))))
    assert reason(floor.operate(command)) == why
