"""Every category of every ranking, from its highest hand to its lowest, clause by clause."""

from typing import NamedTuple

import pytest

from jackpot.rules.cards import parse_cards
from jackpot.rules.hands import names, rank
from tests.rules.hand_order import beats, ties


class Span(NamedTuple):
    """A category's name, its highest hand and its lowest."""

    name: str
    highest: str
    lowest: str


FIVE = (
    Span("royal-flush", "As Ks Qs Js Ts", "Ac Kc Qc Jc Tc"),
    Span("straight-flush", "Ks Qs Js Ts 9s", "5c 4c 3c 2c Ac"),
    Span("four-of-a-kind", "Ac Ad Ah As Kc", "2c 2d 2h 2s 3c"),
    Span("full-house", "Ac Ad Ah Ks Kc", "2c 2d 2h 3s 3c"),
    Span("flush", "As Ks Qs Js 9s", "7c 5c 4c 3c 2c"),
    Span("straight", "Ac Kd Qh Js Tc", "5c 4d 3h 2s Ac"),
    Span("three-of-a-kind", "Ac Ad Ah Ks Qc", "2c 2d 2h 4s 3c"),
    Span("two-pair", "Ac Ad Kh Ks Qc", "3c 3d 2h 2s 4c"),
    Span("pair", "Ac Ad Kh Qs Jc", "2c 2d 5h 4s 3c"),
    Span("high-card", "Ac Kd Qh Js 9c", "7c 5d 4h 3s 2c"),
)
FOUR = (
    Span("four-of-a-kind", "Ac Ad Ah As", "2c 2d 2h 2s"),
    Span("straight-flush", "As Ks Qs Js", "4c 3c 2c Ac"),
    Span("three-of-a-kind", "Ac Ad Ah Ks", "2c 2d 2h 3s"),
    Span("flush", "As Ks Qs Ts", "6c 4c 3c 2c"),
    Span("straight", "Ac Kd Qh Js", "4c 3d 2h As"),
    Span("two-pair", "Ac Ad Kh Ks", "3c 3d 2h 2s"),
    Span("pair", "Ac Ad Kh Qs", "2c 2d 4h 3s"),
    Span("high-card", "Ac Kd Qh Ts", "6c 4d 3h 2s"),
)
THREE = (
    Span("straight-flush", "As Ks Qs", "3c 2c Ac"),
    Span("three-of-a-kind", "Ac Ad Ah", "2c 2d 2h"),
    Span("straight", "Ac Kd Qh", "3c 2d Ah"),
    Span("flush", "As Ks Js", "5c 3c 2c"),
    Span("pair", "Ac Ad Kh", "2c 2d 3h"),
    Span("high-card", "Ac Kd Jh", "5c 3d 2h"),
)
CHAPTERS = {
    # chapter: ranking, its categories, how many of them the chapter lists
    "PA 657a.6(b)": ("four-card", FOUR, 7),
    "PA 657a.6(d)": ("five-card", FIVE, 7),
    "MA 5(b)": ("four-card", FOUR, 7),
    "MA 5(d)": ("five-card", FIVE, 7),
    "PA2011 573.6(b)": ("four-card", FOUR, 7),
    "PA2010 553.4(b)": ("five-card", FIVE, 9),
    "PA2010 555.6(b)": ("five-card", FIVE, 9),
    "PA2010 557.6(b)": ("four-card", FOUR, 7),
    "PA2010 559.6(b)": ("five-card", FIVE, 9),
    "PA2010 563.6(b)": ("five-card", FIVE, 9),
    "PA2010 565.6(b)": ("three-card", THREE, 5),
    "PA2014 592.6(b)": ("five-card", FIVE, 9),
}
LISTED = [
    pytest.param(
        ranking,
        spans[place],
        spans[place + 1],
        marks=[
            pytest.mark.rule(f"{clause}({place + 1})"),
            pytest.mark.rule(clause),
            pytest.mark.rule(clause.partition("(")[0]),
        ],
        id=f"{clause}({place + 1})",
    )
    for clause, (ranking, spans, listed) in CHAPTERS.items()
    for place in range(listed)
]


