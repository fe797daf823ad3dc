"""Criss-Cross, Four Card, Three Card, Texas Hold 'Em, Ultimate and Pai Gow by their clauses."""

import pytest

from jackpot.rules.cards import JOKER, parse_cards
from jackpot.rules.contest import TwoHands
from jackpot.rules.hands import rank
from table_client.decks import PlainDeck, stacked
from table_client.games.catalogue import GAMES
from table_client.games.pai_gow_house import house_way
from table_client.games.settings import Settings
from table_client.games.three_card import version
from table_client.ports import Way
from table_client.progressive import NoProgressive
from table_client.round.layout import Layout
from table_client.round.play import RoundResult, Table
from table_client.round.settling import Settling
from table_client.round.start import position
from table_client.trace import Trace
from tests.client.games.tables import (
    BY_CARD,
    CRISS,
    DOLLAR,
    FOUR,
    HOLDEM,
    PAI_GOW,
    THREE,
    ULTIMATE,
    Scripted,
    clauses,
    play,
    results,
    steps,
)

# --- Criss-Cross -----------------------------------------------------------------------------


@pytest.mark.rule("PA2014 592.8(d)")
@pytest.mark.rule("PA2014 592.9(b)")
@pytest.mark.parametrize("way", BY_CARD)
async def test_the_cross_is_dealt_before_the_players(way: Way) -> None:
    """Five cards face down, then two to each player, one at a time."""
    result = await play(CRISS, players={1: Scripted("a"), 3: Scripted("b")}, way=way)
    assert [record.seat for record in steps(result, "deal")] == [None] * 5 + [1, 3, 1, 3]


@pytest.mark.rule("PA2014 592.10(b)")
async def test_from_a_shoe_the_cross_is_one_stack() -> None:
    """Five cards, then two to each player."""
    result = await play(CRISS, players={1: Scripted("a"), 3: Scripted("b")})
    told = [(record.seat, len(record.cards)) for record in steps(result, "deal")]
    assert told == [(None, 5), (1, 2), (3, 2)]


CROSS = "As Ks 9d Kh Ah "  # far, left, centre, right, near


@pytest.mark.rule("PA2014 592.11(c)")
@pytest.mark.rule("PA2014 592.11(e)")
@pytest.mark.rule("PA2014 592.11(g)")
async def test_the_cross_is_shown_in_three_turns() -> None:
    """The outside of the row, the outside of the column, the middle; a decision before each."""
    player = Scripted()
    result = await play(CRISS, CROSS + "2c 7d", {1: player})
    assert [record.cards for record in steps(result, "turn")] == [
        ("Ks", "Kh"),
        ("As", "Ah"),
        ("9d",),
    ]
    seen = [(bet, len(view.community)) for bet, view in player.asked]
    assert seen == [("across", 0), ("down", 2), ("middle", 4)]


@pytest.mark.rule("PA2014 592.11(h)(1)(ii)")
@pytest.mark.rule("PA2014 592.11(h)(2)(ii)")
@pytest.mark.rule("PA2014 592.11(h)(4)")
@pytest.mark.rule("PA2014 592.12(b)")
async def test_across_and_down_are_two_hands_and_the_middle_takes_the_higher() -> None:
    """Two pair across beat a pair down, and the Middle Bet is paid for the two pair."""
    result = await play(CRISS, "As Ks 9d Kh Ah 9c 7d")
    ended = results(result)
    assert ended["across"] == ("win", 1_000)  # kings and nines: 2 to 1 on $5
    assert ended["down"] == ("win", 1_000)  # aces and nines
    assert ended["ante-across"] == ("win", 500)
    result = await play(CRISS, "As Ks 9d Kh 3h 9c 7d")
    ended = results(result)
    assert ended["across"] == ("win", 1_000)
    assert ended["down"] == ("push", 0)  # a pair of nines
    assert ended["middle"] == ("win", 1_000)


