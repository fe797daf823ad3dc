"""Wagers against the dealer and paytable wagers, decided as each chapter says."""

from fractions import Fraction
from typing import Any, NamedTuple

import pytest

from jackpot.core.money import parse_dollars
from jackpot.rules.cards import parse_cards
from jackpot.rules.contest import TwoHands, contest, pai_gow, pays, vigorish_micros
from jackpot.rules.loader import rules
from jackpot.rules.model import BetRule

LOST, RETURNED, EVEN = Fraction(-1), Fraction(0), Fraction(1)


class Case(NamedTuple):
    """Two hands, and what each wager then wins."""

    player: str
    dealer: str
    wins: dict[str, Fraction]
    clauses: str


def bet(rule: str, bet_id: str) -> BetRule:
    """A bet that must exist."""
    found = rules()[rule].bet(bet_id)
    assert found is not None
    return found


def marked(cases: dict[str, list[Case]]) -> list[Any]:
    """Cases by rule, each marked with its clauses."""
    return [
        pytest.param(rule, case, marks=[pytest.mark.rule(one) for one in case.clauses.split("; ")])
        for rule, listed in cases.items()
        for case in listed
    ]


# Four-card hands of five cards. The dealer needs a king.
QUEEN_HIGH, KING_HIGH = "Qs Jh 9d 7c 2s", "Ks Jh 9d 7c 2s"
ACE_HIGH, LOW = "As Jd 9c 7h 2d", "Ts 8h 6d 4c 2h"
FLUSH, STRAIGHT, PAIR = "Ah Jh 9h 7h 2c", "Tc 9d 8h 7s 2c", "Ac Ad 9h 7s 3c"


def crazy(low: str, higher: str, lower: str, tie: str, pay: str) -> list[Case]:
    """Crazy 4 Poker's cases under the clauses of one chapter."""

    def case(player: str, dealer: str, wins: tuple[Fraction, Fraction, Fraction], at: str) -> Case:
        return Case(
            player, dealer, dict(zip(("ante", "play", "super-bonus"), wins, strict=True)), at
        )

    return [
        # Below a king: the Ante comes back, Play wins, whatever the player holds.
        case(ACE_HIGH, QUEEN_HIGH, (RETURNED, EVEN, RETURNED), f"{low}; {pay}(a)"),
        case(LOW, QUEEN_HIGH, (RETURNED, EVEN, RETURNED), low),
        case(STRAIGHT, QUEEN_HIGH, (RETURNED, EVEN, EVEN), f"{low}; {pay}(b)"),
        # A king: the dealer plays.
        case(LOW, KING_HIGH, (LOST, LOST, LOST), lower),
        case(STRAIGHT, "Jc Ts 9s 8d 2h", (LOST, LOST, EVEN), f"{lower}; {pay}(b)"),
        case(FLUSH, "Kd Kh Ks 2d 3d", (LOST, LOST, Fraction(3, 2)), f"{lower}; {pay}(b)"),
        case(ACE_HIGH, KING_HIGH, (EVEN, EVEN, RETURNED), f"{higher}; {pay}(a)"),
        case(PAIR, KING_HIGH, (EVEN, EVEN, RETURNED), higher),
        case(FLUSH, KING_HIGH, (EVEN, EVEN, Fraction(3, 2)), f"{higher}; {pay}(b)"),
        case("Kd Jc 9h 7s 3h", KING_HIGH, (RETURNED, RETURNED, RETURNED), tie),
        case(STRAIGHT, "Th 9s 8d 7c 3h", (RETURNED, RETURNED, EVEN), f"{tie}; {pay}(b)"),
    ]


