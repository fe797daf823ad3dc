"""Read the site file: which rule, bet and paytable each link has, and which tables it is on.

`check_site` reads the file, tells everything that is wrong with it at once, each with its line and,
where a regulation says so, its clause. `load_site` is for a controller that is about to serve: it
gives the compiled site or raises. What the file leaves open the rule decides, never this module.
"""

import re
import tomllib
from pathlib import Path
from typing import Any, cast, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import Struct

from jackpot.core import config
from jackpot.core.intake import INTERVAL_S
from jackpot.core.money import dollars, largest_shown
from jackpot.rules.bad_beat import pot_link, pot_offer
from jackpot.rules.compile_link import compile_link
from jackpot.rules.irregularities import listed
from jackpot.rules.link_choices import link_choice, pick
from jackpot.rules.loader import rules
from jackpot.rules.model import BetRule, DealRule, Paytable, Rule
from jackpot.rules.table_choices import base_choice, base_terms
from jackpot.rules.toml_lines import error_line, key_lines, line_of, parse
from jackpot.rules.toml_section import Log, Section, Violation, did_you_mean, suggestion
from jackpot.wire.address import AddressError, verify_address
from jackpot.wire.errors import PlainError
from jackpot.wire.limits import MAX_SEATS

MAX_LINKS = 64
MAX_TABLES = 1_000
DECK_CARDS = 52
SIGN_DIGITS = (5, 12)  # $999.99 to all that a meter can hold
SHORTEST_ROUND_S = 15  # no dealer settles rounds any faster
_BY_PAYTABLE = ("levels", "pays")  # keys of a link that its paytable gives a meaning
DAY_START = "06:00"
DAY_ZONE = "America/New_York"


class ServerSettings(Struct, frozen=True):
    """Where a controller listens and keeps its journal."""

    listen: tuple[str, ...] = ("127.0.0.1:7400",)
    staff: str = ""  # none: staff call where tables do
    http: str = ""  # none: no signs
    data: str = "data"


class SiteFile(Struct, frozen=True):
    """A site file that has been read: what it means, and all that is wrong with it."""

    path: str
    site: config.Site
    server: ServerSettings
    violations: tuple[Violation, ...]
    warnings: tuple[Violation, ...]
    choices: dict[str, tuple[Rule, BetRule, Paytable]]  # by link
    lines: dict[tuple[str | int, ...], int] = {}  # of each key, for whoever has more to say of it

    def line(self, kind: str, id_: str, key: tuple[str, ...]) -> int:
        """The line of a link's or a table's key, or the nearest one around it."""
        if kind == "site":
            return line_of(self.lines, key if key[0] == "day" else ("site", *key))
        links, tables = ([each.id for each in of] for of in (self.site.links, self.site.tables))
        place = (links if kind == "link" else tables).index(id_)
        return line_of(self.lines, (f"{kind}s", place, *key))


class SiteFileError(PlainError, ValueError):
    """A site file that can't be used; the message is one line, `violations` has them all."""

    def __init__(self, path: Path, violations: tuple[Violation, ...]) -> None:
        self.path = path
        self.violations = violations
        more = f" (and {len(violations) - 1} more)" if len(violations) > 1 else ""
        super().__init__(f"{path}:{violations[0]}{more}")


def load_site(path: Path) -> config.Site:
    """The site that a file describes; SiteFileError where anything is wrong."""
    return load_site_file(path).site


def load_site_file(path: Path) -> SiteFile:
    """A whole site file; SiteFileError where anything is wrong."""
    found = check_site(path)
    if found.violations:
        raise SiteFileError(path, found.violations)
    return found


def check_site(path: Path) -> SiteFile:
    """Read a site file with everything that is wrong with it; raises only if it is no TOML file."""
    try:
        text = path.read_text("utf-8")
        values = parse(text)
    except OSError as error:
        reason = error.strerror or "the file can't be read"
        raise SiteFileError(path, (Violation(1, reason),)) from error
    except UnicodeDecodeError as error:
        raise SiteFileError(path, (Violation(1, "the file is not UTF-8 text"),)) from error
    except tomllib.TOMLDecodeError as error:
        raise SiteFileError(path, (Violation(*error_line(error, text)),)) from error
    return _read_file(path, text, values)


