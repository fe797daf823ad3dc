"""What the engine promises while nothing goes wrong."""

import asyncio
from contextlib import closing

import pytest
from msgspec.structs import replace

from jackpot.core.commands import Request
from jackpot.core.commands.base import ControllerOrigin, TableOrigin
from jackpot.core.commands.operator import DefineLink, DefineTable, VoidTableRound
from jackpot.core.commands.table import (
    ConfirmCollection,
    LockOut,
    OpenRound,
    PlaceWagers,
    Settle,
)
from jackpot.core.events import Probed
from jackpot.core.events.operator import MeterAdjusted
from jackpot.core.events.table import (
    CollectionConfirmed,
    RoundLocked,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    WagersPlaced,
)
from jackpot.core.reasons import Reason, Refusal
from jackpot.core.state import State
from jackpot.engine import CommandOrder, CommittedBatch, Engine, JournaledAnswer, Limits, Outcome
from jackpot.engine.batch import Batch, Decider
from jackpot.engine.meter_board import shows_at_once
from jackpot.engine.replica import Replica
from jackpot.store.opening import Address, journal_opener, open_to_read
from jackpot.verify import verify
from tests.core.floor import cards, hand, hand_bonus, table, tagged_names
from tests.engine.pit import BET, METER, SITE, Pit, eventually, ok, reason, running, wagers


async def test_a_round_moves_the_meter(store: Address) -> None:
    """Six dollar wagers at 21% put $1.26 on a meter of $10,000."""
    async with running(store) as engine:
        pit = await Pit(engine).open_up("t1")
        await pit.round("t1", 1, 2, 3, 4, 5, 6)
        assert await pit.balance(METER) == 10_001_260_000
        frame = engine.meters.frame(SITE, "a")
        assert frame is not None
        assert (frame.levels[0].meter_micros, frame.status) == (10_001_260_000, "in-service")
    assert verify(store).ok


async def test_a_restart_finds_everything(store: Address) -> None:
    """What was answered before a restart is there after it, and so are the identities."""
    async with running(store) as engine:
        pit = await Pit(engine).open_up("t1")
        await pit.round("t1", 1, 2)
        before = await engine.read(SITE, lambda state: state.sequence)
    async with running(store) as engine:
        pit.engine = engine
        assert await pit.balance(METER) == 10_000_420_000
        again = ok(await pit.play("t1", OpenRound(), 1))
        after = await engine.read(SITE, lambda state: state.sequence)
    assert isinstance(before, int)
    assert again.sequence == before - 3
    assert after == before + 1, "the drain took a snapshot, and nothing else happened"


async def test_each_link_gets_random_bytes_of_its_own(store: Address) -> None:
    """They differ between links and from round to round, and the journal has them."""
    async with running(store) as engine:
        pit = await Pit(engine).open_up()
        for link in ("hb", "hc"):
            ok(await pit.operate(DefineLink(hand_bonus(link, 10_000))))
        ok(await pit.operate(DefineTable(table("t1", "a", "hb", "hc"))))
        await pit.attach("t1")
        seen: list[str] = []
        for _ in range(2):
            ok(await pit.play("t1", OpenRound()))
            event = ok(await pit.play("t1", LockOut())).event
            assert isinstance(event, RoundLocked)
            assert [drawn.link for drawn in event.draws] == ["hb", "hc"]
            seen += [drawn.entropy for drawn in event.draws]
            ok(await pit.play("t1", Settle((), ())))
    assert len(set(seen)) == 4
    with closing(open_to_read(store)) as journal:
        written = b"".join(entry.body for entry in journal.read(SITE, 0, 1_000))
    assert all(entropy.encode() in written and len(entropy) == 64 for entropy in seen)


async def test_same_identity_twice_in_one_batch(store: Address) -> None:
    """A command sent twice at once is carried out once and answered twice alike."""
    async with running(store) as engine:
        pit = await Pit(engine).open_up("t1")
        request = pit.request("t1", OpenRound())
        first, second = await asyncio.gather(engine.execute(request), engine.execute(request))
        other = await pit.play("t1", LockOut(), 1)
        assert ok(first) == second
        assert reason(other) is Reason.REQUEST_REUSED


