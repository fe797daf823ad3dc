"""Texas Hold 'Em Bonus Poker: two cards each, five in the middle, a card burned before each street.

A shoe that reshuffles by itself may give the community cards first; then none is burned, because
none is dealt from a deck.
"""

from jackpot.rules.cards import rank_of, suit_of
from jackpot.rules.hands import at_least
from jackpot.rules.loader import rules
from table_client.table.games.clause_numbers import Letters, Sections, chapter
from table_client.table.games.irregularities import remedies
from table_client.table.games.model import (
    Ask,
    Cards,
    Draw,
    Game,
    Pass,
    View,
    Wave,
    asked,
    numbered,
    own_cards,
    plans,
    with_community,
)

_FLUSH_DRAW = 4


_STACKS = (Pass("seats", 2), Pass("dealer", 2))
_FIRST = Pass("community", 5, clause="PA2011 563.10(g)")


def strategy(ask: Ask, view: View) -> int:
    """Give up only the poorest two cards; on later streets bet a pair or a flush draw."""
    if ask.bet == "flop":
        low, high = sorted(map(rank_of, view.own))
        suited = suit_of(view.own[0]) == suit_of(view.own[1])
        # Seven-high and lower, unpaired and offsuit, with the better card not next to the other.
        poor = low != high and not suited and high <= 7 and low <= 3  # noqa: PLR2004 - ranks
        return 0 if poor else 2
    seen = (*view.own, *view.community)
    suits = [suit_of(card) for card in seen]
    ranks = [rank_of(card) for card in view.community]
    own_pair = any(rank_of(card) in ranks for card in view.own)
    pocket = rank_of(view.own[0]) == rank_of(view.own[1])
    drawing = any(suits.count(suit_of(card)) >= _FLUSH_DRAW for card in view.own)
    strong = len(seen) >= 5 and at_least("five-card", seen, "two-pair")  # noqa: PLR2004 - a hand
    return int(own_pair or pocket or drawing or strong)


def dealer_hand(cards: Cards) -> tuple[tuple[str, ...], ...]:
    """The dealer's two cards with the five in the middle."""
    return ((*cards.dealer, *cards.community),)


def own_and_dealer(cards: Cards) -> tuple[tuple[str, ...], ...]:
    """The player's two cards, then the dealer's: for the bonus on aces against aces."""
    return ((*cards.own, *cards.dealer),)


_RULE = rules()["pa-2011-texas-holdem-bonus"]
GAME = Game(
    rule=_RULE,
    clauses=chapter(
        Sections(before="PA2010 563.", automated_before="PA2011 563."),
        Letters(
            late="b",
            abandoned="e",
            boxes="f",
            collect_folds=("a", "2", "ii"),
            reveal=("g",),
            turn_up=("h",),
            discard=("i",),
        ),
    ),
    irregularities=remedies(_RULE),
    plans=plans(
        numbered("PA2010 563.8(d)", 4, "dealer"),
        _STACKS,
        hand=numbered("PA2010 563.9(b)", 4, "dealer"),
        continuous=(_FIRST, *_STACKS),
    ),
    required=("ante",),
    script=(
        asked(
            _RULE,
            "flop",
            call="Flop Wager of twice the Ante, or fold?",
            clause="PA2010 563.11(a)",
        ),
        Draw(1, 3, "The Flop:", "PA2010 563.11(b)"),
        asked(
            _RULE,
            "turn",
            call="Turn Wager, or check?",
            clause="PA2010 563.11(c)",
            declining="check",
        ),
        Draw(1, 1, "The Turn:", "PA2010 563.11(d)"),
        asked(
            _RULE,
            "river",
            call="River Wager, or check?",
            clause="PA2010 563.11(e)",
            declining="check",
        ),
        Draw(1, 1, "The River:", "PA2010 563.11(f)"),
    ),
    strategy=strategy,
    hands=with_community,
    hands_for={"bonus": own_cards, "two-card-bonus-both": own_and_dealer},
    dealer_hand=dealer_hand,
    settle_clauses={"bonus": "PA2010 563.11(h)(4)"},
    folds_at_once=True,
    collects_each=True,
    settles=(Wave(),),
    stub_after_script=True,
    removes_devices=True,
)
