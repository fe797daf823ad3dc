"""Whether a refused command has used its number, by the reason of the refusal.

A table that is refused must know which number its next command has.
"""

from typing import Literal

from jackpot.core.reasons import Reason

NumberUse = Literal["used", "unused", "used-if-readable", "not-known"]
# A table's command that is refused for one of these has not used its number; for any other reason
# it has, if its number was the next, and the refusal is journaled. MALFORMED and TOO_MANY use it
# wherever site, table, epoch and number can be read. After STORE_UNAVAILABLE it is not known.
NO_NUMBER: frozenset[Reason] = frozenset(
    {
        Reason.UNAUTHENTICATED,
        Reason.NOT_ALLOWED,
        Reason.OVERLOADED,
        Reason.STARTING,
        Reason.DRAINING,
        Reason.STORE_UNAVAILABLE,
        Reason.SITE_HALTED,
        Reason.UNKNOWN_SITE,
        Reason.UNKNOWN_TABLE,
        Reason.OTHER_INCARNATION,
        Reason.NOT_ATTACHED,
        Reason.FENCED,
        Reason.REQUEST_REUSED,
        Reason.REQUEST_TOO_OLD,
        Reason.NUMBER_GAP,
        Reason.NO_PINS,
    }
)


def number_use(reason: Reason) -> NumberUse:
    """Whether a table's command that is refused for this reason has used its number."""
    if reason is Reason.STORE_UNAVAILABLE:
        return "not-known"
    if reason in (Reason.MALFORMED, Reason.TOO_MANY):
        return "used-if-readable"
    return "unused" if reason in NO_NUMBER else "used"
