"""An operator's file: what it compiles to, and what is said of one that can't serve."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from jackpot.cli.main import main
from jackpot.core.money import MICROS_PER_DOLLAR
from jackpot.rules.loader import DATA
from jackpot.rules.site import SiteFileError, check_site, load_site, load_site_file
from tests.rules.site_files import CARIBBEAN, faults, link, only_link, written

DEMO = DATA / "demo.toml"


def test_the_demo_site_has_six_tables_of_three_games() -> None:
    """The file that the demo runs on compiles to what it says."""
    site = load_site(DEMO)
    links = ["mega", "hand-bonus", "caribbean", "ride-bonus"]
    assert [one.id for one in site.links] == links
    assert site.in_service == tuple(links)
    assert [table.links for table in site.tables] == [
        *[("mega", "hand-bonus")] * 2,
        *[("caribbean",)] * 2,
        *[("ride-bonus",)] * 2,
    ]
    sizes = [(t.seats, t.seat_cards, t.dealer_cards, t.community_cards) for t in site.tables]
    assert sizes == [*[(6, 5, 5, 0)] * 2, *[(7, 5, 5, 0)] * 2, *[(7, 3, 0, 2)] * 2]


@pytest.mark.rule("PA 657a.12(e)(3)")
def test_levels_of_a_five_dollar_link_start_at_five_times_the_seed() -> None:
    """Mega, major and minor start at $50,000, $5,000 and $1,250 where the wager is $5."""
    mega = load_site(DEMO).links[0]
    assert mega.wager_micros == 5 * MICROS_PER_DOLLAR
    assert [
        (one.id, one.seed_micros, one.reseed_micros, one.primary_bps, one.reserve_bps)
        for one in mega.levels
    ] == [
        ("mega", 50_000 * MICROS_PER_DOLLAR, 50_000 * MICROS_PER_DOLLAR, 900, 0),
        ("major", 5_000 * MICROS_PER_DOLLAR, 5_000 * MICROS_PER_DOLLAR, 700, 0),
        ("minor", 1_250 * MICROS_PER_DOLLAR, 1_250 * MICROS_PER_DOLLAR, 300, 0),
    ]


@pytest.mark.rule("PA 657a.12(f)(4)")
@pytest.mark.rule("PA 657a.11(f)(2)")
@pytest.mark.rule("PA 657a.11(f)(3)")
def test_the_hand_bonus_is_two_electronic_bets_on_one_meter() -> None:
    """One on the player's hand, one on the dealer's; validated from 500 for 1; paid to accounts."""
    bonus = load_site(DEMO).links[1]
    (level,) = bonus.levels
    assert (level.seed_micros, level.reseed_micros) == (10_000 * MICROS_PER_DOLLAR, 0)
    assert (level.primary_bps, level.reserve_bps) == (1_300, 800)
    assert [(bet.id, bet.whose, bet.medium) for bet in bonus.bets] == [
        ("five-card-hand-bonus", "player", "electronic"),
        ("five-card-hand-bonus-dealer", "dealer", "electronic"),
    ]
    assert {bet.validate_from_for for bet in bonus.bets} == {500}
    assert {bet.fixed_source for bet in bonus.bets} == {"account"}
    assert {(bet.magic_pays_for, bet.lucky_pays_for) for bet in bonus.bets} == {(20, 5)}
    assert not any(bet.fold_forfeits for bet in bonus.bets)


@pytest.mark.rule("PA 657a.11(b)(2)")
@pytest.mark.rule("PA 657a.11(e)(3)")
@pytest.mark.rule("PA 657a.12(e)(5)")
def test_a_progressive_bet_keeps_envy_when_folded_and_needs_validation() -> None:
    """The compiled bet carries the fold rule, the envy amounts of its wager and no exemption."""
    (bet,) = load_site(DEMO).links[0].bets
    assert (bet.fold_forfeits, bet.fold_keeps_envy) == (True, True)
    assert (bet.validate_from_for, bet.fixed_source, bet.medium) == (0, "inventory", "chips")
    assert [(line.hand, line.amount_micros) for line in bet.envy] == [
        ("royal-flush", 5_000 * MICROS_PER_DOLLAR),
        ("straight-flush", 1_500 * MICROS_PER_DOLLAR),
    ]


@pytest.mark.rule("PA2010 555.13(d)")
@pytest.mark.rule("PA2010 555.13(e)")
@pytest.mark.rule("PA2010 555.13(f)")
def test_caribbean_stud_pays_fixed_amounts_from_the_meter_and_royals_share(tmp_path: Path) -> None:
    """The royal's line is shared, the fixed amounts are the meter's to bear."""
    found = only_link(tmp_path, link("pa-2011-caribbean-stud", "progressive", *CARIBBEAN))
    (bet,) = found.bets
    assert [
        (
            line.hand,
            line.share_bps,
            line.amount_micros // MICROS_PER_DOLLAR,
            line.from_meter,
            line.shared,
        )
        for line in bet.paytable
    ] == [
        ("royal-flush", 10_000, 0, "", True),
        ("straight-flush", 1_000, 0, "", False),
        ("four-of-a-kind", 0, 500, "main", False),
        ("full-house", 0, 100, "main", False),
        ("flush", 0, 50, "main", False),
    ]


@pytest.mark.rule("PA2010 555.13(e)")
def test_fixed_awards_may_be_the_house_s_with_a_warning(tmp_path: Path) -> None:
    """The other reading is a setting, and the operator is told what it costs."""
    lines = (*CARIBBEAN, 'fixed_awards_from = "house"')
    found = check_site(written(tmp_path, link("pa-2011-caribbean-stud", "progressive", *lines)))
    assert not found.violations
    assert {line.from_meter for line in found.site.links[0].bets[0].paytable} == {""}
    assert [(one.line, one.clause) for one in found.warnings] == [
        (10, "PA2010 555.12(b)(3); PA2010 555.13(e)")
    ]


@pytest.mark.rule("PA2010 559.8(b)")
@pytest.mark.rule("PA2010 559.14(d)")
def test_let_it_ride_s_bonus_is_a_link_without_a_level(tmp_path: Path) -> None:
    """It has fixed amounts, community cards and no meter."""
    found = load_site(written(tmp_path, link("pa-2010-let-it-ride", "bonus", 'wager = "$1"')))
    assert found.links[0].levels == ()
    assert found.links[0].bets[0].paytable[0].amount_micros == 25_000 * MICROS_PER_DOLLAR
    assert (found.tables[0].seat_cards, found.tables[0].community_cards) == (3, 2)


def test_the_error_is_one_line_with_file_line_and_reason(tmp_path: Path) -> None:
    """A file that can't serve says where and why, and keeps all violations."""
    path = written(tmp_path, '[site]\nid = "s"\ncolour = 1\n[[links]]\nid = "one"\n')
    with pytest.raises(SiteFileError) as error:
        load_site(path)
    assert str(error.value) == f"{path}:3: unknown key 'colour' (and 3 more)"
    assert [one.reason for one in error.value.violations] == [
        "unknown key 'colour'",
        "the key 'bet' is missing",
        "the key 'rule' is missing",
        "the key 'wager' is missing",
    ]


