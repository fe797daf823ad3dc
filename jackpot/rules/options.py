"""What the law leaves an operator to choose for a link, in words, each with its clause."""

from msgspec import Struct

from jackpot.rules.model import BetRule, LevelRule, Paytable, Rule


class Option(Struct, frozen=True):
    """A key of the site file that is a choice, what may stand there, and the clause."""

    key: str
    allowed: str
    clause: str = ""
    required: bool = False


def options(rule: Rule, bet: BetRule, paytable: Paytable) -> tuple[Option, ...]:
    """Everything that may be chosen for a link, in the order of the site file's keys."""
    found: list[Option] = []
    if len(bet.paytables) > 1:
        ids = ", ".join(table.id for table in bet.paytables)
        found.append(Option("paytable", f"one of {ids}", paytable.clause, required=True))
    wager = " or ".join(bet.wager.allowed) if bet.wager and bet.wager.allowed else ""
    clause = bet.wager.clause if bet.wager else bet.clause
    found.append(Option("wager", wager or "any whole number of cents", clause, required=True))
    for level in paytable.levels:
        found += _level_options(level)
    for row in paytable.rows:
        if row.or_pays:
            wording = f"{row.pays} or {row.or_pays}" + (", or more" if paytable.minimum else "")
            option = Option(f"pays.{row.hand}", wording, paytable.clause, required=True)
            found.append(option)
        elif paytable.minimum and row.pays != "100% of main":
            clause = row.clause or paytable.clause
            found.append(Option(f"pays.{row.hand}", f"at least {row.pays}", clause))
    for extra in bet.extras:
        key = "magic_share" if extra.id == "magic-card" else "lucky_share"
        wording = f'the share of rounds that pay {extra.pays}; "0%": not offered'
        found.append(Option(key, wording, extra.clause, required=True))
    if bet.fold and bet.fold.setting:
        wording = f"whether a fold forfeits it; {str(bet.fold.forfeits).lower()} where not said"
        found.append(Option("fold_forfeits", wording, bet.fold.clause))
    if bet.payment and bet.payment.fixed_awards_setting:
        wording = "meter, or house (then the return may pass 100%)"
        found.append(Option("fixed_awards_from", wording, bet.payment.clause))
    if rule.boxes:
        most = f"1 to {rule.boxes.most}" if rule.boxes.most else "any number that is declared"
        found.append(Option("tables.boxes_per_player", most, rule.boxes.clause))
    return tuple(found)


def _level_options(level: LevelRule) -> list[Option]:
    """The values of a level that are not fixed."""
    found: list[Option] = []
    for key, text, bound in (
        ("seed", level.seed, level.seed_term.bound),
        ("reseed", level.reseed, level.reseed_term.bound),
        ("primary", level.primary, level.primary_term.bound),
        ("reserve", level.reserve, level.reserve_term.bound),
    ):
        if bound != "is":
            name, required = f"levels.{level.id}.{key}", key != "reserve"
            found.append(Option(name, text, level.clause, required=required))
    if level.reserve != "none":
        name = f"levels.{level.id}.reserve_mode"
        found.append(Option(name, "add to the reseed, or fund it", level.clause))
    # No text here speaks of a limit, so it needs no clause and breaks none.
    found.append(Option(f"levels.{level.id}.limit", "from the seed upward; none where not said"))
    return found
