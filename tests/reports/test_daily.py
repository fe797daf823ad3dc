"""A day's report: reconciled to the micro with a separate sum over the journal."""

import csv
import datetime as dt
import io
import re
from collections import defaultdict
from pathlib import Path

import pytest

from jackpot.core.commands.operator import CountBox
from jackpot.core.config import Table
from jackpot.engine.gaming_day import bounds
from jackpot.reports.daily import DailyReport, daily_report, day_before
from jackpot.reports.daily_sections import Money, Section, as_csv, as_html, sections
from jackpot.reports.walk import open_walk
from tests.core.floor import Floor, bad_beat_fund, four_eights_lose, ok
from tests.reports.days import DATES, DAY, Row, rows, write_days, write_floor

POOLS = ("meter", "reserve", "overflow")


def report_of(directory: Path, date: dt.date) -> DailyReport:
    """The report of a day."""
    with open_walk(directory) as walk:
        return daily_report(walk, date, bounds(DAY, date)[1])


def of_day(directory: Path, date: dt.date) -> tuple[list[Row], list[Row]]:
    """The rows before a day and those of it."""
    start, end = bounds(DAY, date)
    found = rows(directory)
    before = [row for row in found if row.time_micros < start]
    return before, [row for row in found if start <= row.time_micros < end]


def sums(found: list[Row], *kinds: str) -> dict[str, int]:
    """What rows posted to each account."""
    total: dict[str, int] = defaultdict(int)
    for row in found:
        for account, micros in row.postings if not kinds or row.kind in kinds else ():
            total[account] += micros
    return total


@pytest.mark.parametrize("date", DATES)
def test_every_pool_reconciles_to_the_micro(three_days: Path, date: dt.date) -> None:
    """Opening, what moved and closing are the sums of the postings, account by account."""
    before, within = of_day(three_days, date)
    opening, moved = sums(before), sums(within)
    report = report_of(three_days, date)
    assert (report.first_sequence, report.last_sequence) == (
        within[0].sequence,
        within[-1].sequence,
    )
    for level in report.levels:
        for pool in POOLS:
            account = f"{level.level}/{pool}"
            found = level.pools[pool]  # type: ignore[index]  # pools by their names
            assert found.opening_micros == opening[account], account
            assert sum(found.moved_micros.values()) == moved[account], account
            assert found.closing_micros == opening[account] + moved[account], account
    accounts = {f"{level.level}/{pool}" for level in report.levels for pool in POOLS}
    on_levels = {name for name in opening | moved if name.endswith(POOLS) and "/box/" not in name}
    assert on_levels <= accounts


@pytest.mark.parametrize("date", DATES)
def test_each_cause_is_what_its_events_posted(three_days: Path, date: dt.date) -> None:
    """Increments, awards with reseeds, voids, rejections, changes: nothing under a wrong name."""
    _, within = of_day(three_days, date)
    causes = {
        ("seeds", "retired"): ("LinkChanged",),
        ("increments",): ("RoundLocked", "CollectionConfirmed"),
        ("counts",): ("BoxCounted",),
        ("awards", "reseeds"): ("RoundSettled", "BadBeatVerified"),
        ("voids",): ("RoundVoided", "SeatVoided"),
        ("rejections",): ("PayoutRejected",),
        ("resets", "adjustments"): ("MeterAdjusted",),
        ("transfers",): ("FundsTransferred",),
    }
    report = report_of(three_days, date)
    for names, kinds in causes.items():
        posted = sums(within, *kinds)
        for level in report.levels:
            for pool, found in level.pools.items():
                told = sum(found.moved_micros.get(name, 0) for name in names)  # type: ignore[call-overload]  # causes by their names
                assert told == posted[f"{level.level}/{pool}"], (names, level.level, pool)


@pytest.mark.parametrize("date", DATES)
def test_awards_are_what_payouts_took_off_a_meter(three_days: Path, date: dt.date) -> None:
    """The awards of a level are its percentage payouts and what it bore of fixed ones."""
    _, within = of_day(three_days, date)
    taken: dict[str, int] = defaultdict(int)
    for row in within:
        settlement = row.event.get("settlement")
        for award in settlement["awards"] if settlement and "payouts" in row.event else ():
            claim = award["claim"]
            if claim.get("share_bps"):
                each = award["amount_micros"]
                taken[f"{claim['link']}/{claim['level']}"] -= each * len(claim["winners"])
            elif claim.get("level"):
                taken[f"{claim['link']}/{claim['level']}"] += award["effects"]["meter_micros"]
    for level in report_of(three_days, date).levels:
        assert level.pools["meter"].moved_micros.get("awards", 0) == taken[level.level]


