"""One mistake in a site file is one fault, said so that an operator can mend it."""

from pathlib import Path

import pytest

from jackpot.rules.site import SiteFileError, check_site
from tests.rules.site_files import CARIBBEAN, faults, link, written

FIVE = ("pa-crazy-4-poker", "five-card-progressive", 'paytable = "A"')


def said(tmp_path: Path, text: str) -> list[tuple[int, str]]:
    """Every fault with its line."""
    return [(each.line, each.reason) for each in faults(tmp_path, text)]


@pytest.mark.parametrize("wager", ["5", "1", "100"])
def test_an_amount_without_quotes_is_refused(tmp_path: Path, wager: str) -> None:
    """As the reference says: amounts are text, and the message shows how to write this one."""
    text = link(*FIVE, f"wager = {wager}")
    assert said(tmp_path, text) == [(8, f'wager: write the amount in quotes: "${wager}"')]


@pytest.mark.parametrize("value", ["10000", "1.5", '"a lot"', "true"])
def test_a_value_that_can_not_be_read_is_not_called_undeclared(tmp_path: Path, value: str) -> None:
    """One fault at the key's line, and no second one that it must be declared."""
    level = f'levels.main = {{ seed = {value}, reseed = "$5,000", primary = "71%" }}'
    found = said(tmp_path, link("pa-2011-caribbean-stud", "progressive", *CARIBBEAN[:2], level))
    assert [line for line, _ in found] == [9]
    assert found[0][1].startswith("seed: ")


def test_a_level_that_is_no_table_is_one_fault(tmp_path: Path) -> None:
    """Nothing of what it should hold is called undeclared."""
    text = link("pa-2011-caribbean-stud", "progressive", *CARIBBEAN[:2], 'levels.main = "$5"')
    assert said(tmp_path, text) == [(9, "main: must be a TOML table, not a single value")]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('wagr = "$5"', "unknown key 'wagr'; did you mean 'wager'?"),
        ('Wager = "$5"', "unknown key 'Wager'; did you mean 'wager'?"),
    ],
)
def test_a_misspelled_key_is_met_with_a_suggestion(tmp_path: Path, line: str, fault: str) -> None:
    """And the key that was meant is not called missing as well."""
    assert said(tmp_path, link(*FIVE, line)) == [(8, fault)]


def test_a_misspelled_key_of_a_level_is_not_undeclared_too(tmp_path: Path) -> None:
    """The suggestion is all that is said."""
    level = 'levels.main = { sead = "$10,000", reseed = "$5,000", primary = "71%" }'
    found = said(tmp_path, link("pa-2011-caribbean-stud", "progressive", *CARIBBEAN[:2], level))
    assert found == [(9, "unknown key 'sead'; did you mean 'seed'?")]


