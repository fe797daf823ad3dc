"""Pai Gow Poker: seven cards to every position, taken or not, set into two hands (2010)."""

from msgspec import structs

from jackpot.rules.loader import rules
from table_client.table.games.clause_numbers import Letters, Sections, chapter
from table_client.table.games.irregularities import Irregularity, Remedy, usual
from table_client.table.games.model import Ask, Game, Pass, SetHands, View, Wave, WayClauses
from table_client.table.games.pai_gow_house import house_way
from table_client.table.ports import Way

_CLAUSE = "PA2010 561.14"
_CARD_BY_CARD = (Pass("positions"),) * 7
# By hand the row of stacks is dealt from left to right, then back.
_BY_HAND = tuple(Pass("positions", right_to_left=bool(number % 2)) for number in range(7))


def _way(section: str, load: str, no_more_bets: str) -> WayClauses:
    return WayClauses(
        load=f"{section}{load}",
        no_more_bets=f"{section}{no_more_bets}",
        deal=f"{section}(c)",
        stub=f"{section}(d)",
        count=f"{section}(d)",
        count_right=f"{section}(e)",
        count_wrong=f"{section}(f)",
        no_wager=f"{section}(g)",
    )


def strategy(_: Ask, __: View) -> int:
    """Nothing is wagered after the deal."""
    return 0


_AUTOMATED = _way("PA2010 561.11", "(a)(1)", "(a)(2)")
_CLAUSES = chapter(
    Sections(before="PA2010 561.", manual=9, hand=10, automated=11, completion=13),
    Letters(
        late="c",
        abandoned="b",
        boxes="d",
        collect_folds=("e",),
        reveal=("c",),
        turn_up=("f",),
        discard=("n",),
    ),
)

GAME = Game(
    rule=rules()["pa-2010-pai-gow-poker"],
    clauses=structs.replace(
        _CLAUSES,
        # This chapter has no section on a count by the shuffler: one joker, and four cards left.
        wrong_count="PA2010 561.3(a)",
        deal_after_machine="PA2010 561.5(b)(1)",
        cut="PA2010 561.5(e)",
        recut="PA2010 561.5(f)",
        idle="PA2010 561.5(g)",
        ways={
            Way.MANUAL_SHOE: _way("PA2010 561.9", "(a)", "(a)"),
            Way.HAND: _way("PA2010 561.10", "(a)(2)", "(a)(3)"),
            Way.AUTOMATED_SHOE: _AUTOMATED,
            Way.CONTINUOUS_SHOE: _AUTOMATED,
        },
    ),
    irregularities=usual(
        _CLAUSE,
        face_up="f",
        drawn="g",
        number="h",
        exposed="e",
        shuffler="l",
        shoe="m",
        device="n",
    )
    | {
        Irregularity.PLAYER_CARD_EXPOSED: Remedy("player-chooses", f"{_CLAUSE}(d)"),
        Irregularity.STACK_CARD_EXPOSED: Remedy("void-round", f"{_CLAUSE}(j)"),
        Irregularity.STACKS_OUT_OF_TURN: Remedy("void-round", f"{_CLAUSE}(k)"),
        Irregularity.NO_ROLL: Remedy("again", f"{_CLAUSE}(a)"),
        Irregularity.WRONG_START: Remedy("void-round", f"{_CLAUSE}(c)"),
        Irregularity.DEALER_MISSET: Remedy("again", f"{_CLAUSE}(i)"),
    },
    plans={
        Way.MANUAL_SHOE: _CARD_BY_CARD,
        Way.HAND: _BY_HAND,
        Way.AUTOMATED_SHOE: (Pass("positions", 7),),
        Way.CONTINUOUS_SHOE: (Pass("positions", 7),),
    },
    required=("pai-gow",),
    script=(SetHands("PA2010 561.13(a)", surrender="PA2010 561.13(e)"),),
    strategy=strategy,
    house_way=house_way,
    folds_at_once=True,
    collects_each=True,
    settles=(Wave(results=("lose", "push")), Wave(results=("win",))),
    counts_every_stub=True,
    removes_devices=True,
)
