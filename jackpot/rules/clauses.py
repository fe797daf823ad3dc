"""Which clauses can be cited: those of the regulations that data/jurisdictions.toml lists."""

import re
import tomllib
from difflib import get_close_matches
from functools import cache
from importlib.resources import files

import msgspec

_SUBSECTIONS = r"(\([A-Za-z0-9]+\))*"


class Jurisdiction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A regulation: what it is called, where it is published, and how it numbers its sections."""

    title: str
    source: str
    section: str  # a regular expression


class ClauseError(ValueError):
    """A citation that names no clause."""

    def __init__(self, clause: str, why: str) -> None:
        super().__init__(f"{clause!r} is not a clause of a regulation: {why}")
        self.clause = clause


@cache
def jurisdictions() -> dict[str, Jurisdiction]:
    """Every regulation that may be cited, by the first word of its clauses."""
    text = files("jackpot.rules").joinpath("data", "jurisdictions.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, Jurisdiction])


def verify_clause(clause: str) -> None:
    """Raise ClauseError unless a clause names a known regulation and a section as it has them."""
    name, space, where = clause.partition(" ")
    if not space:
        raise ClauseError(clause, "write jurisdiction and section, such as PA 657a.12(e)(3)")
    known = jurisdictions()
    if name not in known:
        (nearest,) = get_close_matches(name, known, n=1, cutoff=0)
        raise ClauseError(
            clause,
            f"there is no jurisdiction {name!r}; did you mean {nearest!r}? Known are "
            f"{', '.join(known)}; a new one is an entry in jackpot/rules/data/jurisdictions.toml",
        )
    if not re.fullmatch(known[name].section + _SUBSECTIONS, where):
        title, section = known[name].title, known[name].section
        raise ClauseError(clause, f"{where!r} is not numbered as in {title}: {section}")
