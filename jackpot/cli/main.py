"""The `jackpot` command: one group, one module a command."""

import importlib

import click

_COMMANDS = ("serve", "demo", "meters", "watch", "sign", "verify", "rules", "odds", "ca")


class _LazyGroup(click.Group):
    """Imports a command when it is used: `jackpot meters` need not load the controller."""

    def list_commands(self, _context: click.Context) -> list[str]:
        """The commands in the order in which a newcomer meets them."""
        return list(_COMMANDS)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        """The command, from the module of its name."""
        if name not in _COMMANDS:
            return None
        command: click.Command = getattr(importlib.import_module(f"jackpot.cli.{name}"), name)
        _keep_examples(command)
        return command


def _keep_examples(command: click.Command) -> None:
    r"""Let click see the \b that keeps an example's lines: a raw docstring has two characters."""
    command.help = (command.help or "").replace(r"\b", "\b")
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            _keep_examples(inner)


@click.group(cls=_LazyGroup)
@click.version_option(package_name="jackpot-controller")
def main() -> None:
    r"""A progressive jackpot controller for linked casino tables.

    \b
    Example:
      jackpot demo --rounds 30
    """


_keep_examples(main)
