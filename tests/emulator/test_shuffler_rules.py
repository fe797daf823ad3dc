"""What the regulations ask of a shuffling device, of decks and of the cut."""

from collections import Counter

import pytest

from emulator.devices import timing
from emulator.devices.faults import Fault
from emulator.devices.model import (
    HOUR_MS,
    Counted,
    Device,
    DeviceState,
    Method,
    Retirement,
    ShufflerKind,
)
from emulator.devices.refusals import Reason
from emulator.devices.station import Station
from jackpot.rules.cards import DECK, JOKER, deck
from tests.emulator.stations import (
    CARD,
    STACK,
    cards_of,
    counts,
    faults,
    loaded,
    ready,
    refused,
    shuffle_through,
    states,
    station,
)


@pytest.mark.rule("PA 657a.5(b)")
@pytest.mark.rule("PA2011 573.5(b)")
@pytest.mark.rule("PA2014 592.5(b)")
@pytest.mark.rule("MA 4(b)")
@pytest.mark.rule("PA2010 555.5(b)")
@pytest.mark.rule("PA2010 559.5(b)")
@pytest.mark.parametrize(
    ("fault", "counted"), [(Fault.CARD_MISSING, 51), (None, 52), (Fault.CARD_TOO_MANY, 53)]
)
def test_the_shuffler_counts_52_cards(fault: Fault | None, counted: int) -> None:
    """51 and 53 cards are told after the shuffle, and only 52 can be dealt."""
    devices = station()
    if fault:
        devices.inject_fault(fault)
    devices.load_deck("red")
    shuffle_through(devices)
    assert counts(devices) == [Counted(Device.SHUFFLER, "red", counted, 52)]
    if fault is None:
        assert devices.shuffler.state is DeviceState.READY
        devices.eject()
        return
    with refused(Reason.WRONG_COUNT):
        devices.eject()
    with refused(Reason.WRONG_COUNT):
        devices.shuffle()
    devices.remove_deck("red")
    assert devices.status().decks == ()
    ready(devices, "red")
    assert devices.status().decks[0].number == 2
    assert counts(devices)[-1].right


@pytest.mark.rule("PA2010 561.3(a)")
@pytest.mark.parametrize(
    ("fault", "counted"), [(Fault.CARD_MISSING, 52), (None, 53), (Fault.CARD_TOO_MANY, 54)]
)
def test_a_deck_with_the_joker_has_53_cards(fault: Fault | None, counted: int) -> None:
    """At Pai Gow Poker the shuffler expects 53 cards, one of them the joker."""
    devices = station(joker=True)
    if fault:
        devices.inject_fault(fault)
    devices.load_deck("red")
    shuffle_through(devices)
    assert counts(devices) == [Counted(Device.SHUFFLER, "red", counted, 53)]
    assert (devices.shuffler.state is DeviceState.READY) == (fault is None)


def test_the_joker_is_dealt_with_the_other_cards() -> None:
    """All 53 cards come out, each once."""
    devices = loaded(Method.MANUAL_SHOE, joker=True)
    dealt = [cards_of(devices.dispense(CARD))[0] for _ in range(53)]
    assert Counter(dealt) == Counter(deck(joker=True))
    assert JOKER in dealt


def test_a_shuffler_that_does_not_count_lets_51_cards_pass() -> None:
    """Without a count nobody knows: that is what the dealer's count of the stub is for."""
    devices = station(shuffler=ShufflerKind.PLAIN)
    devices.inject_fault(Fault.CARD_MISSING)
    ready(devices, "red")
    assert counts(devices) == []
    devices.dispense(STACK)
    assert devices.remove_stub(count=True) == 46
    assert counts(devices) == [Counted(Device.SHOE, "red", 46, 47)]


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