def _read_file(path: Path, text: str, values: dict[str, Any]) -> SiteFile:
    log = Log(key_lines(text))
    top = Section(log, (), values)
    head, day_section, server_section = (top.section(key) for key in ("site", "day", "server"))
    links, tables = (tuple(top.sections(key)) for key in ("links", "tables"))
    top.close()  # first: what a misspelled table should hold is not missing too
    site_id = head.name("id")
    reader = _SiteReader(log, head.text("facility", ""))
    dual_control = head.flag("dual_control", default=True)
    voids_by_table = _voids_by_table(head)
    sign_digits = head.number("sign_digits", config.SIGN_DIGITS, *SIGN_DIGITS)
    shortest_round_s = head.number("shortest_round_seconds", SHORTEST_ROUND_S, 0, INTERVAL_S)
    head.close()
    day = _day(day_section)
    server = _server(server_section)
    for section in links:
        reader.link(section)
    reader.heirs()
    for section in tables:
        reader.table(section)
    reader.limits(top)
    if not head.broken("sign_digits"):
        reader.signs(largest_shown(sign_digits))
    return SiteFile(
        path=str(path),
        site=config.Site(
            id=site_id,
            links=tuple(reader.links.values()),
            tables=tuple(reader.tables.values()),
            in_service=tuple(reader.in_service),
            dual_control=dual_control,
            day=day,
            voids_by_table=voids_by_table,
            sign_digits=sign_digits,
            shortest_round_s=shortest_round_s,
        ),
        server=server,
        violations=tuple(sorted(log.violations)),
        warnings=tuple(sorted(log.warnings)),
        choices=reader.choices,
        lines=log.lines,
    )


def _voids_by_table(section: Section) -> config.VoidsByTable:
    """How long a table may void its round by itself."""
    said = section.text("voids_by_table", "until-collected")
    for known in get_args(config.VoidsByTable):
        if said == known:
            return cast("config.VoidsByTable", said)
    reason = f'voids_by_table: {said!r} is not known; expected "until-collected" (the default)'
    section.fault(f'{reason} or, in a laboratory, "until-settled"', "voids_by_table")
    return "until-collected"


def _day(section: Section) -> config.GamingDay:
    """When a gaming day begins."""
    start, zone = section.text("start", DAY_START), section.text("zone", DAY_ZONE)
    section.close()
    clock = re.fullmatch(r"([01]\d|2[0-3]):([0-5]\d)", start)
    if clock is None:
        section.fault(f"start: {start!r} is not a time; expected HH:MM, such as 06:00", "start")
    try:
        ZoneInfo(zone)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        section.fault(
            f"zone: {zone!r} is not a time zone; expected one such as America/New_York", "zone"
        )
    minutes = int(clock[1]) * 60 + int(clock[2]) if clock else 0
    return config.GamingDay(minutes, zone)


def _server(section: Section) -> ServerSettings:
    default = ServerSettings()
    listen = section.names("listen") if "listen" in section else default.listen
    if not listen:
        section.fault("listen: needs at least one address, such as 127.0.0.1:7400", "listen")
    staff, http = section.text("staff", ""), section.text("http", "")
    for key, address in (*(("listen", one) for one in listen), ("staff", staff), ("http", http)):
        try:
            if address or key == "listen":
                verify_address(address)
        except AddressError as error:
            section.fault(f"{key}: {error}", key)
    if staff in listen:
        section.fault(f"staff: tables call at {staff}; staff need another address", "staff")
    data = section.text("data", default.data)
    settings = ServerSettings(listen=listen, staff=staff, http=http, data=data)
    section.close()
    return settings


