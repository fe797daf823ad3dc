"""Wagers up to "no more bets": placed, refused, locked out, counted.

A lamp is lit by an accepted wager and by nothing else; a wager that comes late is refused, and its
chip goes back to the player.
"""

from collections.abc import Iterator, Mapping

from jackpot.core.money import MICROS_PER_CENT, dollars
from jackpot.rules.base_game import is_side_bet, posted
from table_client.table.players import Offer, Wagers
from table_client.table.ports import LockedOut, Progressive, ProgressiveLostError, SideWager
from table_client.table.round.round_state import Layout, Seat


async def take_wagers(
    layout: Layout, progressive: Progressive, offer: Offer
) -> Mapping[int, Wagers]:
    """Ask every seat for its wagers, from the dealer's left."""
    wished: dict[int, Wagers] = {}
    for seat in layout.seats.values():
        wagers = wished[seat.number] = seat.player.wagers(offer)
        if not wagers.layout:
            continue
        if why := box_refusal(layout, seat):
            layout.trace.note("refuse", f"Seat {seat.number}: {why}.", layout.game.clauses.boxes)
            continue
        _place_on_layout(layout, seat, wagers)
        if all(bet in seat.wagers for bet in layout.game.required):
            await _place_linked(layout, progressive, seat, wagers, offer)
    return wished


async def close_betting(
    layout: Layout, progressive: Progressive, offer: Offer, wished: Mapping[int, Wagers]
) -> None:
    """No more bets: lock out, send late wagers away, and count the chips.

    If the progressive is lost on the way, its chips go back and the round goes on without it.
    """
    way = layout.game.clauses.ways[layout.way]
    layout.trace.note("no-more-bets", "No more bets.", way.no_more_bets)
    try:
        locked = await _lock_out(layout, progressive) if layout.linked else LockedOut()
        for seat in layout.seats.values():
            await _turn_away(layout, progressive, seat, offer)
        if layout.linked:
            await _collect(layout, progressive, offer, locked, wished)
    except ProgressiveLostError:
        for seat in layout.seats.values():
            seat.linked = {}
        layout.linked = {}
        says = "The progressive is out of service; its chips go back."
        layout.trace.note("out-of-service", says, way.no_more_bets)


async def _lock_out(layout: Layout, progressive: Progressive) -> LockedOut:
    locked = await progressive.lock_out()
    way = layout.game.clauses.ways[layout.way]
    layout.trace.note("lock-out", "Progressive wagers are locked out.", way.no_more_bets)
    _relight(layout, locked)
    return locked


def _relight(layout: Layout, locked: LockedOut) -> None:
    """The lamps show what the progressive has, also of a wager whose answer was lost."""
    for seat in layout.seats.values():
        seat.linked = {w.bet: w.amount_micros for w in locked.wagers if w.seat == seat.number}


def box_refusal(layout: Layout, seat: Seat) -> str:
    """Why a person may not play this box as well; "" if he may."""
    rule, boxes = layout.rule.boxes, layout.boxes
    most = boxes if rule is None or rule.most == 0 else min(boxes, rule.most)
    others = [
        other.number
        for other in layout.seats.values()
        if other.number < seat.number and other.player.key == seat.player.key and other.wagers
    ]
    if others and (len(others) >= most or seat.number - others[-1] != 1):
        return f"one person may play {most} adjacent box{'' if most == 1 else 'es'}"
    return ""


