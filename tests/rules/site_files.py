"""Operators' files as tests write them, and what is found in them."""

from pathlib import Path

from jackpot.core import config
from jackpot.rules.site import check_site, load_site
from jackpot.rules.toml_section import Violation

# The lines of a lawful link of Caribbean Stud.
CARIBBEAN = (
    'wager = "$1"',
    'pays = { straight-flush = "10% of main" }',
    'levels.main = { seed = "$10,000", reseed = "$5,000", primary = "71%" }',
)


def link(rule: str, bet: str, *lines: str) -> str:
    """A file with one link, whose own lines begin at line 7, and one table on it."""
    own = "\n".join(lines)
    return (
        f'[site]\nid = "s"\n[[links]]\nid = "one"\nrule = "{rule}"\nbet = "{bet}"\n{own}\n'
        '[[tables]]\nid = "t"\nlinks = ["one"]\nseats = 6\n'
    )


def written(tmp_path: Path, text: str) -> Path:
    """The text as a file."""
    path = tmp_path / "site.toml"
    path.write_text(text)
    return path


def faults(tmp_path: Path, text: str) -> tuple[Violation, ...]:
    """Everything that is wrong with a file."""
    return check_site(written(tmp_path, text)).violations


def only_link(tmp_path: Path, text: str) -> config.Link:
    """The link of a file without faults."""
    return load_site(written(tmp_path, text)).links[0]
