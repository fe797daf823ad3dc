"""Decide a link's life cycle, and which tables there are."""

from collections.abc import Iterator
from typing import Literal

from msgspec.structs import replace

from jackpot.core import ledger
from jackpot.core.commands import Request, SuspendAfterAbsence
from jackpot.core.commands.operator import (
    AttachTable,
    DefineLink,
    DefineTable,
    PutInService,
    ResumeLink,
    RetireLink,
    SuspendLink,
)
from jackpot.core.config import Level
from jackpot.core.events.operator import LinkChanged, LinkDefined, TableDefined
from jackpot.core.events.table import TableAttached
from jackpot.core.floor_calls import open_call
from jackpot.core.incarnation import TABLE_ROLLED_BACK, lost_range
from jackpot.core.ledger import Book
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.core.rounds import standing
from jackpot.core.state import LinkState, LinkStatus, Result, Round, State

Pool = Literal["meter", "reserve", "overflow"]


def attach(state: State, command: AttachTable, request: Request) -> TableAttached | Refusal:
    """Give the table a new epoch; tell the client where its round stands."""
    table = state.tables.get(command.table)
    if table is None:
        return refuse(Reason.UNKNOWN_TABLE, table=command.table)
    lost = lost_range(state, command.acknowledged)
    return TableAttached(
        command.table,
        max(table.epoch, state.incarnation.epochs_above) + 1,
        table.last_number,
        table.rounds,
        _copy_round(table.round),
        open_call(state, command.table, request.time_micros),
        state.incarnation.id,
        lost,
        (TABLE_ROLLED_BACK,) if lost else (),
        _copy_result(table.result),
        table.voided,
    )


def _copy_round(round_: Round | None) -> Round | None:
    """A round as it is now, for an answer that must not change with the state."""
    if round_ is None:
        return None
    return replace(round_, void_seats=list(round_.void_seats), posted=dict(round_.posted))


def _copy_result(result: Result | None) -> Result | None:
    """A result as it is now, likewise."""
    return result and replace(result, payouts=dict(result.payouts))


def define_link(state: State, command: DefineLink, _: Request) -> LinkDefined | Refusal:
    """Create a link."""
    if command.link.id in state.links:
        return refuse(Reason.ALREADY_DEFINED, link=command.link.id)
    return LinkDefined(command.link)


def define_table(state: State, command: DefineTable, _: Request) -> TableDefined | Refusal:
    """Create a table on links that exist and whose bets are told apart by their ids."""
    table = command.table
    for link in table.links:
        if link not in state.links:
            return refuse(Reason.UNKNOWN_LINK, link=link)
    if table.id in state.tables:
        return refuse(Reason.ALREADY_DEFINED, table=table.id)
    bets: set[str] = set()
    for link in table.links:
        for bet in state.links[link].config.bets:
            if bet.id in bets:
                return refuse(Reason.ALREADY_DEFINED, table=table.id, bet=bet.id)
            bets.add(bet.id)
    return TableDefined(table)


def find_link(state: State, link: str, *statuses: LinkStatus) -> LinkState | Refusal:
    """A link in one of these states."""
    found = state.links.get(link)
    if found is None:
        return refuse(Reason.UNKNOWN_LINK, link=link)
    if found.status not in statuses:
        return refuse(Reason.WRONG_LINK_STATE, link=link, status=found.status)
    return found


def put_in_service(state: State, command: PutInService, _: Request) -> LinkChanged | Refusal:
    """Seed every level from the house, once."""
    link = find_link(state, command.link, "defined")
    if isinstance(link, Refusal):
        return link
    book = Book(state.balances)
    for level in link.config.levels:
        name = ledger.key(command.link, level.id)
        book.move(level.seed_micros, ledger.house(command.link), ledger.meter(name))
    return LinkChanged(command.link, "in-service", book.postings())


