"""Voids of a round or a seat: who bears them, and what is left of the round."""

import pytest
from msgspec.structs import replace

from jackpot.core.commands.operator import (
    AdjustMeter,
    ConfigureSite,
    DescribeTable,
    RejectPayout,
    VoidTableRound,
    VoidTableSeat,
)
from jackpot.core.commands.table import (
    CallFloor,
    LockOut,
    OpenRound,
    PlaceWagers,
    VoidRound,
    Wager,
    WithdrawCall,
)
from jackpot.core.config import Irregularities
from jackpot.core.events import Refused
from jackpot.core.events.table import RoundOpened, RoundVoided, SeatVoided
from jackpot.core.floor import OF_ANY_SEAT
from jackpot.core.reasons import Reason
from tests.core.floor import (
    DOLLAR,
    Floor,
    all_bet,
    cents,
    five_card_a,
    hand,
    hand_bonus,
    ok,
    reason,
    table,
)

MISDEAL = VoidRound("MISDEAL")


def floor_with_two_links(boxes: int = 2) -> Floor:
    """A table on a progressive and a hand bonus, and a second table on both."""
    floor = Floor()
    links = [five_card_a(), hand_bonus()]
    return floor.open_up(links, [table(t, "a", "hb", boxes=boxes) for t in ("t1", "t2")])


@pytest.mark.rule("PA2010 555.14(d)")
def test_a_second_void_seat_was_never_there_either() -> None:
    """The winner is due the meter without the increments of both void seats."""
    floor = floor_with_two_links()
    floor.bets_in("t1", all_bet("a-five"))
    floor.settle("t1", hand(6, "royal-flush"))
    ok(floor.void_seat("t1", 1, "WRONG_CARD_COUNT"))
    ok(floor.void_seat("t1", 2, "WRONG_CARD_COUNT"))
    (award,) = (p for p in floor.state.payouts.values() if p.kind == "share")
    assert award.amount_micros == 10_000 * DOLLAR + 4 * 210_000
    assert floor.meter("a/main") == "10000.00"


def test_a_rejection_after_a_void_seat_decides_without_that_seats_money() -> None:
    """The second winner is due a tenth of the meter as it would have been without the seat."""
    floor = floor_with_two_links()
    floor.bets_in("t1", all_bet("a-five"))
    first = floor.settle("t1", hand(6, "straight-flush"), hand(4, "straight-flush")).payouts[0]
    ok(floor.void_seat("t1", 1, "WRONG_CARD_COUNT"))
    ok(floor.operate(RejectPayout(first.id, "lamp-dark", "flo")))
    (left,) = (p for p in floor.state.payouts.values() if p.kind == "share")
    assert left.amount_micros == 1_000_100_000  # a tenth of 10,001.05, in whole cents
    assert left.meter_before_micros == 10_000 * DOLLAR + 5 * 210_000


def test_seats_on_different_links_can_be_voided_one_after_the_other() -> None:
    """A link whose bettors are all void has nothing left to return."""
    floor = floor_with_two_links()
    floor.bets_in("t1", [Wager(1, "a-five", DOLLAR), Wager(2, "hb-player", DOLLAR)])
    ok(floor.void_seat("t1", 1, "MISDEAL"))
    ok(floor.void_seat("t1", 2, "MISDEAL"))
    assert floor.meter("a/main") == floor.meter("hb/main") == "10000.00"
    assert floor.balance("hb/players") == "0.00"


@pytest.mark.parametrize(
    ("dealer", "due"),
    [("four-of-a-kind", [(5, "500.00")]), ("straight-flush", [(5, "1000.01")])],
)
def test_a_void_box_takes_its_own_awards_but_not_its_players_share(
    dealer: str, due: list[tuple[int, str]]
) -> None:
    """A fixed award is a box's; a share is a player's, who has bet on the dealer elsewhere too."""
    floor = floor_with_two_links()
    floor.bets_in("t1", [Wager(seat, "hb-dealer", DOLLAR, "ann") for seat in (6, 5)])
    floor.settle("t1", dealer=dealer)
    ok(floor.void_seat("t1", 6, "MISDEAL"))
    assert [(p.seat, cents(p.amount_micros)) for p in floor.state.payouts.values()] == due


