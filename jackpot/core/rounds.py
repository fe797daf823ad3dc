"""Decide a round's way from its opening to the collection: wagers in, lock-out, chips counted."""

from collections.abc import Iterable, Mapping

from jackpot.core import ledger
from jackpot.core.accounts import short
from jackpot.core.commands import Request
from jackpot.core.commands.table import (
    ConfirmCollection,
    LockOut,
    OpenRound,
    Placed,
    PlaceWagers,
    Wager,
    WithdrawWagers,
)
from jackpot.core.config import Bet, Medium
from jackpot.core.draws import draw_all, drawing_links, first_drawn
from jackpot.core.events.table import (
    CollectionConfirmed,
    RoundLocked,
    RoundOpened,
    WagersPlaced,
    WagersWithdrawn,
)
from jackpot.core.increments import post_increments
from jackpot.core.intake import unreasonable
from jackpot.core.ledger import Book
from jackpot.core.reasons import Reason, Refusal, refuse
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


def paid_by(round_: Round, medium: Medium) -> list[tuple[str, Accepted]]:
    """The wagers of a round that were made by chips, or electronically; each with its bet."""
    return [
        (bet, accepted)
        for bets in round_.wagers.values()
        for bet, accepted in bets.items()
        if accepted.medium == medium
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


def place_wagers(
    state: State, table: TableState, command: PlaceWagers, _: Request
) -> WagersPlaced | Refusal:
    """Accept all wagers or none."""
    offers = _find_offers(state, table, command.wagers)
    if isinstance(offers, Refusal):
        return offers
    round_ = in_phase(table, "open")
    if isinstance(round_, Refusal):
        return round_
    refusal = (
        _check_wagers(round_, command.wagers, offers)
        or _check_boxes(table, round_, command.wagers)
        or _check_void_seats(round_, command.wagers)
    )
    if refusal:
        return refusal
    if {bet.medium for _, bet in offers.values()} == {"chips"}:
        return WagersPlaced(table.config.id, command.wagers)
    book = Book(state.balances)
    if refusal := _debit(book, command.wagers, offers):
        return refusal
    mediums = tuple([offers[wager.bet][1].medium for wager in command.wagers])
    return WagersPlaced(table.config.id, command.wagers, mediums, book.postings())


Offers = dict[str, tuple[LinkState, Bet]]  # bet -> its link and itself


def _find_offers(state: State, table: TableState, wagers: tuple[Wager, ...]) -> Offers | Refusal:
    """The bets that wagers are on; each is looked up once, however many seats play it."""
    offers: Offers = {}
    seats = table.config.seats
    for wager in wagers:
        bet = wager.bet
        if bet not in offers:
            offer = find_bet(state, table, bet)
            if offer is None:
                return refuse(Reason.UNKNOWN_BET, table=table.config.id, bet=bet)
            offers[bet] = offer
        if not 1 <= wager.seat <= seats:
            return refuse(Reason.UNKNOWN_SEAT, table=table.config.id, seat=wager.seat)
    return offers


def _at(wager: Wager) -> dict[str, int | str]:
    return {"seat": wager.seat, "bet": wager.bet}


def _check_wagers(round_: Round, wagers: tuple[Wager, ...], offers: Offers) -> Refusal | None:
    seen: set[tuple[int, str]] = set()
    placed = round_.wagers
    for wager in wagers:
        seat, bet = wager.seat, wager.bet
        link = offers[bet][0]
        if link.status != "in-service":
            return refuse(Reason.LINK_NOT_IN_SERVICE, link=link.config.id, **_at(wager))
        if wager.amount_micros != link.config.wager_micros:
            return refuse(
                Reason.WRONG_DENOMINATION,
                amount_micros=wager.amount_micros,
                takes_micros=link.config.wager_micros,
                **_at(wager),
            )
        if (seat, bet) in seen or (seat in placed and bet in placed[seat]):
            return refuse(Reason.DUPLICATE_WAGER, **_at(wager))
        seen.add((seat, bet))
    return None


def _check_void_seats(round_: Round, wagers: tuple[Wager, ...]) -> Refusal | None:
    if not round_.void_seats:
        return None
    for wager in wagers:
        if wager.seat in round_.void_seats:
            return refuse(Reason.SEAT_NOT_IN_ROUND, seat=wager.seat)
    return None


def _debit(book: Book, wagers: tuple[Wager, ...], offers: Offers) -> Refusal | None:
    """Take electronic wagers off the game accounts that they name."""
    for wager in wagers:
        if not wager.account:
            continue
        link, bet = offers[wager.bet]
        if bet.medium != "electronic":
            continue
        if refusal := short(book, wager.account, wager.amount_micros):
            return refusal
        account = ledger.game_account(wager.account)
        book.move(wager.amount_micros, account, ledger.players(link.config.id))
    return None


def _check_boxes(table: TableState, round_: Round, wagers: tuple[Wager, ...]) -> Refusal | None:
    """One person may play only so many boxes, side by side, and a box has one person."""
    named = [w for w in wagers if w.player]
    if not named:
        return None  # whoever is not named sits at one seat, or is the one who has it already
    allowed = table.config.boxes_per_player
    owners = {seat: accepted.player for seat, _, accepted in standing(round_)}
    for wager in wagers:
        owners.setdefault(wager.seat, owner(wager, round_.wagers.get(wager.seat, {})))
    for wager in named:
        boxes = sorted(seat for seat, player in owners.items() if player == wager.player)
        taken = owners[wager.seat] != wager.player
        if taken or len(boxes) > allowed or boxes[-1] - boxes[0] >= len(boxes):
            return refuse(
                Reason.TOO_MANY_BOXES, seat=wager.seat, player=wager.player, allowed=allowed
            )
    return None


def withdraw_wagers(
    state: State, table: TableState, command: WithdrawWagers, _: Request
) -> WagersWithdrawn | Refusal:
    """Give wagers back while the round is open."""
    round_ = in_phase(table, "open")
    if isinstance(round_, Refusal):
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
    if isinstance(round_, Refusal):
        return round_
    electronic = paid_by(round_, "electronic")
    wagers = tuple(
        [
            Wager(seat, bet, w.amount_micros, w.player, w.account)
            for seat, bets in round_.wagers.items()
            for bet, w in bets.items()
        ]
    )
    book = Book(state.balances)
    posted = post_increments(state, table, book, electronic)
    config = table.config
    draws = draw_all(drawing_links(state, config.id), config.seats, request.entropy)
    magic_card, lucky_position = first_drawn(draws)
    return RoundLocked(
        config.id,
        round_.number,
        wagers,
        len(electronic) == len(wagers),
        book.postings(),
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
    if isinstance(round_, Refusal):
        return round_
    wagers = paid_by(round_, "chips")
    chips = [bet for bet, _ in wagers]
    for bet in sorted({*chips, *command.chips}):
        accepted, counted = chips.count(bet), command.chips.get(bet, 0)
        if accepted != counted:
            return refuse(Reason.COLLECTION_MISMATCH, bet=bet, accepted=accepted, counted=counted)
    book = Book(state.balances)
    posted = post_increments(state, table, book, wagers)
    alarms = unreasonable(state, posted, request.time_micros)
    return CollectionConfirmed(table.config.id, command.chips, book.postings(), posted, alarms)
