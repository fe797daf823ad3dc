"""The auditor by itself: it reads the files, pays by the golden cases, and trusts nobody."""

import ast
from pathlib import Path
from typing import Any

import pytest

import emulator
from emulator.audit.books import Books, Hand, Round, Standing
from emulator.audit.claims import Cards
from emulator.audit.entry import Entry
from emulator.audit.paying import settle
from emulator.audit.rounds import post
from emulator.audit.terms import DOLLAR, read_terms
from emulator.audit.undoing import take_back, void_seat
from emulator.auditor import Auditor, ContradictionError
from emulator.soak.site import site_text
from jackpot.rules.site import load_site
from jackpot.v1 import meter_pb2
from jackpot.v1 import table_pb2 as pb

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


@pytest.fixture(name="site")
def _site(tmp_path: Path) -> Path:
    path = tmp_path / "site.toml"
    path.write_text(
        """
[site]
id = "house"
dual_control = false

[[links]]
id = "five"
rule = "pa-crazy-4-poker"
bet = "five-card-progressive"
paytable = "A"
wager = "$1"
in_service = true

[[links]]
id = "four"
rule = "pa-crazy-4-poker"
bet = "four-card-progressive"
paytable = "B"
wager = "$5"
in_service = true

[[links]]
id = "bonus"
rule = "pa-crazy-4-poker"
bet = "five-card-hand-bonus"
wager = "$1"
magic_share = "0%"
lucky_share = "0%"
in_service = true

[[links]]
id = "stud"
rule = "pa-2011-caribbean-stud"
bet = "progressive"
wager = "$1"
in_service = true
levels.main = { seed = "$10,000", reseed = "$10,000", primary = "75%" }
pays.straight-flush = "10% of main"

[[tables]]
id = "a"
links = ["five", "bonus"]

[[tables]]
id = "b"
links = ["four"]

[[tables]]
id = "c"
links = ["stud"]
"""
    )
    return path


def test_it_knows_nothing_of_the_controllers_code_for_money() -> None:
    """Neither the auditor nor what it is made of imports the core, the engine or the store."""
    folder = Path(emulator.__file__).parent
    modules = [folder / "auditor.py", *sorted((folder / "audit").glob("*.py"))]
    assert len(modules) > 8
    for path in modules:
        for node in ast.walk(ast.parse(path.read_text())):
            names = []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            for name in names:
                allowed = ("jackpot.v1", "jackpot.rules.hands", "jackpot.rules.cards")
                assert not name.startswith("jackpot") or name.startswith(allowed), (path, name)


def test_its_own_reading_of_the_files_is_the_controllers(tmp_path: Path) -> None:
    """Two readers of one site file come to the same figures, level by level and row by row."""
    path = tmp_path / "site.toml"
    path.write_text(site_text(9, herd=False))
    mine, compiled = read_terms(path), load_site(path)
    assert set(mine.tables) == {table.id for table in compiled.tables}
    for link in compiled.links:
        terms = mine.links[link.id]
        assert terms.wager_micros == link.wager_micros
        for level, own in zip(link.levels, terms.levels, strict=True):
            assert own[:6] == (
                level.id,
                level.seed_micros,
                level.reseed_micros,
                level.primary_bps,
                level.reserve_bps,
                level.limit_micros,
            )
        for bet, offered in zip(link.bets, terms.bets, strict=True):
            assert offered.id == bet.id
            for line, row in zip(bet.paytable, offered.rows, strict=True):
                level_name = line.level or line.from_meter
                expected = (line.hand, level_name, line.share_bps, line.pays_for)
                assert row[:4] == expected
            assert offered.envy == tuple((line.hand, line.amount_micros) for line in bet.envy)
            assert offered.fold_loses == bet.fold_forfeits


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


@pytest.mark.rule("PA2011 555.13(e)")
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


@pytest.mark.rule("PA2011 555.13(e)")
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


def opened(sequence: int, number: int, round_: int = 1, table: str = "a") -> Entry:
    """An answered OpenRound."""
    response = pb.OpenRoundResponse(sequence=sequence, round=round_)
    return Entry(
        sequence, "open_round", pb.OpenRound(), response, table=table, epoch=1, number=number
    )


def attached(sequence: int, table: str = "a") -> Entry:
    """A first Attach."""
    return Entry(
        sequence,
        "attach",
        pb.AttachRequest(site="house", table=table),
        pb.AttachResponse(sequence=sequence, epoch=1),
        table=table,
    )


def test_answers_are_audited_in_the_journals_order(site: Path) -> None:
    """They may arrive in any order, and wait until all before them are known."""
    auditor = Auditor(read_terms(site))
    auditor.feed(opened(12, 1))
    auditor.advance(11)
    assert auditor.waiting == 1
    auditor.feed(attached(11))
    auditor.advance(12)
    assert (auditor.waiting, auditor.sequence, auditor.audited) == (0, 12, 2)


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        ([attached(11), opened(12, 1, round_=2)], "round is 2, must be 1"),
        ([attached(11), opened(12, 2)], "1.2 follows 1.0"),
        ([attached(11), attached(11, "b")], "a sequence that was passed"),
        ([attached(11), opened(12, 1), opened(13, 1)], "the first answer was"),
        ([attached(11), opened(12, 1), opened(13, 2, 2)], "must be ROUND_OPEN"),
        (
            [
                attached(11),
                Entry(0, "open_round", pb.OpenRound(), None, "OVERLOADED", {}, "a", 1, 1),
            ],
            "refused without need",
        ),
        (
            [
                Entry(
                    20,
                    "Frame",
                    None,
                    meter_pb2.LinkMeters(
                        link="five",
                        status=meter_pb2.LINK_STATUS_IN_SERVICE,
                        meters=[meter_pb2.Meter(level="main", amount_micros=10_000 * DOLLAR + 1)],
                        sequence=20,
                    ),
                )
            ],
            "main meter is 10,000.000001, must be 10,000.000000",
        ),
    ],
)
def test_what_can_not_be_is_a_contradiction(site: Path, entries: list[Entry], says: str) -> None:
    """A wrong number, a gap, a sequence used twice, another answer to a repeat, a micro more."""
    with pytest.raises(ContradictionError, match=says):
        audit(Auditor(read_terms(site)), entries)


def audit(auditor: Auditor, entries: list[Entry]) -> None:
    """One entry after the other."""
    for entry in entries:
        auditor.feed(entry)
        auditor.advance(entry.sequence)
