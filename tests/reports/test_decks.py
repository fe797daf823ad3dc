"""A day's report says which decks were changed, and which changes are due at its end."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from jackpot.cli.main import main
from jackpot.core.commands.base import OperatorOrigin
from jackpot.core.commands.table import PlaceDeck, RemoveDeck
from jackpot.core.config import DeckLife
from jackpot.core.events import Record
from jackpot.core.events.operator import SiteConfigured
from jackpot.engine.gaming_day import bounds
from jackpot.engine.replica import Replica
from jackpot.reports.daily import DailyReport, daily_report
from jackpot.reports.daily_sections import sections
from jackpot.reports.walk import open_walk
from jackpot.store.sqlite import SqliteJournal
from tests.core.floor import Floor, five_card_a, ok, table
from tests.reports.days import DATES, DAY

HOUR_MICROS = 3_600_000_000
LIFE = DeckLife(4 * 3_600, 8 * 3_600, "PA 657a.3(c)")
START, END = bounds(DAY, DATES[0])


def write(folder: Path, *steps: tuple[int, PlaceDeck | RemoveDeck]) -> Path:
    """A journal in which a table's decks come and go at these times."""
    floor = Floor(site="decks")
    floor.open_up([five_card_a()], [replace(table("t1", "a"), decks=LIFE)])
    times = [START] * len(floor.journal)
    for time_micros, command in steps:
        floor.clock = time_micros - 1  # it ticks with every command
        ok(floor.play("t1", command))
        times.append(time_micros)
    day = Record(
        OperatorOrigin("site-file", "00000000-0000-7000-8000-000000000000"),
        SiteConfigured(dual_control=False, day=DAY),
    )
    replica = Replica("decks")
    records = [day, *(record for record, _ in floor.journal)]
    for record, time_micros in zip(records, [START, *times], strict=True):
        replica.add(record.origin, record.event, record.digest, time_micros)
    journal = SqliteJournal.open(folder)
    with journal.begin({"decks"}) as transaction:
        transaction.append("decks", replica.seal())
        transaction.commit()
    journal.close()
    return folder


def report_of(folder: Path, now_micros: int = END) -> DailyReport:
    """The report of the day."""
    with open_walk(folder) as walk:
        return daily_report(walk, DATES[0], now_micros)


@pytest.mark.rule("PA 657a.3(c)")
@pytest.mark.parametrize(("spare_micros", "overdue"), [(-1, True), (0, True), (1, False)])
@pytest.mark.parametrize(("dealing", "hours"), [("hand", 4), ("shoe", 8)])
def test_a_change_is_overdue_at_the_days_end(
    tmp_path: Path, dealing: str, hours: int, spare_micros: int, *, overdue: bool
) -> None:
    """A deck whose time is up when the day ends is overdue, and not a micro before."""
    placed = END - hours * HOUR_MICROS + spare_micros
    command = PlaceDeck("red", "hand" if dealing == "hand" else "shoe")
    (deck,) = report_of(write(tmp_path, (placed, command))).decks
    assert (deck.table, deck.back, deck.dealing, deck.overdue) == ("t1", "red", dealing, overdue)
    assert deck.due_micros == END + spare_micros


@pytest.mark.rule("PA 657a.3(c)")
@pytest.mark.parametrize(("spare_micros", "overdue"), [(-1, False), (0, True), (1, True)])
def test_before_the_days_end_a_change_is_overdue_when_its_time_has_come(
    tmp_path: Path, spare_micros: int, *, overdue: bool
) -> None:
    """A deck that is to be changed later today is not overdue yet, and the report says as of when.

    A clock that is behind the journal is not believed.
    """
    due = START + 4 * HOUR_MICROS
    folder = write(
        tmp_path / "clock", (START, PlaceDeck("red", "hand")), (START, PlaceDeck("blue", "shoe"))
    )
    report = report_of(folder, due + spare_micros)
    assert [(deck.back, deck.overdue) for deck in report.decks] == [
        ("blue", False),
        ("red", overdue),
    ]
    assert report.as_of_micros == due + spare_micros < report.end_micros
    told = next(sections(report)).rows
    assert any(cell[0] == "as of" and str(cell[1]).endswith("not over") for cell in told)
    folder = write(
        tmp_path / "journal",
        (START, PlaceDeck("red", "hand")),
        (due + spare_micros, PlaceDeck("blue", "shoe")),
    )
    assert report_of(folder, START).decks[1].overdue == overdue


def test_a_day_to_come_says_so(tmp_path: Path) -> None:
    """Tomorrow's report is not a quiet day's, and nothing is overdue in it that is not now."""
    write(tmp_path, (START, PlaceDeck("red", "shoe")))
    command = ["report", "daily", "--data", str(tmp_path), "--date"]
    told = CliRunner().invoke(main, [*command, "2999-01-01"]).stdout
    says = r"^as of +\S+ \S+ America/New_York: this day has not begun$"
    assert re.search(says, told, re.MULTILINE)
    assert max(map(len, told.splitlines())) <= 80
    assert "as of" not in CliRunner().invoke(main, [*command, str(DATES[0])]).stdout


def test_what_was_changed_is_listed_with_how_late_it_was(tmp_path: Path) -> None:
    """In time, too late, and off the table."""
    hour = [START + number * HOUR_MICROS for number in range(24)]
    folder = write(
        tmp_path,
        (hour[0], PlaceDeck("red", "shoe")),
        (hour[8], PlaceDeck("red", "hand")),
        (hour[13], PlaceDeck("red", "shoe")),
        (hour[20], RemoveDeck("red")),
    )
    report = report_of(folder)
    assert [note.what for note in report.notes if note.heading == "decks"] == [
        "red in use, dealt by shoe",
        "red in use, dealt by hand, in place of one used for 8 h 0 min",
        "red in use, dealt by shoe, in place of one used for 5 h 0 min, 1 h 0 min late",
        "red off the table, used for 7 h 0 min",
    ]
    assert report.decks == []


def test_every_form_has_the_decks(tmp_path: Path) -> None:
    """Text, CSV, HTML and JSON name the deck and that it is overdue; text fits 80 columns."""
    write(tmp_path, (START, PlaceDeck("red", "shoe")), (END - 1, PlaceDeck("blue", "hand")))
    command = ["report", "daily", "--data", str(tmp_path), "--date", str(DATES[0]), "--format"]
    for form in ("text", "csv", "html"):
        told = CliRunner().invoke(main, [*command, form]).stdout
        assert "Deck changes due" in told
        assert told.count("overdue") == 1
        assert form != "text" or max(map(len, told.splitlines())) <= 80
    decks = json.loads(CliRunner().invoke(main, [*command, "json"]).stdout)["decks"]
    assert [(deck["back"], deck["overdue"]) for deck in decks] == [("blue", False), ("red", True)]
