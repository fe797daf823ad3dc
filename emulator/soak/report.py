"""What a soak found: as data, and as text for people."""

import platform
from datetime import UTC, datetime
from importlib.metadata import version
from statistics import median
from typing import Any

from emulator.soak.fault_counts import device_faults, fault_counts
from emulator.soak.faults import SAYS
from emulator.soak.hits import FAMILY_ERROR, LEAST_P
from emulator.soak.latency import Latencies
from emulator.soak.run import Soak
from emulator.soak.samples import GROWTH_MB
from emulator.words import counted, listed, wrapped

VERIFIED = {True: "verified", False: "NOT VERIFIED", None: "not looked at: it failed before"}


def make_report(soak: Soak) -> dict[str, Any]:
    """All there is to know about a run."""
    failures = [soak.failure] if soak.failure else []
    failures += [
        f"{v.link} {v.bet}: hands were not paid as often as they come "
        f"(p {'at most' if v.p_value <= LEAST_P else '='} {v.p_value:.2g})"
        for v in soak.verdicts
        if not v.passed
    ]
    elapsed_s = max(soak.elapsed_s, 1e-9)
    return {
        "passed": not failures,
        "stopped_early": soak.stopping,
        "failures": failures,
        "prefix": soak.prefix.lines() if soak.prefix else [],
        "seed": soak.options.seed,
        "options": _options(soak),
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": (
            f"{platform.system()} {platform.release()}, {platform.machine()}, "
            f"Python {platform.python_version()}, jackpot {version('jackpot-controller')}"
        ),
        "duration_s": round(elapsed_s, 1),
        "rounds": soak.rounds,
        "rounds_per_s": round(soak.rounds / elapsed_s, 1),
        "wagers": soak.tape.wagers,
        "wagers_per_s": round(soak.tape.wagers / elapsed_s, 1),
        "commands": dict(sorted(soak.tape.counts.items())),
        "refusals": dict(soak.tape.refusals.most_common()),
        "audited": soak.auditor.audited,
        "observations": soak.auditor.observed,
        "views_skipped": soak.auditor.skipped,
        "agreed_at": soak.auditor.agreed,
        "journal_verified": soak.verified,
        "latency_ms": _latency(soak.latencies),
        "sign_age_ms": [
            {
                "controller": place + 1,
                "watched_s": round(soak.sign_watch.watched_s(place), 1),
                "changes": ages.count,
                **_latency(ages),
            }
            for place, ages in enumerate(soak.sign_watch.latencies)
        ],
        "faults": _faults(soak),
        "resident_mb": _memory(soak),
        "growth_mb": round(soak.samples.growth_mb, 1),
        "growth_limit_mb": GROWTH_MB,
        "accounts": _accounts(soak),
        "awards": _awards(soak),
        "hits": [_verdict(verdict) for verdict in soak.verdicts],
        "hits_error_rate": FAMILY_ERROR,
        "samples": [sample._asdict() for sample in soak.samples.taken],
        "latency_buckets": list(soak.latencies.buckets()),
        "fault_log": _fault_log(soak),
    }


def _options(soak: Soak) -> dict[str, Any]:
    options = soak.options
    return {
        "tables": options.tables,
        "rounds": options.rounds,
        "wagers": options.wagers,
        "duration_s": options.duration_s,
        "until_hit": options.until_hit,
        "faults": sorted(options.faults),
        "deck": "rigged" if options.rigged else "fair",
        "speed": options.speed,
        "controllers": options.controllers,
        "store": "PostgreSQL" if options.store else "SQLite",
        "whole_games": options.whole_games,
        "fault_every_s": options.every_s,
        "sign_limit_s": options.sign_limit_s,
    }


def _latency(latencies: Latencies) -> dict[str, float]:
    shares = {"p50": 0.5, "p99": 0.99, "p99.9": 0.999}
    found = {name: latencies.quantile_s(share) for name, share in shares.items()}
    found["longest"] = latencies.longest_s
    return {name: round(seconds * 1000, 2) for name, seconds in found.items()}