CRAZY = {
    "pa-crazy-4-poker": crazy(
        *("PA 657a.11(c)(3)(i)", "PA 657a.11(c)(3)(ii)(B)", "PA 657a.11(c)(3)(ii)(A)"),
        *("PA 657a.11(c)(3)(ii)(C)", "PA 657a.12"),
    ),
    "ma-crazy-4-poker": crazy(
        "MA 10(c)(3)(i)", "MA 10(c)(3)(ii)", "MA 10(c)(3)(ii)", "MA 10(c)(3)(ii)", "MA 11"
    ),
    "pa-2011-crazy-4-poker": crazy(
        *("PA2011 573.11(c)(3)(i)", "PA2011 573.11(c)(3)(ii)(B)", "PA2011 573.11(c)(3)(ii)(A)"),
        *("PA2011 573.11(c)(3)(ii)(C)", "PA2011 573.12"),
    ),
}

CARIBBEAN = {
    "pa-2011-caribbean-stud": [
        # Ace and king, nothing more, is the lowest hand with which the dealer competes.
        Case("2s 2h 5d 7c 9s", "As Qh Jd 9c 8s", {"ante": EVEN, "bet": RETURNED},
             "PA2011 555.11(f)(2); PA2011 555.11(f)(3); PA2010 555.1"),
        Case("3s 4h 6d 7c 9s", "As Qh Jd 9c 8s", {"ante": EVEN, "bet": RETURNED},
             "PA2011 555.11(f)(2); PA2011 555.11(f)(3)"),
        Case("2s 2h 5d 7c 9s", "As Kh 4d 3c 2c", {"ante": EVEN, "bet": EVEN},
             "PA2010 555.1; PA2011 555.11(e)(3); PA2010 555.13(b); PA2010 555.13(c)"),
        Case("As Kd 5d 7c 9s", "Ah Kh 4d 3c 2c", {"ante": EVEN, "bet": EVEN},
             "PA2011 555.11(e)(3); PA2010 555.13(c)"),
        Case("As Ks Qs Js Ts", "Ah Kh 4d 3c 2c", {"ante": EVEN, "bet": Fraction(100)},
             "PA2011 555.11(e)(3); PA2010 555.13(c)"),
        Case("2s 2h 3d 3c 9s", "Ah Kh 4d 5c 2c", {"ante": EVEN, "bet": Fraction(2)},
             "PA2010 555.13(c)"),
        Case("As Kd 4h 3d 2s", "Ah Kh 4d 3c 2c", {"ante": RETURNED, "bet": RETURNED},
             "PA2011 555.11(e)(2)"),
        Case("As Qd Jh 9d 8h", "Ah Kh 4d 3c 2c", {"ante": LOST, "bet": LOST},
             "PA2011 555.11(e)(1)"),
    ]
}  # fmt: skip

FOUR_CARD = {
    "pa-2010-four-card-poker": [
        # The dealer has six cards and always competes; a tie is the player's.
        Case("As Jd 9c 7h 2d", "Ks Jh 9d 7c 3s 2h", {"ante": EVEN, "play": EVEN},
             "PA2010 557.12(a)(1)"),
        Case("Ks Jd 9c 7h 2d", "Kc Jh 9d 7c 3s 2h", {"ante": EVEN, "play": EVEN},
             "PA2010 557.12(a)(1)"),
        Case("Qs Jd 9c 7h 2d", "Kc Jh 9d 7c 3s 2h", {"ante": LOST, "play": LOST},
             "PA2010 557.11(e)"),
    ]
}  # fmt: skip

THREE_CARD = {
    "pa-2010-three-card-poker": [
        Case("5s 3h 2d", "Js 9h 8d", {"ante": EVEN, "play": RETURNED}, "PA2010 565.12(a)"),
        Case("Qs 4h 2d", "Qh 3h 2c", {"ante": EVEN, "play": EVEN}, "PA2010 565.12(b)"),
        Case("Qs 3c 2d", "Qh 4h 2c", {"ante": LOST, "play": LOST}, "PA2010 565.12(b)"),
        Case("Qs 4c 2d", "Qh 4h 2c", {"ante": RETURNED, "play": RETURNED}, "PA2010 565.12(c)"),
        # A straight outranks a flush.
        Case("As Kh Qd", "Ac Jc 9c", {"ante": EVEN, "play": EVEN}, "PA2010 565.6(b)(3)"),
    ]
}

