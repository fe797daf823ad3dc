"""An operator's file: tables and links together, malformed files, and the lines of keys."""

from pathlib import Path

import pytest

from jackpot.core import config
from jackpot.rules.site import SHORTEST_ROUND_S, SiteFileError, check_site, load_site
from jackpot.rules.toml_lines import key_lines, line_of

HEAD = '[site]\nid = "s"\nfacility = "North Hall"\n'
A = '[[links]]\nid = "a"\nrule = "pa-crazy-4-poker"\nbet = "five-card-progressive"\n'
A += 'paytable = "A"\nwager = "$1"\n'
FOUR = '[[links]]\nid = "four"\nrule = "pa-crazy-4-poker"\nbet = "four-card-progressive"\n'
FOUR += 'paytable = "A"\nwager = "$1"\n'
BONUS = '[[links]]\nid = "bonus"\nrule = "pa-crazy-4-poker"\nbet = "five-card-hand-bonus"\n'
BONUS += 'wager = "$1"\nmagic_share = "0%"\nlucky_share = "5%"\n'
MA = (
    '[[links]]\nid = "ma"\nrule = "ma-crazy-4-poker"\nbet = "five-card-progressive"\nwager = "$1"\n'
)
MA += 'levels.main = { seed = "$10,000", reseed = "$10,000", primary = "20%" }\n'
LET = '[[links]]\nid = "let"\nrule = "pa-2010-let-it-ride"\nbet = "bonus"\nwager = "$1"\n'


def table(*lines: str) -> str:
    """A table with these lines."""
    return "[[tables]]\n" + "".join(f"{line}\n" for line in lines)


def reasons(tmp_path: Path, text: str) -> list[tuple[str, str]]:
    """What is wrong with a file, and by which clauses."""
    path = tmp_path / "site.toml"
    path.write_text(text)
    return [(one.reason, one.clause) for one in check_site(path).violations]


@pytest.mark.rule("PA 657a.2(a)")
@pytest.mark.parametrize(("seats", "count"), [(5, 0), (6, 0), (7, 1)])
def test_crazy_4_poker_has_at_most_six_players(tmp_path: Path, seats: int, count: int) -> None:
    """A seventh seat is refused; fewer than six are an operator's choice."""
    found = reasons(tmp_path, HEAD + A + table('id = "t"', 'links = ["a"]', f"seats = {seats}"))
    assert [clause for _, clause in found] == ["PA 657a.2(a)"] * count


@pytest.mark.rule("PA2010 559.2(a)")
@pytest.mark.parametrize(("seats", "count"), [(7, 0), (8, 1)])
def test_let_it_ride_has_at_most_seven_players(tmp_path: Path, seats: int, count: int) -> None:
    """An eighth seat is refused."""
    found = reasons(tmp_path, HEAD + LET + table('id = "t"', 'links = ["let"]', f"seats = {seats}"))
    assert [clause for _, clause in found] == ["PA2010 559.2(a)"] * count


POT = '[[links]]\nid = "bb"\nrule = "pa-2010-poker-bad-beat"\nbet = "bad-beat"\n[links.pot]\n'
POT += 'minimum_pot = "$20"\ncontribution = "10%"\ncap = "$2"\nqualifying_hand = "four-eights"\n'
POT += 'loser = "50%"\nwinner = "25%"\ntable = "25%"\npasses_on_to = "bb"\n'


@pytest.mark.rule("PA2010 553.2(a)")
@pytest.mark.parametrize(("seats", "count"), [(10, 0), (11, 1)])
def test_poker_has_at_most_ten_players(tmp_path: Path, seats: int, count: int) -> None:
    """An eleventh seat is refused."""
    found = reasons(tmp_path, HEAD + POT + table('id = "t"', 'links = ["bb"]', f"seats = {seats}"))
    assert [clause for _, clause in found] == ["PA2010 553.2(a)"] * count


