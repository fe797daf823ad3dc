"""Make messages of every RPC: what a table would send next, what is almost that, and nonsense.

A share of them is the right next step of a round, so that awards, payouts and proposals come about
for the rest to meet. Everything is chosen by one seed.
"""

from collections.abc import Callable
from random import Random
from typing import Any

from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from jackpot.core.config import Site
from jackpot.core.floor import OF_ANY_SEAT
from jackpot.core.state import State
from jackpot.rules.cards import DECK
from jackpot.wire.request_id import make_request_id, new_request_id, request_id_time_ms
from jackpot.wire.v1 import meter_pb2, operator_pb2, pin_pb2, table_pb2

METHODS: list[MethodDescriptor] = [
    method
    for file in (table_pb2, meter_pb2, operator_pb2, pin_pb2)
    for service in file.DESCRIPTOR.services_by_name.values()
    for method in service.methods
]
DOLLAR = 1_000_000
WILD = 0.06  # of the fields: something that the wire allows and nobody means
MUTATED = 0.35  # of the messages: bytes changed after they were written
STEPS = 0.4  # of the messages: the right next step of some round
CALLS = 0.1  # of those: a call for the floor, or the answer to one
_TEXTS = ("", "x" * 5_000, "\0", "a/b", "é", " ", "-", "null", "\u202e", "0" * 65)
_INTS = (-(2**31), -1, 0, 1, 2, 7, 33, 2**31 - 1)
_LONGS = (-(2**63), -1, 0, 1, DOLLAR - 1, DOLLAR, 10**15, 10**15 + 1, 2**63 - 1)
_BY_TYPE = {
    FieldDescriptor.TYPE_INT32: _INTS,
    FieldDescriptor.TYPE_INT64: _LONGS,
    FieldDescriptor.TYPE_ENUM: (0, 1, 2, 3, 99, -1),
    FieldDescriptor.TYPE_BOOL: (False, True),
}
_CARDS = [str(card) for card in DECK]
_KEPT = 512  # messages of which pieces are put into others


