"""The samples, each as a vendor has it: copied into an empty folder, and built."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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
    folder = copied("python", tmp_path_factory.mktemp("vendor"))
    subprocess.run([sys.executable, folder / "generate.py"], check=True)
    return folder


@pytest.fixture(scope="session")
def typescript_sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The TypeScript sample as a vendor copies it, built."""
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("the TypeScript sample needs Node.js and npm, which are not on this machine")
    folder = copied("typescript", tmp_path_factory.mktemp("vendor"))
    installed = subprocess.run(
        ["npm", "ci", "--no-audit", "--no-fund"], check=False, cwd=folder, capture_output=True
    )
    if installed.returncode != 0:
        pytest.skip("npm could not install what the TypeScript sample needs")
    subprocess.run(["npm", "run", "build"], check=True, cwd=folder, capture_output=True)
    return folder