class _SiteReader:
    """The links and tables read so far, and the faults between them."""

    def __init__(self, log: Log, facility: str) -> None:
        self.log = log
        self.facility = facility
        self.links: dict[str, config.Link] = {}
        self.tables: dict[str, config.Table] = {}
        self.in_service: list[str] = []
        self.choices: dict[str, tuple[Rule, BetRule, Paytable]] = {}
        self._declared: set[str] = set()  # links of the file, good or bad
        self._offers: dict[str, tuple[Rule, BetRule]] = {}  # by link
        self._pots: dict[str, Section] = {}  # links that pots feed
        self._sections: dict[str, Section] = {}  # of each link

    def link(self, section: Section) -> None:
        """Read one link, with all its faults."""
        link_id = section.name("id")
        if link_id in self._declared:
            section.fault(f"two links have the id {link_id!r}", "id")
        self._declared.add(link_id)
        self._sections[link_id] = section
        if section.flag("in_service", default=False):
            self.in_service.append(link_id)
        if offer := pot_offer(section):
            self.links[link_id] = pot_link(section, link_id, offer[0])
            self._pots[link_id] = section
            self._offers[link_id] = offer
            section.close()
            return
        picked = pick(section)
        choice = link_choice(section, link_id)
        section.close()
        if picked is None:
            return
        rule, bet, paytable = picked
        self._offers[link_id] = rule, bet
        # Without a paytable, what any other one would make a fault of is one all the same.
        link, faults = compile_link(rule, bet, paytable or bet.paytables[0], choice)
        for fault in faults:
            if section.broken(*fault.key):
                continue
            if paytable or fault.key[0] not in _BY_PAYTABLE:
                section.fault(fault.reason, *fault.key, clause=fault.clause)
        if paytable is None:
            return
        if choice.fixed_awards_from == "house":
            reason = "the house pays fixed awards on top of the rate; check with `jackpot odds`"
            clause = bet.payment.clause if bet.payment else ""
            self.log.warning((*section.path, "fixed_awards_from"), reason, clause)
        self.links[link_id] = link
        self.choices[link_id] = rule, bet, paytable

    def table(self, section: Section) -> None:
        """Read one table, with all its faults."""
        table_id = section.name("id")
        if table_id in self.tables:
            section.fault(f"two tables have the id {table_id!r}", "id")
        link_ids = section.names("links")
        for link_id in sorted(set(link_ids) - self._declared):
            if self.log.broken(("links",)):
                break
            meant = did_you_mean(suggestion(link_id, self._declared))
            section.fault(f"there is no link {link_id!r}{meant}", "links")
        if not link_ids and "rule" not in section and not section.broken("links"):
            section.fault("the table has no links: name its game with the key 'rule'", "links")
        known = [link_id for link_id in link_ids if link_id in self._offers]
        rule = self._table_rule(section, known)
        usual = rule.table.seats if rule and rule.table else None if rule else 1
        seats = section.number("seats", usual, 1, MAX_SEATS)
        boxes = section.number("boxes_per_player", 1, 1, MAX_SEATS)
        facility = section.text("facility", self.facility)
        choice = base_choice(section)
        section.close()
        if rule is None:
            return
        base = base_terms(section, rule, choice)
        deal = rule.deal
        if deal is None:
            if any(self._offers[link_id][1].kind != "pot" for link_id in known):
                return
            # Where players only feed a fund, no hand is shown to the controller.
            deal = DealRule(seat_cards=0, clause=rule.bets[0].clause)
        table = config.Table(
            id=table_id,
            game=rule.game,
            links=link_ids,
            seats=seats,
            seat_cards=deal.seat_cards,
            community_cards=deal.community_cards,
            dealer_cards=deal.dealer_cards,
            boxes_per_player=boxes,
            decks=rule.deck.life if rule.deck else config.DeckLife(),
            irregularities=listed(rule),
            base=base if base.wagers else None,  # none where players only feed a fund
        )
        self._check_size(section, rule, table)
        self._check_links(section, rule, known, facility)
        self.tables[table_id] = table

    def heirs(self) -> None:
        """What a Bad Beat fund leaves goes to a Bad Beat of the site, perhaps to its own."""
        for link_id, section in self._pots.items():
            pot = self.links[link_id].pot
            if pot and pot.passes_on_to and pot.passes_on_to not in self._pots:
                reason = f"passes_on_to: {pot.passes_on_to!r} is not a Bad Beat link of this site"
                section.fault(reason, "pot", "passes_on_to", clause="PA2010 553.20(i)")

    def limits(self, top: Section) -> None:
        """No file may be larger than what a controller is built for."""
        if len(self._declared) > MAX_LINKS:
            top.fault(f"more than {MAX_LINKS} links", "links")
        if len(self.tables) > MAX_TABLES:
            top.fault(f"more than {MAX_TABLES} tables", "tables")

    def signs(self, largest_micros: int) -> None:
        """What a sign could never show is worth a look."""
        for link_id, link in self.links.items():
            section = self._sections[link_id]
            for level in link.levels:
                for key, micros in (("seed", level.seed_micros), ("limit", level.limit_micros)):
                    at = ("levels", level.id, key)
                    if micros > largest_micros and not section.broken(*at):
                        reason = (
                            f"the {key} of {link_id}/{level.id} is ${dollars(micros)}, but signs "
                            f"show at most ${dollars(largest_micros)} (site.sign_digits)"
                        )
                        self.log.warning((*section.path, *at), reason)

    def _table_rule(self, section: Section, link_ids: list[str]) -> Rule | None:
        """The rule that a table is played by: its own word, or that of its first link."""
        first = self._offers[link_ids[0]][0] if link_ids else None
        rule_id = section.text("rule", first.id if first else "")
        if not rule_id:
            return None
        rule = rules().get(rule_id)
        if rule is None:
            meant = did_you_mean(suggestion(rule_id, rules()))
            section.fault(f"there is no rule {rule_id!r}{meant}", "rule")
        return rule

    @staticmethod
    def _check_size(section: Section, rule: Rule, table: config.Table) -> None:
        """How many may play, and at how many boxes each."""
        if rule.table and table.seats > rule.table.seats:
            reason = f"{rule.title} has at most {rule.table.seats} seats"
            section.fault(reason, "seats", clause=rule.table.clause)
        deck = DECK_CARDS + bool(rule.deal and rule.deal.joker)
        dealt = table.seats * table.seat_cards + table.dealer_cards + table.community_cards
        if dealt > deck:
            section.fault(f"{table.seats} seats need {dealt} cards, but a deck has {deck}", "seats")
        most = rule.boxes.most if rule.boxes else 0
        if rule.boxes and most and table.boxes_per_player > most:
            reason = f"one person may play at most {most} {'box' if most == 1 else 'boxes'}"
            section.fault(reason, "boxes_per_player", clause=rule.boxes.clause)

    def _check_links(
        self, section: Section, rule: Rule, link_ids: list[str], facility: str
    ) -> None:
        """Which links may meet at a table."""
        offered: set[str] = set()
        for link_id in link_ids:
            link_rule, bet = self._offers[link_id]
            together = link_rule.facility
            if link_rule.id != rule.id:
                title = link_rule.title
                reason = (
                    f"{link_id!r} is a link for {title}; in this game its jackpot has other odds"
                )
                section.fault(reason, "links", clause=together.clause if together else bet.clause)
            if together and together.one and facility != self.facility:
                reason = f"a table of {facility!r} can't be on a link of {self.facility!r}"
                section.fault(reason, "facility", clause=together.clause)
            if bet.id in offered:
                section.fault(f"two links of this table take the same bet, {bet.id}", "links")
            for other in offered & set(bet.excludes):
                reason = f"a table may offer {other} or {bet.id}, but not both"
                section.fault(reason, "links", clause=bet.clause)
            offered.add(bet.id)
