"""The tables themselves: whatever stands in for them, or changes what they hold, is found."""

import asyncio
from pathlib import Path

import pytest
from click.testing import CliRunner

from jackpot.cli.main import main
from jackpot.store.journal import StoreError
from jackpot.store.opening import Address, journal_opener
from jackpot.verify import verify
from tests.engine.pit import Pit, running
from tests.postgres import Server
from tests.store.tamper import change
from tests.stores import Stores, schema_of

STAND_IN = "ALTER TABLE {0} RENAME TO kept; CREATE VIEW {0} AS SELECT * FROM kept"
EXECUTE = "EXECUTE FUNCTION suppress_redundant_updates_trigger()"
SQLITE = {
    "view": (STAND_IN.format("events"), "'events' is a view, not a table"),
    "view of snapshots": (STAND_IN.format("snapshots"), "'snapshots' is a view, not a table"),
    "trigger": (
        "CREATE TRIGGER sly AFTER INSERT ON events BEGIN DELETE FROM streams; END",
        "trigger 'sly' was added to 'events'",
    ),
    "table": ("CREATE TABLE more (a)", "table 'more' was added"),
    "index": ("CREATE INDEX more ON events (kind)", "index 'more' was added to 'events'"),
    "column": ("ALTER TABLE streams ADD COLUMN more TEXT", "the table 'streams' was altered"),
}
POSTGRES = {
    "view": (STAND_IN.format("events"), "'events' is not a table"),
    "view of heads": (STAND_IN.format("streams"), "'streams' is not a table"),
    "trigger": (
        f"CREATE TRIGGER sly BEFORE UPDATE ON events FOR EACH ROW {EXECUTE}",
        "'events' has a trigger",
    ),
    "rule": ("CREATE RULE sly AS ON DELETE TO events DO INSTEAD NOTHING", "has a rewrite rule"),
    "row security": ("ALTER TABLE events ENABLE ROW LEVEL SECURITY", "'events' has row security"),
    "heir": ("CREATE TABLE heir () INHERITS (events)", "'events' inherits, or is inherited from"),
    "column": ("ALTER TABLE streams ADD COLUMN more text", "'streams' has other columns"),
    "key": ("ALTER TABLE events DROP CONSTRAINT events_pkey", "'events' has no primary key"),
}
STRAYS = {
    "event before the first": "INSERT INTO events SELECT {stream}, -sequence, {event} "
    "FROM events WHERE sequence = 1",
    "event at zero": "INSERT INTO events SELECT {stream}, 0, {event} "
    "FROM events WHERE sequence = 1",
    "snapshot of nobody": "INSERT INTO snapshots SELECT {nobody}, sequence, version, {state} "
    "FROM events WHERE sequence = 1",
}


@pytest.fixture
def journal(store: Address) -> Address:
    """A journal with a few entries."""

    async def play() -> None:
        async with running(store) as engine:
            await Pit(engine).open_up("t1")

    asyncio.run(play())
    assert verify(store).ok
    return store


def alter(store: Address, script: str) -> None:
    """Run statements behind the controllers' backs."""
    for statement in script.split("; ") if "BEGIN" not in script else [script]:
        change(store, statement)


@pytest.mark.parametrize(
    ("store", "what"),
    [
        *(("sqlite", what) for what in SQLITE),
        *(pytest.param("postgres", what, marks=pytest.mark.postgres) for what in POSTGRES),
    ],
    indirect=["store"],
)
def test_tables_that_controllers_did_not_make_are_found(journal: Address, what: str) -> None:
    """A view, a trigger, another table or column: not sound, though every entry reads the same."""
    script, says = (SQLITE if isinstance(journal, Path) else POSTGRES)[what]
    alter(journal, script)
    report = verify(journal)
    assert not report.ok
    assert report.problem.startswith("its tables are not as controllers make them: ")
    assert says in report.problem


@pytest.mark.parametrize("what", SQLITE)
def test_no_controller_starts_on_them(tmp_path: Path, what: str) -> None:
    """What a trigger would do to the next entry is not waited for."""
    journal_opener(tmp_path)().close()
    script, says = SQLITE[what]
    alter(tmp_path, script)
    with pytest.raises(StoreError, match="not as controllers make them") as caught:
        journal_opener(tmp_path)()
    assert says in str(caught.value)


@pytest.mark.parametrize("stray", STRAYS)
def test_rows_that_no_head_speaks_of_are_found(journal: Address, stray: str) -> None:
    """Rows before the first entry, and snapshots of a stream that does not exist."""
    file = isinstance(journal, Path)
    event = "time_micros, kind, version, body, hash"
    names = {"stream": "stream", "nobody": "77", "state": "x'00'", "event": event}
    if not file:
        names |= {"stream": "site", "nobody": "'nobody'", "state": "'x'::bytea"}
    assert change(journal, STRAYS[stray].format(**names)) == 1
    report = verify(journal)
    assert not report.ok
    assert "speak" in report.problem


def test_a_wiped_journal_is_empty_and_not_sound(journal: Address) -> None:
    """No row is left but the head, which says so."""
    change(journal, "DELETE FROM events")
    change(journal, "DELETE FROM snapshots")
    change(journal, "UPDATE streams SET sequence = 0, version = 0, hash = zeroblob(32)")
    result = CliRunner().invoke(main, ["verify", "--data", str(journal)])
    assert result.exit_code == 1
    assert "is empty" in result.stdout
    assert "sound, " not in result.stdout


@pytest.mark.parametrize("table", ["events", "jackpot_migrations"])
def test_a_schema_that_hides_the_journal_is_found(
    stores: Stores, postgres: Server, table: str
) -> None:
    """One that stands before it on the path: neither read nor written, in one line."""
    store = str(stores.new("postgres"))
    journal_opener(store)().close()
    mine = schema_of(store)
    postgres.query(f"CREATE SCHEMA sly_{table}")
    postgres.query(f"CREATE TABLE sly_{table}.{table} (LIKE {mine}.{table} INCLUDING ALL)")
    path = store.replace(f"%3D{mine}", f"%3Dsly_{table},{mine}")
    for attempt in (journal_opener(path), lambda: verify(path)):
        with pytest.raises(StoreError, match="one hides the other"):
            attempt()
    assert not verify(store).ok  # it is alone on its path, and empty


def test_a_session_looks_into_its_own_schema_only(stores: Stores, postgres: Server) -> None:
    """A table of the same name that comes later, or that is temporary, is not seen."""
    store = str(stores.new("postgres"))
    mine = schema_of(store)
    journal = journal_opener(store)()
    assert journal.setting("search_path") == f"{mine}, pg_temp"  # type: ignore[attr-defined]
    journal.close()
    postgres.query("CREATE SCHEMA another")
    postgres.query("CREATE TABLE another.events (of_another_program int)")
    later = store.replace(f"%3D{mine}", f"%3D{mine},another")
    asyncio.run(_open_up(later))
    assert verify(later).ok


async def _open_up(store: str) -> None:
    async with running(store) as engine:
        await Pit(engine).open_up("t1")
