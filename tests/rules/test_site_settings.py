"""What a site file says beyond rules: people, days, Bad Beat funds, and what the law fixes."""

from pathlib import Path

import pytest

from jackpot.auth.holder import HolderError, parse_holder
from jackpot.core.config import GamingDay, PotRules
from jackpot.core.money import MICROS_PER_DOLLAR
from jackpot.rules.site import check_site, load_site
from jackpot.server.codec.fields import identifier
from jackpot.server.errors import CallRefusedError
from jackpot.wire.ids import is_id
from tests.rules.site_files import written

POT = {
    "minimum_pot": '"$20"',
    "contribution": '"10%"',
    "cap": '"$2"',
    "qualifying_hand": '"four-eights"',
    "loser": '"50%"',
    "winner": '"25%"',
    "table": '"25%"',
    "passes_on_to": '"bb"',
}


def fund(pot: dict[str, str]) -> str:
    """A file with a Bad Beat fund whose `pot` begins at line 8."""
    keys = "\n".join(f"{key} = {value}" for key, value in pot.items())
    return (
        '[site]\nid = "s"\n[[links]]\nid = "bb"\nrule = "pa-2010-poker-bad-beat"\n'
        f'bet = "bad-beat"\n[links.pot]\n{keys}\n[[tables]]\nid = "p1"\nlinks = ["bb"]\n'
    )


@pytest.mark.parametrize(
    ("line", "dual_control"), [("", True), ("dual_control = false", False)], ids=["", "lab"]
)
def test_two_people_unless_the_file_says_otherwise(
    tmp_path: Path, line: str, *, dual_control: bool
) -> None:
    """Dual control is the default."""
    site = load_site(written(tmp_path, f'[site]\nid = "s"\n{line}\n'))
    assert site.dual_control is dual_control


@pytest.mark.parametrize("seconds", [-1, 0, 1, 15, 60, 61])
def test_how_quickly_a_table_can_play(tmp_path: Path, seconds: int) -> None:
    """From nothing, which asks for no alarm, to the minute in which wagers are counted."""
    text = f'[site]\nid = "s"\nshortest_round_seconds = {seconds}\n'
    found = check_site(written(tmp_path, text))
    wrong = [each.reason for each in found.violations]
    fault = f"shortest_round_seconds: must be from 0 to 60, not {seconds}"
    assert wrong == ([] if 0 <= seconds <= 60 else [fault])
    assert wrong or found.site.shortest_round_s == seconds


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("", GamingDay(360, "America/New_York")),
        ('start = "00:00"', GamingDay(0, "America/New_York")),
        ('start = "23:59"\nzone = "Europe/Vienna"', GamingDay(1_439, "Europe/Vienna")),
    ],
)
def test_when_a_gaming_day_begins(tmp_path: Path, text: str, day: GamingDay) -> None:
    """A time and a zone, each with a default."""
    assert load_site(written(tmp_path, f'[site]\nid = "s"\n[day]\n{text}\n')).day == day


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('start = "24:00"', "not a time; expected HH:MM"),
        ('start = "6:00"', "not a time; expected HH:MM"),
        ('zone = "Mars/Olympus"', "not a time zone; expected"),
        ('zone = "../etc"', "not a time zone; expected"),
        ('end = "05:00"', "unknown key 'end'"),
    ],
)
def test_a_day_that_is_none(tmp_path: Path, line: str, words: str) -> None:
    """The fault stands at its line."""
    (fault,) = check_site(written(tmp_path, f'[site]\nid = "s"\n[day]\n{line}\n')).violations
    assert (fault.line, words in fault.reason) == (4, True)