@pytest.mark.parametrize("date", DATES)
def test_every_decrease_is_explained(three_days: Path, date: dt.date) -> None:
    """Whatever went down is listed with cause and reference, and nothing is left over."""
    report = report_of(three_days, date)
    listed: dict[str, int] = defaultdict(int)
    for decrease in report.decreases:
        assert decrease.micros < 0
        assert len(decrease.reference) > len("by ")
        listed[f"{decrease.level}/{decrease.pool}"] += decrease.micros
    _, within = of_day(three_days, date)
    for row in within:
        for account, micros in row.postings:
            name, _, pool = account.rpartition("/")
            if micros < 0 and pool in POOLS and "/box" not in name:
                found = [d for d in report.decreases if d.sequence == row.sequence]
                assert any(f"{d.level}/{d.pool}" == account for d in found), (row, account)
    assert listed


def test_payments_by_system_and_attendants(three_days: Path) -> None:
    """Per level the totals are those of the payments since service, by where they came from."""
    level: dict[int, str] = {}
    paid: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for row in rows(three_days):
        for payout in row.event.get("payouts", ()):
            parts = [payout["link"], payout["level"]] if payout["level"] else [payout["link"]]
            level[payout["id"]] = "/".join(parts)
        if row.kind == "PayoutPaid":
            by = 0 if row.event["source"] == "account" else 1
            paid[level[row.event["payout"]]][by] += row.event["amount_micros"]
    report = report_of(three_days, DATES[-1])
    told = {
        found.level: [found.system_micros, found.attendants_micros]
        for found in report.paid_since_service
    }
    assert told == dict(paid)
    for found in report.paid_since_service:
        assert found.together_micros == found.system_micros + found.attendants_micros
    days = [report_of(three_days, date) for date in DATES]
    together = sum(found.together_micros for day in days for found in day.paid)
    assert together == sum(map(sum, paid.values()))


def test_table_contributions_are_what_was_posted(three_days: Path) -> None:
    """What a table's wagers came to on a link adds up, and to the journal's sums."""
    for date in DATES:
        _, within = of_day(three_days, date)
        posted = sums(within, "RoundLocked", "CollectionConfirmed")
        report = report_of(three_days, date)
        for found in report.tables:
            parts = found.meter_micros + found.reserve_micros + found.overflow_micros
            assert found.wagered_micros == parts + found.retained_micros
        for link in {found.link for found in report.tables}:
            wagered = sum(t.wagered_micros for t in report.tables if t.link == link)
            assert wagered == -posted[f"{link}/players"]
    boxed = [t.boxed_micros for t in report_of(three_days, DATES[-1]).tables if t.link == "bb"]
    assert boxed == [2_000_000]


def test_what_happened_is_noted(three_days: Path) -> None:
    """Voids, mismatches, changes, counts and alarms each have as many lines as the journal."""
    wanted = {
        "voids": (
            *("RoundVoided", "SeatVoided", "WagerRemoved"),
            *("FloorCalled", "CallWithdrawn", "CallDeclined"),
        ),
        "changes": (
            *("LinkChanged", "MeterAdjusted", "FundsTransferred", "ParametersChanged"),
            "DualControlSet",
        ),
        "counts": ("BoxCounted", "BadBeatVerified", "DisplayConfirmed"),
    }
    for date in DATES:
        _, within = of_day(three_days, date)
        notes = report_of(three_days, date).notes
        for heading, kinds in wanted.items():
            told = [note.sequence for note in notes if note.heading == heading]
            assert told == [row.sequence for row in within if row.kind in kinds]
        refused = [row for row in within if row.event.get("reason") == "COLLECTION_MISMATCH"]
        mismatches = [note for note in notes if note.heading == "mismatches"]
        assert [note.sequence for note in mismatches] == [row.sequence for row in refused]
        alarms = [row.sequence for row in within for _ in row.event.get("alarms", ())]
        assert [note.sequence for note in notes if note.heading == "alarms"] == alarms


def test_a_removed_wager_is_listed_with_the_voids(three_days: Path) -> None:
    """With its round, seat, bet, amount and who removed it."""
    told = [note for date in DATES for note in report_of(three_days, date).notes]
    own, called = (note for note in told if "removed" in note.what)
    for note, call in ((own, ""), (called, r", call \d+")):
        assert (note.heading, note.by, note.micros) == ("voids", "flo", 1_000_000)
        what = rf"round \d+ seat 2: a-five removed: it had no chip{call}"
        assert re.fullmatch(what, note.what)


