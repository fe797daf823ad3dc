"""Decide a round's way from its opening to the collection: wagers in, lock-out, chips counted."""

from collections.abc import Iterable, Mapping

from jackpot.core import ledger
from jackpot.core.commands import Request
from jackpot.core.commands.table import (
    ConfirmCollection,
    LockOut,
    OpenRound,
    Placed,
    Wager,
    WithdrawWagers,
)
from jackpot.core.config import Bet
from jackpot.core.draws import draw_all, drawing_links, first_drawn
from jackpot.core.events.table import (
    CollectionConfirmed,
    RoundLocked,
    RoundOpened,
    WagersWithdrawn,
)
from jackpot.core.increments import increments
from jackpot.core.intake import unreasonable
from jackpot.core.ledger import Book
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.core.stakes import stakes_of
from jackpot.core.state import Accepted, LinkState, Phase, Round, State, TableState

# Wanted and found.
_WRONG_PHASE: dict[tuple[Phase, Phase], Reason] = {
    ("locked", "open"): Reason.NOT_LOCKED_OUT,
    ("locked", "collected"): Reason.ALREADY_COLLECTED,
    ("locked", "settled"): Reason.ALREADY_COLLECTED,
    ("collected", "open"): Reason.NOT_LOCKED_OUT,
    ("collected", "locked"): Reason.NOT_COLLECTED,
    ("collected", "settled"): Reason.ALREADY_SETTLED,
}


def find_bet(state: State, table: TableState, bet: str) -> tuple[LinkState, Bet] | None:
    """The bet that a table offers under this id, and its link."""
    for link in table.config.links:
        for candidate in state.links[link].config.bets:
            if candidate.id == bet:
                return state.links[link], candidate
    return None


def bet_of(state: State, table: TableState, bet: str) -> tuple[LinkState, Bet]:
    """The bet that an accepted wager is on, and its link."""
    found = find_bet(state, table, bet)
    if found is None:
        raise AssertionError(f"bet {bet} was accepted and is not offered")
    return found


def owner(wager: Wager, at_seat: Mapping[str, Accepted]) -> str:
    """Who a wager belongs to: the player that is named, or whoever has that seat already."""
    if wager.player:
        return wager.player
    for accepted in at_seat.values():
        return accepted.player
    return f"seat {wager.seat}"


def standing(round_: Round) -> list[tuple[int, str, Accepted]]:
    """Every wager of a round: seat, bet, wager."""
    return [
        (seat, bet, accepted)
        for seat, bets in round_.wagers.items()
        for bet, accepted in bets.items()
    ]


def in_phase(table: TableState, phase: Phase) -> Round | Refusal:
    """The table's round if it is in this phase, or what is wrong with the phase it is in."""
    round_ = table.round
    if round_ is None:
        return refuse(Reason.NO_ROUND, table=table.config.id)
    if round_.phase == phase:
        return round_
    # Whatever comes too late for an open round is locked out, whatever the client's clock says.
    reason = _WRONG_PHASE.get((phase, round_.phase), Reason.LOCKED_OUT)
    return refuse(reason, table=table.config.id, round=round_.number)


def open_round(state: State, table: TableState, _: OpenRound, __: Request) -> RoundOpened | Refusal:
    """Number the next round, unless something keeps it shut."""
    return keeps_shut(state, table) or RoundOpened(table.config.id, table.rounds + 1)


def keeps_shut(state: State, table: TableState) -> Refusal | None:
    """Why a table may not open its next round; a payout's cards must stay on the table."""
    if holding := state.due.from_cage.get(table.config.id):
        return refuse(Reason.DOCUMENTATION_OPEN, table=table.config.id, payout=min(holding))
    if table.round is not None and table.round.phase != "settled":
        return refuse(Reason.ROUND_OPEN, table=table.config.id, round=table.round.number)
    return None


def withdraw_wagers(
    state: State, table: TableState, command: WithdrawWagers, _: Request
) -> WagersWithdrawn | Refusal:
    """Give wagers back while the round is open."""
    round_ = in_phase(table, "open")
    if not isinstance(round_, Round):
        return round_
    seen: set[Placed] = set()
    for placed in command.wagers:
        if placed in seen or placed.bet not in round_.wagers.get(placed.seat, ()):
            return refuse(Reason.NO_SUCH_WAGER, seat=placed.seat, bet=placed.bet)
        seen.add(placed)
    book = Book(state.balances)
    returned = ((bet, w) for seat, bet, w in standing(round_) if Placed(seat, bet) in seen)
    refund(state, table, book, returned)
    return WagersWithdrawn(table.config.id, command.wagers, book.postings())


def refund(
    state: State, table: TableState, book: Book, wagers: Iterable[tuple[str, Accepted]]
) -> None:
    """Credit the game accounts that wagers came from; each is given with its bet."""
    for bet, accepted in wagers:
        if accepted.account:
            link = bet_of(state, table, bet)[0].config.id
            account = ledger.game_account(accepted.account)
            book.move(accepted.amount_micros, ledger.players(link), account)


def lock_out(
    state: State, table: TableState, _: LockOut, request: Request
) -> RoundLocked | Refusal:
    """Close the round to wagers; post the electronic ones; draw Magic Card and Lucky Bonus."""
    round_ = in_phase(table, "open")
    if not isinstance(round_, Round):
        return round_
    stakes = stakes_of(round_)
    postings, posted = increments(state, table, stakes.electronic)
    config = table.config
    draws = draw_all(drawing_links(state, config.id), config.seats, request.entropy)
    magic_card, lucky_position = first_drawn(draws)
    return RoundLocked(
        config.id,
        round_.number,
        stakes.wagers,
        not stakes.chips,
        postings,
        posted,
        magic_card=magic_card,
        lucky_position=lucky_position,
        draws=draws,
        alarms=unreasonable(state, posted, request.time_micros),
    )


def confirm_collection(
    state: State, table: TableState, command: ConfirmCollection, request: Request
) -> CollectionConfirmed | Refusal:
    """Post the increments once the dealer's count equals the wagers accepted."""
    for bet in command.chips:
        if find_bet(state, table, bet) is None:
            return refuse(Reason.UNKNOWN_BET, table=table.config.id, bet=bet)
    round_ = in_phase(table, "locked")
    if not isinstance(round_, Round):
        return round_
    stakes = stakes_of(round_)
    for bet in sorted(stakes.counts.keys() | command.chips.keys()):
        accepted, counted = stakes.counts.get(bet, 0), command.chips.get(bet, 0)
        if accepted != counted:
            return refuse(Reason.COLLECTION_MISMATCH, bet=bet, accepted=accepted, counted=counted)
    postings, posted = increments(state, table, stakes.chips)
    alarms = unreasonable(state, posted, request.time_micros)
    return CollectionConfirmed(table.config.id, command.chips, postings, posted, alarms)
