"""Read what a site's links take and pay, from the site and rule files, by the auditor itself.

The controller compiles these files with code of its own; the auditor must not share its mistakes,
so it reads the same text with other eyes. It trusts the files: whether they are lawful is
`jackpot rules check`'s to say.
"""

import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

CENT = 10_000  # micros
DOLLAR = 1_000_000
WHOLE_BPS = 10_000
DEALER = 0
_NONE: Mapping[str, Any] = {}


class Row(NamedTuple):
    """What a hand wins: a share of a level, so many times the wager, or a sum."""

    hand: str
    level: str = ""  # whose meter pays the share, or bears the fixed award
    share_bps: int = 0
    times: int = 0
    sum_micros: int = 0
    divided: bool = False  # winners at one table divide one award


class BetTerms(NamedTuple):
    """A bet that a seat can make."""

    id: str
    link: str
    ranking: str
    rows: tuple[Row, ...]
    on_dealer: bool
    electronic: bool
    envy: tuple[tuple[str, int], ...]  # hand, micros
    fold_loses: bool
    fold_keeps_envy: bool
    floor_from: int  # fixed awards of fewer times the wager need no floorperson
    source: str  # of fixed awards
    magic_times: int
    lucky_times: int


class LevelTerms(NamedTuple):
    """A meter's terms."""

    id: str
    seed_micros: int
    reseed_micros: int
    primary_bps: int
    reserve_bps: int
    limit_micros: int
    fund: bool
    fixed: bool  # the regulation leaves no choice of rates
    least_bps: int  # of the primary rate


class LinkTerms(NamedTuple):
    """A link."""

    id: str
    wager_micros: int
    levels: tuple[LevelTerms, ...]
    bets: tuple[BetTerms, ...]
    magic_bps: int
    lucky_bps: int
    in_service: bool


class TableTerms(NamedTuple):
    """A table."""

    id: str
    rule: str
    links: tuple[LinkTerms, ...]
    seats: int
    seat_cards: int
    dealer_cards: int
    community_cards: int
    boxes: int
    voids_round: frozenset[str] = frozenset()  # what a table may say of a void round
    voids_seat: frozenset[str] = frozenset()

    def bet(self, name: str) -> BetTerms | None:
        """The bet that the table offers under a name."""
        return next((bet for link in self.links for bet in link.bets if bet.id == name), None)


class SiteTerms(NamedTuple):
    """A site."""

    id: str
    links: Mapping[str, LinkTerms]
    tables: Mapping[str, TableTerms]


def read_terms(path: Path) -> SiteTerms:
    """The terms of a site file."""
    site = tomllib.loads(path.read_text("utf-8"))
    rules = _rules()
    links = {link["id"]: _link(link, rules[link["rule"]]) for link in site["links"]}
    rule_of = {link["id"]: link["rule"] for link in site["links"]}
    tables = {}
    for table in site["tables"]:
        rule_id = table.get("rule", rule_of[table["links"][0]])
        rule = rules[rule_id]
        tables[table["id"]] = TableTerms(
            id=table["id"],
            rule=rule_id,
            links=tuple(links[link] for link in table["links"]),
            seats=table["seats"] if "seats" in table else rule["table"]["seats"],
            seat_cards=rule["deal"]["seat_cards"],
            dealer_cards=rule["deal"].get("dealer_cards", 0),
            community_cards=rule["deal"].get("community_cards", 0),
            boxes=table.get("boxes_per_player", 1),
            voids_round=_ANY_GAME | _words(rule, "void-round"),
            voids_seat=_words(rule, "void-seat", "player-chooses"),
        )
    return SiteTerms(site["site"]["id"], links, tables)


# Of every game: its deck and the machinery around it.
_ANY_GAME = frozenset(
    [
        "MISDEALT",
        "DECK_INCOMPLETE",
        "SHOE_FAILED",
        "NO_WAGERS",
        "COLLECTION_MISMATCH",
        "TABLE_RESTARTED",
        "CONTROLLER_LOST",
        "RESTORED",
    ]
)


def _words(rule: Mapping[str, Any], *does: str) -> frozenset[str]:
    return frozenset(each["id"] for each in rule.get("irregularities", ()) if each["does"] in does)


def _rules() -> dict[str, dict[str, Any]]:
    found = {}
    for folder in files("jackpot.rules").joinpath("data").iterdir():
        if folder.is_dir():
            for file in folder.iterdir():
                rule = tomllib.loads(file.read_text("utf-8"))
                found[rule["id"]] = rule
    return found


