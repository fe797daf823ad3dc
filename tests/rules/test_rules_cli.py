"""`jackpot rules`: list, show and check, for people and for machines."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from jackpot.cli.rules import rules as command
from jackpot.rules.loader import DATA, rules


def run(*arguments: str) -> Result:
    """The command's result."""
    return CliRunner().invoke(command, arguments)


def test_list_names_every_game_and_bet_with_its_clause() -> None:
    """The JSON has every rule, bet and paytable, and no clause is empty."""
    result = run("list", "--json")
    assert result.exit_code == 0
    listed = {rule["id"]: rule for rule in json.loads(result.stdout)["rules"]}
    assert set(listed) == set(rules())
    for rule in rules().values():
        bets = listed[rule.id]["bets"]
        assert [bet["id"] for bet in bets] == [bet.id for bet in rule.bets]
        assert all(bet["clause"] for bet in bets)
        assert all(table["clause"] for bet in bets for table in bet["paytables"])


@pytest.mark.parametrize("arguments", [("list",), *(("show", rule) for rule in rules())])
def test_what_people_read_fits_80_columns(arguments: tuple[str, ...]) -> None:
    """No line is longer than a terminal of 80 columns."""
    result = run(*arguments)
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_show_prints_paytables_side_by_side_with_their_clauses() -> None:
    """The wording of odds is the regulation's, and each table names its clause."""
    shown = run("show", "pa-crazy-4-poker").stdout
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    assert "Hand Table A Table B Table C Table D" in lines
    assert "Royal flush 100% of meter 100% of mega 100% of mega 100% of mega" in lines
    assert "Flush 3 to 2" in lines
    assert "Four of a kind 300 for 1 300 for 1 100% of minor 100% of minor" in lines
    assert "the table must pay exactly this [PA 657a.12(e)(1)]" in lines
    assert "B mega $10,000 for 1 $10,000 for 1 11% none" in lines
    assert "A $1 four aces $100, four of a kind $10, straight flush $5" in lines


def test_show_can_be_narrowed_to_a_bet() -> None:
    """Only the bet asked for is shown, also in JSON."""
    shown = run("show", "pa-2010-let-it-ride", "bonus").stdout
    assert "Let It Ride Bonus" in shown
    assert "Three Card Bonus" not in shown
    data = json.loads(run("show", "pa-2010-let-it-ride", "bonus", "--json").stdout)
    assert [bet["id"] for bet in data["bets"]] == ["bonus"]
    assert data["effective"] == "2010-03-06"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show", "x"), "Error: there is no rule 'x'; see: jackpot rules list\n"),
        (("show", "pa-2010-pai-gow-poker", "x"), "has no bet 'x' (it has: pai-gow)\n"),
    ],
)
def test_what_does_not_exist_is_one_line(arguments: tuple[str, ...], message: str) -> None:
    """An unknown rule or bet is an error of one line, not a traceback."""
    result = run(*arguments)
    assert result.exit_code == 1
    assert result.stderr.endswith(message)
    assert result.stderr.count("\n") == 1


def test_check_passes_the_demo_and_shows_what_may_be_chosen() -> None:
    """A good file exits 0, with its meters and the choices that the law leaves."""
    result = run("check", str(DATA / "demo.toml"))
    assert result.exit_code == 0
    assert "must choose paytable: one of A, B, C, D [PA 657a.12(e)(1)]" in result.stdout
    assert "minor: seed $1,250.00, reseed $1,250.00, 3%, reserve 0%" in result.stdout
    assert result.stdout.endswith("demo.toml: no violations\n")


def test_check_names_every_violation_with_line_and_clause(tmp_path: Path) -> None:
    """All violations are printed, each as file, line, reason and clause; exit 1."""
    path = tmp_path / "site.toml"
    text = (DATA / "demo.toml").read_text()
    text = text.replace('wager = "$5"', 'wager = "$7"').replace('magic_share = "2%"\n', "")
    path.write_text(text)
    wager = text.splitlines().index('wager = "$7"') + 1
    result = run("check", str(path))
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0].startswith(f"{path}:{wager}: a wager of $7.00 is not allowed")
    assert lines[0].endswith("[PA 657a.12(e)(5)]")
    assert lines[1].endswith("[PA 657a.12(f)(3)]")
    assert lines[-1] == f"{path}: 2 violations"
    data = json.loads(run("check", str(path), "--json").stdout)
    assert data["ok"] is False
    assert [(one["line"], one["clause"]) for one in data["violations"]] == [
        (wager, "PA 657a.12(e)(5)"),
        (text.splitlines().index('id = "hand-bonus"'), "PA 657a.12(f)(3)"),
    ]
    assert {link["id"] for link in data["links"]} == {
        *("mega", "hand-bonus", "caribbean", "ride-bonus")
    }


def test_check_of_a_file_that_is_no_toml(tmp_path: Path) -> None:
    """A broken or missing file is one violation, in JSON too."""
    path = tmp_path / "site.toml"
    path.write_text("a =\n")
    result = run("check", str(path))
    says = (
        "this value can't be read: put text, amounts and rates in straight quotes, "
        'such as "$5"; write true or false in small letters'
    )
    told = f"{path}:1: {says}\n{path}: 1 violation\n"
    assert (result.exit_code, result.stdout) == (1, told)
    data = json.loads(run("check", str(tmp_path / "none.toml"), "--json").stdout)
    assert data["violations"][0]["reason"] == "No such file or directory"


@pytest.mark.parametrize("name", sorted(command.commands))
def test_every_command_has_help_with_an_example(name: str) -> None:
    """`--help` says what the command does and shows one use of it."""
    result = run(name, "--help")
    assert result.exit_code == 0
    assert "Example:" in result.stdout
    assert f"jackpot rules {name}" in result.stdout
