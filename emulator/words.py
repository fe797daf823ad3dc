"""Words for people, on a terminal of 80 columns."""

from collections.abc import Iterable
from textwrap import wrap

COLUMNS = 80
_JOINED = "\N{NO-BREAK SPACE}"


def counted(count: int | str, thing: str) -> str:
    """How many there are: "1 table", "8 tables"."""
    return f"{count} {thing}" if int(count) == 1 else f"{count} {thing}s"


def wrapped(head: str, text: str) -> list[str]:
    """Text in lines, the first behind a head and the others below it; no word is cut."""
    return wrap(
        text,
        COLUMNS,
        initial_indent=head,
        subsequent_indent=" " * len(head),
        break_long_words=False,
        break_on_hyphens=False,
    )


def listed(head: str, things: Iterable[str]) -> list[str]:
    """The same for a list: lines end behind a comma, and no thing is torn apart."""
    unbroken = ", ".join(thing.replace(" ", _JOINED) for thing in things)
    return [line.replace(_JOINED, " ") for line in wrapped(head, unbroken)]
