"""Find and read the rule files that the package carries.

A file loads whole or not at all: an unknown key, a block without a clause, a phrase that says no
payment, or a row that names a level the paytable doesn't have is an error with its place.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

import msgspec

from jackpot.rules.clauses import ClauseError
from jackpot.rules.model import NAME, BetRule, Paytable, Rule
from jackpot.rules.toml_lines import error_line, key_lines, line_of, parse

DATA = Path(str(files("jackpot.rules"))) / "data"
_ID = re.compile(r'^id = "(.+)"$', re.MULTILINE)


class RuleFileError(ValueError):
    """A rule file that says something it can't mean."""


def load_rule(path: Path) -> Rule:
    """Read one rule file."""
    text = path.read_text("utf-8")
    try:
        rule = msgspec.convert(parse(text), Rule)
        _check(rule)
    except tomllib.TOMLDecodeError as error:
        line, why = error_line(error)
        raise RuleFileError(f"{path}:{line}: {why}") from error
    except msgspec.ValidationError as error:
        why, _, where = str(error).rpartition(" - at ")
        raise RuleFileError(f"{path}:{_line(text, where, error)}: {why or where}") from error
    except ValueError as error:
        raise RuleFileError(f"{path}: {error}") from error
    return rule


def _line(text: str, where: str, error: msgspec.ValidationError) -> int:
    """The line of a block such as `$.bets[5].paytables[0]`; of a citation, its own line."""
    steps = re.findall(r"\.([\w-]+)|\[(\d+)\]", where)
    line = line_of(key_lines(text), tuple(key or int(number) for key, number in steps))
    if isinstance(error.__cause__, ClauseError):
        for number, content in enumerate(text.splitlines()[line - 1 :], line):
            if error.__cause__.clause in content:
                return number
    return line


class _Rules(Mapping[str, Rule]):
    """Rules by id. Each is read when it is first asked for: a controller needs few of them."""

    def __init__(self) -> None:
        self._read: dict[str, Rule] = {}
        self._paths: dict[str, Path] = {}
        for path in sorted(DATA.glob("*/*.toml")):
            id_ = _ID.findall(path.read_text("utf-8"))[0]
            if id_ in self._paths:
                raise RuleFileError(f"{path}: the id {id_} is taken")
            self._paths[id_] = path

    def __getitem__(self, id_: str) -> Rule:
        if id_ not in self._read:
            self._read[id_] = load_rule(self._paths[id_])
        return self._read[id_]

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


@cache
def rules() -> Mapping[str, Rule]:
    """Every rule that the package carries, by id."""
    return _Rules()


def _check(rule: Rule) -> None:
    """What a file must hold beyond the types of its values."""
    ids = [bet.id for bet in rule.bets]
    if len(set(ids)) < len(ids):
        raise ValueError("two bets have one id")
    for bet in rule.bets:
        for other in (*bet.requires, *bet.excludes):
            if other not in ids:
                raise ValueError(f"{bet.id} names the bet {other}, which does not exist")
        if not NAME.fullmatch(bet.id):
            raise ValueError(f"{bet.id!r} is not a valid name for a bet")
        _check_tables(bet)
    for option in rule.options:
        if option.values[0].only_by:
            raise ValueError(
                f"the first value of the option {option.id} must allow every way of dealing"
            )


def _check_tables(bet: BetRule) -> None:
    """A bet's paytables are distinct, and each refers only to what it has."""
    ids = [table.id for table in bet.paytables]
    if len(set(ids)) < len(ids):
        raise ValueError(f"two paytables of {bet.id} have one id")
    for table in bet.paytables:
        try:
            _check_table(table)
        except ValueError as error:
            raise ValueError(f"paytable {table.id} of {bet.id}: {error}") from error


def _check_table(table: Paytable) -> None:
    """No hand stands twice, and every share is of a level that exists."""
    hands = [row.hand for row in table.rows]
    if not hands or len(set(hands)) < len(hands):
        raise ValueError("the paytable has no rows, or lists a hand twice")
    for row in table.rows:
        level = row.pay.level
        if level and table.level(level) is None:
            raise ValueError(f"{row.hand} pays from the level {level}, which does not exist")
    for plan in table.envy:
        for row in plan.rows:
            if row.pay.kind != "amount":
                raise ValueError(f"the envy bonus for {row.hand} is not an amount")
