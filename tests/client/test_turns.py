"""Tables that take turns in a time of their own."""

import asyncio
import time

import pytest

from table_client.table.turns import Turns

START_MS = 1_000_000


async def floor(speed: float, steps: dict[str, list[int]]) -> list[tuple[int, str]]:
    """Each table spends its times in order; who went on when."""
    turns, seen = Turns(START_MS, speed), list[tuple[int, str]]()

    async def play(name: str, first: int, times: list[int]) -> None:
        async with turns.table(first):
            for ms in times:
                seen.append((turns.now_micros() // 1_000 - START_MS, name))
                await asyncio.sleep(0)  # others could run now, but it is not their turn
                await turns.spend(ms)
            seen.append((turns.now_micros() // 1_000 - START_MS, name))

    turns.join(len(steps))
    async with asyncio.TaskGroup() as group:
        for name, times in steps.items():
            group.create_task(play(name, times[0], times[1:]))
    return seen


STEPS = {"a": [0, 100, 100], "b": [50, 50, 10], "c": [0, 300]}
ORDER = [(0, "a"), (0, "c"), (50, "b"), (100, "a"), (100, "b"), (110, "b"), (200, "a"), (300, "c")]


@pytest.mark.parametrize("speed", [0, 10, 100])
async def test_whoever_is_due_first_goes_on(speed: float) -> None:
    """At any speed the order is that of the times spent; of two due at once, who asked first."""
    assert await floor(speed, STEPS) == ORDER


async def test_time_passes_at_its_speed() -> None:
    """300 ms at speed 3 take a tenth of a second; at speed 0 nothing."""
    before = time.monotonic()
    await floor(3, STEPS)
    took_s = time.monotonic() - before
    assert took_s >= 0.1
    before = time.monotonic()
    await floor(0, {"a": [0, 3_600_000]})
    assert time.monotonic() - before < 10


async def test_a_table_that_leaves_holds_nobody_up() -> None:
    """One with little to do is gone, and the others play on."""
    seen = await floor(0, {"a": [0], "b": [5, 5, 5, 5]})
    assert seen == [(0, "a"), (5, "b"), (10, "b"), (15, "b"), (20, "b")]


async def test_a_failing_table_ends_the_floor() -> None:
    """Its failure is what the caller sees; the others are stopped, not left waiting."""
    turns = Turns(START_MS)
    turns.join(2)

    async def fail() -> None:
        async with turns.table(10):
            raise ValueError("the deck is gone")

    async def wait() -> None:
        async with turns.table():
            await turns.spend(1_000)

    async def both() -> None:
        async with asyncio.timeout(10), asyncio.TaskGroup() as group:
            group.create_task(wait())
            group.create_task(fail())

    with pytest.raises(ExceptionGroup) as failures:
        await both()
    assert [str(each) for each in failures.value.exceptions] == ["the deck is gone"]
