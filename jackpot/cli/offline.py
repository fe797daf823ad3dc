"""What the commands share that read a journal without its controller."""

import datetime as dt
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jackpot.reports.walk import Progress as OnProgress
    from jackpot.reports.walk import Walk


data_option = click.option(
    "--store",
    "--data",
    "store",
    metavar="ADDRESS",
    envvar="JACKPOT_DATA",
    required=True,
    help="The controller's data directory, or postgresql://…",
)
site_option = click.option(
    "--site",
    metavar="SITE",
    envvar="JACKPOT_SITE",
    default="",
    help="The site, if the journal has several.",
)


@contextmanager
def progress_bar(what: str) -> "Iterator[OnProgress | None]":
    """A bar on the terminal's error output while long work lasts; none where nobody looks."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def reading(store: str, site: str) -> "Iterator[Walk]":
    """A walk through a journal, with a bar while it lasts."""
    from jackpot.reports.walk import open_walk

    with progress_bar("reading") as progress, open_walk(store, site, progress) as walk:
        yield walk


class Moment(click.ParamType[int]):
    """A moment in ISO 8601, UTC where no zone is said, as micros since 1970."""

    name = "time"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Read "2026-03-01T06:00-05:00" or "2026-03-01"."""
        if isinstance(value, int):
            return value
        try:
            moment = dt.datetime.fromisoformat(str(value))
        except ValueError:
            self.fail(
                f"{value!r} is not a time; expected one such as 2026-03-01T06:00",
                param,
                ctx,
            )
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=dt.UTC)
        return int(moment.timestamp()) * 1_000_000


MOMENT = Moment()
