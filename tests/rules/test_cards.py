import pytest

from jackpot.rules.cards import (
    DECK,
    CardError,
    deck,
    parse_card,
    parse_cards,
    pretty,
    rank_of,
    suit_of,
)


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("As", "As"),
        ("as", "As"),
        ("AS", "As"),
        ("10d", "Td"),
        ("td", "Td"),
        ("2♣", "2c"),
        ("A♠", "As"),
        ("jk", "Jk"),
        (" Kh ", "Kh"),
    ],
)
def test_a_card_is_read_in_any_usual_spelling(text: str, card: str) -> None:
    """However a card is written, it becomes the one spelling."""
    assert parse_card(text) == card


@pytest.mark.parametrize("text", ["", "A", "1s", "Ax", "Asd", "0d", "joker!", "11c"])
def test_what_is_no_card_is_refused_by_name(text: str) -> None:
    """Text that is no card is refused, and the refusal repeats it."""
    with pytest.raises(CardError, match="is not a card") as refusal:
        parse_card(text)
    assert repr(text) in str(refusal.value)


def test_cards_are_read_with_or_without_separators() -> None:
    """Blanks, commas or nothing may stand between cards."""
    assert parse_cards("As Kd,10h 2c") == ("As", "Kd", "Th", "2c")
    assert parse_cards("AsKd10h2c") == ("As", "Kd", "Th", "2c")


def test_a_card_cannot_be_held_twice() -> None:
    """The same card twice is refused even in two spellings."""
    with pytest.raises(CardError, match="Th appears twice"):
        parse_cards("Th 10h")


def test_a_deck_has_each_card_once() -> None:
    """A deck has 52 different cards, 53 with the joker."""
    assert len(set(deck())) == len(deck()) == 52
    assert deck() == DECK
    assert deck(joker=True) == (*DECK, "Jk")
    assert all(parse_card(card) == card for card in deck(joker=True))


def test_ranks_run_from_two_to_ace() -> None:
    """Each suit has the ranks 2 to 14; the joker ranks as an ace."""
    for suit in "cdhs":
        assert [rank_of(card) for card in DECK if suit_of(card) == suit] == list(range(2, 15))
    assert rank_of("Jk") == 14


def test_cards_are_shown_with_suit_symbols() -> None:
    """A person sees symbols, and ten as 10."""
    assert pretty(("As", "Td", "2c", "Kh", "Jk")) == "A♠ 10♦ 2♣ K♥ joker"
