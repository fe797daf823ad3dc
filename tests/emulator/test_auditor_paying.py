"""The auditor pays by the golden cases, and takes back what was never owed."""

from pathlib import Path
from typing import Any

import pytest

from emulator.soak.audit.auditor import Auditor
from emulator.soak.audit.books import Books, Hand, Round, Standing
from emulator.soak.audit.claims import Cards
from emulator.soak.audit.manager_commands import MANAGER_COMMANDS
from emulator.soak.audit.paying import settle
from emulator.soak.audit.rounds import post
from emulator.soak.audit.terms import DOLLAR, read_terms
from emulator.soak.audit.undoing import take_back, void_seat
from jackpot.wire.v1 import operator_pb2 as op

FIVE, BONUS = "five-card-progressive", "five-card-hand-bonus"
ROYALS = {suit: tuple(rank + suit for rank in "AKQJT") for suit in "cdhs"}
STRAIGHTS = {suit: tuple(rank + suit for rank in "98765") for suit in "cdhs"}
# Six hands that win nothing; none of their cards is in a royal, a straight flush above or a quad.
NOTHING = {
    1: ("2c", "4d", "3h", "Ks", "Qc"),
    2: ("2d", "4h", "3s", "Kc", "Qd"),
    3: ("2h", "4s", "3c", "Kd", "Qh"),
    4: ("2s", "4c", "3d", "Kh", "Qs"),
    5: ("Jc", "6d", "8h", "Ad", "7s"),
    6: ("Jd", "6h", "8s", "Ah", "7c"),
}


def settled(site: Path, table: str, bets: dict[str, tuple[int, ...]], **start: Any) -> Any:
    """A round at a table: who bet what, the meter it began with, and special hands by seat."""
    books = Auditor(read_terms(site)).books
    payouts = played(books, table, bets, **start)
    link = books.links[start["link"]]
    return payouts, link.levels["main"], link


def played(books: Books, table: str, bets: dict[str, tuple[int, ...]], **start: Any) -> Any:
    """The same, on books that can be looked at."""
    at = books.tables[table]
    link = books.links[start["link"]]
    level = link.levels["main"]
    level.meter = start["meter"]
    level.reserve = start.get("reserve", 0)
    at.round = Round(1)
    for bet, seats in bets.items():
        terms = at.terms.bet(bet)
        assert terms
        for seat in seats:
            standing = Standing(f"seat {seat}", terms.electronic)
            at.round.wagers.setdefault(seat, {})[bet] = standing
    post(books, at, 1, electronic=False)
    post(books, at, 1, electronic=True)
    special = start["hands"]
    hands = {
        seat: Hand(special.get(seat, NOTHING[seat]), "PLAYED") for seat in sorted(at.round.wagers)
    }
    cards = Cards(hands, special.get(0, ("9c", "9d", "2c", "3h", "7d")), ())
    payouts, _ = settle(books, at, cards, 2)
    return payouts


def cents(micros: int) -> float:
    """Dollars and cents."""
    return micros / DOLLAR


@pytest.mark.rule("PA 657a.12(e)(4)")
def test_golden_two_royals(site: Path) -> None:
    """25,001.26, then 10,000.00: each at the meter of its turn, from the highest seat."""
    payouts, level, _ = settled(
        site,
        "a",
        {FIVE: (1, 2, 3, 4, 5, 6)},
        link="five",
        meter=25_000 * DOLLAR,
        hands={6: ROYALS["s"], 2: ROYALS["h"]},
    )
    shares = [(p.seat, cents(p.amount)) for p in payouts if p.due.kind == "SHARE"]
    assert shares == [(6, 25_001.26), (2, 10_000.0)]
    assert cents(level.meter) == 10_000
    envy = dict.fromkeys(range(1, 7), 0.0)
    for payout in payouts:
        if payout.due.kind == "ENVY":
            envy[payout.seat] += cents(payout.amount)
    assert envy == {1: 2_000, 2: 1_000, 3: 2_000, 4: 2_000, 5: 2_000, 6: 1_000}


@pytest.mark.rule("PA 657a.12(e)(1)")
def test_golden_straight_flushes_before_a_royal(site: Path) -> None:
    """1,234.69, 1,111.22 and the rest, 10,001.02, with the residue on the next meter."""
    payouts, level, _ = settled(
        site,
        "a",
        {FIVE: (1, 2, 3, 4, 5, 6)},
        link="five",
        meter=12_345_670_000,
        hands={5: STRAIGHTS["c"], 3: STRAIGHTS["d"], 1: ROYALS["s"]},
    )
    shares = [(p.seat, cents(p.amount)) for p in payouts if p.due.kind == "SHARE"]
    assert shares == [(5, 1_234.69), (3, 1_111.22), (1, 10_001.02)]
    assert cents(level.meter) == 10_000


