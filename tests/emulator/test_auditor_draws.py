"""The auditor draws again from the random bytes that a lock-out tells, and compares."""

from collections.abc import Callable

import pytest

from emulator.soak.audit.draws import problem
from emulator.soak.audit.terms import LinkTerms, TableTerms
from jackpot.wire.v1 import table_pb2 as pb

SEATS = 6


def link(name: str, bps: int) -> LinkTerms:
    """A link that draws in a share of rounds."""
    return LinkTerms(name, 1_000_000, (), (), bps, bps, in_service=True)


TERMS = TableTerms(
    "t", "r", (link("no", 0), link("hb", 10_000), link("hc", 5_000)), SEATS, 5, 5, 5, 5
)


def numbers(*values: int) -> bytes:
    """Random bytes that are these numbers."""
    return b"".join(value.to_bytes(8) for value in values)


def told() -> pb.LockOutResponse:
    """A lock-out at which both draw a card and one a position."""
    return pb.LockOutResponse(
        magic_card="2c",
        lucky_position=0,
        draws=[
            pb.Draw(
                link="hb", entropy=numbers(9_999, 0, 9_999, 7), magic_card="2c", lucky_position=0
            ),
            pb.Draw(link="hc", entropy=numbers(14_999, 51, 5_000, 3), magic_card="As"),
        ],
    )


def test_what_was_drawn_as_told_is_right() -> None:
    """Cards, positions, the first of each, and a link that draws none."""
    assert problem(TERMS, told()) == ""


WRONG: dict[str, Callable[[pb.LockOutResponse], object]] = {
    "another card": lambda it: setattr(it.draws[1], "magic_card", "Ks"),
    "no card": lambda it: setattr(it.draws[0], "magic_card", ""),
    "another position": lambda it: setattr(it.draws[0], "lucky_position", 1),
    "a position too many": lambda it: setattr(it.draws[1], "lucky_position", 3),
    "other bytes": lambda it: setattr(it.draws[0], "entropy", numbers(9_999, 1, 9_999, 7)),
    "too few bytes": lambda it: setattr(it.draws[0], "entropy", b"x"),
    "another link": lambda it: setattr(it.draws[0], "link", "no"),
    "none": lambda it: it.ClearField("draws"),
    "one of two": lambda it: it.draws.pop(),
    "the first told as another": lambda it: setattr(it, "magic_card", "As"),
    "the first not told": lambda it: it.ClearField("lucky_position"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_whatever_else_was_told_is_found(wrong: str) -> None:
    """A controller that draws one thing and says another."""
    response = told()
    WRONG[wrong](response)
    assert problem(TERMS, response)


def test_one_draw_for_two_links_is_found() -> None:
    """Their bonuses would go together."""
    response, same = told(), numbers(0, 0, 0, 0)
    response.lucky_position = 0
    response.draws[0].CopyFrom(pb.Draw(link="hb", entropy=same, magic_card="2c", lucky_position=0))
    response.draws[1].CopyFrom(pb.Draw(link="hc", entropy=same, magic_card="2c", lucky_position=0))
    assert problem(TERMS, response) == "two links drew from the same random bytes"
