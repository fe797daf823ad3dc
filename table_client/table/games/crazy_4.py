"""Crazy 4 Poker: five cards each, the best four play; Pennsylvania, Massachusetts, and 2011.

The three texts prescribe one procedure under three numberings. The Six Card Bonus card exists only
where the rule file has that bet.
"""

from jackpot.rules.hands import rank
from jackpot.rules.loader import rules
from table_client.table.games.clause_numbers import Letters, Sections, chapter
from table_client.table.games.irregularities import remedies
from table_client.table.games.model import Ask, Cards, Game, Pass, View, asked, plans

_CARD_BY_CARD = (Pass("bonus-card", if_bet="six-card-bonus"), *(Pass("seats"), Pass("dealer")) * 5)
_STACKS = (
    Pass("seats", 5),
    Pass("dealer", 5),
    Pass("bonus-card", 5, keep="top", if_bet="six-card-bonus"),
)
# K-Q-8-4: with less, folding costs less than playing on.
_WORTH_PLAYING = rank("four-card", ("Kc", "Qd", "8h", "4s"))


def strategy(ask: Ask, view: View) -> int:
    """The most that the hand allows, once the Ante from king-queen-eight-four, else fold."""
    if view.most > ask.least:
        return view.most
    return 1 if rank("four-card", view.own) >= _WORTH_PLAYING else 0


def six_cards(cards: Cards) -> tuple[tuple[str, ...], ...]:
    """The five cards with the Six Card Bonus card."""
    return ((*cards.own, cards.bonus_card),)


def _game(rule: str, sections: Sections, discard: str) -> Game:
    play = sections.at(sections.completion, "b")
    return Game(
        rule=rules()[rule],
        clauses=chapter(
            sections,
            Letters(
                discard=(discard,),
                award_checks=("1", "2", "3", "4"),
                envy=("e", "5"),
                hand_bonus="f" if rules()[rule].bet("five-card-hand-bonus") else "",
                continuous="g",
            ),
        ),
        irregularities=remedies(rules()[rule]),
        plans=plans(_CARD_BY_CARD, _STACKS),
        required=("ante", "super-bonus"),
        script=(asked(rules()[rule], "play", call="Play or fold?", clause=play),),
        strategy=strategy,
        hands_for={"six-card-bonus": six_cards},
        settle_clauses={
            bet: sections.at(sections.completion, letter)
            for bet, letter in (("queens-up", "d"), ("six-card-bonus", "g"))
            if rules()[rule].bet(bet)
        },
    )


PENNSYLVANIA = _game("pa-crazy-4-poker", Sections(before="PA 657a."), "h")
PENNSYLVANIA_2011 = _game("pa-2011-crazy-4-poker", Sections(before="PA2011 573."), "f")
MASSACHUSETTS = _game(
    "ma-crazy-4-poker",
    Sections(
        before="MA ", opening=3, shuffle=4, wagers=6, manual=7, hand=8, automated=9, completion=10
    ),
    "g",
)
