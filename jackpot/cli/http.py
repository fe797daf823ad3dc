"""The option that `jackpot serve` and `sign` share: how the pages look."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from jackpot.display.web.app import Settings


PAGES = "127.0.0.1:7480"  # where pages are served unless an option says otherwise
theme_option: Callable[[Any], Any] = click.option(
    "--theme",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A file with the house's name, logo and colors.",
)


def settings(theme: Path | None) -> "Settings":
    """What the options say of the pages."""
    from jackpot.display.web.app import Settings
    from jackpot.display.web.theme import Theme

    return Settings(theme=Theme.load(theme) if theme else Theme())
