"""Share out wagers among the levels of their links and the house.

What so many wagers on a link come to is always the same, so it is worked out once.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from msgspec.structs import replace

from jackpot.core import ledger
from jackpot.core.config import Link
from jackpot.core.events.base import Postings
from jackpot.core.ledger import Book
from jackpot.core.money import share_micros
from jackpot.core.state import Accepted, Posted, State, TableState

Rates = tuple[tuple[int, int], ...]


def post_increments(
    state: State, table: TableState, book: Book, wagers: Sequence[tuple[str, Accepted]]
) -> dict[str, Posted]:
    """Share out wagers, each with its bet, among their links' levels and the house.

    Each at the rates at which it was accepted, whatever has been changed since: reading 40.
    """
    posted: dict[str, Posted] = {}
    if not wagers:
        return posted
    sequence = state.sequence + 1
    by_rates = _by_rates(wagers)
    for name in table.config.links:
        link = state.links[name].config
        for rates, bets in by_rates:
            postings, levels = _shares(link, rates, bets)
            book.add(postings)
            for level, primary, reserve, limit, fed in levels:
                over = book.keep_limit(level, limit, primary) if limit else 0
                new = Posted(sequence, primary - over, reserve, over, fed)
                posted[level] = _sum(posted[level], new) if level in posted else new
    return posted


def _by_rates(wagers: Sequence[tuple[str, Accepted]]) -> list[tuple[Rates, tuple[str, ...]]]:
    """The bets of wagers by the rates that they keep; nearly always all have the link's own."""
    found: dict[Rates, list[str]] = {}
    for bet, accepted in wagers:
        found.setdefault(accepted.rates, []).append(bet)
    return [(rates, tuple(bets)) for rates, bets in found.items()]


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
