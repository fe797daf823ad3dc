"""Decide voids of a round or a seat: wagers are returned, and what they posted is taken back.

A table voids its round by itself until its collection is confirmed. From then on cards may be
known, so only a floorperson does, and only a floorperson voids a seat (`jackpot.core.floor`). A
void reverses what was posted. If the level has paid 100% since, that money is gone and the house
bears it all; after a 10% the meter bears it down to zero and the house the rest.
"""

from collections.abc import Container, Iterator, Mapping, Sequence

from msgspec.structs import replace

from jackpot.core import ledger
from jackpot.core.claims import DEALER
from jackpot.core.commands import Request
from jackpot.core.commands.table import VoidRound
from jackpot.core.config import Irregularities, VoidsByTable
from jackpot.core.events.table import RoundVoided, SeatVoided
from jackpot.core.increments import rates_of
from jackpot.core.ledger import Book
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.core.rework import Rework, open_payouts, rework
from jackpot.core.rounds import bet_of, refund, standing
from jackpot.core.stakes import Rates
from jackpot.core.state import (
    Award,
    Effects,
    Payout,
    Phase,
    Posted,
    Round,
    Settlement,
    State,
    TableState,
)

# In which phases a table may void its round, by the site's setting.
_ALONE: Mapping[VoidsByTable, tuple[Phase, ...]] = {
    "until-collected": ("open", "locked"),
    "until-settled": ("open", "locked", "collected"),
}
Rate = Sequence[tuple[int, int]]  # primary and reserve of each wager


def void_round(
    state: State, table: TableState, command: VoidRound, _: Request
) -> RoundVoided | Refusal:
    """Let a table void its round by itself."""
    if refusal := unlisted(table, command.irregularity, of_seat=False):
        return refusal
    round_ = table.round
    if round_ is None:
        return refuse(Reason.NO_ROUND, table=table.config.id)
    if round_.phase not in _ALONE[state.voids_by_table]:
        return refuse(Reason.VOID_BY_FLOOR_ONLY, table=table.config.id, round=round_.number)
    return round_voided(state, table, round_, command.irregularity)


def unknown_seat(table: TableState, seat: int) -> Refusal | None:
    """Refuse if the table has no such seat."""
    if 1 <= seat <= table.config.seats:
        return None
    return refuse(Reason.UNKNOWN_SEAT, table=table.config.id, seat=seat)


def unlisted(table: TableState, irregularity: str, *, of_seat: bool) -> Refusal | None:
    """Refuse a word for what went wrong if the table's game does not have it."""
    listed = table.config.irregularities
    if of_seat and (refusal := voids_all_hands(table, irregularity)):
        return refusal
    if irregularity in (listed.voids_seat if of_seat else listed.voids_round):
        return None
    if listed == Irregularities() and irregularity:
        return None
    return refuse(Reason.UNKNOWN_IRREGULARITY, table=table.config.id, irregularity=irregularity)


def voids_all_hands(table: TableState, irregularity: str) -> Refusal | None:
    """Refuse to void one seat for what the game's rule says voids all, however it is spelled."""
    name = "_".join(irregularity.upper().replace("-", " ").replace("_", " ").split())
    if name in table.config.irregularities.voids_round:
        return refuse(Reason.VOIDS_ALL_HANDS, table=table.config.id, irregularity=irregularity)
    return None


def _late(table: TableState, round_: Round) -> int:
    """How many voids the table has had after a lock-out with this one; 0: it is not one."""
    return table.late_voids + 1 if round_.phase != "open" else 0


