"""Where each clause of the regulations stands: `make clauses`.

docs/reference/traceability.tsv lists every clause by id with a status: `tested` (a test bears its
id), `procedural` (no software can carry it out; the note says why), or `open`. This script runs the
tests that bear clauses, prints the counts by chapter, and fails when a test names a clause that
does not exist or a clause called tested has no passing test.

Example:
  python tools/clauses.py            # check
  python tools/clauses.py --update   # also call tested what now has passing tests
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from jackpot.rules.clauses import ClauseError, verify_clause

ROOT = Path(__file__).resolve().parent.parent
TRACE = ROOT / "docs" / "reference" / "traceability.tsv"
STATUSES = ("tested", "procedural", "open")
ALL_PASSED, NOTHING_RUN = 0, 5  # pytest's exit codes
SHOWN = 20  # faults of one kind


class Clause(NamedTuple):
    """A clause, where it stands, and why."""

    id: str
    status: str
    note: str


def read(path: Path) -> list[Clause]:
    """The trace; ValueError where it is malformed."""
    clauses = []
    for number, line in enumerate(path.read_text("utf-8").splitlines()[1:], 2):
        fields = line.split("\t")
        if len(fields) != len(Clause._fields) or fields[1] not in STATUSES:
            raise ValueError(f"{path}:{number}: not a clause, a status and a note")
        try:
            verify_clause(fields[0])
        except ClauseError as error:
            raise ValueError(f"{path}:{number}: {error}") from error
        if fields[1] == "procedural" and not fields[2]:
            raise ValueError(f"{path}:{number}: a procedural clause needs its reason")
        clauses.append(Clause(*fields))
    twice = [name for name, count in Counter(one.id for one in clauses).items() if count > 1]
    if twice:
        raise ValueError(f"{path}: {twice[0]} stands twice")
    return clauses


def write(path: Path, clauses: list[Clause]) -> None:
    """The trace, one line a clause."""
    lines = ["clause\tstatus\tnote", *("\t".join(one) for one in clauses)]
    path.write_text("\n".join(lines) + "\n", "utf-8")


def chapter(clause: str) -> str:
    """The chapter that a clause belongs to: "PA 657a"; "MA" where sections have no chapters."""
    chapter, dot, _ = clause.partition(".")
    return chapter if dot else clause.partition(" ")[0]


def run(arguments: list[str]) -> tuple[int, dict[str, dict[str, int]]]:
    """Run the tests that bear clauses; pytest's exit code, and what each clause came to."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "clauses.json"
        path = os.pathsep.join((str(ROOT / "tools"), os.environ.get("PYTHONPATH", "")))
        command = [sys.executable, "-m", "pytest", "-q", "-p", "clauses_plugin", "-m"]
        done = subprocess.run(
            [*command, "rule and not slow", *arguments],
            env={**os.environ, "PYTHONPATH": path, "CLAUSES_OUT": str(out)},
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if done.returncode not in (ALL_PASSED, NOTHING_RUN):
            print(done.stdout[-4000:])
        return done.returncode, json.loads(out.read_text()) if out.exists() else {}


def updated(clauses: list[Clause], seen: dict[str, dict[str, int]]) -> list[Clause]:
    """The trace with `tested` on every clause that has passing tests and none that fails."""
    good = {name for name, ends in seen.items() if ends["passed"] and not ends["failed"]}
    return [Clause(one.id, "tested", "") if one.id in good else one for one in clauses]


def faults(clauses: list[Clause], seen: dict[str, dict[str, int]]) -> list[str]:
    """Marks that name no clause, and clauses called tested that are not."""
    known = {one.id for one in clauses}
    found = [f"a test names {name!r}, which is no clause" for name in sorted(set(seen) - known)]
    for one in clauses:
        ends = seen.get(one.id, {"passed": 0, "failed": 0})
        if one.status == "tested" and ends["failed"]:
            found.append(f"{one.id} is called tested, but a test of it fails")
        elif one.status == "tested" and not ends["passed"]:
            found.append(f"{one.id} is called tested, but no test of it passes")
    return found


def table(clauses: list[Clause]) -> list[str]:
    """Counts by chapter, and of all."""
    lines = [f"{'chapter':<12}{'clauses':>9}{'tested':>9}{'procedural':>12}{'open':>7}"]
    names = [*dict.fromkeys(chapter(one.id) for one in clauses), "all"]
    for name in names:
        counts = Counter(one.status for one in clauses if name in ("all", chapter(one.id)))
        tested, procedural, still_open = (counts[status] for status in STATUSES)
        total = counts.total()
        lines.append(f"{name:<12}{total:>9,}{tested:>9,}{procedural:>12,}{still_open:>7,}")
    return lines


def main() -> int:
    """Run, print, and say whether the trace holds."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--update", action="store_true", help="call tested what has passing tests")
    options, arguments = parser.parse_known_args()
    clauses = read(TRACE)
    code, seen = run(arguments)
    if options.update:
        clauses = updated(clauses, seen)
        write(TRACE, clauses)
    print("\n".join(table(clauses)))
    ready = [one.id for one in updated(clauses, seen) if one.status == "tested"]
    waiting = len(ready) - sum(one.status == "tested" for one in clauses)
    if waiting:
        print(f"{waiting} clauses have passing tests and are not called tested: run --update")
    found = faults(clauses, seen)
    for fault in found[:SHOWN]:
        print(f"error: {fault}")
    if len(found) > SHOWN:
        print(f"error: and {len(found) - SHOWN} more")
    return 1 if found or code not in (ALL_PASSED, NOTHING_RUN) else 0


if __name__ == "__main__":
    sys.exit(main())