@pytest.mark.rule("PA2014 592.12(a)")
@pytest.mark.rule("PA2014 592.11(h)(1)(i)")
@pytest.mark.rule("PA2014 592.11(h)(3)")
@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ("Jc Jd", ("win", 500)),
        ("Tc Td", ("push", 0)),
        ("6c 6d", ("push", 0)),
        ("5c 5d", ("lose", 0)),
    ],
)
async def test_jacks_win_sixes_push_fives_lose(own: str, expected: tuple[str, int]) -> None:
    """The same pair in both hands decides Antes, bets and the Middle Bet."""
    result = await play(CRISS, f"As Ks 9d Qh 3h {own}")
    assert set(results(result).values()) == {expected}


@pytest.mark.rule("PA2014 592.11(b)")
@pytest.mark.rule("PA2014 592.11(d)")
@pytest.mark.rule("PA2014 592.11(f)")
@pytest.mark.parametrize(("stage", "lost"), [("across", 10), ("down", 15), ("middle", 20)])
async def test_a_fold_loses_all_so_far_but_the_five_card_bonus(stage: str, lost: int) -> None:
    """The bonus on the cross, kings and aces, is settled although the cards are gone."""
    wagers = {"ante-across": 5, "ante-down": 5, "five-card-bonus": 5}
    player = Scripted(wagers=wagers, decisions={stage: 0})
    result = await play(CRISS, CROSS + "2c 7d", {1: player})
    assert results(result)["five-card-bonus"] == ("win", 1_500)
    assert result.seats[1].net_micros == (15 - lost) * DOLLAR
    assert steps(result, "collect-hand")


@pytest.mark.rule("PA2014 592.11(b)")
async def test_the_bets_are_one_to_three_times_an_ante() -> None:
    """Three is allowed, four is not."""
    result = await play(CRISS, players={1: Scripted(decisions={"across": 3})})
    amounts = {o.bet: o.wager_micros for o in result.seats[1].outcomes}
    assert amounts["across"] == 15 * DOLLAR
    with pytest.raises(ValueError, match="1 to 3 times"):
        await play(CRISS, players={1: Scripted(decisions={"down": 4})})


# --- Four Card -------------------------------------------------------------------------------


@pytest.mark.rule("PA2010 557.8(d)")
@pytest.mark.rule("PA2010 557.9(b)")
@pytest.mark.parametrize("way", BY_CARD)
async def test_the_four_card_dealers_last_two_cards_come_together(way: Way) -> None:
    """Five rounds of cards, and the dealer's sixth face up directly after the fifth."""
    player = Scripted()
    result = await play(FOUR, players={1: player}, way=way)
    assert [record.seat for record in steps(result, "deal")] == [1, 0] * 5 + [0]
    assert player.asked[0][1].dealer == (result.dealer[5],)


@pytest.mark.rule("PA2010 557.10(b)")
async def test_from_a_shoe_the_sixth_card_is_the_bottom_of_another_stack() -> None:
    """Four cards of that stack go unseen to the rack."""
    result = await play(FOUR, "2s 3s 4s 5s 7s Kd Jd 8c 5h 3h Ac Ad Ah As 9c")
    assert result.dealer == parse_cards("Kd Jd 8c 5h 3h 9c")
    assert result.rack.reconstruct()["rest of a stack"] == parse_cards("Ac Ad Ah As")


@pytest.mark.rule("PA2010 557.12(a)(1)")
async def test_a_four_card_tie_wins() -> None:
    """Equal four-card hands pay Ante and Play even money."""
    result = await play(FOUR, "Ks Kh 9d 5c 2s Kd Kc 9h 5h 3s As Qs Js Ts 2h")
    assert results(result) == {"ante": ("win", 500), "play": ("win", 500)}


