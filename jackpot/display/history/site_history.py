"""What the state forgets and people still look at: past rounds, meters over time, contributions.

It is fed the events of one site in the order of the journal. It is bounded, it is lost with
the process, and nothing is ever decided by it.
"""

from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable

from jackpot.core import ledger
from jackpot.core.events.base import Postings
from jackpot.core.events.table import (
    CollectionConfirmed,
    RoundLocked,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    SeatVoided,
    TableAttached,
    TableEvent,
)
from jackpot.core.state import Payout, Posted
from jackpot.display.views import words
from jackpot.display.views.values import DealtHand, Range, RoundView
from jackpot.engine import JournaledAnswer

MINUTE_S = 60
DAY_S = 24 * 60 * MINUTE_S
STEPS = 1_440  # samples that a series keeps


class Samples:
    """The last value of each step, at its own time; when it is full it forgets the oldest."""

    def __init__(self, step_s: int, keep: int = STEPS) -> None:
        self.step_s = step_s
        self.keep = keep
        self.times_s = array("q")
        self.values = array("q")

    def add(self, time_s: int, value: int) -> None:
        """Take in a value; later values of the same step replace it."""
        if self.times_s and time_s // self.step_s == self.times_s[-1] // self.step_s:
            self.times_s[-1], self.values[-1] = time_s, value
            return
        self.times_s.append(time_s)
        self.values.append(value)
        if len(self.times_s) > self.keep:
            self.shrink()

    def shrink(self) -> None:
        """Make room."""
        del self.times_s[0], self.values[0]

    def shift(self, by: int) -> None:
        """Raise every value."""
        for index, value in enumerate(self.values):
            self.values[index] = value + by


class Thinned(Samples):
    """Goes back as far as it began; when it is full it becomes coarser instead."""

    def shrink(self) -> None:
        """Keep every second sample, and the newest."""
        self.step_s *= 2
        newest = self.times_s[-1], self.values[-1]
        self.times_s, self.values = self.times_s[::2], self.values[::2]
        if self.times_s[-1] != newest[0]:
            self.times_s.append(newest[0])
            self.values.append(newest[1])


