"""What the ledger counts for those who watch over it, and hands to its pages for /metrics.

Counting costs one call a commit.
"""

from bisect import bisect_left
from typing import Any

import msgspec

from jackpot.core.events.table import RoundSettled, RoundVoided, WagersPlaced
from jackpot.engine import AlarmKind, CommittedBatch, Engine, MeterFrame
from jackpot.server.calls import Call, Method
from jackpot.server.errors import REFUSALS
from jackpot.software import Software, this_software

FIGURES = "/jackpot.internal.Pages/Figures"  # on the link to the pages, and nowhere else
LATENCIES_S = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024)


class Spread(msgspec.Struct):
    """How often something was at most each of some bounds, and more than the one before."""

    bounds: tuple[float, ...]
    counts: list[int]  # one more than bounds: the last is of what exceeds all of them
    total: float = 0.0

    def add(self, value: float) -> None:
        """Count one more."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value


def _spread(bounds: tuple[float, ...]) -> Spread:
    return Spread(bounds, [0] * (len(bounds) + 1))


class Figures(msgspec.Struct):
    """All of it at one moment."""

    settled: int
    voided: int
    wagers: int
    commit_s: Spread
    commands: Spread
    refusals: dict[str, int]
    alarms: dict[str, int]
    queued: int
    frames: list[MeterFrame]
    software: Software


class Tally:
    """Counts what one controller commits."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._counts: dict[type, int] = {RoundSettled: 0, RoundVoided: 0}
        self._wagers = 0
        self._commit_s, self._commands = _spread(LATENCIES_S), _spread(SIZES)
        engine.observers.append(self._observe)

    def methods(self) -> dict[str, Method]:
        """How the pages ask for it."""

        def serve(call: Call) -> None:
            def answer(raw: bytes | None) -> None:
                if raw is not None:
                    call.send(msgspec.msgpack.encode(self.figures()))
                    call.end()

            call.receive = answer

        return {FIGURES: Method(serve, streams_in=False, streams_out=False)}

    def figures(self) -> Figures:
        """What was counted so far, and what is so now."""
        engine, alarms = self._engine, self._engine.alarms
        return Figures(
            settled=self._counts[RoundSettled],
            voided=self._counts[RoundVoided],
            wagers=self._wagers,
            commit_s=self._commit_s,
            commands=self._commands,
            refusals={str(reason): count for reason, count in REFUSALS.items()},
            alarms={kind.name: alarms.raised[kind] for kind in AlarmKind},
            queued=engine.queued,
            frames=engine.meters.frames(),
            software=this_software(),
        )

    def _observe(self, commit: CommittedBatch) -> None:
        self._commit_s.add(commit.commit_s)
        self._commands.add(sum(map(len, commit.events.values())))
        for kind in commit.events.keys() & self._counts.keys():
            self._counts[kind] += len(commit.events[kind])
        for _, committed in commit.events.get(WagersPlaced, ()):
            event: Any = committed.event
            self._wagers += len(event.wagers)
