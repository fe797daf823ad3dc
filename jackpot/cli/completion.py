"""`jackpot completion`: the script that lets a shell complete this command."""

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    r"""Print a script for your shell that completes commands and options.

    \b
    Example:
      jackpot completion bash > ~/.jackpot-completion.bash
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise click.ClickException(f"nothing is known of {shell}")
    command = context.find_root().command
    click.echo(kind(command, {}, "jackpot", "_JACKPOT_COMPLETE").source())