@pytest.mark.rule("PA2010 553.20(a)")
def test_a_bad_beat_fund_is_a_link_without_bets(tmp_path: Path) -> None:
    """One meter, the posted rules, and a table that deals nothing to the controller."""
    site = load_site(written(tmp_path, fund(POT)))
    (link,), (table,) = site.links, site.tables
    assert link.pot == PotRules(
        20 * MICROS_PER_DOLLAR,
        1_000,
        2 * MICROS_PER_DOLLAR,
        5_000,
        2_500,
        2_500,
        "four-eights",
        "bb",
    )
    assert (link.bets, [level.seed_micros for level in link.levels]) == ((), [0])
    assert (table.game, table.seats, table.seat_cards) == ("poker", 10, 0)


@pytest.mark.parametrize(
    ("key", "value", "clause"),
    [
        pytest.param(key, value, clause, marks=pytest.mark.rule(clause))
        for key, value, clause in (
            ("cap", '"$0"', "PA2010 553.20(b)(1)"),
            ("contribution", '"0%"', "PA2010 553.20(b)(1)"),
            ("cap", None, "PA2010 553.20(b)(1)"),
            ("contribution", None, "PA2010 553.20(b)(1)"),
            ("minimum_pot", '"$1.99"', "PA2010 553.20(b)(2)"),
            ("minimum_pot", None, "PA2010 553.20(b)(2)"),
            ("qualifying_hand", '"something good"', "PA2010 553.20(b)(3)"),
            ("table", '"24.99%"', "PA2010 553.20(b)(3)"),
            ("table", '"25.01%"', "PA2010 553.20(b)(3)"),
            ("winner", None, "PA2010 553.20(b)(3)"),
            ("passes_on_to", None, "PA2010 553.20(i)"),
            ("passes_on_to", '"next"', "PA2010 553.20(i)"),
        )
    ],
)
def test_posted_rules_that_the_text_does_not_allow(
    tmp_path: Path, key: str, value: str | None, clause: str
) -> None:
    """Each fault is named with its clause."""
    pot = {k: v for k, v in (POT | {key: value}).items() if v is not None}
    (fault,) = check_site(written(tmp_path, fund(pot))).violations
    assert fault.clause == clause


PROGRESSIVE = """[[links]]
id = "one"
rule = "pa-2011-caribbean-stud"
bet = "progressive"
wager = "$1"
[links.levels.main]
seed = "$10,000"
reseed = "$10,000"
primary = "70%"
[links.pays]
straight-flush = "10% of main"
"""


@pytest.mark.rule("PA2010 553.20(i)")
@pytest.mark.parametrize("heir", ["two", "one"])
def test_a_fund_passes_on_to_a_bad_beat_of_the_site(tmp_path: Path, heir: str) -> None:
    """Another Bad Beat link, wherever it stands in the file; never a progressive."""
    first = fund(POT | {"passes_on_to": f'"{heir}"'}).partition("[[tables]]")[0]
    second = fund(POT).partition("[[tables]]")[0].partition("[[links]]")[2]
    text = first + PROGRESSIVE + "[[links]]" + second.replace('id = "bb"', 'id = "two"')
    faults = check_site(written(tmp_path, text)).violations
    if heir == "two":
        assert faults == ()
        return
    (fault,) = faults
    assert (fault.line, fault.clause) == (15, "PA2010 553.20(i)")
    assert fault.reason == "passes_on_to: 'one' is not a Bad Beat link of this site"


def link_text(rule: str, bet: str, more: str) -> str:
    """A file with one link."""
    return (
        f'[site]\nid = "s"\n[[links]]\nid = "one"\nrule = "{rule}"\nbet = "{bet}"\n'
        f'wager = "$1"\n{more}\n'
    )


FIVE = "five-card-progressive"
MAIN = '[links.levels.main]\nseed = "$10,000"\nreseed = "$10,000"\nprimary = "70%"\n'


