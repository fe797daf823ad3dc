"""Play the players of a table: what they bet, now and then wrongly, and the cards they are dealt.

A rigged deal is a fair one into which, now and then, winning hands are put. Which rounds those are
is drawn before the cards, so that the other rounds stay fair and count for the odds.
"""

import random
from collections.abc import Sequence
from typing import Any, NamedTuple

from emulator.soak.audit.terms import BetTerms, TableTerms
from emulator.soak.options import Chances
from jackpot.rules.cards import DECK
from jackpot.wire.v1 import table_pb2 as pb


def account_of(terms: TableTerms, seat: int) -> str:
    """The game account of whoever sits there."""
    return f"{terms.id}-seat-{seat}"


class Bettors:
    """The players of one table."""

    def __init__(self, terms: TableTerms, chances: Chances, draw: random.Random) -> None:
        self._terms = terms
        self._chances = chances
        self._draw = draw
        self._bets = {bet.id: (link, bet) for link in terms.links for bet in link.bets}
        self.have_accounts = any(bet.electronic for _, bet in self._bets.values())

    def _chance(self, share: float) -> bool:
        return self._draw.random() < share

    def wagers(self) -> list[pb.Wager]:
        """What everybody puts down in a round."""
        seats = [
            s for s in range(1, self._terms.seats + 1) if self._chance(self._chances.seat_taken)
        ]
        players = self._players(seats)
        return [
            pb.Wager(
                seat=seat,
                bet=bet.id,
                amount_micros=link.wager_micros,
                player=players[seat],
                account=self._account(seat, bet),
            )
            for seat in seats
            for link, bet in self._bets.values()
            if self._chance(self._chances.bets)
        ]

    def _account(self, seat: int, bet: BetTerms) -> str:
        from_account = bet.electronic and self._chance(self._chances.from_account)
        return account_of(self._terms, seat) if from_account else ""

    def _players(self, seats: list[int]) -> dict[int, str]:
        players = dict.fromkeys(seats, "")
        boxes = self._terms.boxes
        if boxes > 1 and len(seats) >= boxes and self._chance(self._chances.two_boxes):
            first = self._draw.randrange(len(seats) - boxes + 1)
            pair = seats[first : first + boxes]
            if pair[-1] - pair[0] == boxes - 1:
                players.update(dict.fromkeys(pair, f"guest {self._draw.randrange(100)}"))
        return players

    def nonsense(self, wagers: list[pb.Wager]) -> pb.Wager:
        """A wager that can't be, given those that were placed."""
        bet, (link, _) = self._draw.choice(list(self._bets.items()))
        sane = pb.Wager(seat=1, bet=bet, amount_micros=link.wager_micros)
        wager = self._draw.choice([sane, *wagers])
        sense: dict[str, Any] = {
            "seat": wager.seat,
            "bet": wager.bet,
            "amount_micros": wager.amount_micros,
        }
        twists: list[dict[str, Any]] = [
            {"amount_micros": 2_000_000},
            {"bet": "blackjack", "amount_micros": 1_000_000},
            {"seat": 31},
            {"player": "somebody else"},
            {"seat": -1},  # not even well formed
            {"player": "nobody's name " * 20},
        ]
        which = self._draw.randrange(len(twists) + 1)
        return pb.Wager(**sense | twists[which]) if which < len(twists) else wager  # once more


RIGGED_SHARE = 0.25
_ROYAL, _STRAIGHT = "AKQJT", "98765"


class Dealt(NamedTuple):
    """The cards of a round."""

    hands: dict[int, list[str]]  # by seat, 0 for the dealer
    community: list[str]
    fair: bool


def deal(
    draw: random.Random,
    seats: Sequence[int],
    sizes: tuple[int, int, int],
    *,
    rigged: bool,
) -> Dealt:
    """Deal to every seat, the dealer and the middle; `sizes` is how many cards each gets."""
    own, dealers, shared = sizes
    planted: dict[int, list[str]] = {}
    is_rigged = rigged and draw.random() < RIGGED_SHARE
    community: list[str] = []
    if is_rigged:
        planted, community = _plant(draw, seats, sizes)
    gone = {card for cards in planted.values() for card in cards} | set(community)
    rest = [card for card in DECK if card not in gone]
    draw.shuffle(rest)
    take = iter(rest)
    hands = {
        seat: planted.get(seat) or [next(take) for _ in range(count)]
        for seat, count in [(0, dealers), *((seat, own) for seat in seats)]
        if count
    }
    community = community or [next(take) for _ in range(shared)]
    return Dealt(hands, community, not is_rigged)


def _plant(
    draw: random.Random, seats: Sequence[int], sizes: tuple[int, int, int]
) -> tuple[dict[int, list[str]], list[str]]:
    """Winning hands for some, in suits and ranks that don't meet."""
    own, dealers, shared = sizes
    suits = draw.sample("cdhs", 4)
    if shared:  # one hand with the cards in the middle
        cards = [rank + suits[0] for rank in draw.choice([_ROYAL, _STRAIGHT])]
        return {draw.choice(seats): cards[:own]}, cards[own : own + shared]
    holders = [*seats, *([0] if dealers else [])]
    lucky = draw.sample(holders, min(len(holders), draw.choice([1, 1, 2, 3])))
    ladders = [[rank + suit for rank in ranks] for suit in suits for ranks in (_ROYAL, _STRAIGHT)]
    if draw.choice([True, False]):
        hands = dict(zip(lucky, draw.sample(ladders, len(lucky)), strict=True))
    else:  # four of a kind
        hands = {}
        ranks = draw.sample("A23K", len(lucky))
        odd = draw.sample([rank + suit for rank in "45678" for suit in "cdhs"], len(lucky))
        for holder, rank, card in zip(lucky, ranks, odd, strict=True):
            hands[holder] = [rank + suit for suit in suits] + [card]
    for holder, cards in hands.items():
        count = dealers if holder == 0 else own
        hands[holder] = cards[:count]
    return hands, []