@pytest.mark.rule("PA 657a.13(e)")
@pytest.mark.rule("PA2011 573.13(e)")
@pytest.mark.rule("PA2014 592.13(e)")
@pytest.mark.rule("MA 12(e)")
@pytest.mark.rule("PA2010 553.16(o)")
@pytest.mark.rule("PA2010 555.14(e)")
@pytest.mark.rule("PA2010 557.13(e)")
@pytest.mark.rule("PA2010 559.15(d)")
@pytest.mark.rule("PA2010 561.14(l)")
@pytest.mark.rule("PA2010 563.13(e)")
@pytest.mark.rule("PA2010 565.13(e)")
@pytest.mark.parametrize(
    ("fault", "state"),
    [
        (Fault.SHUFFLER_JAM, DeviceState.JAMMED),
        (Fault.SHUFFLER_STOP, DeviceState.STOPPED),
        (Fault.SHUFFLER_INCOMPLETE, DeviceState.INCOMPLETE),
    ],
)
def test_after_a_failed_shuffle_the_cards_are_reshuffled(fault: Fault, state: DeviceState) -> None:
    """Cards of a shuffle that was not completed cannot be dealt; shuffled again, they can."""
    devices = station()
    devices.inject_fault(fault)
    devices.load_deck("red")
    shuffle_through(devices)
    assert devices.shuffler.state is state
    assert [occurred.fault for occurred in faults(devices)] == [fault]
    with refused(Reason.SHUFFLE_NOT_COMPLETE):
        devices.eject()
    shuffle_through(devices)
    devices.eject()
    assert devices.shuffles == 2
    assert counts(devices) == [Counted(Device.SHUFFLER, "red", 52, 52)]


def test_a_failing_shuffle_ends_before_its_time_and_a_good_one_at_it() -> None:
    """A cycle takes its time; a fault cuts it short."""
    devices = station()
    devices.load_deck("red")
    devices.shuffle()
    due_ms = devices.now_ms + timing.AUTOMATED_SHUFFLE_MS
    assert devices.due_ms == due_ms
    devices.advance(due_ms - 1)
    assert devices.shuffler.state is DeviceState.SHUFFLING
    with refused(Reason.STILL_SHUFFLING):
        devices.eject()
    with refused(Reason.STILL_SHUFFLING):
        devices.shuffle()
    devices.advance(due_ms)
    assert devices.status().shuffler is DeviceState.READY
    with refused(Reason.SHUFFLED_DECK_INSIDE):
        devices.shuffle()


@pytest.mark.rule("PA 657a.3(b)(2)")
@pytest.mark.rule("PA 657a.3(b)(3)")
@pytest.mark.rule("PA2011 573.3(b)(3)")
@pytest.mark.rule("PA2014 592.3(b)(3)")
@pytest.mark.rule("MA 2(b)(3)")
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
@pytest.mark.rule("PA2010 555.3(b)(5)")
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
@pytest.mark.rule("PA 657a.5(d)")
@pytest.mark.rule("PA2010 555.5(d)(1)(ii)")
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
@pytest.mark.rule("PA2010 555.5(e)")
def test_a_recut_is_possible_until_a_card_was_dealt() -> None:
    """A floorperson may have the cards cut again, but not once one of them is out."""
    devices = loaded(Method.MANUAL_SHOE, ShufflerKind.NONE)
    top = devices.shoe.cards[::-1]
    devices.cut(12)
    assert devices.shoe.cards[::-1] == top[12:] + top[:12]
    devices.dispense(CARD)
    with refused(Reason.ALREADY_DEALT):
        devices.cut(12)


@pytest.mark.rule("PA 657a.9(a)(1)")
@pytest.mark.rule("PA2010 555.9(a)(1)")
@pytest.mark.rule("MA 8(a)(1)")
def test_dealing_from_the_hand_needs_a_shuffler() -> None:
    """Without a shuffling device nothing is dealt from the hand, Poker excepted."""
    with refused(Reason.SHUFFLER_REQUIRED):
        station(Method.HAND, ShufflerKind.NONE)
    station(Method.HAND, ShufflerKind.NONE, poker=True)
    devices = station(Method.MANUAL_SHOE, ShufflerKind.NONE)
    with refused(Reason.SHUFFLER_REQUIRED):
        devices.change_method(Method.HAND)


