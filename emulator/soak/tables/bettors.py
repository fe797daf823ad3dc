"""Who bets what on the progressives of a table, and now and then something that can't be."""

import random

from emulator.soak.audit.terms import BetTerms, TableTerms
from emulator.soak.options import Chances
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
        match self._draw.randrange(7):
            case 0:
                return pb.Wager(seat=wager.seat, bet=wager.bet, amount_micros=2_000_000)
            case 1:
                return pb.Wager(seat=wager.seat, bet="blackjack", amount_micros=1_000_000)
            case 2:
                return pb.Wager(seat=31, bet=wager.bet, amount_micros=wager.amount_micros)
            case 3:
                return pb.Wager(
                    seat=wager.seat,
                    bet=wager.bet,
                    amount_micros=wager.amount_micros,
                    player="somebody else",
                )
            case 4:  # not even well formed
                return pb.Wager(seat=-1, bet=wager.bet, amount_micros=wager.amount_micros)
            case 5:
                return pb.Wager(
                    seat=wager.seat,
                    bet=wager.bet,
                    amount_micros=wager.amount_micros,
                    player="nobody's name " * 20,
                )
        return wager  # once more
