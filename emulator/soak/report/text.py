"""Print a soak's report for people, on a terminal of 80 columns."""

from datetime import datetime
from typing import Any

from emulator.output import counted, dollars, duration, listed, wrapped

VERIFIED = {
    True: "verified",
    False: "NOT VERIFIED",
    None: "not verified, because the run failed before that",
}


def circumstances(report: dict[str, Any]) -> list[str]:
    """When, on what, and with which options; ways to end that were not chosen are left out."""
    options = dict(report["options"])
    faults = " ".join(options.pop("faults")) or "none"
    asked = [
        f"{name.removesuffix('_s').replace('_', ' ')} {_value(name, value)}"
        for name, value in options.items()
        if value or name in ("speed", "whole_games")
    ]
    return [local_time(report["at"]), report["machine"], *asked, f"faults {faults}"]


def local_time(at: str) -> str:
    """A moment as people write it: November 18, 2026, 14:05:09 UTC-05:00."""
    return f"{datetime.fromisoformat(at):%B %-d, %Y, %H:%M:%S %Z}"


def _value(name: str, value: Any) -> str:
    if name.endswith("_s"):
        return duration(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _ms(milliseconds: float) -> str:
    return duration(milliseconds / 1000)


def _sign_lines(report: dict[str, Any]) -> list[str]:
    """How long changes took to be on the signs of each controller."""
    lines: list[str] = []
    for ages in report["sign_age_ms"]:
        figures = [f"{name} {_ms(ages[name])}" for name in ("p50", "p99", "longest")]
        limit = duration(report["options"]["sign_limit_s"])
        about = [f"limit {limit}", f"watched {duration(ages['watched_s'])}"]
        lines += listed("  signs     ", [f"controller {ages['controller']}", *figures, *about])
    return lines


def _fault_lines(faults: dict[str, Any]) -> list[str]:
    """What was done, and what of it was felt."""
    lines: list[str] = []
    if faults["happened"]:
        felt = [f"{fault} {count:,}" for fault, count in faults["happened"].items() if count]
        lines += listed("  faults    ", felt or ["no fault had an effect"])
    if unfelt := faults["not_felt"]:
        lines += listed("  no effect ", [f"{what} {count}" for what, count in unfelt.items()])
    absent = [fault for fault, count in faults["happened"].items() if not count]
    if absent := [fault for fault in absent if fault not in faults["impossible"]]:
        lines += wrapped(
            "  missing   ", f"{', '.join(absent)}: no effect in this run; try a longer run"
        )
    for fault, why in faults["impossible"].items():
        lines += wrapped("  excluded  ", f"{fault}: {why}")
    if faults["done"]:
        done = [f"{what} {count}" for what, count in faults["done"].items()]
        lines += listed("  in detail ", done)
    if faults["restarts"]:  # also by a fault that was not felt, or not yet
        lines.append(
            f"  restarts  {faults['restarts']}, median {duration(faults['restart_median_s'])}, "
            f"longest {duration(faults['restart_longest_s'])}"
        )
    if herd := faults.get("herd_s"):
        back = ", ".join(map(duration, herd))
        lines.append(f"  herd      after a crash, all tables were back in {back}")
    return lines


def text_lines(report: dict[str, Any]) -> list[str]:
    """The whole report."""
    at, machine, *asked = circumstances(report)
    latency = [f"{name} {_ms(report['latency_ms'][name])}" for name in ("p50", "p99", "p99.9")]
    lines = [
        (
            f"{'PASSED' if report['passed'] else 'FAILED'}  seed {report['seed']}, "
            f"{counted(report['options']['tables'], 'table')}, {report['options']['deck']} deck"
            f"{', stopped early' if report['stopped_early'] else ''}"
        ),
        f"  when      {at}, for {duration(report['duration_s'])}",
        *wrapped("  machine   ", machine),
        *listed("  options   ", asked[:-1]),
        *wrapped("  asked     ", asked[-1]),
        f"  rounds    {report['rounds']:>12,}   {report['rounds_per_s']:,} per second",
        f"  wagers    {report['wagers']:>12,}   {report['wagers_per_s']:,} per second",
        (
            f"  audited   {report['audited']:>12,}   answers, and "
            f"{report['observations']:,} views of meters and accounts"
        ),
        f"  latency   {', '.join(latency)}",
        *_sign_lines(report),
        (
            f"  memory    at most {report['resident_mb'].get('most', 0)} MB; grew by "
            f"{report['growth_mb']} MB (limit {report['growth_limit_mb']} MB per controller)"
        ),
        f"  journal   {VERIFIED[report['journal_verified']]}",
    ]
    if skipped := report["views_skipped"]:
        lines.append(f"  skipped   {skipped:>12,}   views that came too late to be compared")
    lines += _fault_lines(report["faults"])
    refused = [f"{reason} {count:,}" for reason, count in report["refusals"].items()]
    lines += listed("  refused   ", refused or ["nothing"])
    shares = [award for award in report["awards"] if award["kind"] == "share"]
    for award in shares:
        name = f"{award['link']}/{award['level']} {award['hand']}"
        paid = dollars(award["micros"])
        lines.append(f"  award     {name:<40} {award['count']:>6,} {paid:>18}")
    for hit in report["hits"]:
        mark = "ok" if hit["passed"] else "DIFFERS FROM THE ODDS"
        name = f"{hit['link']} {hit['bet']}"
        lines.append(f"  odds      {name:<40} {hit['trials']:>9,} p={hit['p']:.3f} {mark}")
    for failure in report["failures"]:
        lines += wrapped("  failure   ", failure)
    if report["kept"] and not report["passed"]:
        lines.append(f"  kept      {report['kept']}")
    # Evidence is as wide as it is; what it shows has been said above.
    return [*lines, *report["shortest_failure"][:1], *report["shortest_failure"][2:]]
