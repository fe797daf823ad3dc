"""What a site file would change in a site's journal: the facts of both, one by one, and a verdict.

Pure. A controller refuses at its start what is refused here; `jackpot rules plan` says it before.
"""

from collections.abc import Iterator
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from jackpot.core.commands.operator import ConfigureSite
from jackpot.core.config import BaseTerms, Bet, GamingDay, Link, PayLine, Site, Table
from jackpot.core.money import dollars, rate_text
from jackpot.core.state import State

# What a start does: add something, change it, keep the journal's value, or refuse the file.
Verdict = Literal["add", "change", "keep", "refuse"]
Key = tuple[str, ...]  # as the site file has it
_TURN_OFF = "turning it off takes two people: jackpot dual-control off --note WHY"
_RATES = ("primary", "reserve", "limit")  # which two people change, not a file
# What of a table may change: its base game, and what only reports use.
_CHANGEABLE = (
    *("rule", "minimum", "maximum", "payout_limit", "wagers", "options"),
    *("decks", "irregularities"),
)
_CLAUSE = "clause"  # ends the key of a citation, which may change
_SITE_KEYS = {"shortest_round_s": "shortest_round_seconds"}  # where the file has another name


class Step(Struct, frozen=True):
    """One thing that a file says otherwise than the journal, or that only it says."""

    verdict: Verdict
    kind: Literal["site", "link", "table"]
    id: str
    key: Key = ()
    old: str = ""
    new: str = ""
    instead: str = ""  # what to do to get what the file asks for


def plan(state: State, site: Site) -> Iterator[Step]:
    """Everything that starting on this file would do or refuse, in the order of the file."""
    yield from _site(state, site)
    for link in site.links:
        if link.id not in state.links:
            new = f"{link.title}, ${dollars(link.wager_micros)} wager" if link.bets else link.title
            yield Step("add", "link", link.id, new=new)
            continue
        known = state.links[link.id]
        yield from _link_steps(known.config, link)
        if link.id in site.in_service and known.status == "defined":
            yield Step("change", "link", link.id, ("in_service",), "defined", "in service")
    for table in site.tables:
        if table.id not in state.tables:
            yield Step("add", "table", table.id, new=table.game)
            continue
        before = table_facts(state.tables[table.id].config)
        for key, old, new in _differences(before, table_facts(table)):
            yield _table_step(table.id, key, old, new)


def _site(state: State, site: Site) -> Iterator[Step]:
    if not state.links:
        return
    wanted = wanted_settings(state, site)
    for name in ConfigureSite.__struct_fields__:
        before, filed = getattr(state, name), getattr(site, name)
        if before == filed:
            continue
        key = (_SITE_KEYS.get(name, name),)
        old, new = _setting_text(name, before), _setting_text(name, filed)
        if getattr(wanted, name) == filed:
            yield Step("change", "site", site.id, key, old, new)
        else:
            yield Step("keep", "site", site.id, key, old, new, _TURN_OFF)


def settings_of(journaled: State | Site) -> ConfigureSite:
    """What a journal, or a file, says of the site as a whole."""
    return ConfigureSite(**{n: getattr(journaled, n) for n in ConfigureSite.__struct_fields__})


def wanted_settings(state: State, site: Site) -> ConfigureSite:
    """What a start takes over from a file.

    Once there are links, a file can only ask for two people, never for one: or whoever edits it
    could change meters alone.
    """
    settings = settings_of(site)
    return replace(settings, dual_control=True) if state.links and state.dual_control else settings


def _setting_text(name: str, value: Any) -> str:
    match value:
        case bool():
            return _yes(value)
        case GamingDay():
            return f"{value.start_minutes // 60:02d}:{value.start_minutes % 60:02d} {value.zone}"
    return f"{value} s" if name.endswith("_s") else str(value)


def _link_steps(journaled: Link, filed: Link) -> Iterator[Step]:
    found = _differences(link_facts(journaled), link_facts(filed))
    steps = [_link_step(filed.id, key, old, new) for key, old, new in found]
    refused = any(step.verdict == "refuse" for step in steps)  # then citations stay too
    yield from (step for step in steps if not (refused and step.key[-1] == _CLAUSE))


def _link_step(link: str, key: Key, old: str, new: str) -> Step:
    if key == ("title",) or key[-1] == _CLAUSE:
        return Step("change", "link", link, key, old, new)
    if key[0] == "levels" and key[-1] in _RATES:
        command = "limit" if key[-1] == "limit" else "rate"
        instead = (
            f"suspend the link, then change this with two people: jackpot {command} {link} {key[1]}"
        )
        return Step("keep", "link", link, key, old, new, instead)
    instead = (
        "rounds were already played under the old terms: define a link with a new id, "
        f"then suspend, empty and retire {link}"
    )
    return Step("refuse", "link", link, key, old, new, instead)


def _table_step(table: str, key: Key, old: str, new: str) -> Step:
    if key[0] in _CHANGEABLE:
        return Step("change", "table", table, key, old, new)
    instead = "rounds were already played at this table: define the changed table under a new id"
    return Step("refuse", "table", table, key, old, new, instead)


def _differences(old: dict[Key, str], new: dict[Key, str]) -> Iterator[tuple[Key, str, str]]:
    for key in (*old, *(key for key in new if key not in old)):
        if old.get(key, "") != new.get(key, ""):
            yield key, old.get(key, ""), new.get(key, "")


# -- facts, by the keys of the site file ------------------------------------------------------


