"""The rule files: cited in every block, and with the rates, seeds and envy bonuses of the text."""

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from jackpot.core.money import MICROS_PER_DOLLAR
from jackpot.rules import hands
from jackpot.rules.loader import DATA, RuleFileError, load_rule, rules
from jackpot.rules.model import Cited, LevelRule, Paytable, Rule

PA = DATA / "pennsylvania" / "crazy-4-poker.toml"


def paytable(rule: str, bet: str, table: str) -> Paytable:
    """A paytable that must exist."""
    found = rules()[rule].bet(bet)
    assert found is not None
    one = found.paytable(table)
    assert one is not None
    return one


def level(rule: str, bet: str, table: str, level_id: str) -> LevelRule:
    """A level that must exist."""
    found = paytable(rule, bet, table).level(level_id)
    assert found is not None
    return found


def blocks(value: Any) -> Iterator[Cited]:
    """Every cited block of a rule, however deep."""
    if isinstance(value, Cited):
        yield value
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from blocks(getattr(value, name))
    if isinstance(value, tuple):
        for one in value:
            yield from blocks(one)


def test_the_games_of_the_regulations_are_all_there() -> None:
    """Each chapter's game has a rule file, and each of its wagers a bet."""
    assert {rule.id: [bet.id for bet in rule.bets] for rule in rules().values()} == {
        "ma-crazy-4-poker": [
            *("ante", "super-bonus", "play", "queens-up"),
            *("four-card-progressive", "five-card-progressive", "five-card-hand-bonus"),
        ],
        "pa-crazy-4-poker": [
            *("ante", "super-bonus", "play", "queens-up", "four-card-progressive"),
            *("five-card-progressive", "five-card-hand-bonus", "six-card-bonus"),
        ],
        "pa-2010-four-card-poker": ["ante", "play", "ante-bonus", "aces-up"],
        "pa-2010-let-it-ride": ["bet-1", "bet-2", "bet-3", "bonus", "three-card-bonus"],
        "pa-2010-pai-gow-poker": ["pai-gow"],
        "pa-2010-poker-bad-beat": ["bad-beat"],
        "pa-2010-three-card-poker": ["ante", "play", "ante-bonus", "pair-plus"],
        "pa-2011-caribbean-stud": ["ante", "bet", "progressive", "bonus"],
        "pa-2011-crazy-4-poker": ["ante", "super-bonus", "play", "queens-up", "progressive"],
        "pa-2011-texas-holdem-bonus": ["ante", "flop", "turn", "river", "bonus"],
        "pa-2011-ultimate-texas-holdem": ["ante", "blind", "progressive"],
        "pa-2014-criss-cross-poker": [
            *("ante-across", "ante-down", "across", "down", "middle", "five-card-bonus"),
        ],
    }


@pytest.mark.parametrize("rule", rules().values(), ids=lambda rule: rule.id)
def test_every_hand_of_a_paytable_is_one_that_its_ranking_names(rule: Rule) -> None:
    """No row can stay unpaid because of a name that no hand ever has."""
    for bet in rule.bets:
        for table in bet.paytables:
            known = hands.known_names(table.ranking or bet.ranking)
            assert {row.hand for row in table.rows} <= known
            assert {row.hand for plan in table.envy for row in plan.rows} <= known


@pytest.mark.parametrize("path", sorted(DATA.glob("*/*.toml")), ids=lambda path: path.stem)
def test_a_value_without_its_clause_does_not_load(path: Path, tmp_path: Path) -> None:
    """Striking out any one citation makes the file unreadable."""
    text = path.read_text()
    copy = tmp_path / "rule.toml"
    own = re.compile(r'^clause = ".*"\n|, clause = "[^"]*"(?= \})', re.MULTILINE)
    # A row's clause only stands in for its paytable's; without it the row has still one.
    cites = [
        one for one in own.finditer(text) if "pays =" not in text[: one.start()].split("\n")[-1]
    ]
    assert cites
    for cite in cites:
        copy.write_text(text[: cite.start()] + text[cite.end() :])
        with pytest.raises(RuleFileError, match="clause"):
            load_rule(copy)


