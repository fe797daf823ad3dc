"""Share out wagers among the levels of their links and the house.

What so many wagers on a link come to is always the same, so it is worked out once.
"""

from functools import lru_cache
from typing import NamedTuple

from jackpot.core import ledger
from jackpot.core.config import Link
from jackpot.core.events.base import Postings
from jackpot.core.ledger import Book
from jackpot.core.money import share_micros
from jackpot.core.state import Posted, State, TableState


def post_increments(
    state: State, table: TableState, book: Book, bets: list[str]
) -> dict[str, Posted]:
    """Share out wagers, one for each bet named, among their links' levels and the house."""
    posted: dict[str, Posted] = {}
    if not bets:
        return posted
    sequence = state.sequence + 1
    for link in [state.links[link].config for link in table.config.links]:
        if count := sum([bets.count(bet.id) for bet in link.bets]):
            shares = _shares(link, count)
            book.add(shares.postings)
            for name, primary, reserve, limit in shares.levels:
                over = book.keep_limit(name, limit, primary)
                posted[name] = Posted(sequence, primary - over, reserve, over)
    return posted


class _Shares(NamedTuple):
    """Where the money of some wagers goes."""

    postings: Postings
    levels: tuple[tuple[str, int, int, int], ...]  # name, to the meter, to the reserve, and limit


@lru_cache(maxsize=4_096)  # a link's tables have the same few numbers of wagers
def _shares(link: Link, count: int) -> _Shares:
    """What so many wagers on a link add to its levels, as if there were no limits."""
    book, total = Book({}), count * link.wager_micros
    retained, levels = ledger.retained(link.id), []
    book.move(total, ledger.players(link.id), retained)
    for level in link.levels:
        name = ledger.key(link.id, level.id)
        primary = share_micros(total, level.primary_bps)
        reserve = share_micros(total, level.reserve_bps)
        book.move(primary, retained, ledger.meter(name))
        book.move(reserve, retained, ledger.reserve(name))
        levels.append((name, primary, reserve, level.limit_micros))
    return _Shares(book.postings(), tuple(levels))
