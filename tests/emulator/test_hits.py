"""Hits against exact odds: what is counted, put together and tested."""

import math
import random
from pathlib import Path

import pytest

from emulator.soak.audit.terms import SiteTerms, read_terms
from emulator.soak.report.hits import Cell, Hits, chi_square_tail, gather, tail
from emulator.soak.site import write_site
from emulator.soak.tables.players import deal
from emulator.soak.tables.side_table import rows_paid
from jackpot.rules.hands import names
from jackpot.wire.v1 import payout_pb2, table_pb2


@pytest.mark.parametrize(
    ("statistic", "degrees", "tail"),
    [
        (3.841, 1, 0.05),
        (6.635, 1, 0.01),
        (11.070, 5, 0.05),
        (20.515, 5, 0.001),
        (18.307, 10, 0.05),
        (2.0, 2, math.exp(-1)),
        (0.0, 3, 1.0),
    ],
)
def test_chi_square_is_that_of_the_tables(statistic: float, degrees: int, tail: float) -> None:
    """The tail agrees with what every statistics book prints."""
    assert chi_square_tail(statistic, degrees) == pytest.approx(tail, abs=5e-5)


def test_rare_rows_are_put_together() -> None:
    """No cell expects fewer than five, and no hand is left out."""
    cells = gather([("royal", 0, 0.1), ("straight flush", 1, 0.9), ("quads", 6, 4.5), ("x", 9, 9)])
    assert [(cell.hands, cell.seen) for cell in cells] == [
        ("royal + straight flush + quads", 7),
        ("x", 9),
    ]
    assert gather([("a", 8, 8.0), ("b", 1, 1.0)])[0].hands == "a + b"


@pytest.fixture(name="terms")
def _terms(tmp_path: Path) -> SiteTerms:
    return read_terms(write_site(tmp_path, 9, herd=False))


@pytest.mark.parametrize("times", [1, 3])
def test_hands_that_come_too_often_are_noticed(terms: SiteTerms, times: int) -> None:
    """Fair hands pass; the same with every flush counted three times do not."""
    hits, draw = Hits(terms), random.Random(3)
    table, bet = terms.tables["table-001"], terms.links["five-card"].bets[0]
    for _ in range(4_000):
        cards = deal(draw, [1], (5, 5, 0), rigged=False).hands[1]
        called = names("five-card", cards)
        row = next((row.hand for row in bet.rows if row.hand in called), "")
        for _ in range(times if row in ("flush", "straight", "three-of-a-kind") else 1):
            hits.note_round(table, [(bet, row)])
    (verdict,) = hits.verdicts()
    assert verdict.passed is (times == 1)


def test_the_dealers_hand_counts_once(terms: SiteTerms) -> None:
    """Every seat's hand is a trial of its own, but the dealer has one, however many bet on it."""
    table, hits = terms.tables["table-001"], Hits(terms)
    own, of_dealer = (table.bet(f"five-card-hand-bonus{who}") for who in ("", "-dealer"))
    assert own
    assert of_dealer
    for _ in range(20):
        hits.note_round(table, [(own, "flush"), (of_dealer, "straight"), (own, ""), (own, "")])
        hits.note_round(table, [(of_dealer, ""), (of_dealer, ""), (own, "")])
    assert hits.seen["hand-bonus", own.id] == {"flush": 20, "nothing": 60}
    assert hits.seen["hand-bonus", of_dealer.id] == {"straight": 20, "nothing": 20}


def test_community_cards_belong_to_the_hand(terms: SiteTerms) -> None:
    """A Let It Ride hand has five cards: three of a seat and two that all share."""
    hits, bet = Hits(terms), terms.links["let-it-ride"].bets[0]
    hits.note_round(terms.tables["table-007"], [(bet, "")] * 10)
    expected = hits.expected("let-it-ride", bet.id)
    assert expected["royal-flush"] == pytest.approx(10 * 4 / 2_598_960)
    assert expected["full-house"] == pytest.approx(10 * 3_744 / 2_598_960)


@pytest.mark.parametrize("seen", [12, 14, 16, 40])
def test_far_out_runs_are_drawn(seen: int) -> None:
    """Where five of a thousand are expected, chi-square's tail is up to a hundred times too small.

    The binomial tail is exact, and a million runs are drawn: four standard errors are allowed.
    """
    cells = [Cell("rare", seen, 5.0), Cell("nothing", 1_000 - seen, 995.0)]
    statistic = sum((cell.seen - cell.expected) ** 2 / cell.expected for cell in cells)
    exact = sum(math.comb(1_000, n) * 0.005**n * 0.995 ** (1_000 - n) for n in range(seen, 1_001))
    found = tail(cells, statistic)
    assert chi_square_tail(statistic, 1) < exact / 2
    assert abs(found - exact) < 4 * math.sqrt(exact / 1e6) + 2e-6
    assert found == tail(cells, statistic), "a report can be made again"


def test_rows_are_told_by_what_was_paid(terms: SiteTerms) -> None:
    """By each seat's payout, by the dealer's for all who bet on it, and not for who is gone."""
    table = terms.tables["table-001"]
    own, of_dealer = "five-card-hand-bonus", "five-card-hand-bonus-dealer"
    wagers = [table_pb2.Wager(seat=n, bet=bet) for n in (1, 2, 3) for bet in (own, of_dealer)]
    fates = (table_pb2.FATE_PLAYED, table_pb2.FATE_PLAYED, table_pb2.FATE_FORFEITED)
    hands = [table_pb2.SeatHand(seat=seat, fate=fate) for seat, fate in enumerate(fates, 1)]
    kind = payout_pb2.PAYOUT_KIND_FIXED
    payouts = [
        payout_pb2.Payout(seat=2, bet=own, hand="flush", kind=kind, holder=2),
        payout_pb2.Payout(seat=2, bet=own, hand="lucky", kind=payout_pb2.PAYOUT_KIND_LUCKY),
        payout_pb2.Payout(seat=2, bet=of_dealer, hand="straight", kind=kind, holder=0),
    ]
    found = [(bet.id, row) for bet, row in rows_paid(table, wagers, hands, payouts)]
    assert found == [(own, ""), (of_dealer, "straight"), (own, "flush"), (of_dealer, "straight")]


def test_draws_are_tested_too(terms: SiteTerms) -> None:
    """A Lucky Bonus that never falls on the dealer is noticed."""
    hits, draw = Hits(terms), random.Random(5)
    for _ in range(20_000):
        lucky = draw.randrange(1, 7) if draw.random() < 0.1 else -1
        hits.note_draws("hand-bonus", 6, magic=draw.random() < 0.05, lucky=lucky)
    found = {verdict.bet: verdict.passed for verdict in hits.verdicts()}
    assert found == {"magic card": True, "lucky of 6": False}
