"""The odds of wagers that depend on how a player plays: the data, and parts of it counted again."""

import random
from collections.abc import Callable, Iterable
from itertools import combinations
from math import comb, sqrt

import numpy as np
import pytest
from msgspec.structs import replace

from jackpot.odds.played import Play, every_wagered, plays, plays_of, wagered
from jackpot.rules import bulk
from jackpot.rules.cards import deck
from jackpot.rules.compile_base_game import default_terms
from jackpot.rules.hands import rank
from jackpot.rules.loader import rules
from table_client.table.games.pai_gow import highest_high, house_way
from tools import odds_data
from tools.odds import holdem, pai_gow
from tools.odds.dealer import count_deals
from tools.odds.suits import BITS

HOLDEM, PAI_GOW = "pa-2011-texas-holdem-bonus", "pa-2010-pai-gow-poker"
DEALS = {  # how many deals there are, of own cards, dealer's cards and the board
    "pa-crazy-4-poker": comb(52, 5) * comb(47, 5),
    "pa-2011-caribbean-stud": comb(52, 5) * comb(47, 5),
    "pa-2010-four-card-poker": comb(52, 5) * comb(47, 6),
    "pa-2010-three-card-poker": comb(52, 3) * comb(49, 3),
    "pa-2010-let-it-ride": comb(52, 3) * 49 * 48,
}
HOLDEM_DEALS = comb(52, 2) * comb(50, 2) * comb(48, 5)


def kept(rule_id: str) -> list[Play]:
    """The plays of a game, as the data has them."""
    return plays_of(rules()[rule_id])


@pytest.mark.parametrize("rule_id", sorted(DEALS))
def test_every_deal_is_of_one_kind(rule_id: str) -> None:
    """The counts of each part are together all deals that there are."""
    assert [part.total for play in kept(rule_id) for part in play.parts] == [
        DEALS[rule_id] for play in kept(rule_id) for _ in play.parts
    ]


def test_every_deal_of_holdem_is_of_one_kind() -> None:
    """Who decides on the turn sees three cards before the others, and four on the river."""
    *best, every = kept(HOLDEM)
    assert len(best) == 2
    for play in best:
        ante, turn, river = play.parts
        assert ante.total == HOLDEM_DEALS
        assert (turn.total, river.total) == (10 * HOLDEM_DEALS, 20 * HOLDEM_DEALS)
    assert [part.total for part in every.parts] == [HOLDEM_DEALS] * 3


@pytest.mark.parametrize(
    ("rule_id", "play", "known"),
    [
        ("pa-crazy-4-poker", 0, -0.0342),
        ("pa-2011-caribbean-stud", 0, -0.0532),
        ("pa-2010-three-card-poker", 0, -0.0337),
        ("pa-2010-four-card-poker", 0, -0.0340),
        ("pa-2010-let-it-ride", 0, -0.0351),
        (HOLDEM, 1, -0.0204),
    ],
)
def test_a_round_brings_what_is_published(rule_id: str, play: int, known: float) -> None:
    """All wagers together, in Antes, to a twentieth of a percent."""
    rule = rules()[rule_id]
    chosen = kept(rule_id)[play]
    first = {each.bet: each for each in reversed(every_wagered(rule)) if each.play is chosen}
    assert sum(float(each.net) for each in first.values()) == pytest.approx(known, abs=0.0005)


def test_who_bets_on_every_street_plays_an_even_game_but_for_the_ante() -> None:
    """Player and dealer stand alike: each street wins as often as it loses."""
    every = kept(HOLDEM)[-1]
    for each in wagered(rules()[HOLDEM], every, default_terms(HOLDEM)):
        if each.bet != "ante":
            assert each.net == 0
            assert each.wins == each.losses


def test_the_best_play_brings_most() -> None:
    """Under each Ante its own best play beats the other's and a bet on every street."""
    rule = rules()[HOLDEM]
    flush, straight, every = kept(HOLDEM)
    for table, best in (("flush-or-higher", flush), ("straight-or-higher", straight)):
        terms = default_terms(HOLDEM)
        wagers = tuple(
            replace(each, paytable=table if each.bet == "ante" else each.paytable)
            for each in terms.wagers
        )
        terms = replace(terms, wagers=wagers)
        brings = {
            play.parts: sum(each.net for each in wagered(rule, play, terms))
            for play in (flush, straight, every)
        }
        assert max(brings, key=lambda parts: brings[parts]) == best.parts


# --- Counted again ----------------------------------------------------------------------------


def test_three_card_poker_is_counted_again() -> None:
    """The tool finds what the file keeps."""
    assert odds_data.three_card() == kept("pa-2010-three-card-poker")


