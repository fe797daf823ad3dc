"""A Bad Beat payout: what an operator must post, and which hand is one.

Poker is played between players, so a Bad Beat is no wager on a link: pots feed a fund, and a strong
hand that loses pays it out. The text leaves the figures to the operator's posted rules; this module
holds those rules to the text (PA2010 553.20). What pots and shares come to is the core's.
"""

from jackpot.core.config import PotRules
from jackpot.core.money import BPS_PER_WHOLE, MICROS_PER_CENT
from jackpot.rules import hands


def violations(rules: PotRules) -> tuple[tuple[str, str], ...]:
    """What is missing or impossible in posted rules, each with its clause."""
    found: list[tuple[str, str]] = []
    if rules.qualifying_hand not in hands.known_names("five-card"):
        reason = f"{rules.qualifying_hand!r} is no hand that could qualify"
        found.append((reason, "PA2010 553.20(b)(3)"))
    if rules.loser_bps + rules.winner_bps + rules.table_bps != BPS_PER_WHOLE:
        found.append(("the shares do not make up the whole payout", "PA2010 553.20(b)(3)"))
    if rules.cap_micros <= 0 or rules.cap_micros % MICROS_PER_CENT:
        reason = "the most that a pot contributes must be some whole number of cents"
        found.append((reason, "PA2010 553.20(b)(1)"))
    if not rules.contribution_bps:
        found.append(("a contribution of 0% feeds nothing", "PA2010 553.20(b)(1)"))
    if rules.minimum_pot_micros < rules.cap_micros:
        reason = "the smallest pot that contributes is below the most that one contributes"
        found.append((reason, "PA2010 553.20(b)(2)"))
    if not rules.passes_on_to:
        reason = "it is not said which Bad Beat inherits the fund when this one ends"
        found.append((reason, "PA2010 553.20(i)"))
    return tuple(found)


def is_bad_beat(rules: PotRules, losing: tuple[str, ...], winning: tuple[str, ...]) -> bool:
    """Whether a hand lost that the rules name beforehand, and did lose."""
    lost = hands.rank("five-card", losing) < hands.rank("five-card", winning)
    return lost and hands.at_least("five-card", losing, rules.qualifying_hand)
