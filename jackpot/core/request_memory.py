"""Remember which requests were answered: each principal's apart, and each table's attachments.

Every answered request is either still recent or at or below a forgotten mark, so none is carried
out twice. And nobody's flood or fast clock costs anybody else an answer:

- A principal's own mark is for that principal only. The smallest id is dropped first, so a few ids
  from a clock that runs ahead stay, and the mark follows the true time.
- Tables can't make principals: an attachment is remembered at its table. Principals are people whom
  the authority gave a certificate, and the controller itself. Without TLS a caller on the same
  machine may take any name.
- When there is one principal too many, the one whose last id is the smallest is dropped, and that
  id becomes the mark for all principals that are not remembered. To push it ahead of time takes a
  thousand principals with ids from the future.

How far ahead of its clock the controller takes an id is for `jackpot/server/codec/fields.py`.
"""

from jackpot.core.commands.base import OperatorOrigin
from jackpot.core.commands.operator import AttachTable
from jackpot.core.events import AnyEvent, Refused
from jackpot.core.events.table import TableAttached
from jackpot.core.state import (
    MAX_PRINCIPALS,
    RECENT_ATTACHES,
    RECENT_REQUESTS,
    Answer,
    RequestMemory,
    State,
)


def requests_of(state: State, principal: str) -> RequestMemory:
    """What is remembered of a principal; of one who is not, that old ids may have been answered."""
    found = state.requests_by.get(principal)
    return RequestMemory(forgotten=state.forgotten_request) if found is None else found


def remember(state: State, origin: OperatorOrigin, event: AnyEvent, answer: Answer) -> None:
    """Note what a request was answered."""
    if (table_id := _attached(event)) is None:
        remember_request(state, origin.principal, origin.request_id, answer)
    elif table := state.tables.get(table_id):
        keep(table.attaches, origin.request_id, answer, RECENT_ATTACHES)


def remember_request(state: State, principal: str, request_id: str, answer: Answer) -> None:
    """Note the answer to a principal's request."""
    memory = state.requests_by[principal] = requests_of(state, principal)
    keep(memory, request_id, answer, RECENT_REQUESTS)
    if len(state.requests_by) > MAX_PRINCIPALS:
        last = {name: _last(kept) for name, kept in state.requests_by.items()}
        dropped = min(last, key=lambda name: last[name])
        del state.requests_by[dropped]
        state.forgotten_request = max(state.forgotten_request, last[dropped])


def keep(memory: RequestMemory, request_id: str, answer: Answer, most: int) -> None:
    """Add an answer, and drop the one with the smallest id where there are too many."""
    memory.recent[request_id] = answer
    if len(memory.recent) > most:
        smallest = min(memory.recent)
        del memory.recent[smallest]
        memory.forgotten = max(memory.forgotten, smallest)


def _last(memory: RequestMemory) -> str:
    return max([memory.forgotten, *memory.recent])


def _attached(event: AnyEvent) -> str | None:
    """The table whose attachment an event answers; None: it answers another request."""
    match event:
        case TableAttached(table=table_id):
            return table_id
        case Refused(command=AttachTable.__name__, details=details):
            return details.get("table", "")
    return None


def agree(one: State, other: State) -> bool:
    """Whether two states remember the same, but for what either has forgotten."""
    principals = one.requests_by.keys() | other.requests_by.keys()
    pairs = [(requests_of(one, name), requests_of(other, name)) for name in principals]
    pairs += [(table.attaches, other.tables[name].attaches) for name, table in one.tables.items()]
    return all(_covers(a, b) and _covers(b, a) for a, b in pairs)


def _covers(memory: RequestMemory, other: RequestMemory) -> bool:
    """Whether what the other has is remembered likewise here, or known to be old."""
    return all(
        memory.recent[request_id] == answer
        if request_id in memory.recent
        else request_id <= memory.forgotten
        for request_id, answer in other.recent.items()
    )
