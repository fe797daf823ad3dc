"""Share out wagers among the levels of their links and the house.

What so many wagers on a link come to is always the same, so it is worked out once.
"""

from functools import lru_cache
from typing import NamedTuple

from msgspec.structs import astuple, replace

from jackpot.core import ledger
from jackpot.core.config import Link
from jackpot.core.events.base import Postings
from jackpot.core.ledger import Book
from jackpot.core.money import share_micros
from jackpot.core.stakes import ByRates, Rates
from jackpot.core.state import Posted, State, TableState


def increments(
    state: State, table: TableState, by_rates: ByRates
) -> tuple[Postings, dict[str, Posted]]:
    """Share out wagers, given by their bets, among their links' levels and the house.

    Each at the rates at which it was accepted, whatever has been changed since: reading 40.
    """
    if not by_rates:
        return (), {}
    links = tuple([state.links[name].config for name in table.config.links])
    sequence = state.sequence + 1
    if found := _without_limits(links, by_rates):
        postings, parts = found
        return postings, {level: Posted(sequence, *part) for level, part in parts}
    book = Book(state.balances)
    posted = _post(links, by_rates, book, sequence)
    return book.postings(), posted


@lru_cache(maxsize=4_096)  # tables have the same few wagers, round after round
def _without_limits(
    links: tuple[Link, ...], by_rates: ByRates
) -> tuple[Postings, tuple[tuple[str, tuple[int, ...]], ...]] | None:
    """What goes to which account, and to each level, whatever they hold; None: a limit says so."""
    if any(level.limit_micros for link in links for level in link.levels):
        return None
    book = Book({})
    posted = _post(links, by_rates, book, 0)
    return book.postings(), tuple([(name, astuple(each)[1:]) for name, each in posted.items()])


def _post(
    links: tuple[Link, ...], by_rates: ByRates, book: Book, sequence: int
) -> dict[str, Posted]:
    posted: dict[str, Posted] = {}
    for link in links:
        for rates, bets in by_rates:
            postings, levels = _shares(link, rates, bets)
            book.add(postings)
            for level, primary, reserve, limit, fed in levels:
                over = book.keep_limit(level, limit, primary) if limit else 0
                new = Posted(sequence, primary - over, reserve, over, fed)
                posted[level] = _sum(posted[level], new) if level in posted else new
    return posted


def _sum(one: Posted, other: Posted) -> Posted:
    return Posted(
        other.sequence,
        one.meter_micros + other.meter_micros,
        one.reserve_micros + other.reserve_micros,
        one.overflow_micros + other.overflow_micros,
        one.wagers + other.wagers,
    )


def rates_of(link: Link) -> Rates:
    """A link's rates, as a wager keeps them when they are changed."""
    return tuple([(level.primary_bps, level.reserve_bps) for level in link.levels])


@lru_cache(maxsize=256)
def at_rates(link: Link, rates: Rates) -> Link:
    """A link as it was when its rates were these."""
    levels = [
        replace(level, primary_bps=primary, reserve_bps=reserve)
        for level, (primary, reserve) in zip(link.levels, rates, strict=True)
    ]
    return replace(link, levels=tuple(levels))


class _Shares(NamedTuple):
    """Where the money of some wagers goes."""

    postings: Postings
    # name, to the meter, to the reserve, the limit, and how many of the wagers feed it
    levels: tuple[tuple[str, int, int, int, int], ...]


@lru_cache(maxsize=4_096)  # a link's tables have the same few wagers, round after round
def _shares(link: Link, rates: Rates, bets: tuple[str, ...]) -> _Shares:
    """What those wagers that are on a link add to its levels, as if there were no limits."""
    count = sum([bets.count(bet.id) for bet in link.bets])
    if not count:
        return _Shares((), ())
    if rates:
        link = at_rates(link, rates)
    book, total = Book({}), count * link.wager_micros
    retained, levels = ledger.retained(link.id), []
    book.move(total, ledger.players(link.id), retained)
    for level in link.levels:
        name = ledger.key(link.id, level.id)
        primary = share_micros(total, level.primary_bps)
        reserve = share_micros(total, level.reserve_bps)
        book.move(primary, retained, ledger.meter(name))
        book.move(reserve, retained, ledger.reserve(name))
        fed = count if primary or reserve else 0
        levels.append((name, primary, reserve, level.limit_micros, fed))
    return _Shares(book.postings(), tuple(levels))