@pytest.mark.rule("PA2010 557.12(a)(2)")
@pytest.mark.parametrize(
    ("hand", "cents"),
    [
        ("9s 9h 9d 9c 2s", 12_500),
        ("9s 8s 7s 6s 2h", 10_000),
        ("9s 9h 9d 6s 2h", 1_000),
        ("Ks 9s 7s 6s 2h", None),
    ],
)
async def test_the_bonus_on_the_ante_is_paid_even_when_the_hand_loses(
    hand: str, cents: int | None
) -> None:
    """Against four aces: three of a kind or better is paid, a flush is not."""
    result = await play(FOUR, f"{hand} Ad Ac Ah As 3h Qd Jd Tc Kc 4h")
    ended = results(result)
    assert ended["ante"] == ended["play"] == ("lose", 0)
    assert ended.get("ante-bonus") == (None if cents is None else ("win", cents))


@pytest.mark.rule("PA2010 557.11(c)")
@pytest.mark.rule("PA2010 557.11(d)")
@pytest.mark.rule("PA2010 557.12(a)(3)")
async def test_aces_up_survives_a_fold_and_may_stand_alone() -> None:
    """A folded pair of aces wins Aces Up; a player without an Ante is not asked."""
    wagers = {"ante": 5, "aces-up": 5}
    folds = Scripted("a", wagers=wagers, decisions={"play": 0})
    alone = Scripted("b", wagers={"aces-up": 5})
    result = await play(FOUR, "As Ah 9d 5c 2s Ks Qh 8d 6c 3s", {1: folds, 2: alone})
    assert results(result, 1) == {"ante": ("forfeit", 0), "aces-up": ("win", 500)}
    assert results(result, 2) == {"aces-up": ("lose", 0)}
    assert not alone.asked


@pytest.mark.rule("PA2010 557.11(e)")
@pytest.mark.rule("PA2010 557.11(f)")
async def test_all_losing_wagers_are_collected_before_any_is_paid() -> None:
    """Seat 2 wins, seat 1 loses: the loser is settled first."""
    players = {1: Scripted("a"), 2: Scripted("b")}
    cards = "2s 3h 6d 7c 8s Ks Kh 9d 5c 2h Qd Jd 8c 5h 3s 4c 4d 6h 7h Tc"
    result = await play(FOUR, cards, players)
    assert [record.seat for record in steps(result, "settle")] == [1, 1, 2, 2]
    assert [record.seat for record in steps(result, "show")] == [2, 1]


# --- Three Card ------------------------------------------------------------------------------


@pytest.mark.rule("PA2010 565.8(d)")
@pytest.mark.rule("PA2010 565.9(b)")
@pytest.mark.parametrize("way", BY_CARD)
async def test_three_cards_are_dealt_one_at_a_time(way: Way) -> None:
    """Players and dealer three times."""
    result = await play(THREE, players={2: Scripted("a"), 4: Scripted("b")}, way=way)
    assert [record.seat for record in steps(result, "deal")] == [2, 4, 0] * 3


@pytest.mark.rule("PA2010 565.10(b)")
async def test_from_a_shoe_three_cards_are_a_stack() -> None:
    """Three to the player, three to the dealer."""
    result = await play(THREE)
    assert [(r.seat, len(r.cards)) for r in steps(result, "deal")] == [(1, 3), (0, 3)]


@pytest.mark.parametrize(
    ("player", "dealer", "ante", "play_wager"),
    [
        pytest.param(
            "2s 4h 7d",
            "Jd 9c 3h",
            ("win", 500),
            ("push", 0),
            marks=pytest.mark.rule("PA2010 565.12(a)"),
        ),
        pytest.param(
            "Ks 4h 7d",
            "Qd 9c 3h",
            ("win", 500),
            ("win", 500),
            marks=pytest.mark.rule("PA2010 565.12(b)"),
        ),
        pytest.param(
            "Qs 9h 3d",
            "Qd 9c 3h",
            ("push", 0),
            ("push", 0),
            marks=pytest.mark.rule("PA2010 565.12(c)"),
        ),
        pytest.param(
            "Qs 8h 3d",
            "Qd 9c 3h",
            ("lose", 0),
            ("lose", 0),
            marks=pytest.mark.rule("PA2010 565.12(b)"),
        ),
    ],
)
async def test_three_card_ante_and_play(
    player: str, dealer: str, ante: tuple[str, int], play_wager: tuple[str, int]
) -> None:
    """Dealer below queen, player higher, tie, player lower."""
    result = await play(THREE, f"{player} {dealer}")
    assert results(result) == {"ante": ante, "play": play_wager}


