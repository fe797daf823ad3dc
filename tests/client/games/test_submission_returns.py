"""Under two lawful submissions of each game, each wager returns what the odds say.

Every kind of deal is decided and settled by the table's own code and weighed by how often it comes,
so the returns must agree to the last micro. The returns are written down here besides, so that a
payout that is wrong in a rule file is found too. Seeded rounds, dealt from a shuffled deck, must
agree within five standard errors.
"""

import math
from collections import Counter
from fractions import Fraction

import pytest

from jackpot.odds.played import wagered
from jackpot.rules.base_game import paytable_of
from jackpot.rules.hands import names
from jackpot.rules.model import BetRule
from table_client.table.games.catalogue import GAMES
from table_client.table.games.model import Ask, Game, Times, View
from table_client.table.round.play import Table
from tests.client.games.decks import PlainDeck, seeded_order
from tests.client.games.submissions import (
    EXAMPLES,
    SUBMISSIONS,
    Submission,
    counted,
    ids,
    settled,
    settled_alone,
)
from tests.client.games.tables import (
    CARIBBEAN,
    CRAZY,
    CRISS,
    FOUR,
    HOLDEM,
    PAI_GOW,
    RIDE,
    THREE,
    ULTIMATE,
    Scripted,
)

ERRORS = 5  # standard errors that a sample may be off; its seed is fixed

each_submission = pytest.mark.parametrize("filed", SUBMISSIONS, ids=ids())


@each_submission
async def test_every_kind_of_deal_returns_its_odds(filed: Submission) -> None:
    """Each wager of each play, to the last micro."""
    assert bool(filed.plays) == (filed.rule_id not in {ULTIMATE, CRISS})
    for play in filed.plays:
        odds = wagered(filed.rule, play, filed.terms, filed.unit_micros)
        said = {each.bet: each.net for each in odds}
        for part in play.parts:
            won = dict.fromkeys(part.bets, Fraction(0))
            for kind in part.kinds:
                for bet, net in (await settled(filed, part, kind)).items():
                    won[bet] += kind.count * net
            assert {bet: total / part.total for bet, total in won.items()} == {
                bet: said[bet] for bet in part.bets
            }
        assert {bet: round(float(net), 6) for bet, net in said.items()} == known(filed, play.id)


def known(filed: Submission, play: str) -> dict[str, float]:
    """What each wager of a play brings in a round, in Antes, as written down here."""
    if filed.rule_id in CRAZY:
        return CRAZY_4
    which = SUBMISSIONS[SUBMISSIONS.index(filed) - 1].rule_id == filed.rule_id
    return KNOWN[filed.rule_id, play, 1 + which]


CRAZY_4 = {"ante": -0.171365, "super-bonus": -0.347847, "play": 0.485023}
STUD = {"ante": -0.227938, "bet": 0.174775}
RIDING = {"bet-1": 0.109126, "bet-2": 0.22854, "bet-3": -0.372723}
FOUR_CARD = {"ante": -0.40782, "play": 0.306763, "ante-bonus": 0.067085}
THREE_CARD = {"ante": -0.101201, "play": 0.014621}
STREETS = {"flop": 0.0, "turn": 0.0, "river": 0.0}
KNOWN = {
    **{(CARIBBEAN, "book", which): STUD for which in (1, 2)},
    **{(RIDE, "book", which): RIDING for which in (1, 2)},
    **{(FOUR, "book", which): FOUR_CARD for which in (1, 2)},
    (THREE, "book", 1): {**THREE_CARD, "ante-bonus": 0.052851},
    (THREE, "book", 2): {**THREE_CARD, "ante-bonus": 0.018643},
    (HOLDEM, "best", 1): {"ante": -0.451357, "flop": 0.034899, "turn": 0.163278, "river": 0.197245},
    (HOLDEM, "best", 2): {"ante": -0.411959, "flop": 0.029522, "turn": 0.163924, "river": 0.198144},
    (HOLDEM, "every-street", 1): {"ante": -0.429546, **STREETS},
    (HOLDEM, "every-street", 2): {"ante": -0.392268, **STREETS},
    (PAI_GOW, "by-kind", 1): {"pai-gow": -0.02672},
    (PAI_GOW, "highest-high", 2): {"pai-gow": -0.041417},
}


ALONE = [
    pytest.param(filed, bet, id=f"{name}-{bet.id}")
    for filed, name in zip(SUBMISSIONS, ids(), strict=True)
    for bet in filed.alone
]


def rows(filed: Submission, bet: BetRule) -> tuple[dict[str, int], dict[str, Fraction]]:
    """How many hands each row pays, "" none, and what a dollar wins by the row."""
    paytable = paytable_of(filed.terms, bet)
    counts = Counter[str]()
    for given, count in counted(filed, bet).groups:
        row = paytable.row_for(given)
        counts[row.hand if row else ""] += count
    wins = {row.hand: Fraction(*row.pay.won_per_wager) for row in paytable.rows}
    return dict(counts), {**wins, "": Fraction(-1)}


