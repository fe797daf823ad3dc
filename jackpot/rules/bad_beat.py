"""Poker's Bad Beat: the link that a site file describes, held to the text, and how two hands rank.

Poker is played between players, so a Bad Beat is no wager on a link: pots feed a fund, and a strong
hand that loses pays it out. The text leaves the figures to the operator's posted rules; this module
holds those rules to the text (PA2010 553.20). What pots and shares come to is the core's.
"""

from itertools import combinations

from jackpot.core import config
from jackpot.core.bad_beat import Cards, Poker, Showdown
from jackpot.core.config import PotRules
from jackpot.core.money import BPS_PER_WHOLE, MICROS_PER_CENT
from jackpot.rules import hands
from jackpot.rules.hands import ANY_HAND
from jackpot.rules.loader import rules
from jackpot.rules.model import BetRule, Rule
from jackpot.rules.toml_section import Section

RANKING = "five-card"
HAND_CARDS = 5
# The cards say which game was dealt: a player's own, those that all share, and how many of their
# own a player must use (0: as many as they like).
_GAMES = {
    (2, 5): 0,  # Hold 'em, PA2010 553.11(j)
    (4, 5): 2,  # Omaha, PA2010 553.12(j)
    (7, 0): 0,  # Seven-card Stud, PA2010 553.10(i)
    (6, 1): 0,  # Seven-card Stud where the deck runs short, PA2010 553.10(h)
    (5, 2): 0,
    (5, 0): 0,  # Five-card Draw and Stud, PA2010 553.13(i)(1) and 553.14(h)
}


def violations(rules: PotRules) -> tuple[tuple[str, str], ...]:
    """What is missing or impossible in posted rules, each with its clause."""
    found: list[tuple[str, str]] = []
    if not _can_qualify(rules.qualifying_hand):
        reason = f"qualifying_hand {rules.qualifying_hand!r} is not a hand that can qualify"
        found.append((reason, "PA2010 553.20(b)(3)"))
    if rules.loser_bps + rules.winner_bps + rules.table_bps != BPS_PER_WHOLE:
        found.append(
            ("the shares of loser, winner and table must add up to 100%", "PA2010 553.20(b)(3)")
        )
    if rules.cap_micros <= 0 or rules.cap_micros % MICROS_PER_CENT:
        reason = "cap, the most that a pot contributes, must be more than $0 and in whole cents"
        found.append((reason, "PA2010 553.20(b)(1)"))
    if not rules.contribution_bps:
        found.append(("contribution must be more than 0%", "PA2010 553.20(b)(1)"))
    if rules.minimum_pot_micros < rules.cap_micros:
        reason = "minimum_pot, the smallest pot that contributes, must not be less than cap"
        found.append((reason, "PA2010 553.20(b)(2)"))
    if not rules.passes_on_to:
        reason = (
            "passes_on_to is missing: name the Bad Beat that receives the fund when this one ends"
        )
        found.append((reason, "PA2010 553.20(i)"))
    return tuple(found)


def _deals(own: int, community: int) -> bool:
    """Whether a game of Poker deals a player so many cards, and so many to the table."""
    return (own, community) in _GAMES


def _showdown(qualifying: str, losing: Cards, winning: Cards, community: Cards) -> Showdown:
    """Two hands as their cards rank, whatever anybody calls them (PA2010 553.4(f))."""
    low, high = _best(losing, community), _best(winning, community)
    return Showdown(
        losing=hands.names(RANKING, low)[0],
        winning=hands.names(RANKING, high)[0],
        qualifies=_can_qualify(qualifying) and hands.at_least(RANKING, low, qualifying),
        beaten=hands.rank(RANKING, high) > hands.rank(RANKING, low),
    )


def _best(own: Cards, community: Cards) -> Cards:
    """The five cards that make a player's highest hand."""
    used = _GAMES[len(own), len(community)]
    if not used:
        return hands.best(RANKING, own + community)
    return max(
        (
            mine + shared
            for mine in combinations(own, used)
            for shared in combinations(community, HAND_CARDS - used)
        ),
        key=lambda cards: hands.rank(RANKING, cards),
    )


def _can_qualify(name: str) -> bool:
    """Whether a name says from which hand on hands qualify."""
    return name != ANY_HAND and name in hands.known_names(RANKING)


POKER = Poker(_deals, _showdown)


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
        if key not in pot and not pot.broken(key):
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
