"""What a table's layout, or the sign beside it, has to tell patrons: wagers, odds, limits.

Made from the same rule and terms that the table is settled by, so that the two can't differ.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from msgspec import Struct

from jackpot.core.config import Bet, Level, Link, PayLine, Table
from jackpot.core.money import BPS_PER_WHOLE, dollars, rate_text
from jackpot.rules.base_game import limit_rule, on_layout, option_value, paytable_of, posted
from jackpot.rules.cards import DECK
from jackpot.rules.chances import NOT_COUNTED, Chances, chances, one_in
from jackpot.rules.loader import rules
from jackpot.rules.model import Rule
from jackpot.rules.rankings import ranking_of


class Line(Struct, frozen=True):
    """One hand, what it pays, and how often it comes."""

    hand: str
    pays: str
    odds: str = ""  # "1 in 649,740"; "" where hands are not counted
    wins: int = 0  # so many hands ...
    of: int = 0  # ... of all that can be dealt; 0: not counted


class WagerCard(Struct, frozen=True):
    """A wager that patrons may place."""

    title: str
    wager: str  # "$5.00 to $500.00", or "$1.00"
    lines: tuple[Line, ...]
    clause: str
    odds: str = ""  # of what the odds are, or why there are none


class Inscribed(Struct, frozen=True):
    """Something that patrons must be told in words."""

    says: str
    clause: str


class LayoutCard(Struct, frozen=True):
    """All that a table must tell patrons."""

    table: str
    title: str
    clause: str  # that asks for the odds of all wagers
    wagers: tuple[WagerCard, ...]
    inscriptions: tuple[Inscribed, ...]


def layout_card(table: Table, links: Iterable[Link]) -> LayoutCard:
    """The layout of a table whose base game is known."""
    if table.base is None:
        raise ValueError(f"{table.id} has no base game")
    rule = rules()[table.base.rule]
    own = [link for link in links if link.id in table.links]
    return LayoutCard(
        table=table.id,
        title=rule.title,
        clause=rule.sign.clause if rule.sign else "",
        wagers=(
            *_on_layout(table, rule),
            *(_linked(link, bet, rule, table.seats) for link, bet in _bets(own)),
        ),
        inscriptions=(*_inscriptions(table, rule), *_limits(table, rule, own)),
    )


def _bets(links: Iterable[Link]) -> Iterator[tuple[Link, Bet]]:
    return ((link, bet) for link in links for bet in link.bets)


def _on_layout(table: Table, rule: Rule) -> Iterator[WagerCard]:
    terms = table.base
    if terms is None:
        return
    for bet in on_layout(rule):
        if terms.wager(bet.id) is None or not bet.paytables:
            continue
        paytable = paytable_of(terms, bet)
        least, most = posted(terms, bet)
        times = bet.wager.times if bet.wager else ""
        rows = [(row.hand, row.pays) for row in paytable.rows]
        found = chances(rule, bet, [hand for hand, _ in rows], paytable.ranking)
        lines = tuple(_lines(rows, found))
        yield WagerCard(
            title=bet.title,
            wager=times or f"${dollars(least)} to ${dollars(most)}",
            lines=lines,
            clause=paytable.clause,
            odds=_basis(found, lines),
        )


def _linked(link: Link, bet: Bet, rule: Rule, seats: int) -> WagerCard:
    found = rule.bet(bet.id.removesuffix("-dealer"))
    title = found.title if found else bet.id
    whose = " on the dealer's hand" if bet.whose == "dealer" else ""
    envy = (
        Line(f"envy bonus, {each.hand.replace('-', ' ')}", f"${dollars(each.amount_micros)}")
        for each in bet.envy
    )
    rows = [(line.hand, _pays(line)) for line in bet.paytable]
    odds = chances(rule, found, [hand for hand, _ in rows], bet.ranking) if found else None
    lines = (*_lines(rows, odds), *_drawn(link, bet, seats), *envy)
    return WagerCard(
        title=f"{title}{whose} ({link.title})",
        wager=f"${dollars(link.wager_micros)}",
        lines=lines,
        clause=bet.paytable[0].clause if bet.paytable else "",
        odds=_basis(odds, lines),
    )


def _drawn(link: Link, bet: Bet, seats: int) -> Iterator[Line]:
    """What is drawn in a share of rounds: a card of the deck, or a position with the dealer's."""
    cards = ranking_of(bet.ranking).sizes[0]
    for name, times, share_bps, wins, of in (
        ("Magic Card", bet.magic_pays_for, link.magic_share_bps, cards, len(DECK)),
        ("Lucky Bonus", bet.lucky_pays_for, link.lucky_share_bps, 1, seats + 1),
    ):
        if times:
            won, total = share_bps * wins, BPS_PER_WHOLE * of
            yield Line(name, f"{times} for 1", one_in(won, total), won, total)


def _lines(rows: Sequence[tuple[str, str]], found: Chances | None) -> Iterator[Line]:
    for place, (hand, pays) in enumerate(rows):
        name = hand.replace("-", " ") if hand != "any" else "any hand"
        if found is None:
            yield Line(name, pays)
        else:
            yield Line(name, pays, found.texts[place], found.counts[place], found.total)


def _basis(found: Chances | None, lines: Iterable[Line]) -> str:
    """Among how many hands the odds are, and which award has the longest ones."""
    if found is None:
        return NOT_COUNTED
    text = f"odds among all {found.total:,} hands"
    longest = max((line for line in lines if line.wins), key=_against, default=None)
    return f"{text}; the longest are {longest.odds} for a {longest.hand}" if longest else text


def _against(line: Line) -> Fraction:
    return Fraction(line.of, line.wins)


def _pays(line: PayLine) -> str:
    if line.share_bps:
        return f"{rate_text(line.share_bps)} of the {line.level} meter"
    return f"{line.pays_for} for 1" if line.pays_for else f"${dollars(line.amount_micros)}"


def _inscriptions(table: Table, rule: Rule) -> Iterator[Inscribed]:
    for each in rule.inscriptions:
        yield Inscribed(each.says, each.clause)
    for option in rule.options:
        if table.base and option.id != "count-stub-every":  # patrons need not know it
            value = option.value(option_value(rule, table.base, option.id))
            if value:
                yield Inscribed(value.says, value.clause)


def _limits(table: Table, rule: Rule, links: Iterable[Link]) -> Iterator[Inscribed]:
    """Limits in force: on a wager, on what a hand wins, and on what a meter can come to."""
    if table.base:
        least, most = dollars(table.base.minimum_micros), dollars(table.base.maximum_micros)
        says = f"a wager at this table is ${least} to ${most}, unless it has limits of its own"
        yield Inscribed(says, next(on_layout(rule)).clause)
    limit = limit_rule(rule)
    if table.base and table.base.payout_limit_micros and limit:
        says = f"a hand wins at most ${dollars(table.base.payout_limit_micros)} on limited wagers"
        yield Inscribed(says, limit.clause)
    for link in links:
        for level in link.levels:
            yield from _of_level(link, level)


def _of_level(link: Link, level: Level) -> Iterator[Inscribed]:
    if level.limit_micros:
        says = f"{link.title}, {level.id}: at most ${dollars(level.limit_micros)}"
        yield Inscribed(f"{says}; what comes in beyond it is kept for the next meter", level.fixed)
    if level.reserve_bps:
        says = f"{link.title}, {level.id}: {rate_text(level.reserve_bps)} of each wager is kept"
        yield Inscribed(f"{says} in reserve for the next meter", level.fixed)
