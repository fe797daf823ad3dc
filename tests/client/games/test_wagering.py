"""When and how each chapter lets wagers be made, and with which cards it is played."""

import pytest

from jackpot.rules.cards import DECK, JOKER
from jackpot.rules.contest import TwoHands
from table_client.table.devices.device_faults import Fault
from table_client.table.devices.model import ShufflerKind
from table_client.table.games.catalogue import GAMES
from tests.client.games.chapters import MANUAL
from tests.client.games.tables import (
    CARIBBEAN,
    CRISS,
    DOLLAR,
    FOUR,
    HOLDEM,
    MA,
    PA2011,
    PAI_GOW,
    RIDE,
    THREE,
    ULTIMATE,
    Scripted,
    broken,
    clauses,
    device_table,
    play,
    results,
    steps,
    terms_of,
)


def by_clause(*cases: tuple[str, str]) -> list[object]:
    """A game and the clause that a test carries out for it."""
    return [pytest.param(rule, at, marks=pytest.mark.rule(at)) for rule, at in cases]


@pytest.mark.parametrize(
    ("rule", "clause"),
    by_clause(
        (MA, "MA 6(c)"),
        (PA2011, "PA2011 573.7(c)"),
        (CARIBBEAN, "PA2011 555.7(b)"),
        (RIDE, "PA2010 559.7(c)"),
        (CRISS, "PA2014 592.7(c)"),
        (FOUR, "PA2010 557.7(d)"),
        (THREE, "PA2010 565.7(d)"),
        (HOLDEM, "PA2010 563.7(b)"),
        (PAI_GOW, "PA2010 561.7(c)"),
    ),
)
async def test_a_wager_after_no_more_bets_is_none(rule: str, clause: str) -> None:
    """The chips of a second player go back, no card is dealt there, and the round goes on."""
    bets = GAMES[rule].required
    late = Scripted("late", wagers={}, late_layout=dict.fromkeys(bets, 5))
    result = await play(rule, players={1: Scripted("a"), 2: late})
    assert clauses(result, "late") == [clause] * len(bets)
    order = [record.step for record in result.records]
    assert order.index("no-more-bets") < order.index("late") < order.index("deal")
    assert not result.seats[2].outcomes
    assert not result.seats[2].cards
    assert len(result.seats[1].cards) >= 2


@pytest.mark.parametrize(
    ("rule", "clause"),
    by_clause(
        (CRISS, "PA2014 592.3(a)"),
        (FOUR, "PA2010 557.3(a)"),
        (HOLDEM, "PA2010 563.3(a)"),
        (THREE, "PA2010 565.3(a)"),
    ),
)
async def test_without_a_shuffler_one_deck_is_played_with(rule: str, clause: str) -> None:
    """The same one in every round, whole after each; only a shuffler makes room for a second."""
    table, devices = device_table(rule, MANUAL, ShufflerKind.NONE)
    for _ in range(3):
        await table.play_round({1: Scripted()})
        (deck,) = (await devices.status()).decks
        assert (deck.number, deck.back) == (1, "red"), clause
    await table.deck.remove_stub(count=False)
    gathered = devices._station.shoe.gather()
    assert sorted(gathered.cards) == sorted(DECK)
    assert JOKER not in gathered.cards


