"""Play whole rounds on a real site file, from a seed: what tables send, and the journal they make.

Five-card progressives of schedule C with the Five Card Hand Bonus: six seats, some folds, natural
and stacked awards, electronic accounts, withdrawn wagers, wrong counts, voids by table and floor.
Commands go in as the bytes that a table sends. The site is kept as it was compiled, so that a rule
file may be worded anew.
"""

import random
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from jackpot.core.commands import AnyCommand, Request
from jackpot.core.commands.base import OperatorOrigin
from jackpot.core.commands.operator import (
    ApproveFloorCall,
    AttachTable,
    BuyIn,
    DefineLink,
    DefineTable,
    PayPayout,
    PutInService,
    RejectPayout,
    ValidatePayout,
    VoidTableRound,
    VoidTableSeat,
)
from jackpot.core.config import Site
from jackpot.core.events import Refused
from jackpot.core.reasons import Refusal
from jackpot.core.state import Payout
from jackpot.engine.batch import Batch, Decider
from jackpot.engine.messages import Job, Limits
from jackpot.engine.replica import Replica
from jackpot.rules.cards import DECK
from jackpot.rules.hands import names
from jackpot.server.codec.table import play_requests, play_result
from jackpot.sources import replayed
from jackpot.store.journal import Entry
from jackpot.wire.v1 import table_pb2 as pb

SITE = Path(__file__).parent / "whole-rounds-site.json"
SEATS = 6
DOLLAR = 1_000_000
PROGRESSIVE, BONUS, DEALERS = (
    "five-card-progressive",
    "five-card-hand-bonus",
    "five-card-hand-bonus-dealer",
)
ROYAL = tuple(f"{rank}s" for rank in "AKQJT")
STRAIGHT_FLUSH = tuple(f"{rank}h" for rank in "98765")
FOUR = ("2c", "2d", "2h", "2s", "Kd")
Step = list[bytes | Request]  # what tables and staff send at one moment