def round_voided(
    state: State, table: TableState, round_: Round, irregularity: str, floorperson: str = ""
) -> RoundVoided:
    """Return all wagers of the round and take back what it posted and awarded."""
    book = Book(state.balances)
    done = Rework()
    settlement = _settlement(state, table, round_)
    if settlement:
        done = rework(state, book, settlement, open_payouts(state, settlement))
    _return_wagers(state, table, book, settlement, round_.posted, set(round_.wagers))
    done.keep_limits(state, book)
    return RoundVoided(
        table.config.id,
        round_.number,
        irregularity,
        floorperson,
        sum(w.amount_micros for _, _, w in standing(round_)),
        book.postings(),
        tuple(done.changes),
        done.last_hit,
        late_voids=_late(table, round_),
    )


def seat_voided(
    state: State,
    table: TableState,
    round_: Round,
    seat: int,
    irregularity: str,
    floorperson: str,
) -> SeatVoided:
    """Return a seat's wagers, take back its increments and awards, decide the others again."""
    book = Book(state.balances)
    parts = {
        name: part for name in round_.posted if (part := _part(state, table, round_, name, seat))
    }
    done = Rework()
    settlement = _settlement(state, table, round_)
    if settlement:
        doomed = {
            payout
            for payout in open_payouts(state, settlement)
            if _falls_with(round_, state.payouts[payout], seat)
        }
        returned = {
            name: Effects(-part.meter_micros, -part.reserve_micros, -part.overflow_micros)
            for name, part in parts.items()
            if not _is_gone(state, name, part, settlement)
        }
        moved = {
            payout: _other_box(round_, state.payouts[payout])
            for payout in sorted(open_payouts(state, settlement) - doomed)
            if state.payouts[payout].seat == seat
        }
        done = rework(state, book, _seated(settlement, moved), doomed, returned)
        done.move(state, moved)
    _return_wagers(state, table, book, settlement, parts, {seat})
    done.keep_limits(state, book)
    return SeatVoided(
        table.config.id,
        round_.number,
        seat,
        irregularity,
        floorperson,
        sum(w.amount_micros for w in round_.wagers.get(seat, {}).values()),
        book.postings(),
        {name: _less(posted, parts.get(name)) for name, posted in round_.posted.items()},
        tuple(done.changes),
        done.settlement,
        done.last_hit,
        late_voids=_late(table, round_),
    )


def _settlement(state: State, table: TableState, round_: Round) -> Settlement | None:
    return state.settlements.get(f"{table.config.id}/{round_.number}")


def _falls_with(round_: Round, payout: Payout, seat: int) -> bool:
    """Whether a payout ends with a seat: it is due to the seat, or its cause is the seat's hand."""
    if payout.holder == seat:
        return True
    if payout.seat != seat:
        return False
    # A share of the dealer's hand belongs to a player, who may have bet on it in another box too.
    # All else that the dealer's hand wins belongs to the box.
    return (payout.kind, payout.holder) != ("share", DEALER) or not any(
        other != seat and bet == payout.bet and wager.player == payout.player
        for other, bet, wager in standing(round_)
    )


def _other_box(round_: Round, payout: Payout) -> int:
    """The other box in which a player has bet on the dealer's hand, the first to be paid."""
    return max(
        seat
        for seat, bet, wager in standing(round_)
        if seat != payout.seat and bet == payout.bet and wager.player == payout.player
    )


def _seated(settlement: Settlement, moved: Mapping[int, int]) -> Settlement:
    """A settlement in which some payouts are due at other seats, and so perhaps at another turn."""

    def award_at(award: Award) -> Award:
        pairs = [
            (replace(winner, seat=moved.get(payout, winner.seat)), payout)
            for winner, payout in zip(award.claim.winners, award.payouts, strict=True)
        ]
        pairs.sort(key=lambda pair: -pair[0].seat)
        claim = replace(award.claim, winners=tuple(winner for winner, _ in pairs))
        return replace(award, claim=claim, payouts=tuple(payout for _, payout in pairs))

    return replace(settlement, awards=tuple(award_at(award) for award in settlement.awards))


