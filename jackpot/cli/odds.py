"""`jackpot odds`: what every wager returns, counted, or simulated where it says so."""

from typing import Any

import click

from jackpot.cli.shared.parameters import FILE


@click.command("odds")
@click.argument("rule_id", metavar="RULE")
@click.argument("bet_id", metavar="[BET]", required=False)
@click.option("--paytable", "paytable_id", help="Show only this paytable.")
@click.option("--wager", help="The wager in dollars, such as 1 or 5. [default: the lowest allowed]")
@click.option("--seats", type=int, help="How many players are at the table. [default: every seat]")
@click.option(
    "--on",
    "whose",
    type=click.Choice(["player", "dealer"]),
    default="player",
    help="Whose hand decides the award.",
)
@click.option(
    "--seed", multiple=True, metavar="[LEVEL=]$", help="Assume this seed, such as main=10000."
)
@click.option(
    "--reseed", multiple=True, metavar="[LEVEL=]$", help="Assume this reseed, such as main=5000."
)
@click.option(
    "--rate", multiple=True, metavar="[LEVEL=]%", help="Assume this primary rate, such as 21%."
)
@click.option(
    "--reserve", multiple=True, metavar="[LEVEL=]%", help="Assume this reserve rate, such as 5%."
)
@click.option(
    "--pays",
    multiple=True,
    metavar="HAND=PAY",
    help="Assume that a hand pays this, such as straight-flush='$5,000'.",
)
@click.option(
    "--fixed-awards-from",
    type=click.Choice(["meter", "house"]),
    default="meter",
    help="Who pays the fixed awards.",
)
@click.option(
    "--magic", default="0%", help="Assume that this share of rounds has a Magic Card, such as 10%."
)
@click.option(
    "--lucky", default="0%", help="Assume that this share of rounds has a Lucky Bonus, such as 10%."
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, with exact fractions and decimals."
)
@click.option(
    "--plot",
    "plot_path",
    type=FILE,
    metavar="FILE.svg",
    help="Also draw a plot of the return against the meter.",
)
def odds(**options: Any) -> None:
    """Compute the return of a wager, by counting every hand.

    Without BET, prints one line for each wager of the rule. Where the regulation lets the
    operator choose a value, the command uses the lowest allowed one, unless you set another
    with an option. Wagers that depend on the player's decisions come last. For them, the command
    prints the strategy that it assumes, and says whether the return is exact or simulated.

    \b
    Example:
      jackpot odds pa-crazy-4-poker
      jackpot odds pa-crazy-4-poker five-card-progressive --paytable A
      jackpot odds ma-crazy-4-poker four-card-progressive --rate 25% --json
      jackpot odds pa-2010-pai-gow-poker --wager 12
    """  # noqa: D301 - the sign that keeps click from wrapping the example
    from jackpot.cli.odds_view import show_odds

    show_odds(**options)
