"""Where the deal of Pai Gow Poker begins: by dice, by a number, or by a button.

Positions are counted counterclockwise with the dealer as number one, whether or not there is a
wager; the button moves clockwise after each round.
"""

from typing import Protocol

from table_client.table.games.irregularities import Irregularity, remedy_for
from table_client.table.randomness import seeded
from table_client.table.round.judging import VoidError
from table_client.table.round.round_state import DEALER, Layout

DICE = 3
_FACES = 6
_POSITIONS = 7


class StartSource(Protocol):
    """Dice, or a random number generator, and the person who reads them."""

    def roll(self) -> tuple[int, ...] | None:
        """Three dice; None where one did not land flat or fell out."""

    def number(self) -> int:
        """A number from 1 to 7."""

    def announce(self, total: int) -> int:
        """What the dealer says the dice add up to."""


class SeededStart:
    """Dice of a seed, read without error."""

    def __init__(self, seed: str) -> None:
        self._draws = seeded(seed, "starting position")

    def roll(self) -> tuple[int, ...]:
        """Three dice."""
        return tuple(1 + self._draws.below(_FACES) for _ in range(DICE))

    def number(self) -> int:
        """A number from 1 to 7."""
        return 1 + self._draws.below(_POSITIONS)

    def announce(self, total: int) -> int:
        """The total."""
        return total


def position(count: int, seats: int) -> int:
    """The position that a count leads to: 1 is the dealer, 2 the seat at the dealer's right."""
    around: list[int] = [DEALER, *range(seats, 0, -1)]
    return around[(count - 1) % len(around)]


def starting_position(layout: Layout, source: StartSource, round_number: int) -> int:
    """Who is dealt to first; a total that was read wrongly ends the round."""
    seats = layout.rule.table.seats if layout.rule.table else 0
    chosen = layout.option("start")
    if chosen == "button":
        first = (round_number - 1) % (seats + 1)  # at the dealer when play begins
        layout.trace.note("start", _says("The button is", first), "PA2010 561.12(d)")
        return first
    if chosen == "number":
        number = source.number()
        first = position(number, seats)
        layout.trace.note("start", _says(f"{number} is shown:", first), "PA2010 561.12(c)")
        return first
    total = _roll(layout, source)
    announced = source.announce(total)
    first = position(announced, seats)
    layout.trace.note("start", _says(f"The dice total {announced}:", first), "PA2010 561.12(b)")
    if first != position(total, seats):
        remedy = remedy_for(layout.game.irregularities, Irregularity.WRONG_START)
        says = f"The dice total {total}: the first cards went to the wrong position."
        layout.trace.note("irregularity", says, remedy.clause)
        raise VoidError(Irregularity.WRONG_START, remedy, says)
    return first


def _roll(layout: Layout, source: StartSource) -> int:
    while (dice := source.roll()) is None:
        clause = remedy_for(layout.game.irregularities, Irregularity.NO_ROLL).clause
        layout.trace.note("irregularity", "No roll; the dice are shaken again.", clause)
    return sum(dice)


def _says(what: str, first: int) -> str:
    return f"{what} {'the dealer' if first == DEALER else f'position {first}'} is first."
