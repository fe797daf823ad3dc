"""`jackpot restore`: put a backup in place, or accept that a journal was rolled back."""

import getpass
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jackpot.cli.shared.offline import data_option, site_option
from jackpot.cli.shared.parameters import FOLDER
from jackpot.console import local_time, one_line, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jackpot.engine.witness import Witnessed
    from jackpot.restoring import Restored

MAX_REASON = 200


@click.command()
@click.argument("backup", type=FOLDER, required=False)
@data_option
@site_option
@click.option("--reason", required=True, help="Why you restore. The journal records it.")
@click.option("--by", metavar="NAME", help="Who restores the journal. [default: your login name]")
@click.option(
    "--discard-newer",
    is_flag=True,
    help="Restore even if the current journal has entries that the backup lacks.",
)
@click.option(
    "--accept-rollback",
    is_flag=True,
    help="Continue from a journal that other tools rolled back. Takes no BACKUP.",
)
@click.option(
    "--witness",
    metavar="FILE",
    help="The controller's --witness file, or the word none. [default: beside the data directory]",
)
@click.option("--json", "json_", is_flag=True, help="Print what was done as JSON.")
@one_line
def restore(
    backup: Path | None,
    store: str,
    site: str,
    reason: str,
    by: str | None,
    witness: str | None,
    *,
    discard_newer: bool,
    accept_rollback: bool,
    json_: bool,
) -> None:
    r"""Replace a journal with a backup, or accept a rolled-back one.

    Stop the controller first. The command checks the backup and puts it in
    place of the journal. It keeps the previous journal in another folder. When
    the controller starts again, every table attaches again by itself and
    reports which entries it lost.

    Restore PostgreSQL with its own tools. Then, before you start the
    controllers, run this command with --accept-rollback and without BACKUP.

    \b
    Example:
      jackpot restore /backup/2026-03-01 --data /var/lib/jackpot \
        --reason "disk failed"
      jackpot restore --accept-rollback --data postgresql://db1/jackpot \
        --reason "point-in-time recovery to 03:10"
    """
    from jackpot.restoring import begin_incarnations
    from jackpot.restoring import restore as put_back
    from jackpot.store.opening import is_postgres

    if backup is None and not accept_rollback:
        raise click.UsageError(
            "nothing to restore: give the folder of a backup, or --accept-rollback"
        )
    if backup is not None and accept_rollback:
        raise click.UsageError("give the folder of a backup or --accept-rollback, not both")
    reason, by = _text(reason, "--reason"), _text(by or getpass.getuser(), "--by")
    if accept_rollback:
        known = _known(witness, store)
        sites = [site] if site else []
        done = begin_incarnations(store, sites, reason=reason, by=by, known=known)
    elif is_postgres(store):
        raise click.ClickException(
            "restore PostgreSQL with its own tools, then run: jackpot restore --accept-rollback "
            f"--data {_shown(store)} --reason WHY"
        )
    elif site:
        raise click.UsageError(
            "--site works only with --accept-rollback: a backup is restored with all its sites"
        )
    else:
        assert backup is not None
        done = put_back(
            backup,
            Path(store),
            reason=reason,
            by=by,
            known=_known(witness, store),
            discard_newer=discard_newer,
        )
    if json_:
        print_json(done)
    else:
        _tell(done)


def _known(witness: str | None, store: str) -> "dict[str, Witnessed]":
    from jackpot.engine.witness import default_path, read_witness
    from jackpot.store.opening import is_postgres

    if witness == "none" or (witness is None and is_postgres(store)):
        return {}
    return read_witness(Path(witness) if witness else default_path(store))


def _shown(address: str) -> str:
    """A PostgreSQL address as an argument in a shell, without its password."""
    from jackpot.store.postgres_session import to_copy

    return shlex.quote(to_copy(address))


def _text(value: str, option: str) -> str:
    text = " ".join(value.split())
    if not text or len(text) > MAX_REASON:
        raise click.UsageError(f"{option} takes 1 to {MAX_REASON} characters; it has {len(text)}")
    return text


def _tell(done: "Sequence[Restored]") -> None:
    for each in done:
        lost = f"; entries up to {each.lost_to:,} are lost" if each.lost_to else ""
        click.echo(
            f"{each.site}: continues from entry {each.common_sequence:,} of "
            f"{local_time(each.common_time_micros)}, incarnation {each.ordinal}{lost}"
        )
    if kept := {each.kept for each in done if each.kept}:
        click.echo(f"The previous journal is kept in {', '.join(sorted(kept))}")
    click.echo("Start the controller: tables attach again by themselves and report what they lost.")
