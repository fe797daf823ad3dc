"""Caribbean Stud Poker: five cards each, one of the dealer's face up (2010 and 2011)."""

from msgspec import structs

from jackpot.rules.hands import rank
from jackpot.rules.loader import rules
from table_client.table.games.clause_numbers import Letters, Sections, chapter
from table_client.table.games.irregularities import remedies
from table_client.table.games.model import Ask, Game, Pass, View, Wave, asked, plans

_RULE = rules()["pa-2011-caribbean-stud"]


def _card_by_card(section: str) -> tuple[Pass, ...]:
    later = f"{section}(5)"
    return (
        Pass("seats", clause=f"{section}(1)"),
        Pass("dealer", shows="all", clause=f"{section}(2)"),
        Pass("seats", clause=f"{section}(3)"),
        Pass("dealer", clause=f"{section}(4)"),
        *(Pass("seats", clause=later), Pass("dealer", clause=later)) * 3,
    )


_STACKS = (Pass("seats", 5), Pass("dealer", 5, shows="bottom", shows_clause="PA2010 555.10(g)"))
# A-K-J-8-3, the hand from which betting loses less than folding on the average.
_WORTH_BETTING = rank("five-card", ("Ac", "Kd", "Jh", "8s", "3c"))


def strategy(_: Ask, view: View) -> int:
    """Bet twice the Ante with ace-king-jack-eight-three or better, else fold."""
    return 2 if rank("five-card", view.own) >= _WORTH_BETTING else 0


_CLAUSES = chapter(
    Sections(before="PA2010 555.", later="PA2011 555."),
    Letters(
        late="b",
        abandoned="g",
        boxes="f",
        collect_folds=("a",),
        reveal=("d",),
        turn_up=("e",),
        discard=("g",),
        talking="c",
    ),
)

GAME = Game(
    rule=_RULE,
    clauses=structs.replace(
        _CLAUSES,
        collection="PA2010 555.8(b)",
        award_checks=(
            "PA2010 555.12(b)(1)",
            "PA2010 555.12(b)(2)",
            "PA2010 555.12(b)(3)",
            "PA2010 555.12(a)",
        ),
    ),
    irregularities=remedies(_RULE),
    plans=plans(_card_by_card("PA2010 555.8(d)"), _STACKS, hand=_card_by_card("PA2010 555.9(b)")),
    required=("ante",),
    script=(asked(_RULE, "bet", call="Bet twice the Ante, or fold?", clause="PA2011 555.11(a)"),),
    strategy=strategy,
    folds_at_once=True,
    settles=(Wave(results=("lose",)), Wave(results=("push",)), Wave(results=("win",))),
    settles_unqualified=(
        Wave(side_bets=True),
        Wave(side_bets=False, call="No hand.", clause="PA2011 555.11(f)(2)"),
    ),
    collects_each=True,
    removes_devices=True,
)
