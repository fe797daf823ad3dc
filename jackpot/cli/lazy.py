"""Commands that are imported when they are used: `jackpot meters` need not load the controller.

So Ctrl-C in the first second is click's to answer as well.
"""

import importlib
from collections.abc import Mapping
from typing import Any

import click


class LazyGroup(click.Group):
    """A group that knows where its commands are."""

    def __init__(self, *arguments: Any, modules: Mapping[str, str], **named: Any) -> None:
        """`modules` has the module of every command, in the order in which they are listed."""
        super().__init__(*arguments, **named)
        self._modules = modules
        _keep_examples(self)

    def list_commands(self, _context: click.Context) -> list[str]:
        """The commands in the order in which a newcomer meets them."""
        return list(self._modules)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        """The command, which has the same name in its module."""
        if name not in self._modules:
            return None
        command: click.Command = getattr(importlib.import_module(self._modules[name]), name)
        _keep_examples(command)
        return command


def _keep_examples(command: click.Command) -> None:
    r"""Let click see the \b that keeps an example's lines: a raw docstring has two characters."""
    command.help = (command.help or "").replace(r"\b", "\b")
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            _keep_examples(inner)
