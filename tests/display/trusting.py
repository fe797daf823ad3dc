"""A Chromium that trusts the house's own authority, as those of the staff do."""

import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import async_playwright

from tests.display.browser import CHROMIUM, FLAGS, WHY, Browser

CERTUTIL = shutil.which("certutil")
WHY_NOT = "no certutil (Debian's libnss3-tools): `make browser` as root tries to install it"


def import_authority(home: Path, authority: Path) -> None:
    """Put an authority where Chromium looks for those of its user."""
    store = home / ".pki" / "nssdb"
    store.mkdir(parents=True)
    database = f"sql:{store}"
    assert CERTUTIL is not None
    for command in (
        ["-N", "--empty-password"],
        ["-A", "-n", "house", "-t", "C,,", "-i", authority],
    ):
        subprocess.run([CERTUTIL, "-d", database, *map(str, command)], check=True)


@asynccontextmanager
async def trusting_browser(home: Path, authority: Path) -> AsyncIterator[Browser]:
    """Chromium with a home of its own, where the authority is imported; else none is trusted."""
    if CHROMIUM is None:
        pytest.skip(WHY)
    if CERTUTIL is None:
        pytest.skip(WHY_NOT)
    import_authority(home, authority)
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=FLAGS, env={**os.environ, "HOME": str(home)}
        )
        try:
            yield Browser(chromium)
        finally:
            await chromium.close()
