"""Which words a table may give for a void, by its game's rule: a closed list.

A chapter says what follows from what can go wrong with its cards. What can go wrong with any game's
deck, and with the machinery around it, is the same everywhere and stands here.
"""

from jackpot.core import config
from jackpot.rules.model import Rule

# Void all hands of any game.
COMMON = (
    "MISDEALT",  # found by counting the stub
    "DECK_INCOMPLETE",
    "SHOE_FAILED",
    "NO_WAGERS",  # nobody plays
    "COLLECTION_MISMATCH",  # chips and wagers can't be reconciled
    "TABLE_RESTARTED",  # the table's own program has lost its cards
    "CONTROLLER_LOST",  # the controller could not be reached
    "RESTORED",  # the controller's journal was restored from a backup
)
_OF_SEATS = ("void-seat", "player-chooses")


def listed(rule: Rule) -> config.Irregularities:
    """The irregularities of a rule that void a round, and those that void a seat."""
    return config.Irregularities(
        voids_round=tuple(
            dict.fromkeys(
                (*(each.id for each in rule.irregularities if each.does == "void-round"), *COMMON)
            )
        ),
        voids_seat=tuple(each.id for each in rule.irregularities if each.does in _OF_SEATS),
    )
