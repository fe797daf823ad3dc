"""The `jackpot` command: one group, a module for each command or family of commands.

Exit codes, for every command: 0 it was done (or proposed, where that is all that one person may
do); 1 it was refused or failed; 2 the command line makes no sense; 3 the controller can't be
reached, so that a change may or may not have happened; 4 it was not confirmed, so nothing was done.
"""

import importlib

import click

# Command -> the module that has it, in the order in which a newcomer meets them.
_COMMANDS = {
    **{name: name for name in ("serve", "demo", "meters", "watch", "sign", "login", "link")},
    **dict.fromkeys(("payouts", "validate", "pay", "reject"), "payouts"),
    **dict.fromkeys(("reset", "adjust", "transfer", "limit", "rate"), "changes"),
    **dict.fromkeys(("proposals", "approve", "decline"), "proposals"),
    **{name: name for name in ("account", "badbeat", "slip", "report", "audit", "verify")},
    **{
        name: name
        for name in ("export", "key", "backup", "store", "rules", "odds", "ca", "completion")
    },
}


class _LazyGroup(click.Group):
    """Imports a command when it is used: `jackpot meters` need not load the controller."""

    def list_commands(self, _context: click.Context) -> list[str]:
        """The commands in the order in which a newcomer meets them."""
        return list(_COMMANDS)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        """The command, from the module of its name."""
        if name not in _COMMANDS:
            return None
        module = importlib.import_module(f"jackpot.cli.{_COMMANDS[name]}")
        command: click.Command = getattr(module, name)
        keep_examples(command)
        return command


def keep_examples(command: click.Command) -> None:
    r"""Let click see the \b that keeps an example's lines: a raw docstring has two characters."""
    command.help = (command.help or "").replace(r"\b", "\b")
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            keep_examples(inner)


@click.group(cls=_LazyGroup)
@click.version_option(package_name="jackpot-controller")
def main() -> None:
    r"""A progressive jackpot controller for linked casino tables.

    Exit codes: 0 done or proposed, 1 refused or failed, 2 wrong usage, 3 the
    controller can't be reached, 4 not confirmed.

    \b
    Example:
      jackpot demo --rounds 30
    """


keep_examples(main)