# The best five of seven: own two, then the five in common.
BOARD = "Ks Jh 9d 4c 2s"
HOLDEM = {
    "pa-2011-texas-holdem-bonus": [
        Case(f"Kd 8c {BOARD}", f"Jd 8d {BOARD}", {"ante": RETURNED, "flop": EVEN, "turn": EVEN,
             "river": EVEN}, "PA2010 563.11(h)(2); PA2010 563.12(b)"),
        Case(f"Qc Th {BOARD}", f"Jd 8d {BOARD}", {"ante": EVEN, "flop": EVEN, "turn": EVEN,
             "river": EVEN}, "PA2010 563.11(h)(2); PA2010 563.12(b)"),
        Case(f"Jd 8d {BOARD}", f"Kd 8c {BOARD}", {"ante": LOST, "flop": LOST, "turn": LOST,
             "river": LOST}, "PA2010 563.11(h)(1)"),
        Case(f"Ad 3d {BOARD}", f"Ac 3c {BOARD}", {"ante": RETURNED, "flop": RETURNED,
             "turn": RETURNED, "river": RETURNED}, "PA2010 563.11(h)(3)"),
    ]
}  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "case"), marked(CRAZY | CARIBBEAN | FOUR_CARD | THREE_CARD | HOLDEM)
)
def test_a_contest_ends_as_the_text_says(rule: str, case: Case) -> None:
    """Each wager wins, loses or comes back in every case that the text tells apart."""
    player, dealer = parse_cards(case.player), parse_cards(case.dealer)
    for bet_id, wins in case.wins.items():
        one = bet(rule, bet_id)
        # Where there are two, the last is the one that pays from a straight upward.
        assert contest(rules()[rule], one, one.paytables[-1], player, dealer) == wins, bet_id


@pytest.mark.rule("PA 657a.11(c)(2)")
@pytest.mark.rule("MA 10(c)(2)")
@pytest.mark.rule("PA2011 573.11(c)(2)")
@pytest.mark.parametrize("rule", CRAZY)
def test_the_best_four_of_five_cards_play(rule: str) -> None:
    """A pair of nines within five cards does not count beside the flush that they hold."""
    cards = parse_cards("Ah 9h 7h 2h 9c")
    wager = bet(rule, "queens-up")
    assert pays(wager, wager.paytables[0], cards) == 4
    ante = bet(rule, "ante")
    dealer = parse_cards("Ks Kh Kd Qc 2c")
    assert contest(rules()[rule], ante, ante.paytables[0], cards, dealer) == LOST
    straight = parse_cards("Ks Qd Jc Ts 2c")
    assert contest(rules()[rule], ante, ante.paytables[0], cards, straight) == EVEN


@pytest.mark.rule("PA2010 563.11(h)(2)")
def test_an_ante_may_need_a_flush_to_be_paid() -> None:
    """Under the higher of the two thresholds a winning straight only gets its Ante back."""
    rule = rules()["pa-2011-texas-holdem-bonus"]
    ante = bet(rule.id, "ante")
    player, dealer = parse_cards(f"Qc Th {BOARD}"), parse_cards(f"Jd 8d {BOARD}")
    flush = ante.paytable("flush-or-higher")
    assert flush is not None
    assert contest(rule, ante, flush, player, dealer) == RETURNED


