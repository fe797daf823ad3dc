"""Whole rounds of each chapter's progressive, from lock-out to documentation, forfeit or void."""

from pathlib import Path

import pytest

from jackpot.core.commands.operator import PayPayout, ValidatePayout
from jackpot.core.commands.table import (
    ConfirmCollection,
    LockOut,
    OpenRound,
    Placed,
    PlaceWagers,
    SeatHand,
    Settle,
    WithdrawWagers,
)
from jackpot.core.events.table import RoundVoided, WagersPlaced
from jackpot.core.reasons import Reason
from tests.core.floor import DOLLAR, cents, ok, reason
from tests.rules.progressives import (
    CARIBBEAN,
    FOUR_ACES,
    FOUR_KINGS,
    NOTHING,
    ROYAL,
    Chapter,
    by,
    settle,
)


@pytest.mark.parametrize("chapter", by("lock-out"))
def test_no_wager_is_taken_after_lock_out_and_the_count_must_agree(
    chapter: Chapter, tmp_path: Path
) -> None:
    """Accepted ones are acknowledged; later ones refused; the meter grows when the chips agree."""
    floor = chapter.floor(tmp_path)
    start = floor.meter("link/main")
    ok(floor.play("t", OpenRound()))
    placed = ok(floor.play("t", PlaceWagers(tuple(chapter.wagers(*range(1, 7))))))
    assert isinstance(placed, WagersPlaced)
    assert [wager.seat for wager in placed.wagers] == [1, 2, 3, 4, 5, 6]
    ok(floor.play("t", LockOut()))
    late = floor.play("t", PlaceWagers(tuple(chapter.wagers(1))))
    assert reason(late) == Reason.LOCKED_OUT
    back = floor.play("t", WithdrawWagers((Placed(1, chapter.bet),)))
    assert reason(back) == Reason.LOCKED_OUT
    early = floor.play("t", Settle((), NOTHING[0]))
    assert reason(early) == Reason.NOT_COLLECTED
    for wrong in (5, 7):
        count = floor.play("t", ConfirmCollection({chapter.bet: wrong}))
        assert reason(count) == Reason.COLLECTION_MISMATCH
    assert floor.meter("link/main") == start
    ok(floor.play("t", ConfirmCollection({chapter.bet: 6})))
    grown = f"{float(start) + float(chapter.per_wager):.2f}"
    assert floor.meter("link/main") == grown


@pytest.mark.parametrize("chapter", by("validation"))
def test_a_jackpot_needs_a_floorperson_and_the_cage_and_holds_the_table(
    chapter: Chapter, tmp_path: Path
) -> None:
    """Only a lit seat wins; no payment before validation; no next round before it is documented."""
    floor = chapter.floor(tmp_path)
    floor.bets_in("t", chapter.wagers(1, 2))
    # Seat 3 holds a winning hand too, but has no lit lamp.
    dark = FOUR_KINGS if chapter.top == FOUR_ACES else ROYAL["h"]
    event = settle(floor, {1: NOTHING[1], 2: chapter.top, 3: dark})
    assert 3 not in {payout.seat for payout in event.payouts}
    (award,) = [payout for payout in event.payouts if payout.kind == "share"]
    assert (award.seat, award.source, award.needs_floorperson) == (2, "cage", True)
    assert reason(floor.operate(PayPayout(award.id, "F-1"))) == Reason.NOT_VALIDATED
    inventory = ValidatePayout(award.id, "floor-1", "inventory")
    assert reason(floor.operate(inventory)) == Reason.WRONG_SOURCE
    assert reason(floor.play("t", OpenRound())) == Reason.DOCUMENTATION_OPEN
    ok(floor.operate(ValidatePayout(award.id, "floor-1")))
    assert reason(floor.play("t", OpenRound())) == Reason.DOCUMENTATION_OPEN
    assert reason(floor.operate(PayPayout(award.id))) == Reason.FORM_REQUIRED
    ok(floor.operate(PayPayout(award.id, "F-1")))
    for payout in event.payouts:
        if payout.id != award.id:
            ok(floor.operate(ValidatePayout(payout.id, "floor-1")))
            ok(floor.operate(PayPayout(payout.id, "F-2")))
    ok(floor.play("t", OpenRound()))


