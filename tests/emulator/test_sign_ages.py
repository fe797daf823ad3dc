"""How old a sign is: by the journal's clock, with what nobody could show left out."""

import time
from types import SimpleNamespace
from typing import Any

import pytest

from emulator.soak.audit.comparing import dollars
from emulator.soak.audit.signs import Face, SignAges, faces_differ
from emulator.soak.faults.storage import Disk, Write
from emulator.soak.sign_watch import HELD_UP_S, SignWatch, StaleSignError, in_dollars
from jackpot.wire.v1 import meter_pb2

LIMIT_S = 5.0
MILLION = 1_000_000


def face(meter: int, hits: int = 0) -> Face:
    """A link in service with one meter, in dollars."""
    return Face("IN_SERVICE", hits, (("main", meter * MILLION),))


def frame(sequence: int, meter: int, hits: int = 0) -> meter_pb2.LinkMeters:
    """The frame of that face."""
    return meter_pb2.LinkMeters(
        link="five",
        sequence=sequence,
        status=meter_pb2.LINK_STATUS_IN_SERVICE,
        hit_count=hits,
        meters=[meter_pb2.Meter(level="main", amount_micros=meter * MILLION)],
    )


class Run:
    """Ages of a run with some controllers, and what was noted of them."""

    def __init__(self, controllers: int = 1) -> None:
        self.noted: list[tuple[int, float]] = []
        self.ages = SignAges(controllers, LIMIT_S, lambda *age: self.noted.append(age))

    def move(self, sequence: int, meter: int, at_s: float, hits: int = 0) -> None:
        """Somebody is told of a sequence, and it is audited at once."""
        self.ages.reached(sequence, at_s)
        self.ages.changed(sequence, "five", face(meter, hits))


def test_an_age_ends_with_the_frame_that_shows_the_change() -> None:
    """It begins when the journal is known to have moved."""
    run = Run(controllers=2)
    for place in range(2):
        run.ages.frame(place, frame(1, 10), 0.0)
    run.move(2, 11, at_s=1.0)
    run.ages.frame(0, frame(2, 11), 1.25)
    run.ages.frame(1, frame(2, 11), 3.0)
    assert run.noted == [(0, 0.25), (1, 2.0)]
    assert run.ages.oldest(100.0) is None


def test_a_later_frame_shows_all_changes_before_it() -> None:
    """A sign that skips to the latest is as old as the first change that it did not show."""
    run = Run()
    run.ages.frame(0, frame(1, 10), 0.0)
    run.move(2, 11, at_s=1.0)
    run.move(3, 12, at_s=2.0)
    run.ages.frame(0, frame(3, 12), 2.5)
    assert run.noted == [(0, 1.5), (0, 0.5)]


def test_a_sign_is_judged_while_it_is_wrong() -> None:
    """At the limit it may be; past it, it is named with what it shows and must show."""
    run = Run()
    run.ages.frame(0, frame(1, 10_001), 0.0)
    run.move(2, 10_000, at_s=1.0, hits=1)
    assert run.ages.oldest(1.0 + LIMIT_S) is None
    stale = run.ages.oldest(1.5 + LIMIT_S)
    assert stale
    assert in_dollars(stale, LIMIT_S) == (
        "signs stand still: sign of five at controller 1 was wrong for 5.5 s after sequence 2, "
        "limit 5 s: hits 0, must be 1, main meter $10,001.00, must be $10,000.00"
    )


def test_a_sign_that_was_wrong_too_long_stays_found() -> None:
    """Its late frame may come before anybody looks."""
    run = Run()
    run.ages.frame(0, frame(1, 10), 0.0)
    run.move(2, 11, at_s=1.0)
    run.ages.frame(0, frame(2, 11), 7.0)
    stale = run.ages.oldest(8.0)
    assert stale
    assert (stale.age_s, stale.shown, stale.right) == (6.0, face(10), face(11))


def test_the_audit_may_come_late() -> None:
    """An answer that is missing holds the audit up; the ages are those of the time before."""
    run = Run()
    run.ages.frame(0, frame(1, 10), 0.0)
    run.ages.reached(2, 1.0)
    run.ages.reached(5, 2.0)
    run.ages.frame(0, frame(2, 11), 1.5)
    run.ages.changed(2, "five", face(11))
    run.ages.changed(4, "five", face(12))  # 5 was told first: then the journal had 4 too
    run.ages.frame(0, frame(5, 12), 9.0)
    assert run.noted == [(0, 0.5), (0, 7.0)]


def test_what_comes_back_to_what_is_shown_needs_no_frame() -> None:
    """A meter that moved and moved back is right again without one."""
    run = Run()
    run.ages.frame(0, frame(1, 10), 0.0)
    run.move(2, 11, at_s=1.0)
    run.move(3, 10, at_s=1.5)
    assert run.noted == [(0, 0.5)]
    assert run.ages.oldest(100.0) is None


