"""A soak in which a backup is restored while tables play, and what its auditor makes of it."""

import asyncio
import random
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from emulator.soak.audit.auditor import Auditor, ContradictionError
from emulator.soak.audit.entry import RESTORED, Entry
from emulator.soak.audit.terms import read_terms
from emulator.soak.faults import impossible_faults
from emulator.soak.options import Chances, Options
from emulator.soak.replay import find_shortest_failure
from emulator.soak.run import Soak
from emulator.soak.site import write_site
from emulator.soak.tables.staff import Floor
from tests.emulator.soaks import SOAK_TIMEOUT
from tests.engine.pit import eventually

if TYPE_CHECKING:
    from emulator.soak.clients import StaffClient

DETAILS = {
    "incarnation": "b",
    "epochs_above": "9",
    "payouts_above": "50",
    "calls_above": "70",
    "last_epoch": "9",
    "last_payout": "50",
    "last_call": "70",
}


@pytest.mark.process
@SOAK_TIMEOUT
async def test_tables_go_on_from_a_restored_backup(tmp_path: Path) -> None:
    """Taken under load, and restored after they played on: every account agrees, to the micro.

    The fault itself fails unless every table attaches again within its time, and reports just
    what it was told and the journal no longer has, with its round.
    """
    options = Options(
        tables=4, duration_s=240, rigged=True, every_s=1, faults=frozenset({"restore"})
    )
    run = Soak(options, tmp_path, keep=True)
    running = asyncio.create_task(run.run())
    await eventually(lambda: bool(run.faults[0].felt) or running.done(), 240)
    rounds = run.rounds
    await eventually(lambda: run.rounds > rounds + 8 or running.done(), 240)
    run.stopping = True
    await running
    assert run.failure == ""
    assert run.verified
    assert run.faults[0].felt >= 1
    assert run.faults[0].figures(run)["answers_lost"] > 0
    assert run.transcript.refusals["OTHER_INCARNATION"] > 0
    # What is on record is the history that the journal has, and can be audited once more.
    assert find_shortest_failure(read_terms(tmp_path / "site.toml"), run.transcript_path) is None


@pytest.mark.parametrize(
    ("last", "problem"),
    [
        ({}, ""),
        ({"last_epoch": "10"}, "an epoch that was given"),
        ({"last_payout": "51"}, "a payout that was given"),
        ({"last_call": "71"}, "a call that was given"),
    ],
)
def test_what_was_given_may_not_be_given_again(
    tmp_path: Path, last: dict[str, str], problem: str
) -> None:
    """The auditor knows what was lost, and holds the new incarnation against it."""
    auditor = Auditor(read_terms(write_site(tmp_path, 2, herd=False)))
    auditor.feed(Entry(1, RESTORED, None, details=DETAILS | last))
    if problem:
        with pytest.raises(ContradictionError, match=problem):
            auditor.advance(1)
        return
    auditor.advance(1)
    assert (auditor.books.last_payout, auditor.books.last_call) == (50, 70)
    refused = Entry(0, "open_round", None, reason="OTHER_INCARNATION", table="table-001")
    auditor.feed(refused._replace(epoch=9, number=1))
    with pytest.raises(ContradictionError, match="refused without need"):
        auditor.feed(refused._replace(epoch=10, number=1))


@pytest.mark.parametrize(
    "options",
    [
        Options(store="postgresql://db/x", faults=frozenset({"restore"})),
        Options(command=("other",), faults=frozenset({"restore"})),
    ],
)
def test_only_a_journal_of_ours_can_be_restored(options: Options) -> None:
    """A database has its own tools, and another program its own backups."""
    assert impossible_faults(options).keys() == {"restore"}


async def test_staff_leave_awards_that_a_restore_has_undone() -> None:
    """A table that waits for them goes on at once, however many awards it had."""
    asked: list[str] = []

    class Staff:
        async def do(self, rpc: str, **_: object) -> None:
            asked.append(rpc)
            floor.start_over(())

    chances = Chances(later=0.0, clumsy=0.0, rejects=0.0)
    floor = Floor(cast("StaffClient", Staff()), chances)
    await floor.take("t1", range(1, 30), random.Random(1))
    assert asked == ["ValidatePayout", "PayPayout"]
