"""Bring forward what a site is made of: links, tables, decks, proposals, settings."""

from msgspec.structs import replace

from jackpot.core import ledger
from jackpot.core.events.operator import (
    BoxCounted,
    DisplayConfirmed,
    DualControlSet,
    FundsTransferred,
    LinkChanged,
    LinkDefined,
    LinkDescribed,
    MeterAdjusted,
    MetersRead,
    ParametersChanged,
    ProposalDeclined,
    Proposed,
    SiteConfigured,
    TableDefined,
    TableDescribed,
)
from jackpot.core.events.table import DeckPlaced, DeckRemoved
from jackpot.core.increments import rates_of
from jackpot.core.refiling import with_rates_of
from jackpot.core.state import LinkState, State


def link_defined(state: State, event: LinkDefined) -> None:
    """A link exists."""
    state.links[event.link.id] = LinkState(event.link)


def table_defined(state: State, event: TableDefined) -> None:
    """A table exists."""
    state.put_table(event.table)


def link_described(state: State, event: LinkDescribed) -> None:
    """A link has other words; rates that wait for its resumption still wait."""
    link = state.links[event.link.id]
    link.config = event.link
    if link.next_config:
        link.next_config = with_rates_of(link.next_config, event.link)


def table_described(state: State, event: TableDescribed) -> None:
    """A table has other words."""
    state.put_table(event.table)


def link_changed(state: State, event: LinkChanged) -> None:
    """A link moved on; what was changed while it was suspended is in force when it resumes."""
    link = state.links[event.link]
    if link.status == "defined":
        for level in link.config.levels:
            account = ledger.meter(ledger.key(event.link, level.id))
            link.funded[level.id] = dict(event.postings).get(account, 0)
    link.status = event.status
    link.out_micros, link.away_micros = event.time_micros, event.away_micros
    if event.status == "in-service" and link.next_config:
        _keep_rates(state, link)
        link.config, link.next_config = link.next_config, None
        for level in link.config.levels:  # another limit shares out differently
            state.last_change[ledger.key(event.link, level.id)] = state.sequence


def _keep_rates(state: State, link: LinkState) -> None:
    """Let the wagers of every round on a link keep the rates at which they were accepted."""
    bets, rates = {bet.id for bet in link.config.bets}, rates_of(link.config)
    for table in state.tables.values():
        if table.round is None or link.config.id not in table.config.links:
            continue
        table.round.wagers = {
            seat: {
                bet: replace(wager, rates=rates) if bet in bets and not wager.rates else wager
                for bet, wager in at_seat.items()
            }
            for seat, at_seat in table.round.wagers.items()
        }


def changed(state: State, event: MeterAdjusted | FundsTransferred | ParametersChanged) -> None:
    """A change took effect; its proposal is closed."""
    if isinstance(event, ParametersChanged):
        state.links[event.link].next_config = event.config
    else:
        state.last_change[ledger.key(event.link, event.level)] = state.sequence
    if isinstance(event, FundsTransferred):
        state.last_change[ledger.key(event.to_link, event.to_level)] = state.sequence
    if event.approval:
        state.proposals.pop(event.approval.proposal, None)


def proposed(state: State, event: Proposed) -> None:
    """A change waits; those that expired meanwhile make room."""
    now = state.time_micros
    state.proposals = {id_: p for id_, p in state.proposals.items() if p.expires_micros > now}
    state.proposals[event.proposal.id] = replace(event.proposal, since=state.sequence)
    state.last_proposal = event.proposal.id


def declined(state: State, event: ProposalDeclined) -> None:
    """A proposal is closed."""
    del state.proposals[event.proposal]


def configured(state: State, event: SiteConfigured) -> None:
    """What the site file says of the site as a whole."""
    state.dual_control, state.day = event.dual_control, event.day
    state.voids_by_table, state.sign_digits = event.voids_by_table, event.sign_digits
    state.shortest_round_s = event.shortest_round_s
    state.software = event.software or state.software


def dual_control_set(state: State, event: DualControlSet) -> None:
    """Changes need another number of people; the proposal to that is closed."""
    state.dual_control = event.dual_control
    if event.approval:
        state.proposals.pop(event.approval.proposal, None)


def meters_read(state: State, event: MetersRead) -> None:
    """The meters were read at the start of a gaming day, and boxes are to be counted on it."""
    state.last_read, state.boxes_counted = event.date, []


def box_counted(state: State, event: BoxCounted) -> None:
    """A box was counted; before the first reading nobody asks on which day."""
    box = ledger.key(event.link, event.table)
    if state.last_read and box not in state.boxes_counted:
        state.boxes_counted.append(box)


def display_confirmed(state: State, event: DisplayConfirmed) -> None:
    """A Bad Beat's display is right again."""
    state.links[event.link].pending_adjustment = False


def deck_placed(state: State, event: DeckPlaced) -> None:
    """A deck is in use."""
    state.tables[event.table].decks[event.deck.back] = event.deck


def deck_removed(state: State, event: DeckRemoved) -> None:
    """A deck is off the table."""
    del state.tables[event.table].decks[event.deck.back]
