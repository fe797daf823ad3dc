"""Every irregularity of the chapters: what is void, what is returned, what is reshuffled.

Cards come from the emulated devices, with one fault injected; the progressive is the controller's
own core, whose accounts must be what they were after every void.
"""

from collections.abc import Sequence

import pytest

from emulator.devices.faults import Fault
from emulator.devices.model import Delivery, DeviceState, Dispensed, Method, ShufflerKind
from emulator.devices.refusals import DeviceRefused, Reason
from jackpot.rules.cards import DECK
from table_client.decks import PlainDeck, stacked
from table_client.games.catalogue import GAMES
from table_client.games.settings import Settings
from table_client.ports import Conduct, Deal, Dealt, Way
from table_client.round.play import Table
from tests.client.games.chapters import CHAPTERS, METHODS, section
from tests.client.games.tables import (
    CARIBBEAN,
    CRAZY,
    CRISS,
    DOLLAR,
    FOUR,
    HOLDEM,
    PAI_GOW,
    RIDE,
    THREE,
    Scripted,
    broken,
    clauses,
    device_table,
    linked,
    results,
    steps,
)

PA, MA, PA2011 = CRAZY
AUTOMATED, MANUAL, HAND = Method.AUTOMATED_SHOE, Method.MANUAL_SHOE, Method.HAND


def marked(clause: str, *values: object) -> object:
    """A case that carries out a clause."""
    return pytest.param(*values, clause, marks=pytest.mark.rule(clause))


ONE = Settings(count_every=1)
LINKED = [PA, MA, PA2011, CARIBBEAN, RIDE]

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
    (found,) = result.rack.reconstruct()["face up"]
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


@pytest.mark.parametrize(
    ("rule", "clause"),
    [
        marked("PA 657a.13(e)", PA),
        marked("MA 12(e)", MA),
        marked("PA2011 573.13(e)", PA2011),
        marked("PA2010 555.14(e)", CARIBBEAN),
        marked("PA2010 559.15(d)", RIDE),
        marked("PA2014 592.13(e)", CRISS),
        marked("PA2010 557.13(e)", FOUR),
        marked("PA2010 565.13(e)", THREE),
        marked("PA2010 563.13(e)", HOLDEM),
        marked("PA2010 561.14(l)", PAI_GOW),
    ],
)
@pytest.mark.parametrize(
    "fault", [Fault.SHUFFLER_JAM, Fault.SHUFFLER_STOP, Fault.SHUFFLER_INCOMPLETE]
)
async def test_after_a_failed_shuffle_the_cards_are_reshuffled(
    rule: str, clause: str, fault: Fault
) -> None:
    """No round is void: it has not begun."""
    result = await broken(rule, fault)
    assert not result.void
    assert clauses(result, "shuffled-again") == [clause]


@pytest.mark.parametrize(
    ("rule", "state", "clause"),
    [
        marked("PA 657a.13(g)", PA, DeviceState.COVERED),
        marked("MA 12(g)", MA, DeviceState.COVERED),
        marked("PA2011 573.13(g)", PA2011, DeviceState.COVERED),
        marked("PA2014 592.13(g)", CRISS, DeviceState.COVERED),
        marked("PA2010 555.14(g)", CARIBBEAN, DeviceState.REMOVED),
        marked("PA2010 559.15(f)", RIDE, DeviceState.REMOVED),
        marked("PA2010 557.13(g)", FOUR, DeviceState.REMOVED),
        marked("PA2010 565.13(g)", THREE, DeviceState.REMOVED),
        marked("PA2010 563.13(g)", HOLDEM, DeviceState.REMOVED),
        marked("PA2010 561.14(n)", PAI_GOW, DeviceState.REMOVED),
    ],
)
async def test_a_shuffler_out_of_order_is_put_out_of_use_first(
    rule: str, state: DeviceState, clause: str
) -> None:
    """Covered, or removed by the chapters of 2010; then the dealer shuffles and cuts."""
    table, devices = device_table(rule, MANUAL)
    await devices.inject_fault(Fault.SHUFFLER_OUT_OF_ORDER)
    result = await table.play_round({1: Scripted()})
    assert (await devices.status()).shuffler is state
    assert clauses(result, "device-retired") == [clause]
    assert clauses(result, "cut") == [GAMES[rule].clauses.cut]


