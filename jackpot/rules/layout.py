"""What a table's layout, or the sign beside it, has to tell patrons: wagers, odds, limits.

Made from the same rule and terms that the table is settled by, so that the two can't differ.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from jackpot.core.config import Bet, Level, Link, PayLine, Table
from jackpot.core.money import dollars, rate_text
from jackpot.rules.base import limit_rule, on_layout, option_value, paytable_of, posted
from jackpot.rules.loader import rules
from jackpot.rules.model import Rule


class Line(Struct, frozen=True):
    """One hand and what it pays."""

    hand: str
    pays: str


class WagerCard(Struct, frozen=True):
    """A wager that patrons may place."""

    title: str
    wager: str  # "$5.00 to $500.00", or "$1.00"
    lines: tuple[Line, ...]
    clause: str


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
        wagers=(*_on_layout(table, rule), *(_linked(link, bet, rule) for link, bet in _bets(own))),
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
        yield WagerCard(
            title=bet.title,
            wager=times or f"${dollars(least)} to ${dollars(most)}",
            lines=tuple(Line(row.hand.replace("-", " "), row.pays) for row in paytable.rows),
            clause=paytable.clause,
        )


def _linked(link: Link, bet: Bet, rule: Rule) -> WagerCard:
    found = rule.bet(bet.id.removesuffix("-dealer"))
    title = found.title if found else bet.id
    whose = " on the dealer's hand" if bet.whose == "dealer" else ""
    drawn = (("Magic Card", bet.magic_pays_for), ("Lucky Bonus", bet.lucky_pays_for))
    envy = (
        Line(f"envy bonus, {each.hand.replace('-', ' ')}", f"${dollars(each.amount_micros)}")
        for each in bet.envy
    )
    return WagerCard(
        title=f"{title}{whose} ({link.title})",
        wager=f"${dollars(link.wager_micros)}",
        lines=(
            *(Line(line.hand.replace("-", " "), _pays(line)) for line in bet.paytable),
            *(Line(name, f"{times} for 1") for name, times in drawn if times),
            *envy,
        ),
        clause=bet.paytable[0].clause if bet.paytable else "",
    )


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
    """Limits in force: on what a hand wins, and on what a meter can come to."""
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