def refusals(layout: Layout, wagers: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Which of a seat's wagers on the layout may not stand, and why; all of them if ("*", why)."""
    game, terms = layout.game, layout.terms
    required = [wagers[bet] for bet in game.required if bet in wagers]
    alone = not required and all(bet in game.alone for bet in wagers)
    if not alone and (len(required) < len(game.required) or len(set(required)) > 1):
        yield "*", f"needs {' and '.join(game.required)} in equal amounts"
        return
    if required and not terms.minimum_micros <= required[0] <= terms.maximum_micros:
        yield "*", "outside the posted limits"
        return
    if game.verify and (why := game.verify(wagers, terms)):
        yield "*", why
        return
    for bet, amount_micros in wagers.items():
        rule = layout.rule.bet(bet)
        on_layout = rule and (bet in game.required or is_side_bet(rule))
        if rule is None or not on_layout or terms.wager(bet) is None:
            yield bet, "is not offered"
            continue
        least, most = posted(terms, rule)
        if amount_micros <= 0 or amount_micros % MICROS_PER_CENT:
            yield bet, "is no amount in whole cents"
        elif amount_micros < least:
            yield bet, f"is below the posted minimum of ${dollars(least)}"
        elif amount_micros > most:
            yield bet, "is above the posted limit"
        elif not all(other in wagers for other in rule.requires):
            yield bet, f"needs {' and '.join(rule.requires)}"


def _place_on_layout(layout: Layout, seat: Seat, wagers: Wagers) -> None:
    refused = dict(refusals(layout, wagers.layout))
    for bet, why in refused.items():
        what = "wagers" if bet == "*" else bet
        says = f"Seat {seat.number}: {what} refused: {why}."
        layout.trace.note("refuse", says, layout.game.clauses.late, seat=seat.number)
    if "*" in refused:
        return
    seat.wagers = {bet: amount for bet, amount in wagers.layout.items() if bet not in refused}
    for bet, amount_micros in seat.wagers.items():
        rule = layout.bet(bet)
        layout.trace.note(
            "wager",
            f"Seat {seat.number}: {rule.title}, ${dollars(amount_micros)}.",
            rule.clause,
            seat=seat.number,
            amount_micros=amount_micros,
        )


async def _place_linked(
    layout: Layout, progressive: Progressive, seat: Seat, wagers: Wagers, offer: Offer
) -> None:
    asked = [_side_wager(seat, bet, offer) for bet in wagers.linked if bet in offer.linked]
    if not asked:
        return
    for wager in await progressive.place(asked):
        seat.linked[wager.bet] = wager.amount_micros
    for wager in asked:
        lit = wager.bet in seat.linked
        amount = dollars(wager.amount_micros)
        lamp = "its lamp is lit" if lit else "not accepted, its lamp stays dark"
        layout.trace.note(
            "lamp",
            f"Seat {seat.number}: {wager.bet}, ${amount}: {lamp}.",
            _clause_of(layout, wager.bet),
            seat=seat.number,
            amount_micros=wager.amount_micros if lit else 0,
        )


async def _turn_away(layout: Layout, progressive: Progressive, seat: Seat, offer: Offer) -> None:
    """A wager after "no more bets" is refused, whatever the player says of the time."""
    late = seat.player.late(offer)
    clause = layout.game.clauses.late
    for bet in late.layout:
        says = f"Seat {seat.number}: {bet} is too late, the chips go back."
        layout.trace.note("late", says, clause, seat=seat.number)
    for bet in late.linked:
        if bet in seat.linked or bet not in offer.linked:
            continue
        lit = await progressive.place([_side_wager(seat, bet, offer)])
        if lit:
            raise AssertionError(f"{bet} was accepted at seat {seat.number} after the lock-out")
        says = f"Seat {seat.number}: {bet} is too late, its lamp stays dark."
        layout.trace.note("late", says, clause, seat=seat.number)


async def _collect(
    layout: Layout,
    progressive: Progressive,
    offer: Offer,
    locked: LockedOut,
    wished: Mapping[int, Wagers],
) -> None:
    """Count the chips against the wagers accepted; a wager without a chip is removed first."""
    clauses = layout.game.clauses
    clause = clauses.collection or clauses.ways[layout.way].no_more_bets
    by_chip = [w for w in locked.wagers if offer.linked[w.bet].medium == "chips"]
    missing = [w for w in by_chip if w.bet in wished[w.seat].no_chip]
    chips: dict[str, int] = {}
    for wager in by_chip:
        chips[wager.bet] = chips.get(wager.bet, 0) + (wager not in missing)
    mismatch = await progressive.confirm_collection(chips) if by_chip else None
    if mismatch:
        says = f"{mismatch.counted} chips for {mismatch.accepted} wagers accepted: recount."
        layout.trace.note("collect", says, clause)
        for wager in missing:
            await progressive.remove_wager(wager)
            del layout.seats[wager.seat].linked[wager.bet]
            says = f"Seat {wager.seat}: {wager.bet} had no chip; the floorperson removes it."
            layout.trace.note("remove-wager", says, clause, seat=wager.seat)
        if await progressive.confirm_collection(chips):
            raise AssertionError("the chips still don't match the wagers accepted")
    counted = sum(chips.values())
    says = f"{counted} chips, {counted} wagers accepted; the chips go into the inventory."
    layout.trace.note("collect", says, clause)


def _side_wager(seat: Seat, bet: str, offer: Offer) -> SideWager:
    linked, player = offer.linked[bet], seat.player
    account = player.account if linked.medium == "electronic" else ""
    return SideWager(seat.number, bet, linked.amount_micros, player.key, account)


def _clause_of(layout: Layout, bet: str) -> str:
    """A linked bet's clause; a bet on the dealer's hand has that of the bet on one's own."""
    rule = layout.rule.bet(bet) or layout.rule.bet(bet.removesuffix("-dealer"))
    return rule.clause if rule else ""
