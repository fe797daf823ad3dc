"""Every command of the docs is run, against one controller and its journal, or says why not."""

import asyncio
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from jackpot.cli.main import main
from jackpot.verify import verify
from jackpot.wire.v1 import table_pb2
from table_client.client import TableClient, open_channel
from tests.cli.people import play
from tests.docs.pages import PAGES, commands
from tests.e2e.process import ALONE, Process
from tests.server.house import ROYALS, SITE, fund_text, site_text, wager

SHOWN = list(dict.fromkeys(line for page in PAGES for line in commands(page)))
# What a command begins with that is only parsed -> why.
ONLY_PARSED = {
    "jackpot serve": "never ends; test_run.py serves as a newcomer does",
    "jackpot sign": "never ends",
    "jackpot floor watch": "never ends",
    "jackpot meters --watch": "never ends",
    "jackpot login": "needs a browser's page over TLS",
    "jackpot store copy": "needs PostgreSQL",
    "jackpot restore --accept-rollback": "needs PostgreSQL; tests/e2e/test_restore.py does it",
    "jackpot demo": "test_run.py plays the thirty rounds of the first page",
    "jackpot-table --game pa-crazy-4-poker --forever": "never ends",
    "jackpot-emulator devices": "never ends",
    "jackpot-emulator soak": "takes minutes; test_run.py runs a short one",
    "jackpot-emulator bench": "takes minutes",
    "jackpot-emulator fuzz": "takes minutes; tests/emulator/test_fuzz.py runs a short one",
    "jackpot-emulator conform": "needs a client; tests/emulator/conform tries several",
    "jackpot pin": "needs certificates; tests/auth/test_pins.py does it",
    "jackpot version": "needs an installed release; tests/test_software.py does it",
}
# What a command begins with that is run by test_run.py.
RUN_ELSEWHERE = (
    *("jackpot rules", "jackpot odds", "jackpot ca", "jackpot completion", "jackpot meters"),
    "jackpot-table",
)
READS_JOURNAL = ("key init", "key show", "export", "slip", "report", "audit", "verify", "backup")
RESTORES = "jackpot restore /backup/2026-03-01"  # from the copy, into a folder that has no journal
NAMES = {"five": "five-card", "fund": "bad-beat", "t1": "table-1", "p1": "poker-1"}


class Served(NamedTuple):
    """A controller, its data directory, and a folder to write into."""

    address: str
    data: Path
    folder: Path
    typed: list[str]

    def types(self, begins: str, *changes: tuple[str, str], by: str = "operations") -> str:
        """Run the commands of the docs that begin so, with other numbers in them."""
        lines = [line for line in STORY if line.startswith(f"jackpot {begins}")]
        assert lines, begins
        for line in lines:
            self.typed.append(line)
            for old, new in changes:
                assert old in line
                line = line.replace(old, new)  # noqa: PLW2901  # the page's is made up
            printed = self.run(line, by)
        return printed

    def run(self, line: str, department: str = "operations") -> str:
        """Type a command, as somebody of a department who says yes; what it prints."""
        env = {
            "JACKPOT_CONTROLLER": self.address,
            "JACKPOT_PRINCIPAL": f"{department}-ann",
            "JACKPOT_DEPARTMENT": department,
        }
        done = CliRunner(env=env).invoke(main, shlex.split(line)[1:], input="y\n")
        assert done.exit_code == 0, f"{line}\n{done.output}"
        return done.stdout


def begins_with(line: str, *beginnings: str) -> bool:
    """Whether a line is a command with one of these beginnings."""
    return any(f"{line} ".startswith(f"{each} ") for each in beginnings)


