"""Ultimate Texas Hold 'Em as far as the text goes: the deal from an automated shoe, and no further.

Of the chapter only the section on that shoe is at hand. So the cards are dealt, the community cards
from the hand, the stub put away, and every wager goes back: what decides them is not known here.
"""

from jackpot.rules.loader import rules
from table_client.table.games.clause_numbers import Sections, ways
from table_client.table.games.model import Clauses, Draw, Game, Pass
from table_client.table.ports import Way

_STACKS = (Pass("seats", 2), Pass("dealer", 2))
_FIRST = Pass("community", 5, clause="PA2011 569.10(g)")
_AUTOMATED = (Way.AUTOMATED_SHOE, Way.CONTINUOUS_SHOE)


_WAYS = ways(Sections(before="PA2011 569."))

GAME = Game(
    rule=rules()["pa-2011-ultimate-texas-holdem"],
    clauses=Clauses(
        ways={way: _WAYS[way] for way in _AUTOMATED},
        late="PA2011 569.10(a)(2)",
        shuffle="PA2011 569.10(a)(1)",
    ),
    irregularities={},
    plans={Way.AUTOMATED_SHOE: _STACKS, Way.CONTINUOUS_SHOE: (_FIRST, *_STACKS)},
    required=("ante", "blind"),
    script=(Draw(0, 5, "The community cards:", "PA2011 569.10(c)"),),
    stub_after_script=True,
    settlement_known=False,
)
