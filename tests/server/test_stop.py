"""A controller that was stopped has let go of everything."""

import time
from pathlib import Path

import pytest

from jackpot.rules.site import load_site
from jackpot.server.controller import make_controller
from jackpot.store.journal import Journal
from jackpot.store.sqlite import SqliteJournal
from tests.server.house import site_text, write_site


async def test_a_stopped_controller_has_no_journal_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does whoever lists the alarms of the past, though a slow disk has held that up."""
    site = load_site(write_site(tmp_path, site_text()))
    controller = make_controller(site, tmp_path / "data", fronts=0)
    really_open, really_close = controller.engine.open_journal, SqliteJournal.close
    opened: list[Journal] = []
    closed: list[Journal] = []

    def open_slowly() -> Journal:
        time.sleep(0.3)
        journal = really_open()
        opened.append(journal)
        return journal

    def close(journal: SqliteJournal) -> None:
        really_close(journal)
        closed.append(journal)

    controller.engine.open_journal = open_slowly
    monkeypatch.setattr(SqliteJournal, "close", close)
    await controller.start("127.0.0.1:0")
    await controller.stop()
    assert len(opened) == 1
    assert opened[0] in closed
