"""What every chapter says of faults: what is void, what is returned, what is played all the same.

Cards come from the emulated devices, with one fault injected; the progressive is the controller's
own core, whose accounts must be what they were after every void.
"""

import pytest

from table_client.table.devices.device_faults import Fault
from table_client.table.devices.model import Method
from table_client.table.games.catalogue import GAMES
from tests.client.games.chapters import AUTOMATED, HAND, MANUAL, marked
from tests.client.games.tables import (
    CARIBBEAN,
    CRISS,
    FOUR,
    HOLDEM,
    LINKED,
    MA,
    PA,
    PA2011,
    PAI_GOW,
    RIDE,
    THREE,
    Scripted,
    broken,
    clauses,
    device_table,
    linked,
    reconstructed,
)

VOIDS = [
    # More than one card face up.
    marked("PA 657a.13(a)", PA, Fault.TWO_CARDS_FACE_UP),
    marked("MA 12(a)", MA, Fault.TWO_CARDS_FACE_UP),
    marked("PA2011 573.13(a)", PA2011, Fault.TWO_CARDS_FACE_UP),
    marked("PA2010 555.14(b)", CARIBBEAN, Fault.TWO_CARDS_FACE_UP),
    marked("PA2010 559.15(a)", RIDE, Fault.TWO_CARDS_FACE_UP),
    marked("PA2014 592.13(a)", CRISS, Fault.TWO_CARDS_FACE_UP),
    marked("PA2010 557.13(a)", FOUR, Fault.TWO_CARDS_FACE_UP),
    marked("PA2010 565.13(a)", THREE, Fault.TWO_CARDS_FACE_UP),
    marked("PA2010 563.13(b)", HOLDEM, Fault.TWO_CARDS_FACE_UP),
    marked("PA2010 561.14(f)", PAI_GOW, Fault.TWO_CARDS_FACE_UP),
    # A wrong number of cards.
    marked("PA 657a.13(c)", PA, Fault.PLAYER_ONE_SHORT),
    marked("PA 657a.13(c)", PA, Fault.PLAYER_ONE_EXTRA),
    marked("PA 657a.13(c)", PA, Fault.DEALER_ONE_SHORT),
    marked("PA 657a.13(c)", PA, Fault.DEALER_ONE_EXTRA),
    marked("MA 12(c)", MA, Fault.PLAYER_ONE_SHORT),
    marked("MA 12(c)", MA, Fault.DEALER_ONE_EXTRA),
    marked("PA2011 573.13(c)", PA2011, Fault.PLAYER_ONE_EXTRA),
    marked("PA2011 573.13(c)", PA2011, Fault.DEALER_ONE_SHORT),
    marked("PA2010 555.14(d)", CARIBBEAN, Fault.DEALER_ONE_EXTRA),
    marked("PA2010 559.15(c)", RIDE, Fault.PLAYER_ONE_SHORT),
    marked("PA2010 559.15(c)", RIDE, Fault.COMMUNITY_ONE_SHORT),
    marked("PA2010 559.15(c)", RIDE, Fault.COMMUNITY_ONE_EXTRA),
    marked("PA2014 592.13(c)", CRISS, Fault.PLAYER_ONE_EXTRA),
    marked("PA2014 592.13(c)", CRISS, Fault.COMMUNITY_ONE_SHORT),
    marked("PA2010 557.13(c)", FOUR, Fault.PLAYER_ONE_SHORT),
    marked("PA2010 557.13(c)", FOUR, Fault.DEALER_ONE_SHORT),
    marked("PA2010 565.13(c)", THREE, Fault.PLAYER_ONE_EXTRA),
    marked("PA2010 563.13(d)", HOLDEM, Fault.PLAYER_ONE_SHORT),
    marked("PA2010 563.13(d)", HOLDEM, Fault.DEALER_ONE_EXTRA),
    # A card of the dealer's, or of the cross, exposed too early.
    marked("PA 657a.13(d)", PA, Fault.DEALER_CARD_EXPOSED),
    marked("MA 12(d)", MA, Fault.DEALER_CARD_EXPOSED),
    marked("PA2011 573.13(d)", PA2011, Fault.DEALER_CARD_EXPOSED),
    marked("PA2014 592.13(d)", CRISS, Fault.COMMUNITY_CARD_EXPOSED),
    marked("PA2010 557.13(d)", FOUR, Fault.DEALER_CARD_EXPOSED),
    marked("PA2010 565.13(d)", THREE, Fault.DEALER_CARD_EXPOSED),
    marked("PA2010 561.14(e)", PAI_GOW, Fault.DEALER_CARD_EXPOSED),
    # The shoe.
    marked("PA 657a.13(f)", PA, Fault.SHOE_JAM),
    marked("PA 657a.13(f)", PA, Fault.SHOE_STOP),
    marked("PA 657a.13(f)", PA, Fault.SHOE_FAILS_TO_DEAL),
    marked("MA 12(f)", MA, Fault.SHOE_JAM),
    marked("MA 12(f)", MA, Fault.SHOE_STOP),
    marked("PA2011 573.13(f)", PA2011, Fault.SHOE_FAILS_TO_DEAL),
    marked("PA2010 555.14(f)", CARIBBEAN, Fault.SHOE_JAM),
    marked("PA2010 559.15(e)", RIDE, Fault.SHOE_STOP),
    marked("PA2014 592.13(f)", CRISS, Fault.SHOE_JAM),
    marked("PA2010 557.13(f)", FOUR, Fault.SHOE_JAM),
    marked("PA2010 565.13(f)", THREE, Fault.SHOE_STOP),
    marked("PA2010 563.13(f)", HOLDEM, Fault.SHOE_FAILS_TO_DEAL),
    marked("PA2010 561.14(m)", PAI_GOW, Fault.SHOE_JAM),
]