@pytest.mark.rule("PA2010 565.12(e)")
@pytest.mark.rule("PA2010 565.12(f)")
@pytest.mark.parametrize(
    ("hand", "standard", "table_a"),
    [("As Ks Qs", 2_500, 25_000), ("Ah Kh Qh", 2_500, 2_500), ("9s 9h 9d", 2_000, 1_500)],
)
async def test_the_ante_bonus_follows_the_version(hand: str, standard: int, table_a: int) -> None:
    """Five dollars by the standard table and by table A, whatever the dealer has."""
    result = await play(THREE, f"{hand} Jc Jd 3c")
    assert results(result)["ante-bonus"] == ("win", standard)
    players = {1: Scripted(wagers={"ante": 5, "pair-plus": 5})}
    result = await play(THREE, f"{hand} Jc Jd 3c", players, settings=version(1))
    assert results(result)["ante-bonus"] == ("win", table_a)


@pytest.mark.rule("PA2010 565.11(b)")
@pytest.mark.rule("PA2010 565.12(d)")
async def test_a_fold_loses_pair_plus_only_where_it_is_tied_to_the_ante() -> None:
    """A folded pair wins Pair Plus alone, and loses it in a version that ties it."""
    wagers = {"ante": 5, "pair-plus": 5}
    player = Scripted(wagers=wagers, decisions={"play": 0})
    free = await play(THREE, "9s 9h 3d", {1: player})
    assert results(free)["pair-plus"] == ("win", 500)
    tied = await play(THREE, "9s 9h 3d", {1: player}, settings=version(1))
    assert results(tied) == {"ante": ("forfeit", 0), "pair-plus": ("forfeit", 0)}


# --- Texas Hold 'Em --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("way", "section"),
    [
        pytest.param(
            Way.MANUAL_SHOE,
            "PA2010 563.8(d)",
            marks=[pytest.mark.rule(f"PA2010 563.8(d)({n})") for n in range(1, 5)],
        ),
        pytest.param(
            Way.HAND,
            "PA2010 563.9(b)",
            marks=[pytest.mark.rule(f"PA2010 563.9(b)({n})") for n in range(1, 5)],
        ),
    ],
)
async def test_two_cards_each_and_a_burn_before_each_street(way: Way, section: str) -> None:
    """Players, dealer, players, dealer; then burn three, burn one, burn one."""
    result = await play(HOLDEM, players={1: Scripted("a"), 2: Scripted("b")}, way=way)
    told = [(r.seat, r.clause) for r in steps(result, "deal")]
    numbers = [(1, 1), (2, 1), (0, 2), (1, 3), (2, 3), (0, 4)]
    assert told == [(seat, f"{section}({n})") for seat, n in numbers]
    streets = [(r.step, len(r.cards)) for r in result.records if r.step in ("burn", "turn")]
    assert streets == [("burn", 1), ("turn", 3), ("burn", 1), ("turn", 1), ("burn", 1), ("turn", 1)]
    assert len(result.rack.reconstruct()["burned"]) == 3


@pytest.mark.rule("PA2010 563.11(b)")
@pytest.mark.rule("PA2010 563.11(d)")
@pytest.mark.rule("PA2010 563.11(f)")
async def test_burned_cards_are_not_used() -> None:
    """From the shoe: two stacks, then burn, three, burn, one, burn, one from the hand."""
    result = await play(HOLDEM, "As Ah Ks Kh 2c Qd Qc Qh 3c 4c 5c 6c")
    assert result.community == parse_cards("Qd Qc Qh 4c 6c")
    assert result.rack.reconstruct()["burned"] == parse_cards("2c 3c 5c")
    assert clauses(result, "turn") == [f"PA2010 563.11({x})" for x in "bdf"]