@pytest.mark.parametrize(("seats", "count"), [(9, 0), (10, 1)])
def test_no_table_has_more_seats_than_cards(tmp_path: Path, seats: int, count: int) -> None:
    """Where the text sets no number of seats, the deck does: nine hands and the dealer's."""
    found = reasons(tmp_path, HEAD + MA + table('id = "t"', 'links = ["ma"]', f"seats = {seats}"))
    assert len(found) == count
    assert all("need 55 cards, but a deck has 52" in reason for reason, _ in found)


@pytest.mark.rule("MA 6(e)")
@pytest.mark.rule("PA 657a.7(e)")
@pytest.mark.rule("PA2010 559.7(e)")
@pytest.mark.parametrize(
    ("link", "name", "boxes", "clauses"),
    [
        (MA, "ma", 1, []),
        (MA, "ma", 2, ["MA 6(e)"]),
        (A, "a", 1, []),
        (A, "a", 3, []),
        (LET, "let", 2, []),
        (LET, "let", 3, ["PA2010 559.7(e)"]),
    ],
)
def test_how_many_boxes_one_person_may_play(
    tmp_path: Path, link: str, name: str, boxes: int, clauses: list[str]
) -> None:
    """One in Massachusetts, two at Let It Ride, whatever is declared in Pennsylvania's 657a."""
    lines = ('id = "t"', f'links = ["{name}"]', "seats = 6", f"boxes_per_player = {boxes}")
    assert [clause for _, clause in reasons(tmp_path, HEAD + link + table(*lines))] == clauses


@pytest.mark.rule("PA 657a.2(c)")
def test_a_link_stays_in_one_facility(tmp_path: Path) -> None:
    """A table of another house can't be on the link; one of the same house can."""
    for house, count in (("North Hall", 0), ("South Hall", 1)):
        lines = ('id = "t"', 'links = ["a"]', f'facility = "{house}"')
        found = reasons(tmp_path, HEAD + A + table(*lines))
        assert [clause for _, clause in found] == ["PA 657a.2(c)"] * count


@pytest.mark.rule("PA 657a.7(d)(3)")
@pytest.mark.rule("PA 657a.7(d)(4)")
def test_four_and_five_card_progressives_are_alternatives_at_a_table(tmp_path: Path) -> None:
    """Not both at one table, in either order; the Hand Bonus may join either."""
    for links, count in ('"a", "four"', 1), ('"four", "a"', 1), ('"a", "bonus"', 0), ('"four"', 0):
        found = reasons(tmp_path, HEAD + A + FOUR + BONUS + table('id = "t"', f"links = [{links}]"))
        assert len(found) == count, links
        assert all("not both" in reason for reason, _ in found)


@pytest.mark.parametrize(
    ("links", "clause"),
    [
        pytest.param(links, clause, marks=pytest.mark.rule(clause))
        for links, clause in (('"ma", "ma-four"', "MA 6(d)(3)"), ('"ma-four", "ma"', "MA 6(d)(4)"))
    ],
)
def test_massachusetts_has_the_same_alternatives(tmp_path: Path, links: str, clause: str) -> None:
    """Not both at one table: each of the two wagers says so in its own clause."""
    four = MA.replace('id = "ma"', 'id = "ma-four"').replace("five-card", "four-card")
    lines = ('id = "t"', f"links = [{links}]", "seats = 6")
    found = reasons(tmp_path, HEAD + MA + four + table(*lines))
    assert [cited for reason, cited in found if "not both" in reason] == [clause]


def test_tables_on_one_link_play_by_one_rule(tmp_path: Path) -> None:
    """A table of another game or jurisdiction would give the same jackpot other odds."""
    text = (
        HEAD + A + MA + table('id = "t"', 'rule = "ma-crazy-4-poker"', 'links = ["a"]', "seats = 6")
    )
    ((reason, clause),) = reasons(tmp_path, text)
    assert "its jackpot has other odds" in reason
    assert clause == "PA 657a.2(c)"
    both = reasons(tmp_path, HEAD + A + MA + table('id = "t"', 'links = ["a", "ma"]'))
    assert any("its jackpot has other odds" in reason for reason, _ in both)


