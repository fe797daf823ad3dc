"""The rankings that are not plain poker: six cards, three-card bonus, two cards, Pai Gow, low."""

from itertools import pairwise

import pytest

from jackpot.rules.cards import parse_cards
from jackpot.rules.hands import names, rank
from tests.rules.hand_order import beats


def first(ranking: str, cards: str) -> str:
    """The most specific name of a hand."""
    return names(ranking, parse_cards(cards))[0]


SIX_CARD = [
    # clause, hand with the name, nearest hand without it, name
    ("1", "Ad Kd Qd Jd Td 9d", "Ad Kd Qd Jd Td 9s", "six-card-royal-flush"),
    ("1", "Ac Kc Qc Jc Tc 9c", "Ac Kc Qc Jc Tc 8c", "six-card-royal-flush"),
    ("1", "As Ks Qs Js Ts 9s", "Ks Qs Js Ts 9s 8s", "six-card-royal-flush"),
    ("2", "Ad Kd Qd Jd Td 2c", "Ad Kd Qd Jd Tc 9d", "royal-flush"),
    ("2", "Ad Kd Qd Jd Td As", "Kd Qd Jd Td 9d As", "royal-flush"),
    ("3", "5d 4d 3d 2d Ad Kd", "4d 3d 2d Ad Kd Qd", "straight-flush"),
    ("3", "Kd Qd Jd Td 9d 9s", "Kd Qd Jd Td 9s 8d", "straight-flush"),
    ("4", "2c 2d 2h 2s 3c 3d", "2c 2d 2h 3s 3c 3d", "four-of-a-kind"),
    ("5", "2c 2d 2h 3s 3c 3d", "2c 2d 4h 4s 3c 3d", "full-house"),
    ("5", "2c 2d 2h 3s 3c Kd", "2c 2d 2h 3s 4c Kd", "full-house"),
    ("6", "7d 5d 4d 3d 2d 7s", "7d 5d 4d 3d 2s 7s", "flush"),
    ("6", "Ad Kd Qd Jd 9d 8d", "Ad Kd Qd Jd 9s 8s", "flush"),
    ("7", "5c 4d 3h 2s Ac Kd", "4d 3h 2s Ac Kd Qc", "straight"),
    ("7", "Ac Kd Qh Js Tc Td", "Kd Qh Js Tc 8d 7c", "straight"),
    ("8", "2c 2d 2h 5s 7c 9d", "2c 2d 5h 5s 7c 9d", "three-of-a-kind"),
]


@pytest.mark.rule("PA 657a.6(e)")
@pytest.mark.parametrize(
    ("with_it", "without_it", "name"),
    [
        pytest.param(*row, id=f"{number}-{row[-1]}-{row[0]}", marks=mark)
        for number, *row in SIX_CARD
        for mark in (pytest.mark.rule(f"PA 657a.6(e)({number})"),)
    ],
)
def test_six_cards_form_their_highest_hand(with_it: str, without_it: str, name: str) -> None:
    """Each hand of the Six Card Bonus is named from its lowest form on, and not just below it."""
    assert name in names("six-card-bonus", parse_cards(with_it))
    assert name not in names("six-card-bonus", parse_cards(without_it))


@pytest.mark.rule("PA 657a.12(g)")
def test_the_six_card_royal_of_diamonds_is_told_from_the_others() -> None:
    """A six-card royal is named with its suit, and is a royal flush where no row names it."""
    diamonds = names("six-card-bonus", parse_cards("9d Td Jd Qd Kd Ad"))
    assert diamonds[:3] == (
        *("six-card-royal-flush-diamonds", "six-card-royal-flush", "royal-flush"),
    )
    hearts = names("six-card-bonus", parse_cards("Ah Kh Qh Jh Th 9h"))
    assert hearts[0] == "six-card-royal-flush-hearts"
    assert "six-card-royal-flush-diamonds" not in hearts


@pytest.mark.rule("PA 657a.6(e)")
def test_two_pair_and_less_win_no_six_card_name() -> None:
    """Three pairs are two pair, the first hand below those that are paid."""
    assert first("six-card-bonus", "2c 2d 3h 3s 4c 4d") == "two-pair"


THREE_CARD_BONUS = [
    ("1", "Ac Kc Qc", "Ac Kc Qd", "mini-royal"),
    ("1", "Ac Kc Qc", "Kc Qc Jc", "mini-royal"),
    ("2", "3c 2c Ac", "Kc Ac 2c", "straight-flush"),
    ("2", "Kc Qc Jc", "Kc Qc Tc", "straight-flush"),
    ("3", "5c 3c 2c", "4c 3c 2c", "flush"),
    ("4", "3c 2d Ah", "2c Ad Kh", "straight"),
    ("4", "Ac Kd Qh", "Ac Kd Jh", "straight"),
    ("5", "2c 2d 2h", "2c 2d 3h", "three-of-a-kind"),
    ("6", "2c 2d 3h", "2c 4d 3h", "pair"),
]


