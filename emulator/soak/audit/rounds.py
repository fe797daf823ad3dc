"""Work out a table's command: the reason for its refusal, or what it does to the round.

Reasons are tried in the order in which the protocol lists them.
"""

from collections.abc import Iterable

from emulator.soak.audit.books import Books, Hand, Increment, Purse, Round, Standing, Table
from emulator.soak.audit.terms import DEALER, WHOLE_BPS, LevelTerms
from jackpot.wire.v1 import table_pb2 as pb

_TOO_LATE = {
    ("LOCKED", "OPEN"): "NOT_LOCKED_OUT",
    ("LOCKED", "COLLECTED"): "ALREADY_COLLECTED",
    ("LOCKED", "SETTLED"): "ALREADY_COLLECTED",
    ("COLLECTED", "OPEN"): "NOT_LOCKED_OUT",
    ("COLLECTED", "LOCKED"): "NOT_COLLECTED",
    ("COLLECTED", "SETTLED"): "ALREADY_SETTLED",
}


def out_of_phase(table: Table, wanted: str) -> str:
    """Why the round is not in a phase; "" if it is."""
    if table.round is None:
        return "NO_ROUND"
    if table.round.phase == wanted:
        return ""
    return _TOO_LATE.get((wanted, table.round.phase), "LOCKED_OUT")


def round_of(table: Table) -> Round:
    """The round that must be there."""
    if table.round is None:
        raise AssertionError("checked before")
    return table.round


def why_not_open(books: Books, table: Table) -> str:
    """OpenRound."""
    name = table.terms.id
    if any(p.table == name and p.source == "CAGE" for p in books.payouts.values()):
        return "DOCUMENTATION_OPEN"
    return "" if table.round is None or table.round.phase == "SETTLED" else "ROUND_OPEN"


def why_not_place(books: Books, table: Table, wagers: Iterable[pb.Wager]) -> str:
    """PlaceWagers."""
    asked = list(wagers)
    for wager in asked:
        if table.terms.bet(wager.bet) is None:
            return "UNKNOWN_BET"
        if not 1 <= wager.seat <= table.terms.seats:
            return "UNKNOWN_SEAT"
    if why := out_of_phase(table, "OPEN"):
        return why
    round_, seen = round_of(table), set()
    for wager in asked:
        bet = table.terms.bet(wager.bet)
        link = books.links[bet.link] if bet else None
        if link is None or link.status != "IN_SERVICE":
            return "LINK_NOT_IN_SERVICE"
        if wager.amount_micros != link.terms.wager_micros:
            return "WRONG_DENOMINATION"
        at = (wager.seat, wager.bet)
        if at in seen or wager.bet in round_.wagers.get(wager.seat, {}):
            return "DUPLICATE_WAGER"
        seen.add(at)
    if _too_many_boxes(table, asked):
        return "TOO_MANY_BOXES"
    if any(wager.seat in round_.void_seats for wager in asked):
        return "SEAT_NOT_IN_ROUND"
    return "INSUFFICIENT_FUNDS" if _overdraws(books, table, asked) else ""


def _pays_from(table: Table, wager: pb.Wager) -> str:
    """The game account that a wager is taken from; chips come from none."""
    bet = table.terms.bet(wager.bet)
    return wager.account if bet and bet.electronic else ""


def _overdraws(books: Books, table: Table, asked: list[pb.Wager]) -> bool:
    left = dict(books.accounts)
    for wager in asked:
        if account := _pays_from(table, wager):
            left[account] = left.get(account, 0) - wager.amount_micros
            if left[account] < 0:
                return True
    return False


def _too_many_boxes(table: Table, asked: list[pb.Wager]) -> bool:
    round_ = round_of(table)
    who = {seat: standing.player for seat, _, standing in round_.standing()}
    for wager in asked:
        who.setdefault(wager.seat, wager.player or _seat(wager.seat))
    for wager in asked:
        if not wager.player:
            continue
        if who[wager.seat] != wager.player:
            return True  # a box has one person
        boxes = sorted(seat for seat, player in who.items() if player == wager.player)
        side_by_side = boxes == list(range(boxes[0], boxes[0] + len(boxes)))
        if len(boxes) > table.terms.boxes or not side_by_side:
            return True
    return False


def _seat(seat: int) -> str:
    return f"seat {seat}"


def place(books: Books, table: Table, wagers: Iterable[pb.Wager]) -> None:
    """Light the lamps; what comes from game accounts is taken at once."""
    round_ = round_of(table)
    for wager in wagers:
        bet = table.terms.bet(wager.bet)
        account = _pays_from(table, wager)
        if account and bet:
            books.accounts[account] -= wager.amount_micros
            books.links[bet.link].players += wager.amount_micros
        already = next(iter(round_.wagers.get(wager.seat, {}).values()), None)
        player = wager.player or (already.player if already else _seat(wager.seat))
        standing = Standing(player, bool(bet and bet.electronic), account)
        round_.wagers.setdefault(wager.seat, {})[wager.bet] = standing


