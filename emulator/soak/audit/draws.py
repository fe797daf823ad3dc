"""Draw again what a lock-out says that it drew, from the random bytes that it tells."""

import struct
from collections.abc import Iterable
from typing import Any

from emulator.soak.audit.terms import WHOLE_BPS, TableTerms
from jackpot.wire.v1 import table_pb2 as pb

_RANKS, _SUITS = "23456789TJQKA", "cdhs"
_NUMBERS = struct.Struct(">QQQQ")


def problem(terms: TableTerms, told: pb.LockOutResponse) -> str:
    """What is wrong with the draws of a lock-out, or nothing."""
    must = [link for link in terms.links if link.magic_bps or link.lucky_bps]
    if [drawn.link for drawn in told.draws] != [link.id for link in must]:
        return f"drawn for {[drawn.link for drawn in told.draws]}"
    if len({drawn.entropy for drawn in told.draws}) != len(must):
        return "two links drew from the same random bytes"
    for link, drawn in zip(must, told.draws, strict=True):
        if len(drawn.entropy) != _NUMBERS.size:
            return f"{link.id} was drawn from {len(drawn.entropy)} random bytes"
        magic, card, lucky, place = _NUMBERS.unpack(drawn.entropy)
        again = pb.Draw(link=link.id, entropy=drawn.entropy)
        if magic % WHOLE_BPS < link.magic_bps:
            rank, suit = divmod(card % (len(_RANKS) * len(_SUITS)), len(_SUITS))
            again.magic_card = _RANKS[rank] + _SUITS[suit]
        if lucky % WHOLE_BPS < link.lucky_bps:
            again.lucky_position = place % (terms.seats + 1)
        if drawn != again:
            return f"{link.id} drew {_said(drawn)}, its random bytes say {_said(again)}"
    first = pb.LockOutResponse(**first_of(told.draws))
    same = first.magic_card == told.magic_card and _place(first) == _place(told)
    return "" if same else "the first draws are told as others"


def first_of(draws: Iterable[pb.Draw]) -> dict[str, Any]:
    """The first Magic Card and lucky position, as rounds and lock-outs tell them."""
    found: dict[str, Any] = {}
    for drawn in draws:
        if drawn.magic_card:
            found.setdefault("magic_card", drawn.magic_card)
        if drawn.HasField("lucky_position"):
            found.setdefault("lucky_position", drawn.lucky_position)
    return found


def _place(told: "pb.Draw | pb.LockOutResponse") -> int | None:
    return told.lucky_position if told.HasField("lucky_position") else None


def _said(drawn: pb.Draw) -> str:
    return f"card {drawn.magic_card or None}, position {_place(drawn)}"