@pytest.mark.rule("PA2011 563.10(c)")
async def test_the_stub_of_the_shoe_is_dealt_on_from_the_hand() -> None:
    """After the stacks the rest is taken in hand; the stub goes away only after the river."""
    result = await play(HOLDEM)
    assert clauses(result, "stub") == ["PA2011 563.10(c)", "PA2011 563.10(c)"]
    order = [record.step for record in result.records]
    assert order[::-1].index("stub") < order[::-1].index("turn")


@pytest.mark.rule("PA2011 563.10(g)")
async def test_a_shoe_that_reshuffles_gives_the_community_cards_first() -> None:
    """Five cards before the players'; they are shown street by street, and none is burned."""
    result = await play(HOLDEM, way=Way.CONTINUOUS_SHOE)
    first = steps(result, "deal")[0]
    assert (len(first.cards), first.clause) == (5, "PA2011 563.10(g)")
    assert [len(record.cards) for record in steps(result, "turn")] == [3, 1, 1]
    assert not steps(result, "burn")


@pytest.mark.rule("PA2010 563.11(a)")
@pytest.mark.rule("PA2010 563.11(c)")
@pytest.mark.rule("PA2010 563.11(e)")
async def test_flop_turn_and_river_wagers() -> None:
    """Twice the Ante, then once each or a check."""
    player = Scripted(decisions={"turn": 0})
    result = await play(HOLDEM, players={1: player})
    amounts = {o.bet: o.wager_micros for o in result.seats[1].outcomes}
    assert amounts == {"ante": 5 * DOLLAR, "flop": 10 * DOLLAR, "river": 5 * DOLLAR}


BOARD = "2c Qd 8c 7h 3c 4s 5c 2d"  # burn, flop, burn, turn, burn, river


@pytest.mark.parametrize(
    ("own", "dealer", "flop", "ante"),
    [
        pytest.param(
            "As Ah", "Ks Kh", "win", "push", marks=pytest.mark.rule("PA2010 563.11(h)(2)")
        ),
        pytest.param(
            "Ks Kh", "As Ah", "lose", "lose", marks=pytest.mark.rule("PA2010 563.11(h)(1)")
        ),
        pytest.param(
            "As Kh", "Ad Kc", "push", "push", marks=pytest.mark.rule("PA2010 563.11(h)(3)")
        ),
    ],
)
async def test_holdem_hands_are_compared(own: str, dealer: str, flop: str, ante: str) -> None:
    """The Ante of a winner below a flush only comes back."""
    result = await play(HOLDEM, f"{own} {dealer} {BOARD}")
    assert results(result)["flop"][0] == flop
    assert results(result)["ante"][0] == ante


@pytest.mark.rule("PA2010 563.11(h)(2)")
@pytest.mark.rule("PA2010 563.12(b)")
@pytest.mark.parametrize(
    ("paytable", "ante"), [("flush-or-higher", "push"), ("straight-or-higher", "win")]
)
async def test_the_ante_is_paid_from_a_straight_or_a_flush(paytable: str, ante: str) -> None:
    """A winning straight, under both choices of the operator."""
    settings = Settings(paytables={"ante": paytable})
    result = await play(HOLDEM, f"6s 5h Ks Kh {BOARD}", settings=settings)
    assert results(result)["ante"][0] == ante