def test_a_sign_that_goes_back_is_wrong_again() -> None:
    """A frame of the past ages from when it came."""
    run = Run()
    run.move(2, 11, at_s=1.0)
    run.ages.frame(0, frame(2, 11), 1.0)
    run.ages.frame(0, frame(1, 10), 4.0)
    assert run.ages.oldest(4.0 + LIMIT_S) is None
    assert run.ages.oldest(4.5 + LIMIT_S)


def test_time_in_which_nothing_could_be_shown_is_left_out() -> None:
    """Before, during and after a change, once or several times."""
    run = Run()
    run.ages.frame(0, frame(1, 10), 0.0)
    pauses = run.ages.pauses[0]
    pauses.set(0.5, 0.6, paused=True)
    run.move(2, 11, at_s=1.0)
    pauses.set(1.9, 2.0, paused=False)
    pauses.set(3.0, 3.1, paused=True)
    assert run.ages.oldest(100.0) is None
    pauses.set(99.9, 100.0, paused=False)
    assert run.ages.oldest(100.0 + 4.0) is None
    stale = run.ages.oldest(100.0 + 4.5)
    assert stale
    assert stale.age_s == pytest.approx(1.0 + 4.5)


class Floor:
    """As much of a soak as the watch over its signs looks at."""

    def __init__(self) -> None:
        self.up = True
        self.pid = 0
        self.injector = SimpleNamespace(current=None)
        self.staff = SimpleNamespace(watching=[True], heard_s=[0.0])
        self.supervisors = [SimpleNamespace(up=SimpleNamespace(is_set=lambda: self.up))]

    @property
    def controllers(self) -> list[Any]:
        """The one there is."""
        return [SimpleNamespace(pid=self.pid)]


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A clock that a test puts forward."""
    clock = SimpleNamespace(s=0.0)
    monkeypatch.setattr(time, "monotonic", lambda: clock.s)
    return clock


def stop(floor: Floor) -> None:
    """A signal stops it."""
    floor.pid = 1


@pytest.mark.parametrize(
    "happens",
    [
        lambda floor: setattr(floor, "up", False),
        lambda floor: setattr(floor.staff, "watching", [False]),
        lambda floor: setattr(floor.injector, "current", Disk),
        lambda floor: setattr(floor.injector, "current", Write),
        stop,
    ],
    ids=["down", "not connected", "disk full", "writes fail", "stopped"],
)
def test_a_fault_holds_the_clock_of_a_sign(
    happens: Any, now: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it lasts, a sign does not age; before and after, it does."""
    monkeypatch.setattr("emulator.soak.sign_watch.is_stopped", bool)
    watch, floor = SignWatch(1, LIMIT_S), Floor()
    soak: Any = floor

    def look(until_s: float) -> None:
        while now.s < until_s:
            now.s += 0.25
            watch.look(soak)

    look(1.0)
    watch.ages.frame(0, frame(1, 10), now.s)
    watch.ages.reached(2, now.s)
    watch.ages.changed(2, "five", face(11))
    look(4.0)
    happens(floor)
    look(60.0)
    well = Floor()
    floor.up, floor.pid, floor.injector, floor.staff = True, 0, well.injector, well.staff
    look(61.5)
    with pytest.raises(StaleSignError, match=r"sign of five at controller 1 was wrong for 5\.\d s"):
        look(65.0)


def test_a_controller_that_shows_something_has_its_store_back(now: SimpleNamespace) -> None:
    """After writes failed its signs age from the first frame on, or when it has tried again."""
    watch, floor = SignWatch(1, LIMIT_S), Floor()
    soak: Any = floor
    for failing, heard_s in ((True, 0.0), (False, 0.0), (False, 0.3), (False, 0.3)):
        floor.injector.current = Write if failing else None
        floor.staff.heard_s = [heard_s]
        watch.look(soak)
        now.s += 0.25
    watch.look(soak)
    assert watch.watched_s(0) == pytest.approx(0.5)


def test_a_soak_that_was_held_up_blames_no_sign(now: SimpleNamespace) -> None:
    """What it did not read in that time it can't know."""
    watch, floor = SignWatch(1, LIMIT_S), Floor()
    soak: Any = floor
    watch.look(soak)
    watch.ages.frame(0, frame(1, 10), now.s)
    watch.ages.reached(2, now.s)
    watch.ages.changed(2, "five", face(11))
    for _ in range(3):
        now.s += 10 * HELD_UP_S
        watch.look(soak)
    for _ in range(48):
        now.s += 0.1
        watch.look(soak)
    assert watch.watched_s(0) == pytest.approx(4.8)
    now.s += 0.4
    with pytest.raises(StaleSignError):
        watch.look(soak)


def test_amounts_are_in_dollars() -> None:
    """Cents always, and what is below a cent where there is any."""
    assert [dollars(m) for m in (0, 10_001_260_000, 1_234_567, -500_000)] == [
        "$0.00",
        "$10,001.26",
        "$1.234567",
        "-$0.50",
    ]
    assert faces_differ(None, face(1)) == "it shows nothing"
