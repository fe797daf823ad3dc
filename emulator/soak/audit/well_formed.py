"""Check that a table's command is well formed, by the auditor's own reading of the protocol.

A command that is not is refused as MALFORMED or TOO_MANY, whatever the round is like, and uses its
number. Where both are true of one command, either may be told.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from jackpot.rules.cards import JOKER, CardError, parse_card
from jackpot.wire.v1 import table_pb2 as pb

BAD, MUCH = "MALFORMED", "TOO_MANY"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_SEATS, _WAGERS, _BETS, _CARDS = 32, 64, 16, 16
_MICROS = 10**15
_CHIPS = 10_000
_NUMBER = 1 << 53
_WHOLE = pb.FLOOR_ACT_VOID_ROUND
_TEXT, _BACK = 128, 32
_WEEK_S = 7 * 24 * 3_600
_CARD = 4  # characters


def malformed_reasons(kind: str, request: Any) -> set[str]:
    """The reasons for which a command is refused before its round is looked at."""
    return set(_FORMS[kind](request)) if kind in _FORMS else set()


def _within(value: int, least: int, most: int) -> Iterator[str]:
    if not least <= value <= most:
        yield BAD


def _name(text: str) -> Iterator[str]:
    if not _ID.fullmatch(text):
        yield BAD


def _text(text: str, most: int = _TEXT, *, needed: bool = False) -> Iterator[str]:
    if len(text) > most:
        yield MUCH
    if not text.isprintable() or (needed and not text.strip()):
        yield BAD


def _each(
    items: Iterable[Any], most: int, check: Callable[[Any], Iterator[str]], least: int = 0
) -> Iterator[str]:
    listed = list(items)
    if len(listed) > most:
        yield MUCH
    if len(listed) < least:
        yield BAD
    for item in listed:
        yield from check(item)


def _card(card: str) -> Iterator[str]:
    try:
        known = len(card) <= _CARD and parse_card(card) != JOKER  # no linked game has one
    except CardError:
        known = False
    if not known:
        yield BAD


def _wager(wager: pb.Wager) -> Iterator[str]:
    yield from _placed(wager)
    yield from _within(wager.amount_micros, 1, _MICROS)
    yield from _text(wager.player)
    if wager.account:
        yield from _name(wager.account)


def _placed(wager: pb.Wager | pb.PlacedWager) -> Iterator[str]:
    yield from _within(wager.seat, 1, _SEATS)
    yield from _name(wager.bet)


def _hand(hand: pb.SeatHand) -> Iterator[str]:
    yield from _within(hand.seat, 1, _SEATS)
    yield from _each(hand.cards, _CARDS, _card)
    yield from _text(hand.player)
    if hand.fate == pb.FATE_UNSPECIFIED or hand.fate not in pb.Fate.values():
        yield BAD


def _chips(counted: tuple[str, int]) -> Iterator[str]:
    yield from _name(counted[0])
    yield from _within(counted[1], 0, _CHIPS)


def _settle(request: pb.Settle) -> Iterator[str]:
    yield from _each(request.hands, _SEATS, _hand)
    yield from _each(request.dealer, _CARDS, _card)
    yield from _each(request.community, _CARDS, _card)


def _call(request: pb.CallFloor) -> Iterator[str]:
    removal = request.act == pb.FLOOR_ACT_REMOVE_WAGER
    if request.act == pb.FLOOR_ACT_UNSPECIFIED or request.act not in pb.FloorAct.values():
        yield BAD
    yield from _within(request.round, 1, _NUMBER)
    yield from _within(request.seat, *((0, 0) if request.act == _WHOLE else (1, _SEATS)))
    if removal:
        yield from _name(request.bet)
    elif request.bet:
        yield BAD
    yield from _text(request.irregularity, 0 if removal else _TEXT, needed=not removal)


def _place_deck(request: pb.PlaceDeck) -> Iterator[str]:
    yield from _text(request.back, _BACK, needed=True)
    yield from _within(request.used_s, 0, _WEEK_S)
    if request.dealing == pb.DEALING_UNSPECIFIED or request.dealing not in pb.Dealing.values():
        yield BAD


_FORMS: Mapping[str, Callable[[Any], Iterator[str]]] = {
    "place_wagers": lambda request: _each(request.wagers, _WAGERS, _wager, 1),
    "withdraw_wagers": lambda request: _each(request.wagers, _WAGERS, _placed, 1),
    "confirm_collection": lambda request: _each(request.chips.items(), _BETS, _chips),
    "settle": _settle,
    "void_round": lambda request: _text(request.irregularity, needed=True),
    "call_floor": _call,
    "withdraw_call": lambda request: _within(request.call, 1, _NUMBER),
    "place_deck": _place_deck,
    "remove_deck": lambda request: _text(request.back, _BACK, needed=True),
}
