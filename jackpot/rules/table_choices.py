"""Read what an operator filed for a table's base game; what is lawful `compile_base_game` says."""

from jackpot.core.config import BaseTerms
from jackpot.rules.compile_base_game import BaseChoice, WagerChoice, compile_base
from jackpot.rules.model import Rule
from jackpot.rules.toml_section import Section


def base_choice(section: Section) -> BaseChoice:
    """An operator's options for a table's base game."""
    wagers = section.section("wagers")
    chosen = {bet: _wager_choice(wagers.section(bet)) for bet in wagers.keys()}  # noqa: SIM118
    options = section.section("options")
    return BaseChoice(
        minimum_micros=section.money("minimum"),
        maximum_micros=section.money("maximum"),
        payout_limit_micros=section.money("payout_limit"),
        wagers=chosen,
        options={key: options.text(key) for key in options.keys()},  # noqa: SIM118
    )


def _wager_choice(section: Section) -> WagerChoice:
    pays = section.section("pays")
    fold = section.flag("fold_forfeits", default=False)
    choice = WagerChoice(
        offered=section.flag("offered", default=True),
        paytable=section.text("paytable", "") or None,
        pays={hand: pays.text(hand) for hand in pays.keys()},  # noqa: SIM118
        minimum_micros=section.money("minimum"),
        maximum_micros=section.money("maximum"),
        fold_forfeits=fold if "fold_forfeits" in section else None,
    )
    section.close()
    return choice


def base_terms(section: Section, rule: Rule, choice: BaseChoice) -> BaseTerms:
    """The base game that a table of the file describes, its faults noted."""
    terms, faults = compile_base(rule, choice)
    for fault in faults:
        if not section.broken(*fault.key):
            section.fault(fault.reason, *fault.key, clause=fault.clause)
    return terms
