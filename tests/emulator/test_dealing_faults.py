"""Every irregularity while cards are dealt: marked as what it is, and the deck stays whole."""

import pytest

from table_client.table.devices.device_faults import Fault, Target
from table_client.table.devices.model import DealtCard, Delivery, Method
from tests.emulator.stations import (
    BY_HAND,
    CARD,
    STACK,
    STACKS,
    counts,
    dealt,
    faults,
    loaded,
    ready,
    shuffler_for,
)


@pytest.mark.rule("PA 657a.13(a)")
@pytest.mark.rule("PA2011 573.13(a)")
@pytest.mark.rule("PA2014 592.13(a)")
@pytest.mark.rule("MA 12(a)")
@pytest.mark.rule("PA2010 555.14(b)")
@pytest.mark.rule("PA2010 559.15(a)")
@pytest.mark.parametrize(
    ("fault", "found"), [(Fault.CARD_FACE_UP, 1), (Fault.TWO_CARDS_FACE_UP, 2)]
)
@pytest.mark.parametrize("method", [*BY_HAND, Method.AUTOMATED_SHOE])
def test_a_card_found_face_up_is_marked(method: Method, fault: Fault, found: int) -> None:
    """One or two cards of a deal are marked face up; the rest of the round has none."""
    devices = loaded(method)
    devices.inject_fault(fault)
    size = 5 if method is Method.AUTOMATED_SHOE else 1
    marks = [
        card.face_up
        for _ in range(10)
        for card in devices.dispense(Delivery(Target.PLAYER, size, 1)).cards
    ]
    assert sum(marks) == found
    assert all(marks[:found])


@pytest.mark.rule("PA 657a.13(b)")
@pytest.mark.rule("PA2011 573.13(b)")
@pytest.mark.rule("PA2014 592.13(b)")
@pytest.mark.rule("MA 12(b)")
@pytest.mark.rule("PA2010 555.14(c)")
@pytest.mark.rule("PA2010 559.15(b)")
def test_a_card_drawn_in_error_is_the_next_card() -> None:
    """Drawn too early and unseen, it is what the next delivery gets: the order is as it was."""
    devices = loaded(Method.MANUAL_SHOE)
    top = devices.shoe.cards[::-1]
    devices.inject_fault(Fault.CARD_DRAWN_IN_ERROR)
    first, second, third = (devices.dispense(CARD).cards[0] for _ in range(3))
    assert [first.card, second.card, third.card] == top[:3]
    assert second == DealtCard(top[1], drawn_in_error=True)
    assert not first.drawn_in_error
    assert not third.drawn_in_error


def test_a_card_drawn_in_error_was_not_face_up() -> None:
    """It came out unseen; the cards found face up are those that come after it."""
    devices = loaded(Method.MANUAL_SHOE)
    devices.inject_fault(Fault.CARD_DRAWN_IN_ERROR)
    devices.inject_fault(Fault.CARD_FACE_UP)
    cards = [devices.dispense(CARD).cards[0] for _ in range(4)]
    assert [card.drawn_in_error for card in cards] == [False, True, False, False]
    assert [card.face_up for card in cards] == [False, False, True, False]


@pytest.mark.parametrize("method", STACKS)
def test_a_card_drawn_in_error_and_not_dealt_goes_with_the_stub(method: Method) -> None:
    """It is counted with the stub, and the deck is whole again when it is gathered."""
    devices = loaded(method, shuffler_for(method))
    devices.inject_fault(Fault.CARD_DRAWN_IN_ERROR)
    devices.dispense(STACK)
    if method is Method.AUTOMATED_SHOE:
        assert devices.remove_stub(count=True) == 47
    ready(devices, "red")
    assert counts(devices)[-1].right


@pytest.mark.rule("PA 657a.13(c)")
@pytest.mark.rule("PA2011 573.13(c)")
@pytest.mark.rule("PA2014 592.13(c)")
@pytest.mark.rule("MA 12(c)")
@pytest.mark.rule("PA2010 555.14(d)")
@pytest.mark.rule("PA2010 559.15(c)")
@pytest.mark.parametrize(
    ("fault", "target", "cards"),
    [
        (Fault.PLAYER_ONE_SHORT, Target.PLAYER, 4),
        (Fault.PLAYER_ONE_EXTRA, Target.PLAYER, 6),
        (Fault.DEALER_ONE_SHORT, Target.DEALER, 4),
        (Fault.DEALER_ONE_EXTRA, Target.DEALER, 6),
        (Fault.COMMUNITY_ONE_SHORT, Target.COMMUNITY, 4),
        (Fault.COMMUNITY_ONE_EXTRA, Target.COMMUNITY, 6),
    ],
)
def test_a_wrong_number_of_cards_reaches_only_whom_it_is_for(
    fault: Fault, target: Target, cards: int
) -> None:
    """The fault waits for its own kind of delivery, takes effect once, and keeps the deck whole."""
    devices = loaded()
    devices.inject_fault(fault)
    for other in Target:
        if other is not target:
            assert len(devices.dispense(Delivery(other, 5)).cards) == 5
    assert len(devices.dispense(Delivery(target, 5)).cards) == cards
    assert len(devices.dispense(Delivery(target, 5)).cards) == 5
    stub = devices.remove_stub(count=True)
    assert stub is not None
    assert len(dealt(devices)) + stub == 52


def test_a_player_can_be_passed_over_card_by_card() -> None:
    """From the hand a player one card short gets none in that turn."""
    devices = loaded(Method.HAND)
    devices.inject_fault(Fault.PLAYER_ONE_SHORT, seat=3)
    assert len(devices.dispense(Delivery(Target.PLAYER, 1, 2)).cards) == 1
    assert devices.dispense(Delivery(Target.PLAYER, 1, 3)).cards == ()


@pytest.mark.rule("PA 657a.13(d)")
@pytest.mark.rule("PA2011 573.13(d)")
@pytest.mark.rule("PA2014 592.13(d)")
@pytest.mark.rule("MA 12(d)")
@pytest.mark.rule("PA2010 555.14(a)")
@pytest.mark.parametrize(
    ("fault", "target"),
    [
        (Fault.PLAYER_CARD_EXPOSED, Target.PLAYER),
        (Fault.DEALER_CARD_EXPOSED, Target.DEALER),
        (Fault.COMMUNITY_CARD_EXPOSED, Target.COMMUNITY),
    ],
)
def test_an_exposed_card_is_marked(fault: Fault, target: Target) -> None:
    """Exactly one card of the delivery is turned over, to whom the fault is meant for."""
    devices = loaded()
    devices.inject_fault(fault)
    delivered = devices.dispense(Delivery(target, 5))
    assert sum(card.exposed for card in delivered.cards) == 1
    assert [occurred.fault for occurred in faults(devices)] == [fault]


@pytest.mark.rule("PA 657a.7(b)")
@pytest.mark.rule("PA2011 555.11(c)")
@pytest.mark.parametrize("fault", [Fault.PLAYER_TALKS, Fault.SEAT_ABANDONED])
def test_what_a_player_does_comes_with_the_seat_and_changes_no_card(fault: Fault) -> None:
    """The delivery names the fault; the cards are what they would have been."""
    undisturbed = loaded()
    devices = loaded()
    devices.inject_fault(fault, seat=4)
    for seat in (1, 2, 3, 4):
        delivery = Delivery(Target.PLAYER, 5, seat)
        delivered = devices.dispense(delivery)
        assert delivered.cards == undisturbed.dispense(delivery).cards
        assert delivered.faults == ((fault,) if seat == 4 else ())
