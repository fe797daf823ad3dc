"""A device process of one's own: started, and gone when its parent is."""

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator

from table_client.table.devices.refusals import DeviceLost

_COMMAND = (sys.executable, "-c", "from emulator.cli import main; main()", "devices")
_END_S = 5.0


@contextlib.asynccontextmanager
async def device_process(*options: str) -> AsyncIterator[str]:
    """`jackpot-emulator devices` for as long as this lasts; its address.

    It has a session of its own, so that Ctrl-C reaches the parent alone, which ends it in order;
    and it stops when its standard input ends, so that it does not outlive a parent that was killed.
    """
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *(*_COMMAND, "--listen", "127.0.0.1:0", "--json", "--until-eof", *options),
        stdin=pipe,
        stdout=pipe,
        start_new_session=True,
    )
    try:
        line = await process.stdout.readline() if process.stdout else b""
        if not line:
            raise DeviceLost("the device process did not start")
        draining = asyncio.create_task(_drain(process.stdout))
        try:
            yield str(json.loads(line)["address"])
        finally:
            draining.cancel()
    finally:
        await _end(process)


async def _drain(log: asyncio.StreamReader | None) -> None:
    """Keep its log from filling up."""
    while log and await log.readline():
        pass


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        try:
            await asyncio.wait_for(process.wait(), _END_S)
        except TimeoutError:
            process.kill()
            await process.wait()