async def test_a_refusal_is_remembered(store: Address) -> None:
    """A refused wager stays refused when it is sent again after the state has changed."""
    async with running(store) as engine:
        pit = await Pit(engine).open_up("t1")
        refused = await pit.play("t1", wagers(1))
        assert reason(refused) is Reason.NO_ROUND
        ok(await pit.play("t1", OpenRound()))
        assert await pit.play("t1", wagers(1), 1) == refused


async def test_answers_come_in_order(store: Address) -> None:
    """The answers of a order come in the order of its commands, refusals at the door included."""
    answers: list[tuple[int, Outcome]] = []
    async with running(store, limits=Limits(queued_commands=3)) as engine:
        pit = await Pit(engine).open_up("t1")
        order = CommandOrder()
        commands: list[OpenRound | PlaceWagers] = [OpenRound(), *map(wagers, range(1, 7))]
        for number, command in enumerate(commands):

            def deliver(outcome: Outcome, number: int = number) -> None:
                answers.append((number, outcome))

            engine.submit(pit.request("t1", command), deliver, order)
        await eventually(lambda: len(answers) == 7)
    assert [number for number, _ in answers] == list(range(7))
    taken = [outcome for _, outcome in answers if isinstance(outcome, JournaledAnswer)]
    assert len(taken) == 3
    assert reason(answers[3][1]) is Reason.OVERLOADED
    assert {reason(outcome) for _, outcome in answers[4:]} <= {
        Reason.OVERLOADED,
        Reason.STORE_UNAVAILABLE,
    }
    assert order.broken


async def test_lock_out_divides_a_batch(store: Address) -> None:
    """In one batch, the wager before the lock-out is in and the one behind it is out."""
    async with running(store) as engine:
        pit = await Pit(engine).open_up("t1")
        sent = pit.send("t1", OpenRound(), wagers(1), LockOut(), wagers(2))
        _, early, locked, late = await asyncio.gather(*sent)
        ok(early)
        event = ok(locked).event
        assert isinstance(event, RoundLocked)
        assert [wager.seat for wager in event.wagers] == [1]
        assert reason(late) is Reason.LOCKED_OUT


@pytest.mark.parametrize(
    ("limits", "commits"),
    [(Limits(), 1), (Limits(batch_commands=9), 8), (Limits(batch_bytes=1), 2)],
)
async def test_small_batches_change_nothing(store: Address, limits: Limits, commits: int) -> None:
    """What does not fit into a batch goes into the next, in order."""
    tables = [f"t{number}" for number in range(9)]
    async with running(store, limits=limits) as engine:
        pit = await Pit(engine).open_up(*tables)
        seen: list[CommittedBatch] = []
        engine.observers.append(seen.append)
        sent = [
            future
            for table_id in tables
            for future in pit.send(table_id, OpenRound(), *map(wagers, range(1, 7)), LockOut())
        ]
        outcomes = [ok(outcome) for outcome in await asyncio.gather(*sent)]
    sequences = [outcome.sequence for outcome in outcomes]
    assert sequences == list(range(sequences[0], sequences[0] + 8 * len(tables)))
    assert len(seen) == commits, "64 commands are decided before their bytes are counted"


async def test_what_answers_set_off_shares_a_commit(store: Address) -> None:
    """Tables that were answered together, and speak again at once, share the next commit too."""
    async with running(store, limits=Limits(crowd_commands=1, delivery_s=60)) as engine:
        pit = await Pit(engine).open_up("t1", "t2")
        commits: list[int] = []
        engine.observers.append(
            lambda commit: commits.append(sum(map(len, commit.events.values())))
        )

        async def speak(table: str) -> None:
            for command in (OpenRound(), wagers(1), LockOut()):
                ok(await pit.play(table, command))

        await asyncio.gather(speak("t1"), speak("t2"))
    assert commits == [2, 2, 2]


@pytest.mark.parametrize("crowd", [1, 2, 3])
async def test_nobody_waits_in_vain(store: Address, crowd: int) -> None:
    """The writer goes on when a crowd's answers have left, whether or not more has come."""
    async with running(store, limits=Limits(crowd_commands=crowd, delivery_s=60)) as engine:
        async with asyncio.timeout(20):
            pit = await Pit(engine).open_up("t1")
            await pit.round("t1", 1, 2)
            await asyncio.gather(*pit.send("t1", OpenRound(), wagers(1), LockOut()))
        assert await pit.balance(METER) == 10_000_420_000


