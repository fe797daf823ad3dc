"""What every chapter prescribes alike, under its own numbers: opening, shuffle, cut, stub, age."""

import pytest

from table_client.table.devices.model import HOUR_MS, Method, ShufflerKind
from table_client.table.devices.refusals import DeviceRefused
from table_client.table.games.catalogue import GAMES
from table_client.table.ports import Way
from tests.client.games.chapters import (
    AUTOMATED,
    CHAPTERS,
    HAND,
    LETTERS,
    MANUAL,
    METHODS,
    section,
)
from tests.client.games.tables import (
    PAI_GOW,
    Scripted,
    clauses,
    device_table,
    steps,
)


def cases(*kinds: int) -> list[object]:
    """Every chapter and way of dealing, with the clauses on the stub that a test carries out."""
    return [
        pytest.param(
            rule,
            method,
            *(f"{section(rule, method)}({LETTERS[method][kind]})" for kind in kinds),
            marks=[
                pytest.mark.rule(f"{section(rule, method)}({LETTERS[method][kind]})")
                for kind in kinds
            ],
        )
        for rule in CHAPTERS
        for method in METHODS
    ]


@pytest.mark.parametrize(("rule", "method", "clause"), cases(0))
async def test_the_stub_goes_to_the_rack_unseen(rule: str, method: Method, clause: str) -> None:
    """With a counting shuffler, in every way of dealing."""
    table, _ = device_table(rule, method)
    result = await table.play_round({1: Scripted()})
    last = steps(result, "stub")[-1]
    assert (last.says, last.clause) == ("The stub goes to the discard rack, unseen.", clause)


@pytest.mark.parametrize(("rule", "method", "count", "right"), cases(1, 2))
async def test_without_a_counting_shuffler_the_fifth_stub_is_counted(
    rule: str, method: Method, count: str, right: str
) -> None:
    """Counted in round five and found right: it goes to the rack, and the round is settled."""
    table, _ = device_table(rule, method, ShufflerKind.PLAIN)
    rounds = [await table.play_round({1: Scripted()}) for _ in range(5)]
    assert [clauses(result, "count") for result in rounds] == [[]] * 4 + [[count]]
    assert clauses(rounds[-1], "stub")[-1] == right
    assert not rounds[-1].void


@pytest.mark.parametrize(
    ("rule", "opening"),
    [
        pytest.param(
            rule,
            f"{before}{opening}",
            marks=[pytest.mark.rule(f"{before}{opening}({letter})") for letter in "abcd"],
        )
        for rule, (before, opening, _, _) in CHAPTERS.items()
    ],
)
def test_opening_the_table(rule: str, opening: str) -> None:
    """Inspection, spread, wash, and a second deck likewise."""
    table, _ = device_table(rule)
    told = [record.clause for record in table.open_for_gaming(decks=2)]
    assert told == [f"{opening}({letter})" for letter in "abcd"]


@pytest.mark.parametrize(
    ("rule", "shuffle"),
    [
        pytest.param(
            rule,
            f"{before}{shuffle}",
            marks=[
                pytest.mark.rule(f"{before}{shuffle}({letter})")
                for letter in ("a", "c)(1", "c)(2", "d")
            ],
        )
        for rule, (before, _, shuffle, _) in CHAPTERS.items()
    ],
)
async def test_cards_are_shuffled_each_round_and_cut_only_by_hand(rule: str, shuffle: str) -> None:
    """A machine's cards are dealt as they are; a dealer's are cut first, ten deep or more."""
    table, _ = device_table(rule, MANUAL)
    for _ in range(3):
        result = await table.play_round({1: Scripted()})
        assert clauses(result, "shuffled") == [f"{shuffle}(a)"]
        assert not steps(result, "cut")
    table, _ = device_table(rule, MANUAL, ShufflerKind.NONE)
    result = await table.play_round({1: Scripted()})
    order = [record.step for record in result.records]
    assert order.index("shuffled") < order.index("cut") < order.index("deal")
    assert clauses(result, "cut") == [f"{shuffle}(d)"]


@pytest.mark.rule("PA2010 561.5(a)")
@pytest.mark.rule("PA2010 561.5(b)(2)")
@pytest.mark.rule("PA2010 561.5(e)")
async def test_pai_gow_cards_are_cut_by_their_own_clause() -> None:
    """After a shuffle by hand."""
    table, _ = device_table(PAI_GOW, MANUAL, ShufflerKind.NONE)
    result = await table.play_round({1: Scripted()})
    assert clauses(result, "shuffled") == ["PA2010 561.5(a)"]
    assert clauses(result, "cut") == ["PA2010 561.5(e)"]


AGES = [
    pytest.param(rule, method, hours, clause, marks=pytest.mark.rule(clause + paragraph))
    for rule, (before, opening, _, _) in CHAPTERS.items()
    for clause in [f"{before}{opening - 1}(c)"]
    for method, hours, paragraph in ((HAND, 4, "(1)"), (MANUAL, 8, "(2)"), (AUTOMATED, 8, "(2)"))
]


