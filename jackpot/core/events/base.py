"""The base of all events."""

from msgspec import Struct

# (account, micros) pairs that sum to zero.
Postings = tuple[tuple[str, int], ...]


class Event(Struct, frozen=True, gc=False, tag=True, omit_defaults=True):
    """Base of all events."""


class PayoutChange(Struct, frozen=True, gc=False):
    """An open payout's new amount, or that it is closed unpaid."""

    payout: int
    amount_micros: int
    meter_before_micros: int = 0
    closed: bool = False
    seat: int = 0  # where it is due from now on; 0: where it was