async def test_sites_are_apart(store: Address) -> None:
    """Commands of two sites share a batch and nothing else; a third site is not known."""
    async with running(store, sites=("east", "west")) as engine:
        east, west = Pit(engine, "east"), Pit(engine, "west")
        await asyncio.gather(east.open_up("t1"), west.open_up("t1"))
        await east.round("t1", 1)
        assert await east.balance(METER) == 10_000_210_000
        assert await west.balance(METER) == 10_000_000_000
        lost = await engine.execute(Request("north", TableOrigin("t1", 1, 1), OpenRound()))
        assert reason(lost) is Reason.UNKNOWN_SITE
    assert [site.site for site in verify(store).sites] == ["east", "west"]


async def test_a_slow_watcher_skips(store: Address) -> None:
    """Whoever looks late sees the latest frame once, and the hits it missed in its count."""
    async with running(store) as engine:
        pit = await Pit(engine).open_up("t1", "t2")
        seen = engine.meters.version
        await pit.round("t1", 1)
        await pit.round("t2", 1)
        assert await engine.meters.changed(seen) == engine.meters.version
        (frame,) = engine.meters.frames(seen)
        assert frame.levels[0].meter_micros == 10_000_420_000
        waiting = asyncio.create_task(engine.meters.changed(engine.meters.version))
        await asyncio.sleep(0.02)
        assert not waiting.done()
        waiting.cancel()


async def test_wagers_alone_publish_nothing(store: Address) -> None:
    """A meter that did not move is not shown again."""
    async with running(store) as engine:
        pit = await Pit(engine).open_up("t1")
        seen = engine.meters.version
        ok(await pit.play("t1", OpenRound()))
        ok(await pit.play("t1", wagers(1)))
        assert engine.meters.version == seen


