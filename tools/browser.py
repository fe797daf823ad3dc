"""Find Chromium for the browser tests, or install Debian's package where that is allowed.

Never fails: without a browser the tests that need one skip, and say so. The same for certutil, by
which Chromium is made to trust the tests' own authority.
"""

import os
import shutil
import subprocess
import sys

SHELL = "chromium-headless-shell"  # most tests take it if it is there: in half the processor time
PACKAGES = {
    "chromium": ("chromium", "chromium-browser"),
    SHELL: (SHELL,),
    "libnss3-tools": ("certutil",),
}
INSTALL_S = 600


def missing() -> list[str]:
    """The packages of which there is nothing yet."""
    return [name for name, commands in PACKAGES.items() if not any(map(shutil.which, commands))]


def install() -> None:
    """Try Debian's packages."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", "install", "-y", "--no-install-recommends"]
    steps = [[*command, *missing()]]
    if missing() != [SHELL]:  # not every release has it
        steps += [["apt-get", "update"], *([*command, package] for package in missing())]
    for step in steps:
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
    elif "libnss3-tools" in missing():
        print("browser tests: those over TLS SKIPPED, no certutil (Debian's libnss3-tools)")
    else:
        print("browser tests: all")
    return 0


if __name__ == "__main__":
    sys.exit(main())
