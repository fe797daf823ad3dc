"""Where each clause of the regulations stands: `make clauses`.

docs/reference/traceability.tsv lists every clause by id with its status and a note; a person who
has read the clause and its tests decides both. This script runs the tests that bear clauses, prints
the counts by status and chapter, and fails when a test names a clause that does not exist, when a
clause called tested has no passing test, or when one called shown is shown nowhere. Then it draws a
sample of the tested clauses, changes the value or the line that each of them governs, and fails
where no test of the clause notices (clause_mutations.py).

Example:
  python tools/clauses.py                             # check, with a small sample of mutations
  python tools/clauses.py --sample 200 --seed 657     # a large sample; --sample 0: none
  python tools/clauses.py --sample 200 --report       # and write the result to docs/reference
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypedDict

sys.path.insert(0, str(Path(__file__).resolve().parent))  # also where a test loads this

import clause_mutations as mutations

from jackpot.rules.clauses import ClauseError, verify_clause

ROOT = Path(__file__).resolve().parent.parent
TRACE = ROOT / "docs" / "reference" / "traceability.tsv"
REPORT = ROOT / "docs" / "reference" / "clause-mutations.tsv"
ALL_PASSED, NOTHING_RUN = 0, 5  # pytest's exit codes
FAULTS_PRINTED = 20
UNREAD = "unread"  # a note that begins so: nobody has read clause and tests together yet


class Status(NamedTuple):
    """What a status means, and what its note has to say; "" where it needs none."""

    meaning: str
    note: str


# The one list of statuses: the trace, the counts and the page go by it.
STATUSES = {
    "tested": Status("a test fails if the software breaks the clause", ""),
    "shown": Status(
        "a sign, a trace, a document or a rule file states the clause; no software depends on it",
        "where the clause is shown",
    ),
    "partly": Status("a part of the clause is tested", "what is missing"),
    "procedural": Status("only people can carry out the clause", "why"),
    "out of scope": Status("the clause is about something that this product does not do", "why"),
    "superseded": Status("a later regulation replaced the clause", "by which text"),
    "open": Status("software could carry out the clause, but does not yet", "what is missing"),
}


class Clause(NamedTuple):
    """A clause, where it stands, and why."""

    id: str
    status: str
    note: str

    @property
    def read(self) -> bool:
        """Whether somebody has read it together with its tests."""
        return not self.note.startswith(UNREAD)


class Ends(TypedDict):
    """How a clause's tests ended, and the files that they stand in."""

    passed: int
    failed: int
    files: list[str]


Seen = Mapping[str, Ends]


def read(path: Path) -> list[Clause]:
    """The trace; ValueError where it is malformed."""
    clauses = []
    for number, line in enumerate(path.read_text("utf-8").splitlines()[1:], 2):
        fields = line.split("\t")
        if len(fields) != len(Clause._fields) or fields[1] not in STATUSES:
            raise ValueError(f"{path}:{number}: not a clause, a status and a note")
        clause = Clause(*fields)
        try:
            verify_clause(clause.id)
        except ClauseError as error:
            raise ValueError(f"{path}:{number}: {error}") from error
        wanted = STATUSES[clause.status].note
        if wanted and not clause.note:
            raise ValueError(f"{path}:{number}: {clause.status}: the note must say {wanted}")
        if not wanted and clause.note and clause.read:
            raise ValueError(f"{path}:{number}: {clause.status}: takes no note")
        clauses.append(clause)
    twice = [name for name, count in Counter(one.id for one in clauses).items() if count > 1]
    if twice:
        raise ValueError(f"{path}: {twice[0]} stands twice")
    return clauses


def chapter(clause: str) -> str:
    """The chapter that a clause belongs to: "PA 657a"; "MA" where sections have no chapters."""
    chapter, dot, _ = clause.partition(".")
    return chapter if dot else clause.partition(" ")[0]


def run(arguments: list[str]) -> tuple[int, Seen]:
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


