"""Decide a settlement: check the hands, then award in payment order, all in one event."""

from collections.abc import Iterable

from jackpot.core import ledger
from jackpot.core.awards import decide_award
from jackpot.core.claims import DEALER, Deal, Names, claims, is_full, still_plays
from jackpot.core.commands import Request
from jackpot.core.commands.table import SeatHand, Settle
from jackpot.core.events.table import RoundSettled
from jackpot.core.ledger import Book
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.core.rounds import bet_of, in_phase
from jackpot.core.state import (
    Award,
    Claim,
    Effects,
    Payout,
    Pools,
    Round,
    Settlement,
    State,
    TableState,
    Winner,
)

# A 100% award below this part of its level's seed is paid as it is, and somebody should look.
LOW_METER_DIVISOR = 10


def pools_of(state: State, book: Book, link: str, level: str) -> Pools:
    """A level's money as a book has it now, with what its next refill goes by."""
    name = ledger.key(link, level)
    config = next(lv for lv in state.links[link].config.levels if lv.id == level)
    return Pools(
        book.balance(ledger.meter(name)),
        book.balance(ledger.reserve(name)),
        book.balance(ledger.overflow(name)),
        config.reseed_micros,
        config.limit_micros,
        fund=config.reserve_mode == "fund",
        last_hit=state.links[link].last_hit.get(level, 0),
        funded_micros=state.links[link].funded.get(level, 0),
        borne_micros=state.links[link].borne.get(level, 0),
    )


def post_award(book: Book, claim: Claim, effects: Effects, sign: int = 1) -> None:
    """Book an award from its level and the house into pending; with sign -1, back again."""
    name, pending = ledger.key(claim.link, claim.level), ledger.pending(claim.link)
    book.move(-sign * effects.meter_micros, ledger.meter(name), pending)
    book.move(-sign * effects.reserve_micros, ledger.reserve(name), pending)
    book.move(-sign * effects.overflow_micros, ledger.overflow(name), pending)
    book.move(-sign * effects.house_micros, ledger.house(claim.link), pending)


def settle(
    state: State, table: TableState, command: Settle, request: Request, names: Names
) -> RoundSettled | Refusal:
    """Rank every hand and decide every award of the round."""
    hands, seats = {hand.seat: hand for hand in command.hands}, table.config.seats
    for seat in hands:
        if not 1 <= seat <= seats:
            return refuse(Reason.UNKNOWN_SEAT, table=table.config.id, seat=seat)
    round_ = in_phase(table, "collected")
    if not isinstance(round_, Round):
        return round_
    if refusal := _check_hands(state, table, round_, command, hands):
        return refusal
    deal = Deal(round_, hands, command.dealer, command.community, names)
    links = [state.links[link].config for link in table.config.links]
    won = claims(deal, links)
    if not won:  # most rounds
        return RoundSettled(
            table.config.id, round_.number, command.hands, command.dealer, command.community
        )
    payer = _Payer(state, table, deal, request)
    for claim in won:
        payer.pay(claim)
    return payer.event(command)


def _check_hands(
    state: State, table: TableState, round_: Round, command: Settle, hands: dict[int, SeatHand]
) -> Refusal | None:
    if round_.void_seats or len(hands) < len(command.hands):
        named = [hand.seat for hand in command.hands]
        for seat in named:
            if named.count(seat) > 1 or seat in round_.void_seats:
                return refuse(Reason.SEAT_NOT_IN_ROUND, seat=seat)
    for seat, bets in round_.wagers.items():
        hand = hands.get(seat)
        if hand is None or (not hand.cards and _cards_needed(state, table, hand, bets)):
            return refuse(Reason.HAND_MISSING, seat=seat)
    return _check_cards(state, table, round_, command)


def _cards_needed(state: State, table: TableState, hand: SeatHand, bets: Iterable[str]) -> bool:
    """Whether a seat's own cards decide one of its bets."""
    offered = [bet_of(state, table, bet)[1] for bet in bets]
    return any(bet.whose == "player" and still_plays(hand, bet) for bet in offered)


def _dealer_needed(state: State, table: TableState, round_: Round) -> bool:
    """Whether a bet is on the dealer's cards."""
    bets = {bet for at_seat in round_.wagers.values() for bet in at_seat}
    return any(bet_of(state, table, bet)[1].whose == "dealer" for bet in bets)


