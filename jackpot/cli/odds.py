"""`jackpot odds`: the exact odds of every wager that is paid by the player's hand alone."""

from pathlib import Path

import click


@click.command("odds")
@click.argument("rule_id", metavar="RULE")
@click.argument("bet_id", metavar="[BET]", required=False)
@click.option("--paytable", "paytable_id", help="Only this paytable.")
@click.option("--wager", help="The wager, such as 1 or 5; else the lowest allowed.")
@click.option("--seats", type=int, help="Players at the table; else all seats.")
@click.option(
    "--on", "whose", type=click.Choice(["player", "dealer"]), default="player", help="Whose hand."
)
@click.option("--seed", multiple=True, metavar="[LEVEL=]$", help="A seed that you choose.")
@click.option("--reseed", multiple=True, metavar="[LEVEL=]$", help="A reseed that you choose.")
@click.option("--rate", multiple=True, metavar="[LEVEL=]%", help="A primary rate that you choose.")
@click.option("--reserve", multiple=True, metavar="[LEVEL=]%", help="A reserve rate.")
@click.option("--pays", multiple=True, metavar="HAND=PAY", help='"straight-flush=$5,000".')
@click.option(
    "--fixed-awards-from",
    type=click.Choice(["meter", "house"]),
    default="meter",
    help="What bears them.",
)
@click.option("--magic", default="0%", help="Share of rounds with a Magic Card.")
@click.option("--lucky", default="0%", help="Share of rounds with a Lucky Bonus.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: exact fractions and decimals.")
@click.option(
    "--plot",
    "plot_path",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.svg",
    help="Draw the return against the meters.",
)
def odds(
    rule_id: str,
    bet_id: str | None,
    paytable_id: str | None,
    wager: str | None,
    seats: int | None,
    whose: str,
    plot_path: Path | None,
    *,
    as_json: bool,
    **chosen: str | tuple[str, ...],
) -> None:
    """Count every hand and tell what a wager gives back.

    Without BET, one line for each wager of the rule. Values that the law leaves to the operator
    are the least it allows, or those that the options give.

    \b
    Example:
      jackpot odds pa-crazy-4-poker
      jackpot odds pa-crazy-4-poker five-card-progressive --paytable A
      jackpot odds ma-crazy-4-poker four-card-progressive --rate 25% --json
    """  # noqa: D301 - the sign that keeps click from wrapping the example
    from jackpot.cli.odds_view import show_odds

    show_odds(
        rule_id,
        bet_id,
        paytable_id,
        wager,
        seats,
        whose,
        plot_path,
        as_json=as_json,
        chosen=chosen,
    )
