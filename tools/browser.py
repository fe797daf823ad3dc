"""Find Chromium for the browser tests, or install Debian's package where that is allowed.

Never fails: without a browser the tests that need one skip, and say so.
"""

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser")
INSTALL_S = 600


def find() -> str | None:
    """Where Chromium is."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def install() -> bool:
    """Try Debian's package; whether there is a browser afterwards."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", "install", "-y", "--no-install-recommends", "chromium"]
    for step in (command, ["apt-get", "update"], command):
        try:
            subprocess.run(
                step,
                env=environment,
                timeout=INSTALL_S,
                check=False,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            print(f"browser tests: {error}")
        if find():
            return True
    return False


def main() -> int:
    """Say what there is."""
    if found := find():
        print(f"browser tests: with {found}")
    elif os.geteuid() != 0 or not shutil.which("apt-get"):
        print("browser tests: SKIPPED, no Chromium; as root on Debian `make browser` installs it")
    else:
        print("browser tests: no Chromium yet, installing Debian's package ...", flush=True)
        done = install()
        print(f"browser tests: {'installed' if done else 'SKIPPED, it could not be installed'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
