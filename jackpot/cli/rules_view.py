"""Rules as a person reads them: paytables side by side as the regulations print them, 80 columns.

Only prints; whatever is decided about a rule or a site file is decided in `jackpot.rules`.
"""

from collections.abc import Iterable, Sequence
from textwrap import wrap

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from jackpot.core.money import dollars, rate_text
from jackpot.rules.chances import NOT_COUNTED, chances
from jackpot.rules.link_choices import options
from jackpot.rules.model import BetRule, Paytable, Rule
from jackpot.rules.posted_layout import LayoutCard
from jackpot.rules.site import SiteFile

WIDTH = 80
COLUMNS = 4  # paytables that fit side by side
_TIED = "\u00a0"  # a blank that does not break


def summary(rule: Rule) -> None:
    """A rule in a few lines."""
    click.secho(rule.id, bold=True)
    _say(f"{rule.title}; {rule.source}{_since(rule)}")
    for one in rule.bets:
        tables = ", ".join(table.id for table in one.paytables if table.id != "only")
        kind = f"{one.kind} {tables}" if tables else one.kind
        line = f"    {one.id:<22} {one.clauses[0]:<21} {kind}"
        click.echo("\n".join(wrap(line, WIDTH - 1, subsequent_indent=49 * " ")))


def head(rule: Rule) -> None:
    """What is the same for every bet of a game."""
    click.secho(rule.title, bold=True)
    _say(f"{rule.id}; {rule.source}{_since(rule)}")
    if rule.table:
        _say(f"at most {rule.table.seats} players", rule.table.clause)
    if rule.deal:
        parts = [
            f"{count} {whose}"
            for count, whose in (
                (rule.deal.seat_cards, "to a player"),
                (rule.deal.dealer_cards, "to the dealer"),
                (rule.deal.community_cards, "for everyone (community)"),
            )
            if count
        ]
        joker = ", with a joker" if rule.deal.joker else ""
        _say(f"cards: {', '.join(parts)}{joker}", rule.deal.clause)
    if rule.deck:
        hours = f"{rule.deck.by_hand_hours} h by hand, {rule.deck.by_shoe_hours} h by shoe"
        _say(f"a deck must be changed after this time in use: {hours}", rule.deck.clause)
    if rule.dealer:
        _say(f"the dealer qualifies with {rule.dealer.qualifies} or better", rule.dealer.clause)
    if rule.boxes:
        most = str(rule.boxes.most) if rule.boxes.most else "the operator decides"
        _say(f"boxes (seats) that one player may play: {most}", rule.boxes.clause)


def bet(rule: Rule, one: BetRule) -> None:
    """A bet with all its paytables."""
    click.echo()
    click.secho(one.title, bold=True, nl=False)
    click.echo(f"  {one.id} ({one.kind}, {one.medium})")
    _say(f"other wagers required: {', '.join(one.requires) or 'none'}", one.clause)
    if one.cards:
        _say(f"ranked: {one.cards}")
    if one.wager:
        _say(f"wager: {' or '.join(one.wager.allowed) or one.wager.times}", one.wager.clause)
    if one.fold:
        envy = ", but keeps the envy bonus" if one.fold.keeps_envy else ""
        setting = " (the operator chooses)" if one.fold.setting else ""
        lost = "loses this wager" if one.fold.forfeits else "keeps this wager"
        _say(f"a player who folds {lost}{envy}{setting}", one.fold.clause)
    for outcome in one.outcomes:
        _say(f"{outcome.when}: {outcome.result}", outcome.clause)
    if one.vigorish:
        wording = (
            f"vigorish {one.vigorish.rate}, rounded up to the next {one.vigorish.rounded_up_to}"
        )
        _say(wording, one.vigorish.clause)
    for start in range(0, len(one.paytables), COLUMNS):
        _paytables(one.paytables[start : start + COLUMNS])
    _odds(rule, one)
    for extra in one.extras:
        _say(f"{extra.id}: {extra.pays}", extra.clause)
    if one.limit:
        _say(f"limit: {one.limit.at_least}; {one.limit.note}", one.limit.clause)
    if one.note:
        _say(one.note)


def provisions(rule: Rule) -> None:
    """What an operator may choose for a table, and the rules that are no number."""
    if rule.options or rule.provisions:
        click.echo()
    for option in rule.options:
        for value in option.values:
            _say(f"options.{option.id} = {value.value}: {value.says}", value.clause)
    for provision in rule.provisions:
        _say(f"{provision.id}: {provision.says}", provision.clause)


