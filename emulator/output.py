"""Format text for an 80-column terminal, and make the folders that a command writes into."""

import tempfile
from collections.abc import Iterable
from pathlib import Path
from textwrap import wrap

import click

from jackpot.wire.address import AddressError, verify_address

COLUMNS = 80
_MINUTE_S = 60
_JOINED = "\N{NO-BREAK SPACE}"


def counted(count: int | str, thing: str) -> str:
    """How many there are: "1 table", "8 tables"."""
    return f"{count} {thing}" if int(count) == 1 else f"{count} {thing}s"


def dollars(micros: float) -> str:
    """An amount of money: "$1,234.50"."""
    return f"{'-' if micros < 0 else ''}${abs(micros) / 1e6:,.2f}"


def duration(seconds: float) -> str:
    """A time span at a glance: "46 ms", "5.31 s", "26 min 4 s", "3 h 5 min"."""
    if seconds and seconds < 1:
        return f"{seconds * 1000:.3g} ms"
    if seconds < _MINUTE_S:
        return f"{seconds:.3g} s"
    minutes, rest_s = divmod(round(seconds), _MINUTE_S)
    hours, rest_min = divmod(minutes, 60)
    return f"{hours} h {rest_min} min" if hours else f"{minutes} min {rest_s} s"


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


def make_folder(folder: Path, option: str) -> None:
    """Make it, and see that a file can be written there; else a one-line error."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        why = "it is not a folder" if isinstance(error, FileExistsError) else error.strerror
        raise click.ClickException(f"can't write into {option} {folder}: {why}") from None


def address(_context: click.Context, _option: click.Parameter, value: str) -> str:
    """Check an option that takes HOST:PORT; else a one-line error."""
    try:
        verify_address(value)
    except AddressError as error:
        raise click.BadParameter(str(error)) from None
    return value
