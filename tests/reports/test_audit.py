"""Looking through the journal."""

import datetime as dt
import json
import re
from pathlib import Path
from typing import get_args
from zoneinfo import ZoneInfo

import msgspec
import pytest
from click.testing import CliRunner, Result

from jackpot.cli.main import main
from jackpot.core.events import AnyEvent
from jackpot.store.sqlite import FILE_NAME
from jackpot.verify import verify
from tests.reports.days import rows


def run(data: Path, *args: str) -> Result:
    """`jackpot audit` with JSON."""
    return CliRunner().invoke(main, ["audit", "--data", str(data), "--json", *args])


def sequences(data: Path, *args: str) -> list[int]:
    """Which entries are shown."""
    result = run(data, *args)
    assert result.exit_code == 0, result.output
    return [json.loads(line)["sequence"] for line in result.stdout.splitlines()]


def test_all_entries_without_a_filter(three_days: Path) -> None:
    """Every entry is shown once, with its hash and its whole record."""
    lines = run(three_days).stdout.splitlines()
    found = rows(three_days)
    assert [json.loads(line)["sequence"] for line in lines] == [row.sequence for row in found]
    assert [json.loads(line)["record"] for line in lines] == [row.body for row in found]


def test_filters_by_kind_actor_table_and_time(three_days: Path) -> None:
    """Each filter shows just what it says, and together they narrow."""
    found = rows(three_days)
    kinds = [row.sequence for row in found if row.kind in ("Proposed", "MeterAdjusted")]
    assert sequences(three_days, "--kind", "proposed", "--kind", "MeterAdjusted") == kinds
    olga = [row.sequence for row in found if row.body["origin"].get("principal") == "olga"]
    assert sequences(three_days, "--actor", "olga") == olga
    proposed = [row.sequence for row in found if row.kind == "Proposed"]
    assert sequences(three_days, "--actor", "olga", "--kind", "Proposed") == proposed
    assert sequences(three_days, "--actor", "anna", "--kind", "Proposed") == []
    at_t2 = [
        row.sequence
        for row in found
        if row.body["origin"].get("table") == "t2" or row.event.get("table") == "t2"
    ]
    assert set(at_t2) <= set(sequences(three_days, "--table", "t2"))
    controller = [row.sequence for row in found if row.body["origin"]["type"] == "controller"]
    assert sequences(three_days, "--actor", "controller") == controller
    start, end = "2026-03-08T06:00-04:00", "2026-03-09T06:00-04:00"
    day = [
        row.sequence
        for row in found
        if 1_772_964_000 <= row.time_micros / 1_000_000 < 1_773_050_400
    ]
    assert sequences(three_days, "--since", start, "--until", end) == day
    assert sequences(three_days, "--limit", "3") == [1, 2, 3]


def test_times_are_on_the_sites_clocks(three_days: Path) -> None:
    """Those that are shown, with their zone, and those that are asked for without one."""
    asked = ("--since", "2026-03-08T06:00", "--until", "2026-03-09T06:00")
    zoned = ("--since", "2026-03-08T06:00-04:00", "--until", "2026-03-09T06:00-04:00")
    assert sequences(three_days, *asked) == sequences(three_days, *zoned) != []
    shown = CliRunner().invoke(main, ["audit", "--data", str(three_days), *asked]).stdout
    times = re.findall(r"^\d+ (\S+ \S+) (\S+)", shown, re.MULTILINE)
    assert {zone for _, zone in times} == {"EDT"}
    assert all("2026-03-08 06:00:00" <= time < "2026-03-09 06:00:00" for time, _ in times)


def test_a_kind_or_time_that_is_none(three_days: Path) -> None:
    """It is wrong usage, and the line says what there is."""
    result = run(three_days, "--kind", "Jackpot")
    assert (result.exit_code, "MeterAdjusted" in result.stderr) == (2, True)
    assert run(three_days, "--since", "yesterday").exit_code == 2


def test_lines_for_people_fit_the_screen(three_days: Path) -> None:
    """Plain text of 80 columns, and a change says who made it."""
    result = CliRunner().invoke(main, ["audit", "--data", str(three_days)])
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert " LinkDefined: link " in result.stdout
    assert "by olga, approved by anna" in " ".join(result.stdout.split())


