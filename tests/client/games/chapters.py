"""Where each chapter speaks of what all chapters prescribe alike."""

import pytest

from table_client.table.devices.model import Method
from tests.client.games.tables import (
    CARIBBEAN,
    CRAZY,
    CRISS,
    FOUR,
    HOLDEM,
    RIDE,
    THREE,
    ULTIMATE,
)

MANUAL, HAND, AUTOMATED = Method.MANUAL_SHOE, Method.HAND, Method.AUTOMATED_SHOE

# Where each chapter stands, and its sections on opening, shuffle, and the three ways of dealing.
CHAPTERS = {
    CRAZY[0]: ("PA 657a.", 4, 5, (8, 9, 10)),
    CRAZY[1]: ("MA ", 3, 4, (7, 8, 9)),
    CRAZY[2]: ("PA2011 573.", 4, 5, (8, 9, 10)),
    CARIBBEAN: ("PA2010 555.", 4, 5, (8, 9, 10)),
    RIDE: ("PA2010 559.", 4, 5, (10, 11, 12)),
    CRISS: ("PA2014 592.", 4, 5, (8, 9, 10)),
    FOUR: ("PA2010 557.", 4, 5, (8, 9, 10)),
    THREE: ("PA2010 565.", 4, 5, (8, 9, 10)),
    HOLDEM: ("PA2010 563.", 4, 5, (8, 9, 10)),
}
METHODS = (MANUAL, HAND, AUTOMATED)
LETTERS = {MANUAL: "efg", HAND: "cde", AUTOMATED: "cde"}


def section(rule: str, method: Method) -> str:
    """The section on a way of dealing; that of 2010 on Hold 'Em's shoe was restated in 2011."""
    if rule == ULTIMATE:
        return "PA2011 569.10"  # the one section of its chapter that is at hand
    before, _, _, sections = CHAPTERS[rule]
    if rule == HOLDEM and method is AUTOMATED:
        before = "PA2011 563."
    return f"{before}{sections[METHODS.index(method)]}"


def marked(clause: str, *values: object) -> object:
    """A case that carries out a clause."""
    return pytest.param(*values, clause, marks=pytest.mark.rule(clause))