@pytest.mark.rule("PA 657a.13(g)")
@pytest.mark.rule("PA 657a.13(f)")
async def test_a_shoe_out_of_order_voids_the_round_and_another_way_is_used() -> None:
    """The next round comes from a manual shoe, with the automated one covered."""
    table, devices = device_table(PA)
    await devices.inject_fault(Fault.SHOE_OUT_OF_ORDER, skip=1)
    first = await table.play_round({1: Scripted(), 2: Scripted("b")})
    assert first.void == "SHOE_FAILED"
    second = await table.play_round({1: Scripted(), 2: Scripted("b")})
    assert not second.void
    assert table.deck.way is Way.MANUAL_SHOE
    assert clauses(second, "device-retired") == ["PA 657a.13(g)"]
    assert set(clauses(second, "deal")) == {"PA 657a.8(d)"}


@pytest.mark.parametrize("fault", [Fault.CARD_MISSING, Fault.CARD_TOO_MANY])
@pytest.mark.parametrize(
    ("rule", "clause"),
    [
        marked("PA 657a.5(b)", PA),
        marked("MA 4(b)", MA),
        marked("PA2011 573.5(b)", PA2011),
        marked("PA2010 555.5(b)", CARIBBEAN),
        marked("PA2010 559.5(b)", RIDE),
        marked("PA2014 592.5(b)", CRISS),
        marked("PA2010 557.5(b)", FOUR),
        marked("PA2010 565.5(b)", THREE),
        marked("PA2010 563.5(b)", HOLDEM),
    ],
)
async def test_a_deck_that_the_shuffler_counts_wrong_leaves_the_table(
    rule: str, clause: str, fault: Fault
) -> None:
    """51 or 53 cards never reach the round."""
    result = await broken(rule, fault)
    assert not result.void
    assert clauses(result, "deck-removed") == [clause]


WRONG_STUB = [
    marked(f"{section(rule, method)}({'h' if method is MANUAL else 'f'})", rule, method)
    for rule in CHAPTERS
    for method in METHODS
] + [
    marked("PA2010 561.9(f)", PAI_GOW, MANUAL),
    marked("PA2010 561.10(f)", PAI_GOW, HAND),
    marked("PA2010 561.11(f)", PAI_GOW, AUTOMATED),
]


@pytest.mark.parametrize("fault", [Fault.CARD_MISSING, Fault.CARD_TOO_MANY])
@pytest.mark.parametrize(("rule", "method", "clause"), WRONG_STUB)
async def test_a_stub_that_shows_a_broken_deck_voids_the_round_and_removes_it(
    rule: str, method: Method, clause: str, fault: Fault
) -> None:
    """Without a counting shuffler the count of the stub finds a missing or strange card."""
    plain = ShufflerKind.PLAIN
    result = await broken(rule, fault, method, shuffler=plain, settings=Settings(count_every=1))
    assert result.void == "DECK_INCOMPLETE"
    assert result.deck_removed
    assert clauses(result, "void") == [clause]
    assert clauses(result, "deck-removed") == [clause]
    assert all(seat.net_micros == 0 for seat in result.seats.values())


@pytest.mark.parametrize(
    ("rule", "method", "clause"),
    [
        marked("PA 657a.8(h)", PA, MANUAL),
        marked("PA 657a.9(f)", PA, HAND),
        marked("PA 657a.10(f)", PA, AUTOMATED),
        marked("MA 7(h)", MA, MANUAL),
        marked("PA2011 573.10(f)", PA2011, AUTOMATED),
        marked("PA2010 559.12(f)", RIDE, AUTOMATED),
        marked("PA2014 592.8(h)", CRISS, MANUAL),
        marked("PA2010 561.9(f)", PAI_GOW, MANUAL),
    ],
)
async def test_a_stub_that_shows_a_misdeal_voids_the_round_and_keeps_the_deck(
    rule: str, method: Method, clause: str
) -> None:
    """A player has a card too few, all 52 are there: void, and the deck stays."""
    plain = ShufflerKind.PLAIN
    settings = Settings(count_every=1)
    result = await broken(rule, Fault.PLAYER_ONE_SHORT, method, shuffler=plain, settings=settings)
    assert result.void == "MISDEALT"
    assert not result.deck_removed
    assert clauses(result, "void") == [clause]


