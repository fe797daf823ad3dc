"""A pytest plugin that notes which clauses the tests carry out, and how each test ended.

It writes one JSON object to the file that CLAUSES_OUT names: clause -> {"passed": n, "failed": n}.
With workers, only the process that gathers their reports writes.
"""

import json
import os
from collections import defaultdict
from pathlib import Path

import pytest

_seen: dict[str, dict[str, int]] = defaultdict(lambda: {"passed": 0, "failed": 0})


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Send a test's clauses along with its report."""
    for item in items:
        clauses = sorted({mark.args[0] for mark in item.iter_markers("rule")})
        item.user_properties.append(("clauses", clauses))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Count a test's end, and a failure at any of its steps."""
    if report.when != "call" and not report.failed:
        return
    for name, clauses in report.user_properties:
        if name == "clauses" and isinstance(clauses, list):
            for clause in clauses:
                _seen[clause]["failed" if report.failed else "passed"] += not report.skipped


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write what was seen."""
    if "CLAUSES_OUT" in os.environ and not hasattr(session.config, "workerinput"):
        Path(os.environ["CLAUSES_OUT"]).write_text(json.dumps(_seen))
