"""Decide what each winner gets, one award after the other, each at the meter of its turn."""

from emulator.soak.audit.books import (
    Award,
    Before,
    Books,
    Due,
    Effect,
    Payout,
    Purse,
    Settlement,
    Table,
)
from emulator.soak.audit.claims import Cards, Reader
from emulator.soak.audit.terms import CENT, DEALER, WHOLE_BPS, LevelTerms

LOW_METER = 10  # an award below a tenth of the seed is worth a look


def is_full(due: Due) -> bool:
    """Whether it is 100% of a meter."""
    return due.share_bps == WHOLE_BPS


def decide(due: Due, purse: Purse, terms: LevelTerms) -> tuple[int, Effect]:
    """What each winner gets from a level, and what that does to it."""
    heads = len(due.winners)
    meter, reserve, overflow = purse
    house = 0
    if not due.share_bps:  # a fixed award: the meter as far as it goes, then the house
        each = due.each_micros
        house = max(0, each * heads - meter)
        return each, Effect(meter=house - each * heads, house=-house)
    each = meter * due.share_bps // WHOLE_BPS // heads // CENT * CENT
    left = Purse(meter - each * heads, reserve, overflow)
    if is_full(due):
        left, house = refilled(left, terms)
    return each, change(purse, left, house)


def refilled(left: Purse, terms: LevelTerms) -> tuple[Purse, int]:
    """A level after 100% of it is gone, and what the house gave."""
    meter, reserve, overflow = left
    house = terms.reseed_micros
    if terms.fund:
        house -= min(house, reserve)
    meter += house + reserve
    if terms.limit_micros:
        meter, overflow = _within(meter + overflow, terms.limit_micros)
    return Purse(meter, 0, overflow), house


def change(old: Purse, new: Purse, house: int) -> Effect:
    """What leads from one purse to another, with what the house gave for it."""
    return Effect(*new.plus(old, -1), -house)


def standing(award: Award, purse: Purse, terms: LevelTerms) -> Effect:
    """What an award that can't change any more does to a level that has changed."""
    total = award.each * len(award.due.winners)
    if not is_full(award.due):
        house = max(0, total - purse.meter)
        return Effect(meter=house - total, house=-house)
    after, house = refilled(purse._replace(meter=award.saw - total), terms)
    overflow = after.overflow + purse.meter - award.saw
    house += max(0, -overflow)
    return change(purse, after._replace(overflow=max(0, overflow)), house)


def _within(money: int, limit: int) -> tuple[int, int]:
    """Money up to the limit, and what is above it."""
    return min(money, limit), max(0, money - limit)


def book(books: Books, due: Due, effect: Effect, sign: int = 1) -> None:
    """Move an award into pending; with -1, back."""
    link = books.links[due.link]
    if due.level:
        link.levels[due.level].apply(effect, sign)
    link.house += sign * effect.house
    link.pending -= sign * sum(effect)


def settle(
    books: Books, table: Table, cards: Cards, sequence: int
) -> tuple[list[Payout], list[str]]:
    """Decide a round; the payouts in order, and the alarms."""
    round_ = table.round
    if round_ is None:
        raise AssertionError("checked before")
    settlement = Settlement(table.terms, sequence, [], {})
    payouts: list[Payout] = []
    alarms: list[str] = []
    for due in Reader(table.terms, round_, cards).dues():
        if due.level:
            level = books.links[due.link].levels[due.level]
            before = level.purse()
            first = Before(before, level.last_full, level.terms)
            settlement.before.setdefault((due.link, due.level), first)
            each, effect = decide(due, before, level.terms)
            if is_full(due) and each * len(due.winners) * LOW_METER < level.terms.seed_micros:
                alarms.append(f"LOW_METER {due.link}/{due.level}")
        else:
            before = Purse(0, 0, 0)
            each, effect = due.each_micros, Effect(house=-due.each_micros * len(due.winners))
        book(books, due, effect)
        ids = []
        for seat, player in due.winners:
            holder = due.holder if due.holder == DEALER or due.kind == "ENVY" else seat
            books.last_payout += 1
            payout = Payout(
                books.last_payout,
                table.terms.id,
                round_.number,
                due,
                seat,
                player,
                holder,
                cards.dealer if holder == DEALER else cards.hands[holder].cards,
                each,
                before.meter,
                due.source,
                round_.wagers[seat][due.bet].account,
            )
            books.payouts[payout.id] = payout
            payouts.append(payout)
            ids.append(payout.id)
            books.links[due.link].hits += due.share_bps > 0
        turn = due.holder if due.kind == "ENVY" else due.winners[0][0]
        settlement.awards.append(Award(due, tuple(ids), each, effect, turn, before.meter))
    for award in settlement.awards:
        if is_full(award.due):
            books.level((award.due.link, award.due.level)).last_full = sequence
    if settlement.awards:
        books.settlements[table.terms.id, round_.number] = settlement
    round_.phase = "SETTLED"
    return payouts, alarms
