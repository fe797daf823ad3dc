import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from jackpot.cli.odds import odds
from jackpot.rules.chances import is_counted
from jackpot.rules.loader import rules
from tests.odds.test_returns import has_long_counts

PAI_GOW = "pa-2010-pai-gow-poker"
HOLDEM = "pa-2011-texas-holdem-bonus"
SVG = "{http://www.w3.org/2000/svg}"


def run(*arguments: str) -> Result:
    """The command's result."""
    return CliRunner().invoke(odds, arguments)


def data(*arguments: str) -> list[dict[str, Any]]:
    """What the command prints for machines."""
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    found: list[dict[str, Any]] = json.loads(result.stdout)["odds"]
    return found


@pytest.mark.parametrize(
    "rule_id",
    [
        pytest.param(rule, marks=[pytest.mark.exhaustive] if has_long_counts(rule) else [])
        for rule in sorted(rules())
    ],
)
def test_every_paytable_of_every_rule_has_its_odds(rule_id: str) -> None:
    """JSON lists each wager that is paid by the player's hand alone, each paytable once."""
    rule = rules()[rule_id]
    expected = [
        (bet.id, table.id) for bet in rule.bets if is_counted(bet) for table in bet.paytables
    ]
    if not expected and rule_id != PAI_GOW:
        result = run(rule_id, "--json")
        assert result.exit_code == 1
        assert result.stderr.startswith(f"Error: there are no odds for {rule_id}: ")
        return
    assert [(found["bet"], found["paytable"]) for found in data(rule_id)] == expected


def test_json_has_exact_fractions_beside_decimals() -> None:
    """Each number is an exact fraction, with a decimal that agrees."""
    (found,) = data("pa-crazy-4-poker", "five-card-progressive", "--paytable", "A")
    assert found["hands"] == 2_598_960
    assert [row["count"] for row in found["rows"]] == [
        *(4, 36, 624, 3_744, 5_108, 10_200, 54_912),
    ]
    for key in ("fixed_return", "return_at_seed", "long_run_return", "variance_at_seed"):
        exact = Fraction(found[key]["fraction"])
        assert float(found[key]["decimal"]) == pytest.approx(float(exact), rel=1e-11)
    (level,) = found["levels"]
    assert level["rounds_between_hits"]["fraction"] == "108290"
    assert [row["seats"] for row in found["envy_return_by_seats"]] == [1, 2, 3, 4, 5, 6]


def test_text_fits_eighty_columns_and_shows_percent() -> None:
    """A person sees the figures in at most 80 columns."""
    result = run("pa-crazy-4-poker", "five-card-progressive", "--wager", "5")
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "return at seed           55.98%" in result.stdout
    assert "long-run return          75.60%" in result.stdout
    assert "with envy, 6 players     78.44%" in result.stdout


@pytest.mark.exhaustive
def test_without_a_bet_each_wager_has_one_line() -> None:
    """The summary lists all wagers of a rule."""
    result = run("pa-crazy-4-poker")
    assert max(map(len, result.stdout.splitlines())) <= 80
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["five-card-progressive", "C", "47.97%", "56.89%", "75.89%", "78.74%"] in lines
    assert ["six-card-bonus", "E", "81.90%", "81.90%", "81.90%"] in lines


def test_a_return_over_one_hundred_percent_is_warned_of() -> None:
    """The warning goes to standard error, and into the JSON."""
    choice = ("pa-crazy-4-poker", "five-card-hand-bonus", "--magic", "30%")
    result = run(*choice)
    assert result.exit_code == 0
    expected = "the long-run return is 114.93%, which is more than 100%"
    assert result.stderr == f"warning: five-card-hand-bonus: {expected}\n"
    assert data(*choice)[0]["warnings"] == [expected]


def test_what_depends_on_the_play_is_said_with_the_play() -> None:
    """The streets of Hold 'Em Bonus are exact, under each Ante and with a bet on every street."""
    result = run(HOLDEM, "river")
    assert result.exit_code == 0, result.output
    assert max(map(len, result.stdout.splitlines())) <= 80
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["Play:", "best", "(ante", "flush-or-higher)"] in lines
    assert ["river", "only", "45.95%", "32.20%", "1.27%", "12.47%", "142.93%"] in lines
    assert ["river", "only", "100.00%", "47.97%", "4.07%", "47.97%", "100.00%"] in lines
    assert result.stdout.count("; exact.") == 3


def test_all_wagers_of_a_play_are_summed_up() -> None:
    """Three Card Poker with the standard Ante Bonus costs 3.37% of the Ante a round."""
    result = run("pa-2010-three-card-poker")
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "net result of these wagers together: -3.37% of the Ante per round" in result.stdout
    assert ["ante-bonus", "C", "0.00%", "0.45%", "0.00%", "0.00%", "+1.86%"] in [
        line.split() for line in result.stdout.splitlines()
    ]


def test_a_game_without_an_ante_is_summed_up_by_its_bet() -> None:
    """Let It Ride has three equal bets."""
    result = run("pa-2010-let-it-ride")
    assert "net result of these wagers together: -3.51% of one bet per round" in result.stdout
    assert "Ante" not in result.stdout


def test_a_simulation_is_labeled_with_its_error() -> None:
    """Pai Gow Poker, with vigorish to the cent and rounded up on a wager of $12."""
    result = run(PAI_GOW, "--wager", "12")
    assert result.exit_code == 0, result.output
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "simulated with 16,777,216 deals; ± is the standard error" in " ".join(
        result.stdout.split()
    )
    lines = [line.split() for line in result.stdout.splitlines()]
    shares = ("28.50%", "41.76%", "29.74%")
    assert ["pai-gow", "exact", "100.00%", *shares, "97.33%", "±0.002%"] in lines
    assert ["pai-gow", "rounded-up", "100.00%", *shares, "96.97%", "±0.002%"] in lines


