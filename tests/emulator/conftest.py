"""The site that the auditor is tried on."""

from pathlib import Path

import pytest


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A file with a link of each kind, and a table for each."""
    path = tmp_path / "site.toml"
    path.write_text(
        """
[site]
id = "house"
dual_control = false

[[links]]
id = "five"
rule = "pa-crazy-4-poker"
bet = "five-card-progressive"
paytable = "A"
wager = "$1"
in_service = true

[[links]]
id = "four"
rule = "pa-crazy-4-poker"
bet = "four-card-progressive"
paytable = "B"
wager = "$5"
in_service = true

[[links]]
id = "bonus"
rule = "pa-crazy-4-poker"
bet = "five-card-hand-bonus"
wager = "$1"
magic_share = "0%"
lucky_share = "0%"
in_service = true

[[links]]
id = "stud"
rule = "pa-2011-caribbean-stud"
bet = "progressive"
wager = "$1"
in_service = true
levels.main = { seed = "$10,000", reseed = "$10,000", primary = "75%" }
pays.straight-flush = "10% of main"

[[tables]]
id = "a"
links = ["five", "bonus"]

[[tables]]
id = "b"
links = ["four"]

[[tables]]
id = "c"
links = ["stud"]
"""
    )
    return path
