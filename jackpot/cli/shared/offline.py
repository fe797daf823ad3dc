"""What the commands share that read a journal without its controller."""

import datetime as dt
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import TaskID

    from jackpot.reports.walk import Walk
    from jackpot.verify import Progress as OnProgress


def store_option(*, required: bool, default: str = "") -> Callable[[Any], Any]:
    """Where the journal is; `default` says where it is without the option."""
    return click.option(
        "--store",
        "--data",
        "store",
        metavar="ADDRESS",
        envvar="JACKPOT_DATA",
        required=required,
        help="The controller's data directory, or postgresql://…"
        + (f" [default: {default}]" if default else ""),
    )


data_option = store_option(required=True)
site_option = click.option(
    "--site",
    metavar="SITE",
    envvar="JACKPOT_SITE",
    default="",
    help="The site, if the journal has several.",
)


@contextmanager
def progress_bars(what: str = "", *, quiet: bool = False) -> "Iterator[OnProgress]":
    """A bar for each site on the terminal's error output; none where nobody looks."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda _site, _done, _total: None
        return
    with Progress(console=console, transient=True) as progress:
        tasks: dict[str, TaskID] = {}

        def show(site: str, done: int, total: int) -> None:
            if site not in tasks:
                tasks[site] = progress.add_task(f"{what} {site}".strip(), total=total)
            progress.update(tasks[site], completed=done)

        yield show


@contextmanager
def reading(store: str, site: str) -> "Iterator[Walk]":
    """A walk through a journal, with a bar while it lasts."""
    from jackpot.reports.walk import open_walk

    with (
        progress_bars("reading") as show,
        open_walk(store, site, lambda done, total: show(site, done, total)) as walk,
    ):
        yield walk


class Moment(click.ParamType[dt.datetime]):
    """A moment in ISO 8601, with or without a zone."""

    name = "time"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> dt.datetime:
        """Read "2026-03-01T06:00-05:00" or "2026-03-01"."""
        try:
            return dt.datetime.fromisoformat(str(value))
        except ValueError:
            self.fail(f"{value!r} is not a time; expected one such as 2026-03-01T06:00", param, ctx)


MOMENT = Moment()