def test_server_settings_have_defaults_and_are_checked(tmp_path: Path) -> None:
    """Addresses and the data folder stand in the same file."""
    text = link("pa-2010-let-it-ride", "bonus", 'wager = "$1"')
    assert load_site_file(written(tmp_path, text)).server.data == "data"
    own = '[server]\nlisten = ["0.0.0.0:7400"]\nhttp = "127.0.0.1:7480"\ndata = "/var/lib/j"\n'
    settings = load_site_file(written(tmp_path, text + own)).server
    assert settings.listen == ("0.0.0.0:7400",)
    assert (settings.http, settings.data) == ("127.0.0.1:7480", "/var/lib/j")
    (found,) = faults(tmp_path, text + '[server]\nhttp = "localhost"\n')
    assert "is not a valid address" in found.reason


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a = 1\nb = " + 5_000 * "7", ":2: a number has too many digits"),
        ("a = 0x" + 5_000 * "f", ": a number is too large"),
        ("a = " + 5_000 * "[" + 5_000 * "]", ": values are nested too deeply"),
        ("a = " + 400 * "{b = " + "1" + 400 * "}", ": values are nested too deeply"),
        ("[site" + 5_000 * ".a" + "]", ": values are nested too deeply"),
        ("site" + 5_000 * ".a" + " = 1", ": values are nested too deeply"),
    ],
    ids=["digits", "large", "arrays", "tables", "header", "keys"],
)
def test_a_monstrous_file_is_one_line(tmp_path: Path, text: str, says: str) -> None:
    """What the reader of TOML itself gives up on is refused like any other mistake."""
    path = written(tmp_path, text)
    with pytest.raises(SiteFileError) as error:
        check_site(path)
    assert says in str(error.value)
    result = CliRunner().invoke(main, ["rules", "check", str(path)])
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)
    assert len(result.output) < 1_000