def faults(clauses: Iterable[Clause], seen: Seen) -> list[str]:
    """Marks that name no clause, and clauses whose tests don't bear their status out."""
    clauses = list(clauses)
    known = {one.id for one in clauses}
    found = [f"a test names {name!r}, which is no clause" for name in sorted(set(seen) - known)]
    for one in clauses:
        ends = seen.get(one.id, {"passed": 0, "failed": 0, "files": []})
        if one.status == "tested" and ends["failed"]:
            found.append(f"{one.id} is called tested, but a test of it fails")
        elif one.status == "tested" and not ends["passed"]:
            found.append(f"{one.id} is called tested, but no test of it passes")
        elif one.status == "superseded" and one.note.removeprefix("by ") not in known:
            found.append(f"{one.id} is called superseded, but its note names no other clause")
        elif one.status == "shown" and not ends["passed"] and not _document(one.note):
            found.append(f"{one.id} is called shown, but no test of it passes and no file is named")
    return found


def _document(note: str) -> bool:
    """Whether a note names a file of the project."""
    words = (word.strip("(),;:.") for word in note.split())
    return any("/" in word and (ROOT / word).exists() for word in words)


def table(clauses: Iterable[Clause]) -> list[list[str]]:
    """Counts by status and chapter, and of all; the first row is the heading."""
    clauses = list(clauses)
    rows = [["chapter", "clauses", *STATUSES, "unread"]]
    for name in [*dict.fromkeys(chapter(one.id) for one in clauses), "all"]:
        here = [one for one in clauses if name in ("all", chapter(one.id))]
        counts = Counter(one.status for one in here)
        unread = sum(not one.read for one in here)
        figures = (len(here), *(counts[status] for status in STATUSES), unread)
        rows.append([name, *(f"{figure:,}" for figure in figures)])
    return rows


def aligned(rows: list[list[str]]) -> Iterator[str]:
    """A table for a terminal."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *rest in rows:
        cells = (cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))
        yield "  ".join((first.ljust(widths[0]), *cells))


def mutate(clauses: Iterable[Clause], seen: Seen, options: argparse.Namespace) -> list[str]:
    """Try a sample of mutations; the faults that it found."""
    sites = mutations.by_clause((*mutations.data_mutations(), *mutations.code_mutations()))
    tested = [one.id for one in clauses if one.status == "tested"]
    drawn = mutations.draw(tested, sites, options.sample, options.seed)
    ready = sum(one in sites for one in tested)
    print(
        f"\nMutations of {len(drawn)} clauses, seed {options.seed}, drawn from {ready:,} that have"
    )
    print(f"one, of {len(tested):,} tested:", flush=True)
    files = {clause: ends["files"] for clause, ends in seen.items()}
    found = []
    for number, one in enumerate(mutations.check(drawn, files, options.workers), 1):
        found.append(one)
        result = "noticed" if one.noticed else f"NOT NOTICED ({one.told})"
        where = f"{one.mutation.file}: {one.mutation.says}"
        print(f"{number:>4}/{len(drawn)} {one.clause}: {result}; {where}", flush=True)
    missed = [one for one in found if not one.noticed]
    print(f"{len(found) - len(missed)} of {len(found)} noticed")
    if options.report:
        REPORT.write_text(report(found, options.seed), "utf-8")
    return [
        f"{one.clause}: no test of it notices {one.mutation.file}: {one.mutation.says}"
        for one in missed
    ]


def report(verdicts: Iterable[mutations.Verdict], seed: int) -> str:
    """The result of a sample, one line a clause."""
    lines = ["clause\tseed\tresult\tfile\tchange"]
    for one in sorted(verdicts, key=lambda one: one.clause):
        result = "noticed" if one.noticed else "not noticed"
        fields = (one.clause, str(seed), result, one.mutation.file, one.mutation.says)
        lines.append("\t".join(fields))
    return "\n".join(lines) + "\n"


PAGE = """\
# Traceability

This page shows how the project covers the clauses of the regulations, and how that is checked.