@pytest.mark.parametrize(("rule", "fault", "clause"), VOIDS)
async def test_the_round_is_void_and_every_wager_returned(
    rule: str, fault: Fault, clause: str
) -> None:
    """Nobody wins or loses, the accounts are as before, and the next round is played."""
    link, bet = linked(rule) if rule in LINKED else (None, "")
    before = dict(link.balances) if link else {}
    players = {seat: Scripted(f"p{seat}", linked=(bet,) if bet else ()) for seat in (1, 2, 3)}
    table, devices = device_table(rule, progressive=link)
    await devices.inject_fault(fault, skip=1 if fault.startswith("PLAYER") else 0)
    result = await table.play_round(players)
    assert result.void
    assert clauses(result, "void") == [clause]
    assert clauses(result, "reshuffle") == [clause]
    for seat in result.seats.values():
        assert seat.net_micros == 0
        assert {each.result for each in seat.outcomes} == {"returned"}
    if link:
        assert link.balances == before
    again = await table.play_round(players)
    assert not again.void


@pytest.mark.parametrize("method", [AUTOMATED, MANUAL, HAND])
@pytest.mark.parametrize(
    ("rule", "clause"),
    [
        marked("PA 657a.13(a)", PA),
        marked("MA 12(a)", MA),
        marked("PA2011 573.13(a)", PA2011),
        marked("PA2010 555.14(b)", CARIBBEAN),
        marked("PA2010 559.15(a)", RIDE),
        marked("PA2014 592.13(a)", CRISS),
        marked("PA2010 557.13(a)", FOUR),
        marked("PA2010 565.13(a)", THREE),
        marked("PA2010 563.13(b)", HOLDEM),
        marked("PA2010 561.14(f)", PAI_GOW),
    ],
)
async def test_one_card_face_up_is_set_aside_and_replaced(
    rule: str, clause: str, method: Method
) -> None:
    """It goes to the rack unused, another takes its place, and the round is settled."""
    result = await broken(rule, Fault.CARD_FACE_UP, method, skip=2)
    assert not result.void
    assert clauses(result, "irregularity") == [clause]
    (found,) = reconstructed(result)["face up"]
    held = [card for seat in result.seats.values() for card in seat.cards]
    assert found not in (*held, *result.dealer, *result.community)
    deal = GAMES[rule].rule.deal
    assert deal
    assert {len(seat.cards) for seat in result.seats.values()} == {deal.seat_cards}
    assert len(result.dealer) == deal.dealer_cards


@pytest.mark.parametrize(
    ("rule", "clause"),
    [
        marked("PA 657a.13(b)", PA),
        marked("MA 12(b)", MA),
        marked("PA2011 573.13(b)", PA2011),
        marked("PA2010 555.14(c)", CARIBBEAN),
        marked("PA2010 559.15(b)", RIDE),
        marked("PA2014 592.13(b)", CRISS),
        marked("PA2010 557.13(b)", FOUR),
        marked("PA2010 565.13(b)", THREE),
        marked("PA2010 563.13(c)", HOLDEM),
        marked("PA2010 561.14(g)", PAI_GOW),
    ],
)
async def test_a_card_drawn_in_error_is_used_as_the_next(rule: str, clause: str) -> None:
    """The same cards reach the same places as without the error."""
    plain_table, _ = device_table(rule, MANUAL)
    players = {1: Scripted("a"), 2: Scripted("b")}
    plain = await plain_table.play_round(players)
    result = await broken(rule, Fault.CARD_DRAWN_IN_ERROR, MANUAL, skip=1, players=players)
    assert clauses(result, "irregularity") == [clause]
    assert [seat.cards for seat in result.seats.values()] == [
        seat.cards for seat in plain.seats.values()
    ]
    assert result.dealer == plain.dealer