def out_of_order(retire_by: Retirement = Retirement.COVER) -> Station:
    """A station whose shuffler has just failed for good."""
    devices = station(Method.MANUAL_SHOE, retire_by=retire_by)
    devices.inject_fault(Fault.SHUFFLER_OUT_OF_ORDER)
    devices.load_deck("red")
    shuffle_through(devices)
    assert devices.shuffler.state is DeviceState.OUT_OF_ORDER
    return devices


@pytest.mark.rule("PA 657a.13(g)")
@pytest.mark.rule("PA2011 573.13(g)")
@pytest.mark.rule("PA2014 592.13(g)")
@pytest.mark.rule("MA 12(g)")
@pytest.mark.parametrize("how", [Retirement.COVER, Retirement.REMOVE])
def test_a_failed_shuffler_is_covered_before_cards_are_shuffled_by_hand(how: Retirement) -> None:
    """Covered or taken away, the device no longer stands in the way of a manual shuffle."""
    devices = out_of_order(retire_by=Retirement.COVER)
    with refused(Reason.DEVICE_OUT_OF_ORDER):
        devices.shuffle()
    devices.retire(Device.SHUFFLER, how)
    ready(devices, "red")
    assert len(cards_of(devices.dispense(CARD))) == 1


@pytest.mark.rule("PA2010 555.14(g)")
@pytest.mark.rule("PA2010 557.13(g)")
@pytest.mark.rule("PA2010 559.15(f)")
@pytest.mark.rule("PA2010 561.14(n)")
@pytest.mark.rule("PA2010 563.13(g)")
@pytest.mark.rule("PA2010 565.13(g)")
@pytest.mark.rule("PA2010 553.16(p)")
def test_under_the_2010_chapters_a_cover_is_not_enough() -> None:
    """The device has to leave the table before cards are shuffled by hand."""
    devices = out_of_order(retire_by=Retirement.REMOVE)
    devices.retire(Device.SHUFFLER, Retirement.COVER)
    with refused(Reason.DEVICE_STILL_IN_PLACE):
        devices.load_deck("red")
    devices.retire(Device.SHUFFLER, Retirement.REMOVE)
    ready(devices, "red")


def test_a_repaired_shuffler_is_used_again() -> None:
    """Restored, the device is empty and takes the deck at the table."""
    devices = out_of_order()
    devices.retire(Device.SHUFFLER, Retirement.COVER)
    devices.restore(Device.SHUFFLER)
    ready(devices, "red")
    assert states(devices)[-1] is DeviceState.LOADED


@pytest.mark.rule("PA 657a.3(b)")
def test_without_its_shuffler_a_table_gives_up_its_second_deck() -> None:
    """Two decks are for tables with a shuffler: one has to go before a manual shuffle."""
    devices = loaded(Method.MANUAL_SHOE)
    devices.load_deck("blue")
    devices.inject_fault(Fault.SHUFFLER_OUT_OF_ORDER)
    shuffle_through(devices)
    devices.remove_stub(count=False)
    devices.retire(Device.SHUFFLER, Retirement.COVER)
    devices.load_deck("red")
    with refused(Reason.TWO_DECKS_NEED_SHUFFLER):
        devices.shuffle()
    devices.remove_deck("blue")
    devices.shuffle()
    devices.cut(10)


def test_a_shuffle_depends_on_its_number_and_not_on_how_cards_were_gathered() -> None:
    """A replay that resumes at the third shuffle deals what the whole run dealt there."""
    whole = station()
    hands = []
    for _ in range(4):
        ready(whole, "red")
        hands.append(cards_of(whole.dispense(STACK)))
        whole.remove_stub(count=False)
    resumed = station(first_shuffle=3)
    ready(resumed, "red")
    assert cards_of(resumed.dispense(STACK)) == hands[2]
    assert len({tuple(hand) for hand in hands}) == 4
    assert set(hands[0]) <= set(DECK)