@pytest.mark.rule("PA2010 563.11(a)(2)(i)")
@pytest.mark.rule("PA2010 563.11(a)(2)(ii)")
@pytest.mark.rule("PA2010 563.12(c)")
async def test_the_bonus_survives_a_fold() -> None:
    """Folded aces win 30 to 1 on the Bonus and stay on the table; others are collected at once."""
    players = {
        1: Scripted("a", wagers={"ante": 5, "bonus": 5}, decisions={"flop": 0}),
        2: Scripted("b", decisions={"flop": 0}),
    }
    result = await play(HOLDEM, f"As Ah 3s 7d Ks Kh {BOARD}", players)
    assert results(result, 1) == {"ante": ("forfeit", 0), "bonus": ("win", 15_000)}
    assert [record.says[:6] for record in steps(result, "collect-hand")] == ["Seat 2"]


@pytest.mark.rule("PA2010 563.12(d)")
async def test_aces_against_aces_pay_a_thousand_to_one() -> None:
    """Where the operator offers it."""
    settings = Settings(paytables={"bonus": "with-both-aces"})
    players = {1: Scripted(wagers={"ante": 5, "bonus": 5})}
    result = await play(HOLDEM, f"As Ah Ac Ad {BOARD}", players, settings=settings)
    assert results(result)["bonus"] == ("win", 500_000)


# --- Ultimate Texas Hold 'Em -----------------------------------------------------------------


@pytest.mark.rule("PA2011 569.10(b)")
@pytest.mark.rule("PA2011 569.10(c)")
async def test_ultimate_is_dealt_as_far_as_the_text_goes() -> None:
    """Two cards each, five from the hand, the stub away, and every wager back."""
    result = await play(ULTIMATE, players={1: Scripted("a"), 2: Scripted("b")})
    assert [(r.seat, len(r.cards)) for r in steps(result, "deal")] == [(1, 2), (2, 2), (0, 2)]
    assert len(result.community) == 5
    assert results(result) == {"ante": ("returned", 0), "blind": ("returned", 0)}


@pytest.mark.rule("PA2011 569.10(g)")
async def test_ultimate_from_a_shoe_that_reshuffles() -> None:
    """The community cards come first."""
    result = await play(ULTIMATE, way=Way.CONTINUOUS_SHOE)
    assert [len(record.cards) for record in steps(result, "deal")] == [5, 2, 2]


@pytest.mark.parametrize("way", BY_CARD)
def test_ultimate_has_no_text_for_other_ways(way: Way) -> None:
    """A manual shoe is refused with a clear word."""
    with pytest.raises(ValueError, match="no text at hand says how"):
        Table(GAMES[ULTIMATE], PlainDeck(stacked(()), way))


# --- Pai Gow ---------------------------------------------------------------------------------


class Dice:
    """Dice that fall as a test says."""

    def __init__(self, *rolls: tuple[int, ...] | None, announced: int = 0) -> None:
        self._rolls = list(rolls)
        self._announced = announced

    def roll(self) -> tuple[int, ...] | None:
        """The next roll."""
        return self._rolls.pop(0)

    def number(self) -> int:
        """A seven."""
        return 7

    def announce(self, total: int) -> int:
        """The total, or what the test says."""
        return self._announced or total


@pytest.mark.rule("PA2010 561.12(b)")
@pytest.mark.rule("PA2010 561.12(c)")
@pytest.mark.parametrize(
    ("count", "first"), [(1, 0), (2, 6), (3, 5), (7, 1), (8, 0), (9, 6), (18, 4)]
)
def test_positions_are_counted_counterclockwise_from_the_dealer(count: int, first: int) -> None:
    """One is the dealer, two the seat at the dealer's right, eight the dealer again."""
    assert position(count, 6) == first


async def pai_gow(
    dice: Dice, way: Way = Way.AUTOMATED_SHOE, start_by: str = "dice"
) -> tuple[Table, RoundResult]:
    """A table with its dice, and the result of a round."""
    table = Table(
        GAMES[PAI_GOW],
        PlainDeck(stacked((), joker=True), way),
        settings=Settings(start_by=start_by),
        start=dice,
    )
    return table, await table.play_round({1: Scripted("a"), 4: Scripted("b")})


