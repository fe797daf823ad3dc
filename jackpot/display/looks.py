"""Questions that a page asks of a site's state.

They run in the writer's thread between two batches, so they are quick, and what they return holds
nothing of the state.
"""

from collections import Counter

from jackpot.core import ledger
from jackpot.core.config import Bet
from jackpot.core.order import payouts_in_order
from jackpot.core.state import LinkState, Payout, Round, State, TableState
from jackpot.display import words
from jackpot.display.source import MICROS_PER_MS
from jackpot.display.views import (
    CountView,
    Lamp,
    LevelView,
    LinkView,
    PanelView,
    PayoutView,
    Proposal,
    SeatView,
    TableView,
)

IDLE = "idle"  # a table that has no round


def panel(state: State, table: str) -> PanelView | None:
    """A table, as far as the state knows it."""
    found = state.tables.get(table)
    if found is None:
        return None
    bets = _bets(state, found)
    round_ = found.round
    payouts = (p for p in payouts_in_order(state) if p.table == table)
    return PanelView(
        table=table,
        game=words.spaced(found.config.game),
        links=found.config.links,
        attached=found.epoch > 0,
        heard_ms=0,
        round=round_.number if round_ else found.rounds,
        phase=round_.phase if round_ else IDLE,
        seats=tuple(_seat(seat, bets, round_) for seat in range(1, found.config.seats + 1)),
        counts=_counts(bets, round_),
        payouts=tuple(map(payout_view, payouts)),
        magic_card=round_.magic_card if round_ else "",
        lucky_position=round_.lucky_position if round_ else -1,
    )


def links(state: State) -> tuple[LinkView, ...]:
    """Every link with its money."""
    return tuple(_link(state, link) for link in state.links.values())


def tables(state: State) -> tuple[TableView, ...]:
    """Every table."""
    open_payouts = Counter(payout.table for payout in state.payouts.values())
    return tuple(_table(table, open_payouts[id_]) for id_, table in state.tables.items())


def payouts(state: State) -> tuple[PayoutView, ...]:
    """The awards that are neither paid nor rejected: the oldest round first, in payment order."""
    return tuple(map(payout_view, payouts_in_order(state)))


def proposals(state: State) -> tuple[Proposal, ...]:
    """Changes that wait for a second person, oldest first."""
    return tuple(
        Proposal(
            found.id,
            found.link,
            found.change.level,
            found.before,
            found.after,
            found.proposer,
            found.time_micros // MICROS_PER_MS,
            found.expires_micros // MICROS_PER_MS,
        )
        for found in state.proposals.values()
    )


def payout_view(payout: Payout) -> PayoutView:
    """An award as people read it."""
    return PayoutView(
        payout=payout.id,
        table=payout.table,
        round=payout.round,
        seat=payout.seat,
        link=payout.link,
        level=payout.level,
        kind=payout.kind,
        hand=words.spaced(payout.hand),
        amount=words.money(payout.amount_micros),
        state="validated" if payout.floorperson else "pending",
        source=payout.source,
        needs_floorperson=payout.needs_floorperson,
        since_ms=payout.since_micros // MICROS_PER_MS,
        cards=payout.cards,
    )


def _bets(state: State, table: TableState) -> list[Bet]:
    return [bet for link in table.config.links for bet in state.links[link].config.bets]


def _seat(seat: int, bets: list[Bet], round_: Round | None) -> SeatView:
    wagers = round_.wagers.get(seat, {}) if round_ else {}
    lamps = tuple(Lamp(bet.id, words.bet_name(bet.id), bet.id in wagers) for bet in bets)
    return SeatView(seat, lamps, bool(round_ and seat in round_.void_seats))


def _counts(bets: list[Bet], round_: Round | None) -> tuple[CountView, ...]:
    placed = Counter(bet for wagers in round_.wagers.values() for bet in wagers) if round_ else {}
    return tuple(
        CountView(
            bet.id,
            words.bet_name(bet.id),
            placed.get(bet.id, 0),
            electronic=bet.medium == "electronic",
        )
        for bet in bets
    )


def _link(state: State, link: LinkState) -> LinkView:
    config, balance = link.config, state.balances.get
    return LinkView(
        link=config.id,
        title=config.title,
        wager=words.money(config.wager_micros),
        status=link.status,
        hit_count=link.hit_count,
        pending=words.money(balance(ledger.pending(config.id), 0)),
        levels=tuple(
            LevelView(
                level.id,
                words.level_name(level.id),
                words.money(balance(ledger.meter(key), 0)),
                words.money(balance(ledger.reserve(key), 0)),
                words.money(balance(ledger.overflow(key), 0)),
            )
            for level in config.levels
            for key in [ledger.key(config.id, level.id)]
        ),
    )


def _table(table: TableState, open_payouts: int) -> TableView:
    round_ = table.round
    return TableView(
        table=table.config.id,
        game=words.spaced(table.config.game),
        links=table.config.links,
        attached=table.epoch > 0,
        phase=round_.phase if round_ else IDLE,
        round=round_.number if round_ else table.rounds,
        accepted=sum(map(len, round_.wagers.values())) if round_ else 0,
        open_payouts=open_payouts,
        heard_ms=0,
    )