MIXED = [Wager(1, "a-five", DOLLAR), Wager(1, "hb-player", DOLLAR), Wager(2, "a-five", DOLLAR)]


def came_to(phase: str) -> Floor:
    """A round with chips and an electronic wager that came to this phase."""
    floor = floor_with_two_links()
    ok(floor.play("t1", OpenRound()))
    ok(floor.play("t1", PlaceWagers(tuple(MIXED))))
    if phase != "open":
        ok(floor.play("t1", LockOut()))
    if phase in ("collected", "settled"):
        floor.confirm("t1")
    if phase == "settled":
        floor.settle("t1", hand(2, "straight-flush"))
    return floor


@pytest.mark.rule("PA 657a.13(c)")
@pytest.mark.rule("PA 657a.13(d)")
@pytest.mark.rule("PA 657a.13(f)")
@pytest.mark.rule("PA2010 555.14(a)")
@pytest.mark.rule("MA 12(c)")
@pytest.mark.parametrize("phase", ["open", "locked", "collected", "settled"])
def test_a_void_round_returns_every_wager_and_posts_nothing(phase: str) -> None:
    """From its opening until something was validated, on both links, and the next may open."""
    floor = came_to(phase)
    event = ok(floor.void_round("t1", "MISDEAL"))
    assert isinstance(event, RoundVoided)
    assert (event.number, event.irregularity, event.floorperson) == (1, "MISDEAL", "flo")
    assert event.returned_micros == 3 * DOLLAR
    moved = {a: m for a, m in floor.state.balances.items() if m}
    assert moved == {
        f"{link}/{account}": micros
        for link in ("a", "hb")
        for account, micros in (("house", -10_000 * DOLLAR), ("main/meter", 10_000 * DOLLAR))
    }
    assert not floor.state.payouts
    assert floor.play("t1", OpenRound()) == RoundOpened("t1", 2)


@pytest.mark.rule("PA2010 555.14(d)")
@pytest.mark.parametrize("phase", ["open", "locked", "collected", "settled"])
def test_a_void_seat_leaves_the_others_in_the_round(phase: str) -> None:
    """Its wagers are returned in any phase, and the round goes on without it."""
    floor = came_to(phase)
    event = ok(floor.void_seat("t1", 1, "WRONG_CARD_COUNT"))
    assert isinstance(event, SeatVoided)
    assert (event.number, event.seat, event.returned_micros) == (1, 1, 2 * DOLLAR)
    assert floor.balance("hb/players") == floor.balance("hb/retained") == "0.00"
    if phase == "open":
        ok(floor.play("t1", LockOut()))
    floor.confirm("t1")
    if phase != "settled":
        floor.settle("t1", hand(2, "straight-flush"))
    (payout,) = floor.state.payouts.values()
    assert (payout.seat, cents(payout.amount_micros)) == (2, "1000.02")
    assert floor.balance("a/players") == "-1.00"
    assert floor.meter("hb/main") == "10000.00"


def test_a_tables_void_needs_a_round() -> None:
    """Without one there is nothing to void."""
    assert reason(floor_with_two_links().play("t1", MISDEAL)) == Reason.NO_ROUND


@pytest.mark.parametrize("phase", ["open", "locked"])
def test_a_table_voids_alone_before_its_collection(phase: str) -> None:
    """And the journal names nobody. What comes after the lock-out is counted."""
    floor = came_to(phase)
    event = ok(floor.play("t1", MISDEAL))
    assert isinstance(event, RoundVoided)
    assert (event.floorperson, event.call) == ("", 0)
    assert event.late_voids == floor.state.tables["t1"].late_voids == (phase == "locked")


def test_voids_after_a_lock_out_are_counted_at_each_table() -> None:
    """Of rounds and seats, whoever does it; a void of an open round is not one."""
    floor = came_to("collected")
    counts = [floor.void_seat("t1", 1, "MISDEAL"), floor.void_round("t1", "MISDEAL")]
    ok(floor.play("t1", OpenRound()))
    counts += [floor.play("t1", MISDEAL)]
    ok(floor.play("t1", OpenRound()))
    ok(floor.play("t1", LockOut()))
    counts += [floor.void_round("t1", "MISDEAL")]
    assert [getattr(ok(event), "late_voids", None) for event in counts] == [1, 2, 0, 3]
    assert floor.state.tables["t2"].late_voids == 0
    assert floor.replayed().tables["t1"].late_voids == 3


