"""Irregularities that one game's chapter treats otherwise than the rest, or alone treats at all."""

import pytest

from table_client.table.devices.device_faults import Fault
from table_client.table.devices.model import Method
from table_client.table.devices.refusals import DeviceRefused, Reason
from tests.client.games.chapters import AUTOMATED, HAND, MANUAL
from tests.client.games.tables import (
    CARIBBEAN,
    FOUR,
    HOLDEM,
    PA,
    PAI_GOW,
    Scripted,
    broken,
    clauses,
    device_table,
    linked,
    results,
    steps,
)


@pytest.mark.rule("PA2010 555.14(d)")
@pytest.mark.parametrize("fault", [Fault.PLAYER_ONE_SHORT, Fault.PLAYER_ONE_EXTRA])
async def test_caribbean_stud_voids_only_the_hand_of_a_wrong_number(fault: Fault) -> None:
    """Seat 1's wagers go back, its progressive dollar too; seat 2 plays on."""
    link, bet = linked(CARIBBEAN)
    players = {1: Scripted("a", linked=(bet,)), 2: Scripted("b", linked=(bet,))}
    result = await broken(CARIBBEAN, fault, seat=1, players=players, progressive=link)
    assert not result.void
    assert result.seats[1].void
    assert result.seats[1].net_micros == 0
    assert results(result, 1) == {"ante": ("returned", 0)}
    assert clauses(result, "void-seat") == ["PA2010 555.14(d)"]
    assert set(results(result, 2)) == {"ante", "bet"}
    assert link.meter() == 10_000_700_000  # one dollar's increment, not two


@pytest.mark.rule("PA2010 555.14(d)")
@pytest.mark.parametrize("method", [AUTOMATED, MANUAL, HAND])
async def test_a_caribbean_stud_dealer_with_four_cards_takes_a_fifth(method: Method) -> None:
    """The hand is completed and the round settled."""
    result = await broken(CARIBBEAN, Fault.DEALER_ONE_SHORT, method)
    assert not result.void
    assert len(result.dealer) == 5
    assert clauses(result, "irregularity") == ["PA2010 555.14(d)"]


@pytest.mark.rule("PA2010 555.14(a)")
async def test_an_exposed_hole_card_voids_a_round_of_caribbean_stud() -> None:
    """A hole card does; the dealer's first card, face up by rule, does not."""
    void = await broken(CARIBBEAN, Fault.DEALER_CARD_EXPOSED, MANUAL, skip=1)
    assert void.void
    assert clauses(void, "void") == ["PA2010 555.14(a)"]
    played = await broken(CARIBBEAN, Fault.DEALER_CARD_EXPOSED, MANUAL)
    assert not played.void


@pytest.mark.rule("PA2010 557.13(d)")
async def test_the_face_up_card_of_a_four_card_dealer_is_no_irregularity() -> None:
    """The sixth card is dealt face up, so that exposing it changes nothing."""
    result = await broken(FOUR, Fault.DEALER_CARD_EXPOSED, MANUAL, skip=5)
    assert not result.void


@pytest.mark.rule("PA2010 563.13(a)")
async def test_the_bonus_of_a_void_holdem_round_is_settled_all_the_same() -> None:
    """A dealer's card exposed: Ante and Flop go back, the Bonus on two cards stands."""
    players = {
        1: Scripted("a", wagers={"ante": 5, "bonus": 5}),
        2: Scripted("b", wagers={"ante": 5, "bonus": 5}),
    }
    result = await broken(HOLDEM, Fault.DEALER_CARD_EXPOSED, MANUAL, players=players)
    assert result.void
    assert clauses(result, "void") == ["PA2010 563.13(a)"]
    for seat in (1, 2):
        assert len(result.seats[seat].cards) == 2
        ended = results(result, seat)
        assert ended["ante"] == ("returned", 0)
        assert ended["bonus"][0] in ("win", "lose")


