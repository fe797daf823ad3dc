"""Decide what a site file that is filed again may replace: wording, never terms.

A rule file's next edition may cite a clause more exactly, a house may rename a link, a new version
may know for how long a deck is used. None of that touches a player's money, so it may replace what
the journal has. Whatever decides what is taken, kept or paid may not: rounds were played under it.
"""

from msgspec.structs import replace

from jackpot.core.commands import Request
from jackpot.core.commands.operator import DescribeLink, DescribeTable
from jackpot.core.config import Bet, DeckLife, Irregularities, Link, Table
from jackpot.core.events.operator import LinkDescribed, TableDescribed
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.core.state import State


def terms_of_link(link: Link) -> Link:
    """A link without its wording: two links with equal terms handle money identically."""
    levels = tuple(
        replace(level, fixed="fixed" if level.fixed else level.fixed) for level in link.levels
    )
    return replace(link, title="", levels=levels, bets=tuple(_terms_of_bet(b) for b in link.bets))


def _terms_of_bet(bet: Bet) -> Bet:
    return replace(
        bet,
        paytable=tuple(replace(line, clause="") for line in bet.paytable),
        envy=tuple(replace(line, clause="") for line in bet.envy),
    )


def terms_of_table(table: Table) -> Table:
    """A table without what only reports use, and without what no award depends on.

    Wagers on the layout are settled at the table, chip for chip: a house may file other limits and
    paytables for them from one round to the next, and the journal says since when.
    """
    return replace(table, decks=DeckLife(), irregularities=Irregularities(), base=None)


def with_rates_of(journaled: Link, filed: Link) -> Link:
    """A link with the rates and limits that two people have given it since it was defined."""
    rates = {
        level.id: {
            "primary_bps": level.primary_bps,
            "reserve_bps": level.reserve_bps,
            "limit_micros": level.limit_micros,
        }
        for level in journaled.levels
    }
    levels = tuple(replace(level, **rates.get(level.id, {})) for level in filed.levels)
    return replace(filed, levels=levels)


def describe_link(state: State, command: DescribeLink, _: Request) -> LinkDescribed | Refusal:
    """Change a link's wording."""
    found = state.links.get(command.link.id)
    if found is None:
        return refuse(Reason.UNKNOWN_LINK, link=command.link.id)
    link = with_rates_of(found.config, command.link)
    if terms_of_link(link) != terms_of_link(found.config):
        return refuse(Reason.ALREADY_DEFINED, link=link.id)
    return LinkDescribed(link)


def describe_table(state: State, command: DescribeTable, _: Request) -> TableDescribed | Refusal:
    """Change a table's wording."""
    found = state.tables.get(command.table.id)
    if found is None:
        return refuse(Reason.UNKNOWN_TABLE, table=command.table.id)
    if terms_of_table(command.table) != terms_of_table(found.config):
        return refuse(Reason.ALREADY_DEFINED, table=command.table.id)
    return TableDescribed(command.table)
