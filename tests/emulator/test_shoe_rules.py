"""What the regulations ask of shoes and the hand, and of a shoe that fails."""

from collections import Counter

import pytest

from jackpot.rules.cards import DECK
from table_client.table.devices.device_faults import Fault, Target
from table_client.table.devices.model import (
    Counted,
    Delivery,
    Device,
    DeviceState,
    Method,
    Retirement,
    ShufflerKind,
)
from table_client.table.devices.refusals import Reason
from tests.emulator.stations import (
    BY_HAND,
    CARD,
    DEALER_STACK,
    STACK,
    STACKS,
    cards_of,
    counts,
    loaded,
    ready,
    refused,
    shuffler_for,
    station,
)


@pytest.mark.rule("PA 657a.9(b)")
@pytest.mark.parametrize("method", BY_HAND)
def test_a_manual_shoe_and_the_hand_give_one_card_at_a_time(method: Method) -> None:
    """A stack cannot be asked for; the whole deck comes out card by card, from the top."""
    devices = loaded(method)
    top = devices.shoe.cards[::-1]
    with refused(Reason.ONE_CARD_AT_A_TIME):
        devices.dispense(STACK)
    assert [cards_of(devices.dispense(CARD))[0] for _ in range(52)] == top
    with refused(Reason.NOT_ENOUGH_CARDS):
        devices.dispense(CARD)


@pytest.mark.rule("PA 657a.10(b)")
@pytest.mark.rule("PA2010 555.10(b)")
@pytest.mark.parametrize("method", STACKS)
def test_an_automated_shoe_dispenses_stacks(method: Method) -> None:
    """Seven stacks of five come out of one deck, and no card twice."""
    devices = loaded(method, shuffler_for(method))
    stacks = [cards_of(devices.dispense(STACK)) for _ in range(6)]
    stacks.append(cards_of(devices.dispense(DEALER_STACK)))
    assert [len(stack) for stack in stacks] == [5] * 7
    assert len({card for stack in stacks for card in stack}) == 35
    assert devices.status().shoe_cards == 17


@pytest.mark.rule("PA2011 563.10(c)")
@pytest.mark.rule("PA2011 569.10(c)")
def test_the_stub_of_an_automated_shoe_can_be_dealt_on_from_the_hand() -> None:
    """After the stacks the dealer takes the rest in hand and deals single cards from it."""
    devices = loaded()
    devices.dispense(Delivery(Target.PLAYER, 2, 1))
    rest = devices.shoe.cards[::-1]
    assert devices.remove_stub(count=False, to_hand=True) is None
    with refused(Reason.ONE_CARD_AT_A_TIME):
        devices.dispense(Delivery(Target.COMMUNITY, 3))
    community = [cards_of(devices.dispense(Delivery(Target.COMMUNITY)))[0] for _ in range(5)]
    assert community == rest[:5]
    assert devices.remove_stub(count=True) == 45


@pytest.mark.rule("PA 657a.5(g)")
@pytest.mark.rule("PA2011 573.5(g)")
@pytest.mark.rule("PA2014 592.5(g)")
@pytest.mark.rule("MA 4(g)")
def test_a_continuous_shoe_reshuffles_and_counts_by_itself() -> None:
    """Fed with the cards of the last round it counts 52 and goes on, with no shuffle and no cut."""
    devices = loaded(Method.CONTINUOUS_SHOE, ShufflerKind.NONE)
    first = cards_of(devices.dispense(STACK))
    with refused(Reason.NOT_APPLICABLE):
        devices.shuffle()
    with refused(Reason.NOT_LOADED):
        devices.cut(20)
    devices.load_deck("red")
    assert counts(devices) == [Counted(Device.SHOE, "red", 52, 52)] * 2
    assert devices.status().shoe_cards == 52
    assert cards_of(devices.dispense(STACK)) != first


def test_a_continuous_shoe_gives_every_card_alike() -> None:
    """Over many rounds each card is first as often as any other, by a chi-square test."""
    devices = station(Method.CONTINUOUS_SHOE, ShufflerKind.NONE)
    first = Counter[str]()
    rounds = 2_600
    for number in range(rounds):
        if number % 400 == 0 and number:
            devices.remove_deck("red")  # before it is overdue
        devices.load_deck("red")
        first.update(cards_of(devices.dispense(CARD)))
    statistic = sum((first[card] - 50) ** 2 / 50 for card in DECK)
    assert 10 < statistic < 100  # 51 degrees of freedom: mean 51, standard deviation 10


@pytest.mark.rule("PA 657a.5(b)")
@pytest.mark.parametrize("fault", [Fault.CARD_MISSING, Fault.CARD_TOO_MANY])
def test_a_continuous_shoe_holds_back_a_deck_of_the_wrong_count(fault: Fault) -> None:
    """It tells the wrong number and deals nothing until the deck was removed."""
    devices = station(Method.CONTINUOUS_SHOE, ShufflerKind.NONE)
    devices.inject_fault(fault)
    devices.load_deck("red")
    assert not counts(devices)[-1].right
    with refused(Reason.WRONG_COUNT):
        devices.dispense(STACK)
    devices.remove_deck("red")
    devices.load_deck("red")
    devices.dispense(STACK)


