"""Run commands of `jackpot`, as an operator would while a run goes on."""

import asyncio
import json
import subprocess
import sys
from typing import Any


class CommandFailedError(Exception):
    """A command of `jackpot` that did not succeed, in one line."""


async def jackpot(*arguments: str) -> Any:
    """Run a command with `--json` among its arguments; what it prints.

    Not by the loop, for the reason that `ControllerProcess` gives.
    """
    command = (sys.executable, "-m", "jackpot", *arguments)
    done = await asyncio.to_thread(
        subprocess.run, command, capture_output=True, check=False, start_new_session=True
    )
    if done.returncode:
        raise CommandFailedError(f"jackpot {arguments[0]}: {done.stderr.decode().strip()}")
    return json.loads(done.stdout)