def _faults(soak: Soak) -> dict[str, Any]:
    restarts = [seconds for keeper in soak.keepers for seconds in keeper.restarts]
    counts = fault_counts(soak)
    return {
        "asked": {fault: SAYS[fault] for fault in sorted(soak.options.faults)},
        "happened": {fault: counts[fault] for fault in sorted(soak.options.faults)},
        "impossible": dict(soak.impossible),
        "disk_mounted": soak.disk.was_mounted,
        "done": dict(sorted(soak.saboteur.how.items())) if soak.saboteur else {},
        "not_felt": dict(sorted(soak.saboteur.unfelt.items())) if soak.saboteur else {},
        "devices": dict(sorted(device_faults(soak).items())),
        "failed_commits": sum(c.failed_commits() for c in soak.controllers),
        "restarts": len(restarts),
        "restart_median_s": round(median(restarts), 2) if restarts else 0,
        "restart_longest_s": round(max(restarts, default=0), 2),
        "unread_ended": soak.mute.ended if soak.mute else 0,
        "herd_s": [round(seconds, 2) for seconds in soak.herd_s],
        "rounds_void_by_devices": sum(getattr(table, "voids", 0) for table in soak.tables),
        "manager_acts": soak.manager.acts if soak.manager else 0,
    }


def _memory(soak: Soak) -> dict[str, float]:
    found = [sample.resident_mb for sample in soak.samples.taken if sample.resident_mb]
    if not found:
        return {}
    return {"first": round(found[0], 1), "most": round(max(found), 1), "last": round(found[-1], 1)}


def _accounts(soak: Soak) -> dict[str, Any]:
    return {
        name: {
            **{
                f"{level}_{pool}": amount
                for level, held in link.levels.items()
                for pool, amount in zip(("meter", "reserve", "overflow"), held.purse(), strict=True)
            },
            "house": link.house,
            "players": link.players,
            "pending": link.pending,
            "retained": link.retained,
        }
        for name, link in soak.auditor.books.links.items()
    }


def _awards(soak: Soak) -> list[dict[str, Any]]:
    awards = soak.awards
    return [
        {
            "link": link,
            "level": level,
            "kind": kind,
            "hand": hand,
            "count": count,
            "micros": awards.micros[link, level, kind, hand],
        }
        for (link, level, kind, hand), count in sorted(awards.counts.items())
    ]


def _verdict(verdict: Any) -> dict[str, Any]:
    return {
        "link": verdict.link,
        "bet": verdict.bet,
        "trials": verdict.trials,
        "chi_square": round(verdict.statistic, 3),
        "p": verdict.p_value,
        "passed": verdict.passed,
        "cells": [
            {"hands": c.hands, "seen": c.seen, "expected": round(c.expected, 2)}
            for c in verdict.cells
        ],
    }


def _fault_log(soak: Soak) -> list[tuple[float, float, str]]:
    if not soak.saboteur:
        return []
    return [
        (round(start - soak.began, 2), round(end - soak.began, 2), what)
        for start, end, what in soak.saboteur.log
    ]


def circumstances(report: dict[str, Any]) -> list[str]:
    """When, on what, and with which options; ways to end that were not chosen are left out."""
    options = dict(report["options"])
    faults = " ".join(options.pop("faults")) or "none"
    asked = [
        f"{name.removesuffix('_s').replace('_', ' ')} {value}{' s' if name.endswith('_s') else ''}"
        for name, value in options.items()
        if value or name in ("speed", "whole_games")
    ]
    return [report["at"], report["machine"], *asked, f"faults {faults}"]


def _sign_lines(report: dict[str, Any]) -> list[str]:
    """How long changes took to be on the signs of each controller."""
    lines: list[str] = []
    for ages in report["sign_age_ms"]:
        figures = [f"{name} {ages[name]} ms" for name in ("p50", "p99", "longest")]
        about = [f"limit {report['options']['sign_limit_s']:g} s", f"watched {ages['watched_s']} s"]
        lines += listed("  signs     ", [f"controller {ages['controller']}", *figures, *about])
    return lines


