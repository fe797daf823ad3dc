"""Read an operator's file key by key, and note every fault instead of stopping at the first.

A `Section` is one table of the file. Each reader method takes a key, checks its value and returns
it, or notes a fault at the key's line and returns the default. `close` notes the keys that nobody
asked for and those that are missing. One mistake is one fault: a key that is misspelled is not
missing too, and a value that can't be read is not called undeclared.
"""

import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from msgspec import Struct

from jackpot.rules.money_phrases import parse_money, parse_rate
from jackpot.rules.toml_lines import Path, line_of
from jackpot.wire.ids import SAYS, is_id

Value = TypeVar("Value")


class BadValueError(ValueError):
    """A value that its key can't take."""


class Violation(Struct, frozen=True, order=True):
    """One thing that is wrong, where it stands, and the clause that it violates."""

    line: int
    reason: str
    clause: str = ""

    def __str__(self) -> str:
        return f"{self.line}: {self.reason}" + (f" [{self.clause}]" if self.clause else "")


class Log:
    """The faults of one file."""

    def __init__(self, lines: dict[Path, int]) -> None:
        self.lines = lines
        self.violations: list[Violation] = []
        self.warnings: list[Violation] = []
        self._broken: set[Path] = set()  # keys and tables of which the file says nothing usable

    def broken(self, path: Path) -> bool:
        """Whether a key, or a table around it, is already known to be wrong."""
        return any(path[:end] in self._broken for end in range(1, len(path) + 1))

    def note_broken(self, path: Path) -> None:
        """Remember that nothing more need be said of a key."""
        self._broken.add(path)

    def fault(self, path: Path, reason: str, clause: str = "") -> None:
        """Note that something must be changed."""
        self.violations.append(Violation(line_of(self.lines, path), reason, clause))

    def warning(self, path: Path, reason: str, clause: str = "") -> None:
        """Note that something is allowed but worth a look."""
        self.warnings.append(Violation(line_of(self.lines, path), reason, clause))


class Section:
    """One table of the file."""

    def __init__(self, log: Log, path: Path, values: dict[str, Any]) -> None:
        self.log = log
        self.path = path
        self._values = values
        self._asked: set[str] = set()
        self._missing: dict[str, tuple[str, str]] = {}  # key -> reason, clause

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def keys(self) -> tuple[str, ...]:
        """All keys of the table, as written."""
        return tuple(self._values)

    def fault(self, reason: str, *keys: str, clause: str = "") -> None:
        """Note a fault at a key of this table, or at the table itself."""
        self.log.fault((*self.path, *keys), reason, clause)

    def missing(self, key: str, reason: str = "", clause: str = "") -> None:
        """Note, when the table is closed, that a key is missing, unless it was misspelled."""
        self._missing[key] = reason or f"the key {key!r} is missing", clause

    def broken(self, *keys: str) -> bool:
        """Whether a key is already known to be wrong."""
        return self.log.broken((*self.path, *keys))

    def text(self, key: str, default: str | None = None) -> str:
        """A text; required where there is no default."""
        return self._read(key, _text, default, "")

    def name(self, key: str) -> str:
        """An id: a required text without spaces."""
        return self._read(key, _name, None, "")

    def flag(self, key: str, *, default: bool) -> bool:
        """True or false."""
        return self._read(key, _flag, default, default)

    def number(self, key: str, default: int | None, least: int, most: int) -> int:
        """A whole number within bounds."""

        def parse(value: object) -> int:
            if not isinstance(value, int) or isinstance(value, bool):
                raise BadValueError("must be a whole number")
            if not least <= value <= most:
                raise BadValueError(f"must be from {least} to {most}, not {value}")
            return value

        return self._read(key, parse, default, least)

    def choice(self, key: str, options: Sequence[str], default: str | None = None) -> str:
        """One of several words."""

        def parse(value: object) -> str:
            if value not in options:
                raise BadValueError(f"must be one of {', '.join(options)}, not {value!r}")
            return str(value)

        return self._read(key, parse, default, options[0])

    def money(self, key: str) -> int | None:
        """An amount in whole cents, as micros; None where the key is absent."""
        return self._optional(key, _money)

    def rate(self, key: str) -> int | None:
        """A rate as basis points; None where the key is absent."""
        return self._optional(key, _rate)

    def names(self, key: str) -> tuple[str, ...]:
        """A list of ids, possibly empty."""
        return self._read(key, _names, (), ())

    def section(self, key: str) -> "Section":
        """A table inside this one; an absent one reads as empty."""
        values: dict[str, Any] = self._read(key, _table, {}, {})
        return Section(self.log, (*self.path, key), values)

    def sections(self, key: str) -> Iterator["Section"]:
        """The array of tables under a key."""
        tables: list[dict[str, Any]] = self._read(key, _tables, [], [])
        for number, values in enumerate(tables):
            yield Section(self.log, (*self.path, key, number), values)

    def close(self) -> None:
        """Note every key that has no meaning here, and every one that is missing."""
        for key in self._values:
            if key not in self._asked:
                meant = suggestion(key, self._asked - self._values.keys())
                near = meant or suggestion(key, self._asked)
                self.fault(f"unknown key {key!r}{did_you_mean(near)}", key)
                self.log.note_broken((*self.path, meant or key))
        for key, (reason, clause) in self._missing.items():
            if not self.broken(key):
                self.fault(reason, clause=clause)

    def _optional(self, key: str, parse: Callable[[Any], Value]) -> Value | None:
        self._asked.add(key)
        return self._read(key, parse, None, None) if key in self else None

    def _read(
        self, key: str, parse: Callable[[Any], Value], default: Value | None, broken: Value
    ) -> Value:
        self._asked.add(key)
        if key not in self._values:
            if default is None:
                self.missing(key)
                return broken
            return default
        try:
            return parse(self._values[key])
        except ValueError as error:
            self.fault(f"{key}: {error}", key)
            self.log.note_broken((*self.path, key))
            return broken


def suggestion(word: str, known: Iterable[str]) -> str:
    """The known word that was probably meant; "" where none is near."""
    return next(iter(difflib.get_close_matches(word, list(known), 1)), "")


def did_you_mean(meant: str) -> str:
    """The end of a sentence about a word that nobody knows."""
    return f"; did you mean {meant!r}?" if meant else ""


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise BadValueError("must be text in quotes")
    return value


def _name(value: object) -> str:
    text = _text(value)
    if not is_id(text):
        raise BadValueError(f"{text!r} is not a valid id: {SAYS}")
    return text


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise BadValueError("must be true or false")
    return value


def _money(value: object) -> int:
    if isinstance(value, float):
        raise BadValueError(f'write the amount in quotes, "{value}", so that it stays exact')
    if isinstance(value, list):
        raise BadValueError("must be one amount: all wagers of a link are the same")
    if isinstance(value, int) and not isinstance(value, bool):
        raise BadValueError(f'write the amount in quotes: "${value}"')
    return parse_money(_text(value))


def _rate(value: object) -> int:
    if not isinstance(value, str):
        raise BadValueError('write the rate in quotes, such as "21%"')
    return parse_rate(value)


def _names(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise BadValueError("must be a list, each item in quotes")
    if len(set(value)) < len(value):
        raise BadValueError("lists the same name twice")
    return tuple(value)


def _table(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadValueError("must be a TOML table, not a single value")
    return value


def _tables(value: object) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise BadValueError("must be a list of TOML tables, each under double brackets")
    return value
