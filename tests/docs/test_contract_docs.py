"""What the page on a table's contract shows is what the program has."""

import json
from pathlib import Path

from jackpot.server.about import FEATURES
from jackpot.wire.service_config import SERVICE_CONFIG
from jackpot.wire.v1 import reason_pb2, table_pb2

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
