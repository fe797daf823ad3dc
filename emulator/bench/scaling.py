"""`jackpot-emulator bench scaling`: how far it goes, simulated from measured costs."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from emulator.bench.processes import BenchError
from emulator.bench.report import present
from emulator.bench.simulation import (
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
from jackpot import charts

TABLES_A_HOUSE = 20
HOUSES = (20, 1_000, 10_000, 50_000, 100_000, 200_000, 400_000)
WIDE_AREA = (60, 1_000, 10_000, 20_000, 50_000, 100_000)


def controllers_for(tables: int, costs: Costs) -> int:
    """As many controllers as keep each at about half of its processor, and never less than two."""
    messages_per_s = tables * ROUNDS_PER_HOUR / 3600 * len(MESSAGES)
    commands_per_s = tables * ROUNDS_PER_HOUR / 3600 * sum(MESSAGES)
    used_us = messages_per_s * (costs.message_us + costs.commit_us)
    used_us += commands_per_s * (costs.command_us + costs.follow_us)
    used_us += tables / HEARTBEAT_S * costs.heartbeat_us
    return max(2, round(used_us / 1e6 / 0.5 + 0.5))


def scenes(costs: Costs) -> Iterator[Scene]:
    """From one house to a group, and one wide-area link."""
    for tables in HOUSES:
        sites = max(1, tables // TABLES_A_HOUSE)
        yield Scene("houses", tables, sites, controllers_for(tables, costs), spread=False)
    for tables in WIDE_AREA:
        yield Scene("wide area", tables, 1, controllers_for(tables, costs), spread=True)


def text_lines(found: list[Found]) -> Iterator[str]:
    """All scenes as a table."""
    yield (
        f"{'':10}{'tables':>8}{'sites':>7}{'ctrl':>5}{'msg/s':>8}{'ctrl%':>6}{'db%':>5}"
        f"{'site%':>6}{'p50 ms':>8}{'p99 ms':>9}  limit"
    )
    for f in found:
        yield (
            f"{f.name:10}{f.tables:>8,}{f.sites:>7,}{f.controllers:>5}{f.messages_per_s:>8,.0f}"
            f"{f.controller:>6.0%}{f.database:>5.0%}{f.site:>6.0%}"
            f"{f.median_ms:>8.1f}{f.p99_ms:>9.1f}  {f.limit}"
        ).rstrip()


def plot(found: list[Found]) -> str:
    """Draw how busy everything is and how long the slowest answers take, by tables."""
    names = list(dict.fromkeys(each.name for each in found))
    by_name = [(name, [each for each in found if each.name == name]) for name in names]
    busy = [
        charts.lines(
            f"{name.capitalize()}: the busiest one, % of its time",
            {
                part: [(each.tables, 100 * getattr(each, part)) for each in shown]
                for part in ("controller", "database", "site")
            },
            x_title="tables",
            level=100 * BUSY,
            log_x=True,
            from_zero=True,
        )
        for name, shown in by_name
    ]
    late = [
        charts.lines(
            f"{name.capitalize()}: 99% are answered within, ms",
            {"p99": [(each.tables, each.p99_ms) for each in shown]},
            x_title="tables",
            level=LATE_MS,
            log_x=True,
            log_y=True,
        )
        for name, shown in by_name
    ]
    return charts.picture("How far it goes, by tables", [*busy, *late], columns=len(names))


def read_costs(path: Path) -> Costs:
    """The costs that were measured."""
    try:
        return msgspec.convert(msgspec.json.decode(path.read_bytes())["costs"], Costs)
    except (OSError, msgspec.MsgspecError, KeyError, TypeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise BenchError(
            f"can't read costs from {path}: {why}; name a file that "
            "`jackpot-emulator bench costs --report FOLDER` wrote"
        ) from None


def run(
    costs_path: Path,
    cores: int,
    flush_ms: float,
    round_trip_ms: float,
    tables: int | None,
    plot_path: Path | None,
    report: Path | None,
    *,
    as_json: bool,
) -> None:
    """Run it as `jackpot-emulator bench scaling` does."""
    costs = read_costs(costs_path)
    place = Place(cores, flush_ms / 1e3, round_trip_ms / 1e3)
    found = [
        Floor(scene, costs, place).run()
        for scene in scenes(costs)
        if tables is None or scene.tables <= tables
    ]
    if plot_path:
        plot_path.write_text(plot(found), "utf-8")
    whole = [each._asdict() for each in found]
    present("scaling", whole, text_lines(found), report, as_json=as_json)
