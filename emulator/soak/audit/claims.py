"""Find who is due what for the hands of a round, in the order in which the dealer pays.

From the dealer's right, so from the highest seat down; at one turn the links in the table's order,
and on a link one's own hand with what was drawn for it, the dealer's, and then whatever others get
because of this hand. The ranking of hands is the law's own and is shared with the controller; who
is due what is not.
"""

from typing import NamedTuple

from emulator.soak.audit.books import Due, Hand, Round, Standing
from emulator.soak.audit.terms import DEALER, BetTerms, LinkTerms, Row, TableTerms
from jackpot.rules.hands import names


class Cards(NamedTuple):
    """All that was told about a round's cards."""

    hands: dict[int, Hand]
    dealer: tuple[str, ...]
    community: tuple[str, ...]


class Reader:
    """Reads one round's hands."""

    def __init__(self, table: TableTerms, round_: Round, cards: Cards) -> None:
        self._table = table
        self._round = round_
        self._cards = cards
        self._called: dict[tuple[str, int], tuple[str, ...]] = {}
        self._divided: set[tuple[str, str]] = set()

    def dues(self) -> list[Due]:
        """Everything due, in payment order."""
        found: list[Due] = []
        for seat in sorted({*self._round.wagers, *self._cards.hands}, reverse=True):
            for link in self._table.links:
                for bet in sorted(link.bets, key=lambda bet: bet.on_dealer):
                    standing = self._round.wagers.get(seat, {}).get(bet.id)
                    if standing and self._plays(seat, bet):
                        found += self._for_hand(link, bet, seat, standing)
                        found += self._for_draws(link, bet, seat, standing)
                for bet in link.bets:
                    found += self._envious_of(bet, seat)
        return found

    def _plays(self, seat: int, bet: BetTerms) -> bool:
        fate = self._cards.hands[seat].fate
        return fate == "PLAYED" or (fate == "FOLDED" and not bet.fold_loses)

    def _of(self, holder: int) -> tuple[str, ...]:
        return self._cards.dealer if holder == DEALER else self._cards.hands[holder].cards

    def _names(self, bet: BetTerms, holder: int) -> tuple[str, ...]:
        key = (bet.ranking, holder)
        if key not in self._called:
            own = self._of(holder)
            self._called[key] = names(bet.ranking, own + self._cards.community) if own else ()
        return self._called[key]

    def _row(self, bet: BetTerms, holder: int) -> Row | None:
        called = self._names(bet, holder)
        return next((row for row in bet.rows if row.hand in called), None)

    def _for_hand(self, link: LinkTerms, bet: BetTerms, seat: int, standing: Standing) -> list[Due]:
        holder = DEALER if bet.on_dealer else seat
        row = self._row(bet, holder)
        if row is None:
            return []
        winners: tuple[tuple[int, str], ...] = ((seat, standing.player),)
        if row.share_bps and (row.divided or bet.on_dealer):
            if (bet.id, row.hand) in self._divided:
                return []
            self._divided.add((bet.id, row.hand))
            winners = self._who_divide(bet, row)
        return [
            Due(
                kind="SHARE" if row.share_bps else "FIXED",
                link=link.id,
                bet=bet.id,
                hand=row.hand,
                winners=winners,
                level=row.level,
                share_bps=row.share_bps,
                each_micros=row.sum_micros or row.times * link.wager_micros,
                holder=holder,
                source="CAGE" if row.share_bps else bet.source.upper(),
                needs_floor=row.share_bps > 0 or row.times >= bet.floor_from,
            )
        ]

    def _who_divide(self, bet: BetTerms, row: Row) -> tuple[tuple[int, str], ...]:
        """Each player once for the dealer's hand, each winning hand otherwise."""
        found: dict[object, tuple[int, str]] = {}
        for seat in sorted(self._round.wagers, reverse=True):
            standing = self._round.wagers[seat].get(bet.id)
            if standing is None or not self._plays(seat, bet):
                continue
            if bet.on_dealer:
                found.setdefault(standing.player, (seat, standing.player))
            elif self._row(bet, seat) == row:
                found[seat] = (seat, standing.player)
        return tuple(found.values())

    def _for_draws(
        self, link: LinkTerms, bet: BetTerms, seat: int, standing: Standing
    ) -> list[Due]:
        holder = DEALER if bet.on_dealer else seat
        won = []
        drawn = self._round.draws.get(link.id)
        if drawn and drawn.magic_card in self._of(holder):
            won.append(("MAGIC", bet.magic_times))
        if drawn and drawn.HasField("lucky_position") and drawn.lucky_position == holder:
            won.append(("LUCKY", bet.lucky_times))
        return [
            _from_house(
                bet, kind, kind.lower(), (seat, standing.player), times * link.wager_micros, holder
            )
            for kind, times in won
            if times
        ]

    def _player_of(self, seat: int) -> str:
        """Who has a seat: by its wagers, or by the word of the table."""
        wagers = self._round.wagers.get(seat, {}).values()
        return next((wager.player for wager in wagers), self._cards.hands[seat].player)

    def _envious_of(self, bet: BetTerms, holder: int) -> list[Due]:
        """Envy for a hand that was played, bettor or not: to every other player with the bet."""
        hand = self._cards.hands.get(holder)
        if not bet.envy or hand is None or hand.fate != "PLAYED":
            return []
        called = self._names(bet, holder)
        name, amount = next(((h, a) for h, a in bet.envy if h in called), ("", 0))
        if not name:
            return []
        return [
            _from_house(bet, "ENVY", name, (seat, wagers[bet.id].player), amount, holder)
            for seat, wagers in sorted(self._round.wagers.items(), reverse=True)
            if seat != holder
            and self._may_envy(bet, seat)
            and wagers[bet.id].player != self._player_of(holder)
        ]

    def _may_envy(self, bet: BetTerms, seat: int) -> bool:
        """Whether a seat has the bet, and is still in for others' hands."""
        if bet.id not in self._round.wagers[seat]:
            return False
        fate = self._cards.hands[seat].fate
        return fate == "PLAYED" or (fate == "FOLDED" and bet.fold_keeps_envy)


def _from_house(
    bet: BetTerms, kind: str, hand: str, winner: tuple[int, str], each: int, holder: int
) -> Due:
    """Something due that no meter bears; only for envy a floorperson must have seen the hand."""
    return Due(
        kind=kind,
        link=bet.link,
        bet=bet.id,
        hand=hand,
        winners=(winner,),
        level="",
        share_bps=0,
        each_micros=each,
        holder=holder,
        source=bet.source.upper(),
        needs_floor=kind == "ENVY",
    )


def place_of(table: TableTerms, due: Due, turn: int) -> tuple[int, ...]:
    """Where something due comes in the order of payment, when it falls due at a seat's turn."""
    links = [link.id for link in table.links]
    bets = [bet.id for bet in table.links[links.index(due.link)].bets]
    step = 0 if due.holder > DEALER else 1
    if due.kind == "ENVY":
        step = 2
    drawn = ("MAGIC", "LUCKY").index(due.kind) + 1 if due.kind in ("MAGIC", "LUCKY") else 0
    return -turn, links.index(due.link), step, bets.index(due.bet), -due.winners[0][0], drawn
