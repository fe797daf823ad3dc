"""The site file of a whole house: lawful, complete, planned, and played at every table."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from emulator.devices.local import LocalDevices
from jackpot.cli.main import main
from jackpot.core.config import Site, Table
from jackpot.rules.base_game import on_layout
from jackpot.rules.loader import rules
from jackpot.rules.site import check_site
from jackpot.verify import verify
from table_client.table.assembly import station_config
from table_client.table.devices.device_deck import DeviceDeck
from table_client.table.devices.device_faults import Fault
from table_client.table.devices.model import Method
from table_client.table.games.catalogue import GAMES
from table_client.table.players import Habits, SimulatedPlayer
from table_client.table.ports import Way
from table_client.table.round import play
from tests.docs.pages import ROOT, blocks
from tests.e2e.process import Process

PAGE = ROOT / "docs" / "reference" / "whole-house.md"
BIN = Path(sys.executable).parent
FILES = [block.text for block in blocks(PAGE) if block.language == "toml"]


def sites(folder: Path) -> list[Site]:
    """Both files, read without a fault."""
    found = []
    for number, text in enumerate(FILES):
        path = folder / f"site-{number}.toml"
        path.write_text(text)
        checked = check_site(path)
        assert not checked.violations, checked.violations
        found.append(checked.site)
    return found


def tables(folder: Path) -> list[Table]:
    """Every table that plays a game against the house."""
    return [table for site in sites(folder) for table in site.tables if table.base]


def test_the_whole_house_is_lawful_and_has_every_game(tmp_path: Path) -> None:
    """A rule that is added needs a table here."""
    played = {table.base.rule for table in tables(tmp_path) if table.base}
    linked = {link.rule for site in sites(tmp_path) for link in site.links}
    assert played | linked == set(rules())
    assert played == set(GAMES)


def test_the_whole_house_uses_every_option(tmp_path: Path) -> None:
    """Each option, and each wager on a layout, is chosen for at least one table."""
    text = "\n".join(FILES)
    for table in tables(tmp_path):
        assert table.base
        rule = rules()[table.base.rule]
        offered = {
            wager.bet
            for other in tables(tmp_path)
            if other.base and other.base.rule == rule.id
            for wager in other.base.wagers
        }
        assert offered == {bet.id for bet in on_layout(rule)}
    options = {option.id for rule in rules().values() for option in rule.options}
    assert all(f"options.{option} = " in text for option in options)


@pytest.mark.parametrize("number", range(len(FILES)))
def test_the_whole_house_can_be_planned(tmp_path: Path, number: int) -> None:
    """Before its first start everything is added."""
    path = tmp_path / "site.toml"
    path.write_text(FILES[number])
    run = CliRunner().invoke(main, ["rules", "plan", str(path), "--data", str(tmp_path / "none")])
    assert run.exit_code == 0, run.output
    assert "will be added" in run.output


async def _rounds(table: Table, fault_ppm: int, many: int) -> list[play.RoundResult]:
    assert table.base
    game = GAMES[table.base.rule]
    config = station_config(game, Method.AUTOMATED_SHOE, f"house/{table.id}")
    devices = LocalDevices(table.id, config)
    if fault_ppm:
        faults = set(Fault)
        if Way.MANUAL_SHOE not in game.plans:  # nothing may stand in for its shoe
            faults.remove(Fault.SHOE_OUT_OF_ORDER)
        await devices.set_fault_rates(dict.fromkeys(faults, fault_ppm))
    dealer = play.Table(
        game, DeviceDeck(devices, config), terms=table.base, boxes=table.boxes_per_player
    )
    habits = Habits(side_bets=80, leaves=1, talks=1, surrenders=1)
    players = {n: SimulatedPlayer(f"p{n}", table.id, habits) for n in range(1, table.seats + 1)}
    return [await dealer.play_round(players) for _ in range(many)]


async def test_every_table_of_the_whole_house_plays(tmp_path: Path) -> None:
    """Without a fault no round is void, no wager refused, and every side bet comes up."""
    for table in tables(tmp_path):
        assert table.base
        rounds = await _rounds(table, 0, 25)
        assert not any(result.void for result in rounds)
        placed = {o.bet for r in rounds for seat in r.seats.values() for o in seat.outcomes}
        assert {w.bet for w in table.base.wagers if w.bet != "ante-bonus"} <= placed, table.id
        refused = [rec for r in rounds for rec in r.records if rec.step == "refuse"]
        assert not refused, refused[0]


async def test_every_table_survives_irregularities(tmp_path: Path) -> None:
    """With a fault in one of some ten deals rounds are void by rule, and play goes on."""
    for table in tables(tmp_path):
        rounds = await _rounds(table, 8_000, 25)
        assert any(result.void for result in rounds), table.id
        assert not all(result.void for result in rounds), table.id
        void = [seat for r in rounds if r.void for seat in r.seats.values()]
        back = {o.result for seat in void for o in seat.outcomes}
        assert back <= {"returned", "withdrawn", "win", "lose"}


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.timeout(600)  # a dozen processes, one after the other
@pytest.mark.parametrize("number", range(len(FILES)))
def test_every_table_plays_with_a_controller(tmp_path: Path, number: int) -> None:
    """Linked or not, `jackpot-table` plays each of them, and the journal is sound afterwards."""
    process = Process(tmp_path)
    process.site.write_text(FILES[number])
    with process:
        for table in check_site(process.site).site.tables:
            if table.base:
                run = ["--game", table.base.rule, "--table", table.id, "--rounds", "6"]
                run += ["--controller", process.address, "--site", str(process.site)]
                done = subprocess.run(
                    [BIN / "jackpot-table", "--seed", "whole", "--players", "3", *run],
                    capture_output=True,
                    text=True,
                    timeout=60,
                    check=False,
                )
                assert done.returncode == 0, done.stderr
                assert "round 6: " in done.stdout
    report = verify(tmp_path / "data")
    assert report.ok
    assert report.sites[0].entries > 40