def _posted_wagers(
    state: State, table: TableState, round_: Round
) -> Iterator[tuple[int, str, Rates]]:
    """Seat, link and rates of every wager whose increments are on the meters."""
    if round_.phase == "open":
        return
    for seat, bet, wager in standing(round_):
        if round_.phase != "locked" or wager.medium == "electronic":
            link = bet_of(state, table, bet)[0].config
            yield seat, link.id, wager.rates or rates_of(link)


def _part(state: State, table: TableState, round_: Round, name: str, seat: int) -> Posted | None:
    """A seat's part of what the round put on a level. A link has one denomination: it divides."""
    link, level = name.split("/", maxsplit=1)
    place = [each.id for each in state.links[link].config.levels].index(level)
    wagers = [
        (s, rates[place]) for s, on, rates in _posted_wagers(state, table, round_) if on == link
    ]
    ours = [rates for s, rates in wagers if s == seat]
    if not ours:
        return None
    posted, all_ = round_.posted[name], [rates for _, rates in wagers]
    primary = _by_rate(posted.meter_micros + posted.overflow_micros, ours, all_, 0)
    # What went over the limit went there last, so it comes back first.
    over = min(posted.overflow_micros, primary)
    reserve = _by_rate(posted.reserve_micros, ours, all_, 1)
    feeding = sum(map(any, ours)) if posted.wagers else 0
    return Posted(posted.sequence, primary - over, reserve, over, feeding)


def _by_rate(micros: int, ours: Rate, all_: Rate, which: int) -> int:
    """The part of an increment that some of the wagers made, which had perhaps other rates."""
    total = sum([rate[which] for rate in all_])
    return micros * sum([rate[which] for rate in ours]) // total if total else 0


def _less(posted: Posted, part: Posted | None) -> Posted:
    if part is None:
        return posted
    return Posted(
        posted.sequence,
        posted.meter_micros - part.meter_micros,
        posted.reserve_micros - part.reserve_micros,
        posted.overflow_micros - part.overflow_micros,
        posted.wagers - part.wagers,
    )


def _is_gone(state: State, name: str, posted: Posted, settlement: Settlement | None) -> bool:
    """Whether the level has paid 100% to somebody since the posting, so that the money is gone.

    A 100% of this round's own settlement does not count: it is decided again without the money.
    """
    link, level = name.split("/")
    last_hit = state.links[link].last_hit.get(level, 0)
    if settlement and name in settlement.before:
        before = settlement.before[name].last_hit
        return before > posted.sequence or last_hit > settlement.sequence
    return last_hit > posted.sequence


def _return_wagers(
    state: State,
    table: TableState,
    book: Book,
    settlement: Settlement | None,
    parts: dict[str, Posted],
    seats: Container[int],
) -> None:
    """Give posted wagers back: the increments from their levels or the house, the rest as it was.

    `parts` is what these seats have on each level.
    """
    round_ = table.round
    if round_ is None:
        raise AssertionError("only a round can be voided")
    owed: dict[str, int] = {}
    for seat, link, _ in _posted_wagers(state, table, round_):
        if seat in seats:
            owed[link] = owed.get(link, 0) + state.links[link].config.wager_micros
    for name, part in parts.items():
        link = name.split("/")[0]
        players = ledger.players(link)
        increments = part.meter_micros + part.reserve_micros + part.overflow_micros
        owed[link] = owed.get(link, 0) - increments
        if _is_gone(state, name, part, settlement):
            book.move(increments, ledger.house(link), players)
            continue
        accounts = ledger.meter(name), ledger.reserve(name), ledger.overflow(name)
        amounts = part.meter_micros, part.reserve_micros, part.overflow_micros
        for account, amount in zip(accounts, amounts, strict=True):
            book.move(amount, account, players)
        book.cover(link, *accounts)
    for link, rest in owed.items():
        book.move(rest, ledger.retained(link), ledger.players(link))
    returned = ((bet, wager) for seat, bet, wager in standing(round_) if seat in seats)
    refund(state, table, book, returned)
