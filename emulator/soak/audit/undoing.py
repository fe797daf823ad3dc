"""Undo by void or rejection: what is taken back, from whom, and what is decided again.

A void seat was never there and a misread hand was never held. What others were validated for or
paid already they keep, and what nobody has won yet is counted again around it. Where another round
has won the meter since, the money is put aside; what can't be taken back the house bears.
"""

from typing import NamedTuple

from emulator.soak.audit.books import (
    Award,
    Books,
    Effect,
    Increment,
    Payout,
    Purse,
    Round,
    Settlement,
    Table,
)
from emulator.soak.audit.claims import place_of
from emulator.soak.audit.paying import book, decide, is_full, standing
from emulator.soak.audit.returning import LevelKey, amount_of, give_back, is_gone, part_of
from emulator.soak.audit.rounds import round_of
from emulator.soak.audit.terms import DEALER
from jackpot.wire.v1 import payout_pb2


class Change(NamedTuple):
    """A payout's new amount, or its end."""

    payout: int
    amount: int
    meter_before: int
    closed: bool
    seat: int = 0  # where it is due from now on


def change_message(change: Change) -> payout_pb2.PayoutChange:
    """A change as the wire has it."""
    return payout_pb2.PayoutChange(
        payout=change.payout,
        amount_micros=change.amount,
        meter_before_micros=change.meter_before,
        closed=change.closed,
        seat=change.seat,
    )


def void_round(books: Books, table: Table, irregularity: str) -> tuple[int, list[Change]]:
    """The round comes to nothing: what goes back to players, and what becomes of its awards."""
    round_ = round_of(table)
    round_.irregularity = irregularity
    settlement = books.settlements.get((table.terms.id, round_.number))
    returned = amount_of(books, table, list(round_.wagers))
    gone = {key: is_gone(books, key, part, settlement) for key, part in round_.posted.items()}
    changes = []
    stood: dict[LevelKey, int] = {}
    if settlement:
        changes = take_back(books, settlement, _open(books, settlement), {}, stood)
    give_back(books, table, round_.posted, gone, list(round_.wagers))
    keep_within(books, stood)
    books.settlements.pop((table.terms.id, round_.number), None)
    table.round, table.voided = None, round_
    return returned, changes


def void_seat(books: Books, table: Table, seat: int) -> tuple[int, list[Change]]:
    """One seat's part comes to nothing."""
    round_ = round_of(table)
    settlement = books.settlements.get((table.terms.id, round_.number))
    returned = amount_of(books, table, [seat])
    parts = {key: part for key in round_.posted if (part := part_of(books, table, key, seat))}
    gone = {key: is_gone(books, key, part, settlement) for key, part in parts.items()}
    changes = []
    stood: dict[LevelKey, int] = {}
    if settlement:
        doomed = {p for p in _open(books, settlement) if _falls(books, round_, p, seat)}
        less = {key: part.money for key, part in parts.items() if not gone[key]}
        moved = {
            payout: _other_box(round_, books.payouts[payout])
            for payout in sorted(_open(books, settlement) - doomed)
            if books.payouts[payout].seat == seat
        }
        for award in settlement.awards:
            _seat(award, moved)
        changes = take_back(books, settlement, doomed, less, stood)
        _tell_seats(books, moved, changes)
    give_back(books, table, parts, gone, [seat])
    keep_within(books, stood)
    for key, part in parts.items():
        sequence, whole = round_.posted[key]
        round_.posted[key] = Increment(sequence, whole.plus(part.money, -1))
    round_.wagers.pop(seat, None)
    round_.void_seats.append(seat)
    books.forget((table.terms.id, round_.number))
    return returned, changes


def _other_box(round_: Round, payout: Payout) -> int:
    return max(
        seat
        for seat, bet, standing in round_.standing()
        if seat != payout.seat and bet == payout.due.bet and standing.player == payout.player
    )


def _seat(award: Award, moved: dict[int, int]) -> None:
    """Give winners their other box, and the award its new turn."""
    pairs = [
        ((moved.get(payout, seat), player), payout)
        for (seat, player), payout in zip(award.due.winners, award.payouts, strict=True)
    ]
    pairs.sort(key=lambda pair: -pair[0][0])
    award.due = award.due._replace(winners=tuple(winner for winner, _ in pairs))
    award.payouts = tuple(payout for _, payout in pairs)
    if award.due.kind != "ENVY":
        award.turn = pairs[0][0][0]


def _tell_seats(books: Books, moved: dict[int, int], changes: list[Change]) -> None:
    for number, seat in moved.items():
        payout = books.payouts[number]
        payout.seat = seat
        told = [place for place, change in enumerate(changes) if change.payout == number]
        if told:
            changes[told[0]] = changes[told[0]]._replace(seat=seat)
        else:
            stays = payout.amount, payout.meter_before
            changes.append(Change(number, *stays, closed=False, seat=seat))


def keep_within(books: Books, stood: dict[LevelKey, int]) -> None:
    """When all is taken back, no meter is above its limit that did not stand so before."""
    for key, meter in stood.items():
        books.level(key).keep_within(meter)


