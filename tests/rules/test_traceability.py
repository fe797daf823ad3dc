"""The trace from clause to test: the list itself, and the tool that checks it."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from jackpot.rules.loader import DATA

ROOT = Path(__file__).parent.parent.parent
CLAUSES = 1_715


def load_tool() -> ModuleType:
    """tools/clauses.py as a module."""
    spec = importlib.util.spec_from_file_location("clauses", ROOT / "tools" / "clauses.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TOOL = load_tool()
LISTED = TOOL.read(TOOL.TRACE)


def test_every_clause_is_listed_once_with_a_status_and_a_reason() -> None:
    """All 1,715 stand in the trace; what is procedural says why."""
    assert len(LISTED) == CLAUSES
    assert all(one.note for one in LISTED if one.status == "procedural")
    assert not any(one.note for one in LISTED if one.status == "tested")


def test_tests_name_only_clauses_that_exist(request: pytest.FixtureRequest) -> None:
    """No mark of any test that is run along with this one points nowhere."""
    known = {one.id for one in LISTED}
    marks = {
        (item.nodeid, clause)
        for item in request.session.items
        for mark in item.iter_markers("rule")
        for clause in mark.args
    }
    assert not [named for named in marks if named[1] not in known]


def test_rule_files_cite_only_clauses_that_exist() -> None:
    """No citation of any rule file points nowhere."""
    known = {one.id for one in LISTED}
    for path in sorted(DATA.glob("*/*.toml")):
        for cited in re.findall(r'clause = "([^"]*)"', path.read_text()):
            assert set(cited.split("; ")) <= known, path


def test_the_chapters_in_force_have_no_open_clause() -> None:
    """Of 657a, Massachusetts, 573 and 555 every clause is tested or has a reason not to be."""
    chapters = ("PA 657a", "MA", "PA2011 573", "PA2010 555", "PA2011 555")
    still_open = [
        one.id for one in LISTED if one.status == "open" and TOOL.chapter(one.id) in chapters
    ]
    assert still_open == []


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (["PA 1\ttested"], ":2: not a clause, a status and a note"),
        (["PA 1\tdone\t"], ":2: not a clause, a status and a note"),
        (["PA 1\ttested\t", "PA 2\tprocedural\t"], ":3: a procedural clause needs its reason"),
        (["PA 1\ttested\t", "PA 1\topen\t"], "PA 1 stands twice"),
    ],
)
def test_a_malformed_trace_is_refused(tmp_path: Path, lines: list[str], complaint: str) -> None:
    """Each fault of the file is told with its place."""
    path = tmp_path / "trace.tsv"
    path.write_text("\n".join(["clause\tstatus\tnote", *lines]) + "\n")
    with pytest.raises(ValueError, match=re.escape(complaint)):
        TOOL.read(path)


def test_counts_are_printed_by_chapter() -> None:
    """One line a chapter and one for all."""
    listed = [
        TOOL.Clause("PA 657a.1", "tested", ""),
        TOOL.Clause("PA 657a.2", "open", ""),
        TOOL.Clause("MA 1(i)", "procedural", "why"),
    ]
    lines = [line.split() for line in TOOL.table(listed)]
    assert lines[1:] == [
        ["PA", "657a", "2", "1", "0", "1"],
        ["MA", "1", "0", "1", "0"],
        ["all", "3", "1", "1", "1"],
    ]


@pytest.mark.process
def test_the_tool_runs_marked_tests_and_finds_every_fault(tmp_path: Path) -> None:
    """An unknown clause, a failing test and a clause without a test are each an error."""
    tests = tmp_path / "test_marks.py"
    tests.write_text(
        "import pytest\n"
        "@pytest.mark.rule('PA 1')\ndef test_good(): pass\n"
        "@pytest.mark.rule('PA 2')\ndef test_bad(): assert False\n"
        "@pytest.mark.rule('PA 9')\ndef test_unknown(): pass\n"
        "@pytest.mark.rule('PA 4')\ndef test_skipped(): pytest.skip()\n"
        "def test_without(): assert False\n"
    )
    settings = tmp_path / "pytest.ini"
    settings.write_text("[pytest]\nmarkers =\n  rule(id): a clause\n  slow: long\n")
    for workers in ([], ["-n", "1"]):
        code, seen = TOOL.run(["-c", str(settings), *workers, str(tests)])
        assert code == 1
        assert seen == {
            "PA 1": {"passed": 1, "failed": 0},
            "PA 2": {"passed": 0, "failed": 1},
            "PA 4": {"passed": 0, "failed": 0},
            "PA 9": {"passed": 1, "failed": 0},
        }
    listed = [TOOL.Clause(f"PA {number}", "tested", "") for number in (1, 2, 3, 4)]
    assert TOOL.faults(listed, seen) == [
        "a test names 'PA 9', which is no clause",
        "PA 2 is called tested, but a test of it fails",
        "PA 3 is called tested, but no test of it passes",
        "PA 4 is called tested, but no test of it passes",
    ]
    fresh = [TOOL.Clause("PA 1", "open", "note"), TOOL.Clause("PA 2", "open", "note")]
    assert TOOL.updated(fresh, seen) == [TOOL.Clause("PA 1", "tested", ""), fresh[1]]


@pytest.mark.process
def test_the_tool_explains_itself() -> None:
    """`--help` says what it does."""
    command = [sys.executable, str(ROOT / "tools" / "clauses.py"), "--help"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "Where each clause of the regulations stands" in result.stdout
