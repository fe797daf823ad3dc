"""Read a TOML file, and tell on which line each of its keys stands.

The standard reader gives values without places, but an operator who made a mistake wants the line.
This scanner only follows headers, keys and brackets of a file that the standard reader has already
accepted; what stands inside an inline value is reported at the line of its key.
"""

import re
import tomllib
from collections.abc import Iterable
from typing import Any

Path = tuple[str | int, ...]

_DEEPEST = 32  # tables and arrays inside one another
_MOST = 1 << 63  # what an integer stays below
_DIGITS = re.compile(r"\d[\d_]{1000,}")

# What the standard reader says where a text has no end.
_UNCLOSED = re.compile(r"Illegal character '\\n'|Unterminated string|Expected (\"'+\"|'\"+')")

# What the standard reader says, and what an operator can do about it.
_PLAIN = {
    "Invalid value": "this value can't be read: put text, amounts and rates in straight quotes, "
    'such as "$5"; write true or false in small letters',
    "Cannot overwrite a value": "this key or table is in the file already; "
    "where there are several, each begins with double brackets, such as [[tables]]",
    "Cannot declare": "this table is in the file already; "
    "where there are several, each begins with double brackets, such as [[tables]]",
    "Unclosed array": "the list that ends before this line has no closing bracket: ]",
    "Expected newline": "there is more on this line than a key and its value: "
    "put text, times and dates in quotes",
    "Expected '='": 'a key is followed by an equals sign and its value, such as title = "Mega"',
    "Invalid initial character": "this line begins with a character that no key can have",
}

_HEADER = re.compile(r"\s*(?P<open>\[\[?)(?P<keys>[^\[\]]+)\]\]?\s*(#.*)?")
_KEY = re.compile(
    r"""\s*(?P<keys>(?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*="""
)
_PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")
# A comment, a whole string of any kind, the start of a longer one, or a bracket.
_TOKEN = re.compile(
    r'''#.*|"""(?:[^\\]|\\.)*?"""|\'\'\'.*?\'\'\'|"""|\'\'\'|"(?:[^"\\]|\\.)*"|'[^']*'|[\[\]{}]''',
    re.DOTALL,
)


def parse(text: str) -> dict[str, Any]:
    """The values of a file; TOMLDecodeError for whatever can't be read, shown or counted with.

    The standard reader gives up on deep nesting and on long numbers with errors of its own.
    """
    try:
        values = tomllib.loads(text)
    except RecursionError:
        raise tomllib.TOMLDecodeError("values are nested too deeply") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:
        found = _DIGITS.search(text)
        line = text.count("\n", 0, found.start()) + 1 if found else 1
        problem = f"a number has too many digits (at line {line}, column 1)"
        raise tomllib.TOMLDecodeError(problem) from None
    level: list[Any] = [values]
    for _ in range(_DEEPEST):
        if any(isinstance(value, int) and not -_MOST <= value < _MOST for value in level):
            raise tomllib.TOMLDecodeError("a number is too large")
        level = [inner for value in level for inner in _inside(value)]
    if level:
        raise tomllib.TOMLDecodeError("values are nested too deeply")
    return values


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def key_lines(text: str) -> dict[Path, int]:
    """The line of every header and key, by its path; array tables are numbered from 0."""
    lines: dict[Path, int] = {(): 1}
    seen: dict[Path, int] = {}  # how many array tables each path has had
    prefix: Path = ()
    depth = 0  # open brackets of a value that goes on over several lines
    quote = ""  # the open quotes of a string that goes on over several lines
    for number, line in enumerate(text.splitlines(), 1):
        fresh = depth == 0 and not quote
        if fresh and (header := _HEADER.fullmatch(line)):
            prefix = _resolve(_parts(header["keys"]), seen, array=header["open"] == "[[")
            lines.setdefault(prefix, number)
            continue
        if fresh and (key := _KEY.match(line)):
            lines.setdefault((*prefix, *_parts(key["keys"])), number)
        depth, quote = _follow(line, depth, quote)
    return lines


def line_of(lines: dict[Path, int], path: Path) -> int:
    """The line of a key, of the first thing inside it, or of the nearest thing around it."""
    while path not in lines:
        if inside := [line for known, line in lines.items() if known[: len(path)] == path]:
            return min(inside)
        path = path[:-1]
    return lines[path]


def error_line(error: tomllib.TOMLDecodeError, text: str = "") -> tuple[int, str]:
    """The line and the bare reason of a syntax error, as a person would say it."""
    match = re.fullmatch(
        r"(?P<why>.*) \(at (?:line (?P<line>\d+), .*|end of document)\)", str(error)
    )
    if match is None:
        return 1, str(error)
    line, why = int(match["line"] or max(1, len(text.splitlines()))), match["why"]
    if _UNCLOSED.fullmatch(why):
        return _opened(text, line), "the text that begins here has no closing quote"
    return line, next((plain for start, plain in _PLAIN.items() if why.startswith(start)), why)


def _opened(text: str, line: int) -> int:
    """The last line up to this one with a quote that is not closed on it."""
    before = list(enumerate(text.splitlines()[:line], 1))
    return next((number for number, content in reversed(before) if _odd(content)), line)


def _odd(line: str) -> bool:
    """Whether a line has a quote left when all whole texts and comments are taken out."""
    return bool(_follow(line, 0, "")[1] or re.search(r"[\"']", _TOKEN.sub("", line)))


def _parts(keys: str) -> Path:
    """A dotted key as its parts, without quotes."""
    return tuple(part.strip("\"'") for part in _PART.findall(keys))


def _resolve(keys: Path, seen: dict[Path, int], *, array: bool) -> Path:
    """A header's keys as a path in which every array table has its number."""
    path: Path = ()
    for place, key in enumerate(keys, 1):
        path = (*path, key)
        if array and place == len(keys):
            seen[path] = seen.get(path, -1) + 1
        if path in seen:
            path = (*path, seen[path])
    return path


def _follow(line: str, depth: int, quote: str) -> tuple[int, str]:
    """How many brackets and which quotes are open behind a line."""
    if quote:
        end = line.find(quote)
        if end < 0:
            return depth, quote
        line = line[end + len(quote) :]
    for match in _TOKEN.finditer(line):
        piece = match[0]
        if piece in ('"""', "'''"):
            return depth, piece
        if piece in "[{":
            depth += 1
        elif piece in "]}":
            depth -= 1
    return depth, ""