@pytest.mark.rule("PA2010 559.6(c)")
@pytest.mark.parametrize(
    ("with_it", "without_it", "name"),
    [
        pytest.param(*row, id=f"{number}-{row[-1]}-{row[1]}", marks=mark)
        for number, *row in THREE_CARD_BONUS
        for mark in (pytest.mark.rule(f"PA2010 559.6(c)({number})"),)
    ],
)
def test_three_cards_are_named_for_the_bonus(with_it: str, without_it: str, name: str) -> None:
    """Each hand of the Three Card Bonus has its name; the nearest other hand does not."""
    assert name in names("three-card", parse_cards(with_it))
    assert name not in names("three-card", parse_cards(without_it))


@pytest.mark.rule("PA2010 565.12(f)")
@pytest.mark.rule("PA2010 559.14(e)")
def test_a_mini_royal_is_a_straight_flush_where_no_row_names_it() -> None:
    """A mini royal of spades may be paid as such, as any mini royal, or as a straight flush."""
    spades = names("three-card", parse_cards("As Ks Qs"))
    assert spades[:3] == ("mini-royal-spades", "mini-royal", "straight-flush")
    assert "mini-royal-spades" not in names("three-card", parse_cards("Ah Kh Qh"))
    assert "mini-royal" not in names("three-card", parse_cards("As Ks Js"))


@pytest.mark.rule("PA2010 563.12(c)")
@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        ("Ac Ad", "pair-of-aces"),
        ("Ac Kc", "ace-king-suited"),
        ("Kc Ac", "ace-king-suited"),
        ("Ac Qc", "ace-queen-or-jack-suited"),
        ("Ac Jc", "ace-queen-or-jack-suited"),
        ("Ac Kd", "ace-king-offsuit"),
        ("Kc Kd", "pair-of-jacks-or-better"),
        ("Jc Jd", "pair-of-jacks-or-better"),
        ("Ac Qd", "ace-queen-or-jack-offsuit"),
        ("Ac Jd", "ace-queen-or-jack-offsuit"),
        ("Tc Td", "pair"),
        ("2c 2d", "pair"),
        ("Ac Tc", "any"),
        ("Ac Td", "any"),
        ("Kc Qc", "any"),
    ],
)
def test_two_cards_are_named_by_the_first_row_they_fit(cards: str, expected: str) -> None:
    """A player's two cards find their row, from the top, by name alone."""
    rows = (
        *("pair-of-aces", "ace-king-suited", "ace-queen-or-jack-suited", "ace-king-offsuit"),
        *("pair-of-jacks-or-better", "ace-queen-or-jack-offsuit", "pair", "any"),
    )
    given = names("two-card-bonus", parse_cards(cards))
    assert next(row for row in rows if row in given) == expected


@pytest.mark.rule("PA2010 563.12(d)")
def test_aces_against_aces_need_all_four() -> None:
    """The extra payout needs a pair of aces in both hands."""
    assert first("two-card-bonus-both", "Ac Ad Ah As") == "aces-against-aces"
    assert first("two-card-bonus-both", "Ac Ad Ah Ks") == "pair-of-aces"
    assert first("two-card-bonus-both", "Kc Kd Ah As") == "pair-of-kings"
    assert first("two-card-bonus-both", "Ac Kd Ah As") == "ace-king-offsuit"


PAI_GOW = [
    # highest first; the number is the paragraph of 561.6(b) that lists the hand
    ("1", "Ac Ad Ah As Jk"),
    ("2", "As Ks Qs Js Ts"),
    ("3", "5c 4c 3c 2c Ac"),
    ("3", "Kc Qc Jc Tc 9c"),
    ("3", "6c 5c 4c 3c 2c"),
    ("4", "Ac Ad Ah As Kc"),
    ("4", "2c 2d 2h 2s Ac"),
    ("5", "Ac Ad Ah Ks Kc"),
    ("5", "2c 2d 2h 3s 3c"),
    ("6", "As Ks Qs Js 9s"),
    ("6", "7c 5c 4c 3c 2c"),
    ("7", "Ac Kd Qh Js Tc"),
    ("7", "5c 4d 3h 2s Ac"),
    ("7", "Kc Qd Jh Ts 9c"),
    ("7", "6c 5d 4h 3s 2c"),
    ("8", "Ac Ad Ah Ks Qc"),
    ("8", "2c 2d 2h 4s 3c"),
    ("9", "Ac Ad Kh Ks Qc"),
    ("9", "3c 3d 2h 2s 4c"),
    ("10", "Ac Ad Kh Qs Jc"),
    ("10", "2c 2d 5h 4s 3c"),
    ("none", "Ac Kd Qh Js 9c"),
]
PAI_GOW_NAMES = dict(
    zip(
        map(str, range(1, 11)),
        (
            *("five-aces", "royal-flush", "straight-flush", "four-of-a-kind", "full-house"),
            *("flush", "straight", "three-of-a-kind", "two-pair", "pair"),
        ),
        strict=True,
    )
)