@pytest.mark.parametrize(
    ("rule", "bet_id", "stays"),
    [
        pytest.param(rule, bet_id, stays, marks=pytest.mark.rule(clause))
        for rule, bet_id, stays, clause in (
            ("pa-crazy-4-poker", "ante", False, "PA 657a.11(b)"),
            ("pa-crazy-4-poker", "super-bonus", False, "PA 657a.11(b)"),
            ("pa-crazy-4-poker", "queens-up", False, "PA 657a.11(b)(1)"),
            ("pa-crazy-4-poker", "four-card-progressive", False, "PA 657a.11(b)(2)"),
            ("pa-crazy-4-poker", "five-card-progressive", False, "PA 657a.11(b)(2)"),
            ("pa-crazy-4-poker", "six-card-bonus", True, "PA 657a.11(b)(3)"),
            ("ma-crazy-4-poker", "ante", False, "MA 10(b)"),
            ("ma-crazy-4-poker", "queens-up", False, "MA 10(b)(1)"),
            ("ma-crazy-4-poker", "five-card-progressive", False, "MA 10(b)(2)"),
            ("pa-2011-crazy-4-poker", "ante", False, "PA2011 573.11(b)"),
            ("pa-2011-crazy-4-poker", "queens-up", False, "PA2011 573.11(b)(1)"),
            ("pa-2011-crazy-4-poker", "progressive", False, "PA2011 573.11(b)(2)"),
            ("pa-2011-caribbean-stud", "ante", False, "PA2011 555.11(a)"),
            ("pa-2011-caribbean-stud", "progressive", False, "PA2011 555.11(a)"),
            ("pa-2010-four-card-poker", "ante", False, "PA2010 557.11(c)"),
            ("pa-2010-four-card-poker", "aces-up", True, "PA2010 557.11(c)"),
            ("pa-2010-let-it-ride", "bonus", True, "PA2010 559.8(d)"),
            ("pa-2010-let-it-ride", "three-card-bonus", True, "PA2010 559.9(d)"),
            ("pa-2010-three-card-poker", "ante", False, "PA2010 565.11(b)"),
            ("pa-2011-texas-holdem-bonus", "ante", False, "PA2010 563.11(a)(2)"),
            ("pa-2011-texas-holdem-bonus", "bonus", True, "PA2010 563.11(a)(2)(i)"),
            ("pa-2010-pai-gow-poker", "pai-gow", False, "PA2010 561.13(e)"),
            ("pa-2014-criss-cross-poker", "ante-across", False, "PA2014 592.11(b)"),
            ("pa-2014-criss-cross-poker", "across", False, "PA2014 592.11(d)"),
            ("pa-2014-criss-cross-poker", "down", False, "PA2014 592.11(f)"),
            ("pa-2014-criss-cross-poker", "five-card-bonus", True, "PA2014 592.11(b)"),
        )
    ],
)
def test_what_a_fold_forfeits(rule: str, bet_id: str, *, stays: bool) -> None:
    """A player who does not go on loses these wagers, and keeps those independent of the hand."""
    fold = bet(rule, bet_id).fold
    assert (fold is not None and not fold.forfeits) == stays


