"""What the regulations ask of decks: how many, how long they are used, how they are cut."""

import pytest

from emulator.devices import timing
from table_client.table.devices.model import HOUR_MS, DeviceState, Method, ShufflerKind
from table_client.table.devices.refusals import Reason
from tests.emulator.stations import (
    CARD,
    STACK,
    cards_of,
    counts,
    loaded,
    ready,
    refused,
    shuffle_through,
    station,
)


@pytest.mark.rule("PA 657a.8(f)")
@pytest.mark.rule("PA 657a.10(d)")
@pytest.mark.rule("PA2010 555.8(f)")
def test_the_dealer_counts_the_stub_without_seeing_it() -> None:
    """A whole deck's stub is what was not dealt; the count takes its time and shows no card."""
    devices = loaded(Method.MANUAL_SHOE, ShufflerKind.NONE)
    for _ in range(5):
        devices.dispense(CARD)
    before_ms = devices.now_ms
    assert devices.remove_stub(count=True) == 47
    assert counts(devices)[-1].right
    assert devices.now_ms - before_ms == timing.REMOVE_STUB_MS + 47 * timing.COUNT_CARD_MS


@pytest.mark.rule("PA 657a.3(b)(2)")
@pytest.mark.rule("PA 657a.3(b)(3)")
@pytest.mark.rule("PA2011 573.3(b)(3)")
@pytest.mark.rule("PA2014 592.3(b)(3)")
@pytest.mark.rule("MA 2(b)(3)")
@pytest.mark.rule("PA2010 553.3(d)(1)")
@pytest.mark.rule("PA2010 553.3(d)(2)")
@pytest.mark.rule("PA2010 555.3(b)(4)")
@pytest.mark.rule("PA2010 559.3(b)(4)")
@pytest.mark.rule("PA2010 561.3(b)(4)")
def test_two_decks_alternate_round_by_round() -> None:
    """While one deck is in play the other is shuffled; each is used in every other round."""
    devices = station()
    ready(devices, "red")
    devices.load_deck("blue")
    shuffle_through(devices)
    used = []
    for _ in range(6):
        in_play = devices.status().shoe_deck
        waiting = devices.status().shuffler_deck
        used.append(in_play)
        assert {in_play, waiting} == {"red", "blue"}
        assert devices.shuffler.state is DeviceState.READY
        devices.dispense(STACK)
        devices.remove_stub(count=False)
        devices.load_deck(in_play)
        devices.eject()
        shuffle_through(devices)
    assert used == ["red", "blue"] * 3


@pytest.mark.rule("PA 657a.3(b)(4)")
@pytest.mark.rule("MA 2(b)(4)")
@pytest.mark.rule("PA2011 573.3(b)(4)")
@pytest.mark.rule("PA2014 592.3(b)(4)")
@pytest.mark.rule("PA2010 555.3(b)(5)")
@pytest.mark.rule("PA2010 557.3(b)(5)")
@pytest.mark.rule("PA2010 559.3(b)(5)")
@pytest.mark.rule("PA2010 561.3(b)(5)")
@pytest.mark.rule("PA2010 563.3(b)(5)")
@pytest.mark.rule("PA2010 565.3(b)(5)")
def test_the_cards_of_only_one_deck_are_outside_at_a_time() -> None:
    """The other deck stays in the shuffler until the cards of the last round are gathered."""
    devices = loaded()
    devices.load_deck("blue")
    shuffle_through(devices)
    with refused(Reason.STUB_IN_SHOE):
        devices.eject()
    devices.dispense(STACK)
    devices.remove_stub(count=False)
    with refused(Reason.OTHER_DECK_ON_TABLE):
        devices.eject()
    devices.load_deck("red")
    devices.eject()
    assert devices.status().shoe_deck == "blue"
    assert devices.status().rack_cards == 0


@pytest.mark.rule("PA 657a.3(a)")
@pytest.mark.rule("PA 657a.3(b)")
@pytest.mark.rule("PA2010 555.3(a)")
@pytest.mark.rule("MA 2(b)")
@pytest.mark.rule("PA2011 573.3(b)")
@pytest.mark.rule("PA2014 592.3(b)")
@pytest.mark.rule("PA2010 555.3(b)")
@pytest.mark.rule("PA2010 557.3(b)")
@pytest.mark.rule("PA2010 559.3(b)")
@pytest.mark.rule("PA2010 561.3(b)")
@pytest.mark.rule("PA2010 563.3(b)")
@pytest.mark.rule("PA2010 565.3(b)")
def test_a_second_deck_needs_a_shuffler_and_a_third_is_never_used() -> None:
    """One deck without a shuffler, two with one."""
    by_hand = station(Method.MANUAL_SHOE, ShufflerKind.NONE)
    by_hand.load_deck("red")
    with refused(Reason.TOO_MANY_DECKS):
        by_hand.load_deck("blue")
    by_machine = loaded()
    by_machine.load_deck("blue")
    with refused(Reason.TOO_MANY_DECKS):
        by_machine.load_deck("green")


