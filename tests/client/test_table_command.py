"""`jackpot-table` as a newcomer runs it."""

import json
import subprocess
import sys

import pytest

from table_client.games.catalogue import GAMES


def run(*args: str) -> subprocess.CompletedProcess[str]:
    """The command's output."""
    command = [sys.executable, "-c", "from table_client.cli import main; main()", *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_traced_round_of_every_game(game: str) -> None:
    """Each line fits 80 columns, each step of the deal has its clause, and nothing fails."""
    done = run("--game", game, "--seed", "7", "--trace")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert any("No more bets." in line for line in lines)
    dealt = [line for line in lines if set(line) & set("♠♥♦♣")]
    assert dealt
    assert any(game[:2].upper() in line for line in dealt)


def test_the_same_seed_plays_the_same_rounds() -> None:
    """Cards, decisions and awards are a seed's."""
    first, second = (
        run("--game", "pa-crazy-4-poker", "--seed", "11", "--rounds", "5", "--json")
        for _ in range(2)
    )
    assert first.stdout == second.stdout
    rounds = [json.loads(line) for line in first.stdout.splitlines()]
    assert [each["round"] for each in rounds] == [1, 2, 3, 4, 5]
    other = run("--game", "pa-crazy-4-poker", "--seed", "12", "--rounds", "5", "--json")
    assert other.stdout != first.stdout


def test_a_wrong_option_is_one_line() -> None:
    """No traceback for what a person mistypes."""
    done = run("--game", "whist")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "'whist' is not one of" in done.stderr
    done = run("--game", "pa-crazy-4-poker", "--controller", "127.0.0.1:1")
    assert "--controller needs --site and --table" in done.stderr
