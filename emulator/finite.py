"""Numbers on a command line that are numbers."""

import math
from typing import Any

import click


class FiniteRange(click.FloatRange):
    """A range of floats without `nan`, which no bound keeps out, and without `inf`."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number, or a mistake in the usage."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number
