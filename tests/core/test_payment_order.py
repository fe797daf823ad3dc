"""One order of payment: awards are decided, listed, validated and paid straight down the list."""

from itertools import product

import msgspec
import pytest
from hypothesis import given

from jackpot.core.commands.operator import PayPayout, RejectPayout, ValidatePayout
from jackpot.core.commands.table import Wager
from jackpot.core.config import Link
from jackpot.core.order import payouts_in_order
from jackpot.core.state import Draw, Payout
from jackpot.rules.compile_link import LevelChoice, LinkChoice, compile_link
from jackpot.rules.loader import rules
from jackpot.rules.model import BetRule, Paytable, Rule
from tests.core.floor import (
    DOLLAR,
    Floor,
    all_bet,
    caribbean,
    five_card_a,
    hand,
    hand_bonus,
    ok,
    table,
)
from tests.core.test_never_there import Deal, deals, played


def told(payouts: list[Payout]) -> list[tuple[int, str, str, int]]:
    """Receiver, link, kind and holder of each."""
    return [(p.seat, p.link, p.kind, p.holder) for p in payouts]


def pay_down(floor: Floor) -> list[Payout]:
    """Validate and pay whatever is due, in the order of the list; nothing is refused."""
    due = payouts_in_order(floor.state)
    for payout in due:
        if payout.needs_floorperson and not payout.floorperson:
            ok(floor.operate(ValidatePayout(payout.id, "flo")))
        ok(floor.operate(PayPayout(payout.id, "F-1" if payout.source == "cage" else "")))
    assert not floor.state.payouts
    return due


def validate_down(floor: Floor) -> None:
    """Validate the whole list before any of it is paid."""
    for payout in payouts_in_order(floor.state):
        if payout.needs_floorperson:
            ok(floor.operate(ValidatePayout(payout.id, "flo")))


def test_turn_then_link_then_whose_hand_then_receiver() -> None:
    """Every rule of the order in one round: an envy bonus is due at the turn that causes it."""
    floor = Floor().open_up([five_card_a(), hand_bonus()], [table("t1", "a", "hb")])
    wagers = all_bet("a-five", seats=range(1, 5)) + all_bet("hb-player", seats=range(2, 4))
    floor.bets_in("t1", [*wagers, *(Wager(seat, "hb-dealer", DOLLAR) for seat in (3, 1))])
    held = hand(3, "straight-flush"), hand(2, "royal-flush"), hand(1, "full-house")
    event = floor.settle("t1", *held, dealer="royal-flush")
    assert told(list(event.payouts)) == [
        (3, "a", "share", 3),
        (4, "a", "envy", 3),
        (2, "a", "envy", 3),
        (1, "a", "envy", 3),
        (3, "hb", "share", 3),
        (3, "hb", "share", 0),
        (1, "hb", "share", 0),
        (2, "a", "share", 2),
        (4, "a", "envy", 2),
        (3, "a", "envy", 2),
        (1, "a", "envy", 2),
        (2, "hb", "share", 2),
        (1, "a", "fixed", 1),
    ]
    assert [p.id for p in event.payouts] == list(range(1, 14))
    assert payouts_in_order(floor.state) == list(event.payouts)


def test_a_hand_comes_before_what_was_drawn_for_it() -> None:
    """Own hand, its Magic Card and Lucky Bonus, and only then the dealer's hand."""
    links = [hand_bonus(drawn_bps=10_000)]
    floor = Floor().open_up(links, [table("t1", "hb")])
    both = all_bet("hb-player", seats=range(1, 3)) + all_bet("hb-dealer", seats=range(1, 3))
    floor.bets_in("t1", both)
    round_ = floor.state.tables["t1"].round
    assert round_ is not None
    round_.draws = (Draw("hb", "", "2:full-house:0", 2),)
    event = floor.settle("t1", hand(2, "full-house"), dealer="full-house")
    kinds = [(p.seat, p.bet, p.kind) for p in event.payouts]
    assert kinds == [
        (2, "hb-player", "fixed"),
        (2, "hb-player", "magic"),
        (2, "hb-player", "lucky"),
        (2, "hb-dealer", "fixed"),
        (1, "hb-dealer", "fixed"),
    ]


def test_a_hand_still_comes_before_what_was_drawn_for_it_when_an_award_was_rejected() -> None:
    """What the meter pays is decided again, and keeps its place before what the house pays."""
    floor = Floor().open_up([hand_bonus(drawn_bps=10_000)], [table("t1", "hb")])
    floor.bets_in("t1", all_bet("hb-player", seats=range(1, 4)))
    round_ = floor.state.tables["t1"].round
    assert round_ is not None
    round_.draws = (Draw("hb", "", "2:straight-flush:0", 2),)
    floor.settle("t1", hand(3, "straight-flush"), hand(2, "straight-flush"))
    ok(floor.operate(RejectPayout(1, "hand-misread", "flo")))
    listed = [(p.id, p.kind) for p in payouts_in_order(floor.state)]
    assert listed == [(2, "share"), (3, "magic"), (4, "lucky")]
    pay_down(floor)