def test_a_link_has_one_denomination(tmp_path: Path) -> None:
    """Two wagers on one link are refused, whatever they are."""
    text = (
        HEAD
        + A.replace('wager = "$1"', 'wager = ["$1", "$5"]')
        + table('id = "t"', 'links = ["a"]')
    )
    assert reasons(tmp_path, text) == [
        ("wager: must be one amount: all wagers of a link are the same", ""),
    ]


@pytest.mark.parametrize(
    ("written", "instead", "reason"),
    [
        ('wager = "$1"', 'wager = "$0.999"', "wager: '$0.999' is not in whole cents"),
        ('wager = "$1"', "wager = 1.0", 'wager: write the amount in quotes, "1.0"'),
        ('wager = "$1"', 'wager = "-1"', "wager: '-1' is negative"),
        ('wager = "$1"', 'wager = "$0"', "the wager must be more than $0"),
        ('wager = "$1"', 'wager = "two"', "wager: 'two' is not an amount in dollars"),
        ('wager = "$1"', "wager = true", "wager: must be text in quotes"),
        ('wager = "$1"', 'wager = "$2,000,000,000"', "is more than a billion dollars"),
        ('lucky_share = "5%"', 'lucky_share = "5.125%"', "has more than two decimals"),
        ('lucky_share = "5%"', "lucky_share = 5", "lucky_share: write the rate in quotes"),
        ('lucky_share = "5%"', 'lucky_share = "100.01%"', "is more than 100%"),
        ('lucky_share = "5%"', 'lucky_share = "a lot"', "is not a rate"),
        ('id = "t"', 'id = "t t"', "is not a valid id"),
        ('id = "t"', 'id = ""', "is not a valid id"),
        ('id = "t"', "id = 7", "id: must be text in quotes"),
        ('links = ["bonus"]', "links = []", "the table has no links"),
        ('links = ["bonus"]', 'links = ["bonus", "bonus"]', "lists the same name twice"),
        ('links = ["bonus"]', 'links = ["other"]', "there is no link 'other'"),
        ('links = ["bonus"]', 'links = "bonus"', "must be a list, each item in quotes"),
        ('links = ["bonus"]', 'links = ["bonus"]\nseats = 0', "must be from 1 to 32, not 0"),
        ('links = ["bonus"]', 'links = ["bonus"]\nseats = "6"', "must be a whole number"),
        ('links = ["bonus"]', 'links = ["bonus"]\nrule = "x"', "there is no rule 'x'"),
        ('bet = "five-card-hand-bonus"', 'bet = "queens-up"', "no bet 'queens-up' for a link"),
        ('rule = "pa-crazy-4-poker"', 'rule = "x"', "there is no rule 'x'"),
        ('wager = "$1"', 'wager = "$1"\nin_service = "yes"', "must be true or false"),
        (
            'wager = "$1"',
            'wager = "$1"\nlevels = 3',
            "levels: must be a TOML table, not a single value",
        ),
        ('wager = "$1"', 'wager = "$1"\nlevels.main.colour = 3', "unknown key 'colour'"),
        (
            'wager = "$1"',
            'wager = "$1"\nlevels.main.reserve_mode = "x"',
            "must be one of add, fund",
        ),
        (
            "[[tables]]",
            "[tables]",
            "tables: must be a list of TOML tables, each under double brackets",
        ),
        (
            "[[tables]]",
            "[server]\nlisten = [1]\n[[tables]]",
            "listen: must be a list, each item in quotes",
        ),
        ("[[tables]]", "[other]\n[[tables]]", "unknown key 'other'"),
    ],
)
def test_impossible_values_are_refused(
    tmp_path: Path, written: str, instead: str, reason: str
) -> None:
    """Whatever the fault, it is named; nothing is guessed."""
    text = HEAD + BONUS + table('id = "t"', 'links = ["bonus"]')
    assert written in text
    assert any(reason in found for found, _ in reasons(tmp_path, text.replace(written, instead, 1)))


