"""What a site file would change in a site's journal: the facts of both, one by one, and a verdict.

Pure. A controller refuses at its start what is refused here; `jackpot rules plan` says it before.
"""

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from jackpot.core.config import BaseTerms, Bet, Link, PayLine, Site, Table
from jackpot.core.money import dollars, rate_text
from jackpot.core.state import State

# What a start does: add something, change it, keep the journal's value, or refuse the file.
Verdict = Literal["add", "change", "keep", "refuse"]
Key = tuple[str, ...]  # as the site file has it
_RATES = ("primary", "reserve", "limit")  # which two people change, not a file
_BASE = ("minimum", "maximum", "payout_limit", "wagers", "options")


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
        for key, old, new in _differences(link_facts(known.config), link_facts(link)):
            yield _link_step(link.id, key, old, new)
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
    if state.dual_control != site.dual_control:
        old, new = str(state.dual_control).lower(), str(site.dual_control).lower()
        yield Step("change", "site", site.id, ("dual_control",), old, new)
    if state.day != site.day:
        old, new = (
            f"{day.start_minutes // 60:02d}:{day.start_minutes % 60:02d} {day.zone}"
            for day in (state.day, site.day)
        )
        yield Step("change", "site", site.id, ("day",), old, new)
    if state.sign_digits != site.sign_digits:
        old, new = str(state.sign_digits), str(site.sign_digits)
        yield Step("change", "site", site.id, ("sign_digits",), old, new)
    if state.shortest_round_s != site.shortest_round_s:
        old, new = (f"{seconds} s" for seconds in (state.shortest_round_s, site.shortest_round_s))
        yield Step("change", "site", site.id, ("shortest_round_seconds",), old, new)


def _link_step(link: str, key: Key, old: str, new: str) -> Step:
    if key == ("title",):
        return Step("change", "link", link, key, old, new)
    if key[0] == "levels" and key[-1] in _RATES:
        command = "limit" if key[-1] == "limit" else "rate"
        instead = f"suspend the link and set it with two people: jackpot {command} {link} {key[1]}"
        return Step("keep", "link", link, key, old, new, instead)
    instead = (
        "rounds were played under the old terms: give the new ones a link with another id, "
        f"then suspend, empty and retire {link}"
    )
    return Step("refuse", "link", link, key, old, new, instead)


def _table_step(table: str, key: Key, old: str, new: str) -> Step:
    if key[0] in _BASE:
        return Step("change", "table", table, key, old, new)
    instead = "rounds were played so: give the changed table another id, and keep this one"
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
        }
    for bet in link.bets:
        found |= _bet_facts(bet)
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
    found: dict[Key, str] = {
        ("bet", bet.id): f"{bet.whose}, {bet.medium}, {bet.ranking}",
        ("bet", bet.id, "payment"): f"{bet.fixed_source}, validated from {bet.validate_from_for}",
        ("bet", bet.id, "drawn"): f"{bet.magic_pays_for} and {bet.lucky_pays_for} for 1",
        ("fold_forfeits",): str(bet.fold_forfeits).lower(),
        ("fold_keeps_envy",): str(bet.fold_keeps_envy).lower(),
    }
    found |= {("pays", line.hand): _pays(line) for line in bet.paytable}
    found |= {("envy", line.hand): f"${dollars(line.amount_micros)}" for line in bet.envy}
    return found


def _pays(line: PayLine) -> str:
    if line.share_bps:
        divided = ", divided" if line.shared else ""
        return f"{rate_text(line.share_bps)} of {line.level}{divided}"
    pays = f"{line.pays_for} for 1" if line.pays_for else f"${dollars(line.amount_micros)}"
    return f"{pays} from {line.from_meter}" if line.from_meter else pays


def table_facts(table: Table) -> dict[Key, str]:
    """Everything that a table's configuration says, for people to read."""
    found: dict[Key, str] = {
        ("game",): table.game,
        ("links",): ", ".join(table.links),
        ("seats",): str(table.seats),
        ("boxes_per_player",): str(table.boxes_per_player),
        ("cards",): f"{table.seat_cards}, {table.dealer_cards}, {table.community_cards}",
    }
    return found | (_base_facts(table.base) if table.base else {})


def _base_facts(base: BaseTerms) -> dict[Key, str]:
    limit = base.payout_limit_micros
    found: dict[Key, str] = {
        ("minimum",): f"${dollars(base.minimum_micros)}",
        ("maximum",): f"${dollars(base.maximum_micros)}",
        ("payout_limit",): f"${dollars(limit)}" if limit else "none",
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
            found[*at, "fold_forfeits"] = str(wager.fold_forfeits).lower()
    found |= {("options", option): value for option, value in base.options.items()}
    return found