@pytest.mark.parametrize(
    ("written", "instead", "complaint"),
    [
        ('clause = "PA 657a.2(a)"', 'clause = "657a.2(a)"', "is not a clause"),
        ("seats = 6", "seats = 6\ncolour = 1", "unknown field `colour`"),
        ('pays = "3 to 2"', 'pays = "3 against 2"', "is not a payment"),
        ('primary = "21%"', 'primary = "21.125%"', "more than two decimals"),
        ('primary = "21%"', 'primary = "lots"', "is not a rate"),
        ('seed = "$10,000 for 1"', 'seed = "10,000 dollars"', "is not an amount"),
        ('pays = "100% of minor"', 'pays = "100% of middling"', "the level middling"),
        ('hand = "four-aces"', 'hand = "Four Aces"', "is not the name of a hand"),
        ('hand = "two-pair"', 'hand = "straight"', "lists a hand twice"),
        ('excludes = ["five-card-progressive"]', 'excludes = ["nothing"]', "does not exist"),
        ('id = "play"', 'id = "ante"', "two bets have one id"),
    ],
)
def test_a_rule_file_that_cannot_be_meant_is_refused(
    written: str, instead: str, complaint: str, tmp_path: Path
) -> None:
    """A slip of the pen is an error with its place, never a silent default."""
    text = PA.read_text()
    assert written in text
    copy = tmp_path / "rule.toml"
    copy.write_text(text.replace(written, instead, 1))
    with pytest.raises(RuleFileError, match=complaint) as error:
        load_rule(copy)
    assert str(error.value).startswith(f"{copy}:")


def test_every_block_of_every_rule_cites_a_clause() -> None:
    """All loaded blocks carry at least one clause id."""
    cited = [block for rule in rules().values() for block in blocks(rule)]
    assert len(cited) > 300
    assert all(block.clauses for block in cited)


@dataclasses.dataclass(frozen=True)
class Meter:
    """A level as the text has it."""

    clause: str
    bet: str
    table: str
    level: str
    seed: str
    reseed: str
    primary: str
    reserve: str


METERS = [
    Meter("PA 657a.12(d)(3)", "four-card-progressive", "A", "main", "5000", "5000", "29%", "none"),
    Meter("PA 657a.12(d)(3)", "four-card-progressive", "B", "main", "1000", "1000", "25%", "5%"),
    Meter(
        "PA 657a.12(e)(3)", "five-card-progressive", "A", "main", "10000", "10000", "21%", "none"
    ),
    Meter(
        "PA 657a.12(e)(3)", "five-card-progressive", "B", "mega", "10000", "10000", "11%", "none"
    ),
    Meter("PA 657a.12(e)(3)", "five-card-progressive", "B", "major", "1000", "1000", "10%", "none"),
    Meter("PA 657a.12(e)(3)", "five-card-progressive", "C", "mega", "10000", "10000", "9%", "none"),
    Meter("PA 657a.12(e)(3)", "five-card-progressive", "C", "major", "1000", "1000", "7%", "none"),
    Meter("PA 657a.12(e)(3)", "five-card-progressive", "C", "minor", "250", "250", "3%", "none"),
    Meter(
        "PA 657a.12(e)(3)", "five-card-progressive", "D", "mega", "10000", "10000", "10%", "none"
    ),
    Meter("PA 657a.12(e)(3)", "five-card-progressive", "D", "major", "1000", "1000", "8%", "none"),
    Meter("PA 657a.12(e)(3)", "five-card-progressive", "D", "minor", "250", "250", "3%", "none"),
    Meter("PA 657a.12(f)(4)", "five-card-hand-bonus", "only", "main", "10000", "0", "13%", "8%"),
]


@pytest.mark.parametrize(
    "meter",
    [
        pytest.param(
            one, marks=pytest.mark.rule(one.clause), id=f"{one.bet}-{one.table}-{one.level}"
        )
        for one in METERS
    ],
)
@pytest.mark.parametrize("dollars", [1, 5])
def test_seeds_scale_with_the_wager_and_rates_are_fixed(meter: Meter, dollars: int) -> None:
    """A "for 1" seed is multiplied by the wager; rates are those printed, at every wager."""
    found = level("pa-crazy-4-poker", meter.bet, meter.table, meter.level)
    wager = dollars * MICROS_PER_DOLLAR
    assert found.seed_term.bound == found.reseed_term.bound == "is"
    assert found.seed_term.at(wager) == int(meter.seed) * wager
    assert found.reseed_term.at(wager) == int(meter.reseed) * wager
    assert (found.primary, found.reserve) == (meter.primary, meter.reserve)
    assert found.clause == meter.clause


def test_no_other_level_exists_in_pennsylvania() -> None:
    """The levels listed here are all that the rule file has."""
    found = {
        (bet.id, table.id, one.id)
        for bet in rules()["pa-crazy-4-poker"].bets
        for table in bet.paytables
        for one in table.levels
    }
    assert found == {(one.bet, one.table, one.level) for one in METERS}