@pytest.mark.parametrize(
    ("text", "fixed", "minimum_bps"),
    [
        pytest.param(text, fixed, minimum, marks=pytest.mark.rule(clause))
        for text, fixed, minimum, clause in (
            (
                link_text("pa-crazy-4-poker", FIVE, 'paytable = "A"'),
                "PA 657a.12(e)(3)",
                0,
                "PA 657a.12(e)(3)",
            ),
            (
                link_text(
                    "pa-2011-caribbean-stud",
                    "progressive",
                    f'{MAIN}[links.pays]\nstraight-flush = "10% of main"',
                ),
                "",
                7_000,
                "PA2010 555.13(e)",
            ),
            (link_text("ma-crazy-4-poker", FIVE, MAIN), "", 0, "MA 11(e)(3)"),
        )
    ],
)
def test_what_the_law_fixes_goes_with_the_level(
    tmp_path: Path, text: str, fixed: str, minimum_bps: int
) -> None:
    """So that the controller refuses a rate that the regulation does not allow."""
    level = load_site(written(tmp_path, text)).links[0].levels[0]
    assert (level.fixed, level.minimum_bps) == (fixed, minimum_bps)


def test_a_controller_listens_somewhere(tmp_path: Path) -> None:
    """An empty list of addresses is a fault with its line, not a crash at the start."""
    path = tmp_path / "site.toml"
    path.write_text('[site]\nid = "s"\n\n[server]\nlisten = []\n')
    (violation,) = [one for one in check_site(path).violations if "listen" in one.reason]
    assert violation.line == 5


@pytest.mark.parametrize(
    ("staff", "why"),
    [
        ("10.0.0.5", "'10.0.0.5' is not a valid address; expected HOST:PORT"),
        ("10.0.0.5:7400", "tables call at 10.0.0.5:7400; staff need another address"),
    ],
)
def test_staff_can_have_another_address(tmp_path: Path, staff: str, why: str) -> None:
    """A good one is read, and without one staff call where tables do; others are faults."""
    server = '[site]\nid = "s"\n\n[server]\nlisten = ["10.0.0.5:7400"]\n'
    path = tmp_path / "site.toml"
    path.write_text(f'{server}staff = "{staff}"\n')
    (violation,) = [one for one in check_site(path).violations if "staff" in one.reason]
    assert violation.line == 6
    assert violation.reason.startswith(f"staff: {why}")
    for line, read in (('staff = "10.1.0.5:7400"\n', "10.1.0.5:7400"), ("", "")):
        path.write_text(server + line)
        found = check_site(path)
        assert (found.server.staff, found.violations) == (read, ())


def test_a_missing_paytable_hides_no_other_fault(tmp_path: Path) -> None:
    """The wager, the table and everything else are checked all the same."""
    text = (
        '[site]\nid = "s"\n\n[[links]]\nid = "a"\nrule = "pa-crazy-4-poker"\n'
        'bet = "five-card-progressive"\nwager = "$3"\n\n'
        '[[tables]]\nid = "t"\nlinks = ["a"]\nseats = 7\n'
    )
    found = [one.reason for one in check_site(written(tmp_path, text)).violations]
    assert len(found) == 3
    assert found[0] == "the key 'paytable' is missing: five-card-progressive has A, B, C, D"
    assert "a wager of $3.00 is not allowed" in found[1]
    assert "has at most 6 seats" in found[2]


@pytest.mark.parametrize(
    ("text", "fine"),
    [
        *[(name, True) for name in ("a", "T-4", "north.hall", "x_1", "9", "a" * 64)],
        *[(name, False) for name in ("", "-a", ".a", "a b", "ä", "a/b", "a" * 65, "a\n")],
    ],
)
def test_one_grammar_of_ids(tmp_path: Path, text: str, *, fine: bool) -> None:
    """What a site file may name can be named over the wire and hold a certificate."""
    assert is_id(text) is fine
    shown = text.replace("\n", "\\n")
    site = written(tmp_path, f'[site]\nid = "{shown}"\n')
    assert (
        not any("is not a valid id" in one.reason for one in check_site(site).violations)
    ) is fine
    if fine:
        assert parse_holder(text, "table", text).name == identifier(text, "table") == text
        return
    with pytest.raises(HolderError):
        parse_holder("site", "table", text)
    with pytest.raises(CallRefusedError):
        identifier(text, "table")
