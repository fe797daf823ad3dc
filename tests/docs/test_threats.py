"""Every threat that is told of names what stops it, and tests that are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
THREATS = ROOT / "docs" / "internals" / "threats.md"
_TEST = re.compile(r"`(tests/[\w/]+\.py)`")


def rows() -> list[list[str]]:
    """The rows of the tables that say what stops a threat."""
    text = THREATS.read_text("utf-8").partition("## What stops them")[2].partition("\n## ")[0]
    lines = [line.strip("| ") for line in text.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.split(" | ")] for line in lines]
    return [row for row in cells if row[0] != "threat" and not row[0].startswith("---")]


def test_there_are_tables() -> None:
    """Or the next test would look at nothing."""
    assert len(rows()) > 40


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0][:40])
def test_a_threat_has_its_test(row: list[str]) -> None:
    """By a path that exists, of a file with tests in it."""
    threat, stopped_by, shown_by = row
    assert threat
    assert stopped_by
    tests = _TEST.findall(shown_by)
    assert tests, shown_by
    assert _TEST.sub("", shown_by).strip(", ") == ""
    for test in tests:
        assert re.search(r"^(async )?def test_", (ROOT / test).read_text("utf-8"), re.MULTILINE)