@pytest.mark.rule("PA2010 553.3(a)")
def test_a_poker_table_keeps_two_decks_without_a_shuffler() -> None:
    """At Poker two decks are at the table in any case."""
    devices = station(Method.HAND, ShufflerKind.NONE, poker=True)
    ready(devices, "red")
    devices.dispense(CARD)
    devices.load_deck("blue")
    assert {deck.back for deck in devices.status().decks} == {"red", "blue"}


def test_a_deck_that_cannot_be_inserted_stays_shuffled_before_the_dealer() -> None:
    """A cut is refused while the other deck is in play, and works when that one is out of it."""
    devices = station(Method.HAND, ShufflerKind.NONE, poker=True)
    ready(devices, "red")
    devices.load_deck("blue")
    devices.shuffle()
    with refused(Reason.STUB_IN_SHOE):
        devices.cut(26)
    devices.remove_stub(count=False)
    devices.remove_deck("red")
    devices.cut(26)
    assert devices.status().shoe_deck == "blue"


@pytest.mark.rule("PA 657a.3(c)(1)")
@pytest.mark.rule("PA 657a.3(c)(2)")
@pytest.mark.rule("PA2011 573.3(c)(1)")
@pytest.mark.rule("PA2011 573.3(c)(2)")
@pytest.mark.rule("PA2014 592.3(c)(1)")
@pytest.mark.rule("PA2014 592.3(c)(2)")
@pytest.mark.rule("MA 2(c)(1)")
@pytest.mark.rule("MA 2(c)(2)")
@pytest.mark.rule("PA2010 553.3(b)")
@pytest.mark.rule("PA2010 555.3(c)(1)")
@pytest.mark.rule("PA2010 555.3(c)(2)")
@pytest.mark.rule("PA2010 559.3(c)(1)")
@pytest.mark.rule("PA2010 559.3(c)(2)")
@pytest.mark.rule("PA2010 561.3(c)(1)")
@pytest.mark.rule("PA2010 561.3(c)(2)")
@pytest.mark.parametrize(
    ("method", "poker", "hours"),
    [
        (Method.HAND, False, 4),
        (Method.MANUAL_SHOE, False, 8),
        (Method.AUTOMATED_SHOE, False, 8),
        (Method.HAND, True, 6),
        (Method.MANUAL_SHOE, True, 6),
    ],
)
@pytest.mark.parametrize("early_ms", [1, 0, -1])
def test_a_deck_is_changed_in_time(
    method: Method, hours: int, early_ms: int, *, poker: bool
) -> None:
    """A deck goes into play until a moment before its hours are over, and not after."""
    devices = station(method, poker=poker)
    devices.load_deck("red")
    shuffle_through(devices)
    age_ms = devices.status().decks[0].age_ms
    devices.pass_time(hours * HOUR_MS - early_ms - age_ms)
    assert devices.status().decks[0].overdue == (early_ms <= 0)
    if early_ms > 0:
        devices.eject()
        return
    with refused(Reason.DECK_OVERDUE):
        devices.eject()
    devices.remove_deck("red")
    ready(devices, "red")
    assert devices.status().decks[0].number == 2


@pytest.mark.parametrize(("method", "hours"), [(Method.HAND, 3), (Method.MANUAL_SHOE, 5)])
def test_a_rule_of_its_own_says_how_long_a_deck_lives(method: Method, hours: int) -> None:
    """The hours of the station's set-up come before the usual ones."""
    devices = station(method, by_hand_hours=3, by_shoe_hours=5)
    devices.load_deck("red")
    assert devices.status().decks[0].limit_ms == hours * HOUR_MS
    for unlikely in (-1, 24 * 7 + 1):
        with refused(Reason.INVALID_COMMAND):
            station(by_hand_hours=unlikely)
        with refused(Reason.INVALID_COMMAND):
            station(by_shoe_hours=unlikely)


