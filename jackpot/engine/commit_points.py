"""The named moments of a commit at which a test can make something go wrong."""

from collections.abc import Callable
from typing import Literal, get_args

Point = Literal[
    "before-lock", "after-decide", "before-commit", "after-commit", "before-publish", "snapshot"
]
POINTS: tuple[Point, ...] = get_args(Point)
Faults = Callable[[Point], None]


def none(_: Point) -> None:
    """Nothing goes wrong."""
