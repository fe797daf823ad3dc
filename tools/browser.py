"""Find Chromium for the browser tests, or install Debian's package where that is allowed.

Never fails: without a browser the tests that need one skip, and say so. The same for certutil, by
which Chromium is made to trust the tests' own authority.
"""

import os
import shutil
import subprocess
import sys

PACKAGES = {"chromium": ("chromium", "chromium-browser"), "libnss3-tools": ("certutil",)}
INSTALL_S = 600


def missing() -> list[str]:
    """The packages of which there is nothing yet."""
    return [name for name, commands in PACKAGES.items() if not any(map(shutil.which, commands))]


def install() -> None:
    """Try Debian's packages."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", "install", "-y", "--no-install-recommends", *missing()]
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
        if not missing():
            return


def main() -> int:
    """Say what there is."""
    if missing() and os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"browser tests: installing Debian's {', '.join(missing())} ...", flush=True)
        install()
    if "chromium" in missing():
        print("browser tests: SKIPPED, no Chromium; as root on Debian `make browser` installs it")
    elif missing():
        print("browser tests: those over TLS SKIPPED, no certutil (Debian's libnss3-tools)")
    else:
        print("browser tests: all")
    return 0


if __name__ == "__main__":
    sys.exit(main())