@pytest.mark.rule("PA2014 592.7(f)")
async def test_criss_cross_bets_are_asked_for_in_their_order() -> None:
    """Across, down and middle, each when its cards are known, each one to three Antes."""
    player = Scripted(decisions={"across": 1, "down": 2, "middle": 3})
    result = await play(CRISS, players={1: player})
    assert [bet for bet, _ in player.asked] == ["across", "down", "middle"]
    assert [len(view.community) for _, view in player.asked] == [0, 2, 4]
    amounts = {each.bet: each.wager_micros // DOLLAR for each in result.seats[1].outcomes}
    assert (amounts["across"], amounts["down"], amounts["middle"]) == (5, 10, 15)


@pytest.mark.rule("PA2010 563.7(d)")
@pytest.mark.rule("PA2010 563.11(a)(1)")
async def test_holdem_wagers_are_asked_for_street_by_street() -> None:
    """The Flop Wager before any common card, Turn and River after three and four of them."""
    player = Scripted(decisions={"flop": 2, "turn": 1, "river": 1})
    result = await play(HOLDEM, players={1: player})
    assert [bet for bet, _ in player.asked] == ["flop", "turn", "river"]
    assert [len(view.community) for _, view in player.asked] == [0, 3, 4]
    amounts = {each.bet: each.wager_micros // DOLLAR for each in result.seats[1].outcomes}
    assert (amounts["flop"], amounts["turn"], amounts["river"]) == (10, 5, 5)


@pytest.mark.rule("PA2010 557.1")
@pytest.mark.parametrize(
    ("hand", "result"), [("Ks Kh Qd 9c 2s", "lose"), ("As Ah 2d 4c 7s", "win")]
)
async def test_aces_up_is_won_by_a_pair_of_aces_or_better(hand: str, result: str) -> None:
    """Kings are not enough, however high the other cards."""
    players = {1: Scripted(wagers={"ante": 5, "aces-up": 5})}
    ended = await play(FOUR, f"{hand} Qs Js 8c 5h 3h 2h 6d 7d 9d Td", players)
    assert results(ended)["aces-up"][0] == result


@pytest.mark.rule("PA2010 565.1")
@pytest.mark.parametrize(("hand", "result"), [("As Kh Jd", "lose"), ("2s 2h 3d", "win")])
async def test_pair_plus_is_won_by_a_pair_or_better(hand: str, result: str) -> None:
    """Whatever the dealer has; the highest hand without a pair loses."""
    players = {1: Scripted(wagers={"ante": 5, "pair-plus": 5})}
    ended = await play(THREE, f"{hand} Qc 9d 4c", players)
    assert results(ended)["pair-plus"][0] == result


@pytest.mark.rule("PA2010 565.11(d)(2)")
@pytest.mark.rule("PA2010 565.11(d)(3)")
async def test_three_card_losers_are_collected_and_winners_paid_hand_by_hand() -> None:
    """From the dealer's right: seat 3 loses Ante and Play, seat 1 is paid even money on both."""
    players = {1: Scripted("a"), 3: Scripted("b")}
    result = await play(THREE, "Ks Kh 7d 2s 4h 7c Qd 9c 3h", players)
    told = [(record.seat, record.amount_micros // DOLLAR) for record in steps(result, "settle")]
    assert told == [(3, -5), (3, -5), (1, 5), (1, 5)]


@pytest.mark.rule("PA2010 561.13(g)(4)")
@pytest.mark.parametrize("high", [4, 6])
async def test_hands_that_are_not_five_and_two_cards_lose(high: int) -> None:
    """Even four aces do; the same cards set right win."""
    cards = ("Ac", "Ad", "Ah", "As", "Kc", "Qd", "Jh")
    dealer = "2c 3d 4h 5s 7c 8d 9h"
    wrong = Scripted(hands=TwoHands(cards[:high], cards[high:]))
    button = terms_of(PAI_GOW, start="button")
    for player, ended in ((wrong, "lose"), (Scripted(), "win")):
        result = await play(PAI_GOW, f"{dealer} {' '.join(cards)}", {1: player}, terms=button)
        assert results(result)["pai-gow"][0] == ended
    lost = await play(PAI_GOW, f"{dealer} {' '.join(cards)}", {1: wrong}, terms=button)
    assert clauses(lost, "settle") == ["PA2010 561.13(g)(4)"]


@pytest.mark.rule("PA2011 569.10(f)")
@pytest.mark.parametrize(
    ("fault", "void", "removed"),
    [
        (Fault.CARD_MISSING, "DECK_INCOMPLETE", True),
        (Fault.PLAYER_ONE_SHORT, "MISDEALT", False),
    ],
)
async def test_a_wrong_stub_voids_a_round_of_ultimate(
    fault: Fault, void: str, removed: bool
) -> None:
    """A broken deck leaves the table; after a misdeal of a whole one it stays."""
    terms = terms_of(ULTIMATE, count_stub_every="1")
    result = await broken(ULTIMATE, fault, shuffler=ShufflerKind.PLAIN, terms=terms)
    assert (result.void, result.deck_removed) == (void, removed)
    assert clauses(result, "void") == ["PA2011 569.10(f)"]
    assert results(result) == {"ante": ("returned", 0), "blind": ("returned", 0)}
