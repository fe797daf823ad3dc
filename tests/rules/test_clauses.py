"""Clauses are cited by jurisdiction and section, and the jurisdictions are data."""

import re
from pathlib import Path

import pytest

from jackpot.rules import clauses
from jackpot.rules.clauses import ClauseError, Jurisdiction, jurisdictions, verify_clause
from jackpot.rules.loader import DATA, RuleFileError, load_rule
from tests.rules.test_traceability import LISTED, TOOL

PA = DATA / "pennsylvania" / "crazy-4-poker.toml"


@pytest.mark.parametrize("clause", ["PA 657a.12(e)(3)", "PA2010 553.20", "MA 5(b)", "MA 1(i)"])
def test_a_known_jurisdiction_and_its_section_is_a_clause(clause: str) -> None:
    """With or without subsections."""
    verify_clause(clause)


@pytest.mark.parametrize(
    ("clause", "why"),
    [
        ("657a.2(a)", "write jurisdiction and section, such as PA 657a.12(e)(3)"),
        ("", "write jurisdiction and section"),
        ("2010 555.1", "there is no jurisdiction '2010'; did you mean 'PA2010'?"),
        ("pa 657a.2", "there is no jurisdiction 'pa'; did you mean"),
        ("MAS 5", "there is no jurisdiction 'MAS'; did you mean 'MA'?"),
        ("MA 657a.2(a)", "'657a.2(a)' is not numbered as in Massachusetts"),
        ("PA 657a.2(a", "'657a.2(a' is not numbered as in Pennsylvania"),
        ("PA  657a.2", "' 657a.2' is not numbered as in Pennsylvania"),
    ],
)
def test_what_is_no_clause_is_refused_with_what_was_expected(clause: str, why: str) -> None:
    """An unknown jurisdiction is told the nearest known one."""
    with pytest.raises(ClauseError, match=re.escape(f"{clause!r} is not a clause")) as error:
        verify_clause(clause)
    assert why in str(error.value)


def test_an_unknown_jurisdiction_is_told_where_a_new_one_is_written() -> None:
    """All known ones, and the file that lists them."""
    with pytest.raises(ClauseError) as error:
        verify_clause("NJ 13.69")
    assert ", ".join(jurisdictions()) in str(error.value)
    assert str(error.value).endswith("jackpot/rules/data/jurisdictions.toml")
    assert (DATA.parent.parent.parent / str(error.value).rpartition(" ")[2]).is_file()


@pytest.mark.parametrize(
    "written",
    [
        'clause = "PA 657a.2(a)"',  # a block of its own
        'clause = "PA 657a.12(e)(3)"',  # inside a list that goes over several lines
        'keeps_envy = true, clause = "PA 657a.11(b)(2)"',  # inside a value
    ],
)
def test_a_rule_file_that_cites_an_unknown_one_is_refused_with_its_line(
    written: str, tmp_path: Path
) -> None:
    """FILE:LINE, as an editor opens it."""
    text = PA.read_text("utf-8")
    assert written in text
    copy = tmp_path / "rule.toml"
    copy.write_text(text.replace(written, written.replace("PA ", "PV "), 1), "utf-8")
    line = text[: text.index(written)].count("\n") + 1
    with pytest.raises(RuleFileError) as error:
        load_rule(copy)
    assert str(error.value).startswith(f"{copy}:{line}: 'PV ")
    assert "there is no jurisdiction 'PV'; did you mean 'PA'?" in str(error.value)


def test_a_row_with_a_clause_of_its_own_is_held_to_it(tmp_path: Path) -> None:
    """A row's citation is checked like its table's."""
    row = '{ hand = "royal-flush", pays = "100% of main" }'
    copy, text = tmp_path / "rule.toml", PA.read_text("utf-8")
    copy.write_text(text.replace(row, f'{row[:-2]}, clause = "XX 1" }}', 1), "utf-8")
    line = text[: text.index(row)].count("\n") + 1
    with pytest.raises(RuleFileError, match=re.escape(f"{copy}:{line}: 'XX 1' is not a clause")):
        load_rule(copy)


def test_the_trace_is_held_to_the_same_list(tmp_path: Path) -> None:
    """`make clauses` refuses an unknown one with file and line."""
    path = tmp_path / "trace.tsv"
    path.write_text(
        "clause\tstatus\tnote\nPA 657a.1\topen\tall of it\nPQ 657a.2\topen\tall of it\n"
    )
    with pytest.raises(ValueError, match=re.escape(f"{path}:3: 'PQ 657a.2' is not a clause")):
        TOOL.read(path)


def test_a_new_jurisdiction_is_one_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rule files and the trace may then name it; nothing else has to change."""
    known = {**jurisdictions(), "NJ": Jurisdiction("New Jersey", "N.J.A.C. 13:69F", r"\d+\.\d+")}
    copy, trace = tmp_path / "rule.toml", tmp_path / "trace.tsv"
    copy.write_text(PA.read_text("utf-8").replace('"PA 657a.2(a)"', '"NJ 30.1(a)"'), "utf-8")
    trace.write_text("clause\tstatus\tnote\nNJ 30.1(a)\topen\tall of it\n")
    with pytest.raises(RuleFileError, match="there is no jurisdiction 'NJ'"):
        load_rule(copy)
    monkeypatch.setattr(clauses, "jurisdictions", lambda: known)
    rule = load_rule(copy)
    assert rule.table is not None
    assert rule.table.clauses == ("NJ 30.1(a)",)
    row = dict(zip(*TOOL.table(TOOL.read(trace))[:2], strict=True))
    assert (row["chapter"], row["clauses"], row["open"]) == ("NJ 30", "1", "1")


def test_every_listed_jurisdiction_has_clauses_in_the_trace() -> None:
    """None is listed that nothing cites, and each says what it is and where it is published."""
    assert {one.id.partition(" ")[0] for one in LISTED} == set(jurisdictions())
    for known in jurisdictions().values():
        assert known.title
        assert known.source
