"""The rows of MeterService: what the public sees, now or as it changes."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec
from google.protobuf.json_format import ParseDict

from jackpot.core import config
from jackpot.core.money import CURRENCY
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.core.state import Hit, State
from jackpot.engine import MeterFrame
from jackpot.engine.meter_board import frame_of
from jackpot.rules.hand_titles import hand_title
from jackpot.rules.posted_layout import layout_card
from jackpot.server.about import server_info
from jackpot.server.codec import Read, Row
from jackpot.server.codec.fields import (
    HIT_STATUSES,
    LINK_STATUSES,
    MEDIA,
    identifier,
    many,
    optional_text,
    timestamp,
    whole,
)
from jackpot.wire.limits import MAX_NUMBER, MAX_WATCHED_LINKS
from jackpot.wire.v1 import meter_pb2


def unknown_link(state: State, links: Iterable[str]) -> Refusal | None:
    """The refusal of the first link that the site does not have."""
    for link in links:
        if link not in state.links:
            return refuse(Reason.UNKNOWN_LINK, link=link)
    return None


def _one_link(
    message: meter_pb2.ListMetersRequest | meter_pb2.ListPaytablesRequest,
) -> tuple[str, list[str]]:
    """The site, and the one link that is asked for; none means all."""
    site = identifier(message.site, "site")
    return site, [identifier(message.link, "link")] if message.link else []


def _meters(state: State, links: list[str]) -> meter_pb2.ListMetersResponse | Refusal:
    return unknown_link(state, links) or meter_pb2.ListMetersResponse(
        sequence=state.sequence,
        links=[link_meters(frame_of(state, state.links[link])) for link in links or state.links],
        incarnation=state.incarnation.id,
    )


def _paytables(state: State, links: list[str]) -> meter_pb2.ListPaytablesResponse | Refusal:
    return unknown_link(state, links) or meter_pb2.ListPaytablesResponse(
        sequence=state.sequence,
        links=[_of_link(state, link) for link in links or state.links],
    )


def _of_link(state: State, link: str) -> meter_pb2.LinkPaytables:
    message = paytables_message(state.links[link].config)
    on = (table.config for table in state.tables.values() if link in table.config.links)
    message.tables.extend(table.id for table in on if table.base)
    return message


def _one_table(message: meter_pb2.GetLayoutRequest) -> tuple[str, str]:
    return identifier(message.site, "site"), identifier(message.table, "table")


def _layout(state: State, table: str) -> meter_pb2.GetLayoutResponse | Refusal:
    found = state.tables.get(table)
    if found is None:
        return refuse(Reason.UNKNOWN_TABLE, table=table)
    answer = meter_pb2.GetLayoutResponse(sequence=state.sequence)
    if found.config.base:
        links = [state.links[link].config for link in found.config.links]
        card = layout_card(found.config, links)
        ParseDict(msgspec.to_builtins(card), answer.layout)
    return answer


class Watched(NamedTuple):
    """What somebody wants to watch, and how far they have seen it."""

    site: str
    links: frozenset[str]  # none: all
    after: int
    incarnation: str  # to which `after` belongs

    def refusal(self, state: State) -> Refusal | None:
        """Why it can't be watched."""
        if refusal := unknown_link(state, self.links):
            return refusal
        current = state.incarnation.id
        if self.incarnation in ("", current) and self.after > state.sequence:
            told = {"after_sequence": self.after, "sequence": state.sequence}
            return refuse(Reason.OUT_OF_RANGE, **told, incarnation=current)
        return None

    def is_new(self, frame: MeterFrame) -> bool:
        """Whether a frame shows something that was not seen."""
        if frame.site != self.site or (self.links and frame.link not in self.links):
            return False
        # A frame of another incarnation counts anew.
        return frame.sequence > self.after or frame.incarnation != self.incarnation


def parse_watch(message: meter_pb2.WatchMetersRequest) -> Watched:
    """What is asked for."""
    links = many(message.links, "links", MAX_WATCHED_LINKS)
    return Watched(
        identifier(message.site, "site"),
        frozenset(identifier(link, f"links[{place}]") for place, link in enumerate(links)),
        whole(message.after_sequence, "after_sequence", 0, MAX_NUMBER),
        optional_text(message.incarnation, "incarnation"),
    )


def watched(frame: MeterFrame) -> meter_pb2.WatchMetersResponse:
    """What a watcher gets when a link changes."""
    return meter_pb2.WatchMetersResponse(
        sequence=frame.sequence, links=[link_meters(frame)], incarnation=frame.incarnation
    )


