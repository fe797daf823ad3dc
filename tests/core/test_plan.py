"""A plan leaves nothing out: whatever a start would journal or refuse has its step."""

from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from msgspec import Struct
from msgspec.structs import replace

from jackpot.core.commands.operator import (
    ConfigureSite,
    DefineLink,
    DefineTable,
    DescribeLink,
    DescribeTable,
    OperatorCommand,
    PutInService,
)
from jackpot.core.config import (
    BaseTerms,
    Bet,
    DeckLife,
    EnvyLine,
    GamingDay,
    Irregularities,
    Level,
    Link,
    PayLine,
    PotRules,
    Site,
    Table,
    WagerTerms,
)
from jackpot.core.plan import Step, plan
from jackpot.core.refiling import terms_of_link, terms_of_table, with_rates_of
from jackpot.core.state import State
from jackpot.server.setup import missing
from tests.core.floor import DOLLAR, Floor, ok

PAYS = (
    PayLine("royal-flush", level="main", share_bps=10_000, shared=True, clause="1(a)"),
    PayLine("four-of-a-kind", pays_for=300, from_meter="main", clause="1(b)"),
    PayLine("full-house", amount_micros=50 * DOLLAR, clause="1(c)"),
)
ENVY = (EnvyLine("royal-flush", 1_000 * DOLLAR, "2"), EnvyLine("straight-flush", DOLLAR, "2"))
MADE: Any = {"medium": "electronic", "envy": ENVY, "fixed_source": "account"}
PLAYERS = Bet("bonus", "five-card", PAYS, magic_pays_for=20, lucky_pays_for=5, **MADE)
DEALERS = replace(PLAYERS, id="bonus-dealer", whose="dealer", validate_from_for=500)
LINK = Link(
    id="five",
    title="Five",
    rule="pa",
    wager_micros=DOLLAR,
    levels=(
        Level("main", 100 * DOLLAR, 50 * DOLLAR, 2_100, 300, 900 * DOLLAR, "fund", "3(a)", 1_000),
        Level("mega", 100 * DOLLAR, 50 * DOLLAR, 1_300),
    ),
    bets=(PLAYERS, DEALERS),
    magic_share_bps=200,
    lucky_share_bps=100,
    pot=PotRules(20 * DOLLAR, 1_000, 2 * DOLLAR, 5_000, 2_500, 2_500, "four-eights", "five"),
)
TABLE = Table(
    id="t1",
    game="Crazy 4",
    links=("five", "six"),
    seats=6,
    seat_cards=5,
    community_cards=2,
    dealer_cards=5,
    boxes_per_player=2,
    decks=DeckLife(14_400, 28_800, "4"),
    irregularities=Irregularities(("misdeal", "jam"), ("fouled", "exposed")),
    base=BaseTerms(
        rule="pa",
        minimum_micros=5 * DOLLAR,
        maximum_micros=500 * DOLLAR,
        wagers=(
            WagerTerms("ante"),
            WagerTerms("pair", "A", {"flush": "8 to 1"}, DOLLAR, 9 * DOLLAR, fold_forfeits=True),
        ),
        options={"qualifier": "king"},
        payout_limit_micros=50_000 * DOLLAR,
    ),
)
SITE = Site(
    id="test",
    links=(LINK, replace(LINK, id="six", bets=())),
    tables=(TABLE, replace(TABLE, id="t2")),
    in_service=("five",),
    dual_control=False,
    day=GamingDay(360, "America/New_York"),
    voids_by_table="until-settled",
    shortest_round_s=15,
)

ITS_OWN_TEST = "has a test of its own below"
RULES_ORDER = "its order comes from the rule, not from the file; the journal's stays"
# A file that differs only in this changes nothing, and needs no step.
SILENT = {
    "Site.id": "another site has another journal",
    "Site.links, one less": "a link that a file has no more goes on until somebody retires it",
    "Site.links, in another order": "each link stands for itself",
    "Site.tables, one less": "a table that a file has no more goes on",
    "Site.tables, in another order": "each table stands for itself",
    "Site.in_service": ITS_OWN_TEST,
    "Site.in_service, one less": "links are taken out of service by people",
    "Link.levels, in another order": RULES_ORDER,
    "Link.bets, in another order": RULES_ORDER,
    "Bet.paytable, in another order": RULES_ORDER,
    "Bet.envy, in another order": RULES_ORDER,
}


def variants(value: Any, hint: Any, where: str) -> Iterator[tuple[str, Any]]:
    """A value with one thing changed at a time, and which field of which struct that is."""
    if value is not None and type(None) in get_args(hint):
        yield f"{where}, none", None
    if isinstance(value, Struct):
        hints = get_type_hints(type(value))
        for name in value.__struct_fields__:
            at = f"{type(value).__name__}.{name}"
            for what, other in variants(getattr(value, name), hints[name], at):
                yield what, replace(value, **{name: other})
    elif isinstance(value, tuple):
        for place, each in enumerate(value):
            for what, other in variants(each, get_args(hint)[0], where):
                yield what, (*value[:place], other, *value[place + 1 :])
        if value:
            yield f"{where}, one less", value[:-1]
        if len(value) > 1:
            yield f"{where}, in another order", value[::-1]
    else:
        yield from ((where, other) for other in others(value, hint))


