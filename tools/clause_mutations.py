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
TIMEOUT_S = 600
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
    """Every value of the rule files, changed, where the file is then still one that loads."""
    with tempfile.TemporaryDirectory() as folder:
        probe = Path(folder) / "rule.toml"
        for path in sorted((ROOT / DATA).glob("*/*.toml")):
            text = path.read_text("utf-8")
            whole = tomllib.loads(text)
            for clauses, *steps in cited(whole):
                value = whole
                for step in steps:
                    value = value[step]
                new = changed(value)
                if new is None:
                    continue
                where = tuple(steps)
                probe.write_text(with_value(text, where), "utf-8")
                try:
                    load_rule(probe)
                except RuleFileError:
                    continue
                name = ".".join(_names(whole, steps))
                yield Mutation(
                    str(path.relative_to(ROOT)),
                    f"{name}: {toml(value)} -> {toml(new)}",
                    frozenset(clauses.split("; ")),
                    lambda old, where=where: with_value(old, where),  # type: ignore[misc]
                )


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
    drawn = random.Random(seed).sample(ready, min(count, len(ready)))
    return {clause: random.Random(f"{seed} {clause}").choice(sites[clause]) for clause in drawn}


def copy_project(folder: Path) -> Path:
    """A copy of what the tests need."""
    skip = shutil.ignore_patterns("__pycache__", "screenshots", "bench", "*.pyc")
    for name in COPIED:
        if (ROOT / name).exists():
            shutil.copytree(ROOT / name, folder / name, ignore=skip)
    for path in ROOT.glob("*.*"):
        if path.is_file():
            shutil.copy2(path, folder)
    return folder


def try_mutation(
    folder: Path, mutation: Mutation, clauses: Iterable[str], files: Iterable[str], moment: int
) -> dict[str, dict[str, int]]:
    """Run the tests of these clauses in a copy with the change; how each clause's tests ended."""
    path, wanted = folder / mutation.file, sorted(clauses)
    original, stat = path.read_text("utf-8"), path.stat()
    out = folder / "clauses.json"
    out.unlink(missing_ok=True)
    path.write_text(mutation.text(), "utf-8")
    os.utime(path, (moment, moment))  # no two changes look alike to the compiler's cache
    command = [sys.executable, "-m", "pytest", "-q", "-p", "clauses_plugin", "-p"]
    command += ["no:cacheprovider", "-m", "rule and not (slow or browser or postgres)"]
    try:
        subprocess.run(
            [*command, *sorted(set(files))],
            cwd=folder,
            env={
                **{k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"},
                "PYTHONPATH": os.pathsep.join((str(folder), str(folder / "tools"))),
                "CLAUSES_OUT": str(out),
                "CLAUSES_ONLY": ";".join(wanted),
            },
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        return {}
    finally:
        path.write_text(original, "utf-8")
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    return json.loads(out.read_text()) if out.exists() else {}


def check(
    drawn: Mapping[str, Mutation], files: Mapping[str, Sequence[str]], workers: int = 2
) -> Iterator[Verdict]:
    """Try every mutation of a sample, each once for all its clauses, some at a time."""
    together: dict[tuple[str, str], list[str]] = defaultdict(list)
    for clause, mutation in drawn.items():
        together[mutation.file, mutation.says].append(clause)
    with tempfile.TemporaryDirectory(prefix="clauses-") as top:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(workers):
            copies.put(copy_project(Path(top) / str(number)))

        def run(moment: int, clauses: list[str]) -> list[Verdict]:
            folder = copies.get()
            try:
                mutation = drawn[clauses[0]]
                where = {file for clause in clauses for file in files.get(clause, ())}
                ends = try_mutation(folder, mutation, clauses, where, moment)
            finally:
                copies.put(folder)
            return [_verdict(clause, mutation, ends.get(clause)) for clause in clauses]

        with ThreadPoolExecutor(workers) as pool:
            groups = enumerate(together.values(), 1_000_000_000)
            for done in as_completed(pool.submit(run, *group) for group in groups):
                yield from done.result()


def _verdict(clause: str, mutation: Mutation, ends: Mapping[str, int] | None) -> Verdict:
    if ends is None:
        return Verdict(clause, mutation, noticed=False, told="no test of it ran")
    told = f"{ends['failed']} failed, {ends['passed']} passed"
    return Verdict(clause, mutation, noticed=bool(ends["failed"]), told=told)
