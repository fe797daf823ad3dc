"""Read a link that pots feed: Poker's Bad Beat fund, by the rules that its operator posts.

The text leaves the figures to the operator and says which of them must be posted; `bad_beat` holds
them to it. What comes out is a link with one meter and no bets.
"""

from jackpot.core import config
from jackpot.rules.bad_beat import violations
from jackpot.rules.loader import rules
from jackpot.rules.model import BetRule, Rule
from jackpot.rules.section import Section

LEVEL = "main"
# The key at which a fault under a clause is best mended.
_KEYS = {
    "PA2010 553.20(b)(1)": "cap",
    "PA2010 553.20(b)(2)": "minimum_pot",
    "PA2010 553.20(b)(3)": "qualifying_hand",
    "PA2010 553.20(i)": "passes_on_to",
}
_REQUIRED = ("minimum_pot", "contribution", "cap", "loser", "winner", "table")


def pot_offer(section: Section) -> tuple[Rule, BetRule] | None:
    """The rule and bet that a link names, where pots feed it."""
    rule = rules().get(section.text("rule", ""))
    bet = rule.bet(section.text("bet", "")) if rule else None
    return (rule, bet) if rule and bet and bet.kind == "pot" else None


def pot_link(section: Section, link_id: str, rule: Rule) -> config.Link:
    """The link that a site file describes, its faults noted."""
    title = section.text("title", link_id)
    pot = section.section("pot")
    seed = pot.money("seed") or 0
    posted = _posted(pot)
    pot.close()
    for key in _REQUIRED:
        if key not in pot:
            pot.fault(f"pot.{key} is missing: the posted rules state it", clause=_clause(key))
    if all(key in pot for key in _REQUIRED):
        _hold_to_text(pot, posted)
    return config.Link(
        id=link_id,
        title=title,
        rule=rule.id,
        wager_micros=0,
        levels=(config.Level(LEVEL, seed, 0, 0),),
        bets=(),
        pot=posted,
    )


def _posted(pot: Section) -> config.PotRules:
    return config.PotRules(
        minimum_pot_micros=pot.money("minimum_pot") or 0,
        contribution_bps=pot.rate("contribution") or 0,
        cap_micros=pot.money("cap") or 0,
        loser_bps=pot.rate("loser") or 0,
        winner_bps=pot.rate("winner") or 0,
        table_bps=pot.rate("table") or 0,
        qualifying_hand=pot.text("qualifying_hand", ""),
        passes_on_to=pot.text("passes_on_to", ""),
    )


def _hold_to_text(pot: Section, posted: config.PotRules) -> None:
    for reason, clause in violations(posted):
        pot.fault(reason, _KEYS[clause], clause=clause)


def _clause(key: str) -> str:
    clauses = {name: clause for clause, name in _KEYS.items()}
    if key == "contribution":
        return clauses["cap"]
    return clauses.get(key, clauses["qualifying_hand"])
