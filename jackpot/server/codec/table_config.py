"""What a table is, told to the table itself: from its state, with the limits of this controller."""

from jackpot.core import config
from jackpot.core.money import CURRENCY
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.core.rounds import keeps_shut
from jackpot.core.state import LinkState, State, TableState
from jackpot.server.about import LIMITS, duration
from jackpot.server.codec.fields import LINK_STATUSES, MEDIA
from jackpot.wire.limits import HEARTBEAT_S
from jackpot.wire.v1 import reason_pb2, table_config_pb2, table_pb2


def config_message(state: State, table: TableState) -> table_config_pb2.TableConfig:
    """What a table is."""
    about = table.config
    return table_config_pb2.TableConfig(
        table=about.id,
        game=about.game,
        seats=about.seats,
        boxes_per_player=about.boxes_per_player,
        seat_cards=about.seat_cards,
        community_cards=about.community_cards,
        dealer_cards=about.dealer_cards,
        links=[_link(state.links[link]) for link in about.links],
        heartbeat_interval=duration(HEARTBEAT_S),
        limits=LIMITS,
        currency=CURRENCY,
        deck_life_by_hand=duration(about.decks.by_hand_s) if about.decks.by_hand_s else None,
        deck_life_by_shoe=duration(about.decks.by_shoe_s) if about.decks.by_shoe_s else None,
        round_irregularities=about.irregularities.voids_round,
        seat_irregularities=about.irregularities.voids_seat,
        base=_base(about.base) if about.base else None,
    )


def _base(terms: config.BaseTerms) -> table_config_pb2.BaseConfig:
    return table_config_pb2.BaseConfig(
        rule=terms.rule,
        minimum_micros=terms.minimum_micros,
        maximum_micros=terms.maximum_micros,
        wagers=map(_base_wager, terms.wagers),
        options=terms.options,
        payout_limit_micros=terms.payout_limit_micros or None,
    )


def _base_wager(wager: config.WagerTerms) -> table_config_pb2.BaseWager:
    return table_config_pb2.BaseWager(
        bet=wager.bet,
        paytable=wager.paytable,
        pays=wager.pays,
        minimum_micros=wager.minimum_micros or None,
        maximum_micros=wager.maximum_micros or None,
        fold_forfeits=wager.fold_forfeits,
    )


def _link(link: LinkState) -> table_config_pb2.LinkConfig:
    about = link.config
    return table_config_pb2.LinkConfig(
        link=about.id,
        title=about.title,
        status=LINK_STATUSES.to_wire(link.status),
        wager_micros=about.wager_micros,
        bets=[bet_config(about, bet) for bet in about.bets],
    )


def bet_config(link: config.Link, bet: config.Bet) -> table_config_pb2.BetConfig:
    """A bet of a link, as a table is told of it."""
    words = bet.id.replace("-", " ")
    return table_config_pb2.BetConfig(
        bet=bet.id,
        title=words[:1].upper() + words[1:],
        medium=MEDIA.to_wire(bet.medium),
        on_dealer=bet.whose == "dealer",
        fold_forfeits=bet.fold_forfeits,
        magic_card=bool(bet.magic_pays_for and link.magic_share_bps),
        lucky_bonus=bool(bet.lucky_pays_for and link.lucky_share_bps),
        divided_hands=[
            line.hand
            for line in bet.paytable
            if line.share_bps and (line.shared or bet.whose == "dealer")
        ],
    )


def table_answer(state: State, table: str) -> table_pb2.TableServiceGetTableResponse | Refusal:
    """The answer to a table that asks what it is."""
    found = state.tables.get(table)
    if found is None:
        return refuse(Reason.UNKNOWN_TABLE, table=table)
    return table_pb2.TableServiceGetTableResponse(
        sequence=state.sequence, config=config_message(state, found)
    )


def standing(state: State, table: str) -> table_pb2.AttachResponse | Refusal:
    """What an attachment's answer says beside the journal: what the table is, and may do, now."""
    found = state.tables.get(table)
    if found is None:
        return refuse(Reason.UNKNOWN_TABLE, table=table)
    answer = table_pb2.AttachResponse(config=config_message(state, found))
    if shut := keeps_shut(state, found):
        answer.next_round_refusal = reason_pb2.Reason.Value(f"REASON_{shut.reason}")
    return answer
