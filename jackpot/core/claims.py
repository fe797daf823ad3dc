"""Find who may claim what from a round's hands, in payment order.

`payment_order` is that order, and there is no other: awards are decided, numbered, listed,
validated and paid in it. Nothing here knows how much a meter holds.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec import Struct

from jackpot.core.commands.table import SeatHand
from jackpot.core.config import Bet, EnvyLine, Link, PayLine
from jackpot.core.money import BPS_PER_WHOLE
from jackpot.core.state import Accepted, Claim, ClaimKind, Round, Winner

# What a hand may be called under a ranking, most specific first.
Names = Callable[[str, tuple[str, ...]], tuple[str, ...]]
DEALER = 0
_DRAWN: dict[ClaimKind, int] = {"magic": 1, "lucky": 2}  # behind the hand of the same bet


def still_plays(hand: SeatHand, bet: Bet) -> bool:
    """Whether a seat with this fate can still win a bet."""
    return hand.fate == "played" or (hand.fate == "folded" and not bet.fold_forfeits)


class Deal(Struct, frozen=True):
    """The cards of a round and how each seat ended it."""

    round: Round
    hands: Mapping[int, SeatHand]
    dealer: tuple[str, ...]
    community: tuple[str, ...]
    names: Names

    def wager(self, seat: int, bet: Bet) -> Accepted | None:
        """A seat's wager on a bet if it can still win."""
        accepted = self.round.wagers.get(seat, {}).get(bet.id)
        return accepted if still_plays(self.hands[seat], bet) else None

    def bettors(self, bet: Bet) -> Iterator[tuple[int, Accepted]]:
        """Seats whose wager on a bet can still win, in payment order."""
        for seat in sorted(self.round.wagers, reverse=True):
            if accepted := self.wager(seat, bet):
                yield seat, accepted

    def called(self, bet: Bet, seat: int) -> tuple[str, ...]:
        """The name of a seat's hand, or of the dealer's, for a bet."""
        cards = self.dealer if seat == DEALER else self.hands[seat].cards
        return self.names(bet.ranking, cards + self.community) if cards else ()


def claims(deal: Deal, links: list[Link]) -> list[Claim]:
    """All claims of a round in payment order."""
    found: list[Claim] = []
    shared: set[tuple[str, str]] = set()  # (bet, hand) whose one award was claimed at a first turn
    in_turn = [(link, bet) for link in links for bet in link.bets]
    for seat in sorted(deal.round.wagers, reverse=True):
        wagered = deal.round.wagers[seat]
        for link, bet in in_turn:
            if bet.id not in wagered:
                continue
            if accepted := deal.wager(seat, bet):
                found += _hand_claim(deal, link, bet, seat, accepted, shared)
                found += _drawn_claims(deal, link, bet, seat, accepted)
            found += _envy_claims(deal, link, bet, seat)
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


def pay_line(bet: Bet, called: tuple[str, ...]) -> PayLine | None:
    """The highest row of the paytable that matches the hand."""
    return next((line for line in bet.paytable if line.hand in called), None)


def _hand_claim(
    deal: Deal, link: Link, bet: Bet, seat: int, accepted: Accepted, shared: set[tuple[str, str]]
) -> Iterator[Claim]:
    """What the hand of a bet wins at this turn."""
    holder = DEALER if bet.whose == "dealer" else seat
    line = pay_line(bet, deal.called(bet, holder))
    if line is None:
        return
    winners: tuple[Winner, ...] = (Winner(seat, accepted.player),)
    if line.share_bps and (line.shared or holder == DEALER):
        # One award, fixed at the first turn and divided equally.
        if (bet.id, line.hand) in shared:
            return
        shared.add((bet.id, line.hand))
        winners = _sharers(deal, bet, line, holder)
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
        holder=holder,
    )


def _sharers(deal: Deal, bet: Bet, line: PayLine, holder: int) -> tuple[Winner, ...]:
    """Who divides an award: each player once on the dealer's hand, each winning hand otherwise."""
    if holder != DEALER:
        return tuple(
            Winner(seat, accepted.player)
            for seat, accepted in deal.bettors(bet)
            if pay_line(bet, deal.called(bet, seat)) is line
        )
    by_player: dict[str, Winner] = {}
    for seat, accepted in deal.bettors(bet):
        by_player.setdefault(accepted.player, Winner(seat, accepted.player))
    return tuple(by_player.values())


def _drawn_claims(
    deal: Deal, link: Link, bet: Bet, seat: int, accepted: Accepted
) -> Iterator[Claim]:
    """Magic Card and Lucky Bonus, which any hand can win."""
    if not bet.magic_pays_for and not bet.lucky_pays_for:
        return
    holder = DEALER if bet.whose == "dealer" else seat
    cards = deal.dealer if holder == DEALER else deal.hands[seat].cards
    drawn = (
        ("magic", bet.magic_pays_for, deal.round.magic_card in cards),
        ("lucky", bet.lucky_pays_for, deal.round.lucky_position == holder),
    )
    for kind, pays_for, won in drawn:
        if pays_for and won:
            yield Claim(
                kind="magic" if kind == "magic" else "lucky",
                link=link.id,
                bet=bet.id,
                hand=kind,
                winners=(Winner(seat, accepted.player),),
                amount_micros=pays_for * accepted.amount_micros,
                source=bet.fixed_source,
                needs_floorperson=False,
                holder=holder,
            )


def _envy_claims(deal: Deal, link: Link, bet: Bet, seat: int) -> Iterator[Claim]:
    """A bonus for every other player's qualifying hand, whether or not its holder made the bet."""
    accepted = deal.round.wagers[seat].get(bet.id)
    if not bet.envy or accepted is None:
        return
    fate = deal.hands[seat].fate
    if fate != "played" and not (fate == "folded" and bet.fold_keeps_envy):
        return
    for other in sorted(deal.hands, reverse=True):
        hand = deal.hands[other]
        if hand.fate != "played" or _plays(deal, other) == accepted.player:
            continue
        if line := _envy_line(bet, deal.called(bet, other)):
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


def _envy_line(bet: Bet, called: tuple[str, ...]) -> EnvyLine | None:
    return next((line for line in bet.envy if line.hand in called), None)


def is_full(claim: Claim) -> bool:
    """Whether a claim is on 100% of a meter."""
    return claim.share_bps == BPS_PER_WHOLE
