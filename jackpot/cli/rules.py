"""`jackpot rules`: show what the controller carries out, and check a site file by it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jackpot.cli.shared.offline import store_option
from jackpot.console import one_line, print_json

if TYPE_CHECKING:
    from jackpot.rules.model import Rule
    from jackpot.rules.site import SiteFile


@click.group()
def rules() -> None:
    r"""Show the rules of each game, and check a site file.

    \b
    Example:
      jackpot rules list
      jackpot rules show pa-crazy-4-poker five-card-progressive
      jackpot rules check site.toml
      jackpot rules plan site.toml
    """


@rules.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_rules(*, as_json: bool) -> None:
    r"""List every game's rule with its bets and paytables.

    \b
    Example:
      jackpot rules list --json
    """
    from jackpot.cli import rules_view as view
    from jackpot.rules.loader import rules as all_rules

    if as_json:
        print_json({"rules": [_summary(rule) for rule in all_rules().values()]})
        return
    for rule in all_rules().values():
        view.summary(rule)


@rules.command("show")
@click.argument("rule_id", metavar="RULE")
@click.argument("bet_id", metavar="[BET]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show_rule(rule_id: str, bet_id: str | None, *, as_json: bool) -> None:
    r"""Print the paytables of a rule, with their clauses.

    \b
    Example:
      jackpot rules show pa-crazy-4-poker queens-up
    """
    import msgspec

    from jackpot.cli import rules_view as view
    from jackpot.rules.loader import rules as all_rules

    rule = all_rules().get(rule_id)
    if rule is None:
        raise click.ClickException(f"there is no rule {rule_id!r}; see: jackpot rules list")
    bets = [bet for bet in rule.bets if bet_id in (None, bet.id)]
    if not bets:
        known = ", ".join(bet.id for bet in rule.bets)
        raise click.ClickException(f"{rule_id} has no bet {bet_id!r} (it has: {known})")
    if as_json:
        print_json({**msgspec.to_builtins(rule), "bets": msgspec.to_builtins(bets)})
        return
    view.head(rule)
    for bet in bets:
        view.bet(rule, bet)
    if bet_id is None:
        view.provisions(rule)


@rules.command("check")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def check_file(context: click.Context, file: Path, *, as_json: bool) -> None:
    r"""Check a site file against the regulations.

    Prints every violation with its line, its clause and the allowed values.

    Exits with 1 if there is a violation.

    \b
    Example:
      jackpot rules check site.toml
    """
    import msgspec

    from jackpot.cli import rules_view as view
    from jackpot.rules.site import SiteFileError, check_site

    try:
        found: SiteFile | None = check_site(file)
        violations = found.violations if found else ()
    except SiteFileError as error:
        found, violations = None, error.violations
    warnings = found.warnings if found else ()
    if as_json:
        print_json(
            {
                "file": str(file),
                "ok": not violations,
                "violations": msgspec.to_builtins(violations),
                "warnings": msgspec.to_builtins(warnings),
                "links": [_link_json(found, link_id) for link_id in found.choices] if found else [],
            }
        )
    else:
        for violation in violations:
            click.echo(f"{file}:{violation}")
        for warning in warnings:
            click.echo(f"{file}:{warning.line}: warning: {str(warning).partition(': ')[2]}")
        if found:
            view.choices(found)
        verdict = f"{len(violations)} violations" if violations else "no violations"
        click.echo(f"{file}: {verdict.replace('1 violations', '1 violation')}")
    if violations:
        context.exit(1)


@rules.command("plan")
@click.argument("file", type=click.Path(path_type=Path))
@store_option(required=False, default="what the site file says")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
@one_line
def plan_file(context: click.Context, file: Path, store: str | None, *, as_json: bool) -> None:
    r"""Show what a site file would change when a controller starts.

    Compares the file with the journal. Lists what a controller would add, change, keep or
    refuse, with old and new values. Needs no running controller, and changes nothing.

    Exits with 1 if the file has a violation or a controller would refuse it.

    \b
    Example:
      jackpot rules plan site.toml
      jackpot rules plan site.toml --store /var/lib/jackpot --json
    """
    from jackpot.cli import plan_view as view

    found = _sound(file)
    store = store or found.server.data
    steps = view.steps(found, store)
    if as_json:
        print_json(view.as_json(found, steps))
    else:
        if view.is_new(store):
            click.echo(f"{store} has no journal yet, so everything in the file is new")
        for line in view.lines(file, found, steps):
            click.echo(line)
    if any(step.verdict == "refuse" for step in steps):
        context.exit(1)


@rules.command("layout")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("table")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def layout(file: Path, table: str, *, as_json: bool) -> None:
    r"""Print what a table's layout or sign must show to patrons.

    Prints every wager that the table offers, with its odds, minimum and maximum; the limits
    in force; and the required inscriptions.

    \b
    Example:
      jackpot rules layout site.toml table-4
    """
    import msgspec

    from jackpot.cli import rules_view as view
    from jackpot.rules.posted_layout import layout_card

    site = _sound(file).site
    found = next((each for each in site.tables if each.id == table), None)
    if found is None or found.base is None:
        known = ", ".join(each.id for each in site.tables if each.base) or "none"
        raise click.ClickException(f"{file} has no table {table!r} with a layout (it has: {known})")
    card = layout_card(found, site.links)
    if as_json:
        print_json(msgspec.to_builtins(card))
    else:
        view.layout(card)


def _sound(file: Path) -> "SiteFile":
    """A site file without faults."""
    from jackpot.rules.site import SiteFileError, load_site_file

    try:
        return load_site_file(file)
    except SiteFileError as error:
        raise click.ClickException(
            f"{error}; to list every violation, run: jackpot rules check {file}"
        ) from error


def _summary(rule: "Rule") -> dict[str, Any]:
    """A rule without its tables."""
    about = ("id", "game", "title", "jurisdiction", "source", "effective")
    about_bet = ("id", "title", "kind", "ranking", "clause")
    return {
        **{name: getattr(rule, name) for name in about},
        "bets": [
            {
                **{name: getattr(bet, name) for name in about_bet},
                "paytables": [
                    {"id": table.id, "clause": table.clause, "levels": [x.id for x in table.levels]}
                    for table in bet.paytables
                ],
            }
            for bet in rule.bets
        ],
    }


def _link_json(found: "SiteFile", link_id: str) -> dict[str, Any]:
    import msgspec

    from jackpot.rules.link_choices import options

    rule, bet, paytable = found.choices[link_id]
    return {
        "id": link_id,
        "rule": rule.id,
        "bet": bet.id,
        "paytable": paytable.id,
        "options": msgspec.to_builtins(options(rule, bet, paytable)),
    }