@pytest.mark.rule("PA2010 561.9(c)")
@pytest.mark.rule("PA2010 561.11(c)")
@pytest.mark.parametrize(("way", "cards"), [(Way.MANUAL_SHOE, 1), (Way.AUTOMATED_SHOE, 7)])
async def test_every_position_is_dealt_to_from_the_starting_one(way: Way, cards: int) -> None:
    """A total of 9 starts at seat 6; then the dealer and seats 1 to 5, with a wager or not."""
    _, result = await pai_gow(Dice((3, 3, 3)), way)
    dealt = steps(result, "deal")
    assert [record.seat for record in dealt][:7] == [6, 0, 1, 2, 3, 4, 5]
    assert {len(record.cards) for record in dealt} == {cards}


@pytest.mark.rule("PA2010 561.10(c)")
async def test_by_hand_the_stacks_are_dealt_back_and_forth() -> None:
    """Left to right, then right to left."""
    _, result = await pai_gow(Dice((3, 3, 3)), Way.HAND)
    seats = [record.seat for record in steps(result, "deal")]
    there = [6, 0, 1, 2, 3, 4, 5]
    assert seats == (there + there[::-1]) * 3 + there


@pytest.mark.rule("PA2010 561.9(e)")
@pytest.mark.rule("PA2010 561.9(g)")
@pytest.mark.rule("PA2010 561.11(g)")
async def test_cards_of_empty_positions_are_collected_unseen() -> None:
    """Seats 2, 3, 5 and 6 have no wager."""
    _, result = await pai_gow(Dice((3, 3, 3)))
    told = [r.says.split()[1] for r in steps(result, "discard") if "Position" in r.says]
    assert told == ["2", "3", "5", "6"]


@pytest.mark.rule("PA2010 561.14(a)")
@pytest.mark.rule("PA2010 561.14(b)")
async def test_a_no_roll_is_shaken_again() -> None:
    """Twice no roll, then a total."""
    _, result = await pai_gow(Dice(None, None, (1, 1, 1)))
    assert clauses(result, "irregularity") == ["PA2010 561.14(a)"] * 2
    assert steps(result, "start")[0].says.startswith("The dice total 3")


@pytest.mark.rule("PA2010 561.14(c)")
async def test_a_wrong_total_voids_the_round() -> None:
    """The dealer says 10 for 9; wagers go back."""
    _, result = await pai_gow(Dice((3, 3, 3), announced=10))
    assert result.void == "WRONG_START"
    assert clauses(result, "void") == ["PA2010 561.14(c)"]


@pytest.mark.rule("PA2010 561.12(d)")
async def test_the_button_starts_at_the_dealer_and_moves_clockwise() -> None:
    """Dealer, seat 1, seat 2."""
    table, first = await pai_gow(Dice(), start_by="button")
    rounds = [first] + [await table.play_round({1: Scripted()}) for _ in range(2)]
    assert [steps(result, "deal")[0].seat for result in rounds] == [0, 1, 2]


@pytest.mark.rule("PA2010 561.13(e)")
async def test_a_surrender_loses_the_wager_unseen() -> None:
    """The cards are collected without being shown."""
    result = await play(PAI_GOW, players={1: Scripted(surrenders=True)})
    assert results(result) == {"pai-gow": ("forfeit", 0)}
    assert not steps(result, "show")


@pytest.mark.rule("PA2010 561.13(f)")
@pytest.mark.rule("PA2010 561.13(h)")
@pytest.mark.rule("PA2010 561.13(l)")
async def test_pai_gow_winners_are_paid_after_all_hands_are_exposed() -> None:
    """Seat 2 wins and is shown first, seat 1 loses and is settled first."""
    settings = Settings(start_by="button")
    dealer, low, high = "9c 9d 8h 6s 4c 2d Jh", "2c 3d 4h 6c 8c Td Qh", "Ac Ad Kh Ks 5c 7d Th"
    players = {1: Scripted("a"), 2: Scripted("b")}
    result = await play(PAI_GOW, f"{dealer} {low} {high}", players, settings=settings)
    assert [record.seat for record in steps(result, "show")] == [2, 1]
    assert [record.seat for record in steps(result, "settle")] == [1, 2]


