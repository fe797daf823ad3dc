"""Write requirements.lock: requirements.txt with the SHA-256 of every file that pip would install.

The hashes are those of one platform, Linux on x86-64 with the Python that runs this: packages with
compiled code have another file for each. So requirements.txt stays without, for all others, and a
controller's machine installs with `pip install --require-hashes -r requirements.lock`.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK, PINNED = ROOT / "requirements.lock", ROOT / "requirements.txt"
HEAD = """\
# requirements.txt with hashes, for Linux on x86-64 with Python {python}: written by tools/lock.py.
# Install with: pip install --require-hashes -r requirements.lock
"""


def locked() -> str:
    """What pip finds for every pinned requirement, with its hash."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--no-deps"]
    command += ["--ignore-installed", "--report", "-", "-r", str(PINNED)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = {}
    for each in json.loads(done.stdout)["install"]:
        about = each["metadata"]
        digest = each["download_info"]["archive_info"]["hashes"]["sha256"]
        found[about["name"]] = (
            f"{about['name']}=={about['version']} \\\n    --hash=sha256:{digest}\n"
        )
    python = ".".join(map(str, sys.version_info[:2]))
    return HEAD.format(python=python) + "".join(
        found[name] for name in sorted(found, key=str.lower)
    )


if __name__ == "__main__":
    LOCK.write_text(locked())
    print(f"wrote {LOCK.name}")
