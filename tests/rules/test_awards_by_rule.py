"""What each chapter's progressive awards: to whom, in which turn, from which meter, and envy."""

from pathlib import Path

import pytest

from tests.core.floor import cents
from tests.rules.progressives import (
    CARIBBEAN,
    FOUR_ACES,
    FOUR_KINGS,
    MA_FOUR,
    NOTHING,
    OPEN,
    PA_2011,
    PA_FOUR,
    ROYAL,
    Chapter,
    by,
    settle,
)


@pytest.mark.parametrize("chapter", by("any dealer"))
def test_a_progressive_is_paid_whatever_the_dealer_holds(chapter: Chapter, tmp_path: Path) -> None:
    """A dealer with a higher hand, or one that does not qualify, changes nothing."""
    hands = {1: ("7s", "7h", "7d", "7c", "2d")}  # four of a kind
    paid = set()
    for dealer in (("Ks", "Kh", "Kd", "Kc", "3s"), NOTHING[4]):
        floor = chapter.floor(tmp_path)
        floor.bets_in("t", chapter.wagers(1))
        paid.add(
            tuple((p.kind, p.amount_micros) for p in settle(floor, hands, dealer=dealer).payouts)
        )
    assert len(paid) == 1
    assert [kind for kind, _ in paid.pop()] == ["fixed"]


@pytest.mark.parametrize("chapter", by("envy"))
def test_envy_goes_to_every_other_bettor_for_each_qualifying_hand(
    chapter: Chapter, tmp_path: Path
) -> None:
    """Not for one's own hand, nor the dealer's; once for each other player's qualifying hand."""
    floor = chapter.floor(tmp_path)
    floor.bets_in("t", chapter.wagers(1, 2, 3))
    other = FOUR_KINGS if chapter.top == FOUR_ACES else ROYAL["h"]
    dealer = ("Qs", "Qh", "Qd", "Qc", "5s") if chapter.top == FOUR_ACES else ROYAL["d"]
    # Seat 5 has a qualifying hand and no progressive wager: it gives envy and gets none.
    unlit = ("8s", "8h", "8d", "8c", "3h") if chapter.top == FOUR_ACES else ROYAL["c"]
    hands = {1: chapter.top, 2: other, 3: NOTHING[3], 5: unlit}
    event = settle(floor, hands, dealer=dealer)
    got: dict[int, list[str]] = {}
    for payout in event.payouts:
        if payout.kind == "envy":
            got.setdefault(payout.seat, []).append(cents(payout.amount_micros))
    link = floor.state.links["link"].config
    line = {one.hand: cents(one.amount_micros) for one in link.bets[0].envy}
    top = line["four-aces" if chapter.top == FOUR_ACES else "royal-flush"]
    low = line["four-of-a-kind" if chapter.top == FOUR_ACES else "royal-flush"]
    assert {seat: sorted(amounts) for seat, amounts in got.items()} == {
        1: [low, low],
        2: sorted([low, top]),
        3: sorted([low, low, top]),
    }


@pytest.mark.parametrize("chapter", by("turn"))
def test_two_jackpots_at_one_table_are_paid_one_after_the_other(
    chapter: Chapter, tmp_path: Path
) -> None:
    """From the dealer's right: the first gets the meter of that turn, the second the reseed."""
    floor = chapter.floor(tmp_path)
    floor.set_level("link/main", "25000.00")
    floor.bets_in("t", chapter.wagers(*range(1, 7)))
    hands = {2: ROYAL["h"], 6: ROYAL["s"], **{seat: NOTHING[seat] for seat in (1, 3, 4)}}
    hands[5] = ("8s", "6s", "3s", "3h", "7c")
    event = settle(floor, hands)
    shares = [(p.seat, cents(p.amount_micros)) for p in event.payouts if p.kind == "share"]
    assert shares == [(6, "25001.26"), (2, "10000.00")]
    assert floor.meter("link/main") == "10000.00"


@pytest.mark.rule("MA 11(d)(4)")
@pytest.mark.rule("PA2011 573.12(d)(4)")
@pytest.mark.rule("PA2011 573.11(c)")
@pytest.mark.rule("PA 657a.12(d)(4)")
@pytest.mark.parametrize("chapter", [PA_FOUR, MA_FOUR, PA_2011], ids=lambda one: one.rule)
def test_four_aces_win_the_meter_of_their_turn(chapter: Chapter, tmp_path: Path) -> None:
    """This round's increments included; a later four of a kind is fixed and leaves the meter."""
    floor = chapter.floor(tmp_path)
    floor.set_level("link/main", "12345.67")
    floor.bets_in("t", chapter.wagers(1, 2, 3, 4, 5, 6))
    hands = {1: FOUR_KINGS, 6: FOUR_ACES, 3: NOTHING[3], 4: NOTHING[4]}
    hands |= {2: ("9d", "7h", "5s", "4c", "2d"), 5: ("8s", "6s", "3h", "7c", "Td")}
    event = settle(floor, hands)
    won = [(p.seat, p.kind, cents(p.amount_micros)) for p in event.payouts if p.kind != "envy"]
    assert won == [(6, "share", "12347.41"), (1, "fixed", "300.00")]
    assert floor.meter("link/main") == cents(
        floor.state.links["link"].config.levels[0].reseed_micros
    )


@pytest.mark.rule("PA2010 555.13(f)")
def test_caribbean_stud_s_royals_share_when_the_first_is_paid(tmp_path: Path) -> None:
    """Each gets half of the meter, paid in the turn of the first."""
    floor = CARIBBEAN.floor(tmp_path)
    floor.set_level("link/main", "25000.00")
    floor.bets_in("t", CARIBBEAN.wagers(1, 2, 3, 4, 5, 6))
    hands = {2: ROYAL["h"], 6: ROYAL["s"], 1: NOTHING[1], 3: NOTHING[3], 4: NOTHING[4]}
    hands[5] = ("8s", "6s", "3s", "3h", "7c")
    event = settle(floor, hands)
    shares = [(p.seat, cents(p.amount_micros)) for p in event.payouts if p.kind == "share"]
    assert shares == [(6, "12502.10"), (2, "12502.10")]


@pytest.mark.rule("PA2011 573.1(i)")
@pytest.mark.rule("PA2011 573.1(ii)")
@pytest.mark.parametrize(("paytable", "count"), [("A", 1), ("B", 0)])
def test_a_straight_flush_gives_envy_only_where_the_paytable_has_it(
    tmp_path: Path, paytable: str, count: int
) -> None:
    """Four of a kind always does; a straight flush under paytable A and not under B."""
    link = f'paytable = "{paytable}"\n' + OPEN % "29%"
    chapter = Chapter("pa-2011-crazy-4-poker", "progressive", link, (), "")
    floor = chapter.floor(tmp_path)
    floor.bets_in("t", chapter.wagers(1, 2))
    event = settle(floor, {1: NOTHING[1], 2: ("Ks", "Qs", "Js", "Ts", "2h")})
    assert len([p for p in event.payouts if p.kind == "envy"]) == count