class Kept:
    """A transaction that only keeps what is appended."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def append(self, _site: str, entries: list[Entry]) -> None:
        """Add entries."""
        self.entries += entries


class House:
    """A site that is played by chance, and everything that was sent to it."""

    def __init__(self, seed: int, tables: int = 4, *, trouble: float = 0.08) -> None:
        self.chance = random.Random(seed)
        self.site = msgspec.json.decode(SITE.read_bytes(), type=Site)
        sources = replayed(str(seed))
        self.request_id = sources.request_id
        self.replica = Replica(self.site.id)
        self.decider = Decider(names, sources.clock, sources.entropy, Limits())
        self.kept = Kept()
        self.steps: list[Step] = []
        self.answers = sha256()  # of what tables are answered
        self.trouble = trouble
        self.numbers: dict[str, int] = {}
        self.tables = [f"t{n}" for n in range(tables)]
        self._open()

    def _open(self) -> None:
        like = self.site.tables[0]
        setup: list[AnyCommand] = [*map(DefineLink, self.site.links)]
        for table in self.tables:
            setup.append(DefineTable(replace(like, id=table)))
            self.numbers[table] = 0
        setup += [PutInService(link.id) for link in self.site.links]
        setup += [AttachTable(table) for table in self.tables]
        setup += [BuyIn(f"acc-{seat}", 500 * DOLLAR, "C-1") for seat in range(1, SEATS + 1)]
        self.send([self.staff(command) for command in setup])

    def staff(self, command: AnyCommand) -> Request:
        """A person's command."""
        return Request(
            self.site.id,
            OperatorOrigin("flo", self.request_id(), "slots"),
            command,
            keeps_cage=True,
        )

    def says(self, table: str, *commands: dict[str, Any]) -> bytes:
        """A table's next message."""
        sent = []
        for command in commands:
            self.numbers[table] += 1
            sent.append(pb.PlayCommand(number=self.numbers[table], **command))
        return pb.PlayRequest(
            site=self.site.id, table=table, epoch=1, commands=sent
        ).SerializeToString()

    def send(self, step: Step) -> None:
        """Carry out what is sent at one moment, in one batch."""
        self.steps.append(step)
        kinds, requests = zip(*(each for sent in step for each in parsed(sent)), strict=True)
        batch = Batch(self.decider, {self.site.id: self.replica}, {}, self.kept)  # type: ignore[arg-type]
        answers, _ = batch.run([Job(request, lambda _: None, None) for request in requests])
        batch.append()
        for kind, (_, outcome) in zip(kinds, answers, strict=True):
            if kind and not isinstance(outcome, Refusal) and not isinstance(outcome.event, Refused):
                result = pb.PlayResult()
                play_result(result, kind, outcome)
                self.answers.update(result.SerializeToString())

    def play(self, rounds: int) -> "House":
        """Play so many rounds at each table, all tables at once and each at its own pace."""
        playing = [self._rounds(table, rounds) for table in self.tables]
        while playing:
            steps = [(each, next(each, None)) for each in playing]
            playing = [each for each, step in steps if step is not None]
            if step := [sent for _, step in steps for sent in step or ()]:
                self.send(step)
        return self

    def _rounds(self, table: str, rounds: int) -> Iterator[Step]:
        for _ in range(rounds):
            yield from self._round(table)

    def _round(self, table: str) -> Iterator[Step]:
        """The messages of one round, each with what staff has to do before the next."""
        chance = self.chance
        trouble = chance.random() < self.trouble
        wagers = self._wagers()
        first = {"place_wagers": pb.PlaceWagers(wagers=wagers)}
        yield [self.says(table, {"open_round": pb.OpenRound()}, first)]
        if trouble:
            yield [self._amended(table, wagers)]
        count = pb.ConfirmCollection(chips={PROGRESSIVE: SEATS})
        if trouble and chance.random() < 0.3:
            void = pb.VoidRound(irregularity="CARD_EXPOSED")
            yield [self.says(table, {"lock_out": pb.LockOut()}, {"void_round": void})]
            return
        out = 0
        extra: list[dict[str, Any]] = []
        if trouble and chance.random() < 0.5:
            out = chance.randint(1, SEATS)
            yield from self._void_seat(table, out)
            extra = [{"confirm_collection": count}]
            count = pb.ConfirmCollection(chips={PROGRESSIVE: SEATS - 1})
        else:
            extra = [{"lock_out": pb.LockOut()}]
        yield [self.says(table, *extra, {"confirm_collection": count})]
        yield [self.says(table, {"settle": self._deal(out, rigged=trouble)})]
        yield from self._afterwards(table, trouble=trouble)

    def _void_seat(self, table: str, seat: int) -> Iterator[Step]:
        """The table calls the floor, who comes."""
        call = pb.CallFloor(
            act=pb.FLOOR_ACT_VOID_SEAT,
            round=self.replica.state.tables[table].rounds,
            seat=seat,
            irregularity="WRONG_CARD_COUNT",
        )
        yield [self.says(table, {"lock_out": pb.LockOut()}, {"call_floor": call})]
        yield [self.staff(ApproveFloorCall(self.replica.state.calls[table].id))]

    def _wagers(self) -> list[pb.Wager]:
        five = [pb.Wager(seat=n, bet=PROGRESSIVE, amount_micros=5 * DOLLAR) for n in range(1, 7)]
        bonus = []
        for seat in sorted(self.chance.sample(range(1, SEATS + 1), 2)):
            account = f"acc-{seat}" if self.chance.random() < 0.2 else ""
            bet = DEALERS if self.chance.random() < 0.1 else BONUS
            bonus.append(pb.Wager(seat=seat, bet=bet, amount_micros=DOLLAR, account=account))
        return five + bonus

    def _amended(self, table: str, wagers: list[pb.Wager]) -> bytes:
        """A wager is taken back and placed again, and one comes twice."""
        last = wagers[-1]
        back = pb.WithdrawWagers(wagers=[pb.PlacedWager(seat=last.seat, bet=last.bet)])
        return self.says(
            table,
            {"withdraw_wagers": back},
            {"place_wagers": pb.PlaceWagers(wagers=[last])},
            {"place_wagers": pb.PlaceWagers(wagers=wagers[:1])},
            {"place_wagers": pb.PlaceWagers()},  # malformed
        )

    def _deal(self, out: int, *, rigged: bool) -> pb.Settle:
        hands: list[tuple[str, ...]] = []
        if rigged:
            hands = self.chance.sample([ROYAL, STRAIGHT_FLUSH, FOUR], self.chance.randint(1, 3))
        known = {card for hand in hands for card in hand}
        rest = self.chance.sample([card for card in DECK if card not in known], 5 * 7)
        hands += [tuple(rest[n : n + 5]) for n in range(0, 5 * (SEATS + 1 - len(hands)), 5)]
        self.chance.shuffle(hands)
        seats = []
        for seat in range(1, SEATS + 1):
            if seat == out:
                continue
            folded = self.chance.random() < 0.15
            fate = pb.FATE_FOLDED if folded else pb.FATE_PLAYED
            seats.append(pb.SeatHand(seat=seat, cards=hands[seat], fate=fate))
        return pb.Settle(hands=seats, dealer=hands[0])

    def _afterwards(self, table: str, *, trouble: bool) -> Iterator[Step]:
        """Awards are validated and paid in order; in trouble some are rejected or voided first."""
        due = self._due(table)
        number = self.replica.state.tables[table].rounds
        if due and trouble:
            seat = self.chance.choice(due).seat
            match self.chance.randrange(4):
                case 0:
                    yield [self.staff(VoidTableRound(table, number, "CARD_EXPOSED"))]
                case 1:
                    yield [self.staff(VoidTableSeat(table, number, seat, "CARD_EXPOSED"))]
                case 2:
                    rejected = self.chance.choice(due).id
                    yield [self.staff(RejectPayout(rejected, "hand-misread", "flo"))]
        for payout in self._due(table):
            acts: Step = []
            if payout.needs_floorperson:
                acts.append(self.staff(ValidatePayout(payout.id, "flo")))
            yield [*acts, self.staff(PayPayout(payout.id, f"F-{payout.id}"))]

    def _due(self, table: str) -> list[Payout]:
        return [each for each in self.replica.state.payouts.values() if each.table == table]


def parsed(sent: bytes | Request) -> list[tuple[str, Request]]:
    """What was sent, as the engine gets it; a table's commands with their kinds."""
    if isinstance(sent, Request):
        return [("", sent)]
    return [(kind, request) for kind, _, request in play_requests(pb.PlayRequest.FromString(sent))]
