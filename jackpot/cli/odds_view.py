"""`jackpot odds`: count what the command line asks for, and print it 80 columns wide."""

import json
from math import sqrt
from pathlib import Path

import click
import msgspec
from rich.console import Console

from jackpot.cli.odds_played import grid, print_played
from jackpot.odds.offer import Choices, OddsError, Offer, make_offer
from jackpot.odds.played import LEAST_ANTE_MICROS, Wagered, every_wagered
from jackpot.odds.present import (
    as_data,
    conditions,
    losing_count,
    money,
    number,
    percent,
    played_data,
    plot,
    row_return,
)
from jackpot.odds.returns import Report, report
from jackpot.rules.chances import is_counted
from jackpot.rules.compile_link import LevelChoice
from jackpot.rules.loader import rules
from jackpot.rules.model import BetRule, Rule
from jackpot.rules.money_phrases import parse_money, parse_pay, parse_rate

WIDTH = 80
Chosen = dict[str, str | tuple[str, ...]]


def show_odds(
    rule_id: str,
    bet_id: str | None,
    paytable_id: str | None,
    wager: str | None,
    seats: int | None,
    whose: str,
    plot_path: Path | None,
    *,
    as_json: bool,
    **chosen: str | tuple[str, ...],
) -> None:
    """Print the odds that the command line asks for, or fail in one line."""
    try:
        rule = _rule(rule_id)
        bets = _bets(rule, bet_id)
        choices = Choices(
            wager_micros=None if wager is None else parse_money(wager),
            seats=seats,
            whose="dealer" if whose == "dealer" else "player",
            levels={},
            pays=_pays(chosen["pays"]),
            fixed_awards_from=str(chosen["fixed_awards_from"]),
            magic_share_bps=parse_rate(str(chosen["magic"])),
            lucky_share_bps=parse_rate(str(chosen["lucky"])),
        )
        played = _played(rule, bet_id, paytable_id, choices)
        if played and not any(map(is_counted, bets)):
            _verify_applies(bets, choices, chosen)
            bets = []  # all that there is to say of them depends on the play
        reports = _reports(
            *(rule, bets, paytable_id, choices, chosen),
            alone=bet_id is not None,
            empty=bool(played),
        )
        if plot_path is not None:
            plot(_only(reports), plot_path)
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        data = {
            "odds": [as_data(found) for found in reports],
            "played": [played_data(found) for found in played],
        }
        click.echo(json.dumps(data, indent=2))
        return
    console = Console(width=WIDTH, highlight=False, soft_wrap=False)
    if bet_id is None:
        _print_summary(console, rule, reports)
    else:
        for found in reports:
            _print_report(console, found)
    print_played(console, played)
    for found in reports:
        for warning in found.warnings:
            bet = f"{found.offer.bet}{_which(found.offer)}"
            click.echo(f"warning: {bet}: {warning}", err=True)


def _rule(rule_id: str) -> Rule:
    rule = rules().get(rule_id)
    if rule is None:
        raise OddsError(f"there is no rule {rule_id!r}; see: jackpot rules list")
    return rule


def _bets(rule: Rule, bet_id: str | None) -> list[BetRule]:
    if bet_id is None:
        return [bet for bet in rule.bets if is_counted(bet)]
    bet = rule.bet(bet_id)
    if bet is None:
        known = ", ".join(bet.id for bet in rule.bets if is_counted(bet)) or "none with odds"
        raise OddsError(f"{rule.id} has no bet {bet_id!r} (it has: {known})")
    return [bet]


def _reports(
    rule: Rule,
    bets: list[BetRule],
    paytable_id: str | None,
    choices: Choices,
    chosen: Chosen,
    *,
    alone: bool,
    empty: bool,
) -> list[Report]:
    """A report for each paytable; with several bets, those that the choices don't fit are left."""
    found = []
    misfit: OddsError | None = None
    for bet in bets:
        for paytable in bet.paytables:
            if paytable_id not in (None, paytable.id):
                continue
            levels = _levels(chosen, [level.id for level in paytable.levels], strict=alone)
            try:
                mine = msgspec.structs.replace(choices, levels=levels)
                found.append(report(make_offer(rule, bet, paytable, mine)))
            except OddsError as error:
                if alone:
                    raise
                misfit = error
    if not found and not empty:
        where = f"{rule.id}/{bets[0].id}" if alone else rule.id
        if misfit:
            raise OddsError(f"no wager of {rule.id} fits these options: {misfit}")
        if paytable_id:
            lacks = f"{where} has no" if alone else f"no bet of {where} has a"
            see = f"jackpot rules show {rule.id}"
            raise OddsError(f"{lacks} paytable {paytable_id!r}; see: {see}")
        raise OddsError(
            f"there are no odds for {where}: it has no paytable that pays by the player's hand "
            "alone, and no way to play it has been counted"
        )
    return found


def _played(
    rule: Rule, bet_id: str | None, paytable_id: str | None, choices: Choices
) -> list[Wagered]:
    """The wagers that depend on how a player plays."""
    unit = LEAST_ANTE_MICROS if choices.wager_micros is None else choices.wager_micros
    if unit <= 0:
        raise OddsError("--wager must be more than $0")
    return [
        found
        for found in every_wagered(rule, unit)
        if bet_id in (None, found.bet) and paytable_id in (None, found.paytable)
    ]


