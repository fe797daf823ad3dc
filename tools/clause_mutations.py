"""Change what a clause governs, and see whether a test of the clause notices.

A mutation is one change to one file. Those of rule data are made here: each value of a rule file
stands under its clause, so each of them is changed in turn. Those of code stand in
clause_mutations.toml, each with the clauses that the changed line carries out. `make clauses` draws
a sample of the tested clauses and runs their tests against a copy of the project with the change.
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import date
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

from jackpot.rules.loader import RuleFileError, load_rule

ROOT = Path(__file__).resolve().parent.parent
DATA = Path("jackpot/rules/data")
TABLE = ROOT / "tools" / "clause_mutations.toml"
COPIED = ("jackpot", "table_client", "emulator", "tests", "tools", "proto", "docs", "deploy")
# Text for people and names of things: no value that a clause governs.
_TEXT = frozenset(
    {"clause", "id", "title", "game", "jurisdiction", "source", "kind", "ranking", "hand", "when"}
    | {"note", "says", "cards", "times", "wager", "effective", "qualifies"}
)
_RESULTS = {"win": "push", "push": "win", "lose": "push", "paytable": "lose"}
_WORDS = {
    "electronic": "chips",
    "account": "inventory",
    "inventory": "account",
    "none": "1%",
    "push-or-paytable": "paytable",
    **_RESULTS,
}


class Mutation(NamedTuple):
    """One change to one file, and the clauses that the changed text carries out."""

    file: str
    says: str
    clauses: frozenset[str]
    change: Callable[[str], str]

    def text(self) -> str:
        """The whole file as it is then."""
        return self.change((ROOT / self.file).read_text("utf-8"))


class Verdict(NamedTuple):
    """Whether a clause's tests noticed a mutation."""

    clause: str
    mutation: Mutation
    noticed: bool
    told: str


# Rule data


def changed(value: Any) -> Any:
    """Another value of the same kind; None where there is none worth trying."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str() if value in _WORDS:
            return _WORDS[value]
        case str() if number := re.search(r"\d[\d,]*", value):
            step = -1 if value[number.end() :].startswith("%") else 1
            new = f"{int(number[0].replace(',', '')) + step:,}"
            return value[: number.start()] + new + value[number.end() :]
        case [*_, _] if all(isinstance(one, str) for one in value):
            return value[:-1]
    return None


def cited(value: Any, clauses: str = "", path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every value of a rule file that stands under a clause: its clauses, then its path."""
    if isinstance(value, dict):
        own = value.get("clause", clauses)
        for key, inner in value.items():
            if key not in _TEXT or isinstance(inner, dict):
                yield from cited(inner, own, (*path, key))
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for place, inner in enumerate(value):
            yield from cited(inner, clauses, (*path, place))
    elif clauses:
        yield clauses, *path


def toml(value: Any) -> str:
    """A value of a rule file as TOML, tables inline."""
    match value:
        case dict():
            return "{ " + ", ".join(f"{key} = {toml(one)}" for key, one in value.items()) + " }"
        case list():
            return "[" + ", ".join(map(toml, value)) + "]"
        case date():
            return value.isoformat()
    return json.dumps(value, ensure_ascii=False)


def with_value(text: str, path: tuple[Any, ...]) -> str:
    """A rule file with one value changed."""
    whole = tomllib.loads(text)
    inner = whole
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = changed(inner[path[-1]])
    return "".join(f"{key} = {toml(value)}\n" for key, value in whole.items())


def data_mutations() -> Iterator[Mutation]:
    """Every value of the rule files, changed."""
    for path in sorted((ROOT / DATA).glob("*/*.toml")):
        whole = tomllib.loads(path.read_text("utf-8"))
        for clauses, *steps in cited(whole):
            value = whole
            for step in steps:
                value = value[step]
            new = changed(value)
            if new is not None:
                yield Mutation(
                    str(path.relative_to(ROOT)),
                    f"{'.'.join(_names(whole, steps))}: {toml(value)} -> {toml(new)}",
                    frozenset(clauses.split("; ")),
                    lambda old, where=tuple(steps): with_value(old, where),  # type: ignore[misc]
                )


def loads(mutation: Mutation) -> bool:
    """Whether a changed rule file is still one; else every test would fail, which shows nothing."""
    if not mutation.file.endswith(".toml"):
        return True
    with tempfile.TemporaryDirectory() as folder:
        probe = Path(folder) / "rule.toml"
        probe.write_text(mutation.text(), "utf-8")
        try:
            load_rule(probe)
        except RuleFileError:
            return False
    return True


def _names(whole: Any, steps: Iterable[Any]) -> Iterator[str]:
    """A path for people: items by their id or hand instead of their place."""
    for step in steps:
        whole = whole[step]
        if isinstance(step, str):
            yield step
        else:
            yield str(whole.get("id") or whole.get("hand") or whole.get("when") or step)


# Code


def code_mutations(table: Path = TABLE) -> list[Mutation]:
    """The changes of clause_mutations.toml; ValueError where one no longer fits its file."""
    found = []
    for entry in tomllib.loads(table.read_text("utf-8"))["mutations"]:
        file, find, replace = entry["file"], entry["find"], entry["replace"]
        text = (ROOT / file).read_text("utf-8")
        if text.count(find) != 1:
            raise ValueError(
                f"{table.name}: {find!r} stands {text.count(find)} times in {file}; it must stand "
                "there once: update the entry to what carries out its clauses now"
            )
        first = find.strip().splitlines()[0]
        then = (replace.strip().splitlines() or ["nothing"])[0]
        found.append(
            Mutation(
                file,
                f"{first} -> {then}",
                frozenset(entry["clauses"].split("; ")),
                lambda old, find=find, replace=replace: old.replace(find, replace),  # type: ignore[misc]
            )
        )
    return found


