"""Every name that a hand can have on the wire, and the title that people read.

The list is closed: a ranking's names (`known_names`) and the two drawn bonuses. A client can
translate it, or choose a picture for each; docs/reference/hands.md is written from it.
"""

from functools import lru_cache

from jackpot.rules.hands import ANY_HAND, known_names
from jackpot.rules.rankings import RANKINGS

_OWN = {ANY_HAND: "Any hand", "magic": "Magic Card", "lucky": "Lucky Bonus"}


def _title(name: str) -> str:
    words = name.replace("-", " ")
    return words[:1].upper() + words[1:]


HAND_TITLES: dict[str, str] = {
    **{name: _title(name) for name in sorted(set().union(*map(known_names, RANKINGS)))},
    **_OWN,
}


@lru_cache(maxsize=1_024)  # a Bad Beat's lines are named after its qualifying hand
def hand_title(name: str) -> str:
    """A hand's name for people; a line of a Bad Beat is titled by the same rule."""
    return HAND_TITLES.get(name) or _title(name)