def test_json_tells_exact_from_simulated() -> None:
    """Each play has its method, its words, and for a simulation its deals and its error."""
    found = json.loads(run(PAI_GOW, "--json").stdout)
    assert found["odds"] == []
    by_kind = found["played"][0]
    assert (by_kind["method"], by_kind["deals"]) == ("simulated", 16_777_216)
    assert 0 < by_kind["standard_error"] < 0.0001
    assert by_kind["for"] == {"house-way": "by-kind"}
    river = json.loads(run(HOLDEM, "river", "--json").stdout)["played"][0]
    assert (river["method"], river["deals"], river["standard_error"]) == ("exact", None, 0)
    assert river["for"] == {"ante": "flush-or-higher"}
    made, net = (Fraction(river[name]["fraction"]) for name in ("made", "net"))
    assert Fraction(river["returns"]["fraction"]) == 1 + net / made


def test_an_operators_choices_are_taken() -> None:
    """Options give what the law leaves open, for one level or for all."""
    open_terms = ("ma-crazy-4-poker", "four-card-progressive", "--paytable", "A")
    assert data(*open_terms)[0]["long_run_return"] is None
    assert "add --seed, --reseed and --rate" in run(*open_terms).stdout
    for rate in ("25%", "main=25%"):
        assert data(*open_terms, "--rate", rate)[0]["long_run_return"]["decimal"][:6] == "0.6916"
    chosen = ("pa-2011-caribbean-stud", "progressive", "--seed", "10000", "--reseed", "5,000")
    assert data(*chosen, "--pays", "straight-flush=$5,000")[0]["rows"][1]["pays"] == "$5,000"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere",), "there is no rule 'nowhere'; see: jackpot rules list"),
        (("pa-crazy-4-poker", "nothing"), "pa-crazy-4-poker has no bet 'nothing'"),
        (("pa-2011-ultimate-texas-holdem", "ante"), "for pa-2011-ultimate-texas-holdem/ante: "),
        (
            ("pa-crazy-4-poker", "ante", "--pays", "any=2 to 1"),
            "--pays does not apply to ante, because its odds depend on the player's decisions; ",
        ),
        (("pa-crazy-4-poker", "ante", "--on", "dealer"), "--on does not apply to ante"),
        (("pa-crazy-4-poker", "ante", "--paytable", "Z"), "poker/ante has no paytable 'Z'; see"),
        (("pa-crazy-4-poker", "ante", "--wager", "0"), "--wager must be more than $0"),
        (("pa-crazy-4-poker", "queens-up", "--paytable", "Z"), "up has no paytable 'Z'; see"),
        (("pa-crazy-4-poker", "queens-up", "--wager", "x"), "'x' is not an amount in dollars"),
        (
            ("ma-crazy-4-poker", "five-card-progressive", "--rate", "mega=5%"),
            "there is no level 'mega' (the levels are: main)",
        ),
        (("pa-crazy-4-poker", "queens-up", "--pays", "flush"), "--pays 'flush': expected HAND=PAY"),
        (("pa-crazy-4-poker", "queens-up", "--pays", "flush=lots"), "'lots' is not a payment"),
    ],
)
def test_an_error_is_one_clear_line(arguments: tuple[str, ...], message: str) -> None:
    """What can't be answered is said in one line, without a traceback."""
    result = run(*arguments)
    assert result.exit_code == 1
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.process
def test_a_plot_is_drawn(tmp_path: Path) -> None:
    """--plot writes a picture of the return against each meter, with its seed and break-even."""
    path = tmp_path / "return.svg"
    options = ("five-card-progressive", "--paytable", "C", "--plot", str(path))
    result = run("pa-crazy-4-poker", *options)
    assert result.exit_code == 0, result.output
    root = ET.parse(path).getroot()
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert len(list(root.iter(f"{SVG}polyline"))) == 3
    for level in ("mega", "major", "minor"):
        assert f"Return against the {level} meter" in texts
    for said in ("seed $10,000", "mean award $68,477", "break-even $290,080", "100%"):
        assert said in texts


@pytest.mark.process
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("five-card-progressive", "--plot", "all.png"), "--plot draws only one wager"),
        (("queens-up", "--paytable", "A", "--plot", "a.png"), "there is no meter to draw"),
        (("ante", "--plot", "a.svg"), "--plot needs a wager with a meter"),
        (
            ("five-card-progressive", "--paytable", "A", "--plot", "no/x.png"),
            "cannot write no/x.png",
        ),
        (
            ("five-card-progressive", "--paytable", "A", "--plot", "no/x.svg"),
            "cannot write no/x.svg: No such file or directory",
        ),
        (("five-card-progressive", "--paytable", "A", "--plot", "a.xyz"), "cannot write a.xyz"),
        (
            ("five-card-progressive", "--paytable", "A", "--plot", "a.png"),
            "cannot write a.png: a plot is SVG, so end its name in .svg",
        ),
    ],
)
def test_a_plot_that_cannot_be_is_refused(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plot needs one wager, a meter, and a file that can be written."""
    monkeypatch.chdir(tmp_path)
    result = run("pa-crazy-4-poker", *arguments)
    assert result.exit_code == 1
    assert message in result.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.process
def test_the_installed_command_answers() -> None:
    """`jackpot odds` runs as a process."""
    program = (
        "import sys; from jackpot.cli.main import main; sys.argv[1:] = ['odds', "
        "'pa-2010-let-it-ride', 'three-card-bonus', '--paytable', 'A']; "
        "main(standalone_mode=False)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "97.68%" in done.stdout
