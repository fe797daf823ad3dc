"""Every row of every paytable: hands at, just above and just below it are paid as printed."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from jackpot.rules import hands
from jackpot.rules.cards import RANK_PLURALS, parse_cards
from jackpot.rules.loader import rules

HERE = Path(__file__).parent
PAIRS = "23456789TJQKA"
PLURALS = dict(zip(PAIRS, RANK_PLURALS, strict=True))


class Rung(NamedTuple):
    """A hand of a ladder and what it may be called."""

    cards: tuple[str, ...]
    called: tuple[str, ...]


class Printed(NamedTuple):
    """One row of one printed paytable, with the whole table around it."""

    rule: str
    bet: str
    paytable: str
    ranking: str
    row: str
    table: dict[str, str]  # what each row pays

    def pays(self, rung: Rung) -> str | None:
        """What the printed table pays a hand: by the first row that names it."""
        return next((pay for row, pay in self.table.items() if row in rung.called), None)


def _names(word: str) -> tuple[str, ...]:
    """What a ladder's word stands for."""
    if not word.startswith("Pair "):
        return (word,)
    rank = PAIRS.index(word[-1])
    lower = PAIRS[rank::-1]
    better = (f"Pair of {PLURALS[one]} or better" for one in lower)
    return (f"Pair of {PLURALS[word[-1]]}", *better, "Pair")


def _ladders() -> dict[str, tuple[Rung, ...]]:
    """All ladders, highest hand first."""
    found = {}
    for ranking, text in tomllib.loads((HERE / "ladders.toml").read_text()).items():
        rungs = []
        for line in text.strip().splitlines():
            cards, _, words = line.partition("|")
            called = [name for word in words.split(",") for name in _names(word.strip())]
            rungs.append(Rung(parse_cards(cards), (*called, "Any")))
        found[ranking] = tuple(rungs)
    return found


LADDERS = _ladders()


def _printed() -> Iterator[tuple[Printed, str]]:
    """Every row of every printed table, and its clauses."""
    for block in tomllib.loads((HERE / "paytables.toml").read_text())["tables"]:
        lines = [line.split("|") for line in block["rows"].strip().splitlines()]
        for column, paytable in enumerate(block["paytables"], 1):
            table = {line[0].strip(): line[column].strip() for line in lines}
            table = {row: pay for row, pay in table.items() if pay != "-"}
            for row in table:
                where = (block["rule"], block["bet"], paytable, block["ranking"])
                yield Printed(*where, row, table), block["clause"]


def _cases() -> list[Any]:
    """A test case for each printed row, marked with the clauses that print it."""
    return [
        pytest.param(
            printed,
            id=f"{printed.rule}:{printed.bet}:{printed.paytable}:{printed.row}",
            marks=[pytest.mark.rule(clause) for clause in clauses.split("; ")],
        )
        for printed, clauses in _printed()
    ]


def _paid(printed: Printed, rung: Rung) -> str | None:
    """What the rule file pays a hand."""
    bet = rules()[printed.rule].bet(printed.bet)
    assert bet is not None
    table = bet.paytable(printed.paytable)
    assert table is not None
    row = table.row_for(hands.names(printed.ranking, rung.cards))
    return row.pays if row else None


@pytest.mark.parametrize("printed", _cases())
def test_hands_around_a_row_are_paid_as_printed(printed: Printed) -> None:
    """The row's own highest and lowest hands are paid by it, their neighbours by their own rows."""
    ladder = LADDERS[printed.ranking]
    own = [place for place, rung in enumerate(ladder) if _row(printed, rung) == printed.row]
    assert own, f"no hand of the ladder falls under {printed.row}"
    around = {near for place in own for near in (place - 1, place, place + 1)}
    for place in around & set(range(len(ladder))):
        assert _paid(printed, ladder[place]) == printed.pays(ladder[place]), ladder[place].cards


def _row(printed: Printed, rung: Rung) -> str | None:
    """The printed row that a hand falls under."""
    return next((row for row in printed.table if row in rung.called), None)


def test_every_paytable_is_printed_here() -> None:
    """No paytable of a rule file escapes these tests, and each has as many rows as printed."""
    printed = {(p.rule, p.bet, p.paytable): len(p.table) for p, _ in _printed()}
    loaded = {
        (rule.id, bet.id, table.id): len(table.rows)
        for rule in rules().values()
        for bet in rule.bets
        for table in bet.paytables
    }
    assert printed == loaded


@pytest.mark.parametrize("ranking", ["five-card", "four-card", "three-card", "six-card-bonus"])
def test_ladders_go_down(ranking: str) -> None:
    """No hand of a ladder ranks above the one before it."""
    ranks = [hands.rank(ranking, rung.cards) for rung in LADDERS[ranking]]
    assert ranks == sorted(ranks, reverse=True)


@pytest.mark.parametrize(
    ("rule", "bet", "ranking"),
    [
        pytest.param(rule, bet, ranking, marks=pytest.mark.rule(clause))
        for rule, bet, ranking, clause in (
            ("pa-crazy-4-poker", "four-card-progressive", "four-card", "PA 657a.12(d)(2)"),
            ("pa-crazy-4-poker", "five-card-progressive", "five-card", "PA 657a.12(e)(2)"),
            ("pa-crazy-4-poker", "five-card-hand-bonus", "five-card", "PA 657a.12(f)(2)"),
            ("ma-crazy-4-poker", "four-card-progressive", "four-card", "MA 11(d)(2)"),
            ("ma-crazy-4-poker", "five-card-progressive", "five-card", "MA 11(e)(2)"),
            ("ma-crazy-4-poker", "five-card-hand-bonus", "five-card", "MA 11(f)(2)"),
            ("pa-2011-crazy-4-poker", "progressive", "four-card", "PA2011 573.12(d)(2)"),
        )
    ],
)
def test_only_the_highest_hand_is_paid(rule: str, bet: str, ranking: str) -> None:
    """A hand that several rows could name is paid by the highest of them alone."""
    found = rules()[rule].bet(bet)
    assert found is not None
    top = LADDERS[ranking][0]
    names = hands.names(ranking, top.cards)
    for table in found.paytables:
        naming = [row for row in table.rows if row.hand in names]
        assert len(naming) > 1
        assert table.row_for(names) == table.rows[0] == naming[0]


@pytest.mark.parametrize(
    ("rule", "bet", "ranking"),
    [
        pytest.param(rule, bet, ranking, marks=pytest.mark.rule(clause))
        for rule, bet, ranking, clause in (
            ("pa-crazy-4-poker", "four-card-progressive", "four-card", "PA 657a.1"),
            ("pa-crazy-4-poker", "five-card-progressive", "five-card", "PA 657a.1"),
            ("ma-crazy-4-poker", "four-card-progressive", "four-card", "MA 1"),
            ("ma-crazy-4-poker", "five-card-progressive", "five-card", "MA 1"),
            ("pa-2011-crazy-4-poker", "progressive", "four-card", "PA2011 573.1"),
        )
    ],
)
def test_a_progressive_hand_is_three_of_a_kind_or_better(rule: str, bet: str, ranking: str) -> None:
    """Every paytable pays from three of a kind upward by its ranking and nothing below."""
    found = rules()[rule].bet(bet)
    assert found is not None
    for table in found.paytables:
        for rung in LADDERS[ranking]:
            names = hands.names(ranking, rung.cards)
            high_enough = hands.at_least(ranking, rung.cards, "three-of-a-kind")
            assert (table.row_for(names) is not None) == high_enough, rung.cards