FOUR_A = {1: {"four-aces": 100, "four-of-a-kind": 10, "straight-flush": 5}}
FOUR_A |= {5: {"four-aces": 500, "four-of-a-kind": 50, "straight-flush": 25}}
FOUR_B = {1: {"four-aces": 100, "four-of-a-kind": 25}, 5: {"four-aces": 500, "four-of-a-kind": 125}}
FIVE = {1: {"royal-flush": 1000, "straight-flush": 300}}
FIVE |= {5: {"royal-flush": 5000, "straight-flush": 1500}}


@pytest.mark.parametrize(
    ("rule", "bet", "table", "schedule"),
    [
        pytest.param(rule, bet, table, schedule, marks=[pytest.mark.rule(one) for one in clauses])
        for rule, bet, table, schedule, clauses in (
            ("pa-crazy-4-poker", "four-card-progressive", "A", FOUR_A,
             ["PA 657a.12(d)(5)", "PA 657a.12(d)(5)(i)"]),
            ("pa-crazy-4-poker", "four-card-progressive", "B", FOUR_B,
             ["PA 657a.12(d)(5)", "PA 657a.12(d)(5)(ii)"]),
            *(("pa-crazy-4-poker", "five-card-progressive", table, FIVE, ["PA 657a.12(e)(5)"])
              for table in "ABCD"),
            ("ma-crazy-4-poker", "four-card-progressive", "A", FOUR_A,
             ["MA 11(d)(5)", "MA 11(d)(5)(i)"]),
            ("ma-crazy-4-poker", "four-card-progressive", "B", FOUR_B,
             ["MA 11(d)(5)", "MA 11(d)(5)(ii)"]),
            ("ma-crazy-4-poker", "five-card-progressive", "only", FIVE, ["MA 11(e)(5)"]),
            ("pa-2011-crazy-4-poker", "progressive", "A", FOUR_A,
             ["PA2011 573.12(d)(5)", "PA2011 573.12(d)(5)(i)"]),
            ("pa-2011-crazy-4-poker", "progressive", "B", FOUR_B,
             ["PA2011 573.12(d)(5)", "PA2011 573.12(d)(5)(ii)"]),
        )
    ],
)  # fmt: skip
def test_envy_bonuses_are_those_of_the_schedule(
    rule: str, bet: str, table: str, schedule: dict[int, dict[str, int]]
) -> None:
    """Each wager has its own amounts, and hands that the schedule leaves out get none."""
    found = {
        plan.wager_micros // MICROS_PER_DOLLAR: {
            row.hand: row.pay.number // MICROS_PER_DOLLAR for row in plan.rows
        }
        for plan in paytable(rule, bet, table).envy
    }
    assert found == schedule


@pytest.mark.rule("PA2011 573.12(c)")
@pytest.mark.rule("PA 657a.12(c)")
def test_queens_up_of_2011_is_not_that_in_force() -> None:
    """In paytable B three of a kind pays 9 to 1 in 2011 and 8 to 1 today; the others agree."""
    differing = {
        (table, old.hand, old.pays, new.pays)
        for table in "ABCD"
        for old, new in zip(
            paytable("pa-2011-crazy-4-poker", "queens-up", table).rows,
            paytable("pa-crazy-4-poker", "queens-up", table).rows,
            strict=True,
        )
        if old != new
    }
    assert differing == {("B", "three-of-a-kind", "9 to 1", "8 to 1")}


@pytest.mark.rule("PA 657a.12(f)(3)")
@pytest.mark.rule("MA 11(f)(3)")
@pytest.mark.parametrize("rule", ["pa-crazy-4-poker", "ma-crazy-4-poker"])
def test_magic_card_pays_20_and_lucky_bonus_5_for_1(rule: str) -> None:
    """The two random bonuses are "for 1": the wager is in the payment."""
    bet = rules()[rule].bet("five-card-hand-bonus")
    assert bet is not None
    assert [(extra.id, extra.pay.kind, extra.pay.number) for extra in bet.extras] == [
        ("magic-card", "for", 20),
        ("lucky-bonus", "for", 5),
    ]


@pytest.mark.rule("PA 657a.3(c)")
@pytest.mark.rule("PA2010 553.3(b)")
def test_how_long_a_deck_is_used() -> None:
    """Four hours by hand and eight by shoe, six at Poker; no text says it of Ultimate Hold 'Em."""
    found = {
        rule.id: (rule.deck.by_hand_hours, rule.deck.by_shoe_hours) if rule.deck else None
        for rule in rules().values()
    }
    poker, silent = "pa-2010-poker-bad-beat", "pa-2011-ultimate-texas-holdem"
    assert (found.pop(poker), found.pop(silent)) == ((6, 6), None)
    assert set(found.values()) == {(4, 8)}