def suspend(
    state: State, command: SuspendLink | SuspendAfterAbsence, request: Request
) -> LinkChanged | Refusal:
    """Take no more wagers."""
    link = find_link(state, command.link, "in-service")
    if isinstance(link, Refusal):
        return link
    away = command.away_micros if isinstance(command, SuspendAfterAbsence) else 0
    return LinkChanged(command.link, "suspended", time_micros=request.time_micros, away_micros=away)


def resume(state: State, command: ResumeLink, _: Request) -> LinkChanged | Refusal:
    """Take wagers again."""
    link = find_link(state, command.link, "suspended")
    return link if isinstance(link, Refusal) else LinkChanged(command.link, "in-service")


def retire(state: State, command: RetireLink, _: Request) -> LinkChanged | Refusal:
    """End a link once players' money is elsewhere; what the house seeded goes back to it."""
    link = find_link(state, command.link, "suspended")
    if isinstance(link, Refusal):
        return link
    if refusal := _not_empty(state, link):
        return refusal
    book = Book(state.balances)
    for level in link.config.levels:
        name = ledger.key(command.link, level.id)
        rest = book.balance(ledger.meter(name))
        book.move(rest, ledger.meter(name), ledger.house(command.link))
    return LinkChanged(command.link, "retired", book.postings(), link.out_micros)


def _not_empty(state: State, link: LinkState) -> Refusal | None:
    """Whatever of players' money a link still holds: payouts, rounds, funds that are theirs."""
    name = link.config.id
    for payout in state.payouts.values():
        if payout.link == name:
            return refuse(Reason.LINK_NOT_EMPTY, link=name, payout=payout.id)
    ours = {bet.id for bet in link.config.bets}
    for table in (t for t in state.tables.values() if name in t.config.links):
        round_ = table.round
        if round_ is None or round_.phase == "settled":
            continue
        if any(bet in ours for _, bet, _ in standing(round_)):
            return refuse(Reason.LINK_NOT_EMPTY, link=name, table=table.config.id)
    for at_table in state.tables:
        if held := state.balances.get(ledger.box(name, at_table), 0):
            return refuse(Reason.LINK_NOT_EMPTY, link=name, table=at_table, micros=held)
    for level, pool, amount in players_money(state, link):
        return refuse(Reason.LINK_NOT_EMPTY, link=name, level=level, pool=pool, micros=amount)
    return None


def players_money(state: State, link: LinkState) -> Iterator[tuple[str, Pool, int]]:
    """What the pools of a link hold of players' money: level, pool, micros."""
    balance = state.balances.get
    for level in link.config.levels:
        at = ledger.key(link.config.id, level.id)
        meter_micros = balance(ledger.meter(at), 0)
        if link.status != "retired":  # else the house has taken its part already
            meter_micros = _players_part(link, level, meter_micros)
        pools: tuple[tuple[Pool, int], ...] = (
            ("meter", meter_micros),
            ("reserve", balance(ledger.reserve(at), 0)),
            ("overflow", balance(ledger.overflow(at), 0)),
        )
        yield from ((level.id, pool, micros) for pool, micros in pools if micros)


def _players_part(link: LinkState, level: Level, meter_micros: int) -> int:
    """What of a meter is not the house's: all but what the house put on it, a reseed at most.

    A reserve that stood in for the reseed was players' money, and a seed is given once and for all.
    Awards short of 100% came off the house's part first: what players put on a meter stays theirs.
    """
    put_on = min(level.reseed_micros, link.funded.get(level.id, 0))
    houses_micros = max(0, put_on - link.borne.get(level.id, 0))
    return max(0, meter_micros - houses_micros)


def find_level(state: State, link: str, level: str) -> Level | Refusal:
    """A level of a link."""
    if link not in state.links:
        return refuse(Reason.UNKNOWN_LINK, link=link)
    for candidate in state.links[link].config.levels:
        if candidate.id == level:
            return candidate
    return refuse(Reason.UNKNOWN_LEVEL, link=link, level=level)
