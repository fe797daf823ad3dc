"""Whole numbers on the command line, no larger than what a field of a message holds."""

from typing import Any

import click


class Number(click.ParamType[int]):
    """From 1 to what there can be at most."""

    name = "number"

    def __init__(self, bits: int) -> None:
        self._most = (1 << bits - 1) - 1  # the field has a sign

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read "41"."""
        text = str(value)
        digits = text.isascii() and text.isdigit() and len(text) <= len(str(self._most))
        if not digits or not 1 <= int(text) <= self._most:
            self.fail(f"{text!r} is no number such as 41", param, ctx)
        return int(text)


ID = Number(64)  # of a payout, a proposal or an entry
SEAT = Number(32)