def mean_and_variance(filed: Submission, bet: BetRule) -> tuple[Fraction, Fraction]:
    """What a wager on a hand alone brings, by the odds."""
    counts, wins = rows(filed, bet)
    total = sum(counts.values())
    mean = sum((n * wins[hand] for hand, n in counts.items()), Fraction()) / total
    square = sum((n * wins[hand] ** 2 for hand, n in counts.items()), Fraction()) / total
    return mean, square - mean**2


@pytest.mark.parametrize(("filed", "bet"), ALONE)
def test_every_row_of_a_wager_on_a_hand_alone_pays_its_odds(
    filed: Submission, bet: BetRule
) -> None:
    """The return of all hands, each settled by the table, is the one that the odds give."""
    counts, _ = rows(filed, bet)
    paytable = paytable_of(filed.terms, bet)
    ranking = paytable.ranking or bet.ranking
    paid: dict[str, Fraction] = {}
    for text in EXAMPLES[ranking]:
        row = paytable.row_for(names(ranking, text.split()))
        cards = tuple(text.split())
        paid.setdefault(row.hand if row else "", settled_alone(filed, bet, cards))
    assert paid.keys() == counts.keys()
    realized = sum((n * paid[hand] for hand, n in counts.items()), Fraction())
    mean, _ = mean_and_variance(filed, bet)
    assert realized / sum(counts.values()) == mean
    assert round(float(mean), 6) == KNOWN_ALONE[bet.id, paytable.id]


class Booked(Scripted):
    """A player who decides as the odds have it: by the book, or a bet on every street."""

    def decide(self, game: Game, ask: Ask, view: View) -> Times:
        """By the game's strategy where the odds are about it."""
        by_book = game.name not in {HOLDEM, CRISS}
        return game.strategy(ask, view) if by_book else super().decide(game, ask, view)


async def realized(filed: Submission, rounds: int) -> dict[str, float]:
    """What a round brings on each wager, on the average of seeded rounds, in Antes."""
    joker = filed.rule_id == PAI_GOW
    table = Table(
        GAMES[filed.rule_id],
        PlainDeck(seeded_order("submissions", joker=joker)),
        terms=filed.terms,
    )
    bets = {*GAMES[filed.rule_id].required, *(bet.id for bet in filed.alone if bet.optional)}
    player = Booked("p", dict.fromkeys(bets, filed.dollars))
    net = Counter[str]()
    for _ in range(rounds):
        result = await table.play_round({1: player})
        assert not result.void
        for each in result.seats[1].outcomes:
            net[each.bet] += each.net_micros
    return {bet: micros / rounds / filed.unit_micros for bet, micros in net.items()}


def expected(filed: Submission) -> dict[str, tuple[float, float]]:
    """The mean and the variance of each wager, by the odds."""
    if not GAMES[filed.rule_id].settlement_known:  # reading 34: every wager is returned
        return dict.fromkeys(GAMES[filed.rule_id].required, (0.0, 0.0))
    found = {bet.id: mean_and_variance(filed, bet) for bet in filed.alone}
    for play in filed.plays:
        if play.id != "best":
            for each in wagered(filed.rule, play, filed.terms, filed.unit_micros):
                found[each.bet] = each.net, each.variance
    return {bet: (float(mean), float(variance)) for bet, (mean, variance) in found.items()}


async def agrees(filed: Submission, rounds: int) -> None:
    """Each wager within five standard errors of its odds."""
    found = await realized(filed, rounds)
    said = expected(filed)
    assert said.keys() >= found.keys()
    assert found.keys() >= said.keys() - {"ante-bonus"}  # one that nobody won leaves no trace
    for bet, (mean, variance) in said.items():
        error = abs(found.get(bet, 0.0) - mean)
        assert error <= ERRORS * math.sqrt(variance / rounds), bet


@each_submission
async def test_seeded_rounds_return_their_odds(filed: Submission) -> None:
    """A few rounds of every game under each submission, dealt, decided and settled."""
    await agrees(filed, 100)


@pytest.mark.slow
@pytest.mark.timeout(1_800)
@each_submission
async def test_many_seeded_rounds_return_their_odds(filed: Submission) -> None:
    """Eight thousand rounds of every game under each submission."""
    await agrees(filed, 8_000)


KNOWN_ALONE = {
    ("queens-up", "A"): -0.030606,
    ("queens-up", "B"): -0.022634,
    ("queens-up", "C"): -0.053175,
    ("queens-up", "D"): -0.067772,
    ("six-card-bonus", "A"): -0.102248,
    ("six-card-bonus", "E"): -0.180981,
    ("bonus", "A"): -0.031097,
    ("bonus", "C"): -0.071849,
    ("bonus", "standard"): -0.088989,
    ("bonus", "with-both-aces"): -0.085406,
    ("three-card-bonus", "A"): -0.023167,
    ("three-card-bonus", "F"): -0.07095,
    ("ante-across", "only"): -0.424924,
    ("ante-down", "only"): -0.424924,
    ("across", "only"): -0.278322,
    ("down", "only"): -0.278322,
    ("middle", "only"): 0.156692,
    ("across", "tens-win"): -0.245817,
    ("down", "tens-win"): -0.245817,
    ("middle", "tens-win"): 0.202108,
    ("five-card-bonus", "only"): -0.035336,
    ("aces-up", "I"): -0.019786,
    ("aces-up", "VII"): -0.061486,
    ("pair-plus", "only"): -0.127964,
}
