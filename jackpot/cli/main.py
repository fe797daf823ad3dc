"""The `jackpot` command: one group, a module for each command or family of commands.

Exit codes, for every command: 0 it was done (or proposed, where that is all that one person may
do); 1 it was refused or failed; 2 the command line makes no sense; 3 the controller can't be
reached, so that a change may or may not have happened; 4 it was not confirmed, so nothing was done.
"""

import click

from jackpot.console import DISTRIBUTION, LazyGroup

# Command -> the module that has it, in the order in which a newcomer meets them.
_COMMANDS = {
    **{name: name for name in ("serve", "demo", "meters", "watch", "sign", "login", "link")},
    **dict.fromkeys(("payouts", "validate", "pay", "reject"), "payouts"),
    **{name: name for name in ("void", "wager")},
    **dict.fromkeys(("reset", "adjust", "transfer", "limit", "rate"), "changes"),
    **dict.fromkeys(("proposals", "approve", "decline"), "proposals"),
    **{name: name for name in ("account", "badbeat", "slip", "report", "audit", "verify")},
    **{
        name: name
        for name in ("export", "key", "backup", "store", "rules", "odds", "ca", "completion")
    },
}


@click.group(
    cls=LazyGroup, modules={name: f"jackpot.cli.{module}" for name, module in _COMMANDS.items()}
)
@click.version_option(package_name=DISTRIBUTION)
def main() -> None:
    r"""A progressive jackpot controller for linked casino tables.

    Exit codes: 0 done or proposed, 1 refused or failed, 2 wrong usage, 3 the
    controller can't be reached, 4 not confirmed.

    \b
    Example:
      jackpot demo --rounds 30
    """
