"""Find who may claim what from a round's hands, in payment order.

`payment_order` is that order, and there is no other: awards are decided, numbered, listed,
validated and paid in it. Nothing here knows how much a meter holds.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from msgspec import Struct

from jackpot.core.commands.table import Fate, SeatHand
from jackpot.core.config import Bet, EnvyLine, Link, PayLine
from jackpot.core.draws import NOTHING_DRAWN, drawn_for
from jackpot.core.money import BPS_PER_WHOLE
from jackpot.core.stakes import Bettors, stakes_of
from jackpot.core.state import Accepted, Claim, ClaimKind, Round, Winner

# What a hand may be called under a ranking, most specific first.
Names = Callable[[str, tuple[str, ...]], tuple[str, ...]]
DEALER = 0
_DRAWN: dict[ClaimKind, int] = {"magic": 1, "lucky": 2}  # behind the hand of the same bet


_PLAYED: frozenset[Fate] = frozenset({"played"})
_PLAYED_OR_FOLDED: frozenset[Fate] = frozenset({"played", "folded"})


def _playing_fates(bet: Bet) -> frozenset[Fate]:
    """The fates with which a seat can still win a bet."""
    return _PLAYED if bet.fold_forfeits else _PLAYED_OR_FOLDED


def still_plays(hand: SeatHand, bet: Bet) -> bool:
    """Whether a seat with this fate can still win a bet."""
    return hand.fate in _playing_fates(bet)


class Deal(Struct, frozen=True):
    """The cards of a round and how each seat ended it."""

    round: Round
    hands: Mapping[int, SeatHand]
    dealer: tuple[str, ...]
    community: tuple[str, ...]
    names: Names
    known: dict[str, dict[int, tuple[str, ...]]] = {}  # what hands are called, as far as asked for

    def cards(self, holder: int) -> tuple[str, ...]:
        """The cards of a seat or the dealer, as far as they were seen."""
        return self.dealer if holder == DEALER else self.hands[holder].cards


# The highest row of a paytable that matches a hand, and the highest of its envy bonuses.
Rows = tuple[PayLine | None, EnvyLine | None]
_NONE: Rows = (None, None)


def claims(deal: Deal, links: list[Link]) -> list[Claim]:
    """All claims of a round in payment order."""
    found: list[Claim] = []
    bettors_on, hands = stakes_of(deal.round).bettors, deal.hands
    played = [seat for seat, hand in hands.items() if hand.fate == "played"]
    for link in links:
        drawn = drawn_for(deal.round, link.id) != NOTHING_DRAWN
        for bet in link.bets:
            bettors = bettors_on.get(bet.id)
            if not bettors:
                continue  # every claim on a bet is a bettor's, an envy bonus too
            fates = _playing_fates(bet)
            playing = [each for each in bettors if hands[each[0]].fate in fates]
            if bet.whose == "dealer":
                holders = [DEALER] if playing else []
            else:
                holders = [seat for seat, _ in playing]
            # Of an envy bonus, whoever qualifies, whether or not they made the bet.
            rows = _rows(deal, bet, {*holders, *played} if bet.envy else holders)
            if rows:  # seldom
                found += _hand_claims(link, bet, _winning(bet, playing, rows))
            if drawn and playing and (bet.magic_pays_for or bet.lucky_pays_for):
                found += _drawn_claims(deal, link, bet, playing)
            if rows and bet.envy:
                causes = [(at, line) for at in played if at in rows and (line := rows[at][1])]
                found += _envy_claims(deal, link, bet, bettors, causes)
    return sorted(found, key=payment_order(links)) if len(found) > 1 else found


def turn_of(claim: Claim) -> int:
    """The seat at whose turn a claim is decided and paid."""
    if claim.turn:
        return claim.turn
    return claim.holder if claim.kind == "envy" else max(w.seat for w in claim.winners)


def payment_order(links: Iterable[Link]) -> Callable[[Claim], tuple[int, ...]]:
    """A sort key: the order in which the awards of a table with these links are paid.

    From the highest seat down. At one turn links come in the table's order; on a link the player's
    own hand, then the dealer's, then the envy bonuses that the hand causes; then bets in the
    link's order, and receivers from the highest seat down. On one bet a hand comes before its Magic
    Card, and that before its Lucky Bonus.
    """
    places: dict[str, tuple[int, dict[str, int]]] = {
        link.id: (place, {bet.id: bet_place for bet_place, bet in enumerate(link.bets)})
        for place, link in enumerate(links)
    }

    def key(claim: Claim) -> tuple[int, ...]:
        if claim.kind == "bad-beat":
            return ()  # nobody's turn: a Bad Beat stays as it was verified
        place, bets = places.get(claim.link, (len(places), {}))
        whose = 2 if claim.kind == "envy" else int(claim.holder == DEALER)
        receiver = max(winner.seat for winner in claim.winners)
        drawn = _DRAWN.get(claim.kind, 0)
        return -turn_of(claim), place, whose, bets.get(claim.bet, 0), -receiver, drawn

    return key


class _Rows(dict[tuple[str, ...], Rows]):
    """The rows of a bet by what a hand is called, each found once: there are some hundreds."""

    def __init__(self, bet: Bet) -> None:
        super().__init__()
        self._bet = bet

    def __missing__(self, called: tuple[str, ...]) -> Rows:
        line = next((line for line in self._bet.paytable if line.hand in called), None)
        envy = next((line for line in self._bet.envy if line.hand in called), None)
        rows = self[called] = (line, envy) if line or envy else _NONE
        return rows


_rows_of = lru_cache(maxsize=1_024)(_Rows)


def _rows(deal: Deal, bet: Bet, holders: Iterable[int]) -> dict[int, Rows]:
    """The rows that hands match, by seat or the dealer. Most match none and are left out."""
    ranking, rows, names, community = bet.ranking, _rows_of(bet), deal.names, deal.community
    known = deal.known.setdefault(ranking, {})
    found: dict[int, Rows] = {}
    for holder in holders:
        called = known.get(holder)
        if called is None:
            cards = deal.cards(holder)
            called = known[holder] = names(ranking, cards + community) if cards else ()
        # A subclass of dict is slow to be subscripted.
        matched = rows.get(called) or rows[called]
        if matched is not _NONE:
            found[holder] = matched
    return found


Winning = list[tuple[int, Accepted, PayLine]]  # seats with their wagers and rows


def _winning(bet: Bet, playing: Bettors, rows: Mapping[int, Rows]) -> Winning:
    """Who wins by a hand: each player's own, or the dealer's for everyone who bet on it."""
    dealers = bet.whose == "dealer"
    return [
        (seat, accepted, line)
        for seat, accepted in playing
        if (line := rows.get(DEALER if dealers else seat, _NONE)[0])
    ]


def _hand_claims(link: Link, bet: Bet, winning: Winning) -> Iterable[Claim]:
    """What hands win."""
    dealers = bet.whose == "dealer"
    shared: set[str] = set()  # hands whose one award was claimed at a first turn
    for seat, accepted, line in winning:
        winners: tuple[Winner, ...] = (Winner(seat, accepted.player),)
        if line.share_bps and (line.shared or dealers):
            # One award, fixed at the first turn and divided equally.
            if line.hand in shared:
                continue
            shared.add(line.hand)
            winners = _sharers([each[:2] for each in winning if each[2] is line], dealers=dealers)
        yield Claim(
            kind="share" if line.share_bps else "fixed",
            link=link.id,
            bet=bet.id,
            hand=line.hand,
            winners=winners,
            level=line.level or line.from_meter,
            share_bps=line.share_bps,
            amount_micros=line.amount_micros or line.pays_for * accepted.amount_micros,
            source="cage" if line.share_bps else bet.fixed_source,
            needs_floorperson=bool(line.share_bps) or line.pays_for >= bet.validate_from_for,
            holder=DEALER if dealers else seat,
        )


def _sharers(bettors: Bettors, *, dealers: bool) -> tuple[Winner, ...]:
    """Who divides an award: each player once on the dealer's hand, each winning hand otherwise."""
    winners = tuple([Winner(seat, accepted.player) for seat, accepted in bettors])
    if not dealers:
        return winners
    by_player: dict[str, Winner] = {}
    for winner in winners:
        by_player.setdefault(winner.player, winner)
    return tuple(by_player.values())