@pytest.mark.parametrize(("ranking", "span", "below"), LISTED)
def test_a_category_ranks_from_its_highest_hand_to_its_lowest(
    ranking: str, span: Span, below: Span
) -> None:
    """A category's lowest hand is called by its name and beats the next category's highest."""
    assert span.name in names(ranking, parse_cards(span.highest))
    assert span.name in names(ranking, parse_cards(span.lowest))
    assert span.name not in names(ranking, parse_cards(below.highest))
    assert beats(ranking, span.lowest, below.highest)
    assert rank(ranking, parse_cards(span.highest)) >= rank(ranking, parse_cards(span.lowest))


CARD_ORDERS = [
    pytest.param(ranking, size, id=clause, marks=pytest.mark.rule(clause))
    for clause, ranking, size in (
        ("PA 657a.6(a)", "four-card", 4),
        ("MA 5(a)", "four-card", 4),
        ("PA2011 573.6(a)", "four-card", 4),
        ("PA2010 557.6(a)", "four-card", 4),
        ("PA2010 553.4(a)", "five-card", 5),
        ("PA2010 555.6(a)", "five-card", 5),
        ("PA2010 559.6(a)", "five-card", 5),
        ("PA2010 563.6(a)", "five-card", 5),
        ("PA2014 592.6(a)", "five-card", 5),
        ("PA2010 565.6(a)", "three-card", 3),
    )
]


@pytest.mark.parametrize(("ranking", "size"), CARD_ORDERS)
def test_cards_rank_from_ace_to_two(ranking: str, size: int) -> None:
    """Of two hands that differ in one card, that with the higher card is higher."""
    for higher, lower in zip("AKQJT9876543", "KQJT98765432", strict=True):
        rest = [rank for rank in "27Q4J9" if rank not in (higher, lower)][: size - 1]
        others = " ".join(rank + suit for rank, suit in zip(rest, "dhsd", strict=False))
        assert beats(ranking, f"{higher}c {others}", f"{lower}c {others}")


@pytest.mark.parametrize(("ranking", "size"), CARD_ORDERS)
def test_an_ace_is_low_only_in_the_lowest_straight(ranking: str, size: int) -> None:
    """Ace to size is the lowest straight, the next one up beats it, and no straight turns round."""
    suits = "cdhsc"
    wheel, next_up, around = ("A" + "2345"[: size - 1]), "23456"[:size], ("KA" + "234"[: size - 2])
    dealt = [
        " ".join(rank + suit for rank, suit in zip(run, suits, strict=False))
        for run in (wheel, next_up, around)
    ]
    assert "straight" in names(ranking, parse_cards(dealt[0]))
    assert beats(ranking, dealt[1], dealt[0])
    assert "ace-high" in names(ranking, parse_cards(dealt[2]))


@pytest.mark.parametrize(("ranking", "size"), CARD_ORDERS)
def test_suits_are_equal(ranking: str, size: int) -> None:
    """The same ranks in other suits are a tie, also as a flush."""
    ranks = "AKJ94"[:size]
    for flush in "cdhs":
        assert ties(ranking, *("".join(rank + suit for rank in ranks) for suit in ("s", flush)))


def clauses(*ids: str) -> list[pytest.MarkDecorator]:
    """The marks of several clauses."""
    return [pytest.mark.rule(clause) for clause in ids]


FOUR_CARD_TIES = clauses("PA 657a.6(c)", "MA 5(c)", "PA2011 573.6(c)", "PA2010 557.6(c)")
FIVE_CARD_TIES = clauses("PA2010 553.4(e)", "PA2010 555.6(c)", "PA2010 563.6(c)")
THREE_CARD_TIES = clauses("PA2010 565.6(c)")