@pytest.mark.rule("PA 657a.13(f)")
@pytest.mark.rule("PA2011 573.13(f)")
@pytest.mark.rule("PA2014 592.13(f)")
@pytest.mark.rule("MA 12(f)")
@pytest.mark.rule("PA2010 555.14(f)")
@pytest.mark.rule("PA2010 557.13(f)")
@pytest.mark.rule("PA2010 559.15(e)")
@pytest.mark.rule("PA2010 561.14(m)")
@pytest.mark.rule("PA2010 563.13(f)")
@pytest.mark.rule("PA2010 565.13(f)")
@pytest.mark.parametrize("method", STACKS)
@pytest.mark.parametrize(
    ("fault", "state"),
    [
        (Fault.SHOE_JAM, DeviceState.JAMMED),
        (Fault.SHOE_STOP, DeviceState.STOPPED),
        (Fault.SHOE_FAILS_TO_DEAL, DeviceState.FAILED),
    ],
)
def test_a_failed_shoe_gives_up_its_cards_and_they_are_reshuffled_with_those_dealt(
    method: Method, fault: Fault, state: DeviceState
) -> None:
    """Mid-round the shoe fails: it deals no more, and all 52 cards come back for a reshuffle."""
    devices = loaded(method, shuffler_for(method))
    devices.inject_fault(fault, skip=2)
    devices.dispense(STACK)
    devices.dispense(STACK)
    failed = devices.dispense(STACK)
    assert len(failed.cards) < 5
    assert failed.faults == (fault,)
    assert devices.shoe.state is state
    with refused(Reason.SHOE_FAILED):
        devices.dispense(STACK)
    with refused(Reason.SHOE_FAILED):
        devices.remove_stub(count=False, to_hand=True)
    devices.remove_stub(count=False)
    ready(devices, "red")
    assert counts(devices)[-1].right
    assert len(devices.dispense(STACK).cards) == 5


@pytest.mark.rule("PA 657a.13(g)")
@pytest.mark.rule("PA2014 592.13(g)")
def test_a_shoe_out_of_order_is_covered_before_another_way_is_used() -> None:
    """Under the later chapters a cover lets the table go on with a manual shoe."""
    devices = loaded(retire_by=Retirement.COVER)
    devices.inject_fault(Fault.SHOE_OUT_OF_ORDER)
    assert devices.dispense(STACK).cards == ()
    with refused(Reason.DEVICE_OUT_OF_ORDER):
        devices.dispense(STACK)
    with refused(Reason.STUB_IN_SHOE):
        devices.retire(Device.SHOE, Retirement.COVER)
    devices.remove_stub(count=False)
    with refused(Reason.DEVICE_STILL_IN_PLACE):
        devices.change_method(Method.MANUAL_SHOE)
    devices.retire(Device.SHOE, Retirement.COVER)
    devices.change_method(Method.MANUAL_SHOE)
    ready(devices, "red")
    assert len(devices.dispense(CARD).cards) == 1
    devices.remove_stub(count=False)
    with refused(Reason.NOT_APPLICABLE):
        devices.change_method(Method.AUTOMATED_SHOE)
    devices.restore(Device.SHOE)
    devices.change_method(Method.AUTOMATED_SHOE)
    ready(devices, "red")
    assert len(devices.dispense(STACK).cards) == 5


@pytest.mark.rule("PA2010 555.14(g)")
@pytest.mark.rule("PA2010 559.15(f)")
@pytest.mark.parametrize("broken", [False, True])
def test_under_the_2010_chapters_a_shoe_is_removed_before_another_way_is_used(
    *, broken: bool
) -> None:
    """Working or not, and covered or not: only once it is off the table."""
    devices = loaded(retire_by=Retirement.REMOVE)
    if broken:
        devices.inject_fault(Fault.SHOE_OUT_OF_ORDER)
    devices.dispense(STACK)
    devices.remove_stub(count=False)
    with refused(Reason.DEVICE_STILL_IN_PLACE):
        devices.change_method(Method.HAND)
    devices.retire(Device.SHOE, Retirement.COVER)
    with refused(Reason.DEVICE_STILL_IN_PLACE):
        devices.change_method(Method.HAND)
    devices.retire(Device.SHOE, Retirement.REMOVE)
    devices.change_method(Method.HAND)


@pytest.mark.parametrize("method", BY_HAND)
def test_what_is_no_device_cannot_jam(method: Method) -> None:
    """A manual shoe and the hand neither jam nor go out of order."""
    devices = loaded(method)
    for fault in (Fault.SHOE_JAM, Fault.SHOE_OUT_OF_ORDER):
        with refused(Reason.NOT_APPLICABLE):
            devices.inject_fault(fault)
    with refused(Reason.NOT_APPLICABLE):
        devices.retire(Device.SHOE, Retirement.REMOVE)


@pytest.mark.parametrize(("count", "seat"), [(0, 1), (11, 1), (5, 33), (5, -1)])
def test_a_delivery_beyond_the_limits_is_malformed(count: int, seat: int) -> None:
    """No stack of none or of more than ten cards, and no seat that a table cannot have."""
    devices = loaded()
    with refused(Reason.INVALID_COMMAND):
        devices.dispense(Delivery(Target.PLAYER, count, seat))
    assert devices.status().dealt_cards == 0