JOURNAL = [line for each in READS_JOURNAL for line in SHOWN if begins_with(line, f"jackpot {each}")]
STORY = [
    line
    for line in SHOWN
    if not begins_with(line, *ONLY_PARSED, *RUN_ELSEWHERE, RESTORES) and line not in JOURNAL
]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A controller with a site whose links and tables are named as in the docs."""
    folder = tmp_path_factory.mktemp("docs")
    text = site_text() + fund_text()
    for name, shown in NAMES.items():
        text = text.replace(f'"{name}"', f'"{shown}"')
    process = Process(folder, options=ALONE)
    process.site.write_text(text)
    with process:
        yield Served(process.address, folder / "data", folder, [])


def lock_out(address: str) -> None:
    """A round at table-1 with a wager at seat 3, up to its lock-out."""

    async def begin() -> None:
        async with open_channel(address) as channel, TableClient(channel, SITE, "table-1") as table:
            await table.attach()
            await table.open_round()
            await table.place_wagers([wager(3)])
            await table.lock_out()

    asyncio.run(begin())


def call_floor(address: str, *, settle: bool) -> int:
    """A call of table-1 to void its last round, of a new one or as it is."""
    if settle:
        play(address, "table-1", {}, 2, 3)

    async def call() -> int:
        async with open_channel(address) as channel, TableClient(channel, SITE, "table-1") as table:
            number = (await table.attach()).round.number
            act = table_pb2.FLOOR_ACT_VOID_ROUND
            asked = table_pb2.CallFloor(act=act, round=number, irregularity="MISDEALT")
            return (await table.call_floor(asked)).call

    return asyncio.run(call())


def fund(served: Served) -> str:
    """What the Bad Beat fund holds."""
    links = json.loads(served.run("jackpot meters --json"))["links"]
    (held,) = (link["meters"][0] for link in links if link["link"] == "bad-beat")
    return f"{int(held['amount_micros']) / 1e6:.2f}"


def proposal(printed: str) -> str:
    """The number of the proposal that a command made."""
    found = re.match(r"proposal (\d+), not yet in effect", printed)
    assert found, printed
    return found[1]


def read_the_journal(served: Served, payout: str) -> None:
    """Keys first, then what they sign, then all that reads."""
    (first,) = served.run(f"jackpot audit --data {served.data} --limit 1 --json").splitlines()
    folder = served.folder
    places = (
        (r"(?<=--data )\S+", str(served.data)),
        (r"liberty=5120:\w+", f"{SITE}=1:{json.loads(first)['hash']}"),
        (r"/backup/\S+", f"{folder}/copy"),
        (r"/media/usb/", f"{folder}/usb-"),
        (r"(site\.key|march|day|slip-41)(?=\.|\b)", rf"{folder}/\1"),
        (r"slip 41", f"slip {payout}"),
    )
    for line in JOURNAL:
        for shown, here in places:
            line = re.sub(shown, here, line)  # noqa: PLW2901  # the page's are made up
        served.run(line)
    for line in SHOWN:
        if begins_with(line, RESTORES):
            here = line.replace("/backup/2026-03-01", f"{folder}/copy")
            served.run(here.replace("/var/lib/jackpot", f"{folder}/restored"))
            assert verify(folder / "restored").ok


def test_every_command_to_a_controller_works_as_shown(served: Served) -> None:
    """A day of work, in the order in which it can happen; then the journal is read in every way."""
    types = served.types
    types("watch", ("--controller 127.0.0.1:7400", "--once"))
    types("link list")
    types("link service")
    types("account buy-in")
    types("account show")
    types("account cash-out")

    (won, *_) = play(served.address, "table-1", {3: ROYALS["s"]}, 3)
    types("payouts --pending")
    types("validate", ("41", str(won.id)))
    types("pay ", ("41", str(won.id)), by="accounting")
    (misread, *_) = play(served.address, "table-1", {3: ROYALS["h"]}, 3)
    types("reject", ("41", str(misread.id)))
    play(served.address, "table-1", {}, 2, 3)
    types("void table-1 --round", ("412", "3"))
    lock_out(served.address)
    types("wager remove")
    types("void table-1 --reason")
    for answer in ("decline", "approve"):
        call = call_floor(served.address, settle=answer == "decline")
        types("floor list")
        types(f"floor {answer}", ("12", str(call)))

    types("link suspend")
    types("approve", ("3", proposal(types("limit"))), by="accounting")
    types("proposals")
    types("decline", ("3", proposal(types("adjust"))), by="accounting")
    types("approve", ("3", proposal(types("reset"))), by="accounting")
    types("approve", ("3", proposal(types("transfer"))), by="accounting")
    types("link resume")
    types("link suspend")
    types("link retire")
    served.run("jackpot link suspend stud")
    types("rate")

    types("badbeat count")
    types("badbeat verify")
    types("badbeat display", ("4,512.00", fund(served)))
    types("dual-control")
    assert set(served.typed) == set(STORY)
    read_the_journal(served, str(won.id))


def test_each_command_is_run_or_says_why_not() -> None:
    """No line is forgotten, and no reason is left over."""
    assert all(any(begins_with(line, each) for line in SHOWN) for each in ONLY_PARSED)
    excused = {line for line in SHOWN if begins_with(line, *ONLY_PARSED)}
    elsewhere = {line for line in SHOWN if begins_with(line, *RUN_ELSEWHERE)} - excused
    restores = {line for line in SHOWN if begins_with(line, RESTORES)}
    assert restores
    assert {*elsewhere, *excused, *restores, *JOURNAL, *STORY} == set(SHOWN)
