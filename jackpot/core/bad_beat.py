"""Decide what happens to a Bad Beat fund: pots feed it, a verified hand shares it out.

The same ledger with another way in. A contribution lies in its table's box until the box is
counted; the count is the official record, so the display grows by what was counted. A Bad Beat is
due only when the shift supervisor has verified it and its cards rank as the posted rules ask; from
then on the display is pending adjustment.
"""

from collections.abc import Callable
from typing import NamedTuple, Never

from msgspec import Struct

from jackpot.core import ledger
from jackpot.core.awards import decide_award
from jackpot.core.commands import Request
from jackpot.core.commands.operator import ConfirmDisplay, CountBox, VerifyBadBeat
from jackpot.core.commands.table import ContributePot
from jackpot.core.config import PotRules
from jackpot.core.events.operator import BadBeatVerified, BoxCounted, DisplayConfirmed
from jackpot.core.events.table import PotContributed
from jackpot.core.ledger import Book
from jackpot.core.links import find_link
from jackpot.core.money import BPS_PER_WHOLE, floor_to_cent
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.core.settle import pools_of, post_award
from jackpot.core.state import (
    Award,
    BadBeatRole,
    Claim,
    LinkState,
    LinkStatus,
    Payout,
    Settlement,
    State,
    TableState,
    Winner,
)


class Showdown(Struct, frozen=True):
    """Two ranked Poker hands: their names, and whether they make a Bad Beat."""

    losing: str
    winning: str
    qualifies: bool  # the losing hand is the posted one or higher
    beaten: bool  # the other hand is higher still


Cards = tuple[str, ...]


class Poker(NamedTuple):
    """Ranks Poker hands; passed in by the rules, like `Names`."""

    # Whether a game of Poker deals a player so many cards of their own, and so many to share.
    deals: Callable[[int, int], bool]
    # Ranks two hands: takes the posted hand, the loser's own cards, the winner's, and the shared.
    showdown: Callable[[str, Cards, Cards, Cards], Showdown]


def _unranked(*_: object) -> Never:
    raise TypeError("a Bad Beat is to be verified, and nothing here ranks Poker hands")


NO_POKER = Poker(_unranked, _unranked)  # where no Poker is played


def _fund(
    state: State, link: str, *statuses: LinkStatus
) -> tuple[LinkState, PotRules, str] | Refusal:
    """A Bad Beat fund, its rules, and the name of its one level."""
    found = find_link(state, link, *statuses)
    if isinstance(found, Refusal):
        return found
    if found.config.pot is None:
        return refuse(Reason.NOT_A_FUND, link=link)
    return found, found.config.pot, ledger.key(link, found.config.levels[0].id)


def _elsewhere(state: State, table: str, link: str) -> Refusal | None:
    """A refusal where there is no such table or link, or the table is not on the link."""
    if table in state.tables and link not in state.links:
        return refuse(Reason.UNKNOWN_LINK, link=link)
    if table not in state.tables or link not in state.tables[table].config.links:
        return refuse(Reason.UNKNOWN_TABLE, table=table, link=link)
    return None


def contribute_pot(
    state: State, table: TableState, command: ContributePot, _: Request
) -> PotContributed | Refusal:
    """Take the contribution from a pot; a pot that is too small contributes nothing."""
    for link in table.config.links:
        rules = state.links[link].config.pot
        if rules is None:
            continue
        fund = _fund(state, link, "in-service")
        if isinstance(fund, Refusal):
            return fund
        amount = 0
        if command.pot_micros >= rules.minimum_pot_micros:
            share = command.pot_micros * rules.contribution_bps // BPS_PER_WHOLE
            amount = min(rules.cap_micros, floor_to_cent(share))
        book = Book(state.balances)
        book.move(amount, ledger.players(link), ledger.box(link, table.config.id))
        return PotContributed(table.config.id, link, command.pot_micros, amount, book.postings())
    return refuse(Reason.NOT_A_FUND, table=table.config.id)


def count_box(state: State, command: CountBox, _: Request) -> BoxCounted | Refusal:
    """Add a box's count to the fund; raise an alarm if the count differs from the record."""
    if refusal := _elsewhere(state, command.table, command.link):
        return refusal
    fund = _fund(state, command.link, "in-service", "suspended")
    if isinstance(fund, Refusal):
        return fund
    box = ledger.box(command.link, command.table)
    book = Book(state.balances)
    recorded = book.balance(box)
    book.move(recorded, box, ledger.players(command.link))
    limit = fund[0].config.levels[0].limit_micros
    book.credit_meter(command.counted_micros, ledger.players(command.link), fund[2], limit)
    alarms: tuple[str, ...] = ()
    if recorded != command.counted_micros:
        alarms = (f"BOX_DIFFERENCE {command.link}/{command.table}",)
    return BoxCounted(
        command.link,
        command.table,
        recorded,
        command.counted_micros,
        command.cashier,
        postings=book.postings(),
        alarms=alarms,
    )


