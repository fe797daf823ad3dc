"""Draw a soak's report as one page: rates over time, latencies, and hits against the odds."""

import itertools
from html import escape
from typing import Any

from emulator import report_html
from emulator.output import counted, dollars, duration
from emulator.soak.report.text import VERIFIED, circumstances
from jackpot import charts


def html_page(report: dict[str, Any]) -> str:
    """The whole page."""
    good = report["passed"]
    verdict = "Passed" if good else "Failed"
    early = ", stopped early" if report["stopped_early"] else ""
    agree = "agree with the auditor" if good else "were audited"
    head = (
        f"<h1>Soak, seed {escape(str(report['seed']))}</h1>"
        f'<p><span class="verdict {"good" if good else "bad"}">{verdict}{early}.</span> '
        f"{report['wagers']:,} wagers, {report['rounds']:,} rounds, "
        f"{counted(report['options']['tables'], 'table')}, {report['options']['deck']} deck, in "
        f"{duration(report['duration_s'])}. {report['audited']:,} answers and "
        f"{report['observations']:,} views of meters and accounts {agree}.</p>"
        f"<p>{escape('; '.join(circumstances(report)))}.</p>"
    )
    failures = "".join(f'<p class="bad">{escape(text)}</p>' for text in report["failures"])
    if report["kept"] and not good:
        failures += f"<p>Kept in {escape(report['kept'])}.</p>"
    if report["shortest_failure"]:
        failures += f"<pre>{escape(chr(10).join(report['shortest_failure']))}</pre>"
    parts = [head, failures, _tiles(report), *_over_time(report), *_faults(report)]
    parts += [*_signs(report), *_meters(report), *_hits(report), *_tables(report)]
    return report_html.page(f"Soak {report['seed']}: {verdict.lower()}{early}", "".join(parts))


def _tiles(report: dict[str, Any]) -> str:
    latency, shares = report["latency_ms"], [a for a in report["awards"] if a["kind"] == "share"]
    return report_html.tiles(
        {
            "wagers per second": f"{report['wagers_per_s']:,.0f}",
            "rounds per second": f"{report['rounds_per_s']:,.0f}",
            "p50": duration(latency["p50"] / 1000),
            "p99": duration(latency["p99"] / 1000),
            "p99.9": duration(latency["p99.9"] / 1000),
            "oldest sign": duration(max(ages["longest"] for ages in report["sign_age_ms"]) / 1000),
            "awards from meters": f"{sum(a['count'] for a in shares):,}",
            "paid by meters": dollars(sum(a["micros"] for a in shares)),
            "faults that had an effect": f"{sum(report['faults']['happened'].values()):,}",
            "restarts": f"{report['faults']['restarts']:,}",
            "journal": VERIFIED[report["journal_verified"]],
        }
    )


def _over_time(report: dict[str, Any]) -> list[str]:
    samples = report["samples"]
    bands = [charts.Band(*entry) for entry in report["fault_log"]]
    pairs = list(itertools.pairwise(samples))

    def rate(key: str) -> list[tuple[float, float]]:
        return [(b["at_s"], (b[key] - a[key]) / max(b["at_s"] - a["at_s"], 1e-9)) for a, b in pairs]

    def over_time(title: str, series: dict[str, list[tuple[float, float]]]) -> str:
        return charts.lines(title, series, x_title="seconds", bands=bands, from_zero=True)

    memory = [(s["at_s"], s["resident_mb"]) for s in samples]
    buckets = report["latency_buckets"]
    drawn = [
        over_time("Rounds per second", {"rounds": rate("rounds")}),
        over_time("Wagers per second", {"wagers": rate("wagers")}),
        charts.histogram(
            "Latency of answers, faults included",
            buckets,
            x_words=duration,
            marks={name: report["latency_ms"][name] / 1000 for name in ("p50", "p99", "p99.9")},
        ),
        over_time("Memory of the controllers, MB", {"resident": memory}),
    ]
    says = "Shaded: something was done to a controller or a connection." if bands else ""
    return report_html.section("Over time", drawn, says)


