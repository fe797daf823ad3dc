"""Envy bonuses: fixed amounts for every other player's qualifying hand."""

import msgspec
import pytest

from jackpot.core.commands.table import SeatHand, Wager
from jackpot.core.config import Link
from jackpot.core.events.table import RoundSettled
from tests.core.floor import (
    DOLLAR,
    Floor,
    all_bet,
    cents,
    five_card_a,
    hand,
    hand_bonus,
    table,
)


def played(*hands: SeatHand, wagers: list[Wager], link: Link | None = None) -> RoundSettled:
    """A round of a five-card progressive, settled with these hands; the dealer has a royal."""
    floor = Floor().open_up([link or five_card_a(), hand_bonus()], [table("t1", "a", "hb")])
    floor.bets_in("t1", wagers)
    return floor.settle("t1", *hands, dealer="royal-flush")


def envy(event: RoundSettled) -> list[tuple[int, int, str]]:
    """Receiver, holder and amount of every envy bonus, in payment order."""
    return [(p.seat, p.holder, cents(p.amount_micros)) for p in event.payouts if p.kind == "envy"]


def five(*seats: int, player: str = "") -> list[Wager]:
    """Progressive wagers of these seats."""
    return [Wager(seat, "a-five", DOLLAR, player) for seat in seats]


@pytest.mark.rule("PA 657a.11(e)(5)(ii)")
@pytest.mark.rule("MA 10(e)(5)(ii)")
@pytest.mark.rule("PA2011 573.11(e)(5)")
def test_every_other_bettor_is_paid_for_every_qualifying_hand() -> None:
    """Not for one's own hand, nor for the dealer's, nor for a hand below the schedule."""
    held = (hand(5, "royal-flush"), hand(3, "straight-flush"), hand(2, "four-of-a-kind"))
    event = played(*held, wagers=five(5, 3, 2))
    assert envy(event) == [
        (3, 5, "1000.00"),
        (2, 5, "1000.00"),
        (5, 3, "300.00"),
        (2, 3, "300.00"),
    ]


@pytest.mark.rule("PA 657a.12(e)(5)")
@pytest.mark.rule("PA 657a.12(d)(5)")
def test_the_amount_goes_by_the_receivers_wager() -> None:
    """At a five-dollar link the bonus is five times that of a one-dollar link."""
    wagers = [Wager(seat, "a-five", 5 * DOLLAR) for seat in (6, 1)]
    event = played(hand(6, "royal-flush"), wagers=wagers, link=five_card_a("a", 5))
    assert envy(event) == [(1, 6, "5000.00")]


def test_the_holder_need_not_have_bet() -> None:
    """What counts is the hand of another player, whatever that player wagered."""
    event = played(hand(4, "royal-flush"), wagers=five(1))
    assert envy(event) == [(1, 4, "1000.00")]
    assert not [p for p in event.payouts if p.kind == "share"]


def test_who_has_not_bet_the_progressive_gets_no_envy() -> None:
    """A wager on another link gives no right to this one's bonus."""
    event = played(hand(4, "royal-flush"), wagers=[*five(4), Wager(1, "hb-player", DOLLAR)])
    assert envy(event) == []


@pytest.mark.parametrize("fate", ["folded", "abandoned", "forfeited"])
def test_a_hand_that_was_not_played_causes_no_envy(fate: str) -> None:
    """Its cards are gone, even if somebody saw them."""
    assert envy(played(hand(4, "royal-flush", fate), wagers=five(4, 1))) == []


@pytest.mark.rule("PA 657a.11(b)(2)")
@pytest.mark.rule("MA 10(b)(2)")
@pytest.mark.rule("PA2011 573.11(b)(2)")
@pytest.mark.rule("PA 657a.7(b)")
@pytest.mark.parametrize(
    ("fate", "keeps", "paid"),
    [
        ("folded", True, True),
        ("folded", False, False),
        ("abandoned", True, False),
        ("forfeited", True, False),
        ("played", False, True),
    ],
)
def test_a_fold_keeps_envy_and_leaving_loses_it(fate: str, keeps: bool, paid: bool) -> None:
    """Folding forfeits the wager but not the eligibility, where the rule says so."""
    link = five_card_a()
    bets = tuple(msgspec.structs.replace(bet, fold_keeps_envy=keeps) for bet in link.bets)
    event = played(
        hand(4, "royal-flush"),
        SeatHand(1, (), "folded") if fate == "folded" else hand(1, "nothing", fate),
        wagers=five(4, 1),
        link=msgspec.structs.replace(link, bets=bets),
    )
    assert envy(event) == [(1, 4, "1000.00")] * paid


def test_nobody_envies_the_second_box() -> None:
    """A player with two boxes is paid for neither of the own hands; others are paid for both."""
    wagers = [*five(6, 5, player="ann"), *five(2)]
    event = played(hand(6, "royal-flush"), hand(5, "straight-flush"), wagers=wagers)
    assert envy(event) == [(2, 6, "1000.00"), (2, 5, "300.00")]


def test_a_second_box_is_known_by_any_wager_on_it() -> None:
    """A wager on another link tells whose box it is."""
    wagers = [*five(6, player="ann"), Wager(5, "hb-player", DOLLAR, "ann")]
    assert envy(played(hand(5, "royal-flush"), wagers=wagers)) == []


def test_two_boxes_of_one_player_are_both_envious_of_others() -> None:
    """Each wager has its own right to a bonus."""
    wagers = [*five(6, 5, player="ann"), *five(2)]
    event = played(hand(2, "straight-flush"), wagers=wagers)
    assert envy(event) == [(6, 2, "300.00"), (5, 2, "300.00")]


def test_envy_is_the_houses_and_needs_a_floorperson() -> None:
    """No meter bears it; it is paid from the table's inventory."""
    floor = Floor().open_up([five_card_a()], [table("t1", "a")])
    floor.bets_in("t1", all_bet("a-five"))
    event = floor.settle("t1", SeatHand(6, hand(6, "royal-flush").cards, "forfeited"))
    assert not event.payouts
    floor.bets_in("t1", five(6, 1))
    house, meter = floor.state.balances["a/house"], floor.meter("a/main")
    event = floor.settle("t1", hand(2, "straight-flush"))
    assert floor.state.balances["a/house"] == house - 600 * DOLLAR
    assert floor.meter("a/main") == meter
    assert {(p.source, p.needs_floorperson, p.level) for p in event.payouts} == {
        ("inventory", True, "")
    }
