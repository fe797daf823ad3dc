"""How fast hands are ranked: the bulk evaluator on every hand, the plain one on a sample.

Run on one core: `python benchmarks/hands.py [--json]`. The bulk evaluator must give at least two
million full five-card ranks a second.
"""

import argparse
import json
import random
import time

from jackpot.odds.counting import tally
from jackpot.rules import bulk
from jackpot.rules.cards import DECK
from jackpot.rules.hands import rank

GOAL_PER_S = 2_000_000
REPEATS = 5
SAMPLE = 5_000


def bulk_per_s(ranking: str, dealt: int) -> float:
    """The median rate over every hand of so many cards."""
    hands = bulk.all_hands(dealt)
    bulk.ranks(ranking, hands[:1])  # builds its tables, once
    rates = []
    for _ in range(REPEATS):
        start_s = time.perf_counter()
        bulk.ranks(ranking, hands)
        rates.append(len(hands) / (time.perf_counter() - start_s))
    return sorted(rates)[REPEATS // 2]


def plain_per_s(ranking: str, dealt: int) -> float:
    """The rate over a fixed random sample."""
    draw = random.Random(1)
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


def main() -> None:
    """Measure, print, and fail where the goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    as_json = parser.parse_args().json
    results = {
        f"{ranking} of {dealt}": {
            "bulk_per_s": round(bulk_per_s(ranking, dealt)),
            "plain_per_s": round(plain_per_s(ranking, dealt)),
            "counting_s": round(counting_s(ranking, dealt), 3),
        }
        for ranking, dealt in (("five-card", 5), ("four-card", 5), ("three-card", 3))
    }
    if as_json:
        print(json.dumps(results, indent=2))
    else:
        for name, rates in results.items():
            print(f"{name:<16} bulk {rates['bulk_per_s'] / 1e6:6.1f} million/s", end="")
            print(f"   plain {rates['plain_per_s']:>8,}/s   all counted in {rates['counting_s']} s")
    if results["five-card of 5"]["bulk_per_s"] < GOAL_PER_S:
        raise SystemExit(f"below the goal of {GOAL_PER_S:,} five-card ranks a second")


if __name__ == "__main__":
    main()