def _drawn_claims(deal: Deal, link: Link, bet: Bet, playing: Bettors) -> Iterable[Claim]:
    """Magic Card and Lucky Bonus, which any hand can win."""
    magic_card, lucky_position = drawn_for(deal.round, link.id)
    for seat, accepted in playing:
        holder = DEALER if bet.whose == "dealer" else seat
        cards = deal.cards(holder)
        won: list[tuple[ClaimKind, int]] = []
        if magic_card in cards:
            won.append(("magic", bet.magic_pays_for))
        if lucky_position == holder:
            won.append(("lucky", bet.lucky_pays_for))
        for kind, pays_for in won:
            if pays_for:
                yield Claim(
                    kind=kind,
                    link=link.id,
                    bet=bet.id,
                    hand=kind,
                    winners=(Winner(seat, accepted.player),),
                    amount_micros=pays_for * accepted.amount_micros,
                    source=bet.fixed_source,
                    needs_floorperson=False,
                    holder=holder,
                )


def _envy_claims(
    deal: Deal, link: Link, bet: Bet, bettors: Bettors, causes: list[tuple[int, EnvyLine]]
) -> Iterable[Claim]:
    """A bonus for every other player's qualifying hand."""
    for other, line in causes:
        holder = _plays(deal, other)
        for seat, accepted in bettors:
            fate = deal.hands[seat].fate
            kept = fate == "played" or (fate == "folded" and bet.fold_keeps_envy)
            if kept and accepted.player != holder:
                yield Claim(
                    kind="envy",
                    link=link.id,
                    bet=bet.id,
                    hand=line.hand,
                    winners=(Winner(seat, accepted.player),),
                    amount_micros=line.amount_micros,
                    source=bet.fixed_source,
                    holder=other,
                )


def _plays(deal: Deal, seat: int) -> str:
    """Who plays a seat, as its wagers tell, or else whoever settled the round."""
    wagers = deal.round.wagers.get(seat, {}).values()
    return next((w.player for w in wagers), deal.hands[seat].player)


def is_full(claim: Claim) -> bool:
    """Whether a claim is on 100% of a meter."""
    return claim.share_bps == BPS_PER_WHOLE