def test_an_overdue_deck_finishes_its_round_and_is_not_gathered_again() -> None:
    """A round under way is dealt to its end; then the deck has to be changed."""
    devices = loaded()
    devices.dispense(STACK)
    devices.pass_time(8 * HOUR_MS)
    devices.dispense(STACK)
    devices.remove_stub(count=False)
    with refused(Reason.DECK_OVERDUE):
        devices.load_deck("red")
    devices.remove_deck("red")
    ready(devices, "red")


@pytest.mark.rule("PA 657a.5(c)(2)")
@pytest.mark.rule("MA 4(c)(2)")
@pytest.mark.rule("PA2011 573.5(c)(2)")
@pytest.mark.rule("PA2014 592.5(c)(2)")
@pytest.mark.rule("PA 657a.5(d)")
@pytest.mark.rule("MA 4(d)")
@pytest.mark.rule("PA2011 573.5(d)")
@pytest.mark.rule("PA2014 592.5(d)")
@pytest.mark.rule("PA2010 555.5(d)(1)(ii)")
@pytest.mark.rule("PA2010 555.5(d)(1)(iii)")
@pytest.mark.rule("PA2010 557.5(d)(1)(ii)")
@pytest.mark.rule("PA2010 557.5(d)(1)(iii)")
@pytest.mark.rule("PA2010 559.5(d)(1)(ii)")
@pytest.mark.rule("PA2010 559.5(d)(1)(iii)")
@pytest.mark.rule("PA2010 563.5(d)(1)(ii)")
@pytest.mark.rule("PA2010 563.5(d)(1)(iii)")
@pytest.mark.rule("PA2010 565.5(d)(1)(ii)")
@pytest.mark.rule("PA2010 565.5(d)(1)(iii)")
@pytest.mark.parametrize(("depth", "allowed"), [(9, False), (10, True), (51, True), (52, False)])
def test_cards_shuffled_by_hand_are_cut_at_least_ten_deep(depth: int, *, allowed: bool) -> None:
    """Nothing is dealt before the cut, and the cover card goes in at least ten cards down."""
    devices = station(Method.MANUAL_SHOE, ShufflerKind.NONE)
    devices.load_deck("red")
    devices.shuffle()
    with refused(Reason.CUT_REQUIRED):
        devices.dispense(CARD)
    before = devices.uncut
    assert before is not None
    stack = list(before.cards)
    if not allowed:
        with refused(Reason.CUT_TOO_SHALLOW):
            devices.cut(depth)
        return
    devices.cut(depth)
    dealt = [cards_of(devices.dispense(CARD))[0] for _ in range(52)]
    assert dealt == stack[depth:] + stack[:depth]


@pytest.mark.rule("PA2010 561.5(e)")
@pytest.mark.parametrize(("depth", "allowed"), [(9, False), (10, True), (43, True), (44, False)])
def test_at_pai_gow_ten_cards_stay_below_the_cover_card_too(depth: int, *, allowed: bool) -> None:
    """With the joker the cut is ten cards from the top and from the bottom."""
    devices = station(Method.MANUAL_SHOE, ShufflerKind.NONE, joker=True)
    devices.load_deck("red")
    devices.shuffle()
    if allowed:
        devices.cut(depth)
    else:
        with refused(Reason.CUT_TOO_SHALLOW):
            devices.cut(depth)


@pytest.mark.rule("PA 657a.5(e)")
@pytest.mark.rule("MA 4(e)")
@pytest.mark.rule("PA2011 573.5(e)")
@pytest.mark.rule("PA2014 592.5(e)")
@pytest.mark.rule("PA2010 555.5(e)")
@pytest.mark.rule("PA2010 557.5(e)")
@pytest.mark.rule("PA2010 559.5(e)")
@pytest.mark.rule("PA2010 563.5(e)")
@pytest.mark.rule("PA2010 565.5(e)")
@pytest.mark.rule("PA2010 561.5(f)")
def test_a_recut_is_possible_until_a_card_was_dealt() -> None:
    """A floorperson may have the cards cut again, but not once one of them is out."""
    devices = loaded(Method.MANUAL_SHOE, ShufflerKind.NONE)
    top = devices.shoe.cards[::-1]
    devices.cut(12)
    assert devices.shoe.cards[::-1] == top[12:] + top[:12]
    devices.dispense(CARD)
    with refused(Reason.ALREADY_DEALT):
        devices.cut(12)