@pytest.mark.parametrize(
    ("ranking", "higher", "lower"),
    [
        pytest.param(ranking, higher, lower, marks=marks)
        for ranking, marks, pairs in (
            (
                "four-card",
                FOUR_CARD_TIES,
                (
                    ("3c 3d 3h 3s", "2c 2d 2h 2s"),
                    ("5s 4s 3s 2s", "4c 3c 2c Ac"),
                    ("3c 3d 3h 2s", "2c 2d 2h As"),
                    ("3c 3d 3h 5s", "3c 3d 3h 4s"),
                    ("As 5s 4s 3s", "Ac 5c 4c 2c"),
                    ("Ks 5s 4s 2s", "Qc Jc Tc 8c"),
                    ("5s 4d 3s 2s", "4c 3c 2d Ac"),
                    ("Ac Ad 2h 2s", "Kc Kd Qh Qs"),
                    ("Ac Ad 3h 3s", "Ac Ad 2h 2s"),
                    ("3c 3d 4h 2s", "2c 2d Ah Ks"),
                    ("Qc Qd Ah 2s", "Qh Qs Kh Js"),
                    ("Qc Qd Ah 3s", "Qh Qs As 2s"),
                    ("Ac 5d 4h 3s", "Kc Qd Jh 9s"),
                    ("Ac Kd 4h 3s", "Ad Kh 4s 2c"),
                ),
            ),
            (
                "five-card",
                FIVE_CARD_TIES,
                (
                    ("6s 5s 4s 3s 2s", "5c 4c 3c 2c Ac"),
                    ("3c 3d 3h 3s 2c", "2c 2d 2h 2s Ac"),
                    ("3c 3d 3h 3s 4c", "3c 3d 3h 3s 2c"),
                    ("3c 3d 3h 2s 2c", "2c 2d 2h As Ac"),
                    ("3c 3d 3h 4s 4c", "3c 3d 3h 2s 2c"),
                    ("Ks 5s 4s 3s 2s", "Qc Jc Tc 9c 7c"),
                    ("Ks 6s 4s 3s 2s", "Kc 5c 4c 3c 2c"),
                    ("6s 5d 4s 3s 2s", "5c 4d 3c 2c Ac"),
                    ("3c 3d 3h 4s 2c", "2c 2d 2h As Kc"),
                    ("3c 3d 3h 6s 2c", "3c 3d 3h 5s 4c"),
                    ("Ac Ad 2h 2s 3c", "Kc Kd Qh Qs Ac"),
                    ("Ac Ad 3h 3s 2c", "Ac Ad 2h 2s Kc"),
                    ("Ac Ad 3h 3s 5c", "Ah As 3c 3d 4c"),
                    ("3c 3d 5h 4s 2c", "2c 2d Ah Ks Qc"),
                    ("Qc Qd Ah 3s 2c", "Qh Qs Kh Js Tc"),
                    ("Qc Qd Ah 5s 3c", "Qh Qs Ac 5d 2c"),
                    ("Ac 6d 4h 3s 2c", "Kc Qd Jh Ts 8c"),
                    ("Ac Kd 5h 4s 3c", "Ad Kh 5s 4c 2d"),
                ),
            ),
            (
                "three-card",
                THREE_CARD_TIES,
                (
                    ("4s 3s 2s", "3c 2c Ac"),
                    ("3c 3d 3h", "2c 2d 2h"),
                    ("4s 3d 2s", "3c 2d Ac"),
                    ("As 4s 2s", "Kc Qc Tc"),
                    ("As 5s 3s", "Ac 5c 2c"),
                    ("3c 3d 2h", "2c 2d Ah"),
                    ("3c 3d 5h", "3c 3d 4h"),
                    ("Ac 4d 2h", "Kc Qd Th"),
                    ("Ac Td 3h", "Ad Th 2c"),
                ),
            ),
        )
        for higher, lower in pairs
    ],
)
def test_the_highest_odd_card_decides_within_a_category(
    ranking: str, higher: str, lower: str
) -> None:
    """Of two hands of one category the one with the highest card not in the other is higher."""
    assert beats(ranking, higher, lower)
    first, second = names(ranking, parse_cards(higher)), names(ranking, parse_cards(lower))
    assert first[-2] == second[-2]


@pytest.mark.parametrize(
    ("ranking", "one", "other"),
    [
        pytest.param("four-card", "Ac Kd 4h 3s", "Ad Kc 4s 3h", marks=FOUR_CARD_TIES),
        pytest.param("four-card", "As Ks 4s 3s 2d", "Ac Kc 4c 3c 2h", marks=FOUR_CARD_TIES),
        pytest.param("four-card", "Qc Qd 9h 8s 2c", "Qh Qs 9c 8d 5c", marks=FOUR_CARD_TIES),
        pytest.param("five-card", "Ac Kd 5h 4s 3c", "Ad Kc 5s 4h 3d", marks=FIVE_CARD_TIES),
        pytest.param("five-card", "Ac Ad Kh Ks 3c", "Ah As Kc Kd 3d", marks=FIVE_CARD_TIES),
        pytest.param("three-card", "Ac Ad 5h", "Ah As 5c", marks=THREE_CARD_TIES),
    ],
)
def test_hands_of_the_same_ranks_tie(ranking: str, one: str, other: str) -> None:
    """Where no card decides, hands are a tie; a card that is not part of the hand never decides."""
    assert ties(ranking, one, other)
