"""Decks: when each was put into use, and when its game wants it changed."""

import pytest
from msgspec.structs import replace

from jackpot.core.commands.table import Dealing, PlaceDeck, RemoveDeck
from jackpot.core.config import DeckLife
from jackpot.core.decks import MAX_DECKS
from jackpot.core.events.table import DeckPlaced, DeckRemoved
from jackpot.core.reasons import Reason
from tests.core.floor import Floor, five_card_a, ok, reason, table

HOUR_MICROS = 3_600_000_000
LIFE = DeckLife(by_hand_s=4 * 3_600, by_shoe_s=8 * 3_600, clause="PA 657a.3(c)")


def floor(life: DeckLife = LIFE) -> Floor:
    """A table whose game says how long a deck is used."""
    return Floor().open_up([five_card_a()], [replace(table("t1", "a"), decks=life)])


def place(at: Floor, *deck: str | int) -> DeckPlaced:
    """Put a deck into use."""
    event = ok(at.play("t1", PlaceDeck(*deck)))  # type: ignore[arg-type]  # as the command has them
    assert isinstance(event, DeckPlaced)
    return event


@pytest.mark.rule("PA 657a.3(c)(1)")
@pytest.mark.rule("PA 657a.3(c)(2)")
@pytest.mark.parametrize(("dealing", "hours"), [("hand", 4), ("shoe", 8)])
def test_a_deck_is_due_by_how_it_is_dealt(dealing: Dealing, hours: int) -> None:
    """Four hours by hand, eight from a shoe, from when it was put into use."""
    at = floor()
    deck = place(at, "red", dealing).deck
    assert (deck.since_micros, deck.due_micros) == (at.clock, at.clock + hours * HOUR_MICROS)
    assert at.state.tables["t1"].decks == {"red": deck}


def test_time_in_use_before_it_was_told_counts() -> None:
    """A deck that was opened while the controller was away is as old as it is."""
    at = floor()
    deck = place(at, "red", "hand", 3_600).deck
    assert (deck.since_micros, deck.due_micros) == (
        at.clock - HOUR_MICROS,
        at.clock + 3 * HOUR_MICROS,
    )


def test_no_text_no_date() -> None:
    """Where no text says when a deck is changed, none is ever due."""
    assert place(floor(DeckLife()), "red", "shoe").deck.due_micros == 0


def test_a_deck_takes_the_place_of_one_with_the_same_backs() -> None:
    """The event has both, so that a report can say how old the other was."""
    at = floor()
    first = place(at, "red", "shoe").deck
    place(at, "blue", "shoe")
    assert place(at, "red", "shoe").replaced == first
    assert list(at.state.tables["t1"].decks) == ["red", "blue"]
    blue = at.state.tables["t1"].decks["blue"]
    assert ok(at.play("t1", RemoveDeck("blue"))) == DeckRemoved("t1", blue)
    assert list(at.state.tables["t1"].decks) == ["red"]
    assert reason(at.play("t1", RemoveDeck("blue"))) == Reason.NO_SUCH_DECK
    assert at.replayed() == at.state


def test_a_table_has_only_so_many_decks() -> None:
    """One more is refused; one of a known color is not one more."""
    at = floor()
    for number in range(MAX_DECKS):
        place(at, f"color {number}", "shoe")
    assert reason(at.play("t1", PlaceDeck("another", "shoe"))) == Reason.TOO_MANY
    place(at, "color 0", "shoe")