def take_back(
    books: Books,
    settlement: Settlement,
    doomed: set[int],
    less: dict[LevelKey, Purse],
    stood: dict[LevelKey, int],
) -> list[Change]:
    """Close the doomed payouts; `less` is what a void takes off levels before the first turn.

    `stood` is given how high each meter has stood that something comes back to.
    """
    changes: list[Change] = []
    chains: dict[LevelKey, list[Award]] = {}
    _sort(settlement, settlement.awards)
    for award in settlement.awards:
        due = award.due
        if due.level:
            chains.setdefault((due.link, due.level), []).append(award)
            continue
        back = award.each * len(doomed.intersection(award.payouts))
        books.links[due.link].pending -= back
        books.links[due.link].house += back
        award.effect = Effect(house=award.effect.house + back)
        _strike(award, doomed)
    for key, money in less.items():
        if key in settlement.before:
            before = settlement.before[key]
            reduced = Purse(*(max(0, amount) for amount in before.purse.plus(money, -1)))
            settlement.before[key] = before._replace(purse=reduced)
    for key, chain in chains.items():
        if key in less or any(doomed.intersection(award.payouts) for award in chain):
            stood[key] = max(books.level(key).meter, settlement.before[key].purse.meter)
            _Chain(books, settlement, key, chain, doomed).undo(changes)
    settlement.awards = [award for award in settlement.awards if award.payouts]
    _sort(settlement, settlement.awards)
    changes += [Change(payout, 0, 0, closed=True) for payout in sorted(doomed)]
    for change in changes:
        if change.closed:
            books.payouts.pop(change.payout).status = "REJECTED"
        else:
            payout = books.payouts[change.payout]
            payout.amount, payout.meter_before = change.amount, change.meter_before
    return changes


class _Chain:
    """The awards of one settlement on one level."""

    def __init__(
        self,
        books: Books,
        settlement: Settlement,
        key: LevelKey,
        chain: list[Award],
        doomed: set[int],
    ) -> None:
        self._books, self._settlement, self._key = books, settlement, key
        self._chain, self._doomed = chain, doomed
        self._level = books.level(key)
        self._won_since = self._level.last_full > settlement.sequence or key in settlement.aside

    def undo(self, changes: list[Change]) -> None:
        """Take the doomed winners off the level."""
        was_full = any(is_full(award.due) for award in self._chain)
        if self._won_since:
            self._settlement.aside.add(self._key)
            for award in self._chain:
                self._put_aside(award)
        else:
            self._count_again(changes)
        link = self._books.links[self._key[0]]
        link.house -= self._level.shortfall()
        is_still = any(is_full(award.due) for award in self._chain if award.payouts)
        if was_full and not is_still and not self._won_since:
            self._level.last_full = self._settlement.before[self._key].last_full

    def _is_firm(self, award: Award) -> bool:
        """Whether a floorperson has confirmed any part of what is left of an award."""
        found = (self._books.payouts.get(payout) for payout in award.payouts)
        return any(payout is None or payout.floorperson for payout in found)

    def _put_aside(self, award: Award) -> None:
        """Another round has won the meter: what this one gave waits in overflow."""
        link = self._books.links[self._key[0]]
        back = award.each * len(self._doomed.intersection(award.payouts))
        # A fixed award may have come from the house in part: that part is the house's again.
        level_gave = -award.effect.meter - award.effect.overflow
        over = back if award.due.share_bps else min(back, level_gave)
        link.pending -= back
        self._level.overflow += over
        link.house += back - over
        award.effect = award.effect._replace(
            overflow=award.effect.overflow + over, house=award.effect.house + back - over
        )
        self._strike(award)

    def _strike(self, award: Award) -> None:
        """Take doomed winners out; the first of the others sets the turn, if none is firm."""
        _strike(award, self._doomed)
        if award.payouts and not self._is_firm(award):
            award.turn = max(seat for seat, _ in award.due.winners)

    def _count_again(self, changes: list[Change]) -> None:
        """Undo the level's awards, and do them again as far as they are open."""
        before = self._settlement.before[self._key]
        for award in self._chain:
            book(self._books, award.due, award.effect, sign=-1)
            self._strike(award)
        left = [award for award in self._chain if award.payouts]
        _sort(self._settlement, left)
        purse = before.purse
        for award in left:
            if self._is_firm(award):
                award.effect = standing(award, purse, before.terms)
            else:
                award.each, award.effect = decide(award.due, purse, before.terms)
                award.saw = purse.meter
                now = award.each, award.saw
                changes += [
                    Change(number, *now, closed=False)
                    for number in award.payouts
                    if now != self._was(number)
                ]
            book(self._books, award.due, award.effect)
            purse = purse.plus(award.effect)

    def _was(self, number: int) -> tuple[int, int]:
        payout = self._books.payouts[number]
        return payout.amount, payout.meter_before


def _sort(settlement: Settlement, awards: list[Award]) -> None:
    """Put awards into payment order."""
    awards.sort(key=lambda award: place_of(settlement.table, award.due, award.turn))


def _strike(award: Award, doomed: set[int]) -> None:
    """Take doomed winners out of an award."""
    kept = [
        (winner, payout)
        for winner, payout in zip(award.due.winners, award.payouts, strict=True)
        if payout not in doomed
    ]
    award.due = award.due._replace(winners=tuple(winner for winner, _ in kept))
    award.payouts = tuple(payout for _, payout in kept)


def _open(books: Books, settlement: Settlement) -> set[int]:
    return {p for award in settlement.awards for p in award.payouts if p in books.payouts}


def _falls(books: Books, round_: Round, payout_id: int, seat: int) -> bool:
    payout = books.payouts[payout_id]
    if payout.holder == seat:
        return True
    if payout.seat != seat:
        return False
    if payout.due.kind == "SHARE" and payout.holder == DEALER:
        # A share of the dealer's hand is a player's, who may have another box with the bet.
        return not any(
            other != seat and bet == payout.due.bet and standing.player == payout.player
            for other, bet, standing in round_.standing()
        )
    return True