def _link(link: Mapping[str, Any], rule: Mapping[str, Any]) -> LinkTerms:
    bet = next(bet for bet in rule["bets"] if bet["id"] == link["bet"])
    wanted = link.get("paytable", "only")
    paytable = next(table for table in bet["paytables"] if table["id"] == wanted)
    wager = micros(link["wager"])
    chosen = link.get("levels", _NONE)
    return LinkTerms(
        id=link["id"],
        wager_micros=wager,
        levels=tuple(
            _level(level, chosen.get(level["id"], _NONE), wager)
            for level in paytable.get("levels", ())
        ),
        bets=tuple(
            _bet(link, bet, paytable, wager, on_dealer=whose == "dealer")
            for whose in bet.get("on", ["player"])
        ),
        magic_bps=bps(link.get("magic_share", "0%")),
        lucky_bps=bps(link.get("lucky_share", "0%")),
        in_service=link.get("in_service", False),
    )


def _level(level: Mapping[str, str], chosen: Mapping[str, str], wager: int) -> LevelTerms:
    def amount(key: str) -> int:
        if key in chosen:
            return micros(chosen[key])
        text = level[key]
        base = micros(text.removesuffix(" for 1"))
        return base * wager // DOLLAR if text.endswith(" for 1") else base

    def rate(key: str) -> int:
        text = chosen.get(key) or level.get(key, "none")
        return 0 if text in ("none", "any") else bps(text)

    return LevelTerms(
        id=level["id"],
        seed_micros=amount("seed"),
        reseed_micros=amount("reseed"),
        primary_bps=rate("primary"),
        reserve_bps=rate("reserve"),
        limit_micros=micros(chosen["limit"]) if "limit" in chosen else 0,
        fund=chosen.get("reserve_mode") == "fund",
        fixed=not level["primary"].startswith(("any", "at least")),
        least_bps=bps(level["primary"]) if level["primary"].startswith("at least") else 0,
    )


def _bet(
    link: Mapping[str, Any],
    bet: Mapping[str, Any],
    paytable: Mapping[str, Any],
    wager: int,
    *,
    on_dealer: bool,
) -> BetTerms:
    payment, fold = bet.get("payment", _NONE), bet.get("fold", _NONE)
    bearer = payment.get("fixed_awards_from_meter", "")
    if link.get("fixed_awards_from") == "house":
        bearer = ""
    extras = {extra["id"]: extra["pays"] for extra in bet.get("extras", ())}
    envy = next((e["rows"] for e in paytable.get("envy", ()) if micros(e["wager"]) == wager), ())
    pays = link.get("pays", _NONE)

    def drawn(extra: str, share: str) -> int:
        offered = extra in extras and bps(link.get(share, "0%"))
        return _times(extras[extra]) if offered else 0

    return BetTerms(
        id=f"{bet['id']}-dealer" if on_dealer else bet["id"],
        link=link["id"],
        ranking=bet["ranking"],
        rows=tuple(
            _row(row, pays.get(row["hand"], row["pays"]), bearer) for row in paytable["rows"]
        ),
        on_dealer=on_dealer,
        electronic=bet.get("medium") == "electronic",
        envy=tuple((row["hand"], micros(row["pays"])) for row in envy),
        fold_loses=link.get("fold_forfeits", fold.get("forfeits", True)),
        fold_keeps_envy=fold.get("keeps_envy", False),
        floor_from=payment.get("validate_from_for", 0),
        source=payment.get("fixed_source", "inventory"),
        magic_times=drawn("magic-card", "magic_share"),
        lucky_times=drawn("lucky-bonus", "lucky_share"),
    )


def _row(row: Mapping[str, Any], pays: str, bearer: str) -> Row:
    hand = row["hand"]
    if match := re.fullmatch(r"(\d+)% of (.+)", pays):
        divided = row.get("shared", False)
        return Row(hand, match[2], share_bps=int(match[1]) * 100, divided=divided)
    if pays.startswith("$"):
        return Row(hand, bearer, sum_micros=micros(pays))
    return Row(hand, bearer, times=_times(pays))


def _times(pays: str) -> int:
    """How often the wager comes back, itself included: "300 for 1"."""
    number, word, one = pays.replace(",", "").split(" ")
    if (word, one) != ("for", "1"):
        raise ValueError(f"a link can't pay {pays!r}")
    return int(number)


def micros(text: str) -> int:
    """Read "$10,000" or "12.50" as micros."""
    whole, _, part = (
        text.removeprefix("at least ").removeprefix("$").replace(",", "").partition(".")
    )
    return int(whole) * DOLLAR + int(part.ljust(6, "0") or 0)


def bps(text: str) -> int:
    """Read "21%" or "21.25%" as basis points."""
    whole, _, part = text.removeprefix("at least ").removesuffix("%").partition(".")
    return int(whole) * 100 + int(part.ljust(2, "0") or 0)