async def test_wagers_alone_cost_no_frames(store: Address, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch that moves no meter does not even look whether one moved."""
    async with running(store) as engine:
        pit = await Pit(engine).open_up("t1")
        made: list[object] = []
        monkeypatch.setattr("jackpot.engine.meter_board.frame_of", lambda *of: made.append(of))
        ok(await pit.play("t1", OpenRound()))
        ok(await pit.play("t1", wagers(1)))
        await asyncio.sleep(2 * engine.limits.poll_s)
        assert not made


@pytest.mark.parametrize(("frames_s", "most"), [(0.0, 8), (60.0, 2)])
async def test_while_commands_wait_few_frames_are_made(
    store: Address, frames_s: float, most: int
) -> None:
    """In a rush of commits not each one shows its meters, but the last one always does."""
    limits = Limits(batch_commands=1, frames_s=frames_s)
    tables = [f"t{number}" for number in range(8)]
    async with running(store, limits=limits) as engine:
        pit = await Pit(engine).open_up(*tables)
        for table_id in tables:
            await asyncio.gather(*pit.send(table_id, OpenRound(), wagers(1), LockOut()))
        before = engine.meters.version
        collected = [pit.send(each, ConfirmCollection({BET: 1}))[0] for each in tables]
        done = [ok(outcome).sequence for outcome in await asyncio.gather(*collected)]
        await eventually(lambda: engine.meters.frames()[0].sequence == done[-1])
        assert engine.meters.frames()[0].levels[0].meter_micros == 10_001_680_000
        shown = engine.meters.version - before
    assert shown == most if frames_s == 0 else 1 <= shown <= most


async def test_a_hit_is_shown_at_once(store: Address) -> None:
    """Frames wait for wagers only: not for an award of a meter, nor for one that is taken back."""
    async with running(store) as engine:
        pit = await Pit(engine).open_up("t1")
        for name, counts in (("nothing", False), ("royal-flush", True)):
            await pit.round("t1", 1)
            hands = (hand(1, name),)
            settled = ok(await pit.play("t1", Settle(hands, cards(0, "nothing"))))
            assert shows_at_once({RoundSettled: [(SITE, settled)]}) is counts
        (payout,) = settled.event.payouts  # type: ignore[union-attr]  # of a settlement
        void = VoidTableRound("t1", 2, "MISDEALT")
        voided = ok(await pit.operate(void))
    assert payout.share_bps
    assert shows_at_once({RoundVoided: [(SITE, voided)]})
    empty = replace(voided, event=replace(voided.event, changes=()))
    assert not shows_at_once({RoundVoided: [(SITE, empty)]})
    assert not shows_at_once({RoundOpened: [], WagersPlaced: [], RoundLocked: []})
    assert not shows_at_once({CollectionConfirmed: []})
    by_hand = replace(voided, event=MeterAdjusted("a", "main", 0, 0, "malfunction", "fixed", ()))
    assert shows_at_once({MeterAdjusted: [(SITE, by_hand)]})


def test_what_was_added_is_taken_back_before_it_is_sealed() -> None:
    """A copy that is rewound is as it was marked."""
    replica = Replica(SITE)
    replica.mark()
    replica.add(ControllerOrigin(), Probed(), "", 1)
    replica.rewind()
    assert (replica.state.sequence, replica.head.sequence, replica.seal()) == (0, 0, [])
    assert replica.add(ControllerOrigin(), Probed(), "", 1) == 1
    assert [entry.sequence for entry in replica.seal()] == [1]


async def test_before_start_and_after_drain(store: Address) -> None:
    """Before it is ready and after it stops, the engine says so and takes nothing."""
    engine = Engine(journal_opener(store), tagged_names, sites=(SITE,))
    request = Request(SITE, TableOrigin("t1", 1, 1), OpenRound())
    assert await engine.execute(request) == Refusal(Reason.STARTING)
    await engine.start()
    assert engine.healthy
    await engine.drain()
    assert not engine.healthy
    assert await engine.execute(request) == Refusal(Reason.DRAINING)
    assert await engine.read(SITE, lambda state: state.sequence) == Refusal(Reason.DRAINING)


async def test_drain_answers_what_waits(store: Address) -> None:
    """Commands queued before a drain are carried out; those behind it are refused."""
    async with running(store) as engine:
        pit = await Pit(engine).open_up("t1")
        before = pit.send("t1", OpenRound(), wagers(1))
        draining = asyncio.create_task(engine.drain())
        await asyncio.sleep(0)
        behind = pit.send("t1", wagers(2), order=CommandOrder())
        for outcome in await asyncio.gather(*before):
            ok(outcome)
        assert reason(await behind[0]) is Reason.DRAINING
        await draining


async def test_a_question_that_fails_is_the_askers(store: Address) -> None:
    """An exception in a question reaches whoever asked, and the engine goes on."""

    def question(state: State) -> int:
        raise KeyError(state.site)

    async with running(store) as engine:
        with pytest.raises(KeyError):
            await engine.read(SITE, question)
        assert engine.healthy
        await Pit(engine).open_up("t1")


async def test_time_never_goes_back(store: Address, caplog: pytest.LogCaptureFixture) -> None:
    """When the clock jumps back the journal's time stands still, and there is an alarm."""
    ticks = iter([9_000_000, 1_000_000, *[2_000_000] * 50])
    engine = Engine(journal_opener(store), tagged_names, sites=(SITE,), clock=lambda: next(ticks))
    await engine.start()
    pit = Pit(engine)
    await pit.open_up("t1")
    outcome: Outcome = await pit.play("t1", OpenRound())
    await engine.drain()
    assert ok(outcome).time_micros == 9_000_000
    assert "the controller's clock is 8.0 s behind the journal" in caplog.text


@pytest.mark.parametrize(("jump_micros", "alarm"), [(999_999, False), (1_000_001, True)])
def test_a_clock_that_is_put_forward_raises_an_alarm(
    store: Address, jump_micros: int, *, alarm: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """A quiet night is no jump: only what the clock gained on time that passed by itself."""
    night = 8 * 3_600_000_000
    clock = iter([0, night, 2 * night + jump_micros])
    passed = iter([5, night + 5, 2 * night + 5])
    decider = Decider(
        tagged_names, lambda: next(clock), lambda: b"", Limits(), lambda: next(passed)
    )
    with closing(journal_opener(store)()) as journal, journal.begin({SITE}) as transaction:
        for _ in range(3):
            Batch(decider, {}, {}, transaction).append()
    assert ("the controller's clock has jumped ahead by" in caplog.text) is alarm