# The sample


def by_clause(mutations: Iterable[Mutation]) -> dict[str, list[Mutation]]:
    """The mutations of each clause."""
    found = defaultdict[str, list[Mutation]](list)
    for one in mutations:
        for clause in one.clauses:
            found[clause].append(one)
    return dict(found)


def draw(
    tested: Iterable[str], sites: Mapping[str, Sequence[Mutation]], count: int, seed: int
) -> dict[str, Mutation]:
    """A sample of the tested clauses, each with one of its mutations; by the seed alone."""
    ready = sorted(clause for clause in tested if clause in sites)
    drawn: dict[str, Mutation] = {}
    for clause in random.Random(seed).sample(ready, len(ready)):
        if len(drawn) == count:
            break
        order = list(sites[clause])
        random.Random(f"{seed} {clause}").shuffle(order)
        if fit := next(filter(loads, order), None):
            drawn[clause] = fit
    return drawn


def copy_project(folder: Path) -> Path:
    """A copy of what the tests need."""
    skip = shutil.ignore_patterns("__pycache__", "screenshots", "bench", "*.pyc")
    for name in COPIED:
        if (ROOT / name).exists():
            shutil.copytree(ROOT / name, folder / name, ignore=skip, copy_function=_link)
    for path in ROOT.glob("*.*"):
        if path.is_file():
            _link(path, folder / path.name)
    return folder


def _link(source: str | Path, target: str | Path) -> None:
    """The same file under another name where that can be, else a copy; nobody writes to it."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _put(path: Path, text: str, moment_ns: int) -> None:
    """A new file in the place of one that may be a link, with its own time."""
    path.unlink()
    path.write_text(text, "utf-8")
    os.utime(path, ns=(moment_ns, moment_ns))


class Copy:
    """A copy of the project in which one mutation at a time is tried."""

    def __init__(self, folder: Path) -> None:
        self.folder = copy_project(folder)
        variables = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        variables["PYTHONPATH"] = os.pathsep.join((str(folder), str(folder / "tools")))
        self._runner = subprocess.Popen(
            [sys.executable, str(folder / "tools" / "clause_runner.py")],
            cwd=folder,
            env=variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def attempt(
        self, mutation: Mutation, clauses: Iterable[str], files: Iterable[str], moment: int
    ) -> dict[str, dict[str, int]]:
        """Run the tests of these clauses with the change; how each clause's tests ended."""
        path = self.folder / mutation.file
        original, stat = path.read_text("utf-8"), path.stat()
        out = self.folder / "clauses.json"
        out.unlink(missing_ok=True)
        # By its time no change looks like another to the compiler's cache.
        _put(path, mutation.text(), moment * 1_000_000_000)
        chosen = "rule and not (slow or browser or postgres)"
        arguments = ["-q", "-p", "clauses_plugin", "-p", "no:cacheprovider", "-m", chosen]
        variables = {"CLAUSES_OUT": str(out), "CLAUSES_ONLY": ";".join(sorted(clauses))}
        try:
            self._ask([*arguments, *sorted(set(files))], variables)
        finally:
            _put(path, original, stat.st_mtime_ns)
        found: dict[str, dict[str, int]] = json.loads(out.read_text()) if out.exists() else {}
        return found

    def close(self) -> None:
        """End the runner; it stops when nobody asks any more."""
        self._runner.communicate()

    def _ask(self, arguments: list[str], variables: dict[str, str]) -> None:
        if self._runner.stdin is None or self._runner.stdout is None:
            raise AssertionError("the runner has no pipes")
        self._runner.stdin.write(json.dumps([arguments, variables]) + "\n")
        self._runner.stdin.flush()
        if not self._runner.stdout.readline():
            raise RuntimeError("the runner of tests has died")


def check(
    drawn: Mapping[str, Mutation], files: Mapping[str, Sequence[str]], workers: int = 2
) -> Iterator[Verdict]:
    """Try every mutation of a sample, each once for all its clauses, some at a time."""
    together: dict[tuple[str, str], list[str]] = defaultdict(list)
    for clause, mutation in drawn.items():
        together[mutation.file, mutation.says].append(clause)
    with tempfile.TemporaryDirectory(prefix="clauses-") as top:
        copies = [Copy(Path(top) / str(number)) for number in range(workers)]
        free: SimpleQueue[Copy] = SimpleQueue()
        for copy in copies:
            free.put(copy)

        def run(moment: int, clauses: list[str]) -> list[Verdict]:
            copy = free.get()
            try:
                mutation = drawn[clauses[0]]
                where = {file for clause in clauses for file in files.get(clause, ())}
                ends = copy.attempt(mutation, clauses, where, moment)
            finally:
                free.put(copy)
            return [_verdict(clause, mutation, ends.get(clause)) for clause in clauses]

        try:
            with ThreadPoolExecutor(workers) as pool:
                groups = enumerate(together.values(), 1_000_000_000)
                for done in as_completed(pool.submit(run, *group) for group in groups):
                    yield from done.result()
        finally:
            for copy in copies:
                copy.close()


def _verdict(clause: str, mutation: Mutation, ends: Mapping[str, int] | None) -> Verdict:
    if ends is None:
        return Verdict(clause, mutation, noticed=False, told="no test of it ran")
    told = f"{ends['failed']} failed, {ends['passed']} passed"
    return Verdict(clause, mutation, noticed=bool(ends["failed"]), told=told)