def test_a_key_like_no_other_gets_no_suggestion(tmp_path: Path) -> None:
    """A guess that is none would only mislead."""
    found = said(tmp_path, link(*FIVE, 'wager = "$5"', 'zzz = "1"'))
    assert found == [(9, "unknown key 'zzz'")]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (('rule = "pa-crazy-4-poker"', 'rule = "pa-crazy-four-poker"'), "pa-crazy-4-poker"),
        (('links = ["one"]', 'links = ["onee"]'), "one"),
    ],
)
def test_a_misspelled_name_is_met_with_a_suggestion(
    tmp_path: Path, change: tuple[str, str], fault: str
) -> None:
    """Rules and links have names that are easily mistyped."""
    found = said(tmp_path, link(*FIVE, 'wager = "$5"').replace(*change))
    assert any(reason.endswith(f"did you mean {fault!r}?") for _, reason in found)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('[site]\nid = "north\n[day]\n', 2),
        ('[site]\nid = "north', 2),
        ("[site]\nid = 'north\n[day]\n", 2),
        ('[site]\nid = """north\n[day]\n', 2),
        ('# it\'s here\n[site]\nlist = ["a", "b]\n', 3),
    ],
)
def test_a_quote_that_is_never_closed_is_named_as_one(tmp_path: Path, text: str, line: int) -> None:
    """With the line on which it was opened."""
    with pytest.raises(SiteFileError) as raised:
        check_site(written(tmp_path, text))
    (found,) = raised.value.violations
    assert (found.line, found.reason) == (line, "the text that begins here has no closing quote")


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('wager = "$5"', "wager = $5", 8, "this value can't be read: put text, amounts"),
        ('wager = "$5"', "wager = “$5”", 8, "in straight quotes"),
        ('id = "one"', 'id = "one"\nin_service = True', 5, "true or false in small letters"),
        ('wager = "$5"', 'wager "$5"', 8, "a key is followed by an equals sign"),
        ('wager = "$5"', 'wager = "$5" each', 8, "more on this line than a key and its value"),
        ('wager = "$5"', 'wager = "$5"\nwager = "$1"', 9, "in the file already"),
        ('links = ["one"]', 'links = ["one"', 12, "has no closing bracket: ]"),
    ],
)
def test_a_line_that_is_no_toml_is_explained(
    tmp_path: Path, old: str, new: str, line: int, words: str
) -> None:
    """In words of the file, not of its reader; with the line."""
    text = link(*FIVE, 'wager = "$5"')
    assert old in text
    with pytest.raises(SiteFileError) as raised:
        check_site(written(tmp_path, text.replace(old, new)))
    (found,) = raised.value.violations
    assert (found.line, words in found.reason) == (line, True), found


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('paytable = "A"', "paytable = 3", (7, "paytable: must be text in quotes")),
        (
            'paytable = "A"\n',
            "",
            (3, "the key 'paytable' is missing: five-card-progressive has A, B, C, D"),
        ),
        ('links = ["one"]', 'links = "one"', (11, "links: must be a list, each item in quotes")),
        ("[site]", "[sites]", (1, "unknown key 'sites'; did you mean 'site'?")),
        ("[[links]]", "[[link]]", (3, "unknown key 'link'; did you mean 'links'?")),
    ],
)
def test_a_mistake_brings_no_second_fault(
    tmp_path: Path, old: str, new: str, fault: tuple[int, str]
) -> None:
    """What follows from a value that can't be read, or from a misspelled table, is not said."""
    text = link(*FIVE, 'wager = "$5"')
    assert old in text
    assert said(tmp_path, text.replace(old, new, 1)) == [fault]


def test_a_key_like_one_that_is_there_gets_a_suggestion_too(tmp_path: Path) -> None:
    """Where a file has both links and link, the second is a slip all the same."""
    text = link(*FIVE, 'wager = "$5"') + '[[link]]\nid = "two"\n'
    (found,) = said(tmp_path, text)
    assert found[1] == "unknown key 'link'; did you mean 'links'?"


@pytest.mark.parametrize("digits", ['"eleven"', "4", "13", "true"])
def test_a_bad_number_of_digits_warns_of_nothing(tmp_path: Path, digits: str) -> None:
    """What signs can show is not known then, so no seed is too large for them."""
    text = link(*FIVE, 'wager = "$5"').replace("[site]\n", f"[site]\nsign_digits = {digits}\n")
    found = check_site(written(tmp_path, text))
    assert len(found.violations) == 1
    assert found.warnings == ()


def test_a_warning_has_the_line_of_its_own_link(tmp_path: Path) -> None:
    """Also where an earlier link of the file has a fault of its own."""
    text = link(*FIVE, 'wager = "$5"').replace("[site]\n", "[site]\nsign_digits = 6\n")
    bad = '[[links]]\nid = "zero"\nrule = "pa-crazy-4-poker"\nbet = "none"\n'
    place = text.index("[[links]]")
    (warned,) = check_site(written(tmp_path, text[:place] + bad + text[place:])).warnings
    (alone,) = check_site(written(tmp_path, text)).warnings
    assert warned.line == alone.line + 4


@pytest.mark.rule("PA 657a.12(e)(3)")
@pytest.mark.parametrize(
    ("limit", "lawful"), [("$9,999.99", False), ("$10,000", False), ("$10,000.01", True)]
)
def test_a_limit_must_leave_the_meter_room_to_grow(
    tmp_path: Path, limit: str, lawful: bool
) -> None:
    """At a limit equal to its seed a progressive would never progress."""
    found = said(tmp_path, link(*FIVE, 'wager = "$1"', f'levels.main.limit = "{limit}"'))
    assert bool(found) is not lawful
    assert all(line == 9 and "would never grow" in reason for line, reason in found)
