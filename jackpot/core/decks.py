"""Decide what happens to a table's decks: put into use, changed in time, taken off the table.

The controller deals no card. It keeps when each deck was put into use, so that a report can say
which changes are due by the regulation of the table's game.
"""

from jackpot.core.commands import Request
from jackpot.core.commands.table import PlaceDeck, RemoveDeck
from jackpot.core.events.table import DeckPlaced, DeckRemoved
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.core.state import Deck, State, TableState

MAX_DECKS = 8  # at one table
_MICROS_PER_S = 1_000_000


def place_deck(
    _: State, table: TableState, command: PlaceDeck, request: Request
) -> DeckPlaced | Refusal:
    """Put a deck into use, in the place of one with the same backs."""
    if command.back not in table.decks and len(table.decks) >= MAX_DECKS:
        return refuse(Reason.TOO_MANY, table=table.config.id, decks=len(table.decks))
    life = table.config.decks
    life_s = life.by_hand_s if command.dealing == "hand" else life.by_shoe_s
    since_micros = request.time_micros - command.used_s * _MICROS_PER_S
    due_micros = since_micros + life_s * _MICROS_PER_S if life_s else 0
    deck = Deck(command.back, command.dealing, since_micros, due_micros)
    return DeckPlaced(table.config.id, deck, table.decks.get(command.back))


def remove_deck(
    _: State, table: TableState, command: RemoveDeck, __: Request
) -> DeckRemoved | Refusal:
    """Take a deck out of use."""
    deck = table.decks.get(command.back)
    if deck is None:
        return refuse(Reason.NO_SUCH_DECK, table=table.config.id, back=command.back)
    return DeckRemoved(table.config.id, deck)