@pytest.mark.parametrize(
    ("rule", "clause"),
    [
        marked("PA 657a.8(f)", PA),
        marked("MA 7(f)", MA),
        marked("PA2011 573.8(f)", PA2011),
        marked("PA2010 555.8(f)", CARIBBEAN),
        marked("PA2010 559.10(f)", RIDE),
        marked("PA2014 592.8(f)", CRISS),
        marked("PA2010 557.8(f)", FOUR),
        marked("PA2010 565.8(f)", THREE),
        marked("PA2010 563.8(f)", HOLDEM),
    ],
)
async def test_the_stub_is_counted_every_fifth_round_where_no_device_counts(
    rule: str, clause: str
) -> None:
    """Rounds 5 and 10 of eleven; a counting shuffler makes it needless."""
    table, _ = device_table(rule, MANUAL, ShufflerKind.NONE)
    counted = [clauses(await table.play_round({1: Scripted()}), "count") for _ in range(11)]
    assert counted == [[clause] if number in (5, 10) else [] for number in range(1, 12)]
    table, _ = device_table(rule, MANUAL)
    assert not any([steps(await table.play_round({1: Scripted()}), "count") for _ in range(6)])


@pytest.mark.rule("PA2010 561.9(d)")
@pytest.mark.rule("PA2010 561.9(e)")
@pytest.mark.rule("PA2010 561.11(d)")
async def test_pai_gow_counts_four_cards_in_every_round() -> None:
    """Whatever shuffles, exactly four cards must be left."""
    for method in (MANUAL, HAND, AUTOMATED):
        table, _ = device_table(PAI_GOW, method)
        result = await table.play_round({1: Scripted()})
        assert [record.says for record in steps(result, "count")] == ["The stub has 4 cards."]


@pytest.mark.rule("PA2011 555.11(c)")
async def test_players_who_talk_forfeit_everything() -> None:
    """Ante, bonus and progressive dollar are lost; the increment stays; others play on."""
    link, bet = linked(CARIBBEAN)
    talker = Scripted("a", wagers={"ante": 5, "bonus": 5}, linked=(bet,), conduct=Conduct.TALKS)
    players = {1: talker, 2: Scripted("b", linked=(bet,))}
    table, _ = device_table(CARIBBEAN, progressive=link)
    result = await table.play_round(players)
    assert result.seats[1].fate == "forfeited"
    assert result.seats[1].net_micros == -11 * DOLLAR
    assert clauses(result, "forfeit") == ["PA2011 555.11(c)"]
    assert link.meter() == 10_001_400_000


@pytest.mark.rule("PA2011 555.11(c)")
async def test_talking_is_forbidden_only_where_the_chapter_says_so() -> None:
    """Crazy 4 Poker has no such clause."""
    table, _ = device_table(PA)
    result = await table.play_round({1: Scripted(conduct=Conduct.TALKS)})
    assert result.seats[1].fate == "played"


@pytest.mark.parametrize(
    ("rule", "clause"),
    [
        marked("PA 657a.7(b)", PA),
        marked("MA 6(b)", MA),
        marked("PA2011 573.7(b)", PA2011),
        marked("PA2011 555.7(g)", CARIBBEAN),
        marked("PA2010 559.7(b)", RIDE),
        marked("PA2014 592.7(b)", CRISS),
        marked("PA2010 557.7(c)", FOUR),
        marked("PA2010 565.7(c)", THREE),
        marked("PA2010 563.7(e)", HOLDEM),
        marked("PA2010 561.7(b)", PAI_GOW),
    ],
)
async def test_the_wagers_of_a_player_who_leaves_are_lost(rule: str, clause: str) -> None:
    """A seat abandoned after the deal loses what it wagered, and its cards are collected."""
    players = {1: Scripted("a"), 2: Scripted("b")}
    result = await broken(rule, Fault.SEAT_ABANDONED, seat=1, players=players)
    assert result.seats[1].fate == "abandoned"
    assert {each.result for each in result.seats[1].outcomes} == {"forfeit"}
    assert clauses(result, "forfeit") == [clause]
    assert result.rack.reconstruct()["seat 1"] == result.seats[1].cards
    assert result.seats[2].fate == "played"


@pytest.mark.rule("PA 657a.13(f)")
async def test_devices_that_die_in_mid_round_void_it() -> None:
    """The devices are gone with their cards: wagers go back, the accounts are as before."""
    link, bet = linked(PA)
    before = dict(link.balances)
    table, devices = device_table(PA, progressive=link)
    real = devices.dispense

    async def dies(deliveries: object) -> object:
        await devices.close()
        return await real(deliveries)  # type: ignore[arg-type]

    devices.dispense = dies  # type: ignore[assignment, method-assign]
    result = await table.play_round({1: Scripted(linked=(bet,))})
    assert result.void == "SHOE_FAILED"
    assert result.seats[1].net_micros == 0
    assert link.balances == before


