"""A deck with a card too few, too many or twice: who finds it, and what becomes of the round."""

import pytest
from _pytest.mark.structures import ParameterSet

from jackpot.rules.cards import DECK
from table_client.table.devices.device_faults import Fault
from table_client.table.devices.model import Method, ShufflerKind
from table_client.table.games.catalogue import GAMES
from table_client.table.round.play import Table
from tests.client.games.chapters import AUTOMATED, CHAPTERS, HAND, MANUAL, METHODS, marked, section
from tests.client.games.decks import PlainDeck
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
    steps,
    terms_of,
)


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
    result = await broken(
        rule, fault, method, shuffler=plain, terms=terms_of(rule, count_stub_every="1")
    )
    assert result.void == "DECK_INCOMPLETE"
    assert result.deck_removed
    assert clauses(result, "void") == [clause]
    assert clauses(result, "deck-removed") == [clause]
    assert all(seat.net_micros == 0 for seat in result.seats.values())


@pytest.mark.parametrize(
    ("rule", "method", "clause"),
    [each for each in WRONG_STUB if isinstance(each, ParameterSet) and HOLDEM not in each.values],
)
async def test_a_stub_that_shows_a_misdeal_voids_the_round_and_keeps_the_deck(
    rule: str, method: Method, clause: str
) -> None:
    """A player has a card too few, all 52 are there: void, and the deck stays.

    In Hold 'Em Bonus the stub is counted after the last wager, and players' cards before it.
    """
    plain = ShufflerKind.PLAIN
    terms = terms_of(rule, count_stub_every="1")
    result = await broken(rule, Fault.PLAYER_ONE_SHORT, method, shuffler=plain, terms=terms)
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


@pytest.mark.parametrize(
    ("method", "section"),
    [
        pytest.param(
            method, section, marks=[pytest.mark.rule(f"{section}({letter})") for letter in "de"]
        )
        for method, section in (
            (MANUAL, "PA2010 561.9"),
            (HAND, "PA2010 561.10"),
            (AUTOMATED, "PA2010 561.11"),
        )
    ],
)
async def test_pai_gow_counts_four_cards_in_every_round(method: Method, section: str) -> None:
    """Whatever shuffles, exactly four cards must be left, and these go to the rack unseen."""
    table, devices = device_table(PAI_GOW, method)
    for _ in range(2):
        result = await table.play_round({1: Scripted()})
        (counted,) = steps(result, "count")
        assert (counted.says, counted.cards) == ("The stub has 4 cards.", ()), section
        status = await devices.status()
        assert (status.shoe_cards, status.rack_cards, status.dealt_cards) == (0, 4, 49)


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
    table = Table(GAMES[rule], deck, link, terms_of(rule, start="button"))
    result = await table.play_round(players)
    assert result.void == "DECK_INCOMPLETE"
    assert result.deck_removed
    assert clauses(result, "void") == clauses(result, "deck-removed") == [clause]
    assert all(seat.net_micros == 0 for seat in result.seats.values())
    if link:
        assert link.balances == before
