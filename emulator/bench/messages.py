"""What tables send in a benchmark, built before the clock starts.

wagers   one `PlaceWagers` of six wagers a message; a round of thirty seats and five bets takes 25
of them, and the 26th voids it and opens the next, so that a run can be of any length
rounds   whole rounds of six wagers: open and place, lock out and count (which puts them on the
meter), settle; three messages each
"""

import random
from collections.abc import Iterator
from functools import cache
from itertools import cycle, islice
from typing import Any

from jackpot.core.config import Bet, Level, Link, PayLine, Site, Table
from jackpot.rules.cards import DECK
from jackpot.rules.hands import names
from jackpot.wire.v1 import table_pb2 as pb

SITE = "bench"
SEATS, WAGERS, BETS_A_LINK = 30, 6, 5
DOLLAR = 1_000_000
_DEALS = 64
ROUND_MESSAGES = SEATS * BETS_A_LINK // WAGERS


def site_id(number: int) -> str:
    """The name of the first site, or of another one beside it."""
    return f"{SITE}-{number}" if number else SITE


def bench_site(tables: int, links: int = 1, number: int = 0) -> Site:
    """Tables spread over links, each with a level of its own."""
    made = [_link(each) for each in range(links)]
    return Site(
        site_id(number),
        tuple(made),
        tuple(
            Table(f"t{n}", "bench", (made[n % links].id,), SEATS, 5, dealer_cards=5)
            for n in range(tables)
        ),
        in_service=tuple(link.id for link in made),
    )


def _link(number: int) -> Link:
    paytable = (PayLine("royal-flush", "main", 10_000), PayLine("straight-flush", "main", 1_000))
    bets = tuple(Bet(f"l{number}b{bet}", "five-card", paytable) for bet in range(BETS_A_LINK))
    level = Level("main", 10_000 * DOLLAR, 10_000 * DOLLAR, 2_100)
    return Link(f"link{number}", "Benchmark", "benchmark", DOLLAR, (level,), bets)


def commands(kind: str, table: int, links: int) -> Iterator[list[dict[str, Any]]]:
    """The commands of each message, without end."""
    link = table % links
    return _rounds(link) if kind == "rounds" else _only_wagers(link)


def _only_wagers(link: int) -> Iterator[list[dict[str, Any]]]:
    void = pb.VoidRound(irregularity="benchmark")
    yield [{"open_round": pb.OpenRound()}]
    while True:
        for bet in range(BETS_A_LINK):
            for first in range(1, SEATS + 1, WAGERS):
                seats = range(first, first + WAGERS)
                yield [{"place_wagers": _wagers(seats, f"l{link}b{bet}")}]
        yield [{"void_round": void}, {"open_round": pb.OpenRound()}]


def _rounds(link: int) -> Iterator[list[dict[str, Any]]]:
    bet = f"l{link}b0"
    six = _wagers(range(1, WAGERS + 1), bet)
    count = pb.ConfirmCollection(chips={bet: WAGERS})
    for settle in cycle(losing_deals()):
        yield [{"open_round": pb.OpenRound()}, {"place_wagers": six}]
        yield [{"lock_out": pb.LockOut()}, {"confirm_collection": count}]
        yield [{"settle": settle}]


@cache
def losing_deals() -> tuple[pb.Settle, ...]:
    """Hands for six seats and the dealer that win nothing, so that nobody has to be paid."""
    draw = random.Random(657)  # noqa: S311 - the same cards in each run
    found: list[pb.Settle] = []
    while len(found) < _DEALS:
        cards = draw.sample(DECK, 5 * (WAGERS + 1))
        hands = [cards[n : n + 5] for n in range(0, len(cards), 5)]
        if any("straight-flush" in names("five-card", hand) for hand in hands):
            continue
        seats = [
            pb.SeatHand(seat=seat, cards=hand, fate=pb.FATE_PLAYED)
            for seat, hand in enumerate(hands[1:], 1)
        ]
        found.append(pb.Settle(hands=seats, dealer=hands[0]))
    return tuple(found)


def wagers_in(kind: str, count: int) -> int:
    """How many wagers so many messages hold."""
    if kind == "rounds":
        return (count + 2) // 3 * WAGERS
    return (count - 1 - (count - 1) // (ROUND_MESSAGES + 1)) * WAGERS


def _wagers(seats: range, bet: str) -> pb.PlaceWagers:
    return pb.PlaceWagers(
        wagers=[pb.Wager(seat=seat, bet=bet, amount_micros=DOLLAR) for seat in seats]
    )


def messages(
    kind: str, table: int, links: int, epoch: int, count: int, site: str = SITE
) -> list[tuple[bytes, int]]:
    """A table's messages as bytes, each with how many commands it has."""
    number, made = 1, []
    for each in islice(commands(kind, table, links), count):
        numbered = []
        for command in each:
            numbered.append(pb.PlayCommand(number=number, **command))
            number += 1
        message = pb.PlayRequest(site=site, table=f"t{table}", epoch=epoch, commands=numbered)
        made.append((message.SerializeToString(), len(numbered)))
    return made