def why_not_withdraw(table: Table, wagers: Iterable[pb.PlacedWager]) -> str:
    """WithdrawWagers."""
    if why := out_of_phase(table, "OPEN"):
        return why
    asked = [(w.seat, w.bet) for w in wagers]
    round_ = round_of(table)
    twice = len(set(asked)) < len(asked)
    missing = any(bet not in round_.wagers.get(seat, {}) for seat, bet in asked)
    return "NO_SUCH_WAGER" if twice or missing else ""


def take_out(table: Table, seat: int, bet: str) -> None:
    """A wager is gone."""
    bets = round_of(table).wagers[seat]
    del bets[bet]
    if not bets:
        del round_of(table).wagers[seat]


def why_not_confirm(table: Table, chips: dict[str, int]) -> str:
    """ConfirmCollection."""
    if any(table.terms.bet(bet) is None for bet in chips):
        return "UNKNOWN_BET"
    if why := out_of_phase(table, "LOCKED"):
        return why
    accepted: dict[str, int] = {}
    for _, bet, standing in round_of(table).standing():
        if not standing.electronic:
            accepted[bet] = accepted.get(bet, 0) + 1
    counted = {bet: count for bet, count in chips.items() if count}
    return "" if accepted == counted else "COLLECTION_MISMATCH"


def why_not_settle(table: Table, command: pb.Settle) -> str:
    """Settle."""
    terms = table.terms
    if any(not 1 <= hand.seat <= terms.seats for hand in command.hands):
        return "UNKNOWN_SEAT"
    if why := out_of_phase(table, "COLLECTED"):
        return why
    round_ = round_of(table)
    hands = {hand.seat: Hand(tuple(hand.cards), fate_of(hand)) for hand in command.hands}
    if len(hands) < len(command.hands) or any(seat in round_.void_seats for seat in hands):
        return "SEAT_NOT_IN_ROUND"
    on_dealer = False
    for seat, name, _ in round_.standing():
        bet = terms.bet(name)
        hand = hands.get(seat)
        if hand is None or bet is None:
            return "HAND_MISSING"
        on_dealer |= bet.on_dealer
        plays = hand.fate == "PLAYED" or (hand.fate == "FOLDED" and not bet.fold_loses)
        if plays and not hand.cards and not bet.on_dealer:
            return "HAND_MISSING"
    unseen = {DEALER: not on_dealer, **{s: hand.fate != "PLAYED" for s, hand in hands.items()}}
    dealt = {DEALER: tuple(command.dealer), **{s: hand.cards for s, hand in hands.items()}}
    for seat, cards in dealt.items():
        expected = terms.dealer_cards if seat == DEALER else terms.seat_cards
        if len(cards) != expected and (cards or not unseen[seat]):
            return "WRONG_CARD_COUNT"
    if len(command.community) != terms.community_cards:
        return "WRONG_CARD_COUNT"
    every = [card for cards in dealt.values() for card in cards] + list(command.community)
    return "DUPLICATE_CARD" if len(set(every)) < len(every) else ""


def fate_of(hand: pb.SeatHand) -> str:
    """A seat's fate by name; a hand that says nothing was played."""
    name = pb.Fate.Name(hand.fate).removeprefix("FATE_")
    return "PLAYED" if name == "UNSPECIFIED" else name


def why_not_void(table: Table, irregularity: str) -> str:
    """VoidRound, by a table: cards may be known once the wagers are collected."""
    if irregularity not in table.terms.voids_round:
        return "UNKNOWN_IRREGULARITY"
    if table.round is None:
        return "NO_ROUND"
    return "VOID_BY_FLOOR_ONLY" if table.round.phase in ("COLLECTED", "SETTLED") else ""


def post(books: Books, table: Table, sequence: int, *, electronic: bool) -> None:
    """Share out the wagers of one kind among the levels of their links."""
    round_ = round_of(table)
    for terms in table.terms.links:
        link = books.links[terms.id]
        ours = {bet.id for bet in terms.bets}
        count = sum(b in ours and w.electronic == electronic for _, b, w in round_.standing())
        total = count * terms.wager_micros
        if not total:
            continue
        link.players -= total
        kept = total
        for name, level in link.levels.items():
            primary, reserve, over = _shares(level.terms, total, level.meter)
            more = Purse(primary - over, reserve, over)
            level.apply(more)
            kept -= sum(more)
            first, before = round_.posted.get((terms.id, name), (sequence, Purse()))
            round_.posted[terms.id, name] = Increment(first, before.plus(more))
        link.retained += kept


def _shares(terms: LevelTerms, total: int, meter: int) -> tuple[int, int, int]:
    """Of a total: to the meter and above, to the reserve, and of the first what is above."""
    primary, rest = divmod(total * terms.primary_bps, WHOLE_BPS)
    reserve, rest_too = divmod(total * terms.reserve_bps, WHOLE_BPS)
    if rest or rest_too:
        raise AssertionError("a whole cent at a whole basis point is a whole micro")
    over = max(0, min(primary, meter + primary - terms.limit_micros)) if terms.limit_micros else 0
    return primary, reserve, over