@pytest.mark.parametrize(("rule", "method", "hours", "clause"), AGES)
async def test_a_deck_is_changed_when_it_is_too_old(
    rule: str, method: Method, hours: int, clause: str
) -> None:
    """Well before the hour it stays; past it, it is changed before the next deal."""
    table, devices = device_table(rule, method)
    await table.play_round({1: Scripted()})
    await devices.pass_time((hours - 1) * HOUR_MS)
    assert not steps(await table.play_round({1: Scripted()}), "deck-changed")
    await devices.pass_time(HOUR_MS)
    result = await table.play_round({1: Scripted()})
    assert set(clauses(result, "deck-changed")) == {clause}


IDLE = [
    pytest.param(rule, clause, marks=pytest.mark.rule(clause))
    for rule, (before, _, shuffle, _) in CHAPTERS.items()
    for clause in [f"{before}{shuffle}(f)"]
] + [pytest.param(PAI_GOW, "PA2010 561.5(g)", marks=pytest.mark.rule("PA2010 561.5(g)"))]


@pytest.mark.parametrize(("rule", "clause"), IDLE)
async def test_without_players_the_cards_are_spread(rule: str, clause: str) -> None:
    """No card is dealt, and play begins again with a shuffle."""
    table, _ = device_table(rule)
    result = await table.play_round({1: Scripted(wagers={})})
    assert clauses(result, "idle") == [clause]
    assert not steps(result, "deal")
    assert not (await table.play_round({1: Scripted()})).void


@pytest.mark.parametrize("rule", [*CHAPTERS, PAI_GOW])
async def test_a_continuous_shoe_deals_every_game(rule: str) -> None:
    """Three rounds each, the stub never counted for its sake, no cut."""
    table, _ = device_table(rule, Method.CONTINUOUS_SHOE)
    assert table.deck.way is Way.CONTINUOUS_SHOE
    for _ in range(3):
        result = await table.play_round({1: Scripted("a"), 2: Scripted("b")})
        assert not result.void
        assert not steps(result, "cut")
        deal = GAMES[rule].rule.deal
        assert deal
        assert [len(seat.cards) for seat in result.seats.values()] == [deal.seat_cards] * 2


@pytest.mark.parametrize("rule", [*CHAPTERS, PAI_GOW])
@pytest.mark.parametrize("method", METHODS)
async def test_two_decks_alternate(rule: str, method: Method) -> None:
    """Red, blue, red, blue: each deck is used every other round."""
    table, devices = device_table(rule, method)
    used = []
    for _ in range(4):
        await table.play_round({1: Scripted()})
        used.append((await devices.status()).shoe_deck)
    assert used in (["red", "blue"] * 2, ["blue", "red"] * 2)


CLOSED = {MANUAL: "(b)", HAND: "(a)(3)", AUTOMATED: "(a)(2)"}
LOADED = {MANUAL: "(a)", HAND: "(a)(2)", AUTOMATED: "(a)(1)"}
DEALT = [
    pytest.param(
        rule, method, closed, loaded, marks=[pytest.mark.rule(closed), pytest.mark.rule(loaded)]
    )
    for rule in CHAPTERS
    for method in METHODS
    for closed, loaded in [
        (section(rule, method) + CLOSED[method], section(rule, method) + LOADED[method])
    ]
] + [
    pytest.param(
        PAI_GOW, method, closed, loaded, marks=[pytest.mark.rule(closed), pytest.mark.rule(loaded)]
    )
    for method, closed, loaded in (
        (MANUAL, "PA2010 561.9(a)", "PA2010 561.9(a)"),
        (HAND, "PA2010 561.10(a)(3)", "PA2010 561.10(a)(2)"),
        (AUTOMATED, "PA2010 561.11(a)(2)", "PA2010 561.11(a)(1)"),
    )
]


@pytest.mark.parametrize(("rule", "method", "closed", "loaded"), DEALT)
async def test_the_cards_are_ready_and_betting_closed_before_the_deal(
    rule: str, method: Method, closed: str, loaded: str
) -> None:
    """The deck where it is dealt from, "no more bets", and only then a card."""
    table, _ = device_table(rule, method)
    result = await table.play_round({1: Scripted()})
    assert clauses(result, "load") == [loaded]
    assert clauses(result, "no-more-bets") == [closed]
    order = [record.step for record in result.records]
    assert order.index("load") < order.index("no-more-bets") < order.index("deal")


@pytest.mark.parametrize(
    "rule",
    [
        *(
            pytest.param(rule, marks=pytest.mark.rule(f"{section(rule, HAND)}(a)(1)"))
            for rule in CHAPTERS
        ),
        pytest.param(PAI_GOW, marks=pytest.mark.rule("PA2010 561.10(a)(1)")),
    ],
)
def test_dealing_from_the_hand_needs_a_shuffler(rule: str) -> None:
    """Cards shuffled by hand are not dealt from it."""
    with pytest.raises(DeviceRefused, match="needs a shuffling device"):
        device_table(rule, HAND, ShufflerKind.NONE)