def test_pairs_of_hands_are_counted_as_if_one_by_one() -> None:
    """For one player's hand the dealer's hands of the rest, each compared by itself."""
    queen = bulk.pack(rank("three-card", ("Qc", "3d", "2h")))
    deals = count_deals("three-card", 3, 3, qualifies_from=queen)
    assert deals.counts.sum() == DEALS["pa-2010-three-card-poker"]
    hands = bulk.all_hands(3)
    codes = bulk.ranks("three-card", hands)
    for code in np.random.default_rng(1).choice(deals.codes, 5, replace=False):
        expected = np.zeros(4, dtype=np.int64)
        for own in hands[codes == code]:
            other = codes[(hands & own) == 0]
            expected[0] += (other < queen).sum()
            other = other[other >= queen]
            expected[1:] += [(other < code).sum(), (other == code).sum(), (other > code).sum()]
        place = np.searchsorted(deals.codes, code)
        assert deals.counts[:, place].tolist() == expected.tolist()


@pytest.mark.parametrize("board", ["2c 7d 9h Js Kd", "Th Jh Qh Kh Ah", "5c 5d 5h 6s 6d"])
def test_a_board_of_holdem_is_counted_as_if_one_by_one(board: str) -> None:
    """Some of a board's hands against every dealer's hand that can be dealt beside them."""
    word = np.uint64(bulk.word_of(tuple(board.split())))
    pairs, codes, wins, losses = (each[0] for each in holdem.against_all(np.array([word])))
    rest = BITS[(BITS & word) == 0]
    twos = np.array([a | b for a, b in combinations(rest, 2)], dtype=np.uint64)
    found = bulk.ranks("five-card", twos | word)
    assert len(set(pairs.tolist())) == len(pairs) == comb(47, 2)
    assert found.tolist() == codes.tolist()
    for at in range(0, len(twos), 50):
        other = found[(twos & twos[at]) == 0]
        assert len(other) == comb(45, 2)
        assert wins[at] == (other < found[at]).sum()
        assert losses[at] == (other > found[at]).sum()


def test_a_sample_of_holdem_agrees_with_the_count() -> None:
    """Of a hundred thousand deals as many are won, tied and lost, within five standard errors."""
    cards = np.random.default_rng(2).random((100_000, 52)).argsort(axis=1)[:, :9]
    own, other = (
        bulk.ranks("five-card", np.bitwise_or.reduce(BITS[part], axis=1))
        for part in (cards[:, [0, 1, 4, 5, 6, 7, 8]], cards[:, 2:])
    )
    flop = next(
        each
        for each in wagered(rules()[HOLDEM], kept(HOLDEM)[-1], default_terms(HOLDEM))
        if each.bet == "flop"
    )
    for found, share in ((own > other, flop.wins), (own == other, flop.pushes)):
        p = float(share)
        assert abs(found.mean() - p) <= 5 * sqrt(p * (1 - p) / len(cards))


@pytest.mark.exhaustive
@pytest.mark.parametrize(("way", "plain"), [("by-kind", house_way), ("highest-high", highest_high)])
def test_pai_gow_hands_are_set_as_the_dealer_sets_them(
    way: str, plain: Callable[[tuple[str, ...]], object]
) -> None:
    """Six hundred hands, half of them with the joker or within few ranks."""
    draw = random.Random(way)
    numbers = [draw.sample(range(53), 7) for _ in range(300)]
    numbers += [[*draw.sample(range(52), 6), 52] for _ in range(150)]
    numbers += [draw.sample(range(36, 53), 7) for _ in range(150)]
    high, low = pai_gow.set_hands(np.array(numbers, dtype=np.uint8), way)
    cards = deck(joker=True)
    for at, hand in enumerate(numbers):
        two = plain(tuple(cards[number] for number in hand))
        set_ = [bulk.pack(rank("pai-gow", getattr(two, part))) for part in ("high", "low")]
        assert set_ == [high[at], low[at]], hand


@pytest.mark.exhaustive
@pytest.mark.parametrize("way", pai_gow.WAYS)
def test_a_batch_of_pai_gow_agrees_with_the_simulation(way: str) -> None:
    """Other deals than those that are kept: each way to end within five standard errors."""
    (play,) = (each for each in kept(PAI_GOW) if each.id == way)
    assert play.ends is not None
    assert play.method == "simulated"
    batch = pai_gow.simulate(way, 1, seed=7)
    for end in ("decided", "split", "one_copy"):
        p = getattr(play.ends, end) / play.ends.deals
        error = abs(getattr(batch, end) / batch.deals - p)
        assert error <= 5 * sqrt(p * (1 - p) / batch.deals)


def test_the_error_of_a_simulation_is_stated() -> None:
    """Pai Gow has one, of less than a hundredth of a percent; what is counted has none."""
    for rule in rules().values():
        for each in every_wagered(rule):
            simulated = each.play.method == "simulated"
            assert simulated == (rule.id == PAI_GOW)
            assert (0 < each.error < 0.0001) if simulated else each.error == 0


@pytest.mark.slow
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("step", odds_data.STEPS, ids=[step.__name__ for step in odds_data.STEPS])
def test_all_is_counted_again(step: Callable[[], Iterable[Play]]) -> None:
    """Every play of the file, to the last deal."""
    found = list(step())
    assert found == [play for play in plays() if play.rules == found[0].rules]


def test_the_file_is_as_the_tool_writes_it() -> None:
    """In its order and its form."""
    assert odds_data.encode(plays()) == odds_data.DATA.read_bytes()
