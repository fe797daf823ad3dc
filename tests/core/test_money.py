"""Money is whole micros, and a person reads and writes it in dollars."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackpot.core.money import MAX_MICROS, dollars, floor_to_cent, parse_dollars, share_micros


@pytest.mark.rule("PA 657a.12(e)(3)")
@pytest.mark.parametrize(
    ("amount", "rate", "share"),
    [(1_000_000, 2_100, 210_000), (5_000_000, 2_900, 1_450_000), (10_000, 1, 1), (0, 2_100, 0)],
)
def test_a_share_of_whole_cents_is_exact(amount: int, rate: int, share: int) -> None:
    """A wager times a rate loses nothing, down to a cent at one basis point."""
    assert share_micros(amount, rate) == share


def test_a_share_that_is_no_whole_micro_is_an_error() -> None:
    """Rounding would lose money, so there is none."""
    with pytest.raises(ArithmeticError, match="no whole micro"):
        share_micros(9_999, 1)


@pytest.mark.parametrize(
    ("amount", "paid"), [(9_999, 0), (10_000, 10_000), (10_001, 10_000), (0, 0), (19_999, 10_000)]
)
def test_what_can_be_paid_is_rounded_down_to_the_cent(amount: int, paid: int) -> None:
    """One micro short of a cent pays nothing."""
    assert floor_to_cent(amount) == paid


@pytest.mark.parametrize(
    ("micros", "text"),
    [
        (0, "0.00"),
        (10_000, "0.01"),
        (1, "0.000001"),
        (12_345_670_000, "12,345.67"),
        (1_234_500, "1.234500"),
        (-1_500_000, "-1.50"),
        (1_000_000_000_000, "1,000,000.00"),
    ],
)
def test_an_amount_reads_as_a_person_writes_it(micros: int, text: str) -> None:
    """Thousands are set apart, and micros are shown only where there are any."""
    assert dollars(micros) == text


@pytest.mark.parametrize(
    ("text", "micros"),
    [
        ("10,000", 10_000_000_000),
        ("12.34", 12_340_000),
        ("0.123456", 123_456),
        ("-5", -5_000_000),
        ("1000", 1_000_000_000),
        ("1,234,567.8", 1_234_567_800_000),
    ],
)
def test_dollars_are_read_to_the_micro(text: str, micros: int) -> None:
    """Commas between thousands and up to six decimals are understood."""
    assert parse_dollars(text) == micros


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        ".5",
        "5.",
        "1.1234567",
        "1,00",
        "1,2,3",
        "1.2,3",
        "--5",
        "+5",
        "1e3",
        "$5",
        "\u0661",
        "1.\u00b2",
    ],
)
def test_whatever_is_odd_or_too_fine_is_no_amount(text: str) -> None:
    """A misplaced comma, a seventh decimal or a foreign digit is an error, never a guess."""
    with pytest.raises(ValueError, match="is not an amount in dollars"):
        parse_dollars(text)


@given(st.integers(-MAX_MICROS, MAX_MICROS))
def test_what_is_shown_reads_back_as_the_same_amount(micros: int) -> None:
    """Showing an amount loses nothing."""
    assert parse_dollars(dollars(micros)) == micros