@pytest.mark.parametrize("phase", ["open", "locked", "collected", "settled"])
def test_a_laboratorys_tables_void_until_they_settle(phase: str) -> None:
    """And never after."""
    floor = came_to(phase)
    ok(floor.operate(ConfigureSite(dual_control=False, voids_by_table="until-settled")))
    answer = floor.play("t1", MISDEAL)
    if phase == "settled":
        assert reason(answer) == Reason.VOID_BY_FLOOR_ONLY
    else:
        assert isinstance(answer, RoundVoided)


@pytest.mark.parametrize(
    ("word", "of_round", "of_seat"),
    [
        ("MISDEALT", "", "VOIDS_ALL_HANDS"),
        ("PLAYER_WRONG_NUMBER", "UNKNOWN_IRREGULARITY", ""),
        ("WHIM", "UNKNOWN_IRREGULARITY", "UNKNOWN_IRREGULARITY"),
    ],
)
@pytest.mark.rule("PA2010 555.14(d)")
def test_a_table_gives_a_word_of_its_games_list(word: str, of_round: str, of_seat: str) -> None:
    """A whole round is not voided for one seat's cards, nor a seat for what voids all hands."""
    floor = came_to("locked")
    words = Irregularities(("MISDEALT",), ("PLAYER_WRONG_NUMBER",))
    config = replace(floor.state.tables["t1"].config, irregularities=words)
    ok(floor.operate(DescribeTable(config)))
    calls: list[CallFloor | VoidRound] = [
        CallFloor("void-seat", 1, 1, irregularity=word),
        CallFloor("void-round", 1, irregularity=word),
        VoidRound(word),
    ]
    found = []
    for command in calls:
        answer = floor.play("t1", command)
        found.append(answer.reason if isinstance(answer, Refused) else "")
        if call := floor.state.calls.get("t1"):
            ok(floor.play("t1", WithdrawCall(call.id)))
    assert found == [of_seat, of_round, of_round]


def test_a_floorperson_voids_no_seat_for_what_voids_all_hands() -> None:
    """However they spell it; and for nothing that neither list has."""
    floor = came_to("collected")
    config = floor.state.tables["t1"].config
    words = Irregularities(("MISDEALT", "DECK_INCOMPLETE"), ())
    ok(floor.operate(DescribeTable(replace(config, irregularities=words))))
    for word in ("MISDEALT", "misdealt", " Misdealt ", "deck incomplete", "Deck-Incomplete"):
        assert reason(floor.void_seat("t1", 1, word)) == Reason.VOIDS_ALL_HANDS
    whim = "the player fell ill"
    assert reason(floor.void_seat("t1", 1, whim)) == Reason.UNKNOWN_IRREGULARITY
    assert reason(floor.void_round("t1", whim)) == Reason.UNKNOWN_IRREGULARITY
    assert reason(floor.void_round("t1", "HAND_FOULED")) == Reason.UNKNOWN_IRREGULARITY
    for seat, word in enumerate(OF_ANY_SEAT, start=1):
        ok(floor.void_seat("t1", seat, word))
    ok(floor.void_round("t1", "MISDEALT"))


@pytest.mark.parametrize("phase", ["collected", "settled"])
def test_a_table_voids_nothing_after_its_collection(phase: str) -> None:
    """Cards may be known: awards and money stay, until a floorperson says otherwise."""
    floor = came_to(phase)
    payouts, balances = dict(floor.state.payouts), dict(floor.state.balances)
    refused = floor.play("t1", MISDEAL)
    assert isinstance(refused, Refused)
    assert refused.reason == Reason.VOID_BY_FLOOR_ONLY
    assert refused.details == {"table": "t1", "round": "1"}
    assert (floor.state.payouts, floor.state.balances) == (payouts, balances)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (VoidTableSeat("t9", 1, 0, "MISDEAL"), Reason.UNKNOWN_TABLE),
        (VoidTableRound("t9", 1, "MISDEAL"), Reason.UNKNOWN_TABLE),
        (VoidTableSeat("t1", 2, 7, "MISDEAL"), Reason.UNKNOWN_SEAT),
        (VoidTableSeat("t1", 2, 1, "MISDEAL"), Reason.WRONG_ROUND),
        (VoidTableRound("t1", 2, "MISDEAL"), Reason.WRONG_ROUND),
    ],
)
def test_a_floorperson_voids_the_round_that_is_meant(
    command: VoidTableSeat | VoidTableRound, why: Reason
) -> None:
    """And no other, neither the one before nor the one to come."""
    assert reason(came_to("settled").operate(command)) == why