def test_a_removed_wager_says_which_it_was(three_days: Path) -> None:
    """Seat, bet, round, amount and who did it."""
    args = ["audit", "--data", str(three_days), "--kind", "WagerRemoved"]
    said = " ".join(CliRunner().invoke(main, args).stdout.split())
    assert "table t1, seat 2, bet a-five, floorperson flo, number " in said
    assert "amount $1.00" in said


def test_a_backup_is_a_sound_copy(three_days: Path, tmp_path: Path) -> None:
    """It is checked when it is made, and never written over another."""
    target = tmp_path / "copy"
    args = ["backup", str(target), "--data", str(three_days)]
    first = CliRunner().invoke(main, args)
    assert first.exit_code == 0, first.output
    assert verify(target).sites[0].head_hash == verify(three_days).sites[0].head_hash
    again = CliRunner().invoke(main, args)
    assert again.exit_code == 1
    assert again.stderr == (
        f"Error: {target} already has a journal; nothing was copied. Give an empty or new folder\n"
    )
    assert (target / FILE_NAME).is_file()


@pytest.mark.parametrize(
    "command",
    [
        ["report", "daily"],
        ["audit"],
        ["slip", "1"],
        ["backup", "x"],
    ],
    ids=" ".join,
)
def test_a_directory_without_a_journal_is_one_line(command: list[str], tmp_path: Path) -> None:
    """Exit code 1 and one line."""
    result = CliRunner().invoke(main, [*command, "--data", str(tmp_path / "none")])
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: there is no journal in ")


def test_report_in_every_form(three_days: Path, tmp_path: Path) -> None:
    """Text of 80 columns, CSV, JSON and HTML, printed or written to a file."""
    args = ["report", "daily", "--data", str(three_days), "--date", "2026-03-08"]
    text = CliRunner().invoke(main, args).stdout
    assert text.startswith("Gaming day 2026-03-08, site golden\n")
    assert max(map(len, text.splitlines())) <= 80
    found = json.loads(CliRunner().invoke(main, [*args, "--json"]).stdout)
    assert found["date"] == "2026-03-08"
    out = tmp_path / "day.html"
    wrote = CliRunner().invoke(main, [*args, "--format", "html", "--out", str(out)])
    assert wrote.stdout == f"wrote {out}\n"
    assert out.read_text().startswith("<!doctype html>")
    assert CliRunner().invoke(main, [*args, "--format", "csv"]).stdout.startswith('"Gaming day')


def test_nothing_that_matches_is_said(three_days: Path) -> None:
    """On the error output, and nothing where a program reads."""
    args = ["audit", "--data", str(three_days), "--actor", "nobody"]
    result = CliRunner().invoke(main, args)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "no entries match\n")
    result = CliRunner().invoke(main, [*args, "--json"])
    assert (result.exit_code, result.output) == (0, "")


def test_moments_and_lengths_of_time_are_not_money(three_days: Path) -> None:
    """A moment is on the site's clocks; a length is in hours."""
    kinds = ("FloorCalled", "LinkChanged", "MetersRead")
    args = [arg for kind in kinds for arg in ("--kind", kind)]
    shown = CliRunner().invoke(main, ["audit", "--data", str(three_days), *args]).stdout
    said = " ".join(shown.split())
    moments = {
        (key.removesuffix("_micros"), row.event[key])
        for row in rows(three_days)
        if row.kind in kinds
        for key in ("expires_micros", "time_micros", "due_micros")
        if key in row.event
    }
    assert {name for name, _ in moments} == {"expires", "time", "due"}
    for name, micros in moments:
        at = dt.datetime.fromtimestamp(micros // 1_000_000, ZoneInfo("America/New_York"))
        assert f"{name} {at:%Y-%m-%d %H:%M:%S}" in said
    assert "away 25 h 0 min" in said
    assert "$" not in said


def test_every_field_in_micros_is_known_to_be_money_or_time() -> None:
    """Whoever adds one says which it is."""
    money = {
        *("after", "amount", "balance", "before", "counted", "displayed", "pot", "recorded"),
        "returned",
    }
    fields = {
        field.name.removesuffix("_micros")
        for kind in get_args(AnyEvent)
        for field in msgspec.structs.fields(kind)
        if field.name.endswith("_micros")
    }
    assert fields == money | {"away", "due", "expires", "last", "time"}