class LevelHistory:
    """One meter over each range that a chart offers."""

    def __init__(self) -> None:
        self.value = 0
        self._ranges: dict[Range, Samples] = {}
        self._ranges["day"] = Samples(MINUTE_S)
        self._ranges["week"] = Samples(7 * MINUTE_S)
        self._begin(MINUTE_S // 6)

    def _begin(self, step_s: int) -> None:
        self._ranges["hit"] = Thinned(step_s)

    def add(self, time_s: int, value: int) -> None:
        """The meter now shows another value."""
        self.value = value
        for samples in self._ranges.values():
            samples.add(time_s, value)

    def won(self, time_s: int) -> None:
        """The meter was won and begins anew."""
        self._begin(1)
        self._ranges["hit"].add(time_s, self.value)

    def shift(self, by: int) -> None:
        """Raise everything: what was read began in the middle of the story."""
        self.value += by
        for samples in self._ranges.values():
            samples.shift(by)

    def over(self, range_: Range, now_s: int) -> list[tuple[int, int]]:
        """(time, value) pairs of a range, up to now."""
        samples = self._ranges[range_]
        begin_s = {"day": now_s - DAY_S, "week": now_s - 7 * DAY_S, "hit": 0}[range_]
        first = bisect_left(samples.times_s, begin_s)
        found = list(zip(samples.times_s[first:], samples.values[first:], strict=True))
        if first and (not found or found[0][0] > begin_s):  # what it held when the range begins
            found.insert(0, (begin_s, samples.values[first - 1]))
        if not found or found[-1][0] < now_s:
            found.append((now_s, self.value))
        return found


ROUNDS_KEPT = 6  # of each table
MICROS_PER_MS = 1_000
MICROS_PER_S = 1_000_000
_METER = ledger.meter("")  # what a meter's account ends in


class TableHistory:
    """A table's recent past."""

    def __init__(self) -> None:
        self.heard_micros = 0
        self.chips: dict[str, int] | None = None  # of the round under way, once counted
        self.rounds: deque[RoundView] = deque(maxlen=ROUNDS_KEPT)
        self.contributed_micros = 0
        self._round_micros = 0  # what the round under way has contributed

    def open(self) -> None:
        """A round began."""
        self.chips = None
        self._round_micros = 0

    def contribute(self, posted: Iterable[Posted], *, more: bool) -> None:
        """The round has put money on meters: in addition, or in all."""
        total_micros = sum(p.meter_micros + p.reserve_micros + p.overflow_micros for p in posted)
        before_micros = 0 if more else self._round_micros
        self._round_micros = total_micros + (self._round_micros if more else 0)
        self.contributed_micros += total_micros - before_micros


class SiteHistory:
    """A site's recent past, up to and with `sequence`."""

    def __init__(self, sequence: int = 0, *, has_rounds: bool = True) -> None:
        """`has_rounds` says whether it is fed events, or nothing but meters."""
        self.sequence = sequence
        self.has_rounds = has_rounds
        self.since_micros = 0  # time of the first event in it
        self.levels: dict[str, LevelHistory] = {}  # by "link/level"
        self.tables: dict[str, TableHistory] = {}

    def table(self, table: str) -> TableHistory:
        """A table's past."""
        if table not in self.tables:
            self.tables[table] = TableHistory()
        return self.tables[table]

    def level(self, key: str) -> LevelHistory:
        """A meter's past."""
        if key not in self.levels:
            self.levels[key] = LevelHistory()
        return self.levels[key]

    def take(self, committed: JournaledAnswer) -> None:
        """Take in the event that comes next."""
        event, time_micros = committed.event, committed.time_micros
        self.sequence = committed.sequence
        self.since_micros = self.since_micros or time_micros
        if isinstance(event, TableEvent):
            self.table(event.table).heard_micros = time_micros
        self._post(getattr(event, "postings", ()), time_micros)
        match event:
            case TableAttached():
                self.table(event.table)
            case RoundOpened():
                self.table(event.table).open()
            case RoundLocked():
                self.table(event.table).contribute(event.posted.values(), more=True)
            case CollectionConfirmed():
                self.table(event.table).chips = event.chips
                self.table(event.table).contribute(event.posted.values(), more=True)
            case RoundSettled():
                self._settled(event, time_micros)
            case RoundVoided():
                self._voided(event, time_micros)
            case SeatVoided():
                self.table(event.table).contribute(event.posted.values(), more=False)

    def rebase(self, meters: dict[str, int], time_micros: int) -> None:
        """Say what each meter holds now; everything before it follows."""
        self.since_micros = self.since_micros or time_micros
        for key, value in meters.items():
            history = self.level(key)
            history.shift(value - history.value)
            history.add(time_micros // MICROS_PER_S, value)

    def _settled(self, event: RoundSettled, time_micros: int) -> None:
        hands = [DealtHand(0, event.dealer, "played")] if event.dealer else []
        hands += [
            DealtHand(hand.seat, hand.cards, hand.fate, tuple(_awards(event.payouts, hand.seat)))
            for hand in event.hands
        ]
        self.table(event.table).rounds.appendleft(
            RoundView(event.number, time_micros // MICROS_PER_MS, tuple(hands), event.community)
        )
        for key in event.paid_full:
            self.level(key).won(time_micros // MICROS_PER_S)

    def _voided(self, event: RoundVoided, time_micros: int) -> None:
        table = self.table(event.table)
        table.contribute((), more=False)
        if table.rounds and table.rounds[0].number == event.number:
            table.rounds.popleft()
        table.rounds.appendleft(
            RoundView(event.number, time_micros // MICROS_PER_MS, void=event.irregularity)
        )

    def _post(self, postings: Postings, time_micros: int) -> None:
        for account, amount in postings:
            if account.endswith(_METER):
                history = self.level(account.removesuffix(_METER))
                history.add(time_micros // MICROS_PER_S, history.value + amount)


def _awards(payouts: Iterable[Payout], seat: int) -> Iterable[str]:
    for payout in payouts:
        if payout.seat == seat:
            envy = " envy" if payout.kind == "envy" else ""
            yield f"{words.spaced(payout.hand)}{envy} ${words.money(payout.amount_micros)}"
