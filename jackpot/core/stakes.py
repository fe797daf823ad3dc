"""What the wagers of a round come to, as its lock-out, its count and its settlement look at them.

The same few wagers come round after round, so this is worked out once for all those rounds, which
then share their wagers as well. So the wagers of a round are never changed in place: whoever
changes them puts others there.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct

from jackpot.core.commands.table import Wager
from jackpot.core.state import Accepted, Round

AtSeats = dict[int, dict[str, Accepted]]  # seat -> bet -> wager
Bettors = Sequence[tuple[int, Accepted]]  # seats with their wagers on a bet, the highest seat first
Rates = tuple[tuple[int, int], ...]  # primary and reserve of each level of a link
ByRates = tuple[tuple[Rates, tuple[str, ...]], ...]  # the bets of wagers, by the rates they keep


class Stakes(Struct, frozen=True):
    """The wagers of a round."""

    at_seats: AtSeats  # as the round has them
    wagers: tuple[Wager, ...]  # as its lock-out says them
    chips: ByRates
    electronic: ByRates
    counts: Mapping[str, int]  # chips by bet
    bettors: Mapping[str, Bettors]  # by bet


def stakes_of(round_: Round) -> Stakes:
    """What a round's wagers come to now."""
    known: Stakes | None = round_.__dict__.get("stakes")
    if known is None or known.at_seats is not round_.wagers:
        known = round_.__dict__["stakes"] = make_stakes(round_.wagers)
    return known


def put_stakes(round_: Round, stakes: Stakes) -> None:
    """Give a round these wagers, of which is known already what they come to."""
    round_.wagers = stakes.at_seats
    round_.__dict__["stakes"] = stakes


def make_stakes(at_seats: AtSeats) -> Stakes:
    """Work out what wagers come to."""
    wagers = [(seat, bet, w) for seat, bets in at_seats.items() for bet, w in bets.items()]
    chips = [(bet, w.rates) for _, bet, w in wagers if w.medium == "chips"]
    bettors: dict[str, list[tuple[int, Accepted]]] = {}
    for seat, bet, accepted in sorted(wagers, key=lambda each: each[0], reverse=True):
        bettors.setdefault(bet, []).append((seat, accepted))
    return Stakes(
        at_seats,
        tuple([Wager(seat, bet, w.amount_micros, w.player, w.account) for seat, bet, w in wagers]),
        _by_rates(chips),
        _by_rates([(bet, w.rates) for _, bet, w in wagers if w.medium == "electronic"]),
        Counter(bet for bet, _ in chips),
        bettors,
    )


def _by_rates(bets: Sequence[tuple[str, Rates]]) -> ByRates:
    """The same bets in their order; nearly always all have their link's own rates."""
    found: dict[Rates, list[str]] = {}
    for bet, rates in bets:
        found.setdefault(rates, []).append(bet)
    return tuple([(rates, tuple(each)) for rates, each in found.items()])
