"""Show what a site file would change in its journal, by line, old and new."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from jackpot.core.plan import Step, plan
from jackpot.core.state import State
from jackpot.rules.site import SiteFile

_MARKS = {"add": "+", "change": "~", "keep": "=", "refuse": "!"}
_SAYS = {
    "add": "will be added",
    "change": "will change",
    "keep": "keeps the value in the journal",
    "refuse": "refused",
}


def steps(found: SiteFile, store: str) -> list[Step]:
    """Everything that a start on this file would do or refuse."""
    return list(plan(_state(found.site.id, store), found.site))


def _state(site: str, store: str) -> State:
    """The site as its journal has it; a new one where there is none yet."""
    from jackpot.engine.replica import load
    from jackpot.store.opening import open_to_read

    if is_new(store):
        return State(site)
    with closing(open_to_read(store)) as journal:
        return load(journal, site).state if journal.heads((site,)) else State(site)


def is_new(store: str) -> bool:
    """Whether an address is that of a directory without a journal."""
    from jackpot.store.opening import is_postgres
    from jackpot.store.sqlite import FILE_NAME

    if is_postgres(store):
        return False
    folder = Path(store)
    return not folder.exists() or (folder.is_dir() and not (folder / FILE_NAME).exists())


def lines(path: Path, found: SiteFile, planned: list[Step]) -> Iterator[str]:
    """One line a step, and what to do instead where it is not done."""
    for step in planned:
        at = found.line(step.kind, step.id, step.key)
        what = f"{step.kind} {step.id}" + (f" {'.'.join(step.key)}" if step.key else "")
        change = _change(step) if step.key else ""
        yield f"{path}:{at}: {_MARKS[step.verdict]} {what} {_SAYS[step.verdict]}{change}"
        if step.instead:
            yield f"    instead: {step.instead}"
    counts = {verdict: sum(s.verdict == verdict for s in planned) for verdict in _MARKS}
    if not planned:
        yield f"{path}: no changes; the journal already has everything in this file"
        return
    told = ", ".join(f"{count} {_SAYS[verdict]}" for verdict, count in counts.items() if count)
    yield f"{path}: {told}"


def _change(step: Step) -> str:
    old, new = step.old or "nothing", step.new or "nothing"
    return f": {old} (the file says {new})" if step.verdict == "keep" else f": {old} -> {new}"


def as_json(found: SiteFile, planned: list[Step]) -> dict[str, Any]:
    """The same for a program."""
    return {
        "file": found.path,
        "ok": all(step.verdict != "refuse" for step in planned),
        "steps": [
            {
                "line": found.line(step.kind, step.id, step.key),
                "verdict": step.verdict,
                "kind": step.kind,
                "id": step.id,
                "key": ".".join(step.key),
                "old": step.old,
                "new": step.new,
                "instead": step.instead,
            }
            for step in planned
        ],
    }