[traceability.tsv](traceability.tsv) lists all {clauses:,} clauses by id, with a status and a note.
A person reads each clause with its tests and decides the clause's status. A test that checks a
clause carries the mark `@pytest.mark.rule("PA 657a.12(e)(3)")`. The mark alone does not make the
clause *tested*. If the test only looks for the clause's number in a trace, or only repeats what the
rule file says, the clause is *shown*.

<!-- Written by tools/reference.py from tools/clauses.py and the trace: run `make reference`. -->

| status | meaning | its note says |
|---|---|---|
{statuses}

{counts}

"Unread" counts clauses whose note begins with "unread": nobody has compared these clauses with
their tests yet.

## Check it

```
make clauses                                    # tests, counts, a small sample of mutations
make clauses ARGS="--sample 200 --seed 657"     # a large sample
```

`make clauses` runs the tests that carry a clause's mark. It fails if a test names a clause that
does not exist, if a clause with the status tested has no passing test, or if a clause with the
status shown has neither a test nor a file that shows it.

Then it draws a sample of the tested clauses. In a copy of the project, it makes one change for
each of these clauses that breaks the clause. At least one test of the clause must fail. The
script makes two kinds of changes:

- **A value of a rule file.** A rule file gives each value with its clause, so the script changes
  one value: odds, a rate, a seed, how many cards a person is dealt, or what a fold loses.
- **A line of code.** `tools/clause_mutations.toml` lists lines of code. Each entry names the
  clauses that the line carries out, and a change that breaks the line. If you change such a line,
  update its entry; the script reports entries that no longer fit.
{mutations}"""

RESULT = """
[clause-mutations.tsv](clause-mutations.tsv) has the last large sample, drawn with seed {seed}. The
tests noticed the change for {noticed} of {of} clauses.
"""


def page() -> str:
    """docs/reference/traceability.md."""
    clauses = read(TRACE)
    heading, *rows = table(clauses)
    lines = ["| " + " | ".join(row) + " |" for row in (heading, *rows)]
    rule = "|---|" + "---:|" * (len(heading) - 1)
    drawn = []
    if REPORT.exists():
        drawn = [line.split("\t") for line in REPORT.read_text("utf-8").splitlines()[1:]]
    noticed = sum(fields[2] == "noticed" for fields in drawn)
    told = RESULT.format(seed=drawn[0][1], noticed=noticed, of=len(drawn)) if drawn else ""
    return PAGE.format(
        clauses=len(clauses),
        statuses="\n".join(
            f"| {name} | {one.meaning} | {one.note or 'nothing'} |"
            for name, one in STATUSES.items()
        ),
        counts="\n".join([lines[0], rule, *lines[1:]]),
        mutations=told,
    )


def main() -> int:
    """Run, print, and say whether the trace holds."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog="Example: python tools/clauses.py --sample 200 --seed 657; "
        "other options go to pytest.",
    )
    parser.add_argument("--sample", type=int, default=12, help="clauses to mutate; 0: none")
    parser.add_argument("--seed", type=int, default=657, help="draws the sample")
    parser.add_argument("--workers", type=int, default=2, help="how many mutations at once")
    parser.add_argument("--report", action="store_true", help="write the result to docs/reference")
    options, arguments = parser.parse_known_args()
    clauses = read(TRACE)
    code, seen = run(arguments)
    print("\n".join(aligned(table(clauses))))
    behind = [one.id for one in clauses if one.status == "open" and one.id in seen]
    for clause in behind:
        print(f"{clause} is called open and has a test: read both, and say in the trace what it is")
    found = faults(clauses, seen)
    if options.sample:
        found += mutate(clauses, seen, options)
    for fault in found[:FAULTS_PRINTED]:
        print(f"error: {fault}")
    if len(found) > FAULTS_PRINTED:
        print(f"error: and {len(found) - FAULTS_PRINTED} more")
    return 1 if found or code not in (ALL_PASSED, NOTHING_RUN) else 0


if __name__ == "__main__":
    sys.exit(main())