def link_facts(link: Link) -> dict[Key, str]:
    """Everything that a link's configuration says, for people to read."""
    found: dict[Key, str] = {
        ("title",): link.title,
        ("rule",): link.rule,
        ("wager",): f"${dollars(link.wager_micros)}",
        ("magic_share",): rate_text(link.magic_share_bps),
        ("lucky_share",): rate_text(link.lucky_share_bps),
    }
    for level in link.levels:
        at = ("levels", level.id)
        found |= {
            (*at, "seed"): f"${dollars(level.seed_micros)}",
            (*at, "reseed"): f"${dollars(level.reseed_micros)}",
            (*at, "primary"): rate_text(level.primary_bps),
            (*at, "reserve"): rate_text(level.reserve_bps),
            (*at, "limit"): f"${dollars(level.limit_micros)}" if level.limit_micros else "none",
            (*at, "reserve_mode"): level.reserve_mode,
            (*at, "least primary"): rate_text(level.minimum_bps),
            (*at, "set by"): "the regulation" if level.fixed else "the operator",
            (*at, _CLAUSE): level.fixed,
        }
    for bet in link.bets:
        found |= _bet_facts(bet)
    found |= _common_facts(link.bets)
    if link.pot:
        pot = link.pot
        found |= {
            ("pot", "minimum_pot"): f"${dollars(pot.minimum_pot_micros)}",
            ("pot", "contribution"): rate_text(pot.contribution_bps),
            ("pot", "cap"): f"${dollars(pot.cap_micros)}",
            ("pot", "loser"): rate_text(pot.loser_bps),
            ("pot", "winner"): rate_text(pot.winner_bps),
            ("pot", "table"): rate_text(pot.table_bps),
            ("pot", "qualifying_hand"): pot.qualifying_hand,
            ("pot", "passes_on_to"): pot.passes_on_to,
        }
    return found


def _bet_facts(bet: Bet) -> dict[Key, str]:
    return {
        ("bet", bet.id): f"{bet.whose}, {bet.medium}, {bet.ranking}",
        ("bet", bet.id, "payment"): f"{bet.fixed_source}, validated from {bet.validate_from_for}",
        ("bet", bet.id, "drawn"): f"{bet.magic_pays_for} and {bet.lucky_pays_for} for 1",
    }


def _common_facts(bets: tuple[Bet, ...]) -> dict[Key, str]:
    """What a file says once for all bets of a link; in a journal they need not agree."""
    each = {bet.id: _offer_facts(bet) for bet in bets}
    found: dict[Key, str] = {}
    for key in (key for facts in each.values() for key in facts):
        said = {bet: facts.get(key, "nothing") for bet, facts in each.items()}
        apart = "; ".join(f"{bet}: {value}" for bet, value in said.items())
        found[key] = apart if len(set(said.values())) > 1 else next(iter(said.values()))
    return found


def _offer_facts(bet: Bet) -> dict[Key, str]:
    found: dict[Key, str] = {
        ("fold_forfeits",): _yes(bet.fold_forfeits),
        ("fold_keeps_envy",): _yes(bet.fold_keeps_envy),
    }
    for line in bet.paytable:
        found["pays", line.hand] = _pays(line)
        found["pays", line.hand, _CLAUSE] = line.clause
    for bonus in bet.envy:
        found["envy", bonus.hand] = f"${dollars(bonus.amount_micros)}"
        found["envy", bonus.hand, _CLAUSE] = bonus.clause
    return found


def _yes(flag: object) -> str:
    return str(flag).lower()


def _pays(line: PayLine) -> str:
    parts = [f"{rate_text(line.share_bps)} of {line.level}"] if line.share_bps or line.level else []
    parts += [f"{line.pays_for} for 1"] if line.pays_for else []
    parts += [f"${dollars(line.amount_micros)}"] if line.amount_micros else []
    pays = " and ".join(parts) or "$0.00"
    pays += f" from {line.from_meter}" if line.from_meter else ""
    return pays + (", divided" if line.shared else "")


def table_facts(table: Table) -> dict[Key, str]:
    """Everything that a table's configuration says, for people to read."""
    found: dict[Key, str] = {
        ("game",): table.game,
        ("links",): ", ".join(table.links),
        ("seats",): str(table.seats),
        ("boxes_per_player",): str(table.boxes_per_player),
        ("cards",): f"{table.seat_cards}, {table.dealer_cards}, {table.community_cards}",
        ("decks", "by hand"): f"{table.decks.by_hand_s} s",
        ("decks", "by shoe"): f"{table.decks.by_shoe_s} s",
        ("decks", _CLAUSE): table.decks.clause,
        ("irregularities", "round"): ", ".join(table.irregularities.voids_round),
        ("irregularities", "seat"): ", ".join(table.irregularities.voids_seat),
    }
    return found | (_base_facts(table.base) if table.base else {})


def _base_facts(base: BaseTerms) -> dict[Key, str]:
    limit = base.payout_limit_micros
    found: dict[Key, str] = {
        ("rule",): base.rule,
        ("minimum",): f"${dollars(base.minimum_micros)}",
        ("maximum",): f"${dollars(base.maximum_micros)}",
        ("payout_limit",): f"${dollars(limit)}" if limit else "none",
        ("wagers",): ", ".join(wager.bet for wager in base.wagers),
    }
    for wager in base.wagers:
        at = ("wagers", wager.bet)
        found[*at, "offered"] = "true"
        found[*at, "paytable"] = wager.paytable
        found |= {(*at, "pays", hand): pays for hand, pays in wager.pays.items()}
        if wager.minimum_micros:
            found[*at, "minimum"] = f"${dollars(wager.minimum_micros)}"
        if wager.maximum_micros:
            found[*at, "maximum"] = f"${dollars(wager.maximum_micros)}"
        if wager.fold_forfeits is not None:
            found[*at, "fold_forfeits"] = _yes(wager.fold_forfeits)
    found |= {("options", option): value for option, value in base.options.items()}
    return found