@pytest.mark.parametrize(
    ("rule", "bet_id", "cards", "wins"),
    [
        pytest.param(rule, bet_id, cards, wins, marks=[pytest.mark.rule(one) for one in clauses])
        for rule, bet_id, cards, wins, clauses in (
            ("pa-crazy-4-poker", "queens-up", "Qs Qh 9d 7c 2s", EVEN, ["PA 657a.11(d)"]),
            ("pa-crazy-4-poker", "queens-up", "Js Jh Ad Kc 2s", LOST, ["PA 657a.11(d)"]),
            ("ma-crazy-4-poker", "queens-up", "Qs Qh 9d 7c 2s", EVEN, ["MA 10(d)"]),
            ("ma-crazy-4-poker", "queens-up", "Js Jh Ad Kc 2s", LOST, ["MA 10(d)"]),
            ("pa-2011-crazy-4-poker", "queens-up", "Qs Qh 9d 7c 2s", EVEN, ["PA2011 573.11(d)"]),
            ("pa-2011-crazy-4-poker", "queens-up", "Js Jh Ad Kc 2s", LOST, ["PA2011 573.11(d)"]),
            ("pa-crazy-4-poker", "six-card-bonus", "As Ah Kd Kc Qs Qh", LOST,
             ["PA 657a.11(g)", "PA 657a.11(g)(1)"]),
            ("pa-crazy-4-poker", "six-card-bonus", "2s 2h 2d 3c 4s 7h", Fraction(5),
             ["PA 657a.11(g)", "PA 657a.11(g)(2)", "PA 657a.7(d)(6)"]),
            ("pa-2011-caribbean-stud", "bonus", "Ts Th 2d 3c 4s", EVEN, ["PA2011 555.7(e)"]),
            ("pa-2011-caribbean-stud", "bonus", "9s 9h Ad Kc Qs", LOST, ["PA2011 555.7(e)"]),
            ("pa-2010-let-it-ride", "bet-3", "9s 9h Ad Kc Qs", LOST, ["PA2010 559.13(f)(2)"]),
            ("pa-2010-let-it-ride", "bet-3", "Ts Th 2d 3c 4s", EVEN, ["PA2010 559.13(f)(2)"]),
            ("pa-2010-let-it-ride", "three-card-bonus", "2s 2h 3d", EVEN, ["PA2010 559.9(a)"]),
            ("pa-2010-let-it-ride", "three-card-bonus", "As Kh Jd", LOST, ["PA2010 559.9(a)"]),
            ("pa-2014-criss-cross-poker", "ante-across", "5s 5h Ad Kc Qs", LOST,
             ["PA2014 592.11(h)(1)(i)"]),
            ("pa-2014-criss-cross-poker", "ante-across", "6s 6h 2d 3c 4s", RETURNED,
             ["PA2014 592.11(h)(1)(ii)", "PA2014 592.12(a)"]),
            ("pa-2014-criss-cross-poker", "ante-down", "5s 5h Ad Kc Qs", LOST,
             ["PA2014 592.11(h)(2)(i)"]),
            ("pa-2014-criss-cross-poker", "ante-down", "Js Jh 2d 3c 4s", EVEN,
             ["PA2014 592.11(h)(2)(ii)", "PA2014 592.12(a)"]),
            # A pair of tens is printed twice; it is read as a push.
            ("pa-2014-criss-cross-poker", "across", "Ts Th Ad Kc Qs", RETURNED,
             ["PA2014 592.12(b)"]),
            ("pa-2014-criss-cross-poker", "across", "Js Jh 2d 3c 4s", EVEN, ["PA2014 592.12(b)"]),
            ("pa-2014-criss-cross-poker", "middle", "5s 5h Ad Kc Qs", LOST,
             ["PA2014 592.11(h)(3)"]),
            ("pa-2014-criss-cross-poker", "middle", "2s 2h 2d 3c 4s", Fraction(3),
             ["PA2014 592.11(h)(4)"]),
            ("pa-2014-criss-cross-poker", "five-card-bonus", "6s 6h 2d 3c 4s", EVEN,
             ["PA2014 592.7(e)", "PA2014 592.11(h)(5)"]),
            ("pa-2014-criss-cross-poker", "five-card-bonus", "5s 5h Ad Kc Qs", LOST,
             ["PA2014 592.7(e)"]),
            ("pa-2011-texas-holdem-bonus", "bonus", "As Ah", Fraction(30),
             ["PA2010 563.11(h)(4)", "PA2010 563.12(c)"]),
            ("pa-2011-texas-holdem-bonus", "bonus", "As Ts", LOST, ["PA2010 563.12(c)"]),
        )
    ],
)  # fmt: skip
def test_a_paytable_wager_does_not_ask_for_the_dealer_s_hand(
    rule: str, bet_id: str, cards: str, wins: Fraction
) -> None:
    """Only the player's cards decide, at and just below the lowest hand that is paid."""
    one = bet(rule, bet_id)
    assert pays(one, one.paytables[0], parse_cards(cards)) == wins


def two(high: str, low: str) -> TwoHands:
    """A high and a low hand."""
    return TwoHands(parse_cards(high), parse_cards(low))


DEALER = two("Ks Kh 9d 7c 2s", "Qd Jc")


