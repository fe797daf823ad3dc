"""Payments to the cent: odds exact, odd parts of a cent in the player's favor."""

from fractions import Fraction

import pytest

from jackpot.rules.contest import TwoHands
from table_client.table.games.catalogue import GAMES
from table_client.table.round.verdicts import against_two_hands, highest, won_micros
from tests.client.games.tables import DOLLAR, PAI_GOW, Scripted, play, results, terms_of

CENT = 10_000
HALF = Fraction(3, 2)


@pytest.mark.rule("PA 657a.12(b)")
@pytest.mark.parametrize(
    ("cents", "won_cents"), [(100, 150), (500, 750), (2, 3), (4, 6), (5, 8), (1, 2), (7, 11)]
)
def test_three_to_two_is_exact_or_rounded_up(cents: int, won_cents: int) -> None:
    """Even wagers exactly; half a cent is rounded up, never down."""
    assert won_micros(HALF, cents * CENT) == won_cents * CENT


def test_whole_odds_are_never_rounded() -> None:
    """1,000 to 1 on an odd cent."""
    assert won_micros(Fraction(1_000), 7 * CENT) == 7_000 * CENT
    assert won_micros(Fraction(0), 7 * CENT) == 0


def test_a_wager_finer_than_a_cent_is_an_error() -> None:
    """A micro more than a dollar is no wager."""
    with pytest.raises(ArithmeticError, match="a wager must be in whole cents"):
        won_micros(HALF, DOLLAR + 1)


def test_of_two_hands_the_higher_counts() -> None:
    """A pair of sixes over ace high, in either order."""
    low, high = ("Ac", "Kd", "9h", "7s", "2c"), ("6c", "6d", "9h", "7s", "2c")
    assert highest("five-card", (low, high)) == highest("five-card", (high, low)) == high


@pytest.mark.rule("PA2010 561.13(m)")
@pytest.mark.parametrize(
    ("wager", "rounded", "won"),
    [(10, False, 950), (10, True, 950), (11, False, 1_045), (11, True, 1_025)],
)
async def test_vigorish_is_five_percent_or_rounded_to_a_quarter(
    wager: int, rounded: bool, won: int
) -> None:
    """Fifty cents of ten dollars; of eleven 55 cents, or 75 rounded up to quarters."""
    terms = terms_of(PAI_GOW, vigorish="rounded-up" if rounded else "exact", start="button")
    # The button is at the dealer: the first stack is the dealer's, the second seat 1's.
    dealer, player = "2c 3d 4h 6s 8c 9d Jh", "Ac Ad Kh Ks 5c 7d Th"
    players = {1: Scripted(wagers={"pai-gow": wager})}
    result = await play(PAI_GOW, f"{dealer} {player}", players, terms=terms)
    assert results(result) == {"pai-gow": ("win", won)}


@pytest.mark.parametrize(
    ("player", "won"),
    [
        pytest.param(
            (("Kc", "Kd", "9h", "5c", "4d"), ("Ac", "Qd")),
            1,
            marks=pytest.mark.rule("PA2010 561.13(k)"),
        ),
        pytest.param(
            (("Kc", "Kd", "9h", "5c", "4d"), ("Ac", "Jd")),
            0,
            marks=pytest.mark.rule("PA2010 561.13(i)(1)"),
        ),
        pytest.param(
            (("Tc", "Td", "9h", "5c", "4d"), ("Ac", "Qd")),
            0,
            marks=pytest.mark.rule("PA2010 561.13(i)(2)"),
        ),
        pytest.param(
            (("Tc", "Td", "9h", "5c", "4d"), ("Ac", "9d")),
            -1,
            marks=pytest.mark.rule("PA2010 561.13(g)(1)"),
        ),
        pytest.param(
            (("Qc", "Qd", "9h", "5c", "4d"), ("Ac", "Jd")),
            -1,
            marks=pytest.mark.rule("PA2010 561.13(g)(2)"),
        ),
        pytest.param(
            (("Ac", "Qd", "9h", "5c", "4d"), ("Kc", "Kd")),
            -1,
            marks=pytest.mark.rule("PA2010 561.13(g)(3)"),
        ),
    ],
)
def test_pai_gow_hands_win_tie_or_lose(
    player: tuple[tuple[str, ...], tuple[str, ...]], won: int
) -> None:
    """Against queens with nine, five, four and ace-jack: copies count for the dealer."""
    bet = GAMES[PAI_GOW].rule.bet("pai-gow")
    assert bet
    dealer = TwoHands(("Qh", "Qs", "9c", "5d", "4h"), ("Ad", "Jh"))
    assert against_two_hands(bet, TwoHands(*player), dealer).won == won