def _check_cards(state: State, table: TableState, round_: Round, command: Settle) -> Refusal | None:
    """Every hand has its cards, as far as they were seen, and no card is there twice."""
    config, cards = table.config, [*command.dealer]
    wrong: tuple[int | str, int, int] | None = None  # whose, how many, and how many there should be
    if len(cards) != config.dealer_cards and (cards or _dealer_needed(state, table, round_)):
        wrong = DEALER, len(cards), config.dealer_cards
    for hand in command.hands:
        cards += hand.cards
        if len(hand.cards) != config.seat_cards and (hand.cards or hand.fate == "played"):
            wrong = wrong or (hand.seat, len(hand.cards), config.seat_cards)
    cards += command.community
    if len(command.community) != config.community_cards:
        wrong = wrong or ("community", len(command.community), config.community_cards)
    if wrong:
        whose, count, expected = wrong
        return refuse(Reason.WRONG_CARD_COUNT, seat=whose, cards=count, expected=expected)
    if len(set(cards)) < len(cards):
        twice = next(card for place, card in enumerate(cards) if card in cards[:place])
        return refuse(Reason.DUPLICATE_CARD, card=twice)
    return None


class _Payer:
    """Walks the claims in payment order, each at the meter of its turn."""

    def __init__(self, state: State, table: TableState, deal: Deal, request: Request) -> None:
        self.state, self.table, self.deal, self.request = state, table, deal, request
        self.book = Book(state.balances)
        self.before: dict[str, Pools] = {}
        self.now: dict[str, Pools] = {}
        self.awards: list[Award] = []
        self.payouts: list[Payout] = []
        self.paid_full: set[str] = set()
        self.alarms: list[str] = []

    def pay(self, claim: Claim) -> None:
        """Decide a claim and note what is due to whom."""
        pools = self._pools(claim)
        outcome = decide_award(claim, pools)
        post_award(self.book, claim, outcome.effects)
        if outcome.pools is not None:
            self.now[ledger.key(claim.link, claim.level)] = outcome.pools
        if is_full(claim):
            self.paid_full.add(ledger.key(claim.link, claim.level))
            self._watch_low_meter(claim, outcome.amount_micros * len(claim.winners))
        meter_before = pools.meter_micros if pools else 0
        due = [
            self._payout(claim, winner, offset, outcome.amount_micros, meter_before)
            for offset, winner in enumerate(claim.winners, len(self.payouts) + 1)
        ]
        self.payouts += due
        ids = tuple(payout.id for payout in due)
        seen = pools.meter_micros if pools else -1
        self.awards.append(Award(claim, ids, outcome.amount_micros, outcome.effects, seen))

    def _pools(self, claim: Claim) -> Pools | None:
        if not claim.level:
            return None
        name = ledger.key(claim.link, claim.level)
        if name not in self.now:
            pools = pools_of(self.state, self.book, claim.link, claim.level)
            self.before[name] = self.now[name] = pools
        return self.now[name]

    def _watch_low_meter(self, claim: Claim, paid_micros: int) -> None:
        levels = self.state.links[claim.link].config.levels
        seed = next(level.seed_micros for level in levels if level.id == claim.level)
        if paid_micros * LOW_METER_DIVISOR < seed:
            self.alarms.append(f"LOW_METER {claim.link}/{claim.level}")

    def _payout(
        self, claim: Claim, winner: Winner, offset: int, amount_micros: int, before_micros: int
    ) -> Payout:
        deal, holder = self.deal, claim.holder
        if holder != DEALER and claim.kind != "envy":
            holder = winner.seat  # of hands that share an award, each has its own
        return Payout(
            id=self.state.last_payout + offset,
            table=self.table.config.id,
            round=deal.round.number,
            link=claim.link,
            level=claim.level,
            bet=claim.bet,
            kind=claim.kind,
            hand=claim.hand,
            seat=winner.seat,
            player=winner.player,
            cards=deal.dealer if holder == DEALER else deal.hands[holder].cards,
            amount_micros=amount_micros,
            meter_before_micros=before_micros,
            source=claim.source,
            needs_floorperson=claim.needs_floorperson,
            holder=holder,
            share_bps=claim.share_bps,
            since_micros=self.request.time_micros,
            account=deal.round.wagers[winner.seat][claim.bet].account,
        )

    def event(self, command: Settle) -> RoundSettled:
        """The whole settlement."""
        table, number = self.table.config.id, self.deal.round.number
        sequence = self.state.sequence + 1
        return RoundSettled(
            table,
            number,
            command.hands,
            command.dealer,
            command.community,
            payouts=tuple(self.payouts),
            settlement=Settlement(table, number, sequence, tuple(self.awards), self.before),
            paid_full=tuple(sorted(self.paid_full)),
            postings=self.book.postings(),
            alarms=tuple(self.alarms),
        )
