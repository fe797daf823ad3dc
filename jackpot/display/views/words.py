"""How amounts, hands and payments read on a sign.

Money leaves for a browser as text, exact to the cent and rounded down: a browser's numbers are
floats, and a sign must never show more than the meter holds.
"""

from jackpot.core.config import PayLine
from jackpot.core.money import BPS_PER_WHOLE, dollars, floor_to_cent, rate_text

POT = "Shares of the fund"
ONLY_LEVEL = "main"  # the level of a link that has one
_DEALER = "-dealer"


def money(amount_micros: int) -> str:
    """An amount in whole cents, rounded down, without the dollar sign."""
    return dollars(floor_to_cent(amount_micros))


def spaced(name: str) -> str:
    """A name of a rule file as a person writes it: "four-of-a-kind" is "Four of a kind"."""
    text = name.replace("-", " ")
    return text[:1].upper() + text[1:]


def level_name(level: str) -> str:
    """What a level is called on a sign; staff see the name that commands take."""
    return "Jackpot" if level == ONLY_LEVEL else spaced(level)


def pays(line: PayLine) -> str:
    """A payment in the regulations' wording: odds "for 1" include the wager, "to 1" would not."""
    if line.share_bps:
        return share(line.share_bps, line.level)
    if line.pays_for:
        return f"{line.pays_for:,} for 1"
    return f"${money(line.amount_micros)}"


def share(share_bps: int, level: str) -> str:
    """A share of a meter."""
    meter = "the meter" if level == ONLY_LEVEL else f"the {level}"
    whole = share_bps == BPS_PER_WHOLE
    return f"{'100%' if whole else rate_text(share_bps)} of {meter}"


def bet_name(bet: str) -> str:
    """A bet as a lamp is labelled; one on the dealer's hand says so last."""
    return spaced(bet.removesuffix(_DEALER)) + (", dealer" if bet.endswith(_DEALER) else "")


def fixed_micros(line: PayLine, wager_micros: int) -> int:
    """What a fixed award comes to at a wager; 0 for a share of a meter."""
    return line.amount_micros or line.pays_for * wager_micros


def on_whom(*, player: bool, dealer: bool) -> str:
    """Whose hand the bets of a link are about."""
    if player and dealer:
        return "On your hand or the dealer's"
    return "On the dealer's hand" if dealer else "On your hand"
