"""How long devices and dealers take, in milliseconds of the devices' own clock.

Typical figures for such machines and for a practised dealer, not those of any one maker.
"""

from typing import Final

OPEN_DECK_MS: Final = 120_000  # inspect, spread, wash and stack a new deck
GATHER_MS: Final = 4_000  # square the cards of a round and insert them
AUTOMATED_SHUFFLE_MS: Final = 25_000  # the whole cycle, counting included
CLEAR_JAM_MS: Final = 20_000  # open the shuffler, free the cards, close it
MANUAL_SHUFFLE_MS: Final = 45_000
CUT_MS: Final = 4_000
EJECT_MS: Final = 2_000
CARD_MS: Final = 700  # one card by the dealer's hand
STACK_MS: Final = 600  # an automated shoe's pause before a stack ...
STACK_CARD_MS: Final = 150  # ... and each card of it
FEED_CARD_MS: Final = 120  # a continuous shoe takes a card back
REMOVE_STUB_MS: Final = 2_000
COUNT_CARD_MS: Final = 350  # a dealer counts a stub face down
REMOVE_DECK_MS: Final = 10_000
RETIRE_MS: Final = 60_000
