"""What the page on a table's contract shows is what the program has."""

import json
from pathlib import Path

from jackpot.core.reasons import Reason
from jackpot.server.about import FEATURES
from jackpot.wire.channels import SERVICE_CONFIG
from jackpot.wire.v1 import reason_pb2, table_pb2
from tests.core.number_use import number_use

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


def test_the_service_config_is_the_one_that_our_client_uses() -> None:
    """A vendor can copy it."""
    page = (REFERENCE / "table-contract.md").read_text()
    shown = page.split("```json\n")[1].split("```")[0]
    assert json.loads(shown) == SERVICE_CONFIG


def test_the_page_has_every_phase_and_retry_class() -> None:
    """A client that follows it is never without an answer."""
    page = (REFERENCE / "table-contract.md").read_text()
    named = [*table_pb2.RoundPhase.keys()[1:], *reason_pb2.RetryClass.keys()[1:]]
    for name in named:
        assert f"| {name.removeprefix('ROUND_PHASE_').removeprefix('RETRY_CLASS_')} |" in page


def test_every_feature_is_explained() -> None:
    """In the table of the API page."""
    page = (REFERENCE / "api.md").read_text()
    assert all(f"| `{feature}` |" in page for feature in FEATURES)


def test_the_page_agrees_with_the_reasons_on_which_numbers_are_used() -> None:
    """A row that names a reason has its number use, in the same word."""
    page = (REFERENCE / "table-contract.md").read_text()
    section = page.split("## Which refusals use a number")[1].split("##")[0]
    rows = [line.split("|")[1:3] for line in section.splitlines() if line.startswith("| ")]
    words = {"used": "used", "unused": "not used", "not-known": "not known"}
    found = {
        reason: use.strip().partition(":")[0]
        for names, use in rows
        for reason in Reason
        if f"`{reason.value}`" in names and number_use(reason) in words
    }
    assert found == {reason: words[number_use(reason)] for reason in found}
    assert {reason for reason in Reason if number_use(reason) == "unused"} <= found.keys()


def test_the_python_snippet_reads_the_option() -> None:
    """As the generated code has it, but for its package."""
    page = (REFERENCE / "table-contract.md").read_text()
    snippet = page.split("```python\n")[1].split("```")[0]
    exec(snippet.replace("jackpot.v1", "jackpot.wire.v1"), {})