@pytest.mark.rule("PA 657a.12(d)(4)")
def test_golden_reserve_joins_the_reseed(site: Path) -> None:
    """Four aces win 8,130.95; the next meter is 5,626.20 and the reserve is empty."""
    aces = ("As", "Ad", "Ah", "Ac", "9s")
    payouts, level, link = settled(
        site,
        "b",
        {"four-card-progressive": (1, 2, 3, 4, 5, 6)},
        link="four",
        meter=8_123_450_000,
        reserve=624_700_000,
        hands={1: aces, 5: ("Jc", "6d", "8h", "Td", "7s"), 6: ("Jd", "6h", "8s", "Th", "7c")},
    )
    shares = [p.amount for p in payouts if p.due.kind == "SHARE"]
    assert shares == [8_130_950_000]
    assert (level.meter, level.reserve) == (5_626_200_000, 0)
    assert link.house == -(5_000 + 5_000 + 5 * 500) * DOLLAR  # seed, reseed, envy


@pytest.mark.rule("PA 657a.12(f)(2)")
def test_golden_dealers_royal_is_divided(site: Path) -> None:
    """Three share 3,376.88 each at the first turn; seat 4's own straight flush gets 8.04."""
    payouts, level, _ = settled(
        site,
        "a",
        {f"{BONUS}-dealer": (6, 4, 1), BONUS: (4, 2)},
        link="bonus",
        meter=10_130 * DOLLAR,
        reserve=80 * DOLLAR,
        hands={0: ROYALS["s"], 4: STRAIGHTS["c"]},
    )
    assert [(p.seat, cents(p.amount)) for p in payouts if p.due.share_bps] == [
        (6, 3_376.88),
        (4, 3_376.88),
        (1, 3_376.88),
        (4, 8.04),
    ]
    assert cents(level.meter) == 72.37
    assert level.reserve == 0


FOURS = {6: ("As", "Ad", "Ah", "Ac", "9s"), 5: ("Ts", "Td", "Th", "Tc", "9h")}


@pytest.mark.rule("PA2010 555.13(f)")
def test_a_void_seat_was_never_on_the_meter_of_another_turn(site: Path) -> None:
    """A fixed award stays as it was, but its slip's meter lacks the void seat's wager."""
    books = Auditor(read_terms(site)).books
    meter = 12_000 * DOLLAR
    seats: dict[str, tuple[int, ...]] = {"progressive": (1, 2, 5, 6)}
    first, second = played(books, "c", seats, link="stud", meter=meter, hands=FOURS)
    assert (first.seat, cents(first.amount), cents(first.meter_before)) == (6, 500, 12_003)
    assert (second.seat, cents(second.meter_before)) == (5, 11_503)
    _, changes = void_seat(books, books.tables["c"], 5)
    assert [(c.payout, c.closed, cents(c.meter_before)) for c in changes] == [
        (first.id, False, 12_002.25),
        (second.id, True, 0),
    ]
    assert cents(books.level(("stud", "main")).meter) == 11_502.25
    assert books.total() == meter - 10_000 * DOLLAR


@pytest.mark.rule("PA2010 555.13(f)")
def test_what_the_house_paid_of_a_fixed_award_is_the_houses_again(site: Path) -> None:
    """Taken back after another round's 100%, only what the meter gave waits in overflow."""
    books = Auditor(read_terms(site)).books
    seats: dict[str, tuple[int, ...]] = {"progressive": (1, 2, 5, 6)}
    first, _ = played(books, "c", seats, link="stud", meter=97 * DOLLAR, hands=FOURS)
    level, link = books.level(("stud", "main")), books.links["stud"]
    house = link.house
    level.last_full = 3
    take_back(books, books.settlements["c", 1], {first.id}, {}, {})
    assert cents(level.overflow) == 100  # 97 and four wagers' 75 cents
    assert cents(link.house - house) == 400
    assert books.total() == (97 - 10_000) * DOLLAR


