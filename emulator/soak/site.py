"""Write the site that a soak plays: links of every kind that the rules know, and its tables."""

from pathlib import Path

SITE = "soak"
MAX_TABLES = 1_000  # what a site may have
HERD = "herd"  # tables that only connect

_PA, _PA2011, _MA = "pa-crazy-4-poker", "pa-2011-crazy-4-poker", "ma-crazy-4-poker"
_CARIBBEAN, _RIDE = "pa-2011-caribbean-stud", "pa-2010-let-it-ride"

_LINKS = f"""
[[links]]
id = "five-card"
rule = "{_PA}"
bet = "five-card-progressive"
paytable = "A"
wager = "$1"
in_service = true

[[links]]
id = "hand-bonus"
rule = "{_PA}"
bet = "five-card-hand-bonus"
wager = "$1"
magic_share = "5%"
lucky_share = "10%"
in_service = true

[[links]]
id = "mega"
rule = "{_PA}"
bet = "five-card-progressive"
paytable = "C"
wager = "$5"
in_service = true

[[links]]
id = "four-card"
rule = "{_PA}"
bet = "four-card-progressive"
paytable = "B"
wager = "$5"
in_service = true

[[links]]
id = "caribbean"
rule = "{_CARIBBEAN}"
bet = "progressive"
wager = "$1"
in_service = true
levels.main = {{ seed = "$20,000", reseed = "$15,000", primary = "71.25%", reserve = "3%" }}
pays.straight-flush = "10% of main"

[[links]]
id = "let-it-ride"
rule = "{_RIDE}"
bet = "bonus"
wager = "$1"
in_service = true

[[links]]
id = "bay-five"
rule = "{_MA}"
bet = "five-card-progressive"
wager = "$1"
in_service = true

[links.levels.main]
seed = "$10,000"
reseed = "$10,000"
primary = "20.01%"
reserve = "5.5%"
limit = "$10,040"
reserve_mode = "fund"

[[links]]
id = "old-four"
rule = "{_PA2011}"
bet = "progressive"
paytable = "A"
wager = "$1"
in_service = true
levels.main = {{ seed = "$5,000", reseed = "$6,000", primary = "33.33%", limit = "$6,010" }}
"""
# What stands at each table, round and round.
_KINDS = (
    ('["five-card", "hand-bonus"]', "boxes_per_player = 2"),
    ('["mega"]', ""),
    ('["four-card", "hand-bonus"]', ""),
    ('["caribbean"]', ""),
    ('["five-card"]', "boxes_per_player = 3"),
    ('["bay-five"]', "seats = 6"),
    ('["let-it-ride"]', ""),
    ('["old-four"]', ""),
    ('["mega", "hand-bonus"]', "boxes_per_player = 2"),
)


def table_names(tables: int) -> list[str]:
    """The tables that play."""
    return [f"table-{number:03d}" for number in range(1, tables + 1)]


def herd_names(tables: int) -> list[str]:
    """The tables that only connect, so that with those that play a site is full."""
    return [f"{HERD}-{number:03d}" for number in range(1, MAX_TABLES - tables + 1)]


def site_text(tables: int, *, herd: bool) -> str:
    """The site file for so many tables."""
    head = f'[site]\nid = "{SITE}"\ndual_control = false\nshortest_round_seconds = 0\n'
    parts = [head, _LINKS]
    for place, name in enumerate(table_names(tables)):
        links, more = _KINDS[place % len(_KINDS)]
        parts.append(f'[[tables]]\nid = "{name}"\nlinks = {links}\n{more}\n')
    if herd:
        parts += [
            f'[[tables]]\nid = "{name}"\nlinks = ["five-card"]\n' for name in herd_names(tables)
        ]
    return "\n".join(parts)


def write_site(folder: Path, tables: int, *, herd: bool) -> Path:
    """Write the site file into a folder."""
    path = folder / "site.toml"
    path.write_text(site_text(tables, herd=herd), "utf-8")
    return path