@pytest.mark.rule("PA2010 561.14(h)")
async def test_two_wrong_hands_that_the_count_does_not_show_void_a_pai_gow_round() -> None:
    """One card too few here and one too many there leave four cards, and still void the round."""
    table, devices = device_table(PAI_GOW)
    await devices.inject_fault(Fault.PLAYER_ONE_SHORT, seat=1)
    await devices.inject_fault(Fault.PLAYER_ONE_EXTRA, seat=2)
    result = await table.play_round({1: Scripted("a"), 2: Scripted("b")})
    assert result.void == "PLAYER_WRONG_NUMBER"
    assert clauses(result, "void") == ["PA2010 561.14(h)"]


DOUBLES = [
    # In one hand, in two hands that are shown, in a hand and the dealer's, with a common card.
    marked("PA 657a.10(f)", PA, "As As 9d 7c 3s Kd Qd Jh 8s 2d 4c 4d 4h 5c 6d"),
    marked("PA 657a.10(f)", PA, "As Kc 9d 7c 3s Kd Qd Jh 8s As 4c 4d 4h 5c 6d"),
    marked("PA 657a.10(f)", PA, "As Kc 9d 7c 3s Kd Qd Jh 8s 2d 4c As 4h 5c 6d"),
    marked("PA2010 559.12(f)", RIDE, "As Kc 9d Kd Qd Jh 3h As 2c"),
    marked("PA2010 559.12(f)", RIDE, "As Kc 9d Kd As Jh 3h 4d 2c"),
    marked("PA2010 561.11(f)", PAI_GOW, "9c 9d 8h 6s 4c 2d Jh As As 2c 3c 4d 5d 6h"),
]


@pytest.mark.parametrize(("rule", "cards", "clause"), DOUBLES)
async def test_a_card_that_is_there_twice_voids_the_round_and_removes_the_deck(
    rule: str, cards: str, clause: str
) -> None:
    """Whoever sees it first: wagers go back, the accounts are as before, another deck is used."""
    link, bet = linked(rule) if rule in LINKED else (None, "")
    before = dict(link.balances) if link else {}
    players = {seat: Scripted(f"p{seat}", linked=(bet,) if bet else ()) for seat in (1, 2)}
    deck = PlainDeck(lambda _: cards.split() + [card for card in DECK if card not in cards])
    table = Table(GAMES[rule], deck, link, Settings(start_by="button"))
    result = await table.play_round(players)
    assert result.void == "DECK_INCOMPLETE"
    assert result.deck_removed
    assert clauses(result, "void") == clauses(result, "deck-removed") == [clause]
    assert all(seat.net_micros == 0 for seat in result.seats.values())
    if link:
        assert link.balances == before


async def test_a_shoe_that_gives_nothing_voids_the_round() -> None:
    """Neither an answer nor an error: the round ends all the same."""

    class Silent(PlainDeck):
        """Says nothing."""

        async def deal(self, deals: Sequence[Deal]) -> tuple[Dealt, ...]:
            """Nothing."""
            del deals
            return ()

    table = Table(GAMES[PA], Silent(stacked(())))
    result = await table.play_round({1: Scripted()})
    assert result.void == "SHOE_FAILED"
    assert result.seats[1].net_micros == 0


async def test_a_device_that_refuses_in_mid_round_voids_it() -> None:
    """The stub is gone before the deal: the shoe is empty, the wagers go back."""
    link, bet = linked(PA)
    before = dict(link.balances)
    table, devices = device_table(PA, progressive=link)
    real = devices.dispense

    async def emptied(deliveries: Sequence[Delivery]) -> Dispensed:
        await devices.remove_stub()
        return await real(deliveries)

    devices.dispense = emptied  # type: ignore[method-assign]
    result = await table.play_round({1: Scripted(linked=(bet,))})
    assert result.void == "SHOE_FAILED"
    assert link.balances == before


@pytest.mark.rule("PA 657a.2(a)")
@pytest.mark.parametrize("seat", [0, 7])
async def test_a_crazy_4_table_has_six_seats(seat: int) -> None:
    """Neither a seat 0, which is the dealer's, nor a seventh."""
    table, _ = device_table(PA)
    with pytest.raises(ValueError, match="has seats 1 to 6"):
        await table.play_round({seat: Scripted()})
