"""Tasks of a run that are awaited together, and what is said of one that failed."""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any


def in_words(error: BaseException) -> str:
    """The first of what went wrong."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"


async def end(tasks: Iterable["asyncio.Task[None]"]) -> None:
    """Cancel tasks, and see them out."""
    ending = list(tasks)
    for task in ending:
        task.cancel()
    await asyncio.gather(*ending, return_exceptions=True)


async def while_kept(
    work: Coroutine[Any, Any, None], keepers: Iterable["asyncio.Task[None]"]
) -> None:
    """Do what needs the controllers; if one of them can't be kept running, that is the failure."""
    doing = asyncio.create_task(work)
    try:
        done, _ = await asyncio.wait({doing, *keepers}, return_when=asyncio.FIRST_COMPLETED)
        for task in done - {doing}:
            task.result()
        await doing
    finally:
        await end([doing])
