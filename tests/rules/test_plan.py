"""`jackpot rules plan`: what a start on a site file will change, keep or refuse, by line."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from jackpot.cli.main import main
from jackpot.core.config import Site
from jackpot.core.plan import Step, plan
from jackpot.core.state import State
from jackpot.engine.replica import load
from jackpot.rules.site import load_site
from jackpot.server.controller import make_controller
from jackpot.server.setup import SetupError
from jackpot.store.opening import open_to_read

FILE = """\
[site]
id = "north"
dual_control = false

[[links]]
id = "five"
title = "Five"
rule = "pa-crazy-4-poker"
bet = "five-card-progressive"
paytable = "A"
wager = "$1"
levels.main.limit = "$90,000"
in_service = true

[[tables]]
id = "t1"
links = ["five"]
minimum = "$5"
wagers.queens-up.paytable = "A"
"""


async def started(folder: Path, text: str) -> None:
    """A controller that began on a file, and was stopped."""
    controller = make_controller(site_of(folder, text), folder / "data", fronts=0)
    try:
        await controller.start("127.0.0.1:0")
    finally:
        await controller.stop()


def site_of(folder: Path, text: str) -> Site:
    """The site that a text describes."""
    path = folder / "site.toml"
    path.write_text(text)
    return load_site(path)


def planned(folder: Path, text: str) -> list[Step]:
    """What a start on a file would do."""
    journal = open_to_read(folder / "data")
    try:
        state = load(journal, "north").state if journal.heads(("north",)) else State("north")
    finally:
        journal.close()
    return list(plan(state, site_of(folder, text)))


@pytest.mark.parametrize(
    ("old", "new", "verdict", "key"),
    [
        ('title = "Five"', 'title = "Mega Five"', "change", "title"),
        ('minimum = "$5"', 'minimum = "$10"', "change", "minimum"),
        (
            'queens-up.paytable = "A"',
            'queens-up.paytable = "B"',
            "change",
            "wagers.queens-up.paytable",
        ),
        ('limit = "$90,000"', 'limit = "$95,000"', "keep", "levels.main.limit"),
        ('wager = "$1"', 'wager = "$5"', "refuse", "wager"),
        ("dual_control = false", "dual_control = true", "change", "dual_control"),
        (
            "dual_control = false",
            'dual_control = false\nvoids_by_table = "until-settled"',
            "change",
            "voids_by_table",
        ),
    ],
)
async def test_a_plan_says_what_a_start_then_does(
    tmp_path: Path, old: str, new: str, verdict: str, key: str
) -> None:
    """Refused files are refused by the controller; changes are in the journal afterwards."""
    await started(tmp_path, FILE)
    assert planned(tmp_path, FILE) == []
    changed = FILE.replace(old, new)
    steps = planned(tmp_path, changed)
    assert (verdict, key) in [(step.verdict, ".".join(step.key)) for step in steps]
    assert all(step.instead for step in steps if step.verdict in ("keep", "refuse"))
    if verdict == "refuse":
        with pytest.raises(SetupError, match="a new id"):
            await started(tmp_path, changed)
        assert planned(tmp_path, FILE) == []
        return
    await started(tmp_path, changed)
    after = [step.verdict for step in planned(tmp_path, changed)]
    assert after == (["keep"] if verdict == "keep" else [])


async def test_the_command_names_file_and_line_old_and_new(tmp_path: Path) -> None:
    """And exits with 1 where a controller would refuse to start."""
    await started(tmp_path, FILE)
    changed = FILE.replace('wager = "$1"', 'wager = "$5"').replace('"$5"\nwagers', '"$15"\nwagers')
    path = tmp_path / "site.toml"
    path.write_text(changed)
    run = CliRunner().invoke(main, ["rules", "plan", str(path), "--data", str(tmp_path / "data")])
    assert run.exit_code == 1
    assert "there is no journal" not in run.output
    assert f"{path}:11: ! link five wager refused: $1.00 -> $5.00" in run.output
    assert f"{path}:18: ~ table t1 minimum will change: $5.00 -> $15.00" in run.output
    assert "instead: rounds were already played under the old terms" in run.output
    args = ["rules", "plan", str(path), "--data", str(tmp_path / "data"), "--json"]
    told = json.loads(CliRunner().invoke(main, args).output)
    assert not told["ok"]
    assert {"line", "old", "new", "instead"} <= told["steps"][0].keys()


@pytest.mark.parametrize("folder", ["none", "empty"])
def test_without_a_journal_everything_is_added(tmp_path: Path, folder: str) -> None:
    """Before the first start, or where the directory is a wrong one: that is said."""
    (tmp_path / "empty").mkdir()
    path = tmp_path / "site.toml"
    path.write_text(FILE)
    args = ["rules", "plan", str(path), "--data", str(tmp_path / folder)]
    run = CliRunner().invoke(main, args)
    assert run.exit_code == 0
    assert run.output.splitlines()[0] == (
        f"{tmp_path / folder} has no journal yet, so everything in the file is new"
    )
    assert json.loads(CliRunner().invoke(main, [*args, "--json"]).output)["ok"]
    assert run.output.splitlines()[-1] == f"{path}: 2 will be added"


def test_a_file_with_faults_is_not_planned(tmp_path: Path) -> None:
    """Check it first."""
    path = tmp_path / "site.toml"
    path.write_text(FILE.replace('"$1"', '"$2"'))
    run = CliRunner().invoke(main, ["rules", "plan", str(path)])
    assert run.exit_code == 1
    assert "jackpot rules check" in run.output


@pytest.mark.parametrize("store", [" ://", "postgers://host/house", "site.toml"])
def test_a_store_that_cannot_be_read_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: str
) -> None:
    """An address that names none, and a file in place of a directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "site.toml").write_text(FILE)
    run = CliRunner().invoke(main, ["rules", "plan", "site.toml", "--data", store])
    assert isinstance(run.exception, SystemExit)
    assert (run.exit_code, run.stderr.count("\n")) == (1, 1), run.stderr
