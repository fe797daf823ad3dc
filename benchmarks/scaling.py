"""How far it goes: a simulation of a whole group's floor from measured costs.

The costs are those that `benchmarks.costs` has measured; the options say what the database runs on.

  houses     sites of 20 tables, each served by one controller and followed by another
  wide area  all tables on one link of one site, spread over all controllers

Run it from the repository: `python -m benchmarks.scaling [--json] [--plot FILE] [--cores 8]`.
"""

import argparse
import json
from pathlib import Path

import msgspec

from benchmarks.simulation import (
    BUSY,
    HEARTBEAT_S,
    LATE_MS,
    MESSAGES,
    ROUNDS_PER_HOUR,
    Costs,
    Floor,
    Found,
    Place,
    Scene,
)

COSTS = Path(__file__).parent / "results" / "costs.json"
TABLES_A_HOUSE = 20


def controllers_for(tables: int, costs: Costs) -> int:
    """As many controllers as keep each at about half of its processor, and never less than two."""
    messages_per_s = tables * ROUNDS_PER_HOUR / 3600 * len(MESSAGES)
    commands_per_s = tables * ROUNDS_PER_HOUR / 3600 * sum(MESSAGES)
    used_us = messages_per_s * (costs.message_us + costs.commit_us)
    used_us += commands_per_s * (costs.command_us + costs.follow_us)
    used_us += tables / HEARTBEAT_S * costs.heartbeat_us
    return max(2, round(used_us / 1e6 / 0.5 + 0.5))


def scenes(costs: Costs) -> list[Scene]:
    """From one house to a group, and one wide-area link."""
    houses = [
        Scene("houses", tables, max(1, tables // TABLES_A_HOUSE), controllers, spread=False)
        for tables in (20, 1_000, 10_000, 50_000, 100_000, 200_000, 400_000)
        for controllers in (controllers_for(tables, costs),)
    ]
    wide = [
        Scene("wide area", tables, 1, controllers_for(tables, costs), spread=True)
        for tables in (60, 1_000, 10_000, 20_000, 50_000, 100_000)
    ]
    return houses + wide


def show(found: list[Found]) -> None:
    """Print it as a table."""
    print(
        f"{'':10}{'tables':>8}{'sites':>7}{'ctrl':>5}{'msg/s':>8}{'ctrl%':>6}{'db%':>5}"
        f"{'site%':>6}{'p50 ms':>8}{'p99 ms':>9}  limit"
    )
    for f in found:
        print(
            f"{f.name:10}{f.tables:>8,}{f.sites:>7,}{f.controllers:>5}{f.messages_per_s:>8,.0f}"
            f"{f.controller:>6.0%}{f.database:>5.0%}{f.site:>6.0%}"
            f"{f.median_ms:>8.1f}{f.p99_ms:>9.1f}  {f.limit}"
        )


def plot(found: list[Found], path: Path) -> None:
    """Draw how busy everything is and how long the slowest answers take, by tables."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - slow to load
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow to load

    figure = Figure(figsize=(10, 6.4), layout="constrained")
    FigureCanvasAgg(figure)
    names = list(dict.fromkeys(each.name for each in found))
    for column, name in enumerate(names, 1):
        shown = [each for each in found if each.name == name]
        tables = [each.tables for each in shown]
        busy = figure.add_subplot(2, len(names), column)
        busy.set_title(name)
        for label in ("controller", "database", "site"):
            shares = [100 * getattr(each, label) for each in shown]
            busy.plot(tables, shares, marker="o", label=label)
        busy.axhline(100 * BUSY, color="gray", linestyle=":")
        busy.set_ylabel("busiest one, % of its time")
        busy.legend()
        late = figure.add_subplot(2, len(names), len(names) + column)
        late.plot(tables, [each.p99_ms for each in shown], marker="o", color="black")
        late.axhline(LATE_MS, color="gray", linestyle=":")
        late.set_yscale("log")
        late.set_ylabel("99% are answered within, ms")
        late.set_xlabel("tables")
        for axes in (busy, late):
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    figure.savefig(path, dpi=100)


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument("--plot", type=Path, help="draw it into this file, PNG or SVG")
    parser.add_argument("--costs", type=Path, default=COSTS, help="what was measured")
    parser.add_argument("--cores", type=int, default=8, help="of the database")
    parser.add_argument("--flush-ms", type=float, default=1.0, help="a flush of the log")
    parser.add_argument("--round-trip-ms", type=float, default=0.3, help="to the database")
    options = parser.parse_args()
    measured = msgspec.json.decode(options.costs.read_bytes())["costs"]
    costs = msgspec.convert(measured, Costs)
    place = Place(options.cores, options.flush_ms / 1e3, options.round_trip_ms / 1e3)
    found = [Floor(scene, costs, place).run() for scene in scenes(costs)]
    if options.json:
        print(json.dumps([each._asdict() for each in found], indent=2))
    else:
        show(found)
    if options.plot:
        plot(found, options.plot)


if __name__ == "__main__":
    main()