def _fault_lines(faults: dict[str, Any]) -> list[str]:
    """What was done, and what of it was felt."""
    lines: list[str] = []
    if faults["happened"]:
        felt = [f"{fault} {count:,}" for fault, count in faults["happened"].items() if count]
        lines += listed("  faults    ", felt or ["none was felt"])
    never = [fault for fault, count in faults["happened"].items() if not count]
    if unfelt := faults["not_felt"]:
        lines += listed("  not felt  ", [f"{what} {count}" for what, count in unfelt.items()])
    if never := [fault for fault in never if fault not in faults["impossible"]]:
        lines += wrapped("  never     ", f"{', '.join(never)}: not felt; a longer run may")
    for fault, why in faults["impossible"].items():
        lines += wrapped("  can't     ", f"{fault}: {why}")
    if faults["done"]:
        done = [f"{what} {count}" for what, count in faults["done"].items()]
        lines += listed("  done      ", done)
    if faults["restarts"]:  # also by a fault that was not felt, or not yet
        lines.append(
            f"  restarts  {faults['restarts']}, median {faults['restart_median_s']} s, "
            f"longest {faults['restart_longest_s']} s"
        )
    if faults["herd_s"]:
        back = ", ".join(f"{seconds} s" for seconds in faults["herd_s"])
        lines.append(f"  herd      all tables of the site back in {back}")
    return lines


def text_lines(report: dict[str, Any]) -> list[str]:
    """The report for a terminal of 80 columns."""
    faults, latency = report["faults"], report["latency_ms"]
    at, machine, *asked = circumstances(report)
    lines = [
        (
            f"{'PASSED' if report['passed'] else 'FAILED'}  seed {report['seed']}, "
            f"{counted(report['options']['tables'], 'table')}, {report['options']['deck']} deck"
            f"{', stopped early' if report['stopped_early'] else ''}"
        ),
        f"  at        {at}",
        *wrapped("  machine   ", machine),
        *listed("  options   ", asked[:-1]),
        *wrapped("  asked     ", asked[-1]),
        f"  rounds    {report['rounds']:>12,}   {report['rounds_per_s']:,}/s",
        f"  wagers    {report['wagers']:>12,}   {report['wagers_per_s']:,}/s",
        (
            f"  audited   {report['audited']:>12,}   answers, and "
            f"{report['observations']:,} views of meters and accounts"
        ),
        (
            f"  latency   p50 {latency['p50']} ms, p99 {latency['p99']} ms, "
            f"p99.9 {latency['p99.9']} ms"
        ),
        *_sign_lines(report),
        (
            f"  memory    at most {report['resident_mb'].get('most', 0)} MB; grew by "
            f"{report['growth_mb']} MB, of {report['growth_limit_mb']} that one controller may"
        ),
        f"  journal   {VERIFIED[report['journal_verified']]}",
    ]
    if skipped := report["views_skipped"]:
        lines.append(f"  skipped   {skipped:>12,}   views that came too late to be compared")
    lines += _fault_lines(faults)
    refused = [f"{reason} {count:,}" for reason, count in report["refusals"].items()]
    lines += listed("  refused   ", refused or ["nothing"])
    shares = [a for a in report["awards"] if a["kind"] == "share"]
    for award in shares:
        dollars = f"${award['micros'] / 1e6:,.2f}"
        name = f"{award['link']}/{award['level']} {award['hand']}"
        lines.append(f"  award     {name:<40} {award['count']:>6,} {dollars:>18}")
    for hit in report["hits"]:
        mark = "ok" if hit["passed"] else "NOT AS THE ODDS SAY"
        name = f"{hit['link']} {hit['bet']}"
        lines.append(f"  odds      {name:<40} {hit['trials']:>9,} p={hit['p']:.3f} {mark}")
    for failure in report["failures"]:
        lines += wrapped("  failure   ", failure)
    if report["kept"] and not report["passed"]:
        lines.append(f"  kept      {report['kept']}")
    # Evidence is as wide as it is; what it shows has been said above.
    return [*lines, *report["prefix"][:1], *report["prefix"][2:]]
