"""Command-line values: amounts, rates, numbers, cards, journal heads, files; how pages look."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jackpot.core.money import MAX_MICROS, MICROS_PER_CENT, parse_dollars
from jackpot.rules.cards import CardError, parse_cards

if TYPE_CHECKING:
    from jackpot.display.web.app import Settings
    from jackpot.verify import Noted


FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)


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
            self.fail(f"{value!r} is not an amount; expected one such as 12,345.67", param, ctx)
        if not 0 <= micros <= MAX_MICROS:
            self.fail(f"{value!r} is out of range; expected $0 to $1,000,000,000", param, ctx)
        return micros


class Cash(Amount):
    """Dollars that are counted out, as micros."""

    name = "cash"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read "$12,345.67", and nothing finer than a cent."""
        micros = super().convert(value, param, ctx)
        if micros % MICROS_PER_CENT:
            self.fail(f"{value!r} is not in whole cents; expected at most two decimals", param, ctx)
        return micros


class Rate(click.ParamType[int]):
    """A percentage, as basis points."""

    name = "rate"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read "21.25%"."""
        from jackpot.rules.money_phrases import parse_rate

        if isinstance(value, int):
            return value
        try:
            return parse_rate(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class Number(click.ParamType[int]):
    """From 1 to what a field of a message holds."""

    name = "number"

    def __init__(self, bits: int) -> None:
        self._most = (1 << bits - 1) - 1  # the field has a sign

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read "41"."""
        text = str(value)
        digits = text.isascii() and text.isdigit() and len(text) <= len(str(self._most))
        if not digits or not 1 <= int(text) <= self._most:
            self.fail(f"{text!r} is not a number; expected one such as 41", param, ctx)
        return int(text)


class Cards(click.ParamType[tuple[str, ...]]):
    """Cards as a person writes them."""

    name = "cards"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Read "8s8h", "8s 8h" or "8♠,8♥"; no card twice."""
        try:
            return value if isinstance(value, tuple) else parse_cards(value)
        except CardError as error:
            self.fail(str(error), param, ctx)


class Head(click.ParamType["tuple[str, Noted]"]):
    """What was noted of a site's journal before."""

    name = "head"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> "tuple[str, Noted]":
        """Read "SITE=SEQUENCE:HASH", with at least eight digits of the hash."""
        found = re.fullmatch(r"([^=]+)=([0-9]{1,15}):([0-9a-fA-F]{8,64})", value)
        if not found:
            self.fail(
                f"{value!r} is not a journal head; expected SITE=SEQUENCE:HASH, "
                "such as liberty=5120:8cbe93b3f854f4a0",
                param,
                ctx,
            )
        return found[1], (int(found[2]), found[3].lower())


AMOUNT = Amount()
CASH = Cash()
RATE = Rate()
ID = Number(64)  # of a payout, a proposal or an entry
SEAT = Number(32)
HEAD = Head()
CARDS = Cards()


theme_option: Callable[[Any], Any] = click.option(
    "--theme", type=FILE, help="A file with the house's name, logo and colors."
)


def settings(theme: Path | None, *, staff_on_loopback: bool = False) -> "Settings":
    """What the options say of the pages."""
    from jackpot.display.web.app import Settings
    from jackpot.display.web.theme import Theme

    return Settings(
        theme=Theme.load(theme) if theme else Theme(), staff_on_loopback=staff_on_loopback
    )