@pytest.mark.parametrize(
    ("player", "wins"),
    [
        pytest.param(player, wins, marks=[pytest.mark.rule(one) for one in clauses])
        for player, wins, clauses in (
            (
                two("As Ah 3d 4c 6s", "Kd Jd"),
                EVEN,
                ["PA2010 561.1", "PA2010 561.13(k)", "PA2010 561.13(m)"],
            ),
            (two("As Ah 3d 4c 6s", "Qh Jd"), RETURNED, ["PA2010 561.13(i)(1)", "PA2010 561.13(j)"]),
            (two("As Ah 3d 4c 6s", "Qh Td"), RETURNED, ["PA2010 561.13(i)(1)"]),
            (two("Kd Kc 9h 7h 2h", "As Jd"), RETURNED, ["PA2010 561.13(i)(2)"]),
            (two("Qs Qc 9h 7h 2h", "Ac Jd"), RETURNED, ["PA2010 561.13(i)(2)"]),
            (two("Qs Qc 9h 7h 2h", "Td 8d"), LOST, ["PA2010 561.13(g)(1)"]),
            (two("Kd Kc 9h 7h 2h", "Qh Jd"), LOST, ["PA2010 561.13(g)(2)"]),
            (two("Kd Kc 9h 7h 2h", "Qh Td"), LOST, ["PA2010 561.13(g)(2)"]),
            (two("Qs Qc 9h 7h 2h", "Qh Jd"), LOST, ["PA2010 561.13(g)(2)"]),
            # The hands would win one by one, but the high hand is below the low one.
            (
                two("As Kd Qc 9h 7h", "2d 2c"),
                LOST,
                ["PA2010 561.1", "PA2010 561.13(g)(3)", "PA2010 561.13(a)"],
            ),
        )
    ],
)
def test_pai_gow_needs_both_hands(player: TwoHands, wins: Fraction) -> None:
    """Both higher wins, one higher is a tie, a copy counts for the dealer."""
    assert pai_gow(bet("pa-2010-pai-gow-poker", "pai-gow"), player, DEALER) == wins


@pytest.mark.rule("PA2010 561.13(m)")
@pytest.mark.parametrize(
    ("won", "exact", "rounded"),
    [
        ("5.00", "0.25", "0.25"),
        ("4.99", "0.2495", "0.25"),
        ("5.01", "0.2505", "0.50"),
        ("0.01", "0.0005", "0.25"),
    ],
)
def test_pai_gow_s_vigorish_is_5_percent(won: str, exact: str, rounded: str) -> None:
    """Exactly, or up to the next 25 cents where the operator rounds."""
    vigorish = bet("pa-2010-pai-gow-poker", "pai-gow").vigorish
    assert vigorish is not None
    amount = parse_dollars(won)
    assert vigorish_micros(vigorish, amount, rounded=False) == parse_dollars(exact)
    assert vigorish_micros(vigorish, amount, rounded=True) == parse_dollars(rounded)


@pytest.mark.parametrize(
    ("rule", "bet_id"),
    [
        pytest.param(rule, bet_id, marks=pytest.mark.rule(clause))
        for rule, bet_id, clause in (
            ("pa-2010-let-it-ride", "bet-1", "PA2010 559.14(c)"),
            ("pa-2011-texas-holdem-bonus", "ante", "PA2010 563.12(e)"),
        )
    ],
)
@pytest.mark.parametrize(
    ("most_at_minimum", "least"),
    [("49,999.99", "50,000"), ("50,000", "50,000"), ("50,000.01", "50,000.01")],
)
def test_a_payout_limit_is_50000_or_what_a_minimum_wager_could_win(
    rule: str, bet_id: str, most_at_minimum: str, least: str
) -> None:
    """Whichever is more is the lowest limit; bonus wagers of Let It Ride have none."""
    limit = bet(rule, bet_id).limit
    assert limit is not None
    assert limit.least_micros(parse_dollars(most_at_minimum)) == parse_dollars(least)
    assert bet("pa-2010-let-it-ride", "bonus").limit is None
