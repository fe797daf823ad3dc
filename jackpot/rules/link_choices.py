"""Read what an operator chose for a link, and tell what the law leaves open to choose.

Whether the law allows a choice that was made is `compile_link`'s to say.
"""

from typing import Literal, cast

from msgspec import Struct

from jackpot.core.money import MICROS_PER_DOLLAR
from jackpot.rules.compile_link import LevelChoice, LinkChoice
from jackpot.rules.loader import rules
from jackpot.rules.model import BetRule, LevelRule, Paytable, Rule
from jackpot.rules.toml_section import Section, did_you_mean, suggestion

ONLY = "only"  # the paytable of a bet that has just one


def pick(section: Section) -> tuple[Rule, BetRule, Paytable | None] | None:
    """The rule, bet and paytable that a link names; None where one of them does not exist."""
    rule_id, bet_id = section.text("rule"), section.text("bet")
    paytable_id = section.text("paytable", ONLY)
    if not (rule_id and bet_id):
        return None
    rule = rules().get(rule_id)
    if rule is None:
        meant = did_you_mean(suggestion(rule_id, rules()))
        section.fault(f"there is no rule {rule_id!r}{meant or '; see: jackpot rules list'}", "rule")
        return None
    bet = rule.bet(bet_id)
    if bet is None or not bet.linkable:
        known = ", ".join(bet.id for bet in rule.bets if bet.linkable) or "none"
        section.fault(f"{rule_id} has no bet {bet_id!r} for a link (it has: {known})", "bet")
        return None
    paytable = bet.paytable(paytable_id)
    if paytable is None and not section.broken("paytable"):
        known = ", ".join(table.id for table in bet.paytables)
        clause = bet.paytables[0].clause
        if "paytable" in section:
            reason = f"{bet_id} has no paytable {paytable_id!r} (it has: {known})"
            section.fault(reason, "paytable", clause=clause)
        else:
            reason = f"the key 'paytable' is missing: {bet_id} has {known}"
            section.missing("paytable", reason, clause)
    return rule, bet, paytable


def link_choice(section: Section, link_id: str) -> LinkChoice:
    """An operator's options for a link."""
    levels: dict[str, LevelChoice] = {}
    chosen = section.section("levels")
    for level_id in chosen.keys():  # noqa: SIM118 - a section is no mapping
        levels[level_id] = _level_choice(chosen.section(level_id))
    pays = section.section("pays")
    wager = section.money("wager")
    if wager is None and "wager" not in section:
        section.missing("wager")
    fold = section.flag("fold_forfeits", default=False) if "fold_forfeits" in section else None
    source = (
        section.choice("fixed_awards_from", ("meter", "house"))
        if "fixed_awards_from" in section
        else None
    )
    return LinkChoice(
        id=link_id,
        title=section.text("title", link_id),
        wager_micros=MICROS_PER_DOLLAR if wager is None else wager,
        levels=levels,
        pays={hand: pays.text(hand) for hand in pays.keys()},  # noqa: SIM118 - as above
        magic_share_bps=section.rate("magic_share"),
        lucky_share_bps=section.rate("lucky_share"),
        fold_forfeits=fold,
        fixed_awards_from=cast("Literal['meter', 'house'] | None", source),
    )


def _level_choice(section: Section) -> LevelChoice:
    """An operator's options for a level."""
    choice = LevelChoice(
        seed_micros=section.money("seed"),
        reseed_micros=section.money("reseed"),
        primary_bps=section.rate("primary"),
        reserve_bps=section.rate("reserve"),
        limit_micros=section.money("limit"),
        reserve_mode=cast(
            "Literal['add', 'fund']", section.choice("reserve_mode", ("add", "fund"), "add")
        ),
    )
    section.close()
    return choice


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
        wording = f'the share of rounds that pay {extra.pays}; "0%" if not offered'
        found.append(Option(key, wording, extra.clause, required=True))
    if bet.fold and bet.fold.setting:
        usual = str(bet.fold.forfeits).lower()
        wording = f"true or false: does a fold lose the wager; default {usual}"
        found.append(Option("fold_forfeits", wording, bet.fold.clause))
    if bet.payment and bet.payment.fixed_awards_setting:
        wording = "meter; or house, and the return may then exceed 100%"
        found.append(Option("fixed_awards_from", wording, bet.payment.clause))
    if rule.boxes:
        most = f"at most {rule.boxes.most}" if rule.boxes.most else "any number"
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
    found.append(Option(f"levels.{level.id}.limit", "more than seed and reseed; default none"))
    return found
