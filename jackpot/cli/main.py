"""The `jackpot` command: one group, a module for each command or family of commands.

Exit codes, for every command: 0 it was done (or proposed, where that is all that one person may
do); 1 it was refused or failed; 2 the command line makes no sense; 3 the controller can't be
reached, so that a change may or may not have happened; 4 it was not confirmed, so nothing was done.
"""

import click
from click.shell_completion import get_completion_class

from jackpot.console import DISTRIBUTION, LazyGroup

# In the order in which a newcomer meets them; each is in the module of its name, or of `_MODULES`.
_COMMANDS = (
    *("serve", "demo", "meters", "watch", "sign", "login", "link", "payouts", "validate", "pay"),
    *("reject", "floor", "void", "wager", "reset", "adjust", "transfer", "limit", "rate"),
    *("proposals", "approve", "decline", "dual-control", "account", "badbeat", "slip", "report"),
    *("audit", "verify", "export", "key", "backup", "restore", "store", "rules", "odds", "ca"),
    *("completion", "pin", "version"),
)
_CHANGES = ("reset", "adjust", "transfer", "limit", "rate", "proposals", "approve", "decline")
_MODULES = {
    **dict.fromkeys(("validate", "pay", "reject"), "payouts"),
    **dict.fromkeys(_CHANGES, "changes"),
    **dict.fromkeys(("slip", "key"), "export"),
    "wager": "void",
    "dual-control": "changes",
    "audit": "report",
    "backup": "store",
    "completion": "main",
}


@click.group(
    cls=LazyGroup, modules={name: f"jackpot.cli.{_MODULES.get(name, name)}" for name in _COMMANDS}
)
@click.version_option(package_name=DISTRIBUTION)
def main() -> None:
    r"""A progressive jackpot controller for linked casino tables.

    \b
    Exit codes:
      0  The command did its work, or proposed a change to a second person.
      1  The controller refused the command, or the command failed.
      2  The command line is wrong.
      3  The controller can't be reached. A change may or may not be made.
      4  You did not confirm, so nothing was done.

    \b
    Example:
      jackpot demo --rounds 30
    """


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    r"""Print a script that completes commands in your shell.

    \b
    Example:
      jackpot completion bash > ~/.jackpot-completion.bash
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise click.ClickException(
            f"there is no completion for {shell}; expected bash, zsh or fish"
        )
    command = context.find_root().command
    click.echo(kind(command, {}, "jackpot", "_JACKPOT_COMPLETE").source())
