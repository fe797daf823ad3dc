"""Decide which wagers an open round takes: all that come together, or none of them."""

from functools import lru_cache

from jackpot.core import ledger
from jackpot.core.accounts import short
from jackpot.core.commands import Request
from jackpot.core.commands.table import PlaceWagers, Wager
from jackpot.core.config import Bet, Link, Medium, Table
from jackpot.core.events.table import WagersPlaced
from jackpot.core.ledger import Book
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.core.rounds import find_bet, in_phase, owner, standing
from jackpot.core.state import LinkState, Round, State, TableState

_FEW_WAGERS = 16  # of which it is remembered whether an empty round takes them


def place_wagers(
    state: State, table: TableState, command: PlaceWagers, _: Request
) -> WagersPlaced | Refusal:
    """Accept all wagers or none."""
    config, round_ = table.config, table.round
    if (
        round_ is not None
        and round_.phase == "open"
        and not (round_.wagers or round_.void_seats)
        and len(command.wagers) <= _FEW_WAGERS
    ):
        links = [state.links[link] for link in config.links]
        offered = tuple([link.config for link in links if link.status == "in-service"])
        mediums = _first_of_a_round(offered, config.seats, config.boxes_per_player, command)
        if mediums is not None:
            return WagersPlaced(config.id, command.wagers, mediums)
    return _place(state, table, command.wagers)


@lru_cache(maxsize=1_024)  # the same few wagers come round after round
def _first_of_a_round(
    links: tuple[Link, ...], seats: int, boxes: int, command: PlaceWagers
) -> tuple[Medium, ...] | None:
    """How wagers come that an empty round takes, whatever accounts hold; None: perhaps it doesn't.

    Decided like any others, at a table that has these links in service and nothing else.
    """
    if any(wager.account for wager in command.wagers):
        return None
    state = State("", links={link.id: LinkState(link, "in-service") for link in links})
    names = tuple([link.id for link in links])
    table = Table("", "", names, seats, 0, boxes_per_player=boxes)
    placed = _place(state, TableState(table, round=Round(1)), command.wagers)
    return None if isinstance(placed, Refusal) else placed.mediums


def _place(state: State, table: TableState, wagers: tuple[Wager, ...]) -> WagersPlaced | Refusal:
    offers = _find_offers(state, table, wagers)
    if isinstance(offers, Refusal):
        return offers
    round_ = in_phase(table, "open")
    if not isinstance(round_, Round):
        return round_
    refusal = (
        _check_wagers(round_, wagers, offers)
        or _check_boxes(table, round_, wagers)
        or _check_void_seats(round_, wagers)
    )
    if refusal:
        return refusal
    if {bet.medium for _, bet in offers.values()} == {"chips"}:
        return WagersPlaced(table.config.id, wagers)
    book = Book(state.balances)
    if refusal := _debit(book, wagers, offers):
        return refusal
    mediums = tuple([offers[wager.bet][1].medium for wager in wagers])
    return WagersPlaced(table.config.id, wagers, mediums, book.postings())


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