@pytest.mark.parametrize("chapter", by("fold"))
def test_a_fold_forfeits_the_award_and_the_increment_stays(
    chapter: Chapter, tmp_path: Path
) -> None:
    """Where the chapter has envy bonuses, the folded player still gets them."""
    floor = chapter.floor(tmp_path)
    floor.bets_in("t", chapter.wagers(1, 2))
    before = floor.meter("link/main")
    event = settle(floor, {1: (), 2: NOTHING[2]}, {1: "folded"})
    assert event.payouts == ()
    assert floor.meter("link/main") == before
    floor.bets_in("t", chapter.wagers(1, 2))
    event = settle(floor, {1: (), 2: chapter.top}, {1: "folded"})
    envied = [payout.seat for payout in event.payouts if payout.kind == "envy"]
    assert envied == ([1] if "envy" in chapter.clauses else [])


@pytest.mark.parametrize("chapter", by("abandoned"))
def test_an_abandoned_wager_loses(chapter: Chapter, tmp_path: Path) -> None:
    """A player who leaves wins nothing, not even envy; the increment stays."""
    floor = chapter.floor(tmp_path)
    floor.bets_in("t", chapter.wagers(1, 2))
    event = settle(floor, {1: (), 2: chapter.top}, {1: "abandoned"})
    assert {payout.seat for payout in event.payouts} == {2}


@pytest.mark.parametrize("chapter", by("deck"))
def test_a_round_is_dealt_from_one_deck(chapter: Chapter, tmp_path: Path) -> None:
    """No card is in two hands, nor twice in one."""
    floor = chapter.floor(tmp_path)
    floor.bets_in("t", chapter.wagers(1, 2))
    for hands in ({1: NOTHING[1], 2: NOTHING[1]}, {1: NOTHING[1], 2: ("9d",) * 5}):
        seats = tuple(SeatHand(seat, cards) for seat, cards in hands.items())
        assert reason(floor.play("t", Settle(seats, NOTHING[0]))) == Reason.DUPLICATE_CARD
    seats = (SeatHand(1, NOTHING[1]), SeatHand(2, NOTHING[2]))
    assert reason(floor.play("t", Settle(seats, NOTHING[2]))) == Reason.DUPLICATE_CARD
    ok(floor.play("t", Settle(seats, NOTHING[0])))


@pytest.mark.parametrize("chapter", by("void"))
def test_a_misdeal_returns_all_wagers_and_takes_the_increments_back(
    chapter: Chapter, tmp_path: Path
) -> None:
    """After a void the meter is what it was before the round, and the wagers are returned."""
    floor = chapter.floor(tmp_path)
    start = floor.meter("link/main")
    floor.bets_in("t", chapter.wagers(1, 2, 3))
    assert floor.meter("link/main") != start
    event = ok(floor.void_round("t", "MISDEALT", "floor-1"))
    assert isinstance(event, RoundVoided)
    assert event.returned_micros == 3 * DOLLAR
    assert floor.meter("link/main") == start
    ok(floor.play("t", OpenRound()))


@pytest.mark.rule("PA2011 555.11(c)")
def test_players_who_tell_each_other_their_cards_forfeit(tmp_path: Path) -> None:
    """A forfeited hand wins nothing, however good; the others' do."""
    floor = CARIBBEAN.floor(tmp_path)
    floor.bets_in("t", CARIBBEAN.wagers(1, 2))
    hands = {1: ROYAL["s"], 2: ("7s", "7h", "7d", "7c", "2d")}
    event = settle(floor, hands, {1: "forfeited"})
    assert [(p.seat, cents(p.amount_micros)) for p in event.payouts] == [(2, "500.00")]
