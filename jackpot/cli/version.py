"""`jackpot version`: what software is installed, and whether it is what was released."""

from pathlib import Path

import click
import msgspec

from jackpot.cli.shared.parameters import FILE
from jackpot.console import one_line, print_json

_SAYS = {
    "none": "this is a source tree, not a release",
    "unsigned": "the files match the release, which is not signed",
    "signed": "the files are those of the signed release",
    "differs": "the files are NOT those of the release",
}


@click.command()
@click.option("--verify", is_flag=True, help="Exit with 1 unless all files match a signed release.")
@click.option("--key", type=FILE, help="The public key (.pub) that you trust to sign releases.")
@click.option("--json", "json_", is_flag=True, help="Print JSON.")
@one_line
def version(key: Path | None, *, verify: bool, json_: bool) -> None:
    r"""Show the version and a hash over all installed files.

    The hash also covers the rule data. For a release, the command says whether the files
    match the release, and which key signed the release.

    \b
    Example:
      jackpot version --verify --key release.pub
    """
    from jackpot.software import inspect

    found = inspect(trusted=key)
    if json_:
        print_json(msgspec.to_builtins(found))
    else:
        click.echo(f"jackpot {found.version}")
        click.echo(f"manifest {found.manifest}")
        signed = f", key {found.key}" if found.key else ""
        click.echo(f"release: {_SAYS[found.check]}{signed}")
        for problem in found.problems:
            click.echo(f"  {problem}")
    if found.check == "differs" or (verify and found.check != "signed"):
        raise click.ClickException(f"not verified: {_SAYS[found.check]}")
