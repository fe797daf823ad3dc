"""A Bad Beat payout: what an operator must declare, and what pots and shares then come to.

Poker is played between players, so a Bad Beat is no wager on a link: pots feed a fund, and a strong
hand that loses pays it out. The text leaves the figures to the operator's posted rules; this module
holds those rules to the text (PA2010 553.20) and does their arithmetic in whole cents.
"""

from typing import Literal

from msgspec import Struct

from jackpot.core.money import BPS_PER_WHOLE, MICROS_PER_CENT, floor_to_cent, share_micros
from jackpot.rules import hands

Who = Literal["losing hand", "winning hand", "others at the table"]


class BadBeat(Struct, frozen=True):
    """An operator's posted rules for one Bad Beat payout."""

    qualifying_hand: str  # the lowest hand that, losing, is a Bad Beat
    contribution_micros: int  # what each pot gives, at most
    minimum_pot_micros: int  # smaller pots give nothing
    shares_bps: dict[Who, int]
    passes_on_to: str = ""  # the Bad Beat that inherits the fund when this one ends


def violations(rules: BadBeat) -> tuple[tuple[str, str], ...]:
    """What is missing or impossible in posted rules, each with its clause."""
    found: list[tuple[str, str]] = []
    if rules.qualifying_hand not in hands.known_names("five-card"):
        reason = f"{rules.qualifying_hand!r} is no hand that could qualify"
        found.append((reason, "PA2010 553.20(b)(3)"))
    if sum(rules.shares_bps.values()) != BPS_PER_WHOLE or min(rules.shares_bps.values()) < 0:
        found.append(("the shares do not make up the whole payout", "PA2010 553.20(b)(3)"))
    if rules.contribution_micros <= 0 or rules.contribution_micros % MICROS_PER_CENT:
        reason = "the most that a pot contributes must be some whole number of cents"
        found.append((reason, "PA2010 553.20(b)(1)"))
    if rules.minimum_pot_micros < rules.contribution_micros:
        reason = "the smallest pot that contributes is below the contribution"
        found.append((reason, "PA2010 553.20(b)(2)"))
    if not rules.passes_on_to:
        reason = "it is not said which Bad Beat inherits the fund when this one ends"
        found.append((reason, "PA2010 553.20(i)"))
    return tuple(found)


def contribution_micros(rules: BadBeat, pot_micros: int, rake_micros: int) -> int:
    """What a pot gives to the fund: after the rake, before the winner is paid (553.20(c))."""
    if pot_micros < rules.minimum_pot_micros:
        return 0
    return min(rules.contribution_micros, max(0, pot_micros - rake_micros))


def is_bad_beat(rules: BadBeat, losing: tuple[str, ...], winning: tuple[str, ...]) -> bool:
    """Whether a hand lost that the rules name beforehand, and did lose."""
    lost = hands.rank("five-card", losing) < hands.rank("five-card", winning)
    return lost and hands.at_least("five-card", losing, rules.qualifying_hand)


def shares_micros(rules: BadBeat, fund_micros: int, others: int) -> dict[Who, int]:
    """What each is paid: whole cents, the others one by one; what is left stays in the fund.

    With nobody else at the table, the losing hand takes their share: all goes to players.
    """
    rates = dict(rules.shares_bps)
    if not others:
        rates["losing hand"] = rates.get("losing hand", 0) + rates.pop("others at the table", 0)
    whole = floor_to_cent(fund_micros)
    paid = {who: floor_to_cent(share_micros(whole, bps)) for who, bps in rates.items()}
    if "others at the table" in paid:
        paid["others at the table"] = floor_to_cent(paid["others at the table"] // others)
    return paid
