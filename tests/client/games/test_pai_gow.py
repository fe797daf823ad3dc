"""Pai Gow Poker by its clauses: who is dealt to first, two hands each, the house way."""

import pytest

from jackpot.rules.cards import JOKER, parse_cards
from jackpot.rules.contest import TwoHands
from jackpot.rules.hands import rank
from table_client.table.games.catalogue import GAMES
from table_client.table.games.pai_gow import house_way
from table_client.table.ports import Way
from table_client.table.progressive import NO_PROGRESSIVE
from table_client.table.round.play import RoundResult, Table
from table_client.table.round.round_state import Layout
from table_client.table.round.settling import Settling
from table_client.table.round.start import SeededStart, position
from table_client.table.trace import Trace
from tests.client.games.decks import PlainDeck, stacked
from tests.client.games.tables import (
    PAI_GOW,
    Scripted,
    clauses,
    play,
    reconstructed,
    results,
    steps,
    terms_of,
)


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
        terms=terms_of(PAI_GOW, start=start_by),
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


@pytest.mark.parametrize(
    "way",
    [
        pytest.param(Way.MANUAL_SHOE, marks=pytest.mark.rule("PA2010 561.9(g)")),
        pytest.param(Way.HAND, marks=pytest.mark.rule("PA2010 561.10(g)")),
        pytest.param(Way.AUTOMATED_SHOE, marks=pytest.mark.rule("PA2010 561.11(g)")),
    ],
)
async def test_cards_of_empty_positions_are_collected_unseen(way: Way) -> None:
    """Seats 2, 3, 5 and 6 have no wager: seven cards of each are in the rack before any is set."""
    _, result = await pai_gow(Dice((3, 3, 3)), way)
    told = [r.says.split()[1] for r in steps(result, "discard") if "Position" in r.says]
    assert told == ["2", "3", "5", "6"]
    in_rack = reconstructed(result)
    assert [len(in_rack[f"position {seat}"]) for seat in (2, 3, 5, 6)] == [7] * 4
    order = [record.step for record in result.records]
    assert order.index("discard") < order.index("set")


@pytest.mark.parametrize(
    "way",
    [
        pytest.param(Way.MANUAL_SHOE, marks=pytest.mark.rule("PA2010 561.9(b)")),
        pytest.param(Way.HAND, marks=pytest.mark.rule("PA2010 561.10(b)")),
        pytest.param(Way.AUTOMATED_SHOE, marks=pytest.mark.rule("PA2010 561.11(b)")),
    ],
)
@pytest.mark.parametrize(
    ("start_by", "first"),
    [
        pytest.param("dice", 6, marks=pytest.mark.rule("PA2010 561.12(b)")),
        pytest.param("number", 1, marks=pytest.mark.rule("PA2010 561.8(a)(2)")),
        pytest.param("button", 0, marks=pytest.mark.rule("PA2010 561.8(a)(3)")),
    ],
)
@pytest.mark.rule("PA2010 561.8(a)")
@pytest.mark.rule("PA2010 561.12(a)")
async def test_the_starting_position_is_determined_before_the_deal(
    start_by: str, first: int, way: Way
) -> None:
    """By dice that total nine, by the number seven, or by the button; the first card goes there."""
    if start_by == "button" and way is not Way.AUTOMATED_SHOE:
        first = 6  # there is no button without an automated shoe: dice say it
    _, result = await pai_gow(Dice((3, 3, 3)), way, start_by)
    order = [record.step for record in result.records]
    assert order.index("no-more-bets") < order.index("start") < order.index("deal")
    assert steps(result, "deal")[0].seat == first


@pytest.mark.rule("PA2010 561.8(a)(1)")
@pytest.mark.rule("PA2010 561.8(a)(2)")
def test_three_dice_and_numbers_from_one_to_seven() -> None:
    """Each face and each number comes, and nothing else."""
    source = SeededStart("faces")
    rolls = [source.roll() for _ in range(200)]
    assert {len(roll) for roll in rolls} == {3}
    assert {face for roll in rolls for face in roll} == set(range(1, 7))
    assert {source.number() for _ in range(200)} == set(range(1, 8))


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


@pytest.mark.rule("PA2010 561.12(d)")
@pytest.mark.rule("PA2010 561.8(a)(3)")
@pytest.mark.parametrize(
    ("way", "clause"),
    [
        (Way.AUTOMATED_SHOE, "PA2010 561.12(d)"),
        (Way.CONTINUOUS_SHOE, "PA2010 561.12(d)"),
        (Way.MANUAL_SHOE, "PA2010 561.12(b)"),
        (Way.HAND, "PA2010 561.12(b)"),
    ],
)
async def test_a_button_is_used_only_with_an_automated_shoe(way: Way, clause: str) -> None:
    """A house that filed the button rolls dice where the cards come from a hand or a plain shoe."""
    _, result = await pai_gow(Dice((3, 3, 3)), way, "button")
    assert clauses(result, "start") == [clause]


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
    terms = terms_of(PAI_GOW, start="button")
    dealer, low, high = "9c 9d 8h 6s 4c 2d Jh", "2c 3d 4h 6c 8c Td Qh", "Ac Ad Kh Ks 5c 7d Th"
    players = {1: Scripted("a"), 2: Scripted("b")}
    result = await play(PAI_GOW, f"{dealer} {low} {high}", players, terms=terms)
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
    result = await play(PAI_GOW, players=players, boxes=2)
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
    layout = Layout(GAMES[PAI_GOW], terms_of(PAI_GOW), Way.MANUAL_SHOE, Trace(), {})
    layout.dealer = list(parse_cards("As Ah Qd Qc 7s 5h 3d"))
    layout.dealer_hands = TwoHands(tuple(layout.dealer[:5]), tuple(layout.dealer[5:]))
    await Settling(layout, NO_PROGRESSIVE).run()
    assert set(layout.dealer_hands.low) == {"Qd", "Qc"}
    assert [record.clause for record in layout.trace.of("irregularity")] == ["PA2010 561.14(i)"]