def test_an_award_that_loses_its_first_winner_is_listed_at_its_new_turn() -> None:
    """The dealer's royal of seats 3 and 1, without seat 3, comes after seat 2's straight flush."""
    floor = Floor().open_up([hand_bonus()], [table("t1", "hb")])
    floor.bets_in(
        "t1",
        [
            *(Wager(seat, "hb-dealer", DOLLAR) for seat in (3, 1)),
            Wager(2, "hb-player", DOLLAR),
        ],
    )
    floor.settle("t1", hand(2, "straight-flush"), dealer="royal-flush")
    assert [p.seat for p in payouts_in_order(floor.state)] == [3, 1, 2]
    ok(floor.operate(RejectPayout(1, "wager-invalid", "flo")))
    assert [p.seat for p in payouts_in_order(floor.state)] == [2, 1]
    pay_down(floor)


def _choice(rule: Rule, bet: BetRule, paytable: Paytable) -> Link | None:
    """A link of a paytable, with a plain choice for whatever its rule leaves open."""
    levels = {
        level.id: LevelChoice(10_000 * DOLLAR, 10_000 * DOLLAR, rate)
        for level, rate in zip(paytable.levels, (7_000, 1_000, 500), strict=False)
    }
    straight = {"straight-flush": "10% of main"}
    for chosen, pays, drawn_bps in product(({}, levels), ({}, straight), (None, 0)):
        choice = LinkChoice("link", "Link", DOLLAR, chosen, pays, drawn_bps, drawn_bps)
        link, faults = compile_link(rule, bet, paytable, choice)
        if not faults:
            return link
    return None


PAYTABLES = [
    pytest.param(rule, bet, paytable, id=f"{rule.id}-{bet.id}-{paytable.id}")
    for rule in rules().values()
    for bet in rule.bets
    for paytable in bet.paytables
    if bet.linkable
]


@pytest.mark.parametrize(("rule", "bet", "paytable"), PAYTABLES)
def test_any_two_awards_of_every_paytable_go_down_the_list(
    rule: Rule, bet: BetRule, paytable: Paytable
) -> None:
    """Each pair of winning hands, with a dealer's hand and envy where the bet has them."""
    link = _choice(rule, bet, paytable)
    assert link is not None, "a link of this paytable needs a choice that the test does not make"
    rows = [line.hand for line in link.bets[0].paytable][:6]
    bets = [each.id for each in link.bets]
    for place, (high, low) in enumerate(product(rows, rows)):
        dealer = rows[place % len(rows)]
        # Validated all at once, then paid; or each paid as soon as it is validated.
        for at_once in (True, False):
            floor = Floor().open_up([link], [table("t1", "link")])
            seats = [4, 3, 2, 1]
            floor.bets_in("t1", [Wager(seat, each, DOLLAR) for seat in seats for each in bets])
            held = hand(3, high), hand(2, low), hand(1, high)
            event = floor.settle("t1", *held, dealer=dealer)
            assert [p.id for p in event.payouts] == sorted(p.id for p in event.payouts)
            assert payouts_in_order(floor.state) == list(event.payouts)
            if at_once:
                validate_down(floor)
            pay_down(floor)


@given(deals)
def test_the_list_of_any_round_can_be_paid_straight_down(deal: Deal) -> None:
    """Three links, folds and dealers' hands: nothing is out of order."""
    floor = played(deal, set())
    validate_down(floor)
    pay_down(floor)


def test_a_list_from_before_the_one_order_is_sorted_when_it_is_read() -> None:
    """An envy bonus that an older version numbered first still waits for its cause."""
    floor = Floor().open_up([five_card_a()], [table("t1", "a")])
    floor.bets_in("t1", all_bet("a-five", seats=range(1, 3)))
    floor.settle("t1", hand(1, "royal-flush"))
    old = floor.state.settlements["t1/1"]
    floor.state.settlements["t1/1"] = msgspec.structs.replace(old, awards=old.awards[::-1])
    assert [p.kind for p in payouts_in_order(floor.state)] == ["share", "envy"]
    pay_down(floor)


def test_a_moved_share_is_paid_at_its_new_turn() -> None:
    """A share of the dealer's hand goes to the player's other box, behind that box's own hand."""
    floor = Floor().open_up([hand_bonus()], [table("t1", "hb")])
    dealers = [Wager(seat, "hb-dealer", DOLLAR, "ann") for seat in (3, 2)]
    floor.bets_in("t1", [*dealers, Wager(2, "hb-player", DOLLAR, "ann")])
    floor.settle("t1", hand(2, "straight-flush"), dealer="royal-flush")
    assert [(p.seat, p.holder) for p in payouts_in_order(floor.state)] == [(3, 0), (2, 2)]
    ok(floor.void_seat("t1", 3, "WRONG_CARD_COUNT"))
    assert [(p.seat, p.holder) for p in payouts_in_order(floor.state)] == [(2, 2), (2, 0)]
    pay_down(floor)


@pytest.mark.rule("PA2010 555.13(f)")
def test_shared_royals_come_before_a_hand_between_them() -> None:
    """Royals at 3 and 1 divide the meter at seat 3's turn; the full house at 2 follows both."""
    floor = Floor().open_up([caribbean()], [table("t1", "cs", boxes=1)])
    floor.bets_in("t1", all_bet("cs-bet", seats=range(1, 4)))
    held = hand(3, "royal-flush"), hand(2, "full-house"), hand(1, "royal-flush")
    event = floor.settle("t1", *held)
    assert [p.seat for p in event.payouts] == [3, 1, 2]
    pay_down(floor)
