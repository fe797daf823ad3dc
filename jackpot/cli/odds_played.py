"""`jackpot odds`: print the wagers that depend on how a player plays."""

from fractions import Fraction
from itertools import groupby

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from jackpot.odds.played import Play, Wagered
from jackpot.odds.present import percent


def grid(left: tuple[str, ...], right: tuple[str, ...]) -> Table:
    """A table with some columns of words, and then some of numbers."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for head in left:
        table.add_column(head)
    for head in right:
        table.add_column(head, justify="right")
    return table


def print_played(console: Console, found: list[Wagered]) -> None:
    """One table for each play: how often a wager is made and wins, and what comes back of it."""
    for play, grouped in groupby(found, key=lambda each: each.play):
        wagers = list(grouped)
        console.print(f"[bold]Play: {play.id}{_of(play)}[/bold]")
        console.print(f"Strategy: {play.says}; {_method(play)}. Percentages are of all rounds.")
        table = grid(
            ("bet", "vigorish" if wagers[0].vigorish else "paytable"),
            ("made", "wins", "pushes", "loses", "return"),
        )
        for each in wagers:
            shares = map(percent, (each.made, each.wins, each.pushes, each.losses))
            table.add_row(each.bet, each.vigorish or each.paytable, *shares, _returns(each))
        console.print(table)
        # Of a wager with several paytables the first.
        first = {each.bet: each for each in reversed(wagers)}
        if len(first) > 1:
            net = sum((each.net for each in first.values()), Fraction())
            unit = "the Ante" if "ante" in first else "one bet"
            console.print(
                f"  net result of these wagers together: {percent(net)} of {unit} per round\n"
            )


def _of(play: Play) -> str:
    named = ", ".join(
        f"{name} {value}" for name, value in {**play.paytables, **play.options}.items()
    )
    return f" ({named})" if named else ""


def _method(play: Play) -> str:
    if play.ends is None:
        return "exact"
    return f"simulated with {play.ends.deals:,} deals; ± is the standard error"


def _returns(each: Wagered) -> str:
    if each.returns is None:
        return f"+{percent(each.net)}"  # on the Ante, without a wager of its own
    error = f" ±{each.error:.3%}" if each.error else ""
    return f"{percent(each.returns)}{error}"
