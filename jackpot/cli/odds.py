"""`jackpot odds`: what every wager returns, counted, or simulated where it says so."""

from typing import Any

import click

from jackpot.cli.shared.parameters import FILE


@click.command("odds")
@click.argument("rule_id", metavar="RULE")
@click.argument("bet_id", metavar="[BET]", required=False)
@click.option("--paytable", "paytable_id", help="Only this paytable.")
@click.option("--wager", help="The wager, such as 1 or 5. [default: the lowest allowed]")
@click.option("--seats", type=int, help="How many players. [default: every seat]")
@click.option(
    "--on",
    "whose",
    type=click.Choice(["player", "dealer"]),
    default="player",
    help="Whose hand decides the award.",
)
@click.option("--seed", multiple=True, metavar="[LEVEL=]$", help="Seed to assume for a level.")
@click.option("--reseed", multiple=True, metavar="[LEVEL=]$", help="Reseed to assume for a level.")
@click.option("--rate", multiple=True, metavar="[LEVEL=]%", help="Primary rate to assume.")
@click.option("--reserve", multiple=True, metavar="[LEVEL=]%", help="Reserve rate to assume.")
@click.option(
    "--pays",
    multiple=True,
    metavar="HAND=PAY",
    help="What to assume a hand pays: straight-flush='$5,000'.",
)
@click.option(
    "--fixed-awards-from",
    type=click.Choice(["meter", "house"]),
    default="meter",
    help="What pays the fixed awards.",
)
@click.option("--magic", default="0%", help="Share of rounds with a Magic Card, such as 10%.")
@click.option("--lucky", default="0%", help="Share of rounds with a Lucky Bonus, such as 10%.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, with exact fractions and decimals."
)
@click.option(
    "--plot",
    "plot_path",
    type=FILE,
    metavar="FILE.svg",
    help="Draw how the return grows with the meters.",
)
def odds(**options: Any) -> None:
    """Compute what a wager returns, from a count of every hand.

    Without BET, prints one line for each wager of the rule. Where the law
    lets the operator choose, the lowest allowed value is used unless an option sets it.
    Wagers that depend on how a player plays come last, each with its play, labeled exact
    or simulated.

    \b
    Example:
      jackpot odds pa-crazy-4-poker
      jackpot odds pa-crazy-4-poker five-card-progressive --paytable A
      jackpot odds ma-crazy-4-poker four-card-progressive --rate 25% --json
      jackpot odds pa-2010-pai-gow-poker --wager 12
    """  # noqa: D301 - the sign that keeps click from wrapping the example
    from jackpot.cli.odds_view import show_odds

    show_odds(**options)
