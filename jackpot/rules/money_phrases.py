"""Read the small phrases in which rules state money: "300 for 1", "at least $5,000", "21%".

The rule files keep the regulations' own wording of odds, because "to 1" and "for 1" differ by the
wager itself and a reader must be able to compare a file with the law line by line. This module
turns each phrase into whole numbers, and refuses every phrase it doesn't know.
"""

import re
from typing import Literal

from msgspec import Struct

from jackpot.core.money import BPS_PER_WHOLE, MAX_MICROS, MICROS_PER_CENT, parse_dollars

PayKind = Literal["to", "for", "share", "amount", "push", "lose"]
Bound = Literal["is", "at-least", "any"]

_ODDS = re.compile(r"(?P<number>\d[\d,]*) (?P<kind>to|for) (?P<per>[1-9]\d*)")
_SHARE = re.compile(r"(?P<rate>\d+)% of (?P<level>[a-z][a-z-]*)")
_AMOUNT = re.compile(r"\$(?P<dollars>\d[\d,]*(?:\.\d\d)?)(?P<scaled> for 1)?")
_RATE = re.compile(r"(?P<whole>\d{1,3})(?:\.(?P<part>\d{1,2}))?%")
_AT_LEAST = "at least "


class Pay(Struct, frozen=True):
    """What a row of a paytable pays, as numbers; `number` to or for `per`."""

    kind: PayKind
    number: int = 0  # odds: the first number; share: basis points; amount: micros
    per: int = 1
    level: str = ""  # share: the level whose meter pays

    @property
    def won_per_wager(self) -> tuple[int, int]:
        """Odds as a fraction of the wager that comes back beyond the wager itself."""
        if self.kind == "to":
            return self.number, self.per
        if self.kind == "for":
            return self.number - self.per, self.per
        if self.kind == "push":
            return 0, 1
        raise ValueError(f"a payment by {self.kind} has no odds")


class AmountTerm(Struct, frozen=True):
    """An amount that a rule fixes, bounds from below, or leaves to the operator."""

    bound: Bound
    micros: int = 0
    per_wager: bool = False  # "for 1": multiplied by the wager in dollars

    def at(self, wager_micros: int) -> int:
        """The amount at a wager, in micros."""
        if not self.per_wager:
            return self.micros
        return self.micros * wager_micros // 1_000_000


class RateTerm(Struct, frozen=True):
    """A rate that a rule fixes, bounds from below, or leaves to the operator."""

    bound: Bound
    bps: int = 0


def parse_pay(text: str) -> Pay:
    """Read "3 to 2", "300 for 1", "10% of main", "$500", "push" or "lose"."""
    if text in ("push", "lose"):
        return Pay(kind="push" if text == "push" else "lose")
    if match := _ODDS.fullmatch(text):
        number = int(match["number"].replace(",", ""))
        return Pay(
            kind="to" if match["kind"] == "to" else "for", number=number, per=int(match["per"])
        )
    if match := _SHARE.fullmatch(text):
        return Pay(kind="share", number=int(match["rate"]) * 100, level=match["level"])
    if (match := _AMOUNT.fullmatch(text)) and not match["scaled"]:
        return Pay(kind="amount", number=parse_dollars(match["dollars"]))
    expected = 'such as "8 to 1", "300 for 1", "10% of main" or "$500"'
    raise ValueError(f"{text!r} is not a payment; expected one {expected}")


def parse_amount_term(text: str) -> AmountTerm:
    """Read "$10,000 for 1", "at least $5,000", "$0" or "any"."""
    if text == "any":
        return AmountTerm(bound="any")
    match = _AMOUNT.fullmatch(text.removeprefix(_AT_LEAST))
    if match is None:
        raise ValueError(f"{text!r} is not an amount")
    return AmountTerm(
        bound="at-least" if text.startswith(_AT_LEAST) else "is",
        micros=parse_dollars(match["dollars"]),
        per_wager=match["scaled"] is not None,
    )


def parse_rate_term(text: str) -> RateTerm:
    """Read "21%", "at least 70%", "none" or "any"."""
    if text == "any":
        return RateTerm(bound="any")
    if text == "none":
        return RateTerm(bound="is")
    bound: Bound = "at-least" if text.startswith(_AT_LEAST) else "is"
    return RateTerm(bound=bound, bps=parse_rate(text.removeprefix(_AT_LEAST)))


def parse_rate(text: str) -> int:
    """Read "21%" or "21.25%" as basis points; anything finer is a ValueError."""
    match = _RATE.fullmatch(text)
    if match is None:
        finer = re.fullmatch(r"\d{1,3}\.\d{3,}%", text)
        why = (
            "has more than two decimals"
            if finer
            else 'is not a rate; expected one such as "21%" or "21.25%"'
        )
        raise ValueError(f"{text!r} {why}")
    bps = int(match["whole"]) * 100 + int((match["part"] or "").ljust(2, "0"))
    if bps > BPS_PER_WHOLE:
        raise ValueError(f"{text!r} is more than 100%")
    return bps


def parse_money(text: str) -> int:
    """Read "5", "$5" or "10,000.00" as micros in whole cents; anything finer is a ValueError."""
    micros = parse_dollars(text.removeprefix("$"))
    if micros < 0:
        raise ValueError(f"{text!r} is negative")
    if micros > MAX_MICROS:
        raise ValueError(f"{text!r} is more than a billion dollars")
    if micros % MICROS_PER_CENT:
        raise ValueError(f"{text!r} is not in whole cents")
    return micros