@pytest.mark.parametrize(
    ("twice", "reason"),
    [
        (A + A + table('id = "t"', 'links = ["a"]'), "two links have the id 'a'"),
        (A + 2 * table('id = "t"', 'links = ["a"]'), "two tables have the id 't'"),
        (
            A + A.replace('"a"', '"b"') + table('id = "t"', 'links = ["a", "b"]'),
            "two links of this table",
        ),
    ],
)
def test_nothing_stands_twice(tmp_path: Path, twice: str, reason: str) -> None:
    """Two things of one id, or one bet from two links at a table, are refused."""
    assert any(reason in found for found, _ in reasons(tmp_path, HEAD + twice))


def test_a_file_has_limits(tmp_path: Path) -> None:
    """More links than a controller is built for are refused; as many are not."""
    links = [A.replace('"a"', f'"a{n}"') for n in range(65)]
    table_text = table('id = "t"', 'links = ["a0"]')
    assert reasons(tmp_path, HEAD + "".join(links[:64]) + table_text) == []
    assert reasons(tmp_path, HEAD + "".join(links) + table_text) == [("more than 64 links", "")]


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        (b"a = 1\nb = \n", 2, "this value can't be read: put text, amounts and rates in "),
        (b'a = "', 1, "the text that begins here has no closing quote"),
        (b"a = 1\na = 2\n", 2, "this key or table is in the file already; "),
        (b"\xff\xfe", 1, "the file is not UTF-8 text"),
    ],
)
def test_a_file_that_is_no_toml_says_where(
    tmp_path: Path, content: bytes, line: int, reason: str
) -> None:
    """The line comes from the reader's own complaint."""
    path = tmp_path / "site.toml"
    path.write_bytes(content)
    with pytest.raises(SiteFileError) as error:
        load_site(path)
    assert str(error.value).startswith(f"{path}:{line}: {reason}")
    assert "\n" not in str(error.value)


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    """A path that does not exist is no traceback."""
    with pytest.raises(SiteFileError, match=r"none\.toml:1: No such file or directory"):
        load_site(tmp_path / "none.toml")


def test_an_empty_file_lacks_only_its_site(tmp_path: Path) -> None:
    """Without a site there is nothing to serve; without links there is."""
    assert reasons(tmp_path, "") == [("the key 'id' is missing", "")]
    path = tmp_path / "site.toml"
    path.write_text('[site]\nid = "s"\n')
    day = config.GamingDay(6 * 60, "America/New_York")
    shortest = SHORTEST_ROUND_S
    assert load_site(path) == config.Site("s", (), (), day=day, shortest_round_s=shortest)


def test_lines_of_keys_are_found_in_every_notation() -> None:
    """Headers, arrays of tables, dotted and quoted keys, values over several lines."""
    text = '''\
top = 1
[site]
id = "[x] # no comment"
"quoted key" = 2 # id = 3
[[links]]
id = "a"
pays = { x = "y",
  z = 1 }
list = [
  "id = 5",
  [1, 2],
]
text = """
id = 6
[site]
"""
after = 1
[links.levels.main]
seed = 1
[[links]]
id = "b"
levels.main.seed = 2
[links.levels.'odd one']
seed = 3
'''
    lines = key_lines(text)
    assert line_of(lines, ("top",)) == 1
    assert line_of(lines, ("site", "id")) == 3
    assert line_of(lines, ("site", "quoted key")) == 4
    assert line_of(lines, ("links", 0)) == 5
    assert line_of(lines, ("links", 0, "id")) == 6
    assert line_of(lines, ("links", 0, "pays", "z")) == 7
    assert line_of(lines, ("links", 0, "list", 1)) == 9
    assert line_of(lines, ("links", 0, "after")) == 17
    assert line_of(lines, ("links", 0, "levels", "main", "seed")) == 19
    assert line_of(lines, ("links", 1, "id")) == 21
    assert line_of(lines, ("links", 1, "levels", "main", "seed")) == 22
    assert line_of(lines, ("links", 1, "levels", "odd one", "seed")) == 24
    assert line_of(lines, ("links", 1, "missing")) == 20
    assert line_of(lines, ("nothing",)) == 1
