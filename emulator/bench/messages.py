"""What tables send in a benchmark, built before the clock starts.

A message is one `PlaceWagers` of six wagers. A round of thirty seats and five bets takes 25 of
them; the 26th locks the round out, confirms its chips, which puts 150 wagers on the meter, voids
it, and opens the next, so that a run can be of any length.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from jackpot.core.config import Bet, Level, Link, PayLine, Site, Table
from jackpot.v1 import table_pb2 as pb

SITE = "bench"
SEATS, WAGERS, BETS_A_LINK = 30, 6, 5
DOLLAR = 1_000_000
ROUND_MESSAGES = SEATS * BETS_A_LINK // WAGERS


def bench_site(tables: int, links: int = 1) -> Site:
    """Tables spread over links, each with a level of its own."""
    made = [_link(number) for number in range(links)]
    return Site(
        SITE,
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


def commands(table: int, links: int) -> Iterator[list[dict[str, Any]]]:
    """The commands of each message, without end."""
    link = table % links
    void = pb.VoidRound(irregularity="benchmark", floorperson="benchmark")
    chips = pb.ConfirmCollection(chips={f"l{link}b{bet}": SEATS for bet in range(BETS_A_LINK)})
    yield [{"open_round": pb.OpenRound()}]
    while True:
        for bet in range(BETS_A_LINK):
            for first in range(1, SEATS + 1, WAGERS):
                seats = range(first, first + WAGERS)
                yield [{"place_wagers": _wagers(seats, f"l{link}b{bet}")}]
        yield [
            {"lock_out": pb.LockOut()},
            {"confirm_collection": chips},
            {"void_round": void},
            {"open_round": pb.OpenRound()},
        ]


def _wagers(seats: range, bet: str) -> pb.PlaceWagers:
    return pb.PlaceWagers(
        wagers=[pb.Wager(seat=seat, bet=bet, amount_micros=DOLLAR) for seat in seats]
    )


def messages(table: int, links: int, epoch: int, count: int) -> list[tuple[bytes, int]]:
    """A table's messages as bytes, each with how many commands it has."""
    number, made = 1, []
    for each in islice(commands(table, links), count):
        numbered = []
        for command in each:
            numbered.append(pb.PlayCommand(number=number, **command))
            number += 1
        message = pb.PlayRequest(site=SITE, table=f"t{table}", epoch=epoch, commands=numbered)
        made.append((message.SerializeToString(), len(numbered)))
    return made
