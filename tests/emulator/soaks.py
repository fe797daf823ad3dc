"""Small soaks for the tests of the soak."""

from pathlib import Path
from typing import Any

import pytest

from emulator.soak.options import Options
from emulator.soak.run_soak import run_soak

BUGGY = Path(__file__).with_name("buggy_controller.py")
SOAK_TIMEOUT = pytest.mark.timeout(300)  # it is played against the clock of a busy machine


def soak(folder: Path, **options: Any) -> dict[str, Any]:
    """A small run with every award path walked; by default a controller is a single process."""
    return run_soak(Options(**{"tables": 9, "rigged": True, "fronts": 0, **options}), folder)