@pytest.mark.rule("PA2010 563.13(b)")
async def test_cards_face_up_after_the_first_two_spare_the_bonus() -> None:
    """Two cards face up on the flop: the round is void, the Bonus is settled."""
    players = {1: Scripted("a", wagers={"ante": 5, "bonus": 5})}
    result = await broken(HOLDEM, Fault.TWO_CARDS_FACE_UP, MANUAL, skip=6, players=players)
    assert result.void == "CARDS_FACE_UP_LATE"
    assert results(result)["ante"] == ("returned", 0)
    assert results(result)["flop"] == ("returned", 0)
    assert results(result)["bonus"][0] in ("win", "lose")


@pytest.mark.rule("PA2010 563.13(b)")
async def test_cards_face_up_before_that_return_the_bonus_too() -> None:
    """Two cards face up among the first two: everything goes back."""
    players = {1: Scripted("a", wagers={"ante": 5, "bonus": 5})}
    result = await broken(HOLDEM, Fault.TWO_CARDS_FACE_UP, MANUAL, players=players)
    assert results(result) == {"ante": ("returned", 0), "bonus": ("returned", 0)}


@pytest.mark.rule("PA2010 561.14(d)")
@pytest.mark.parametrize("voids", [True, False])
async def test_a_pai_gow_player_chooses_what_becomes_of_an_exposed_hand(voids: bool) -> None:
    """The hand is void or played out as the player says; the others play on."""
    players = {1: Scripted("a", voids=voids), 2: Scripted("b")}
    result = await broken(PAI_GOW, Fault.PLAYER_CARD_EXPOSED, seat=1, players=players)
    assert not result.void
    assert result.seats[1].void is voids
    assert (results(result, 1) == {"pai-gow": ("returned", 0)}) is voids


@pytest.mark.rule("PA2010 561.14(j)")
@pytest.mark.parametrize("fault", [Fault.PLAYER_CARD_EXPOSED, Fault.DEALER_CARD_EXPOSED])
async def test_a_card_exposed_while_stacks_are_dealt_by_hand_voids_the_round(
    fault: Fault,
) -> None:
    """Whoever's stack it was for."""
    result = await broken(PAI_GOW, fault, HAND)
    assert result.void == "STACK_CARD_EXPOSED"
    assert clauses(result, "void") == ["PA2010 561.14(j)"]


@pytest.mark.rule("PA2010 561.14(k)")
@pytest.mark.parametrize("skip", [0, 7, 48])
async def test_stacks_dealt_out_of_turn_by_hand_void_a_pai_gow_round(skip: int) -> None:
    """At the first card, where the row turns, or at the last: wagers go back, all is reshuffled."""
    table, devices = device_table(PAI_GOW, HAND)
    await devices.inject_fault(Fault.DEALT_OUT_OF_TURN, skip=skip)
    result = await table.play_round({1: Scripted("a"), 2: Scripted("b")})
    assert result.void == "STACKS_OUT_OF_TURN"
    for step in ("irregularity", "void", "reshuffle"):
        assert clauses(result, step) == ["PA2010 561.14(k)"]
    assert [results(result, seat) for seat in (1, 2)] == [{"pai-gow": ("returned", 0)}] * 2
    assert len(steps(result, "deal")) == skip + 1
    assert not (await table.play_round({1: Scripted("a")})).void


async def test_the_order_of_the_deal_matters_only_where_the_chapter_says_so() -> None:
    """Crazy 4 Poker has no such clause, and only who deals from the hand can lose the order."""
    result = await broken(PA, Fault.DEALT_OUT_OF_TURN, HAND)
    assert not result.void
    with pytest.raises(DeviceRefused) as refused:
        await broken(PAI_GOW, Fault.DEALT_OUT_OF_TURN, MANUAL)
    assert refused.value.reason is Reason.NOT_APPLICABLE


@pytest.mark.rule("PA2010 561.14(h)")
async def test_two_wrong_hands_that_the_count_does_not_show_void_a_pai_gow_round() -> None:
    """One card too few here and one too many there leave four cards, and still void the round."""
    table, devices = device_table(PAI_GOW)
    await devices.inject_fault(Fault.PLAYER_ONE_SHORT, seat=1)
    await devices.inject_fault(Fault.PLAYER_ONE_EXTRA, seat=2)
    result = await table.play_round({1: Scripted("a"), 2: Scripted("b")})
    assert result.void == "PLAYER_WRONG_NUMBER"
    assert clauses(result, "void") == ["PA2010 561.14(h)"]