@pytest.mark.rule("PA2010 561.7(e)")
@pytest.mark.parametrize(
    ("first", "second", "order"), [(5, 10, [2, 1]), (10, 5, [1, 2]), (5, 5, [2, 1])]
)
async def test_one_persons_boxes_are_set_larger_wager_first(
    first: int, second: int, order: list[int]
) -> None:
    """With equal wagers counterclockwise."""
    players = {
        1: Scripted("same", wagers={"pai-gow": first}),
        2: Scripted("same", wagers={"pai-gow": second}),
    }
    result = await play(PAI_GOW, players=players, settings=Settings(boxes=2))
    assert [record.seat for record in steps(result, "set")] == order


@pytest.mark.rule("PA2010 561.13(a)")
async def test_only_the_cards_dealt_can_be_set() -> None:
    """Other cards are refused."""
    wrong = TwoHands(("Ac", "Ad", "Ah", "As", "Kc"), ("Kd", "Kh"))
    with pytest.raises(ValueError, match="must set the seven cards"):
        await play(PAI_GOW, "2c 3c 4c 5c 6c 7c 8c", {1: Scripted(hands=wrong)})


@pytest.mark.rule("PA2010 561.13(d)")
@pytest.mark.parametrize(
    ("cards", "low"),
    [
        ("As Kh Qd 9c 7s 5h 3d", "Kh Qd"),
        ("As Ah Qd 9c 7s 5h 3d", "Qd 9c"),
        ("As Ah Qd Qc 7s 5h 3d", "Qd Qc"),
        ("6s 6h 4d 4c Ks 9h 3d", "Ks 9h"),
        ("As Ah Qd Qc 7s 7h 3d", "As Ah"),
        ("9s 9h 9d Kc 7s 5h 3d", "Kc 7s"),
        ("As Ah Ad Kc 7s 5h 3d", "As Kc"),
        ("9s 9h 9d Kc Ks 5h 3d", "Kc Ks"),
        ("9s 8h 7d 6c 5s Kh Qd", "Kh Qd"),
        ("Ks 9s 7s 4s 2s Ah Qd", "Ah Qd"),
        ("5s 5h 5d 5c Ks Qh 2d", "Ks Qh"),
    ],
)
def test_the_house_way(cards: str, low: str) -> None:
    """No pair, pairs, threes, straights, flushes and fours as the way prescribes."""
    hands = house_way(parse_cards(cards))
    assert rank("pai-gow", hands.low) == rank("pai-gow", parse_cards(low))
    assert rank("pai-gow", hands.high) >= rank("pai-gow", hands.low)


def test_the_house_way_uses_the_joker() -> None:
    """It completes a straight, else it is an ace."""
    hands = house_way(("9s", "8h", "7d", JOKER, "5s", "Kh", "Qd"))
    assert set(hands.low) == {"Kh", "Qd"}
    aces = house_way((JOKER, "As", "Kd", "9c", "7s", "5h", "3d"))
    assert set(aces.low) == {"Kd", "9c"}


@pytest.mark.rule("PA2010 561.14(i)")
async def test_a_dealers_wrong_setting_is_set_again() -> None:
    """The hands are reset in the house way and the round is completed."""
    layout = Layout(GAMES[PAI_GOW], Settings(), Way.MANUAL_SHOE, Trace(), {})
    layout.dealer = list(parse_cards("As Ah Qd Qc 7s 5h 3d"))
    layout.dealer_hands = TwoHands(tuple(layout.dealer[:5]), tuple(layout.dealer[5:]))
    await Settling(layout, NoProgressive()).run()
    assert set(layout.dealer_hands.low) == {"Qd", "Qc"}
    assert [record.clause for record in layout.trace.of("irregularity")] == ["PA2010 561.14(i)"]
