"""Mutations at what a clause governs: how they are made and drawn, and a few of them tried."""

import tomllib
from pathlib import Path

import pytest

from tests.rules.test_traceability import LISTED, TOOL

MUTATIONS = TOOL.mutations
TESTED = {one.id for one in LISTED if one.status == "tested"}


@pytest.mark.parametrize(
    ("value", "instead"),
    [
        (True, False),
        (6, 7),
        ("50 to 1", "51 to 1"),
        ("3 to 2", "4 to 2"),
        ("$9,999 for 1", "$10,000 for 1"),
        ("100% of main", "99% of main"),
        ("none", "1%"),
        ("win", "push"),
        ("electronic", "chips"),
        (["$1", "$5"], ["$1"]),
        ("any", None),
        ([], None),
    ],
)
def test_a_value_becomes_another_of_its_kind(value: object, instead: object) -> None:
    """The least change that breaks what the clause says."""
    assert MUTATIONS.changed(value) == instead


def test_values_stand_under_the_nearest_clause() -> None:
    """A row under its paytable's, a level under its own; what has no clause is left alone."""
    text = """
free = 1
[[bets]]
id = "b"
clause = "PA 1"
optional = true
rows = [{ hand = "flush", pays = "4 to 1" }]
levels = [{ id = "main", seed = "$1", clause = "PA 2; PA 3" }]
"""
    assert list(MUTATIONS.cited(tomllib.loads(text))) == [
        ("PA 1", "bets", 0, "optional"),
        ("PA 1", "bets", 0, "rows", 0, "pays"),
        ("PA 2; PA 3", "bets", 0, "levels", 0, "seed"),
    ]
    changed = tomllib.loads(MUTATIONS.with_value(text, ("bets", 0, "rows", 0, "pays")))
    assert changed["bets"][0]["rows"] == [{"hand": "flush", "pays": "5 to 1"}]
    assert {**changed, "bets": 0} == {"free": 1, "bets": 0}


def test_every_listed_line_is_still_there_and_its_clauses_exist() -> None:
    """So that nobody changes a line that carries out a clause without updating its mutation."""
    known = {one.id for one in LISTED}
    for mutation in MUTATIONS.code_mutations():
        assert mutation.clauses <= known
        compile(mutation.text(), mutation.file, "exec")


def test_a_line_that_has_changed_is_told(tmp_path: Path) -> None:
    """With its file, and what to do."""
    table = tmp_path / "table.toml"
    table.write_text(
        '[[mutations]]\nfile = "jackpot/core/money.py"\nfind = "nowhere"\nreplace = ""\n'
        'clauses = "PA 657a.1"\n'
    )
    with pytest.raises(ValueError, match=r"'nowhere' stands 0 times in jackpot/core/money\.py"):
        MUTATIONS.code_mutations(table)


def test_nearly_every_tested_clause_has_a_mutation() -> None:
    """What is tested can be broken, in a rule file or in a line of code."""
    sites = MUTATIONS.by_clause((*MUTATIONS.data_mutations(), *MUTATIONS.code_mutations()))
    assert len(TESTED & set(sites)) > 0.95 * len(TESTED)


def test_the_seed_alone_decides_the_sample() -> None:
    """The same clauses and mutations; another seed draws others; no more than there are."""
    sites = MUTATIONS.by_clause(MUTATIONS.code_mutations())
    first, again, other = (MUTATIONS.draw(TESTED, sites, 20, seed) for seed in (1, 1, 2))
    assert first == again != other
    assert len(first) == 20
    assert len(MUTATIONS.draw(TESTED, sites, 9_999, 1)) == len(TESTED & set(sites))


@pytest.mark.process
def test_a_few_clauses_notice_their_mutation_and_a_harmless_one_is_told() -> None:
    """A value and three lines are broken; a change of a comment's words breaks nothing."""
    sites = MUTATIONS.by_clause((*MUTATIONS.data_mutations(), *MUTATIONS.code_mutations()))
    files = {
        "MA 5(a)": ["tests/rules/test_hands.py"],
        "PA2010 561.6(a)": ["tests/rules/test_hands_special.py"],
        "MA 11(c)": ["tests/rules/test_paytables.py"],
        "PA2010 553.20(b)(2)": ["tests/core/test_bad_beat.py"],
        "PA2010 565.6(c)": ["tests/rules/test_hands.py"],
    }
    drawn = {clause: sites[clause][0] for clause in files}
    harmless = drawn["PA2010 565.6(c)"]._replace(says="nothing", change=lambda text: text + "\n")
    drawn["PA2010 565.6(c)"] = harmless
    found = {one.clause: one.noticed for one in MUTATIONS.check(drawn, files, workers=1)}
    assert found == {clause: clause != "PA2010 565.6(c)" for clause in files}


def test_a_report_has_a_line_for_each_clause() -> None:
    """Clause, seed, result, file and change."""
    mutation = MUTATIONS.Mutation("a.py", "x -> y", frozenset(), str)
    verdicts = [
        MUTATIONS.Verdict("PA 2", mutation, noticed=False, told=""),
        MUTATIONS.Verdict("PA 1", mutation, noticed=True, told=""),
    ]
    assert TOOL.report(verdicts, 7).splitlines() == [
        "clause\tseed\tresult\tfile\tchange",
        "PA 1\t7\tnoticed\ta.py\tx -> y",
        "PA 2\t7\tnot noticed\ta.py\tx -> y",
    ]
