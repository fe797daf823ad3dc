"""Base games return what the exact odds say, over millions of hands settled by the engine.

The exact value is counted elsewhere (`exact`), from figures written down here, not from the rule
files; where one is published it agrees.
"""

from collections.abc import Callable
from math import sqrt

import numpy as np
import pytest

from jackpot.odds.counting import tally
from jackpot.rules import bulk
from jackpot.rules.cards import DECK
from jackpot.rules.hands import rank
from jackpot.rules.rankings import HIGH_CARD, PAIR
from table_client.table.games import let_it_ride
from table_client.table.games.catalogue import GAMES
from table_client.table.games.model import Ask, Cards, View
from table_client.table.games.pai_gow import house_way
from table_client.table.players import SimulatedPlayer
from table_client.table.round.play import Table
from table_client.table.round.verdicts import against_paytable, highest
from tests.client.games import exact
from tests.client.games.decks import PlainDeck, seeded_order
from tests.client.games.millions import (
    BASE_ONLY,
    by_category,
    deal,
    first_of,
    net_units,
    simulate,
    words_of,
)
from tests.client.games.tables import CARIBBEAN, CRAZY, CRISS, FOUR, HOLDEM, PAI_GOW, RIDE, THREE
from tools.hand_counts import tally_higher_of_two
from tools.odds.dealer import ranks_of
from tools.odds.suits import classes

Worth = Callable[[int], float]
MILLIONS = 2_000_000


def crazy_4() -> float:
    """Ante, Super Bonus and Play: three times from a pair of aces, once from K-Q-8-4."""
    ranking = "four-card"
    codes = ranks_of(ranking, 5)
    aces = first_of(ranking, PAIR, 14)
    plays = bulk.pack(rank(ranking, ("Kc", "Qd", "8h", "4s")))
    table = {
        "four-aces": 200.0,
        "four-of-a-kind": 30.0,
        "straight-flush": 15.0,
        "three-of-a-kind": 2.0,
        "flush": 1.5,
        "straight": 1.0,
    }

    def bonus(code: int, otherwise: float) -> float:
        paid = by_category(ranking, table, code)
        return otherwise if paid is None else paid

    def worth(ante: float, play: float, otherwise: float) -> Worth:
        def value(code: int) -> float:
            if code < plays:
                return -2.0
            return ante + play * (3 if code >= aces else 1) + bonus(code, otherwise)

        return value

    values = exact.Values(
        codes,
        unqualified=worth(0, 1, 0),
        higher=worth(1, 1, 0),
        tie=worth(0, 0, 0),
        lower=worth(-1, -1, -1),
        qualifies_from=first_of(ranking, HIGH_CARD, 13),
    )
    return exact.expectation(ranking, 5, 5, values)


def caribbean() -> float:
    """Ante and a Bet of twice the Ante from A-K-J-8-3."""
    ranking = "five-card"
    codes = ranks_of(ranking, 5)
    bets = bulk.pack(rank(ranking, ("Ac", "Kd", "Jh", "8s", "3c")))
    table = {
        "royal-flush": 100.0,
        "straight-flush": 50.0,
        "four-of-a-kind": 20.0,
        "full-house": 7.0,
        "flush": 5.0,
        "straight": 4.0,
        "three-of-a-kind": 3.0,
        "two-pair": 2.0,
        "pair": 1.0,
        "high-card": 1.0,
    }

    def when(value: Worth) -> Worth:
        return lambda code: value(code) if code >= bets else -1.0

    values = exact.Values(
        codes,
        unqualified=when(lambda _: 1.0),
        higher=when(lambda code: 1 + 2 * (by_category(ranking, table, code) or 0)),
        tie=when(lambda _: 0.0),
        lower=when(lambda _: -3.0),
        qualifies_from=first_of(ranking, HIGH_CARD, 14, 13),
    )
    return exact.expectation(ranking, 5, 5, values)