@pytest.mark.rule("PA2010 561.6")
@pytest.mark.rule("PA2010 561.6(b)")
@pytest.mark.parametrize(
    ("number", "higher", "lower"),
    [
        pytest.param(
            number, higher, lower, marks=pytest.mark.rule(f"PA2010 561.6(b)({number})"), id=higher
        )
        for (number, higher), (_, lower) in pairwise(PAI_GOW)
    ],
)
def test_pai_gow_has_its_own_order(number: str, higher: str, lower: str) -> None:
    """Five aces lead; ace to five is the second straight and the first straight flush."""
    assert PAI_GOW_NAMES[number] in names("pai-gow", parse_cards(higher))
    assert beats("pai-gow", higher, lower)


@pytest.mark.rule("PA2010 561.6(b)(2)")
@pytest.mark.rule("PA2010 561.6(c)")
@pytest.mark.parametrize(
    ("cards", "name", "as_good_as"),
    [
        ("Kc Qc Jc Tc Jk", "royal-flush", "Ac Kc Qc Jc Tc"),
        ("Ac Kc Jc Tc Jk", "royal-flush", "Ac Kc Qc Jc Tc"),
        ("5c 4c 3c 2c Jk", "straight-flush", "5d 4d 3d 2d Ad"),  # the highest that it completes
        ("9c 8c 6c 5c Jk", "straight-flush", "9d 8d 7d 6d 5d"),
        ("Kc Qd Jh Ts Jk", "straight", "Ac Kd Qh Js Tc"),
        ("9c 8d 7h 6s Jk", "straight", "Tc 9d 8h 7s 6c"),
        ("5c 4d 3h 2s Jk", "straight", "5c 4d 3h 2s Ac"),
        ("Kc 9c 7c 4c Jk", "flush", "Ad Kd 9d 7d 4d"),
        ("Ac 9c 7c 4c Jk", "flush", "Ad Kd 9d 7d 4d"),  # the ace is held: the joker is the king
    ],
)
def test_the_joker_completes_straights_and_flushes(cards: str, name: str, as_good_as: str) -> None:
    """The joker is the card that completes the highest straight, flush or straight flush."""
    assert name in names("pai-gow", parse_cards(cards))
    assert rank("pai-gow", parse_cards(cards)) == rank("pai-gow", parse_cards(as_good_as))


@pytest.mark.rule("PA2010 561.6(a)")
@pytest.mark.parametrize(
    ("cards", "name"),
    [
        ("Ac Ad Ah As Jk", "five-aces"),
        ("Ac Ad Ah Ks Jk", "four-aces"),
        ("Ac Ad Kh Ks Jk", "full-house"),
        ("Kc Kd Kh 2s Jk", "three-of-a-kind"),  # not a fourth king
        ("Kc Kd 7h 2s Jk", "pair-of-kings"),  # an ace beside the kings, not a third king
        ("Ac Kd 7h 2s Jk", "pair-of-aces"),
        ("Kc 9d 7h 2s Jk", "ace-high"),
        ("Kc Jk", "ace-high"),
        ("Ac Jk", "pair-of-aces"),
        ("2c Jk", "ace-high"),  # a Low hand has no straights
        ("Kc Qc", "king-high"),
    ],
)
def test_the_joker_is_otherwise_an_ace(cards: str, name: str) -> None:
    """Where it completes neither straight nor flush, the joker ranks as an ace."""
    assert first("pai-gow", cards) == name


@pytest.mark.rule("PA2010 561.6(b)(10)")
@pytest.mark.rule("PA2010 561.6(d)")
def test_pai_gow_low_hands_are_compared_by_pair_then_cards() -> None:
    """A Low hand's pair beats any two odd cards; then the highest odd card decides."""
    order = ("Ac Ad", "Kc Kd", "2c 2d", "Ac Kd", "Ac Qd", "Kc Qd", "3c 2d")
    for higher, lower in pairwise(order):
        assert beats("pai-gow", higher, lower)
    assert rank("pai-gow", parse_cards("Ac Kd")) == rank("pai-gow", parse_cards("Kc Jk"))


