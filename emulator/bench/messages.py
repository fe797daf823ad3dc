"""What tables send in a benchmark, built before the clock starts.

rounds   whole rounds of a real house: Crazy 4 Poker under PA 657a, the Five-Card Progressive with
schedule C at all six seats, the Five Card Hand Bonus at two of them. Open and place; lock out and
count; settle: three messages. One seat in five folds, one round in six or so wins a fixed award,
one in sixteen is void, and in one in sixteen a seat is. A share of a meter holds its table until
the paperwork is done, so no hand wins one.

wagers   a micro-benchmark: one `PlaceWagers` of six wagers a message; a round of thirty seats and
five bets, which no house has, takes 25 of them, and the 26th voids it and opens the next. No meter
moves.
"""

import random
from collections.abc import Iterator
from functools import cache
from itertools import count, islice
from typing import Any, NamedTuple

from jackpot.core.config import Bet, Level, Link, PayLine, Site, Table
from jackpot.rules.cards import DECK
from jackpot.rules.hands import names
from jackpot.wire.v1 import table_pb2 as pb

SITE = "bench"
SEATS, WAGERS, BETS_A_LINK = 30, 6, 5
DOLLAR = 1_000_000
FIVE, BONUS = "five-card-progressive", "five-card-hand-bonus"
SIGN = "mega"  # the link whose sign browsers look at
FIVE_PERCENT = 9 + 7 + 3  # of a wager, that schedule C puts on its three meters
FIVE_SEED = (10_000 + 1_000 + 250) * DOLLAR  # that they begin with, for a wager of a dollar
_BONUS_SEATS = (2, 5)
_DEALS = 192
_FOLDS = 0.2  # of the hands
_VOID_EVERY = 16  # rounds, and a void seat as often
_HOLDING = {"royal-flush", "straight-flush", "four-of-a-kind"}  # these win a share, or an envy
_PAYING = {"full-house", "flush", "straight", "three-of-a-kind"}  # these win a fixed award
_HOUSE = f"""
[site]
id = "{SITE}"
shortest_round_seconds = 0

[[links]]
id = "{SIGN}"
title = "Mega Five-Card Progressive"
rule = "pa-crazy-4-poker"
bet = "{FIVE}"
paytable = "C"
wager = "$1"
in_service = true

[[links]]
id = "hand-bonus"
title = "Five Card Hand Bonus"
rule = "pa-crazy-4-poker"
bet = "{BONUS}"
wager = "$1"
magic_share = "2%"
lucky_share = "5%"
in_service = true
"""
Commands = list[dict[str, Any]]


class Message(NamedTuple):
    """What is sent at once, and what it holds."""

    raw: bytes
    commands: int
    wagers: int
    rounds: int  # that it opens


def house_text(tables: int) -> str:
    """The site file of a house whose tables play whole rounds."""
    table = '\n[[tables]]\nid = "t{}"\nlinks = ["' + SIGN + '", "hand-bonus"]\n'
    return _HOUSE + "".join(map(table.format, range(tables)))


def site_id(number: int) -> str:
    """The name of the first site, or of another one beside it."""
    return f"{SITE}-{number}" if number else SITE


def bench_site(tables: int, links: int = 1, number: int = 0) -> Site:
    """Tables of the micro-benchmark spread over links, each with a level of its own."""
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


def commands(kind: str, table: int, links: int) -> Iterator[Commands]:
    """The commands of each message, without end."""
    return _rounds(table) if kind == "rounds" else _only_wagers(table % links)


def _only_wagers(link: int) -> Iterator[Commands]:
    void = pb.VoidRound(irregularity="MISDEALT")
    yield [{"open_round": pb.OpenRound()}]
    while True:
        for bet in range(BETS_A_LINK):
            for first in range(1, SEATS + 1, WAGERS):
                seats = range(first, first + WAGERS)
                yield [{"place_wagers": _wagers(seats, f"l{link}b{bet}")}]
        yield [{"void_round": void}, {"open_round": pb.OpenRound()}]


def _rounds(table: int) -> Iterator[Commands]:
    """Whole rounds; every table is at another place of the same deals."""
    wagers = _wagers(range(1, WAGERS + 1), FIVE)
    wagers.MergeFrom(_wagers(_BONUS_SEATS, BONUS))
    deals = house_deals()
    for number in count(table * 5):
        yield [{"open_round": pb.OpenRound()}, {"place_wagers": wagers}]
        settle = deals[number % len(deals)]
        match number % _VOID_EVERY:
            case 0:
                void = pb.VoidRound(irregularity="MISDEALT")
                yield [{"lock_out": pb.LockOut()}, {"void_round": void}]
                continue
            case 8:
                back = pb.WithdrawWagers(wagers=[pb.PlacedWager(seat=WAGERS, bet=FIVE)])
                chips = pb.ConfirmCollection(chips={FIVE: WAGERS - 1})
                yield [
                    {"withdraw_wagers": back},
                    {"lock_out": pb.LockOut()},
                    {"confirm_collection": chips},
                ]
                settle = pb.Settle(hands=settle.hands[:-1], dealer=settle.dealer)
            case _:
                chips = pb.ConfirmCollection(chips={FIVE: WAGERS})
                yield [{"lock_out": pb.LockOut()}, {"confirm_collection": chips}]
        yield [{"settle": settle}]


@cache
def house_deals() -> tuple[pb.Settle, ...]:
    """Hands for six seats and the dealer, as they come, but for those that would hold the table."""
    draw = random.Random(657)  # noqa: S311 - the same cards in each run
    found: list[pb.Settle] = []
    while len(found) < _DEALS:
        cards = draw.sample(DECK, 5 * (WAGERS + 1))
        dealer, *hands = (cards[n : n + 5] for n in range(0, len(cards), 5))
        if any(_HOLDING & set(names("five-card", hand)) for hand in (dealer, *hands)):
            continue
        seats = [
            pb.SeatHand(
                seat=seat,
                cards=hand,
                fate=pb.FATE_FOLDED if draw.random() < _FOLDS else pb.FATE_PLAYED,
            )
            for seat, hand in enumerate(hands, 1)
        ]
        found.append(pb.Settle(hands=seats, dealer=dealer))
    return tuple(found)


def losing_deals() -> tuple[pb.Settle, ...]:
    """Those of them that win nothing on the Five-Card Progressive."""
    found = [
        deal
        for deal in house_deals()
        if not any(_PAYING & set(names("five-card", hand.cards)) for hand in deal.hands)
    ]
    return tuple(found)


def _wagers(seats: range | tuple[int, ...], bet: str) -> pb.PlaceWagers:
    return pb.PlaceWagers(
        wagers=[pb.Wager(seat=seat, bet=bet, amount_micros=DOLLAR) for seat in seats]
    )


def messages(
    kind: str, table: int, links: int, epoch: int, size: int, site: str = SITE
) -> list[Message]:
    """A table's messages as bytes, with what each holds; of rounds, as many as are whole."""
    numbers, made, whole = count(1), list[Message](), 0
    for each in islice(commands(kind, table, links), size):
        sent = [pb.PlayCommand(number=next(numbers), **command) for command in each]
        message = pb.PlayRequest(site=site, table=f"t{table}", epoch=epoch, commands=sent)
        wagers = sum(len(command.place_wagers.wagers) for command in sent)
        opened = sum("open_round" in command for command in each)
        made.append(Message(message.SerializeToString(), len(sent), wagers, opened))
        if "settle" in each[-1] or "void_round" in each[-1]:
            whole = len(made)
    return made[:whole] if kind == "rounds" else made