class Messages:
    """An endless supply."""

    def __init__(
        self, site: Site, seed: int, request_id: Callable[[], str] = new_request_id
    ) -> None:
        """Fresh request ids come from where a ledger has its own, or from this machine's clock."""
        self.random = Random(seed)  # noqa: S311 - it must be repeatable, not secret
        self._request_id = request_id
        self._site = site
        self._tables = {table.id: table for table in site.tables}
        self._links = {link.id: link for link in site.links}
        self._bets = [bet.id for link in site.links for bet in link.bets]
        self._levels = sorted({level.id for link in site.links for level in link.levels})
        self._kept: list[bytes] = [b""]
        self._table = next(iter(self._tables))

    def next(self, state: State) -> tuple[MethodDescriptor, bytes]:
        """A method, and bytes for it."""
        chance = self.random.random
        self._table = self.random.choice(list(self._tables))
        step = self._step(state) if chance() < STEPS else None
        if step is None:
            method = self.random.choice(METHODS)
            message = GetMessageClass(method.input_type)()
            self._fill(message, state)
        else:
            method, message = step
        raw = message.SerializeToString()
        return method, self._mutate(raw) if chance() < MUTATED else raw

    def _fill(self, message: Message, state: State, depth: int = 0) -> None:
        """Every field as it might be meant, and some as nobody means them."""
        chance = self.random.random
        choices = dict[str, list[Any]]()
        for field in message.DESCRIPTOR.fields:
            if field.containing_oneof is not None:
                choices.setdefault(field.containing_oneof.name, []).append(field)
            elif chance() > WILD:
                self._set(message, field, state, depth)
        for fields in choices.values():
            self._set(message, self.random.choice(fields), state, depth)

    def _set(self, message: Message, field: Any, state: State, depth: int) -> None:
        count = self.random.choice((0, 1, 1, 2, 3)) if field.is_repeated else 1
        if self.random.random() < WILD / 8 and field.is_repeated:
            count = 70
        inner = field.message_type
        if inner is not None and inner.GetOptions().map_entry:
            for _ in range(count):
                key = self._value(inner.fields_by_name["key"], state)
                getattr(message, field.name)[key] = self._value(
                    inner.fields_by_name["value"], state
                )
        elif inner is not None:
            for _ in range(count if depth < 3 else 0):  # noqa: PLR2004 - deep enough for all
                held = getattr(message, field.name)
                held = held.add() if field.is_repeated else held
                held.SetInParent()
                self._fill(held, state, depth + 1)
        elif field.is_repeated:
            getattr(message, field.name).extend(self._value(field, state) for _ in range(count))
        else:
            setattr(message, field.name, self._value(field, state))

    def _value(self, field: Any, state: State) -> Any:
        random = self.random
        if random.random() < WILD:
            if field.type == field.TYPE_STRING:
                return random.choice(_TEXTS)
            return random.choice(_BY_TYPE.get(field.type, (0,)))
        if field.type == field.TYPE_STRING:
            return self._text(field.name, state)
        if field.type == field.TYPE_ENUM:
            return random.randrange(1, 4)
        if field.type == field.TYPE_BOOL:
            return random.random() < 0.5  # noqa: PLR2004 - either
        return self._number(field.name, state)

    def _text(self, name: str, state: State) -> str:
        random = self.random
        listed = self._tables[self._table].irregularities
        known: dict[str, Any] = {
            "site": (self._site.id,),
            "table": (self._table,),
            "link": tuple(self._links),
            "links": tuple(self._links),
            "to_link": tuple(self._links),
            "level": self._levels or ("main",),
            "to_level": self._levels or ("main",),
            "bet": self._bets,
            "key": self._bets,
            "cards": _CARDS,
            "dealer": _CARDS,
            "losing_cards": _CARDS,
            "winning_cards": _CARDS,
            "community_cards": _CARDS,
            "player": ("", "p1", "p2"),
            "account": ("", "card-1", "card-2"),
            "irregularity": (
                "misdeal",
                *listed.voids_round,
                *listed.voids_seat,
                *OF_ANY_SEAT,
            ),
            "incarnation": (*(each.id for each in state.incarnations), "lost"),
            # A good PIN takes long to keep, on purpose: few are.
            "pin": (*("112233445566", "123456", "49381") * 20, "493817"),
            "principal": ("ann", "floor:flo"),
        }
        if name == "request_id":
            ahead_ms = random.choice((0, 0, 0, 0, -5_000, 5_000, 700_000))
            now_ms = request_id_time_ms(self._request_id()) + ahead_ms
            return make_request_id(now_ms, random.getrandbits(40))
        return str(random.choice(known.get(name, ("memo 1", "flo"))))

    def _number(self, name: str, state: State) -> int:
        random, table = self.random, state.tables[self._table]
        if name == "epoch":
            return table.epoch
        if name == "number":
            return table.last_number + random.choice((1, 1, 1, 1, 1, 1, 0, 2))
        if name in {"seat", "loser_seat", "winner_seat"}:
            return random.randrange(0, 8)
        if name == "round":
            return table.rounds
        if name == "payout":
            return random.choice([*state.payouts, 1])
        if name == "call":
            return random.choice([*(each.id for each in state.calls.values()), state.last_call, 1])
        if name in {"first_sequence", "last_sequence"}:
            return state.sequence + random.choice((-5, 0, 5))
        if name == "proposal":
            return random.choice([*state.proposals, 1])
        if name.endswith("_micros"):
            return random.choice((1, 5, 20, 100, 10_000)) * DOLLAR
        return random.choice((0, 1, 2, 5, 100, 2_500))

    def _step(self, state: State) -> "tuple[MethodDescriptor, Message] | None":
        """The command that a table sends next; a fifth of them with something filled in anew."""
        known, table = state.tables[self._table], self._tables[self._table]
        if (call := state.calls.get(self._table)) and self.random.random() < CALLS:
            return self._answer(call.id)
        if known.epoch == state.incarnation.epochs_above:  # nobody speaks for it
            name, command = "Attach", None
        else:
            name, command = self._command(known.round, table)
        service = table_pb2.DESCRIPTOR.services_by_name["TableService"]
        method = service.methods_by_name[name]
        message: Any = GetMessageClass(method.input_type)()
        if name == "Attach":
            message.site, message.table, message.request_id = (
                self._site.id,
                self._table,
                self._request_id(),
            )
            return method, message
        id_ = message.id
        id_.site, id_.table, id_.epoch = self._site.id, self._table, known.epoch
        id_.number = known.last_number + 1
        message.command.SetInParent()
        if command is not None:
            message.command.CopyFrom(command)
        if self.random.random() < 0.2:  # noqa: PLR2004 - a fifth
            self._fill(message.command, state)
        return method, message

    def _answer(self, call: int) -> "tuple[MethodDescriptor, Message]":
        """A floorperson's answer to a table's call."""
        service = operator_pb2.DESCRIPTOR.services_by_name["OperatorService"]
        method = service.methods_by_name[
            self.random.choice(("ApproveFloorCall", "DeclineFloorCall"))
        ]
        message: Any = GetMessageClass(method.input_type)()
        message.site, message.request_id, message.call = self._site.id, self._request_id(), call
        return method, message

    def _command(self, round_: Any, table: Any) -> tuple[str, Any]:
        random, phase = self.random, round_.phase if round_ else "settled"
        if round_ and random.random() < CALLS:
            return "CallFloor", self._call(round_, table)
        if phase == "settled":
            return "OpenRound", None
        if phase == "open" and not round_.wagers:
            return "PlaceWagers", self._wagers(table)
        if phase == "open":
            return "LockOut", None
        if phase == "locked":
            chips = dict[str, int]()
            for bets in round_.wagers.values():
                for bet, wager in bets.items():
                    if wager.medium == "chips":
                        chips[bet] = chips.get(bet, 0) + 1
            return "ConfirmCollection", table_pb2.ConfirmCollection(chips=chips)
        deck = random.sample(_CARDS, len(_CARDS))
        if random.random() < 0.3:  # noqa: PLR2004 - often enough to be paid
            suit = random.choice("shdc")
            best = [rank + suit for rank in "AKQJT"]
            deck = best + [card for card in deck if card not in best]
        size, hands = table.seat_cards, []
        for place, seat in enumerate(sorted(round_.wagers)):
            cards = deck[place * size : (place + 1) * size]
            hands.append(table_pb2.SeatHand(seat=seat, cards=cards, fate=table_pb2.FATE_PLAYED))
        rest = deck[len(hands) * size :]
        return "Settle", table_pb2.Settle(
            hands=hands,
            dealer=rest[: table.dealer_cards],
            community=rest[table.dealer_cards : table.dealer_cards + table.community_cards],
        )

    def _call(self, round_: Any, table: Any) -> Any:
        """Something that a table can't take back alone."""
        random, listed = self.random, table.irregularities
        seat, bets = next(iter(round_.wagers.items()), (1, {self._bets[0]: None}))
        asked = table_pb2.CallFloor(round=round_.number)
        match random.randrange(3):
            case 0:
                asked.act = table_pb2.FLOOR_ACT_VOID_ROUND
                asked.irregularity = random.choice(listed.voids_round or ("misdeal",))
            case 1:
                asked.act, asked.seat = table_pb2.FLOOR_ACT_VOID_SEAT, seat
                asked.irregularity = random.choice(listed.voids_seat or ("misdeal",))
            case _:
                asked.act, asked.seat = table_pb2.FLOOR_ACT_REMOVE_WAGER, seat
                asked.bet = next(iter(bets))
        return asked

    def _wagers(self, table: Any) -> Any:
        seats = self.random.sample(range(1, table.seats + 1), self.random.randrange(1, 4))
        return table_pb2.PlaceWagers(
            wagers=[
                table_pb2.Wager(
                    seat=seat, bet=bet.id, amount_micros=link.wager_micros, player=f"p{seat}"
                )
                for seat in seats
                for link in map(self._links.__getitem__, table.links)
                for bet in link.bets
            ]
        )

    def _mutate(self, raw: bytes) -> bytes:
        random, data = self.random, bytearray(raw)
        for _ in range(random.choice((1, 1, 1, 2, 5))):
            at = random.randrange(len(data) + 1)
            how = random.randrange(6)
            if how == 0 and at < len(data):
                data[at] ^= 1 << random.randrange(8)
            elif how == 1 and at < len(data):
                data[at] = random.randrange(256)
            elif how == 2:  # noqa: PLR2004 - the third of the ways
                del data[at : at + random.randrange(1, 9)]
            elif how == 3:  # noqa: PLR2004 - the fourth
                data[at:at] = random.randbytes(random.randrange(1, 9))
            elif how == 4:  # noqa: PLR2004 - the fifth
                data[at:at] = data[random.randrange(len(data) + 1) :][:64]
            else:
                other = random.choice(self._kept)
                data[at:] = other[random.randrange(len(other) + 1) :]
        if len(self._kept) < _KEPT:
            self._kept.append(raw)
        else:
            self._kept[random.randrange(_KEPT)] = raw
        return bytes(data)
