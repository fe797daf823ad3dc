"""Read what an operator chose for a link: which rule, bet and paytable, and which options.

Only reading: whether the law allows a choice is `compile`'s to say.
"""

from typing import Literal, cast

from jackpot.core.money import MICROS_PER_DOLLAR
from jackpot.rules.compile import LevelChoice, LinkChoice
from jackpot.rules.loader import rules
from jackpot.rules.model import BetRule, Paytable, Rule
from jackpot.rules.section import Section


def pick(section: Section) -> tuple[Rule, BetRule, Paytable | None] | None:
    """The rule, bet and paytable that a link names; None where one of them does not exist."""
    rule_id, bet_id = section.text("rule"), section.text("bet")
    paytable_id = section.text("paytable", "only")
    if not (rule_id and bet_id):
        return None
    rule = rules().get(rule_id)
    if rule is None:
        section.fault(f"there is no rule {rule_id!r}; see: jackpot rules list", "rule")
        return None
    bet = rule.bet(bet_id)
    if bet is None or not bet.linkable:
        known = ", ".join(bet.id for bet in rule.bets if bet.linkable) or "none"
        section.fault(f"{rule_id} has no bet {bet_id!r} for a link (it has: {known})", "bet")
        return None
    paytable = bet.paytable(paytable_id)
    if paytable is None:
        known = ", ".join(table.id for table in bet.paytables)
        reason = f"{bet_id} has no paytable {paytable_id!r} (it has: {known})"
        section.fault(reason, "paytable", clause=bet.paytables[0].clause)
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
        section.fault("the key 'wager' is missing")
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
