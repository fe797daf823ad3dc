"""A refusal in a terminal: dollars, percent and local time, never the wire's units."""

import time
from pathlib import Path

import pytest

from jackpot.cli.main import main
from jackpot.console import refusal_text
from jackpot.core.reasons import MEANINGS, Reason
from jackpot.wire.refusals import RefusedError
from tests.cli.in_process import run_here


@pytest.mark.parametrize(
    ("metadata", "shown"),
    [
        ({"micros": "19800000", "wanted": "500000000"}, "held $19.80, needed $500.00"),
        ({"minimum_bps": "7000", "primary_bps": "6550"}, "minimum 70%, primary 65.50%"),
        ({"limit_micros": "1000000", "link": "mega"}, "limit $1.00, link mega"),
        ({"expired_time": "2026-03-01T12:00:00Z"}, "expired 2026-03-01 07:00:00 EST"),
        ({"closed_time": "2026-03-01T12:00:00.123456Z"}, "closed 2026-03-01 07:00:00 EST"),
        ({"table": "t1", "request_id": "x"}, "request id x, table t1"),
        ({"wanted": "a name"}, "wanted a name"),
    ],
)
def test_details_have_the_units_of_people(
    metadata: dict[str, str], shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a refusal's details count, a person reads it without a calculator."""
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        text = refusal_text(RefusedError("INTERNAL", "No.", "WHY", metadata))
    finally:
        monkeypatch.undo()
        time.tzset()
    assert text == f"WHY: No. ({shown})"


def test_a_refusal_without_details_is_its_sentence() -> None:
    """Under its name, which a script or a manual can look up."""
    assert refusal_text(RefusedError("NOT_FOUND", "Gone.")) == "NOT_FOUND: Gone."


@pytest.mark.parametrize("reason", Reason)
def test_a_sentence_says_nothing_in_micros_or_basis_points(reason: Reason) -> None:
    """It is one sentence or two, and ends like one."""
    sentence = MEANINGS[reason].sentence
    assert sentence.endswith(".")
    assert not {"micros", "bps"} & set(sentence.split())


@pytest.mark.parametrize(
    ("address", "copied"),
    [
        ("postgresql://db1/jackpot", "postgresql://db1/jackpot"),
        (
            "postgresql://u@db1/jackpot?sslmode=require",
            "'postgresql://u@db1/jackpot?sslmode=require'",
        ),
        ("postgresql://u:secret@db1:7/jackpot", "postgresql://u@db1:7/jackpot"),
    ],
)
def test_a_database_is_restored_with_a_command_to_copy(
    tmp_path: Path, address: str, copied: str
) -> None:
    """It runs as it is printed, and shows no password."""
    done = run_here(main, "restore", str(tmp_path), "--data", address, "--reason", "x")
    command = f"jackpot restore --accept-rollback --data {copied} --reason WHY"
    assert done.stderr == f"Error: restore PostgreSQL with its own tools, then run: {command}\n"