def _misdealt(command: VerifyBadBeat, poker: Poker) -> Refusal | None:
    """A refusal where no deal of Poker gives these cards to two players."""
    shared = len(command.community)
    for seat, own in ((command.loser, command.losing), (command.winner, command.winning)):
        if not poker.deals(len(own), shared) or len(own) != len(command.losing):
            return refuse(Reason.WRONG_CARD_COUNT, seat=seat, cards=len(own), community=shared)
    seen: set[str] = set()
    for card in (*command.losing, *command.winning, *command.community):
        if card in seen:
            return refuse(Reason.DUPLICATE_CARD, card=card)
        seen.add(card)
    return None


def _not_beaten(link: str, qualifying: str, shown: Showdown) -> Refusal | None:
    """A refusal where the losing hand is not one that qualifies, or did not lose."""
    if shown.qualifies and shown.beaten:
        return None
    short = "the losing hand is lower than the qualifying hand"
    tied = "the winning hand does not beat the losing hand"
    return refuse(
        Reason.NOT_A_BAD_BEAT,
        link=link,
        qualifying_hand=qualifying,
        losing_hand=shown.losing,
        winning_hand=shown.winning,
        problem=tied if shown.qualifies else short,
    )


def verify(
    state: State, command: VerifyBadBeat, request: Request, poker: Poker
) -> BadBeatVerified | Refusal:
    """Share the fund out: to the hand that lost, to the one that won, to the rest of the table."""
    if refusal := _elsewhere(state, command.table, command.link):
        return refusal
    seats = (command.loser, command.winner, *command.others)
    for seat in seats:
        if not 1 <= seat <= state.tables[command.table].config.seats or seats.count(seat) > 1:
            return refuse(Reason.UNKNOWN_SEAT, table=command.table, seat=seat)
    if not command.supervisor:
        return refuse(Reason.FLOORPERSON_REQUIRED)
    if refusal := _misdealt(command, poker):
        return refusal
    fund = _fund(state, command.link, "in-service", "suspended")
    if isinstance(fund, Refusal):
        return fund
    link, rules, name = fund
    qualifying = rules.qualifying_hand
    shown = poker.showdown(qualifying, command.losing, command.winning, command.community)
    if refusal := _not_beaten(command.link, qualifying, shown):
        return refusal
    if link.pending_adjustment:
        return refuse(Reason.PENDING_ADJUSTMENT, link=command.link)
    book = Book(state.balances)
    level = link.config.levels[0].id
    before = pools = pools_of(state, book, command.link, level)
    total, number = pools.meter_micros, -(state.bad_beats + 1)
    awards: list[Award] = []
    payouts: list[Payout] = []
    parts: tuple[tuple[BadBeatRole, int, tuple[int, ...], Cards], ...] = (
        ("loser", rules.loser_bps, (command.loser,), command.losing),
        ("winner", rules.winner_bps, (command.winner,), command.winning),
        ("table", rules.table_bps, command.others, ()),  # nobody asks for the others' cards
    )
    for role, share_bps, winners, cards in parts:
        if not winners or not share_bps:
            continue
        each = floor_to_cent(total * share_bps // BPS_PER_WHOLE // len(winners))
        claim = Claim(
            kind="bad-beat",
            link=command.link,
            bet="bad-beat",
            hand=shown.losing,
            winners=tuple(Winner(seat, f"seat {seat}") for seat in winners),
            level=level,
            amount_micros=each,
            source="cage",
            holder=command.loser,
        )
        outcome = decide_award(claim, pools)
        post_award(book, claim, outcome.effects)
        pools = outcome.pools or pools
        due = [
            Payout(
                id=state.last_payout + offset,
                table=command.table,
                round=number,
                link=command.link,
                level=level,
                bet=claim.bet,
                kind=claim.kind,
                hand=shown.losing,
                seat=winner.seat,
                player=winner.player,
                cards=cards,
                amount_micros=each,
                meter_before_micros=total,
                source="cage",
                needs_floorperson=True,
                holder=command.loser,
                floorperson=command.supervisor,
                since_micros=request.time_micros,
                role=role,
            )
            for offset, winner in enumerate(claim.winners, len(payouts) + 1)
        ]
        payouts += due
        awards.append(Award(claim, tuple(p.id for p in due), each, outcome.effects))
    settlement = Settlement(
        command.table, number, state.sequence + 1, tuple(awards), {name: before}
    )
    return BadBeatVerified(
        command.table,
        command.link,
        shown.losing,
        command.supervisor,
        tuple(payouts),
        settlement,
        book.postings(),
        command.losing,
        command.winning,
        command.community,
        shown.winning,
        command.loser,
        command.winner,
    )


def confirm_display(
    state: State, command: ConfirmDisplay, _: Request
) -> DisplayConfirmed | Refusal:
    """Compare what is displayed with what the fund holds; only the same amount is confirmed."""
    if command.link not in state.links:
        return refuse(Reason.UNKNOWN_LINK, link=command.link)
    fund = _fund(state, command.link, "in-service", "suspended")
    if isinstance(fund, Refusal):
        return fund
    # Displays show whole cents.
    held = floor_to_cent(state.balances.get(ledger.meter(fund[2]), 0))
    if command.displayed_micros != held:
        return refuse(
            Reason.DISPLAY_MISMATCH, displayed_micros=command.displayed_micros, held_micros=held
        )
    return DisplayConfirmed(command.link, command.displayed_micros)
