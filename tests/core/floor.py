"""A gaming floor without a network: drives the pure core and checks it after every command."""

import itertools
from typing import Any

import msgspec

from jackpot.auth.roles import keeps_cage
from jackpot.core import ledger
from jackpot.core.bad_beat import Poker
from jackpot.core.claims import Names
from jackpot.core.commands import AnyCommand, Request
from jackpot.core.commands.base import OperatorOrigin, Origin, TableOrigin
from jackpot.core.commands.operator import (
    AttachTable,
    DefineLink,
    DefineTable,
    PutInService,
    RemoveWager,
    VerifyBadBeat,
    VoidTableRound,
    VoidTableSeat,
)
from jackpot.core.commands.table import (
    ConfirmCollection,
    LockOut,
    OpenRound,
    Placed,
    PlaceWagers,
    SeatHand,
    Settle,
    Wager,
)
from jackpot.core.config import Bet, EnvyLine, Level, Link, PayLine, PotRules, Table
from jackpot.core.decide import decide
from jackpot.core.events import AnyEvent, Record, Refused
from jackpot.core.events.operator import MeterAdjusted
from jackpot.core.events.table import RoundSettled
from jackpot.core.evolve import evolve
from jackpot.core.identity import Repeat, digest, identify
from jackpot.core.invariants import check
from jackpot.core.money import parse_dollars
from jackpot.core.reasons import Reason, Refusal
from jackpot.core.state import State
from jackpot.rules.bad_beat import POKER

CENT = 10_000
DOLLAR = 1_000_000
ENTROPY = bytes(range(32))


def cents(micros: int) -> str:
    """An amount for comparison with what a regulation's reader would write."""
    assert micros % CENT == 0, f"{micros} micros is no whole cent"
    return f"{micros // DOLLAR}.{micros % DOLLAR // CENT:02d}"


def hand(seat: int, name: str, fate: str = "played") -> SeatHand:
    """Five made-up cards that `tagged_names` reads as the hand."""
    return SeatHand(
        seat, cards(seat, name), msgspec.convert(fate, type=SeatHand.__annotations__["fate"])
    )


def cards(seat: int, name: str) -> tuple[str, ...]:
    """Five made-up cards of a seat that carry the name of the hand they are."""
    return tuple(f"{seat}:{name}:{i}" for i in range(5))


def tagged_names(_ranking: str, held: tuple[str, ...]) -> tuple[str, ...]:
    """Read a hand's name off its made-up cards."""
    return (held[0].split(":")[1],)


