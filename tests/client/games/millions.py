"""Millions of hands, dealt and ranked in bulk, decided and settled by the engine itself.

Each kind of outcome that comes up is settled once, on cards that were dealt, and weighs as often as
it came.
"""

from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from jackpot.rules import bulk
from jackpot.rules.compile_base_game import default_terms
from jackpot.rules.rankings import ranking_of
from table_client.table.games.catalogue import GAMES
from table_client.table.players import Habits, SimulatedPlayer
from table_client.table.ports import Way
from table_client.table.round.dealing import Dealing
from table_client.table.round.deciding import Deciding
from table_client.table.round.round_state import Layout
from table_client.table.round.verdicts import outcomes
from table_client.table.trace import Trace
from tests.client.games.decks import PlainDeck, stacked
from tests.client.games.tables import DOLLAR
from tools.odds.suits import BITS

UNIT = 5 * DOLLAR
BASE_ONLY = Habits(side_bets=0, progressive=0, late=0, alone=0)


async def net_units(
    rule: str, own: Sequence[str], dealer: Sequence[str], community: Sequence[str] = ()
) -> dict[str, float]:
    """What each of a seat's base wagers brings, decided and settled by the engine, in units."""
    game = GAMES[rule]
    player = SimulatedPlayer("p", "s", BASE_ONLY)
    layout = Layout(game, default_terms(game.name), Way.AUTOMATED_SHOE, Trace(), {1: player})
    seat = layout.seats[1]
    seat.wagers = dict.fromkeys(game.required, UNIT)
    seat.cards, layout.dealer, layout.community = list(own), list(dealer), list(community)
    if community:  # every hand is bet on the flop
        seat.wagers["flop"] = 2 * UNIT
    else:
        await Deciding(layout, Dealing(layout, PlainDeck(stacked(())))).run()
    ended = [*seat.outcomes, *outcomes(layout, seat)]
    return {each.bet: each.net_micros / UNIT for each in ended}


def deal(rounds: int, cards: int, seed: int) -> NDArray[np.uint8]:
    """Distinct cards of one deck, a row a round, by a partial shuffle."""
    random = np.random.default_rng(seed)
    deck = np.tile(np.arange(52, dtype=np.uint8), (rounds, 1))
    rows = np.arange(rounds)
    for place in range(cards):
        other = random.integers(place, 52, size=rounds)
        chosen = deck[rows, other]
        deck[rows, other] = deck[:, place]
        deck[:, place] = chosen
    return deck[:, :cards]


def words_of(cards: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Hands as words."""
    words: NDArray[np.uint64] = np.bitwise_or.reduce(BITS[cards], axis=1)
    return words


async def simulate(
    rule: str, ranking: str, player: int, dealer: int, qualifies_from: int, rounds: int
) -> tuple[float, float]:
    """Mean and standard error of a round, over millions of hands."""
    seen: dict[int, tuple[tuple[str, ...], tuple[str, ...], int]] = {}
    for number in range(rounds // 250_000):
        cards = deal(250_000, player + dealer, seed=number)
        mine, theirs = words_of(cards[:, :player]), words_of(cards[:, player:])
        own, other = bulk.ranks(ranking, mine), bulk.ranks(ranking, theirs)
        # What a round's outcome depends on: the player's rank, and how the dealer's compares.
        how = np.sign(own.astype(np.int64) - other) + 1
        how[other < qualifies_from] = 3
        kinds, first, times = np.unique(
            own.astype(np.int64) * 4 + how, return_index=True, return_counts=True
        )
        for kind, at, count in zip(kinds.tolist(), first.tolist(), times.tolist(), strict=True):
            hands = seen.get(kind)
            if hands is None:
                hands = (bulk.cards_of(int(mine[at])), bulk.cards_of(int(theirs[at])), 0)
            seen[kind] = (hands[0], hands[1], hands[2] + count)
    total = squares = 0.0
    for held, against, count in seen.values():
        worth = sum((await net_units(rule, held, against)).values())
        total += count * worth
        squares += count * worth * worth
    mean = total / rounds
    return mean, sqrt((squares / rounds - mean * mean) / rounds)


def first_of(ranking: str, category: str, *ties: int) -> int:
    """The lowest packed rank of a category, or of its hands with these ties."""
    return bulk.pack((ranking_of(ranking).order.index(category), *ties))


def by_category(ranking: str, pays: dict[str, float], code: int) -> float | None:
    """What a table written down here pays for a rank."""
    category = bulk.category_of(ranking, code)
    if category == "four-of-a-kind" and code >= first_of(ranking, category, 14):
        category = "four-aces" if "four-aces" in pays else category
    if category == "straight-flush" and code >= first_of(ranking, category, 14):
        category = "royal-flush" if "royal-flush" in pays else category
    return pays.get(category)