def others(value: Any, hint: Any) -> Iterator[Any]:
    """Other values that a field without fields of its own can have."""
    if get_origin(hint) is Literal:
        yield from (each for each in get_args(hint) if each != value)
        return
    match value:
        case bool():
            yield not value
        case int():
            yield value + 10_000  # a whole cent, a whole rate
        case str():
            yield f"{value}-changed"
        case dict():
            yield from (value | {key: f"{each}, changed"} for key, each in value.items())
            if value:
                yield {}


VARIANTS = list(variants(SITE, Site, "Site"))


def structs(hint: Any) -> Iterator[type[Struct]]:
    """Every struct of the configuration."""
    for part in get_args(hint):
        yield from structs(part)
    if isinstance(hint, type) and issubclass(hint, Struct):
        yield hint
        for each in get_type_hints(hint).values():
            yield from structs(each)


def started() -> Floor:
    """A site that began on the file."""
    floor = Floor(site=SITE.id)
    apply(floor, SITE)
    assert floor.state.links["five"].status == "in-service"
    assert floor.state.links["six"].status == "defined"
    assert steps(floor.state, SITE) == []
    return floor


def apply(floor: Floor, site: Site) -> None:
    """What a start does with a file."""
    for command in missing(floor.state, site, ""):
        ok(floor.operate(command))
    for link in site.in_service:
        if floor.state.links[link].status == "defined":
            ok(floor.operate(PutInService(link)))


def steps(state: State, site: Site) -> list[Step]:
    """The plan of a file."""
    return list(plan(state, site))


def subject(command: OperatorCommand) -> tuple[str, str]:
    """What a command is about, as a step names it."""
    match command:
        case ConfigureSite():
            return "site", SITE.id
        case DefineLink() | DescribeLink():
            return "link", command.link.id
        case DefineTable() | DescribeTable():
            return "table", command.table.id
        case PutInService():
            return "link", command.link
    raise AssertionError(command)


def other_terms(state: State, site: Site) -> set[tuple[str, str]]:
    """Links and tables that the journal has on other terms than a file."""
    links = {
        ("link", link.id)
        for link in site.links
        if link.id in state.links
        and terms_of_link(with_rates_of(state.links[link.id].config, link))
        != terms_of_link(state.links[link.id].config)
    }
    return links | {
        ("table", table.id)
        for table in site.tables
        if table.id in state.tables
        and terms_of_table(table) != terms_of_table(state.tables[table.id].config)
    }


def test_every_field_of_the_configuration_is_tried() -> None:
    """So a field that is added is held against the plan too."""
    fields = {
        f"{each.__name__}.{name}"
        for each in structs(Site)
        for name, hint in get_type_hints(each).items()
        if not (isinstance(hint, type) and issubclass(hint, Struct))  # whose own fields are tried
    }
    assert fields == {what.partition(",")[0] for what, _ in VARIANTS}


@pytest.mark.parametrize("what", sorted({what for what, _ in VARIANTS} - SILENT.keys()))
def test_a_plan_has_a_step_for_whatever_a_start_does(what: str) -> None:
    """A step that changes something where a command is given, and a refusal where terms differ."""
    for changed in (site for each, site in VARIANTS if each == what):
        floor = started()
        found = steps(floor.state, changed)
        assert found, f"nothing says that {what} differs"
        assert all(step.old != step.new for step in found if step.key)
        refused = {(step.kind, step.id) for step in found if step.verdict == "refuse"}
        assert refused == other_terms(floor.state, changed)
        done = {(s.kind, s.id) for s in found if s.verdict in ("add", "change")} - refused
        assert done == {subject(each) for each in missing(floor.state, changed, "")} - refused
        if not refused and what != "Link.id":  # whose tables would be on no link
            apply(floor, changed)
            assert {step.verdict for step in steps(floor.state, changed)} <= {"keep"}


@pytest.mark.parametrize("what", sorted(SILENT.keys() - {"Site.in_service"}))
def test_what_needs_no_step_changes_nothing(what: str) -> None:
    """Neither is planned, neither is journaled."""
    state = started().state
    changed = [site for each, site in VARIANTS if each == what]
    assert changed
    for site in changed:
        assert steps(state, site) == []
        assert [each for each in missing(state, site, "") if what != "Site.id"] == []


def test_a_link_put_in_service_later_is_planned() -> None:
    """A file may do so once."""
    floor = started()
    changed = replace(SITE, in_service=("five", "six"))
    assert [(step.verdict, step.id, step.key) for step in steps(floor.state, changed)] == [
        ("change", "six", ("in_service",))
    ]
    apply(floor, changed)
    assert steps(floor.state, changed) == []


def test_turning_off_dual_control_is_not_for_a_file() -> None:
    """The plan says what a start then does: it stays on, and who may turn it off."""
    floor = started()
    apply(floor, replace(SITE, dual_control=True))
    (step,) = steps(floor.state, SITE)
    assert (step.verdict, step.key, step.old, step.new) == (
        *("keep", ("dual_control",)),
        *("true", "false"),
    )
    assert "jackpot dual-control off" in step.instead
    assert not list(missing(floor.state, SITE, ""))
