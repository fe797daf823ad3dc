"""All pages of a list as one: what a client gets when it wants everything."""

from collections.abc import Awaitable, Callable
from typing import Any


def all_pages(call: Callable[[Any], Any], request: Any) -> Any:
    """The whole list; `call` is asked for one page after the other."""
    answer = call(request)
    while token := getattr(answer, "next_page_token", ""):
        _join(answer, call(_next(request, token)))
    return answer


async def all_pages_async(call: Callable[[Any], Awaitable[Any]], request: Any) -> Any:
    """The same in a loop."""
    answer = await call(request)
    while token := getattr(answer, "next_page_token", ""):
        _join(answer, await call(_next(request, token)))
    return answer


def _next(request: Any, token: str) -> Any:
    following = type(request)()
    following.CopyFrom(request)
    following.page_token = token
    return following


def _join(answer: Any, page: Any) -> None:
    answer.next_page_token = ""
    answer.MergeFrom(page)  # lists grow, and the sequence is the last page's