def test_an_open_share_of_a_bad_beat_has_a_role_and_no_round(tmp_path: Path) -> None:
    """It belongs to no round of the table."""
    floor = Floor().open_up([bad_beat_fund()], [Table("p1", "poker", ("bb",), 10, 0)])
    ok(floor.operate(CountBox("bb", "p1", 1_000_000_000, "carl")))
    ok(floor.operate(four_eights_lose()))
    with open_walk(write_floor(tmp_path, floor), "test") as walk:
        report = daily_report(walk, dt.date(1970, 1, 1), 86_400_000_000)
    (section,) = (s for s in sections(report) if s.title == "Open payouts")
    told = [(row[3], row[4], row[5]) for row in section.rows]
    assert told[:2] == [("", 3, "four-eights (loser)"), ("", 7, "four-eights (winner)")]
    assert told[2] == ("", 1, "four-eights (table)")


def test_hits_end_the_day_with_the_status_that_they_had(three_days: Path) -> None:
    """A hit is told as pending, validated, paid or rejected, as it stood at the day's end."""
    hits = {}
    for row in (row for date in DATES for row in of_day(three_days, date)[1]):
        for payout in row.event.get("payouts", ()):
            if payout.get("share_bps") or payout["kind"] == "bad-beat":
                hits[payout["id"]] = "pending"
        for change in row.event.get("changes", ()):
            if change.get("closed") and change["payout"] in hits:
                hits[change["payout"]] = "rejected"
        if row.kind in ("PayoutValidated", "PayoutPaid") and row.event["payout"] in hits:
            hits[row.event["payout"]] = row.kind.removeprefix("Payout").lower()
    last = report_of(three_days, DATES[-1])
    assert {hit.payout: hit.status for hit in last.last_hits} == dict(list(hits.items())[-25:])
    told = {hit.payout for date in DATES for hit in report_of(three_days, date).hits}
    assert told == set(hits)


def test_yesterdays_report_is_the_same_tomorrow(three_days: Path, tmp_path: Path) -> None:
    """What is written after the day's end changes nothing in its report."""
    for number, date in enumerate(DATES[:2]):
        _, within = of_day(three_days, date)
        folder = tmp_path / str(number)
        early = report_of(write_days(folder, keep=within[-1].sequence), date)
        assert early == report_of(three_days, date)


@pytest.mark.parametrize(("offset", "days"), [(-1, 2), (0, 1), (1, 1)])
def test_the_last_day_that_is_over(three_days: Path, offset: int, days: int) -> None:
    """It is the one before the gaming day that it is now, on the site's clocks."""
    today = dt.date(2026, 3, 20)
    start, _ = bounds(DAY, today)
    with open_walk(three_days) as walk:
        assert day_before(walk, start + offset) == today - dt.timedelta(days=days)


def test_a_day_without_entries_has_what_was_there(three_days: Path) -> None:
    """Before the site there is nothing; after the last entry everything stands still."""
    long_before = report_of(three_days, DATES[0] - dt.timedelta(days=7))
    assert (long_before.levels, long_before.last_sequence) == ([], 0)
    after = report_of(three_days, DATES[-1] + dt.timedelta(days=7))
    assert after.first_sequence == 0
    assert after.levels
    for level in after.levels:
        for pool in level.pools.values():
            assert pool.opening_micros == pool.closing_micros
            assert not pool.moved_micros


def test_forms_say_the_same_numbers(three_days: Path) -> None:
    """CSV has every amount without commas, HTML every row, and neither runs what people wrote."""
    report = report_of(three_days, DATES[1])
    found = list(sections(report))
    blocks = list(csv.reader(io.StringIO(as_csv(found))))
    page = as_html(found)
    for section in found:
        assert [section.title] in blocks
        for row in section.rows:
            for cell in row:
                if isinstance(cell, Money):
                    assert str(cell) in page
                    assert any(str(cell).replace(",", "") in line for line in blocks)
    assert page.count("<tr>") >= sum(len(section.rows) for section in found)
    evil = Section("<b>", ("what",), (("=cmd()",), ("<script>",)))
    assert "<script>" not in as_html([evil])
    assert "'=cmd()" in as_csv([evil])
