"""What the regulations ask of a shuffler: it counts, and is replaced when it is out of order."""

from collections import Counter

import pytest

from emulator.devices import timing
from emulator.devices.station import Station
from jackpot.rules.cards import DECK, JOKER, deck
from table_client.table.devices.device_faults import Fault
from table_client.table.devices.model import (
    Counted,
    Device,
    DeviceState,
    Method,
    Retirement,
    ShufflerKind,
)
from table_client.table.devices.refusals import Reason
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
