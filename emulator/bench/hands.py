"""`jackpot-emulator bench hands`: how fast hands are ranked, in bulk and one by one."""

import random
import time
from pathlib import Path
from statistics import median
from typing import Any

import click

from emulator.bench.report import present
from jackpot.odds.counting import tally
from jackpot.rules import bulk
from jackpot.rules.cards import DECK
from jackpot.rules.hands import rank

GOAL_PER_S = 2_000_000
RANKINGS = (("five-card", 5), ("four-card", 5), ("three-card", 3))
REPEATS = 5
SAMPLE = 5_000


def bulk_per_s(ranking: str, dealt: int, repeats: int) -> float:
    """The median rate over every hand of so many cards."""
    hands = bulk.all_hands(dealt)
    bulk.ranks(ranking, hands[:1])  # builds its tables, once
    rates = []
    for _ in range(repeats):
        start_s = time.perf_counter()
        bulk.ranks(ranking, hands)
        rates.append(len(hands) / (time.perf_counter() - start_s))
    return median(rates)


def plain_per_s(ranking: str, dealt: int) -> float:
    """The rate over a fixed random sample."""
    draw = random.Random(1)  # noqa: S311 - the same hands in each run
    hands = [tuple(draw.sample(DECK, dealt)) for _ in range(SAMPLE)]
    start_s = time.perf_counter()
    for hand in hands:
        rank(ranking, hand)
    return SAMPLE / (time.perf_counter() - start_s)


def counting_s(ranking: str, dealt: int) -> float:
    """How long it takes to count every hand by name."""
    start_s = time.perf_counter()
    tally.__wrapped__(ranking, dealt)
    return time.perf_counter() - start_s


def measure_hands(ranking: str, dealt: int, repeats: int = REPEATS) -> dict[str, Any]:
    """All figures of one ranking."""
    return {
        "bulk_per_s": round(bulk_per_s(ranking, dealt, repeats)),
        "plain_per_s": round(plain_per_s(ranking, dealt)),
        "counting_s": round(counting_s(ranking, dealt), 3),
    }


def run(report: Path | None, *, quick: bool, as_json: bool) -> None:
    """Run it as `jackpot-emulator bench hands` does."""
    repeats = 1 if quick else REPEATS
    found = {f"{name} of {dealt}": measure_hands(name, dealt, repeats) for name, dealt in RANKINGS}
    lines = [
        f"{name:<16} bulk {rates['bulk_per_s'] / 1e6:6.1f} million/s   "
        f"plain {rates['plain_per_s']:>8,}/s   all counted in {rates['counting_s']} s"
        for name, rates in found.items()
    ]
    present("hands", found, lines, report, as_json=as_json)
    if found["five-card of 5"]["bulk_per_s"] < GOAL_PER_S:
        raise click.ClickException(f"below the goal of {GOAL_PER_S:,} five-card hands per second")