def _signs(report: dict[str, Any]) -> list[str]:
    rows = [
        (
            ages["controller"],
            duration(ages["watched_s"]),
            f"{ages['changes']:,}",
            *(duration(ages[name] / 1000) for name in ("p50", "p99", "longest")),
            duration(report["options"]["sign_limit_s"]),
        )
        for ages in report["sign_age_ms"]
    ]
    head = ["controller", "watched", "changes shown", "p50", "p99", "oldest", "limit"]
    return _table("Age of signs behind the journal", head, rows)


def _meters(report: dict[str, Any]) -> list[str]:
    samples = report["samples"]
    names = sorted(samples[-1]["meters"]) if samples else []
    drawn = [
        charts.lines(
            name,
            {name: [(s["at_s"], s["meters"][name]) for s in samples]},
            x_title="seconds",
            y_words=dollars,
        )
        for name in names
    ]
    return report_html.section("Meters", drawn)


def _hits(report: dict[str, Any]) -> list[str]:
    drawn = []
    for hit in report["hits"]:
        cells = hit["cells"]
        labels = [_short(cell["hands"]) for cell in cells]
        mark = "" if hit["passed"] else ", DIFFERS from the odds"
        title = f"{hit['link']}, {hit['bet']}: {hit['trials']:,}, p = {hit['p']:.3f}{mark}"
        bars = {name: [cell[name] for cell in cells] for name in ("seen", "expected")}
        drawn.append(charts.bars(title, labels, bars, log_y=True))
    rate = report["hits_error_rate"]
    says = (
        f"Chi-square, one test per bet. Together they fail a correct controller in {rate:.1%} of "
        "runs. Only hands left to chance count."
    )
    return report_html.section("Hits against exact odds", drawn, says)


def _short(hands: str) -> str:
    names = hands.split(" + ")
    first = names[0].replace("-", " ")
    return first if len(names) == 1 else f"{first} +{len(names) - 1}"


def _tables(report: dict[str, Any]) -> list[str]:
    awards = [
        (
            a["link"],
            a["level"] or "house",
            a["kind"],
            a["hand"],
            f"{a['count']:,}",
            dollars(a["micros"]),
        )
        for a in report["awards"]
    ]
    accounts = [
        (link, account, dollars(amount))
        for link, held in report["accounts"].items()
        for account, amount in held.items()
    ]
    return [
        *_table("Awards", ["link", "paid by", "kind", "hand", "count", "total"], awards),
        *_table("Accounts at the end", ["link", "account", "amount"], accounts),
        *_table("Refusals", ["reason", "count"], list(report["refusals"].items())),
    ]


def _table(title: str, head: list[str], rows: list[tuple[Any, ...]]) -> list[str]:
    return [f"<h2>{title}</h2>", report_html.table(head, rows)] if rows else []


def _faults(report: dict[str, Any]) -> list[str]:
    faults = report["faults"]
    if not faults["asked"]:
        return []
    kinds = [
        (fault, says, faults["impossible"].get(fault) or f"{faults['happened'][fault]:,}")
        for fault, says in faults["asked"].items()
    ]
    done = [
        *faults["done"].items(),
        *((f"{what} (no effect)", count) for what, count in faults["not_felt"].items()),
        *((what.replace("_", " ").lower(), n) for what, n in faults.get("devices", {}).items()),
    ]
    counts = [
        (name.removesuffix("_s").replace("_", " "), _figure(name, value))
        for name, value in faults.items()
        if not isinstance(value, dict)
    ]
    return [
        "<h2>Faults</h2>",
        report_html.table(["kind", "what is done", "times it had an effect"], kinds),
        "<details><summary>Details</summary>",
        report_html.table(["what", "times"], [*done, *counts]),
        "</details>",
    ]


def _figure(name: str, value: Any) -> str:
    values = value if isinstance(value, list) else [value]
    return ", ".join(duration(each) if name.endswith("_s") else f"{each:,}" for each in values)
