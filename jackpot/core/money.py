"""Money as whole numbers.

The ledger's unit is the micro, a millionth of a dollar, because a whole cent times a whole basis
point is then always whole: an increment is exact and nothing is ever lost to rounding.
"""

import re

CURRENCY = "USD"  # of every amount, by ISO 4217
MICROS_PER_CENT = 10_000
MICROS_PER_DOLLAR = 1_000_000
BPS_PER_WHOLE = 10_000
DECIMALS = 6
MAX_MICROS = 10**15  # a billion dollars: far above any jackpot, far below 2**63
_DOLLARS = re.compile(r"-?([0-9]+|[0-9]{1,3}(,[0-9]{3})+)(\.[0-9]{1,6})?")


def share_micros(amount_micros: int, rate_bps: int) -> int:
    """The exact share of an amount in whole cents at a whole basis-point rate."""
    share, rest = divmod(amount_micros * rate_bps, BPS_PER_WHOLE)
    if rest:
        raise ArithmeticError(f"{amount_micros} micros at {rate_bps} bps is no whole micro")
    return share


def floor_to_cent(amount_micros: int) -> int:
    """What can be paid of an amount: whole cents, rounded down."""
    return amount_micros - amount_micros % MICROS_PER_CENT


def dollars(amount_micros: int) -> str:
    """An amount as a person reads it; micros are shown only where there are any."""
    sign = "-" if amount_micros < 0 else ""
    whole, micros = divmod(abs(amount_micros), MICROS_PER_DOLLAR)
    cents, rest = divmod(micros, MICROS_PER_CENT)
    tail = f"{rest:04d}" if rest else ""
    return f"{sign}{whole:,}.{cents:02d}{tail}"


def parse_dollars(text: str) -> int:
    """Read "10,000", "12.34" or "0.123456" as micros; anything finer or odder is a ValueError."""
    if not _DOLLARS.fullmatch(text):
        raise ValueError(f"{text!r} is not an amount in dollars")
    whole, _, part = text.removeprefix("-").replace(",", "").partition(".")
    micros = int(whole) * MICROS_PER_DOLLAR + int(part.ljust(DECIMALS, "0"))
    return -micros if text.startswith("-") else micros


def rate_text(bps: int) -> str:
    """A rate as a person writes it."""
    whole, part = divmod(bps, 100)
    return f"{whole}.{part:02d}%" if part else f"{whole}%"


def largest_shown(digits: int) -> int:
    """The largest amount that so many digits show, cents included, in micros."""
    return int("9" * digits) * MICROS_PER_CENT


def frozen_at(amount_micros: int, digits: int) -> int:
    """What a sign of so many digits shows of an amount that it can't show; 0 where it can."""
    largest = largest_shown(digits)
    return largest if floor_to_cent(amount_micros) > largest else 0
