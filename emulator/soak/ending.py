"""End a run: pay and answer everything, look at everything once more, verify the journal."""

import asyncio
from typing import TYPE_CHECKING

from emulator.soak.site import SITE
from jackpot.verify import verify

if TYPE_CHECKING:
    from emulator.soak.run import Soak

SETTLE_S = 120.0  # for everything to be answered
SIGNS_S = 10.0  # for the last change to be on every sign
_AGAIN_S = 0.1


async def settle_up(soak: "Soak") -> None:
    """Pay what is due, wait for all answers, and look at everything once more."""
    if soak.floor is None:
        raise AssertionError("set up before")
    await soak.floor.finish(soak.draw)
    await soak.transcript.all_answered(SETTLE_S)
    soak.failure = await _last_look(soak)


async def stop_and_verify(soak: "Soak") -> None:
    """Stop the controllers in good order; then the journal is checked from its first entry."""
    for controller in soak.controllers:
        code = await controller.stop()
        if code and not soak.failure:
            soak.failure = f"a controller did not stop cleanly (exit code {code})"
    soak.say("Verifying the journal.")
    found = await asyncio.to_thread(verify, soak.store, None, SITE)
    soak.verified = found.ok
    if not found.ok and not soak.failure:
        soak.failure = f"the journal does not verify: {found}"


async def _last_look(soak: "Soak") -> str:
    """See that every account, list and sign is as in the books; what is not, or ""."""
    for _ in soak.controllers:  # they take turns
        for rpc in ("ListLinks", "ListPayouts", "ListTables"):
            await soak.staff.look(rpc)
        for account in list(soak.auditor.books.accounts):
            await soak.staff.look("GetAccount", account=account)
    behind = await _behind(soak)
    if soak.transcript.contradiction:
        return str(soak.transcript.contradiction)
    if soak.transcript.under_way:
        return f"{soak.transcript.under_way} commands were never answered{soak.transcript.given_up}"
    if soak.auditor.waiting:
        return f"{soak.auditor.waiting} answers could not be audited"
    return behind


async def _behind(soak: "Soak") -> str:
    """What the signs still don't show, after a while in which they could."""
    loop = asyncio.get_running_loop()
    until = loop.time() + SIGNS_S
    signs = soak.auditor.signs
    while behind := next(filter(None, map(signs.behind, soak.staff.shown)), ""):
        if loop.time() > until or soak.transcript.contradiction:
            break
        await asyncio.sleep(_AGAIN_S)
    return behind