def test_of_its_own_overflow_the_limit_keeps_some_back(site: Path) -> None:
    """What is told of a transfer is what has moved."""
    books = Auditor(read_terms(site)).books
    level = books.level(("stud", "main"))
    level.terms = level.terms._replace(limit_micros=10_006 * DOLLAR)
    level.meter, level.overflow = 10_000 * DOLLAR, 40 * DOLLAR
    message = op.TransferFundsRequest(
        link="stud",
        level="main",
        pool=op.POOL_OVERFLOW,
        to_link="stud",
        to_level="main",
        amount_micros=30 * DOLLAR,
    )
    why_not, do = MANAGER_COMMANDS["TransferFunds"]
    books.links["stud"].status = "IN_SERVICE"
    assert why_not(books, message) == ""
    assert do(books, message).changed.amount_micros == 6 * DOLLAR
    assert (cents(level.meter), cents(level.overflow)) == (10_006, 34)


def _due(books: Books) -> dict[int, float]:
    """The open percentage and fixed awards, by seat."""
    return {p.seat: cents(p.amount) for p in books.payouts.values() if p.due.kind != "ENVY"}


def _reject(books: Books, table: str, seat: int) -> None:
    number = next(p.id for p in books.payouts.values() if p.seat == seat and p.due.level)
    take_back(books, books.settlements[table, 1], {number}, {}, {})


def _validate(books: Books, *seats: int) -> None:
    for payout in books.payouts.values():
        if payout.seat in seats and payout.due.level:
            payout.floorperson = "Ann"


@pytest.mark.parametrize(
    ("validated", "left"),
    [((6, 4), {4: 1_800.05, 2: 18_200.58}), ((), {4: 2_000.06, 2: 18_000.57})],
)
def test_a_rejection_counts_open_awards_again(
    site: Path, validated: tuple[int, ...], left: dict[int, float]
) -> None:
    """Behind a validated award as well; that one keeps its amount."""
    books = Auditor(read_terms(site)).books
    held = {6: STRAIGHTS["c"], 4: STRAIGHTS["d"], 2: ROYALS["s"]}
    bets: dict[str, tuple[int, ...]] = {FIVE: (2, 4, 6)}
    played(books, "a", bets, link="five", meter=20_000 * DOLLAR, hands=held)
    assert _due(books) == {6: 2_000.06, 4: 1_800.05, 2: 16_200.52}
    total = books.total()
    _validate(books, *validated)
    _reject(books, "a", 6)
    assert _due(books) == left
    level = books.level(("five", "main"))
    assert (cents(level.meter), level.overflow) == (10_000, 0)
    assert books.total() == total


@pytest.mark.parametrize(
    ("validated", "rejected", "left", "level"),
    [
        ((6, 5), 6, {5: 9_000.28, 3: 9_000.28, 2: 1_015.02}, (9_135.24, 2_000.06)),
        ((), 6, {5: 10_000.31, 3: 10_000.31, 2: 1_015.02}, (9_135.24, 0)),
        ((6, 3), 5, {6: 2_000.06, 3: 9_000.28, 2: 1_915.05}, (17_235.49, 0)),
    ],
)
def test_a_rejection_around_a_divided_meter(
    site: Path,
    validated: tuple[int, ...],
    rejected: int,
    left: dict[int, float],
    level: tuple[float, float],
) -> None:
    """A tenth, a meter divided by two, and a tenth of the next meter."""
    books = Auditor(read_terms(site)).books
    held = {6: STRAIGHTS["c"], 5: ROYALS["s"], 3: ROYALS["h"], 2: STRAIGHTS["d"]}
    start = {"meter": 19_997_630_000, "reserve": 150_250_000}
    bets: dict[str, tuple[int, ...]] = {"progressive": (2, 3, 5, 6)}
    payouts = played(books, "c", bets, link="stud", hands=held, **start)
    assert [payout.seat for payout in payouts] == [6, 5, 3, 2]
    assert _due(books) == {6: 2_000.06, 5: 9_000.28, 3: 9_000.28, 2: 1_015.02}
    _validate(books, *validated)
    _reject(books, "c", rejected)
    assert _due(books) == left
    found = books.level(("stud", "main"))
    assert (cents(found.meter), cents(found.overflow)) == level


def test_envy_is_due_at_the_turn_of_its_cause(site: Path) -> None:
    """Seat 2's royal and then what the others get for it; seat 1's straight flush after them."""
    payouts, _, _ = settled(
        site,
        "a",
        {FIVE: (1, 2, 3)},
        link="five",
        meter=10_000 * DOLLAR,
        hands={2: ROYALS["s"], 1: STRAIGHTS["c"]},
    )
    assert [(p.seat, p.due.kind, p.holder) for p in payouts] == [
        (2, "SHARE", 2),
        (3, "ENVY", 2),
        (1, "ENVY", 2),
        (1, "SHARE", 1),
        (3, "ENVY", 1),
        (2, "ENVY", 1),
    ]
