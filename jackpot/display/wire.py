"""What a controller says over the wire, as pages show it."""

from collections import Counter
from collections.abc import Iterable, Sequence

import grpc

from jackpot.core.config import PayLine
from jackpot.core.state import Hit
from jackpot.display import words
from jackpot.display.looks import IDLE
from jackpot.display.source import MICROS_PER_MS
from jackpot.display.views import (
    CountView,
    Lamp,
    LevelCard,
    LevelView,
    LinkView,
    PanelView,
    PayoutView,
    Proposal,
    Row,
    SeatView,
    SignCard,
    TableView,
)
from jackpot.engine import LevelMeter, MeterFrame
from jackpot.server.codec.fields import HIT_STATUSES, KINDS, LINK_STATUSES, PHASES, SOURCES
from jackpot.wire.v1 import meter_pb2, operator_pb2, payout_pb2, table_pb2


def problem(error: grpc.RpcError) -> str:
    """What went wrong, in one line."""
    code = getattr(error, "code", None)
    return str(code()) if callable(code) else str(error)


def frame(site: str, link: meter_pb2.LinkMeters) -> MeterFrame:
    """A link's meters; reserve and overflow are not for the public."""
    return MeterFrame(
        site=site,
        link=link.link,
        title=link.title,
        wager_micros=link.wager_micros,
        sequence=link.sequence,
        time_micros=link.time_micros,
        status=LINK_STATUSES.from_wire(link.status),
        hit_count=link.hit_count,
        levels=tuple(LevelMeter(m.level, m.amount_micros, 0, 0) for m in link.meters),
        hits=tuple(_hit(link.link, hit) for hit in link.recent_hits),
        pending_adjustment=link.pending_adjustment,
    )


def _hit(link_id: str, hit: meter_pb2.Hit) -> Hit:
    return Hit(
        payout=hit.payout,
        time_micros=hit.time_micros,
        table=hit.table,
        seat=hit.seat,
        link=link_id,
        level=hit.level,
        hand=hit.hand,
        amount_micros=hit.amount_micros,
        status=HIT_STATUSES.from_wire(hit.status),  # type: ignore[arg-type]  # the same words
    )


def card(meters: MeterFrame, paytables: meter_pb2.LinkPaytables) -> SignCard:
    """What a sign shows of a link besides its meters."""
    paytable = paytables.paytables[0]  # all bets of a link have one paytable
    on = {p.on_dealer for p in paytables.paytables}

    def row(line: meter_pb2.PayLine) -> Row:
        known = PayLine(line.hand, line.level, line.share_bps, line.pays_for, line.amount_micros)
        fixed_micros = words.fixed_micros(known, meters.wager_micros)
        amount = words.money(fixed_micros) if fixed_micros else ""
        return Row(words.spaced(line.hand), words.pays(known), amount, line.level)

    return SignCard(
        link=meters.link,
        title=meters.title,
        wager=words.money(meters.wager_micros),
        on=words.on_whom(player=False in on, dealer=True in on)
        if meters.wager_micros
        else words.POT,
        levels=tuple(
            LevelCard(
                level.level,
                words.level_name(level.level),
                tuple(row(line) for line in paytable.lines if line.level == level.level),
            )
            for level in meters.levels
        ),
        rows=tuple(row(line) for line in paytable.lines),
        envy=tuple(
            Row(words.spaced(line.hand), f"${words.money(line.amount_micros)}")
            for line in paytable.envy
        ),
    )


def link(found: operator_pb2.Link) -> LinkView:
    """A link with its money."""
    return LinkView(
        link=found.id,
        title=found.title,
        wager=words.money(found.wager_micros),
        status=LINK_STATUSES.from_wire(found.status),
        hit_count=found.hit_count,
        pending=words.money(found.pending_micros),
        levels=tuple(
            LevelView(
                level.level,
                words.level_name(level.level),
                words.money(level.meter_micros),
                words.money(level.reserve_micros),
                words.money(level.overflow_micros),
            )
            for level in found.levels
        ),
    )


def payout(found: payout_pb2.Payout) -> PayoutView:
    """An award due."""
    return PayoutView(
        payout=found.id,
        table=found.table,
        round=found.round,
        seat=found.seat,
        link=found.link,
        level=found.level,
        kind=KINDS.from_wire(found.kind),
        hand=words.spaced(found.hand),
        amount=words.money(found.amount_micros),
        state="validated" if found.floorperson else "pending",
        source=SOURCES.from_wire(found.source),
        needs_floorperson=found.needs_floorperson,
        since_ms=found.decided_time_micros // MICROS_PER_MS,
        cards=tuple(found.cards),
    )


def proposal(found: operator_pb2.Proposal) -> Proposal:
    """A change that waits for a second person."""
    return Proposal(
        found.id,
        found.link,
        found.level,
        found.before,
        found.after,
        found.proposer,
        found.proposed_time_micros // MICROS_PER_MS,
        found.expires_time_micros // MICROS_PER_MS,
    )


def table(found: operator_pb2.Table) -> TableView:
    """A table in a list."""
    return TableView(
        table=found.id,
        game=words.spaced(found.game),
        links=tuple(found.links),
        attached=found.epoch > 0,
        phase=_phase(found),
        round=found.round.number or found.rounds,
        accepted=len(found.round.wagers),
        open_payouts=found.open_payouts,
        heard_ms=found.heartbeat_time_micros // MICROS_PER_MS,
    )


def panel(
    found: operator_pb2.Table, payouts: Iterable[payout_pb2.Payout], bets: Sequence[str]
) -> PanelView:
    """A table; what chips were counted and which rounds are past is not on the wire."""
    round_ = found.round
    placed = Counter(wager.bet for wager in round_.wagers)
    lit = {(wager.seat, wager.bet) for wager in round_.wagers}
    return PanelView(
        table=found.id,
        game=words.spaced(found.game),
        links=tuple(found.links),
        attached=found.epoch > 0,
        heard_ms=found.heartbeat_time_micros // MICROS_PER_MS,
        round=round_.number or found.rounds,
        phase=_phase(found),
        seats=tuple(
            SeatView(
                seat,
                tuple(Lamp(bet, words.bet_name(bet), (seat, bet) in lit) for bet in bets),
                seat in round_.void_seats,
            )
            for seat in range(1, found.seats + 1)
        ),
        counts=tuple(CountView(bet, words.bet_name(bet), placed[bet]) for bet in bets),
        payouts=tuple(map(payout, payouts)),
        magic_card=round_.magic_card,
        lucky_position=round_.lucky_position if round_.HasField("lucky_position") else -1,
        rounds=None,
    )


def _phase(found: operator_pb2.Table) -> str:
    phase = found.round.phase
    return IDLE if phase == table_pb2.ROUND_PHASE_UNSPECIFIED else PHASES.from_wire(phase)
