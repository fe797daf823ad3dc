"""Return wagers: to the players, to game accounts, off the levels that they fed."""

from emulator.soak.audit.books import Books, Increment, Purse, Settlement, Standing, Table
from emulator.soak.audit.rounds import round_of
from emulator.soak.audit.terms import WHOLE_BPS

LevelKey = tuple[str, str]


def posted_wagers(table: Table) -> list[tuple[int, str, Standing]]:
    """Seat and link of each wager, and itself, whose increments are on the meters."""
    round_ = round_of(table)
    found = []
    for seat, name, standing in round_.standing():
        bet = table.terms.bet(name)
        if bet is None:
            raise AssertionError("an accepted bet is offered")
        counted = round_.phase in ("COLLECTED", "SETTLED")
        if counted or (round_.phase == "LOCKED" and standing.electronic):
            found.append((seat, bet.link, standing))
    return found


def amount_of(books: Books, table: Table, seats: list[int]) -> int:
    """What the wagers of some seats come to."""
    total = 0
    for seat, name, _ in round_of(table).standing():
        bet = table.terms.bet(name)
        if bet and seat in seats:
            total += books.links[bet.link].terms.wager_micros
    return total


def part_of(books: Books, table: Table, key: LevelKey, seat: int) -> Increment | None:
    """A seat's part of what the round put on a level: what its own wagers came to."""
    mine = [wager for s, link, wager in posted_wagers(table) if (s, link) == (seat, key[0])]
    if not mine:
        return None
    sequence, whole = round_of(table).posted[key]
    level, each = books.level(key), books.links[key[0]].terms.wager_micros
    terms = [wager.terms_at(level) for wager in mine]
    primary = sum(each * term.primary_bps // WHOLE_BPS for term in terms)
    over = min(whole.overflow, primary)  # what went over the limit went there last
    reserve = sum(each * term.reserve_bps // WHOLE_BPS for term in terms)
    return Increment(sequence, Purse(primary - over, reserve, over))


def is_gone(books: Books, key: LevelKey, part: Increment, settlement: Settlement | None) -> bool:
    """Whether somebody else has won the level since the increments went there."""
    last_full = books.level(key).last_full
    if settlement and key in settlement.before:
        return settlement.before[key].last_full > part.sequence or last_full > settlement.sequence
    return last_full > part.sequence


def give_back(
    books: Books,
    table: Table,
    parts: dict[LevelKey, Increment],
    gone: dict[LevelKey, bool],
    seats: list[int],
) -> None:
    """Return posted wagers: increments from their levels or the house, the rest as it was kept."""
    owed: dict[str, int] = {}
    for seat, name, _ in posted_wagers(table):
        if seat in seats:
            owed[name] = owed.get(name, 0) + books.links[name].terms.wager_micros
    for key, part in parts.items():
        link, level = books.links[key[0]], books.level(key)
        increments = sum(part.money)
        owed[key[0]] = owed.get(key[0], 0) - increments
        link.players += increments
        if gone[key]:
            link.house -= increments
            continue
        level.apply(part.money, sign=-1)
        link.house -= level.shortfall()
    for name, rest in owed.items():
        books.links[name].retained -= rest
        books.links[name].players += rest
    for seat, name, standing in round_of(table).standing():
        if seat in seats:
            credit(books, table, name, standing)


def credit(books: Books, table: Table, name: str, standing: Standing) -> None:
    """A wager goes back to the game account that it came from."""
    bet = table.terms.bet(name)
    if standing.account and bet:
        link = books.links[bet.link]
        link.players -= link.terms.wager_micros
        books.accounts[standing.account] += link.terms.wager_micros