class Floor:
    """A site whose every command is identified, decided, journaled, evolved and checked."""

    def __init__(
        self, names: Names = tagged_names, site: str = "test", poker: Poker = POKER
    ) -> None:
        self.state = State(site)
        self.names = names
        self.poker = poker
        self.journal: list[tuple[Record, int]] = []
        self.clock = 1_000_000
        self.requests = itertools.count(1)

    def handle(
        self, origin: Origin, command: AnyCommand, entropy: bytes = ENTROPY
    ) -> AnyEvent | Refusal:
        """What the engine does with a request, without a store."""
        self.clock += 1
        request = Request(
            self.state.site, origin, command, self.clock, entropy, self._keeps_cage(origin)
        )
        mark = digest(command)
        known = identify(self.state, request, mark)
        if isinstance(known, Refusal):
            return known
        if isinstance(known, Repeat):
            return self.journal[known.sequence - 1][0].event
        answer = decide(self.state, request, self.names, self.poker)
        if isinstance(answer, Refusal):
            answer = Refused(type(command).__name__, answer.reason, answer.details)
        self.commit(Record(origin, answer, mark))
        return answer

    @staticmethod
    def _keeps_cage(origin: Origin) -> bool:
        return isinstance(origin, OperatorOrigin) and keeps_cage(origin.department)

    def commit(self, record: Record) -> None:
        """Journal, evolve and check."""
        self.journal.append((record, self.clock))
        evolve(self.state, record, len(self.journal), self.clock)
        check(self.state)

    def operate(
        self, command: AnyCommand, principal: str = "ops", department: str = ""
    ) -> AnyEvent | Refusal:
        """An operator's command."""
        request_id = f"{next(self.requests):08d}-0000-7000-8000-000000000000"
        return self.handle(OperatorOrigin(principal, request_id, department), command)

    def play(self, table: str, command: AnyCommand, entropy: bytes = ENTROPY) -> AnyEvent | Refusal:
        """A table's next command."""
        state = self.state.tables[table]
        return self.handle(TableOrigin(table, state.epoch, state.last_number + 1), command, entropy)

    def open_up(self, links: list[Link], tables: list[Table]) -> "Floor":
        """Define everything, put links in service, attach tables."""
        for link in links:
            ok(self.operate(DefineLink(link)))
            ok(self.operate(PutInService(link.id)))
        for table in tables:
            ok(self.operate(DefineTable(table)))
            ok(self.operate(AttachTable(table.id)))
        return self

    def void_round(self, table: str, why: str, who: str = "flo") -> AnyEvent | Refusal:
        """A floorperson voids the table's last round."""
        round_ = self.state.tables[table].rounds or 1
        return self.operate(VoidTableRound(table, round_, why), who)

    def void_seat(self, table: str, seat: int, why: str, who: str = "flo") -> AnyEvent | Refusal:
        """A floorperson voids a seat of the table's last round."""
        round_ = self.state.tables[table].rounds or 1
        return self.operate(VoidTableSeat(table, round_, seat, why), who)

    def remove(self, table: str, seat: int, bet: str, who: str = "flo") -> AnyEvent | Refusal:
        """A floorperson removes a wager of the table's last round."""
        round_ = self.state.tables[table].rounds or 1
        return self.operate(RemoveWager(table, round_, Placed(seat, bet)), who)

    def set_level(self, name: str, meter: str, reserve: str = "0") -> None:
        """Start a case at given amounts, at the house's cost."""
        link, level = name.split("/")
        book = ledger.Book(self.state.balances)
        for account, amount in ((ledger.meter(name), meter), (ledger.reserve(name), reserve)):
            book.move(parse_dollars(amount) - book.balance(account), ledger.house(link), account)
        if book.postings():
            origin = OperatorOrigin("ops", f"{next(self.requests):08d}-0000-7000-8000-000000000001")
            event = MeterAdjusted(
                link, level, 0, parse_dollars(meter), "malfunction", "case", book.postings()
            )
            self.commit(Record(origin, event))

    def bets_in(self, table: str, wagers: list[Wager]) -> None:
        """Open a round, place wagers, lock out, confirm the chips."""
        ok(self.play(table, OpenRound()))
        ok(self.play(table, PlaceWagers(tuple(wagers))))
        ok(self.play(table, LockOut()))
        self.confirm(table)

    def confirm(self, table: str) -> None:
        """Count the chips right, where there are any."""
        round_ = self.state.tables[table].round
        assert round_ is not None
        if round_.phase == "locked":
            chips: dict[str, int] = {}
            for bets in round_.wagers.values():
                for bet, accepted in bets.items():
                    if accepted.medium == "chips":
                        chips[bet] = chips.get(bet, 0) + 1
            ok(self.play(table, ConfirmCollection(chips)))

    def settle(self, table: str, *hands: SeatHand, dealer: str = "nothing") -> RoundSettled:
        """Settle with these hands; a seat with a wager that is not named holds nothing."""
        round_ = self.state.tables[table].round
        assert round_ is not None
        named = {h.seat for h in hands}
        rest = [hand(s, "nothing") for s in round_.wagers if s not in named]
        event = self.play(table, Settle((*hands, *rest), cards(0, dealer)))
        assert isinstance(event, RoundSettled), event
        return event

    def balance(self, account: str) -> str:
        """An account in dollars and cents."""
        return cents(self.state.balances.get(account, 0))

    def meter(self, name: str) -> str:
        """A level's meter."""
        return self.balance(ledger.meter(name))

    def replayed(self) -> State:
        """The state that the journal alone gives."""
        state = State(self.state.site)
        for sequence, (record, time_micros) in enumerate(self.journal, 1):
            # Through its stored form, as a restart would read it.
            stored = msgspec.json.decode(msgspec.json.encode(record), type=Record)
            evolve(state, stored, sequence, time_micros)
        return state


def ok(answer: AnyEvent | Refusal) -> AnyEvent:
    """The event, which must not be a refusal."""
    assert not isinstance(answer, Refusal | Refused), answer
    return answer


def reason(answer: AnyEvent | Refusal) -> Reason:
    """Why it was refused, which it must have been."""
    assert isinstance(answer, Refusal | Refused), answer
    return answer.reason


# Links as the rule files compile them, for tests that want no rule files.


