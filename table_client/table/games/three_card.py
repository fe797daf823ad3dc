"""Three Card Poker: three cards each (2010), in four versions.

Pair Plus stands alone, or is tied to the Ante in one of three ways; then a player who folds loses
it too, and the Ante Bonus has paytables of its own.
"""

from collections.abc import Mapping

from jackpot.core.config import BaseTerms
from jackpot.rules.base_game import option_value
from jackpot.rules.hands import rank
from jackpot.rules.loader import rules
from table_client.table.games.clause_numbers import Letters, Sections, chapter
from table_client.table.games.irregularities import remedies
from table_client.table.games.model import Ask, Game, Pass, View, Wave, asked, plans

_RULE = rules()["pa-2010-three-card-poker"]
_CARD_BY_CARD = (Pass("seats"), Pass("dealer")) * 3
_STACKS = (Pass("seats", 3), Pass("dealer", 3))
_WORTH_PLAYING = rank("three-card", ("Qc", "6d", "4h"))
_MOST_APART = 5  # times that one compulsory wager may be the other


def strategy(_: Ask, view: View) -> int:
    """Play from queen-six-four."""
    return int(rank("three-card", view.own) >= _WORTH_PLAYING)


def verify(wagers: Mapping[str, int], terms: BaseTerms) -> str:
    """Why the wagers don't fit the version that is played."""
    ante, plus = wagers.get("ante", 0), wagers.get("pair-plus", 0)
    match option_value(_RULE, terms, "pair-plus"):
        case "ante-equal" if plus > ante:
            return "Pair Plus needs an Ante of the same amount"
        case "ante-half" if plus > 2 * ante:
            return "Pair Plus needs an Ante of half its amount"
        case "both" if not (ante and plus) or max(ante, plus) > _MOST_APART * min(ante, plus):
            return "Ante and Pair Plus are both needed, neither above 5 times the other"
    return ""


GAME = Game(
    rule=_RULE,
    clauses=chapter(
        Sections(before="PA2010 565."),
        Letters(
            late="d",
            abandoned="c",
            collect_folds=("c",),
            reveal=("c",),
            turn_up=("d", "1"),
            discard=("e",),
        ),
    ),
    irregularities=remedies(_RULE),
    plans=plans(_CARD_BY_CARD, _STACKS),
    required=("ante",),
    alone=("pair-plus",),
    script=(asked(_RULE, "play", call="Play or fold?", clause="PA2010 565.11(b)"),),
    strategy=strategy,
    settle_clauses={"pair-plus": "PA2010 565.11(d)(3)"},
    shows_all_first=True,
    settles=(
        Wave(results=("lose",), call="Losing wagers.", clause="PA2010 565.11(d)(2)"),
        Wave(results=("push", "win"), call="Winning wagers.", clause="PA2010 565.11(d)(3)"),
    ),
    verify=verify,
    removes_devices=True,
)
