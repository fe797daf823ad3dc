"""What a hand is called: the best of its cards, each of its names, and what is no hand."""

import pytest

from jackpot.rules.cards import CardError, parse_cards
from jackpot.rules.hands import RANKINGS, at_least, best, known_names, names, rank
from tests.rules.hand_order import ties


@pytest.mark.parametrize(
    ("ranking", "dealt", "made"),
    [
        ("four-card", "Ac Ad Ah As Kc", "Ac Ad Ah As"),
        ("four-card", "Ac Ad Ah 4s 3s", "Ac Ad Ah 4s"),
        ("four-card", "4s 3s 2s As Ac", "4s 3s 2s As"),
        ("four-card", "Ks 9s 5s 3s Kc", "Ks 9s 5s 3s"),  # a flush, above the pair
        ("four-card", "Ks 9s 5s 4s 3s", "Ks 9s 5s 4s"),
        ("four-card", "Kc Kd 9h 9s 5s", "Kc Kd 9h 9s"),
        ("four-card", "6c 5d 4h 3s 2c", "6c 5d 4h 3s"),
        ("four-card", "Ac 5d 4h 3s 2c", "5d 4h 3s 2c"),
        ("four-card", "Ac Kd 9h 3s 2c 7d", "Ac Kd 9h 7d"),
        ("five-card", "Ac Ad 7s 6s 5s 4s 3s", "7s 6s 5s 4s 3s"),
        ("five-card", "As Ad Kh Ks 7c 6d 2h", "As Ad Kh Ks 7c"),
        ("five-card", "9c 8d 7h 6s 5c 4d 3h", "9c 8d 7h 6s 5c"),
    ],
)
def test_the_best_of_the_cards_dealt_count(ranking: str, dealt: str, made: str) -> None:
    """From more cards than a hand has, the highest hand is formed."""
    assert set(best(ranking, parse_cards(dealt))) == set(parse_cards(made))
    assert ties(ranking, dealt, made)


def test_a_four_card_hand_may_be_what_its_five_cards_are_not() -> None:
    """Five cards that are a full house are three of a kind under the four-card ranking."""
    cards = parse_cards("Ac Ad Ah Ks Kc")
    assert "three-of-a-kind" in names("four-card", cards)
    assert "full-house" in names("five-card", cards)


@pytest.mark.rule("PA 657a.12(b)")
def test_four_aces_have_a_name_of_their_own() -> None:
    """Four aces are named before four of a kind; four kings are not four aces."""
    assert names("four-card", parse_cards("Ac Ad Ah As 2c"))[:2] == ("four-aces", "four-of-a-kind")
    assert "four-aces" not in names("four-card", parse_cards("Kc Kd Kh Ks Ac"))
    assert "four-aces" not in names("four-card", parse_cards("Ac Ad Ah Ks Kc"))


@pytest.mark.rule("PA 657a.12(c)")
def test_a_pair_is_named_down_to_every_rank_it_reaches() -> None:
    """Queens are queens or better, jacks are not, and two pair are no pair of queens."""
    assert "pair-of-queens-or-better" in names("four-card", parse_cards("Qc Qd 7h 5s 3c"))
    assert "pair-of-queens-or-better" in names("four-card", parse_cards("Ac Ad 7h 5s 3c"))
    assert "pair-of-queens-or-better" not in names("four-card", parse_cards("Jc Jd Ah Ks Qc"))
    assert "pair-of-queens-or-better" not in names("four-card", parse_cards("Qc Qd Ah As 3c"))
    assert names("four-card", parse_cards("3c 3d 7h 5s Kc")) == (
        *("pair-of-threes", "pair-of-threes-or-better", "pair-of-twos-or-better", "pair", "any"),
    )


