"""Let It Ride Poker: three cards each, two in the middle; two of three bets may be taken back.

There is no dealer's hand and nobody folds. From an automated shoe the community stack has a third
card, which is discarded unseen.
"""

from jackpot.rules.cards import rank_of, suit_of
from jackpot.rules.loader import rules
from jackpot.rules.rankings import ACE
from table_client.table.games.clause_numbers import Letters, Sections, chapter
from table_client.table.games.irregularities import remedies
from table_client.table.games.model import (
    Ask,
    Game,
    Pass,
    Turn,
    View,
    numbered,
    own_cards,
    plans,
    with_community,
)

_TEN = 10
_LOWEST = 2
_RUN = 3  # from the lowest to the highest of four in a row


_STACKS = (Pass("seats", 3), Pass("community", 3, keep="two-from-left"))


def strategy(ask: Ask, view: View) -> int:
    """Let it ride with a paying hand or a strong draw, else take the bet back."""
    return int(_rides_three(view.own) if ask.bet == "bet-1" else _rides_four(view))


def _rides_three(cards: tuple[str, ...]) -> bool:
    """Three of a kind, a pair of tens or better, or three cards towards a high straight flush."""
    ranks = sorted(map(rank_of, cards))
    if len(set(ranks)) < len(ranks):
        pair = ranks[1]
        return pair >= _TEN or len(set(ranks)) == 1
    if len({suit_of(card) for card in cards}) > 1 or (ranks[-1] == ACE and ranks[0] < _TEN):
        return False
    gaps, high = ranks[-1] - ranks[0] - 2, sum(value >= _TEN for value in ranks)
    # A run of three (not 2-3-4), one gap with a high card, two gaps with two of them.
    return (gaps == 0 and ranks[0] > _LOWEST) or 0 < gaps <= high


def _rides_four(view: View) -> bool:
    """A paying hand, four to a flush, or an open straight draw with a high card."""
    cards = (*view.own, *view.community[:1])
    ranks = sorted(map(rank_of, cards))
    held = {value: ranks.count(value) for value in ranks}
    pairs = [value for value, count in held.items() if count > 1]
    if pairs:
        return max(pairs) >= _TEN or sum(held.values()) - len(held) > 1
    if len({suit_of(card) for card in cards}) == 1:
        return True
    outside = ranks[-1] - ranks[0] == _RUN and ranks[-1] < ACE
    all_high = ranks[0] >= _TEN
    return all_high or (outside and ranks[-1] >= _TEN)


_SECTIONS = Sections(before="PA2010 559.", manual=10, hand=11, automated=12, completion=13)

_RULE = rules()["pa-2010-let-it-ride"]
GAME = Game(
    rule=_RULE,
    clauses=chapter(
        _SECTIONS,
        Letters(collect_folds=("f", "3"), reveal=("e",), turn_up=("f", "1"), discard=("f", "4")),
    ),
    irregularities=remedies(_RULE),
    plans=plans(
        numbered("PA2010 559.10(d)", 5, "community"),
        _STACKS,
        hand=numbered("PA2010 559.11(b)", 5, "community"),
    ),
    required=("bet-1", "bet-2", "bet-3"),
    script=(
        Ask(
            bet="bet-1",
            of="bet-1",
            call="Withdraw Bet Number 1, or let it ride?",
            clause="PA2010 559.13(b)",
            declining="withdraw",
        ),
        Turn((0,), "First community card:", "PA2010 559.13(c)"),
        Ask(
            bet="bet-2",
            of="bet-2",
            call="Withdraw Bet Number 2, or let it ride?",
            clause="PA2010 559.13(d)",
            declining="withdraw",
        ),
        Turn((1,), "Second community card:", "PA2010 559.13(e)"),
    ),
    strategy=strategy,
    hands=with_community,
    hands_for={"three-card-bonus": own_cards},
    settle_clauses=dict.fromkeys(
        ("bet-1", "bet-2", "bet-3", "three-card-bonus"), "PA2010 559.13(f)(3)"
    ),
    losers_first=True,
    removes_devices=True,
)