def three_card() -> float:
    """Ante, Play from Q-6-4 and the Ante Bonus."""
    ranking = "three-card"
    plays = bulk.pack(rank(ranking, ("Qc", "6d", "4h")))
    table = {"straight": 1.0, "three-of-a-kind": 4.0, "straight-flush": 5.0}

    def worth(result: float) -> Worth:
        def value(code: int) -> float:
            if code < plays:
                return -1.0
            return result + (by_category(ranking, table, code) or 0)

        return value

    values = exact.Values(
        ranks_of(ranking, 3),
        unqualified=worth(1),
        higher=worth(2),
        tie=worth(0),
        lower=worth(-2),
        qualifies_from=first_of(ranking, HIGH_CARD, 12),
    )
    return exact.expectation(ranking, 3, 3, values)


def four_card() -> float:
    """Ante, Play (three times from tens, once from threes) and the bonus on the Ante."""
    ranking = "four-card"
    tens, threes = first_of(ranking, PAIR, 10), first_of(ranking, PAIR, 3)
    table = {"four-of-a-kind": 25.0, "straight-flush": 20.0, "three-of-a-kind": 2.0}

    def worth(sign: int) -> Worth:
        def value(code: int) -> float:
            if code < threes:
                return -1.0
            play = 3 if code >= tens else 1
            return sign * (1 + play) + (by_category(ranking, table, code) or 0)

        return value

    values = exact.Values(ranks_of(ranking, 5, 6), higher=worth(1), tie=worth(1), lower=worth(-1))
    return exact.expectation(ranking, 5, 6, values)


@pytest.mark.slow
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize(
    ("rule", "ranking", "player", "dealer", "qualifies_from", "counted", "known"),
    [
        (CRAZY[0], "four-card", 5, 5, ("high-card", 13), crazy_4, -0.0342),
        (CARIBBEAN, "five-card", 5, 5, ("high-card", 14, 13), caribbean, -0.0532),
        (THREE, "three-card", 3, 3, ("high-card", 12), three_card, -0.0337),
        (FOUR, "four-card", 5, 6, ("high-card",), four_card, -0.0340),
    ],
)
async def test_returns_against_a_dealer_agree_with_exact_odds(
    rule: str,
    ranking: str,
    player: int,
    dealer: int,
    qualifies_from: tuple[str, *tuple[int, ...]],
    counted: Callable[[], float],
    known: float,
) -> None:
    """Two million hands: within four standard errors of the count, which is as published."""
    expected = counted()
    assert expected == pytest.approx(known, abs=0.0005)
    lowest = first_of(ranking, *qualifies_from)
    mean, error = await simulate(rule, ranking, player, dealer, lowest, 2_000_000)
    assert abs(mean - expected) < 4 * error
    assert error < 0.01


RIDE_TABLE = {
    "royal-flush": 1_000.0,
    "straight-flush": 200.0,
    "four-of-a-kind": 50.0,
    "full-house": 11.0,
    "flush": 8.0,
    "straight": 5.0,
    "three-of-a-kind": 3.0,
    "two-pair": 2.0,
}


def rides(own: tuple[str, ...], community: tuple[str, ...] = ()) -> int:
    """Whether the book lets a bet ride."""
    ask = next(
        act
        for act in let_it_ride.GAME.script
        if isinstance(act, Ask) and act.bet == ("bet-2" if community else "bet-1")
    )
    return let_it_ride.strategy(ask, View(own, (), community, 1))


