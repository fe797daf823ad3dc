"""The words that a table may give for a void, each with its sentence, and which a game may use.

A chapter says what follows from what can go wrong with its cards. What can go wrong with any game's
deck, and with the machinery around it, is the same everywhere. So each table has a closed list: the
words of its rule file, and those that are common to all games.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from jackpot.core.config import Irregularities

if TYPE_CHECKING:
    from jackpot.rules.model import Rule

# These void all hands of any game. Journals keep them in this order.
COMMON: Mapping[str, str] = {
    "MISDEALT": "The cards were misdealt.",  # found by counting the stub
    "DECK_INCOMPLETE": "The deck is incomplete.",
    "SHOE_FAILED": "The dealing shoe failed.",
    "NO_WAGERS": "Nobody is playing.",
    "COLLECTION_MISMATCH": "The chip count differs from the accepted wagers.",
    "TABLE_RESTARTED": "The table's program was restarted and no longer knows the cards.",
    "CONTROLLER_LOST": "The table could not reach the controller.",
    "RESTORED": "The controller's journal was restored from a backup.",
}
# What these lead to, the rule file of each game says under `[[irregularities]]`.
_OF_GAMES: Mapping[str, str] = {
    "CARDS_FACE_UP": "Two or more cards were face up.",
    "CARDS_FACE_UP_LATE": "After the first hand was dealt, two or more cards were found face up.",
    "COMMUNITY_CARD_EXPOSED": "A community card was exposed.",
    "COMMUNITY_WRONG_NUMBER": "The number of community cards is wrong.",
    "DEALER_CARD_EXPOSED": "One of the dealer's cards was exposed.",
    "DEALER_ONE_SHORT": "The dealer's hand is one card short.",
    "DEALER_WRONG_NUMBER": "The dealer's hand has the wrong number of cards.",
    "PLAYER_CARD_EXPOSED": "One of a player's cards was exposed.",
    "PLAYER_WRONG_NUMBER": "A player's hand has the wrong number of cards.",
    "STACKS_OUT_OF_TURN": "The stacks were dealt in the wrong order.",
    "STACK_CARD_EXPOSED": "A card in one of the stacks was exposed.",
    "WRONG_START": "Dealing began at the wrong position.",
}
SENTENCES: Mapping[str, str] = {**COMMON, **_OF_GAMES}
_OF_SEATS = ("void-seat", "player-chooses")


def listed(rule: "Rule") -> Irregularities:
    """The words that a table may give for a void: of a round, and of a seat."""
    return Irregularities(
        voids_round=tuple(
            dict.fromkeys(
                (*(each.id for each in rule.irregularities if each.does == "void-round"), *COMMON)
            )
        ),
        voids_seat=tuple(each.id for each in rule.irregularities if each.does in _OF_SEATS),
    )