def five_card_a(link: str = "a", wager: int = 1, **level: Any) -> Link:
    """Pennsylvania's Five-Card Progressive, paytable A."""
    settings = {
        "seed_micros": 10_000 * wager * DOLLAR,
        "reseed_micros": 10_000 * wager * DOLLAR,
        "primary_bps": 2100,
    }
    bet = Bet(
        f"{link}-five",
        "five-card",
        (
            PayLine("royal-flush", "main", 10_000),
            PayLine("straight-flush", "main", 1_000),
            PayLine("four-of-a-kind", pays_for=300),
            PayLine("full-house", pays_for=50),
        ),
        envy=(
            EnvyLine("royal-flush", 1_000 * wager * DOLLAR),
            EnvyLine("straight-flush", 300 * wager * DOLLAR),
        ),
    )
    return Link(link, link, "test", wager * DOLLAR, (Level("main", **(settings | level)),), (bet,))


def hand_bonus(link: str = "hb", drawn_bps: int = 0) -> Link:
    """Pennsylvania's Five Card Hand Bonus on the player's and the dealer's hand."""

    def bet(whose: str) -> Bet:
        return msgspec.convert(
            {
                "id": f"{link}-{whose}",
                "ranking": "five-card",
                "paytable": [
                    {"hand": "royal-flush", "level": "main", "share_bps": 10_000},
                    {"hand": "straight-flush", "level": "main", "share_bps": 1_000},
                    {"hand": "four-of-a-kind", "pays_for": 500},
                    {"hand": "full-house", "pays_for": 100},
                ],
                "whose": whose,
                "medium": "electronic",
                "fold_forfeits": False,
                "validate_from_for": 500,
                "fixed_source": "account",
                "magic_pays_for": 20,
                "lucky_pays_for": 5,
            },
            type=Bet,
        )

    level = Level("main", 10_000 * DOLLAR, 0, 1_300, 800)
    return Link(
        link, link, "test", DOLLAR, (level,), (bet("player"), bet("dealer")), drawn_bps, drawn_bps
    )


def bad_beat_fund(link: str = "bb") -> Link:
    """Ten per cent of pots from $20, two dollars at most; half, a quarter, a quarter."""
    rules = PotRules(20 * DOLLAR, 1_000, 2 * DOLLAR, 5_000, 2_500, 2_500, "four-eights", link)
    return Link(link, link, "test", DOLLAR, (Level("main", 0, 0, 0),), (), pot=rules)


def four_eights_lose(
    at: str = "p1",
    seats: tuple[int, ...] = (3, 7, 1, 2, 5),
    supervisor: str = "sue",
    losing: str = "8s 8h",
    winning: str = "9s 9h",
    community: str = "8d 8c 9d 9c 2s",
) -> VerifyBadBeat:
    """Four eights that four nines beat in Hold 'em, or other cards; loser and winner come first."""
    loser, winner, *others = seats
    return VerifyBadBeat(
        link="bb",
        table=at,
        losing=tuple(losing.split()),
        winning=tuple(winning.split()),
        community=tuple(community.split()),
        loser=loser,
        winner=winner,
        others=tuple(others),
        supervisor=supervisor,
    )


def caribbean(link: str = "cs", **level: Any) -> Link:
    """Caribbean Stud's progressive: royals share, fixed awards come out of the meter."""
    settings = {"seed_micros": 10_000 * DOLLAR, "reseed_micros": 10_000 * DOLLAR}
    bet = Bet(
        f"{link}-bet",
        "five-card",
        (
            PayLine("royal-flush", "main", 10_000, shared=True),
            PayLine("straight-flush", "main", 1_000),
            PayLine("four-of-a-kind", amount_micros=500 * DOLLAR, from_meter="main"),
            PayLine("full-house", amount_micros=100 * DOLLAR, from_meter="main"),
        ),
        fold_keeps_envy=False,
    )
    levels = (Level("main", primary_bps=7_000, **(settings | level)),)
    return Link(link, link, "test", DOLLAR, levels, (bet,))


def table(table_id: str, *links: str, boxes: int = 2) -> Table:
    """A six-seat table with a five-card dealer."""
    return Table(table_id, "test", links, 6, 5, dealer_cards=5, boxes_per_player=boxes)


def all_bet(bet: str, wager: int = 1, seats: range = range(1, 7)) -> list[Wager]:
    """A wager on a bet from every seat."""
    return [Wager(seat, bet, wager * DOLLAR) for seat in seats]