def let_it_ride_exactly() -> float:
    """Every deal: three cards, then one, then another, with one to three bets on the hand."""
    tens = first_of("five-card", PAIR, 10)
    codes = ranks_of("five-card", 5)
    pays = np.array(
        [
            by_category("five-card", RIDE_TABLE, code) or (1.0 if code >= tens else -1.0)
            for code in codes.tolist()
        ]
    )
    total = 0.0
    words, times = classes(3)
    for word, alike in zip(words, times, strict=True):
        own = bulk.cards_of(int(word))
        rest = [card for card in DECK if card not in own]
        bits = np.array([bulk.word_of((card,)) for card in rest], dtype=np.uint64)
        first = rides(own)
        for place, card in enumerate(rest):
            hands = word | bits[place] | np.delete(bits, place)
            won = pays[np.searchsorted(codes, bulk.ranks("five-card", hands))].sum()
            total += alike * won * (1 + first + rides(own, (card,)))
    return total / (22_100 * 49 * 48)


@pytest.mark.slow
@pytest.mark.timeout(1_800)
def test_let_it_ride_returns_what_its_odds_say() -> None:
    """Two million hands with the book's decisions, within four standard errors of the count."""
    expected = let_it_ride_exactly()
    assert expected == pytest.approx(-0.0351, abs=0.0003)
    rule = GAMES[RIDE].rule
    bet = rule.bet("bet-3")
    assert bet
    cards = deal(MILLIONS, 5, seed=7)
    codes, first, kind = np.unique(
        bulk.ranks("five-card", words_of(cards)), return_index=True, return_inverse=True
    )
    hands = [tuple(DECK[card] for card in cards[at]) for at in first]
    won = np.array([float(against_paytable(bet, bet.paytables[0], hand).won) for hand in hands])
    at_stake = 1 + _decisions(cards[:, :3]) + _decisions(cards[:, :4])
    net = won[kind] * at_stake
    assert len(codes) > 7_000
    assert abs(net.mean() - expected) < 4 * net.std() / sqrt(MILLIONS)


def _decisions(
    cards: "np.ndarray[tuple[int, int], np.dtype[np.uint8]]",
) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """The book's decision for each deal; with a fourth card, which of the four it is is all one."""
    words, kind = np.unique(words_of(cards), return_inverse=True)
    held = (bulk.cards_of(int(word)) for word in words)
    return np.array([rides(each[:3], each[3:]) for each in held])[kind]


@pytest.mark.slow
@pytest.mark.timeout(1_800)
def test_criss_cross_returns_what_its_odds_say() -> None:
    """All bets once, two million deals: Antes, Across, Down and the Middle Bet together."""
    game = GAMES[CRISS]
    cards = deal(MILLIONS, 7, seed=11)
    net = np.zeros(MILLIONS)
    expected = 0.0
    for bet in game.rule.bets[:5]:
        table = bet.paytables[0]
        higher = bet.id == "middle"
        counts = tally_higher_of_two() if higher else tally("five-card", 5)
        hands = [row.hand for row in table.rows]
        paid = [float(row.pay.won_per_wager[0]) / row.pay.won_per_wager[1] for row in table.rows]
        rows = counts.row_counts(hands)
        lost = counts.total - sum(rows)
        expected += (sum(n * p for n, p in zip(rows, paid, strict=True)) - lost) / counts.total
        places = [_places(bet.id, line) for line in ((2, 3, 4), (0, 3, 6))]
        codes = [bulk.ranks("five-card", words_of(cards[:, place])) for place in places]
        code = np.maximum(*codes) if higher else codes[bet.id.endswith("down")]
        _, first, kind = np.unique(code, return_index=True, return_inverse=True)
        won = []
        for at in first:
            dealt = tuple(DECK[card] for card in cards[at])
            own = Cards(dealt[:2], community=(dealt[2], *dealt[3:]))
            hand = highest("five-card", game.hands_of(bet.id)(own))
            won.append(float(against_paytable(bet, table, hand).won))
        net += np.array(won)[kind]
    assert abs(net.mean() - expected) < 4 * net.std() / sqrt(MILLIONS)


def _places(_: str, line: tuple[int, ...]) -> list[int]:
    """Own cards are dealt first here, then the cross: far, left, centre, right, near."""
    across = line == (2, 3, 4)
    return [0, 1, *([3, 4, 5] if across else [2, 4, 6])]