@pytest.mark.parametrize(
    ("ranking", "cards", "name", "answer"),
    [
        ("four-card", "Kc 9d 7h 5s 3c", "king-high", True),
        ("four-card", "Qc Jd 9h 7s 5c", "king-high", False),
        ("four-card", "2c 2d 9h 7s 5c", "king-high", True),
        ("four-card", "Ac Ad 9h 7s 5c", "pair-of-aces", True),
        ("four-card", "Kc Kd 9h 7s 5c", "pair-of-aces", False),
        ("four-card", "2c 2d 3h 3s 5c", "pair-of-aces", True),
        ("four-card", "4c 3d 2h As 9c", "straight", True),
        ("four-card", "Ac Ad Kh Ks Qc", "straight", False),
        ("three-card", "Qc 3d 2h", "queen-high", True),
        ("three-card", "Jc Td 8h", "queen-high", False),
        ("five-card", "Ac Kd 4h 3s 2c", "ace-king-high", True),
        ("five-card", "Ac Qd Jh Ts 9c", "ace-king-high", False),
        ("five-card", "2c 2d 3h 4s 5c", "ace-king-high", True),
        ("five-card", "As Ks Qs Js Ts", "royal-flush", True),
        ("five-card", "Ks Qs Js Ts 9s", "royal-flush", False),
        ("four-card", "Ac Ad Ah As 2c", "four-aces", True),
        ("four-card", "Kc Kd Kh Ks Ac", "four-aces", False),
    ],
)
def test_a_hand_is_compared_with_a_name(
    ranking: str, cards: str, name: str, *, answer: bool
) -> None:
    """A hand is at least a name from the lowest hand of that name upwards."""
    assert at_least(ranking, parse_cards(cards), name) is answer


@pytest.mark.parametrize(
    ("ranking", "cards", "complaint"),
    [
        ("five-card", "As Ks Qs Js", "cannot be made of 4 cards"),
        ("four-card", "As Ks Qs", "cannot be made of 3 cards"),
        ("four-card", "As Ks Qs Js Ts 9s 8s", "cannot be made of 7 cards"),
        ("three-card", "As Ks Qs Js", "cannot be made of 4 cards"),
        ("six-card-bonus", "As Ks Qs Js Ts", "cannot be made of 5 cards"),
        ("pai-gow", "As Ks Qs", "cannot be made of 3 cards"),
        ("five-card", "As Ks Qs Js Jk", "has no joker"),
        ("seven-card", "As Ks Qs Js Ts", "is not a ranking"),
    ],
)
def test_cards_that_make_no_hand_are_refused(ranking: str, cards: str, complaint: str) -> None:
    """A wrong number of cards, a joker or an unknown ranking is refused in one sentence."""
    with pytest.raises(CardError, match=complaint):
        rank(ranking, parse_cards(cards))


def test_a_card_held_twice_is_refused() -> None:
    """A hand with the same card twice is refused, never ranked."""
    with pytest.raises(CardError, match="As appears twice"):
        names("five-card", ("As", "As", "Ks", "Qs", "Js"))


def test_an_unknown_name_is_refused() -> None:
    """Comparing with a name that the ranking doesn't have is refused."""
    with pytest.raises(CardError, match="is not a hand of the three-card ranking"):
        at_least("three-card", parse_cards("As Ks Qs"), "royal-flush")


@pytest.mark.parametrize("ranking", RANKINGS)
def test_every_name_that_is_given_is_known(ranking: str) -> None:
    """What `names` answers is always among the names that a rule file may use."""
    size = RANKINGS[ranking].dealt[0]
    deals = (
        "AsKsQsJsTs9s8s",
        "AcAdAhAs2c3c4c",
        "2c2d5h9sKdQhJh",
        "AcJdTh7s5d4h2h",
        "AcKcQcJcTc9c8d",
    )
    for deal in deals:
        given = names(ranking, parse_cards(deal)[:size])
        assert set(given) <= known_names(ranking)
        assert len(set(given)) == len(given)
        assert given[-1] == "any"
