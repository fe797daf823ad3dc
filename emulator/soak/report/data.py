"""Report what a soak found, as data."""

import platform
from datetime import UTC, datetime
from importlib.metadata import version
from statistics import median
from typing import Any

from emulator.soak.faults import FAULTS
from emulator.soak.report.hits import FAMILY_ERROR, LEAST_P, Verdict
from emulator.soak.report.measures import GROWTH_MB, Latencies
from emulator.soak.run import Soak


def make_report(soak: Soak) -> dict[str, Any]:
    """All there is to know about a run."""
    failures = [soak.failure] if soak.failure else []
    failures += [
        f"{v.link} {v.bet}: hands were not paid as often as the odds say "
        f"(p {'at most' if v.p_value <= LEAST_P else '='} {v.p_value:.2g})"
        for v in soak.verdicts
        if not v.passed
    ]
    elapsed_s = max(soak.elapsed_s, 1e-9)
    return {
        "passed": not failures,
        "stopped_early": soak.stopping,
        "failures": failures,
        "shortest_failure": soak.shortest_failure.lines() if soak.shortest_failure else [],
        "seed": soak.options.seed,
        "options": _options(soak),
        "at": datetime.now(UTC).astimezone().isoformat(timespec="seconds"),
        "machine": (
            f"{platform.system()} {platform.release()}, {platform.machine()}, "
            f"Python {platform.python_version()}, jackpot {version('jackpot-controller')}"
        ),
        "duration_s": round(elapsed_s, 1),
        "rounds": soak.rounds,
        "rounds_per_s": round(soak.rounds / elapsed_s, 1),
        "wagers": soak.transcript.wagers,
        "wagers_per_s": round(soak.transcript.wagers / elapsed_s, 1),
        "commands": dict(sorted(soak.transcript.counts.items())),
        "refusals": dict(soak.transcript.refusals.most_common()),
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


def felt_counts(soak: Soak) -> dict[str, int]:
    """Each fault of a run by name, and how often it was felt."""
    return {fault.name: fault.times_felt(soak) for fault in soak.faults}


def _faults(soak: Soak) -> dict[str, Any]:
    restarts = [seconds for each in soak.supervisors for seconds in each.restarts]
    counts, names = felt_counts(soak), sorted(soak.options.faults)
    found: dict[str, Any] = {
        "asked": {name: FAULTS[name].text for name in names},
        "happened": {name: counts.get(name, 0) for name in names},
        "impossible": dict(soak.impossible),
        "done": dict(sorted(soak.injector.how.items())) if soak.injector else {},
        "not_felt": dict(sorted(soak.injector.unfelt.items())) if soak.injector else {},
        "failed_commits": sum(c.failed_commits() for c in soak.controllers),
        "restarts": len(restarts),
        "restart_median_s": round(median(restarts), 2) if restarts else 0,
        "restart_longest_s": round(max(restarts, default=0), 2),
        "manager_acts": soak.manager.acts if soak.manager else 0,
    }
    for fault in soak.faults:
        found |= fault.figures(soak)
    return found


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
        {**key._asdict(), "count": count, "micros": awards.micros[key]}
        for key, count in sorted(awards.counts.items())
    ]


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "link": verdict.link,
        "bet": verdict.bet,
        "trials": verdict.trials,
        "chi_square": round(verdict.statistic, 3),
        "p": verdict.p_value,
        "passed": verdict.passed,
        "cells": [
            {**cell._asdict(), "expected": round(cell.expected, 2)} for cell in verdict.cells
        ],
    }


def _fault_log(soak: Soak) -> list[tuple[float, float, str]]:
    if not soak.injector:
        return []
    return [
        (round(start - soak.began, 2), round(end - soak.began, 2), what)
        for start, end, what in soak.injector.log
    ]
