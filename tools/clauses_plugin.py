"""A pytest plugin that notes which clauses the tests carry out, and how each test ended.

It writes one JSON object to the file that CLAUSES_OUT names: clause -> {"passed": n, "failed": n,
"files": [...]}. With workers, only the process that gathers their reports writes. CLAUSES_ONLY is a
list of clauses with semicolons between them: only their tests run, and no more once each of these
clauses has a failure.
"""

import json
import os
from collections import defaultdict
from pathlib import Path
from typing import TypedDict

import pytest

_SLOWER = ("tests/server/", "tests/e2e/", "tests/cli/", "tests/odds/", "tests/golden/")


class Ends(TypedDict):
    """How a clause's tests ended, and the files that they stand in."""

    passed: int
    failed: int
    files: list[str]


_seen: dict[str, Ends] = defaultdict(lambda: {"passed": 0, "failed": 0, "files": []})
_only = frozenset(filter(None, os.environ.get("CLAUSES_ONLY", "").split(";")))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Send a test's clauses along with its report; leave out what was not asked for."""
    wanted, others = [], []
    for item in items:
        clauses = sorted({mark.args[0] for mark in item.iter_markers("rule")})
        item.user_properties.append(("clauses", clauses))
        (wanted if not _only or _only.intersection(clauses) else others).append(item)
    if _only:
        config.hook.pytest_deselected(items=others)
        items[:] = sorted(wanted, key=lambda item: item.nodeid.startswith(_SLOWER))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Count a test's end, and a failure at any of its steps."""
    if report.when != "call" and not report.failed:
        return
    for name, clauses in report.user_properties:
        if name == "clauses" and isinstance(clauses, list):
            for clause in clauses:
                ends = _seen[clause]
                ends["failed" if report.failed else "passed"] += not report.skipped
                file = report.nodeid.partition("::")[0]
                if file not in ends["files"]:
                    ends["files"].append(file)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Stop when there is nothing more to find out."""
    if _only and all(_seen[clause]["failed"] for clause in _only):
        item.session.shouldstop = "each clause has a failure"


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write what was seen."""
    if "CLAUSES_OUT" in os.environ and not hasattr(session.config, "workerinput"):
        Path(os.environ["CLAUSES_OUT"]).write_text(json.dumps(_seen))
