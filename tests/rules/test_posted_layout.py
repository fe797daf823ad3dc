"""What a table must tell patrons, made of the terms that it is settled by."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from jackpot.cli.main import main
from jackpot.rules.posted_layout import LayoutCard, layout_card
from jackpot.rules.site import load_site
from tests.docs.pages import ROOT, blocks

HOUSE = next(
    block.text
    for block in blocks(ROOT / "docs" / "reference" / "whole-house.md")
    if block.language == "toml"
)


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """The site file of a whole house."""
    path = tmp_path / "site.toml"
    path.write_text(HOUSE)
    return path


def card(house: Path, table: str) -> LayoutCard:
    """The layout of one of its tables."""
    site = load_site(house)
    return layout_card(next(each for each in site.tables if each.id == table), site.links)


def pays(found: LayoutCard, title: str) -> dict[str, str]:
    """What a wager pays."""
    wager = next(wager for wager in found.wagers if wager.title.startswith(title))
    return {line.hand: line.pays for line in wager.lines}


@pytest.mark.rule("PA 657a.2(b)(6)")
@pytest.mark.rule("PA 657a.12(c)")
@pytest.mark.rule("PA 657a.12(g)")
def test_a_layout_has_the_odds_of_all_wagers_that_were_filed(house: Path) -> None:
    """By the paytables of this table, and none that it does not offer."""
    one, two = card(house, "crazy-1"), card(house, "crazy-2")
    assert pays(one, "Queens Up")["three of a kind"] == "8 to 1"
    assert pays(two, "Queens Up")["three of a kind"] == "7 to 1"
    assert pays(one, "Six Card Bonus")["six card royal flush diamonds"] == "200,000 to 1"
    assert not any(wager.title == "Six Card Bonus" for wager in two.wagers)
    assert pays(one, "Five-Card Progressive")["royal flush"] == "100% of the mega meter"
    assert one.clause == "PA 657a.2(b)(6)"


def test_a_layout_has_the_posted_limits_of_every_wager(house: Path) -> None:
    """The table's, or the wager's own; what follows another wager says how."""
    posted = {wager.title: wager.wager for wager in card(house, "crazy-1").wagers}
    assert posted["Super Bonus"] == "the Ante"
    said = [each.says for each in card(house, "crazy-1").inscriptions]
    assert any("is $10.00 to $500.00" in says for says in said)
    assert posted["Queens Up"] == "$5.00 to $100.00"
    assert posted["Six Card Bonus"] == "$5.00 to $50.00"
    posted = {wager.title: wager.wager for wager in card(house, "caribbean-1").wagers}
    assert posted["Bet"] == "twice the Ante"
    mega = next(w for w in card(house, "crazy-1").wagers if "Progressive" in w.title)
    assert mega.wager == "$5.00"


def test_a_layout_says_how_often_each_award_comes(house: Path) -> None:
    """Exactly, where the player's hand alone decides; else it says that the dealer's does too."""
    wagers = {wager.title: wager for wager in card(house, "crazy-1").wagers}
    mega = next(each for title, each in wagers.items() if title.startswith("Five-Card Progressive"))
    royal = mega.lines[0]
    assert (royal.hand, royal.odds) == ("royal flush", "1 in 649,740")
    assert (royal.wins, royal.of) == (4, 2_598_960)
    assert mega.odds.startswith("odds among all 2,598,960 hands; ")
    against = wagers["Super Bonus"]
    assert "dealer's hand" in against.odds
    assert not any(line.odds or line.of for line in against.lines)


@pytest.mark.rule("PA 657a.12(f)(3)")
def test_a_hand_bonus_shows_its_magic_card_and_lucky_bonus(house: Path) -> None:
    """Both are offered here, at 20 and 5 for 1."""
    found = pays(card(house, "crazy-1"), "Five Card Hand Bonus")
    assert (found["Magic Card"], found["Lucky Bonus"]) == ("20 for 1", "5 for 1")


def test_what_is_drawn_has_the_odds_of_its_draw(house: Path) -> None:
    """One of 52 cards and one of seven positions, in the share of rounds that was filed."""
    link = next(each for each in load_site(house).links if each.magic_share_bps)
    wager = next(wager for wager in card(house, "crazy-1").wagers if link.title in wager.title)
    drawn = {line.hand: (line.wins, line.of) for line in wager.lines if line.of}
    assert drawn["Magic Card"] == (5 * link.magic_share_bps, 52 * 10_000)
    assert drawn["Lucky Bonus"] == (link.lucky_share_bps, 7 * 10_000)


def test_a_wager_shows_the_longest_odds_of_its_awards(house: Path) -> None:
    """Of all its lines, by their exact odds; hands that never come have none."""
    shown = 0
    for table in load_site(house).tables:
        if table.base is None:
            continue
        for wager in card(house, table.id).wagers:
            lines = [line for line in wager.lines if line.wins]
            if "; the longest are " not in wager.odds:
                assert not lines or not wager.odds.startswith("odds among"), wager
                continue
            shown += 1
            said, _, hand = wager.odds.partition("; the longest are ")[2].partition(" for a ")
            (longest,) = [line for line in lines if (line.odds, line.hand) == (said, hand)]
            assert all(line.wins * longest.of >= longest.wins * line.of for line in lines)
    assert shown > 20


def test_the_longest_odds_of_a_royal(house: Path) -> None:
    """Four of all five-card hands; a drawn bonus that is rarer than any hand would come first."""
    (mega, *_) = [each for each in card(house, "crazy-1").wagers if "Five-Card" in each.title]
    assert mega.odds.endswith("; the longest are 1 in 649,740 for a royal flush")


@pytest.mark.parametrize(
    ("table", "clause", "words"),
    [
        pytest.param(table, clause, words, marks=pytest.mark.rule(clause.split("; ")[0]))
        for table, clause, words in (
            ("crazy-1", "PA 657a.2(b)(7)(i)", "four best"),
            ("crazy-1", "PA 657a.2(b)(7)(ii)", "king or better"),
            ("crazy-1", "PA 657a.2(b)(7)(iii)", "three times the Ante"),
            ("crazy-1", "PA 657a.2(b)(7)(iv)", "less than a straight"),
            ("crazy-2011-1", "PA2011 573.2(b)(5)(i)", "four best"),
            ("crazy-2011-1", "PA2011 573.2(b)(5)(ii)", "king or better"),
            ("crazy-2011-1", "PA2011 573.2(b)(5)(iii)", "three times the Ante"),
            ("crazy-2011-1", "PA2011 573.2(b)(5)(iv)", "less than a straight"),
            ("caribbean-1", "PA2010 555.2(b)(4)", "void"),
            ("three-card-1", "PA2010 565.2(b)(5)", "queen"),
            ("ride-1", "PA2010 559.14(c)", "$75,000.00"),
            ("holdem-1", "PA2010 563.12(e)", "$50,000.00"),
            ("holdem-1", "PA2010 563.2(b)(7)", "Ante"),
            ("three-card-2", "PA2010 565.7(f)(3); PA2010 565.12(f)", "compulsory"),
            ("pai-gow-1", "PA2010 561.13(m)", "25 cents"),
        )
    ],
)
def test_a_layout_says_what_its_clause_asks_for(
    house: Path, table: str, clause: str, words: str
) -> None:
    """Inscriptions, options that were filed, and limits in force."""
    found = card(house, table).inscriptions
    assert any(each.clause == clause and words in each.says for each in found), found


def test_a_limit_and_a_reserve_of_a_meter_are_told(house: Path) -> None:
    """What keeps a meter from growing, and what funds the next one."""
    said = " ".join(each.says for each in card(house, "crazy-1").inscriptions)
    assert "at most $500,000.00" in said
    said = " ".join(each.says for each in card(house, "crazy-2").inscriptions)
    assert "5% of each wager is kept in reserve" in said


def test_the_command_prints_a_layout(house: Path) -> None:
    """And says which tables there are where one is not."""
    run = CliRunner().invoke(main, ["rules", "layout", str(house), "ride-1"])
    assert run.exit_code == 0, run.output
    assert "royal flush: 1,000 to 1, 1 in 649,740" in run.output
    run = CliRunner().invoke(main, ["rules", "show", "pa-2010-let-it-ride"])
    assert "odds: royal flush 1 in 649,740" in " ".join(run.output.split())
    run = CliRunner().invoke(main, ["rules", "layout", str(house), "poker-1"])
    assert run.exit_code == 1
    assert "ride-1" in run.output


@pytest.mark.parametrize(
    ("table", "clause"),
    [
        pytest.param("crazy-1", "PA 657a.2(b)(7)", marks=pytest.mark.rule("PA 657a.2(b)(8)")),
        pytest.param(
            "crazy-2011-1", "PA2011 573.2(b)(5)", marks=pytest.mark.rule("PA2011 573.2(b)(6)")
        ),
    ],
)
def test_one_sign_has_all_that_is_not_on_the_felt(house: Path, table: str, clause: str) -> None:
    """The four things that patrons must be told stand together, so the page can be the sign."""
    told = {each.clause for each in card(house, table).inscriptions if each.says}
    assert {f"{clause}({number})" for number in ("i", "ii", "iii", "iv")} <= told


@pytest.mark.rule("PA2010 559.2(b)(6)")
@pytest.mark.rule("PA2010 559.2(c)")
def test_a_let_it_ride_sign_has_all_odds_and_the_payout_limit(house: Path) -> None:
    """Every wager that is offered has its odds, and the sign gives the details of the limit."""
    found = card(house, "ride-1")
    site = load_site(house)
    base = next(table for table in site.tables if table.id == "ride-1").base
    assert base
    offered = len(base.wagers) + 1  # and the linked bonus
    assert len(found.wagers) == offered
    assert all(wager.lines for wager in found.wagers)
    assert any("$75,000.00" in each.says for each in found.inscriptions)


@pytest.mark.parametrize("text", [None, b"[site", b"\xff", b'[site]\nid = "x"\nwrong = 1\n'])
def test_the_command_says_in_one_line_what_is_wrong_with_a_file(
    tmp_path: Path, text: bytes | None
) -> None:
    """One that is missing, no TOML, no text or has faults."""
    path = tmp_path / "site.toml"
    if text is not None:
        path.write_bytes(text)
    run = CliRunner().invoke(main, ["rules", "layout", str(path), "t1"])
    assert isinstance(run.exception, SystemExit)
    assert (run.exit_code, run.stderr.count("\n")) == (1, 1), run.stderr
    assert run.stderr.startswith(f"Error: {path}:")
    assert f"; to list every violation, run: jackpot rules check {path}\n" in run.stderr
