"""Criss-Cross Poker: two cards each, five in a cross; an Across and a Down hand (2014).

The cross is dealt from the far box over the three of the middle row to the near box.
"""

from jackpot.rules.cards import rank_of, suit_of
from jackpot.rules.loader import rules
from table_client.table.games.clause_numbers import Letters, Sections, chapter
from table_client.table.games.irregularities import remedies
from table_client.table.games.model import Ask, Cards, Game, Pass, Turn, View, asked, plans

FAR, LEFT, CENTRE, RIGHT, NEAR = range(5)
_SIX = 6

_CARD_BY_CARD = (*(Pass("community"),) * 5, *(Pass("seats"),) * 2)
_STACKS = (Pass("community", 5), Pass("seats", 2))


def across(cards: Cards) -> tuple[tuple[str, ...], ...]:
    """Own cards with the horizontal line."""
    return (_with(cards, LEFT, CENTRE, RIGHT),)


def down(cards: Cards) -> tuple[tuple[str, ...], ...]:
    """Own cards with the vertical line."""
    return (_with(cards, FAR, CENTRE, NEAR),)


def both(cards: Cards) -> tuple[tuple[str, ...], ...]:
    """The two hands, of which the Middle Bet takes the higher."""
    return (*across(cards), *down(cards))


def the_cross(cards: Cards) -> tuple[tuple[str, ...], ...]:
    """The five community cards."""
    return (cards.community,)


def _with(cards: Cards, *places: int) -> tuple[str, ...]:
    return (*cards.own, *(cards.community[place] for place in places))


def strategy(ask: Ask, view: View) -> int:
    """Three times with a hand that no longer loses, else once; two poor cards are given up."""
    seen = (*view.own, *view.community)
    ranks = [rank_of(card) for card in seen]
    if any(ranks.count(value) > 1 and value >= _SIX for value in ranks):
        return ask.most
    poor = max(ranks) < _SIX and len(set(map(suit_of, seen))) > 1 and len(set(ranks)) > 1
    return 0 if ask.bet == "across" and poor else 1


_RULE = rules()["pa-2014-criss-cross-poker"]
_SECTIONS = Sections(before="PA2014 592.")

GAME = Game(
    rule=_RULE,
    clauses=chapter(
        _SECTIONS,
        Letters(
            boxes="g",
            collect_folds=("b",),
            reveal=("g",),
            turn_up=("g",),
            discard=("i",),
            continuous="g",
        ),
    ),
    irregularities=remedies(_RULE),
    plans=plans(_CARD_BY_CARD, _STACKS),
    required=("ante-across", "ante-down"),
    script=(
        asked(_RULE, "across", call="Across Bet, or fold?", clause="PA2014 592.11(b)"),
        Turn((LEFT, RIGHT), "The outside cards of the row:", "PA2014 592.11(c)"),
        asked(_RULE, "down", call="Down Bet, or fold?", clause="PA2014 592.11(d)"),
        Turn((FAR, NEAR), "The outside cards of the column:", "PA2014 592.11(e)"),
        asked(_RULE, "middle", call="Middle Bet, or fold?", clause="PA2014 592.11(f)"),
        Turn((CENTRE,), "The middle card:", "PA2014 592.11(g)"),
    ),
    strategy=strategy,
    hands=across,
    hands_for={"ante-down": down, "down": down, "middle": both, "five-card-bonus": the_cross},
    without_own_cards=frozenset({"five-card-bonus"}),
    settle_clauses={
        "ante-across": "PA2014 592.11(h)(1)",
        "across": "PA2014 592.11(h)(1)",
        "ante-down": "PA2014 592.11(h)(2)",
        "down": "PA2014 592.11(h)(2)",
        "middle": "PA2014 592.11(h)(4)",
        "five-card-bonus": "PA2014 592.11(h)(5)",
    },
    folds_at_once=True,
    collects_each=True,
)