@pytest.mark.rule("PA2010 561.6(d)")
def test_pai_gow_high_hands_of_one_rank_go_by_the_highest_odd_card() -> None:
    """Equal pairs are decided by the next card; the same ranks are a tie."""
    assert beats("pai-gow", "Qc Qd Ah 3s 2c", "Qh Qs Kh Js Tc")
    assert rank("pai-gow", parse_cards("Qc Qd Ah 3s 2c")) == rank(
        "pai-gow", parse_cards("Qh Qs Jk 3d 2d")
    )


@pytest.mark.rule("PA2010 561.13(a)")
@pytest.mark.parametrize(
    ("high", "low", "well_set"),
    [
        ("7c 7d 5h 4s 2c", "7h 7s", True),
        ("6c 6d Ah Ks Qc", "7h 7s", False),
        ("8c 8d 5h 4s 2c", "7h 7s", True),
        ("Ac Kd 9h 8s 2c", "Ad Kh", True),
        ("Ac Qd 9h 8s 2c", "Ad Kh", False),
        ("6c 5d 4h 3s 2c", "Ad Ah", True),
    ],
)
def test_a_high_hand_is_compared_with_its_low_hand(high: str, low: str, *, well_set: bool) -> None:
    """High and Low hands are ranked in one order: equal pairs leave the High hand not lower."""
    set_right = rank("pai-gow", parse_cards(high)) >= rank("pai-gow", parse_cards(low))
    assert set_right is well_set


@pytest.mark.rule("PA2010 553.4(c)")
@pytest.mark.rule("PA2010 553.4(d)")
@pytest.mark.rule("PA2010 553.4(e)")
def test_low_hands_rank_upside_down() -> None:
    """Ace to five is the best low hand, straights and flushes count for nothing, quads are last."""
    order = (
        *("5c 4c 3c 2c Ac", "6c 4d 3h 2s Ac", "6c 5c 4c 3c 2c", "7c 5d 4h 3s 2c"),
        *("8c 4d 3h 2s Ac", "8c 7d 6h 5s 4c", "Kc Qd Jh Ts 9c", "Ac Ad 4h 3s 2c"),
        *("2c 2d 4h 3s Ac", "Kc Kd Qh Js Tc", "2c 2d Ah As 3c", "Ac Ad Ah 3s 2c"),
        *("Ac Ad Ah 2s 2c", "Ac Ad Ah As 2c", "Kc Kd Kh Ks Qc"),
    )
    for better, worse in pairwise(order):
        assert beats("low-hand", better, worse)


@pytest.mark.rule("PA2010 553.10(j)")
@pytest.mark.rule("PA2010 553.12(k)")
@pytest.mark.parametrize(
    ("cards", "qualifies"),
    [
        ("8c 7d 6h 5s 4c", True),
        ("9c 4d 3h 2s Ac", False),
        ("Ac Ad 4h 3s 2c", False),
        ("Kc Kd 8h 6s 4c 2d Ah", True),
        ("Kc Kd 8h 6s 4c 2d 2h", False),
    ],
)
def test_an_eight_low_qualifies(cards: str, *, qualifies: bool) -> None:
    """Five different ranks up to the eight qualify; a nine or a pair among them does not."""
    assert ("eight-or-better" in names("low-hand", parse_cards(cards))) is qualifies


@pytest.mark.rule("PA2010 553.10(k)(1)")
@pytest.mark.rule("PA2010 553.10(k)(2)")
@pytest.mark.rule("PA2010 553.10(l)")
@pytest.mark.rule("PA2010 553.12(l)(2)")
@pytest.mark.rule("PA2010 553.12(l)(3)")
def test_one_hand_can_be_high_and_low() -> None:
    """The same five cards are a straight or flush for high and a qualifying hand for low."""
    for cards, high in (
        ("6c 5d 4h 3s 2c", "straight"),
        ("8c 7c 5c 3c 2c", "flush"),
        ("5c 4d 3h 2s Ac", "straight"),
    ):
        assert first("five-card", cards) == high
        assert first("low-hand", cards) == "eight-or-better"


@pytest.mark.rule("PA2010 553.4(f)")
def test_cards_speak() -> None:
    """A hand is what its cards are, in whatever order they lie."""
    cards = parse_cards("Ts As Qs Ks Js")
    for turn in range(5):
        assert names("five-card", cards[turn:] + cards[:turn])[0] == "royal-flush"