def test_a_seat_is_voided_once() -> None:
    """The last seat too; a void round is gone altogether."""
    floor = came_to("collected")
    for seat in (6, 1):
        ok(floor.void_seat("t1", seat, "MISDEAL"))
        again = floor.void_seat("t1", seat, "MISDEAL")
        assert reason(again) == Reason.SEAT_NOT_IN_ROUND
    ok(floor.void_round("t1", "MISDEAL"))
    assert reason(floor.void_round("t1", "MISDEAL")) == Reason.NO_ROUND


def test_a_void_seat_takes_envy_for_its_hand_and_to_its_bettor() -> None:
    """Bonuses that its cards caused fall, and those that its wager earned; others stay."""
    floor = floor_with_two_links()
    floor.bets_in("t1", all_bet("a-five", seats=range(1, 4)))
    floor.settle("t1", hand(3, "straight-flush"), hand(2, "straight-flush"))
    ok(floor.void_seat("t1", 3, "WRONG_CARD_COUNT"))
    left = {(p.kind, p.seat, p.holder) for p in floor.state.payouts.values()}
    assert left == {("share", 2, 2), ("envy", 1, 2)}


@pytest.mark.parametrize(("hit", "house"), [("royal-flush", 210_000), ("straight-flush", 0)])
def test_a_void_seat_after_another_tables_award(hit: str, house: int) -> None:
    """The house bears one seat's increments after a 100%, the meter after a 10%."""
    floor = floor_with_two_links()
    for at in ("t1", "t2"):
        floor.bets_in(at, all_bet("a-five"))
    floor.settle("t1", hand(4, "straight-flush"))
    floor.settle("t2", hand(1, hit))
    before = dict(floor.state.balances)
    due = {p.id: p.amount_micros for p in floor.state.payouts.values() if p.kind == "share"}
    ok(floor.void_seat("t1", 2, "MISDEAL"))
    after = floor.state.balances
    envy = 300 * DOLLAR  # seat 2's bonus falls with it
    assert before["a/house"] + envy - after["a/house"] == house
    if house:  # what was decided before the jackpot stands as it was
        assert {p: floor.state.payouts[p].amount_micros for p in due} == due


@pytest.mark.parametrize(
    ("bet", "player", "keeps"),
    [("hb-dealer", "ann", True), ("hb-player", "ann", False), ("hb-dealer", "bob", False)],
)
def test_a_share_stays_only_with_a_player_who_bet_on_the_dealer_elsewhere(
    bet: str, player: str, keeps: bool
) -> None:
    """The other box must be the same player's and on the same bet."""
    floor = floor_with_two_links()
    floor.bets_in("t1", [Wager(6, "hb-dealer", DOLLAR, "ann"), Wager(5, bet, DOLLAR, player)])
    floor.settle("t1", dealer="straight-flush")
    ok(floor.void_seat("t1", 6, "MISDEAL"))
    assert ("ann" in {p.player for p in floor.state.payouts.values()}) == keeps


def test_a_void_seat_may_have_had_more_on_the_meter_than_is_left() -> None:
    """The winner is then due a share of nothing, and the house bears what is missing."""
    floor = floor_with_two_links()
    floor.bets_in("t1", all_bet("a-five"))
    ok(floor.operate(AdjustMeter("a", "main", 150_000, "malfunction", "T-1")))
    tenth = next(p for p in floor.settle("t1", hand(6, "straight-flush")).payouts if p.share_bps)
    assert cents(tenth.amount_micros) == "0.01"
    house = floor.state.balances["a/house"]
    ok(floor.void_seat("t1", 1, "WRONG_CARD_COUNT"))
    assert floor.state.payouts[tenth.id].amount_micros == 0
    assert floor.meter("a/main") == "0.00"
    envy = 300 * DOLLAR  # seat 1's bonus falls with it
    assert house + envy - floor.state.balances["a/house"] == 60_000  # 0.21 returned, 0.15 held
