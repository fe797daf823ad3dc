"""Draw Magic Card and Lucky Bonus at lock-out, for each link that offers them by itself.

What one link draws says nothing about another's. The journal keeps the random bytes that each draw
was made from, so that anybody can make it again.
"""

from collections.abc import Sequence
from struct import Struct as Layout

from jackpot.core.config import Link
from jackpot.core.money import BPS_PER_WHOLE
from jackpot.core.state import NO_POSITION, Draw, Round, State

DECK = tuple(rank + suit for rank in "23456789TJQKA" for suit in "cdhs")
ENTROPY_BYTES = 32  # of one draw
NOTHING_DRAWN = ("", NO_POSITION)  # in most rounds
_numbers = Layout(">4Q").unpack


def drawing_links(state: State, table: str) -> list[Link]:
    """The links of a table whose rounds may have a Magic Card or a Lucky Bonus, in their order."""
    found, links = state.tables.get(table), state.links
    if found is None:
        return []
    return [
        link
        for each in found.config.links
        if (link := links[each].config).magic_share_bps or link.lucky_share_bps
    ]


def draw_all(links: Sequence[Link], seats: int, entropy: bytes) -> tuple[Draw, ...]:
    """What each link draws, from its own part of the entropy."""
    size = ENTROPY_BYTES
    return tuple(
        [
            draw(link, seats, entropy[place * size : (place + 1) * size])
            for place, link in enumerate(links)
        ]
    )


def draw(link: Link, seats: int, entropy: bytes) -> Draw:
    """One link's Magic Card and lucky position, as far as this round offers them.

    The entropy is cut into four 64-bit numbers: offered? and which?, for each bonus.
    """
    if len(entropy) != ENTROPY_BYTES:
        raise ValueError(f"a draw takes {ENTROPY_BYTES} random bytes, not {len(entropy)}")
    magic, card, lucky, position = _numbers(entropy)
    return Draw(
        link.id,
        entropy.hex(),
        DECK[card % len(DECK)] if magic % BPS_PER_WHOLE < link.magic_share_bps else "",
        position % (seats + 1) if lucky % BPS_PER_WHOLE < link.lucky_share_bps else NO_POSITION,
    )


def first_drawn(draws: Sequence[Draw]) -> tuple[str, int]:
    """The first Magic Card and lucky position, for those who know only one of each."""
    cards = [each.magic_card for each in draws if each.magic_card]
    positions = [each.lucky_position for each in draws if each.lucky_position != NO_POSITION]
    return cards[0] if cards else "", positions[0] if positions else NO_POSITION


def drawn_for(round_: Round, link: str) -> tuple[str, int]:
    """The Magic Card and lucky position of a link's bets; before 0.2.0 all links had the same."""
    if not round_.draws:
        return round_.magic_card, round_.lucky_position
    for each in round_.draws:
        if each.link == link:
            return each.magic_card, each.lucky_position
    return NOTHING_DRAWN
