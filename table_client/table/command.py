"""`jackpot-table`: runs one table, against a controller or one of its own."""

import asyncio
import contextlib
import secrets
from pathlib import Path

import click

from jackpot.console import one_line
from jackpot.wire.address import AddressError, verify_address
from table_client.table.games.catalogue import GAMES
from table_client.table.players import USUAL_PLAYERS

_FILE = click.Path(path_type=Path, dir_okay=False)

_EXAMPLE = (
    """\b
Games:
  """
    + "\n  ".join(sorted(GAMES))
    + """

\b
Example:
  jackpot-table --game pa-crazy-4-poker --seed 7 --trace
  jackpot-table --game pa-2011-caribbean-stud --rounds 100
"""
)


def _addresses(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    try:
        for each in given:
            verify_address(each)
    except AddressError as error:
        raise click.BadParameter(str(error)) from error
    return given


@click.command(epilog=_EXAMPLE)
@click.option(
    "--game",
    type=click.Choice(sorted(GAMES)),
    required=True,
    metavar="NAME",
    help="One of the games below.",
)
@click.option("--seed", help="The same seed deals the same cards. [default: a random seed]")
@click.option(
    "--rounds",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="How many rounds to play.",
)
@click.option("--forever", is_flag=True, help="Play until Ctrl-C.")
@click.option(
    "--players",
    type=click.IntRange(1),
    help=f"How many players sit at the table. [default: {USUAL_PLAYERS}]",
)
@click.option(
    "--dealing",
    type=click.Choice(["hand", "manual-shoe", "automated-shoe", "continuous-shoe"]),
    default="automated-shoe",
    show_default=True,
    help="How the cards are dealt.",
)
@click.option(
    "--trace", is_flag=True, help="Print every step of a round, with its clause of the regulation."
)
@click.option("--json", "json_", is_flag=True, help="Print one line of JSON per round.")
@click.option(
    "--controller",
    metavar="HOST:PORT",
    multiple=True,
    callback=_addresses,
    help="The controller's address; repeat the option for each standby. [default: start a "
    "controller for this run]",
)
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep the journal of this run in a directory. Only without --controller. [default: "
    "discard the journal]",
)
@click.option("--site", type=_FILE, help="The site file; needed with --controller.")
@click.option("--table", help="The table's id in the site file.")
@click.option(
    "--devices",
    metavar="HOST:PORT",
    help="Use the shufflers and shoes at this address. [default: start them for this run]",
)
@click.option(
    "--outbox",
    type=_FILE,
    help="Keep unanswered commands in this file, and send them again after a restart.",
)
@click.option("--cert", type=_FILE, envvar="JACKPOT_CERT", help="The table's certificate.")
@click.option("--ca", type=_FILE, envvar="JACKPOT_CA", help="The authority's ca.pem.")
@click.option(
    "--floor-cert",
    type=_FILE,
    help="A floorperson's certificate, to validate payouts and approve calls automatically.",
)
@click.option(
    "--cage-cert",
    type=_FILE,
    help="An accounting certificate, to record the cage's payments automatically.",
)
@one_line
def main(
    *,
    seed: str | None,
    rounds: int,
    forever: bool,
    json_: bool,
    cert: Path | None,
    ca: Path | None,
    floor_cert: Path | None,
    cage_cert: Path | None,
    **rest: object,
) -> None:
    """Play simulated rounds at one table, from first wager to payout."""
    import msgspec
    import uvloop

    from jackpot.wire.channels import Identity
    from table_client.table.running import Options, run

    if not rest["controller"] and (rest["site"] or rest["table"] is not None):
        raise click.UsageError("--site and --table need --controller")
    if rest["controller"] and not (rest["site"] and rest["table"]):
        raise click.UsageError("--controller needs --site and --table")
    if rest["controller"] and rest["data"]:
        raise click.UsageError(
            "--data can't be combined with --controller, which keeps its own journal"
        )
    if (cert is None) != (ca is None):
        raise click.UsageError("give both --cert and --ca, or neither")
    if (floor_cert is None) != (cage_cert is None):
        raise click.UsageError(
            "give both --floor-cert and --cage-cert, or neither: paying takes two people"
        )
    if floor_cert and not (ca and rest["controller"]):
        raise click.UsageError("--floor-cert needs --controller, --cert and --ca")
    options = msgspec.convert(
        rest
        | {
            "seed": seed or secrets.token_hex(4),
            "rounds": None if forever else rounds,
            "json": json_,
            "identity": Identity(cert, ca) if cert and ca else None,
            "floor": Identity(floor_cert, ca) if floor_cert and ca else None,
            "cage": Identity(cage_cert, ca) if cage_cert and ca else None,
        },
        Options,
        strict=False,
    )
    with (
        contextlib.suppress(KeyboardInterrupt),
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        runner.run(run(options))
