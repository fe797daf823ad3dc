"""Four Card Poker: five cards each, six for the dealer, the last of them face up (2010)."""

from jackpot.rules.hands import at_least
from jackpot.rules.loader import rules
from table_client.table.games.clause_numbers import Letters, Sections, chapter
from table_client.table.games.irregularities import remedies
from table_client.table.games.model import Ask, Game, Pass, View, Wave, asked, plans

# The dealer's fifth and sixth card are dealt one after the other.
_CARD_BY_CARD = (*(Pass("seats"), Pass("dealer")) * 5, Pass("dealer", shows="all"))
_STACKS = (Pass("seats", 5), Pass("dealer", 5), Pass("dealer", 5, keep="bottom", shows="all"))


def strategy(ask: Ask, view: View) -> int:
    """Three times the Ante from a pair of tens, once from a pair of threes, else fold."""
    if at_least("four-card", view.own, "pair-of-tens"):
        return ask.most
    return int(at_least("four-card", view.own, "pair-of-threes"))


_RULE = rules()["pa-2010-four-card-poker"]

GAME = Game(
    rule=_RULE,
    clauses=chapter(
        Sections(before="PA2010 557."),
        Letters(
            late="d",
            abandoned="c",
            collect_folds=("d",),
            reveal=("e",),
            turn_up=("e",),
            discard=("g",),
        ),
    ),
    irregularities=remedies(_RULE),
    plans=plans(_CARD_BY_CARD, _STACKS),
    required=("ante",),
    alone=("aces-up",),
    script=(
        asked(
            _RULE,
            "play",
            call="Play one to three times the Ante, or fold?",
            clause="PA2010 557.11(c)",
        ),
    ),
    strategy=strategy,
    settles=(
        Wave(results=("lose",)),
        Wave(results=("push", "win"), call="Paying.", clause="PA2010 557.11(f)"),
    ),
    removes_devices=True,
)
