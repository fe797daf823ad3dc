"""What screens show, made of a controller's answers: the only place where one becomes the other.

Whether the answers came from this process or over gRPC makes no difference. What answers can't say
(past rounds, contributions, chips counted) comes from the history, as far as there is one.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from jackpot.core import ledger
from jackpot.core.config import PayLine
from jackpot.core.money import rate_text
from jackpot.display.history.site_history import SiteHistory, TableHistory
from jackpot.display.views import values, words
from jackpot.display.views.floor_calls import panel_call
from jackpot.server.codec import fields
from jackpot.wire.v1 import alarm_pb2, meter_pb2, operator_pb2, payout_pb2, table_pb2

MICROS_PER_MS = 1_000
SILENT_MS = 30_000  # a table that was not heard for longer is not attached
IDLE = "idle"  # a table that has no round
_OPEN = (meter_pb2.HIT_STATUS_PENDING, meter_pb2.HIT_STATUS_VALIDATED)


# -- signs ------------------------------------------------------------------------------------


def sign_frame(link: meter_pb2.LinkMeters) -> values.SignFrame:
    """What a sign is told of a link."""
    return values.SignFrame(
        title=link.title,
        sequence=link.sequence,
        time_ms=link.time.ToMilliseconds(),
        status=fields.LINK_STATUSES.from_wire(link.status),
        hit_count=link.hit_count,
        levels=tuple(
            values.Amount(
                meter.level,
                words.money(meter.frozen_micros or meter.amount_micros),
                bool(meter.frozen_micros),
            )
            for meter in link.meters
        ),
        hits=tuple(_hit(link.link, hit) for hit in sorted(link.recent_hits, key=_for_sign)),
        pending_adjustment=link.pending_adjustment,
        terms_sequence=link.terms_sequence,
    )


def _for_sign(hit: meter_pb2.Hit) -> tuple[bool, int, int]:
    """Hits as a sign has room for them: not yet paid first, the largest first."""
    return hit.status not in _OPEN, -hit.amount_micros, -hit.payout


def hits(links: Iterable[meter_pb2.LinkMeters]) -> tuple[values.HitView, ...]:
    """Hits of several links: not yet paid first, the largest first; then the newest first."""

    def place(found: tuple[str, meter_pb2.Hit]) -> tuple[bool, int, int, int]:
        _, hit = found
        open_ = hit.status in _OPEN
        return not open_, -open_ * hit.amount_micros, -hit.time.ToMicroseconds(), -hit.payout

    found = [(link.link, hit) for link in links for hit in link.recent_hits]
    return tuple(_hit(link, hit) for link, hit in sorted(found, key=place))


def _hit(link: str, hit: meter_pb2.Hit) -> values.HitView:
    return values.HitView(
        payout=hit.payout,
        time_ms=hit.time.ToMilliseconds(),
        link=link,
        table=hit.table,
        seat=hit.seat,
        level=hit.level,
        level_name=words.level_name(hit.level),
        hand=words.spaced(hit.hand),
        amount=words.money(hit.amount_micros),
        status=fields.HIT_STATUSES.from_wire(hit.status),
    )


def sign_card(meters: meter_pb2.LinkMeters, pays: meter_pb2.LinkPaytables) -> values.SignCard:
    """What a sign shows of a link besides its meters."""
    paytable = pays.paytables[0]  # all bets of a link have one paytable
    on = {each.on_dealer for each in pays.paytables}

    def row(line: meter_pb2.PayLine) -> values.Row:
        known = PayLine(line.hand, line.level, line.share_bps, line.pays_for, line.amount_micros)
        fixed_micros = words.fixed_micros(known, meters.wager_micros)
        amount = words.money(fixed_micros) if fixed_micros else ""
        return values.Row(words.spaced(line.hand), words.pays(known), amount, line.level)

    return values.SignCard(
        link=meters.link,
        title=meters.title,
        wager=words.money(meters.wager_micros),
        on=words.POT if _is_pot(paytable) else words.on_whom(player=False in on, dealer=True in on),
        levels=tuple(
            values.LevelCard(
                meter.level,
                words.level_name(meter.level),
                tuple(row(line) for line in paytable.lines if line.level == meter.level),
            )
            for meter in meters.meters
        ),
        rows=(*(row(line) for line in paytable.lines), *_drawn(paytable, meters.wager_micros)),
        envy=tuple(
            values.Row(words.spaced(line.hand), f"${words.money(line.amount_micros)}")
            for line in paytable.envy
        ),
        terms=(*_terms(pays.terms), *_pot_terms(pays)),
        tables=tuple(pays.tables),
    )


def layout(found: meter_pb2.TableLayout) -> values.LayoutView:
    """What a table tells patrons."""
    return values.LayoutView(
        table=found.table,
        title=found.title,
        wagers=tuple(
            values.LayoutWager(
                title=wager.title,
                wager=words.spaced(wager.wager),
                lines=tuple(
                    values.LayoutLine(words.spaced(line.hand), line.pays, line.odds)
                    for line in wager.lines
                ),
                odds=words.spaced(wager.odds),
                clause=wager.clause,
            )
            for wager in found.wagers
        ),
        inscriptions=tuple(
            values.Inscription(words.spaced(each.says), each.clause) for each in found.inscriptions
        ),
    )


def _drawn(paytable: meter_pb2.Paytable, wager_micros: int) -> Iterable[values.Row]:
    """A Magic Card and a Lucky Bonus, where they are offered."""
    drawn = (("Magic Card", paytable.magic_pays_for), ("Lucky Bonus", paytable.lucky_pays_for))
    for name, times in drawn:
        if times:
            yield values.Row(name, f"{times} for 1", words.money(times * wager_micros))


def _terms(found: Iterable[meter_pb2.LevelTerms]) -> Iterable[str]:
    """What keeps a meter from growing with every wager, as a sign must say."""
    for each in found:
        name = words.level_name(each.level)
        if each.limit_micros:
            yield f"{name}: at most ${words.money(each.limit_micros)}"
        if each.reserve_bps:
            yield f"{name}: {rate_text(each.reserve_bps)} of each wager funds the next jackpot"


def _pot_terms(pays: meter_pb2.LinkPaytables) -> Iterable[str]:
    """How pots feed a Bad Beat fund: PA2010 553.20(b)(1) and (2) have it posted."""
    if pays.HasField("pot"):
        rate, cap = rate_text(pays.pot.contribution_bps), words.money(pays.pot.cap_micros)
        yield f"{rate} of each pot goes to this fund, at most ${cap}"
        yield f"Only pots of ${words.money(pays.pot.minimum_pot_micros)} or more contribute"


def _is_pot(paytable: meter_pb2.Paytable) -> bool:
    return paytable.medium == meter_pb2.BET_MEDIUM_POT


# -- a table ----------------------------------------------------------------------------------


def panel(
    table: operator_pb2.Table,
    payouts: Iterable[payout_pb2.Payout],
    pays: Iterable[meter_pb2.LinkPaytables],
    past: SiteHistory | None,
    now_ms: int,
) -> values.PanelView:
    """A table; `pays` is what its links pay, in their order."""
    round_, due = table.round, list(payouts)
    bets = [each for link in pays for each in link.paytables if not _is_pot(each)]
    lit = {(wager.seat, wager.bet) for wager in round_.wagers}
    heard_ms, known = _heard_ms(table, past), _known(table, past)
    rounds = None if past and not past.has_rounds else tuple(known.rounds if known else ())
    return values.PanelView(
        table=table.id,
        game=words.spaced(table.game),
        links=tuple(table.links),
        attached=_attached(table, heard_ms, now_ms),
        heard_ms=heard_ms,
        round=round_.number or table.rounds,
        phase=_phase(table),
        seats=tuple(
            values.SeatView(
                seat,
                tuple(
                    values.Lamp(bet.bet, words.bet_name(bet.bet), (seat, bet.bet) in lit)
                    for bet in bets
                ),
                seat in round_.void_seats,
            )
            for seat in range(1, table.seats + 1)
        ),
        counts=tuple(_counts(table, bets, known)),
        payouts=tuple(map(payout, due)),
        call=panel_call(table, due),
        magic_card=round_.magic_card,
        lucky_position=round_.lucky_position if round_.HasField("lucky_position") else -1,
        rounds=rounds,
    )


def _counts(
    table: operator_pb2.Table, bets: Iterable[meter_pb2.Paytable], known: TableHistory | None
) -> Iterable[values.CountView]:
    placed = Counter(wager.bet for wager in table.round.wagers)
    chips = known.chips if known and _phase(table) in ("collected", "settled") else None
    for bet in bets:
        electronic = bet.medium == meter_pb2.BET_MEDIUM_ELECTRONIC
        confirmed = None if electronic or chips is None else chips.get(bet.bet, 0)
        name = words.bet_name(bet.bet)
        yield values.CountView(bet.bet, name, placed[bet.bet], confirmed, electronic)


def _phase(table: operator_pb2.Table) -> str:
    phase = table.round.phase
    return IDLE if phase == table_pb2.ROUND_PHASE_UNSPECIFIED else fields.PHASES.from_wire(phase)


def _known(table: operator_pb2.Table, past: SiteHistory | None) -> TableHistory | None:
    return past.tables.get(table.id) if past else None


def _heard_ms(table: operator_pb2.Table, past: SiteHistory | None) -> int:
    """When the table was last heard: a heartbeat, or a command that was committed."""
    known = _known(table, past)
    committed_micros = known.heard_micros if known else 0
    return max(table.heartbeat_time.ToMicroseconds(), committed_micros) // MICROS_PER_MS


def _attached(table: operator_pb2.Table, heard_ms: int, now_ms: int) -> bool:
    return table.epoch > 0 and heard_ms > now_ms - SILENT_MS


# -- the site ---------------------------------------------------------------------------------


def tables(
    found: Iterable[operator_pb2.Table], past: SiteHistory | None, now_ms: int
) -> tuple[values.TableView, ...]:
    """Every table, with its part of all contributions where that is known."""
    known: Mapping[str, TableHistory] = past.tables if past and past.has_rounds else {}
    total_micros = sum(each.contributed_micros for each in known.values())

    def view(table: operator_pb2.Table) -> values.TableView:
        heard_ms = _heard_ms(table, past)
        micros = known[table.id].contributed_micros if table.id in known else 0
        return values.TableView(
            table=table.id,
            game=words.spaced(table.game),
            links=tuple(table.links),
            attached=_attached(table, heard_ms, now_ms),
            phase=_phase(table),
            round=table.round.number or table.rounds,
            accepted=len(table.round.wagers),
            open_payouts=table.open_payouts,
            heard_ms=heard_ms,
            contributed=words.money(micros) if past and past.has_rounds else "",
            contributed_bp=micros * 10_000 // total_micros if total_micros else 0,
        )

    return tuple(map(view, found))


def link(found: operator_pb2.Link) -> values.LinkView:
    """A link with its money."""
    return values.LinkView(
        link=found.id,
        title=found.title,
        wager=words.money(found.wager_micros),
        status=fields.LINK_STATUSES.from_wire(found.status),
        hit_count=found.hit_count,
        pending=words.money(found.pending_micros),
        levels=tuple(
            values.LevelView(
                level.level,
                words.level_name(level.level),
                words.money(level.meter_micros),
                words.money(level.reserve_micros),
                words.money(level.overflow_micros),
            )
            for level in found.levels
        ),
    )


def payout(found: payout_pb2.Payout) -> values.PayoutView:
    """An award due."""
    return values.PayoutView(
        payout=found.id,
        table=found.table,
        round=found.round,
        seat=found.seat,
        link=found.link,
        level=found.level,
        kind=fields.KINDS.from_wire(found.kind),
        hand=words.spaced(found.hand),
        amount=words.money(found.amount_micros),
        state="validated" if found.floorperson else "pending",
        source=fields.SOURCES.from_wire(found.source),
        needs_floorperson=found.needs_floorperson,
        since_ms=found.decided_time.ToMilliseconds(),
        cards=tuple(found.cards),
    )


def proposal(found: operator_pb2.Proposal) -> values.Proposal:
    """A change that waits for a second person."""
    return values.Proposal(
        found.id,
        found.link or "site",  # a setting of the site as a whole has neither
        found.level or "dual control",
        found.before,
        found.after,
        found.proposer,
        found.proposed_time.ToMilliseconds(),
        found.expires_time.ToMilliseconds(),
    )


def call(found: table_pb2.FloorCall) -> values.CallView:
    """A table that waits for a floorperson."""
    return values.CallView(
        found.id,
        found.table,
        found.round,
        found.seat,
        words.spaced(fields.ACTS.from_wire(found.act)),
        found.irregularity or f"{found.bet} has no chip",
        found.called_time.ToMilliseconds(),
        found.expires_time.ToMilliseconds(),
    )


def alarm(found: alarm_pb2.Alarm) -> values.Alarm:
    """Something that the floor should look into."""
    severity = fields.ALARM_SEVERITIES.from_wire(found.severity)
    known = alarm_pb2.AlarmKind.DESCRIPTOR.values_by_number.get(found.kind)
    kind = known.name.removeprefix("ALARM_KIND_") if known else f"ALARM {found.kind}"
    return values.Alarm(kind, severity, found.text, found.time.ToMilliseconds())


def history(
    past: SiteHistory | None, link: str, level: str, range_: values.Range, now_s: int
) -> values.HistoryView | None:
    """A meter over time."""
    found = past.levels.get(ledger.key(link, level)) if past else None
    if past is None or found is None:
        return None
    pairs = found.over(range_, now_s)
    return values.HistoryView(
        link=link,
        level=level,
        range=range_,
        times_s=tuple(time_s for time_s, _ in pairs),
        amounts=tuple(words.money(value) for _, value in pairs),
        since_s=past.since_micros // 1_000_000,
    )