def progress(sequence: int, incarnation: str) -> meter_pb2.WatchMetersResponse:
    """What a watcher gets when nothing has changed for a while."""
    return meter_pb2.WatchMetersResponse(sequence=sequence, incarnation=incarnation)


def link_meters(frame: MeterFrame) -> meter_pb2.LinkMeters:
    """All that a sign shows of a link."""
    return meter_pb2.LinkMeters(
        link=frame.link,
        title=frame.title,
        status=LINK_STATUSES.to_wire(frame.status),
        wager_micros=frame.wager_micros,
        meters=[
            meter_pb2.Meter(
                level=level.level,
                amount_micros=level.meter_micros,
                frozen_micros=level.frozen_micros,
            )
            for level in frame.levels
        ],
        hit_count=frame.hit_count,
        recent_hits=[_hit_message(hit) for hit in frame.hits],
        sequence=frame.sequence,
        time=timestamp(frame.time_micros),
        pending_adjustment=frame.pending_adjustment,
        currency=CURRENCY,
        terms_sequence=frame.terms_sequence,
    )


def _hit_message(hit: Hit) -> meter_pb2.Hit:
    return meter_pb2.Hit(
        payout=hit.payout,
        time=timestamp(hit.time_micros),
        table=hit.table,
        seat=hit.seat,
        level=hit.level,
        hand=hit.hand,
        amount_micros=hit.amount_micros,
        status=HIT_STATUSES.to_wire(hit.status),
        hand_title=hand_title(hit.hand),
    )


def _pot_lines(pot: config.PotRules) -> tuple[config.PayLine, ...]:
    """Who has which share of a Bad Beat fund, in the form of a paytable."""
    shares = {
        f"{pot.qualifying_hand or 'qualifying-hand'}-or-higher-that-loses": pot.loser_bps,
        "hand-that-beats-it": pot.winner_bps,
        "others-dealt-in-equally": pot.table_bps,
    }
    return tuple(config.PayLine(hand, "main", bps) for hand, bps in shares.items() if bps)


def _pay_line(line: config.PayLine) -> meter_pb2.PayLine:
    return meter_pb2.PayLine(
        hand=line.hand,
        level=line.level,
        share_bps=line.share_bps,
        pays_for=line.pays_for,
        amount_micros=line.amount_micros,
        hand_title=hand_title(line.hand),
    )


def paytables_message(link: config.Link) -> meter_pb2.LinkPaytables:
    """What a link pays."""
    if link.pot:
        pot = meter_pb2.Paytable(
            bet="bad-beat",
            lines=[_pay_line(line) for line in _pot_lines(link.pot)],
            medium=meter_pb2.BET_MEDIUM_POT,
        )
        terms = meter_pb2.PotTerms(
            minimum_pot_micros=link.pot.minimum_pot_micros,
            contribution_bps=link.pot.contribution_bps,
            cap_micros=link.pot.cap_micros,
        )
        return meter_pb2.LinkPaytables(link=link.id, paytables=[pot], pot=terms)
    return meter_pb2.LinkPaytables(
        link=link.id,
        paytables=[
            meter_pb2.Paytable(
                bet=bet.id,
                on_dealer=bet.whose == "dealer",
                medium=MEDIA.to_wire(bet.medium),
                lines=[_pay_line(line) for line in bet.paytable],
                envy=[
                    meter_pb2.EnvyLine(
                        hand=line.hand,
                        amount_micros=line.amount_micros,
                        hand_title=hand_title(line.hand),
                    )
                    for line in bet.envy
                ],
                magic_pays_for=bet.magic_pays_for,
                lucky_pays_for=bet.lucky_pays_for,
            )
            for bet in link.bets
        ],
        terms=[
            meter_pb2.LevelTerms(
                level=level.id, limit_micros=level.limit_micros, reserve_bps=level.reserve_bps
            )
            for level in link.levels
            if level.limit_micros or level.reserve_bps
        ],
    )


ROWS: Mapping[str, Row] = {
    "GetServerInfo": Row(lambda _: None, server_info),
    "ListSites": Row(lambda _: None, lambda sites: meter_pb2.ListSitesResponse(sites=sites)),
    "ListMeters": Read(_one_link, _meters),
    "ListPaytables": Read(_one_link, _paytables),
    "GetLayout": Read(_one_table, _layout),
    "WatchMeters": Row(parse_watch, watched),
}
