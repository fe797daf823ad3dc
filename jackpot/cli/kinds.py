"""What people write on the command line, read exactly: amounts, rates, levels."""

from typing import Any

import click

from jackpot.core.money import MAX_MICROS, parse_dollars
from jackpot.rules.terms import parse_rate


class Amount(click.ParamType[int]):
    """Dollars as a person writes them, as micros."""

    name = "amount"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read "$12,345.67"."""
        if isinstance(value, int):
            return value
        try:
            micros = parse_dollars(value.removeprefix("$"))
        except ValueError:
            self.fail(f"{value!r} is no amount such as 12,345.67", param, ctx)
        if not 0 <= micros <= MAX_MICROS:
            self.fail(f"{value!r} is not between nothing and a billion dollars", param, ctx)
        return micros


class Rate(click.ParamType[int]):
    """A percentage, as basis points."""

    name = "rate"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read "21.25%"."""
        if isinstance(value, int):
            return value
        try:
            return parse_rate(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


AMOUNT = Amount()
RATE = Rate()
