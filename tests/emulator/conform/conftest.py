"""The samples, each as a vendor has it: copied into an empty folder, and built once a run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.once import made_once

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = ROOT / "samples"


def copied(language: str, vendor: Path) -> Path:
    """A sample in an empty folder, copied there by the very commands of its page."""
    page = (SAMPLES / language / "README.md").read_text()
    block = next(each for each in page.split("```sh\n") if each.startswith("mkdir ~/my-table"))
    home = {**os.environ, "HOME": str(vendor)}
    subprocess.run(["sh", "-ec", block.partition("```")[0]], check=True, cwd=ROOT, env=home)
    return vendor / "my-table"


@pytest.fixture(scope="session")
def python_sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plain Python sample as a vendor copies it, with its gRPC code."""
    sample = made_once(tmp_path_factory, "python-vendor", _python)
    assert sample is not None
    return sample


def _python(vendor: Path) -> Path:
    folder = copied("python", vendor)
    subprocess.run([sys.executable, folder / "generate.py"], check=True)
    return folder


@pytest.fixture(scope="session")
def typescript_sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The TypeScript sample as a vendor copies it, built."""
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("the TypeScript sample needs Node.js and npm, which are not on this machine")
    sample = made_once(tmp_path_factory, "typescript-vendor", _typescript)
    if sample is None:
        pytest.skip("npm could not install what the TypeScript sample needs")
    return sample


def _typescript(vendor: Path) -> Path | None:
    folder = copied("typescript", vendor)
    installed = subprocess.run(
        ["npm", "ci", "--no-audit", "--no-fund"], check=False, cwd=folder, capture_output=True
    )
    if installed.returncode != 0:
        return None
    subprocess.run(["npm", "run", "build"], check=True, cwd=folder, capture_output=True)
    return folder
