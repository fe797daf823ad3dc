"""Cut a list into pages. A page token names what the page before ended with.

So a page follows the one before it whatever was added or taken away elsewhere meanwhile. If what
the token names is gone, nobody can say where to go on, and the caller begins again.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256
from typing import Any

from jackpot.server.codec.fields import malformed, whole
from jackpot.wire.limits import MAX_NUMBER, MAX_PAGE

_SAME_DIGITS = 16


def paged(request: Any, answer: Any) -> Any:
    """The page of an answer that a request asks for; whatever is no list stays as it is."""
    if "page_token" not in request.DESCRIPTOR.fields_by_name:
        return answer
    size = whole(request.page_size, "page_size", 0, MAX_NUMBER)
    size = min(size, MAX_PAGE) or MAX_PAGE
    (listed,) = (
        field.name
        for field in answer.DESCRIPTOR.fields
        if field.is_repeated and field.name != "next_page_token"
    )
    items = getattr(answer, listed)
    begin = _after(items, request.page_token) if request.page_token else 0
    if begin + size < len(items):
        answer.next_page_token = urlsafe_b64encode(_key(items[begin + size - 1]).encode()).decode()
        del items[begin + size :]
    del items[:begin]
    return answer


def _after(items: Any, token: str) -> int:
    try:
        last = urlsafe_b64decode(token).decode()
    except ValueError as error:
        raise malformed("page_token", "not a page token", token) from error
    for place, item in enumerate(items):
        if _key(item) == last:
            return place + 1
    raise malformed("page_token", "what it follows is gone; begin again", token)


def _key(item: Any) -> str:
    """What tells an item of a list from the others."""
    if isinstance(item, str):
        return item
    for name in ("id", "link", "principal"):
        if name in item.DESCRIPTOR.fields_by_name:
            return str(getattr(item, name))
    return sha256(item.SerializeToString(deterministic=True)).hexdigest()[:_SAME_DIGITS]