def _verify_applies(bets: list[BetRule], choices: Choices, chosen: Chosen) -> None:
    """Refuse options that are about meters and rows, where there are only plays."""
    given = [name for name in ("pays", "seed", "reseed", "rate", "reserve") if chosen[name]]
    given += ["on"] if choices.whose == "dealer" else []
    if given:
        named = ", ".join(bet.id for bet in bets if bet.kind == "contest")
        raise OddsError(
            f"--{given[0]} does not apply to {named}, because its odds depend on the player's "
            f"decisions;"
            " only --paytable and --wager do"
        )


def _levels(chosen: Chosen, known: list[str], *, strict: bool) -> dict[str, LevelChoice]:
    """The level choices of the options: "[LEVEL=]VALUE", without a level for all of them."""
    values: dict[str, dict[str, int]] = {level: {} for level in known}
    readers = (
        ("seed", "seed_micros", parse_money),
        ("reseed", "reseed_micros", parse_money),
        ("rate", "primary_bps", parse_rate),
        ("reserve", "reserve_bps", parse_rate),
    )
    for option, field, read in readers:
        for text in chosen[option]:
            level, equals, value = text.rpartition("=")
            if equals and level not in values:
                if strict:
                    raise OddsError(
                        f"there is no level {level!r} (the levels are: {', '.join(known)})"
                    )
                continue
            for target in (level,) if equals else tuple(known):
                values[target][field] = read(value)
    return {level: msgspec.convert(fields, LevelChoice) for level, fields in values.items()}


def _pays(texts: str | tuple[str, ...]) -> dict[str, str]:
    pays = {}
    for text in texts:
        hand, equals, pay = text.partition("=")
        if not equals:
            raise OddsError(f"--pays {text!r}: expected HAND=PAY, such as straight-flush='$5,000'")
        parse_pay(pay)
        pays[hand] = pay
    return pays


def _which(offer: Offer) -> str:
    return "" if offer.paytable == "only" else f", paytable {offer.paytable}"


def _only(reports: list[Report]) -> Report:
    if len(reports) > 1:
        raise OddsError("--plot draws only one wager; choose it with BET and --paytable")
    if not reports:
        raise OddsError("--plot needs a wager with a meter, and this one has none")
    return reports[0]


def _print_summary(console: Console, rule: Rule, reports: list[Report]) -> None:
    console.print(f"[bold]{rule.title}[/bold]")
    if not reports:
        return
    table = grid(("bet", "paytable"), ("fixed", "at seed", "long run", "with envy"))
    for found in reports:
        offer, returns = found.offer, (found.fixed_return, found.return_at_seed)
        shown = map(percent, (*returns, found.long_run_return))
        with_envy = percent(found.long_run_total) if offer.envy else ""
        table.add_row(offer.bet, offer.paytable, *shown, with_envy)
    console.print(table)


def _print_report(console: Console, found: Report) -> None:
    offer = found.offer
    console.print(f"[bold]{offer.title}{_which(offer)}[/bold]")
    console.print(f"{offer.clause}; {conditions(offer)}")
    _print_rows(console, found)
    deviation = ""
    if found.variance_at_seed is not None:
        deviation = f"   standard deviation {sqrt(found.variance_at_seed):,.2f} wagers"
    lines = [
        ("fixed awards", percent(found.fixed_return)),
        ("variance", number(found.variance_at_seed, 2) + deviation),
    ]
    if found.levels:
        lines[1:] = [
            ("return at seed", percent(found.return_at_seed)),
            ("  variance", number(found.variance_at_seed, 2) + deviation),
            ("long-run return", percent(found.long_run_return)),
            ("  variance", number(found.long_run_variance, 2)),
        ]
    if found.envy_by_seats:
        lines.append((f"with envy, {offer.seats} players", percent(found.long_run_total)))
    for extra in offer.extras:
        share = percent(extra.return_when_offered)
        lines.append((extra.id, f"adds {share} of the wager in each round that offers it"))
    for label, value in lines:
        console.print(f"  {label:<24} {value}")
    if found.levels and found.long_run_return is None and not found.warnings:
        console.print("  ?: the operator chooses this value; add --seed, --reseed and --rate")
    if found.levels:
        _print_levels(console, found)
    for players, more in enumerate(found.envy_by_seats, start=1):
        console.print(f"  envy bonus adds, with {players} at the table  {percent(more):>7}")
    console.print()


def _print_rows(console: Console, found: Report) -> None:
    table = grid(("hand", "pays"), ("hands", "one in", "return"))
    for chance in found.chances:
        one_in = number(1 / chance.probability, 2) if chance.count else "never"
        adds = percent(row_return(found, chance))
        table.add_row(chance.line.hand, chance.line.pays, f"{chance.count:,}", one_in, adds)
    lost = losing_count(found)
    one_in = f"{found.total / lost:,.2f}" if lost else "never"
    table.add_row("(no award)", "", f"{lost:,}", one_in, "")
    table.add_row("(all)", "", f"{found.total:,}", "", "")
    console.print(table)


def _print_levels(console: Console, found: Report) -> None:
    heads = ("seed", "break-even", "mean award", "wagers/hit", "rounds/hit")
    table = grid(("level",), heads)
    for level in found.levels:
        amounts = map(money, (level.meter.seed, level.break_even, level.mean_award))
        between = (level.wagers_between_hits, level.rounds_between_hits)
        table.add_row(level.meter.id, *amounts, *(number(hits, 0) for hits in between))
    console.print(table)
