"""Run the trials: give out a round, cause a fault, wait until the client asks again, and judge."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from emulator.conform.lines import RULES, Rule
from emulator.conform.stage import SITE, TABLE, Certificates, Stage, set_up
from emulator.conform.timeline import Notes, Seen, Timeline
from emulator.conform.trials import Trial, all_trials
from emulator.conform.v1 import conform_pb2
from emulator.conform.wire import Wire
from jackpot.core.money import dollars

PASSED, FAILED = "passed", "failed"
NOT_SHOWN = "not shown"  # it was tried, and what the client did does not show it
NOT_TRIED = "not tried"  # the user wanted only other trials
_MOST_BREACHES = 5
_LOOK_S = 0.5  # how often to see whether the client is still there


class Verdict(NamedTuple):
    """One line of the contract, and how the client kept it."""

    id: str
    text: str
    source: str
    result: str  # PASSED, FAILED, NOT_SHOWN or NOT_TRIED
    why: tuple[str, ...] = ()
    took_s: float = 0.0


class Options(NamedTuple):
    """How the trials are held."""

    listen: str = "127.0.0.1:0"
    patience_s: float = 60.0  # with a client that does not ask for the next round
    papers_s: float = 11.0  # how long the papers of a big award take
    tls: bool = False  # certificates say who calls, and the client's is revoked at the end


class _Rounds:
    """What the client is told to play: one round at a time, given out when it asks."""

    def __init__(self) -> None:
        self._asked = asyncio.Event()
        self._rounds: asyncio.Queue[conform_pb2.NextRoundResponse] = asyncio.Queue()

    async def next_round(self) -> conform_pb2.NextRoundResponse:
        """The client asks."""
        self._asked.set()
        return await self._rounds.get()

    def give(self, round_: conform_pb2.NextRoundResponse) -> None:
        """Answer the client that asks, or the next who does."""
        self._asked.clear()
        self._rounds.put_nowait(round_)

    async def asked(self, within_s: float, ending: Callable[[], str]) -> bool:
        """Wait until the client asks; False: it did not, or it is gone."""
        until_s = asyncio.get_running_loop().time() + within_s
        while not self._asked.is_set():
            left_s = until_s - asyncio.get_running_loop().time()
            if left_s <= 0 or ending():
                return False
            with suppress(TimeoutError):
                async with asyncio.timeout(min(_LOOK_S, left_s)):
                    await self._asked.wait()
        return True


async def hold(
    trials: Sequence[Trial],
    folder: Path,
    options: Options,
    ready: Callable[[dict[str, str]], None],
    tell: Callable[[Verdict], None],
    ending: Callable[[], str] = lambda: "",
) -> list[Verdict]:
    """Hold these trials, and judge every line.

    `ready` is told what a client must know, as its environment; `tell` each verdict as it is found;
    `ending` says how the client's process has ended, if it has.
    """
    timeline, rounds = Timeline(), _Rounds()
    host = options.listen.rpartition(":")[0]
    certificates = Certificates(folder / "ca", SITE, TABLE, host) if options.tls else None
    async with set_up(folder, timeline, options.papers_s, certificates) as stage:
        wire = Wire(stage.address, timeline, rounds, certificates)
        try:
            address = await wire.start(options.listen)
            known = {"JACKPOT_ADDRESS": address, "JACKPOT_SITE": SITE, "JACKPOT_TABLE": TABLE}
            ready(known | (certificates.environment() if certificates else {}))
            verdicts = await _Judge(stage, wire, rounds, timeline, tell, ending).all(
                trials, options
            )
            rounds.give(conform_pb2.NextRoundResponse(done=True))
            await asyncio.sleep(0.2)  # for the client to hear it
        finally:
            await wire.stop()
    held = {trial.id for trial in trials}
    left_out = [trial for trial in all_trials() if trial.id not in held]
    for rule in RULES:
        verdict = judge_rule(rule, timeline.seen, NOT_TRIED if left_out else NOT_SHOWN)
        tell(verdict)
        verdicts.append(verdict)
    return verdicts + [Verdict(each.id, each.text, each.source, NOT_TRIED) for each in left_out]


def judge_rule(rule: Rule, seen: Sequence[Seen], without_occasion: str) -> Verdict:
    """How the client kept a rule; where it had no occasion to break it, that is not shown."""
    about = (rule.id, rule.text, rule.source)
    if why := tuple(rule.breaches(seen))[:_MOST_BREACHES]:
        return Verdict(*about, FAILED, why)
    if rule.occasions(seen):
        return Verdict(*about, PASSED)
    return Verdict(
        *about, without_occasion, (f"this run did not test it: {rule.occasion} did not occur",)
    )


class _Judge:
    def __init__(
        self,
        stage: Stage,
        wire: Wire,
        rounds: _Rounds,
        timeline: Timeline,
        tell: Callable[[Verdict], None],
        ending: Callable[[], str],
    ) -> None:
        self._ending = ending
        self._stage, self._wire, self._rounds = stage, wire, rounds
        self._timeline, self._tell = timeline, tell
        self._notes = Notes(timeline)
        self._gone = False

    async def all(self, trials: Sequence[Trial], options: Options) -> list[Verdict]:
        verdicts = []
        for trial in trials:
            verdict = await self._one(trial, options.patience_s + options.papers_s)
            self._tell(verdict)
            verdicts.append(verdict)
        return verdicts

    async def _one(self, trial: Trial, patience_s: float) -> Verdict:
        about = (trial.id, trial.text, trial.source)
        if self._gone or not await self._rounds.asked(patience_s, self._ending):
            self._gone = True
            return Verdict(*about, NOT_SHOWN, (self._did_not_ask("a round"),))
        before_micros = await self._stage.meter_micros()
        await trial.before(self._stage)
        mark, began_s = len(self._timeline.seen), asyncio.get_running_loop().time()
        self._wire.adversary = trial
        meanwhile = asyncio.create_task(self._notes.attempt(trial.during(self._stage)))
        for round_ in trial.rounds:
            self._rounds.give(round_)
            if not (back := await self._rounds.asked(patience_s, self._ending)):
                break
        self._wire.adversary = None
        if not meanwhile.done():
            meanwhile.cancel()
        with suppress(asyncio.CancelledError):
            await meanwhile
        await self._stage.settle_down()
        took_s = asyncio.get_running_loop().time() - began_s
        seen = self._timeline.since(mark)
        why = [*trial.judge(seen), *_hindered(seen)]
        if not back:
            self._gone = True
            if not (trial.may_end and self._ending()):
                why.append(self._did_not_ask("another round"))
        why += self._money(trial, await self._stage.meter_micros() - before_micros)
        result = FAILED if why else PASSED
        return Verdict(*about, result, tuple(why[:_MOST_BREACHES]), round(took_s, 2))

    def _did_not_ask(self, what: str) -> str:
        ending = self._ending()
        return f"the client did not ask for {what}" + (f": {ending}" if ending else "")

    def _money(self, trial: Trial, grown_micros: int) -> list[str]:
        """Every wager is on the meters once: what one round's wagers come to by the site file."""
        worth_micros = self._stage.worth_micros(trial.rounds[-1].wagers)
        if not trial.counts or grown_micros == worth_micros:
            return []
        grown, worth = dollars(grown_micros), dollars(worth_micros)
        return [f"the meters grew by ${grown}; this round is worth ${worth}"]


def _hindered(seen: Sequence[Seen]) -> Iterator[str]:
    """What the client left the kit's staff unable to do."""
    for one in seen:
        if one.what == "hindered":
            yield f"at {one.at_s:.2f} s: the kit's staff was refused: {one.kind}"