def choices(found: SiteFile) -> None:
    """Each link's meters, and what the law lets the operator choose."""
    links = {link.id: link for link in found.site.links}
    for link_id, (rule, one, paytable) in found.choices.items():
        link = links[link_id]
        click.secho(f"{link_id}", bold=True)
        table = "" if paytable.id == "only" else f" {paytable.id}"
        _say(f"{rule.id}, {one.id}{table}, wager ${dollars(link.wager_micros)}")
        for level in link.levels:
            _say(
                f"{level.id}: seed ${dollars(level.seed_micros)}, "
                f"reseed ${dollars(level.reseed_micros)}, "
                f"{rate_text(level.primary_bps)}, reserve {rate_text(level.reserve_bps)}"
            )
        for option in options(rule, one, paytable):
            need = "must choose" if option.required else "may choose"
            _say(f"{need} {option.key}: {option.allowed}", option.clause)


def layout(card: LayoutCard) -> None:
    """What a table tells patrons."""
    click.secho(f"{card.table}: {card.title}", bold=True)
    if card.clause:
        _say("odds or amounts of all wagers:", card.clause)
    for wager in card.wagers:
        click.echo()
        _say(f"{wager.title}, {wager.wager}", wager.clause)
        for line in wager.lines:
            _say(f"  {line.hand}: {line.pays}" + (f", {line.odds}" if line.odds else ""))
        _say(f"  ({wager.odds})")
    click.echo()
    for each in card.inscriptions:
        _say(each.says, each.clause)


def _paytables(tables: Sequence[Paytable]) -> None:
    """Paytables side by side, then their meters and envy bonuses."""
    longest_first = sorted(tables, key=lambda table: -len(table.rows))
    hands = dict.fromkeys(row.hand for table in longest_first for row in table.rows)
    heads = ["Hand", *("Pays" if table.id == "only" else f"Table {table.id}" for table in tables)]
    _grid(heads, ([_words(hand), *(_cell(table, hand) for table in tables)] for hand in hands))
    for minimum, clause in dict.fromkeys((table.minimum, table.clause) for table in tables):
        _say(
            "the table must pay at least this" if minimum else "the table must pay exactly this",
            clause,
        )
    meters = [
        [table.id, level.id, level.seed, level.reseed, level.primary, level.reserve]
        for table in tables
        for level in table.levels
    ]
    if meters:
        _grid(["Table", "Level", "Seed", "Reseed", "Primary", "Reserve"], meters)
        _cite(level.clause for table in tables for level in table.levels)
    envy = [
        [
            table.id,
            plan.wager,
            ", ".join(f"{_words(row.hand).lower()} {row.pays}" for row in plan.rows),
        ]
        for table in tables
        for plan in table.envy
    ]
    if envy:
        _grid(["Table", "Wager", "Envy bonus"], envy)
        _cite(plan.clause for table in tables for plan in table.envy)


def _odds(rule: Rule, one: BetRule) -> None:
    """How often each row comes, once for the paytables in which it comes equally often."""
    said: dict[str, list[str]] = {}
    for table in one.paytables:
        hands = [row.hand for row in table.rows]
        found = chances(rule, one, hands, table.ranking)
        pairs = zip(hands, found.texts, strict=True) if found else ()
        words = ", ".join(f"{_words(hand).lower()} {text}" for hand, text in pairs)
        said.setdefault(words or NOT_COUNTED, []).append(table.id)
    for words, tables in said.items():
        which = f" ({', '.join(tables)})" if len(said) > 1 else ""
        _say(words if words == NOT_COUNTED else f"odds{which}: {words}")


def _grid(heads: list[str], rows: Iterable[list[str]]) -> None:
    grid = Table(box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False, show_edge=False)
    for text in heads:
        grid.add_column(text)
    for row in rows:
        grid.add_row(*row)
    click.echo()
    Console(highlight=False, width=WIDTH).print(grid)


def _cell(table: Paytable, hand: str) -> str:
    row = next((row for row in table.rows if row.hand == hand), None)
    if row is None:
        return "-"
    pays = f"{row.pays} or {row.or_pays}" if row.or_pays else row.pays
    return pays.replace("of main", "of meter") + (", shared" if row.shared else "")


def _words(hand: str) -> str:
    """A hand's name as a person writes it."""
    return "Any hand" if hand == "any" else hand.replace("-", " ").capitalize()


def _since(rule: Rule) -> str:
    return f"; since {rule.effective}" if rule.effective else ""


def _cite(clauses: Iterable[str]) -> None:
    _say("source:", "; ".join(dict.fromkeys(clauses)))


def _say(text: str, clause: str = "") -> None:
    """A sentence and its clause, wrapped so that no clause is torn."""
    cited = "; ".join(part.replace(" ", _TIED) for part in clause.split("; "))
    whole = f"{text} [{cited}]" if clause else text
    for line in wrap(whole, WIDTH - 1, initial_indent="  ", subsequent_indent="      "):
        click.echo(line.replace(_TIED, " "))