@pytest.mark.slow
@pytest.mark.timeout(1_800)
async def test_holdem_ante_and_flop_return_what_their_odds_say() -> None:
    """With a Flop Wager on every hand, two million deals.

    Player and dealer stand alike, so the Flop Wager wins as often as it loses, and the Ante is
    short by the wins below a flush, which are not paid.
    """
    flush = first_of("five-card", "flush")
    unpaid = exact.beaten_with_a_common_board("five-card", flush)
    cards = deal(MILLIONS, 9, seed=13)
    own = bulk.ranks("five-card", words_of(cards[:, [0, 1, 4, 5, 6, 7, 8]]))
    other = bulk.ranks("five-card", words_of(cards[:, 2:]))
    flop = np.sign(own.astype(np.int64) - other)
    ante = np.where((flop > 0) & (own < flush), 0, flop)
    for bet, net, expected in (("flop", flop, 0.0), ("ante", ante, -unpaid)):
        assert abs(net.mean() - expected) < 4 * net.std() / sqrt(MILLIONS), bet
    for sign, paid in ((-1, -1), (0, 0), (1, 0), (1, 1)):
        for at in np.flatnonzero((flop == sign) & (ante == paid))[:50]:
            dealt = tuple(DECK[card] for card in cards[at])
            settled = await net_units(HOLDEM, dealt[:2], dealt[2:4], community=dealt[4:])
            assert (settled["flop"], settled["ante"]) == (2 * sign, paid)


@pytest.mark.slow
@pytest.mark.timeout(1_800)
async def test_pai_gow_is_fair_but_for_copies_and_vigorish() -> None:
    """Both sides set in one house way: each is higher in both hands as often as the other.

    What a copy gives the dealer and the vigorish takes is the published edge of some 2.7%.
    """
    deck = PlainDeck(seeded_order("returns", joker=True))
    table = Table(GAMES[PAI_GOW], deck)
    players = {seat: SimulatedPlayer(f"p{seat}", "returns", BASE_ONLY) for seat in range(1, 7)}
    net, lead = [], []
    for _ in range(3_000):
        result = await table.play_round(players)
        dealer = house_way(result.dealer)
        units, leads = [], []
        for seat in result.seats.values():
            own = house_way(seat.cards)
            both = ((own.high, dealer.high), (own.low, dealer.low))
            ahead = [rank("pai-gow", a) > rank("pai-gow", b) for a, b in both]
            behind = [rank("pai-gow", a) < rank("pai-gow", b) for a, b in both]
            leads.append(int(all(ahead)) - int(all(behind)))
            units.append(seat.net_micros / seat.outcomes[0].wager_micros)
            assert (units[-1] > 0) == all(ahead)
            assert (units[-1] < 0) == (not any(ahead))
        net.append(sum(units) / len(units))
        lead.append(sum(leads) / len(leads))
    for found, expected in ((np.array(lead), 0.0), (np.array(net), -0.0273)):
        assert abs(found.mean() - expected) < 4 * found.std() / sqrt(len(found))


@pytest.mark.slow
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize(
    ("rule", "known"),
    [(CRAZY[0], -0.0342), (CARIBBEAN, -0.0532), (THREE, -0.0337), (RIDE, -0.0351)],
)
async def test_whole_rounds_return_what_the_odds_say(rule: str, known: float) -> None:
    """Four thousand rounds of six players, dealt and settled by the engine from end to end."""
    table = Table(GAMES[rule], PlainDeck(seeded_order("returns")))
    players = {seat: SimulatedPlayer(f"p{seat}", "returns", BASE_ONLY) for seat in range(1, 7)}
    means = []
    for _ in range(4_000):
        result = await table.play_round(players)
        units = [seat.net_micros / seat.outcomes[0].wager_micros for seat in result.seats.values()]
        means.append(sum(units) / len(units))
    found = np.array(means)
    assert abs(found.mean() - known) < 4 * found.std() / sqrt(len(found))
