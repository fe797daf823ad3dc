"""What every chapter prescribes alike, under its own numbers: opening, shuffle, cut, stub, age."""

import pytest

from emulator.devices.local import LocalDevices
from jackpot.rules.cards import deck
from table_client.table.devices.device_faults import Target
from table_client.table.devices.model import (
    HOUR_MS,
    Delivery,
    DeviceState,
    Method,
    ShufflerKind,
)
from table_client.table.devices.refusals import DeviceRefused, Reason
from table_client.table.games.catalogue import GAMES
from table_client.table.ports import Way
from table_client.table.round.play import RoundResult
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
    PA2011,
    PAI_GOW,
    ULTIMATE,
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
        for rule, methods in (*((rule, METHODS) for rule in CHAPTERS), (ULTIMATE, (AUTOMATED,)))
        for method in methods
    ]


@pytest.mark.parametrize(("rule", "method", "clause"), cases(0))
async def test_the_stub_goes_to_the_rack_unseen(rule: str, method: Method, clause: str) -> None:
    """With a counting shuffler, in every way of dealing: all that was not dealt, and none shown."""
    table, devices = device_table(rule, method)
    result = await table.play_round({1: Scripted()})
    last = steps(result, "stub")[-1]
    assert (last.says, last.clause) == ("The stub goes to the discard rack, unseen.", clause)
    assert not steps(result, "count")
    await in_the_rack(devices, result)


async def in_the_rack(devices: LocalDevices, result: RoundResult) -> None:
    """Whatever was not dealt lies in the rack, and no card of it was seen."""
    status = await devices.status()
    assert (status.shoe_cards, status.rack_cards) == (0, 52 - status.dealt_cards)
    seen = {card for record in result.records for card in record.cards}
    assert len(seen) <= status.dealt_cards < 52


@pytest.mark.parametrize(("rule", "method", "count", "right"), cases(1, 2))
async def test_without_a_counting_shuffler_the_fifth_stub_is_counted(
    rule: str, method: Method, count: str, right: str
) -> None:
    """Counted in round five and found right: it goes to the rack, and the round is settled."""
    table, devices = device_table(rule, method, ShufflerKind.PLAIN)
    rounds = [await table.play_round({1: Scripted()}) for _ in range(5)]
    assert [clauses(result, "count") for result in rounds] == [[]] * 4 + [[count]]
    assert clauses(rounds[-1], "stub")[-1] == right
    assert not rounds[-1].void
    await in_the_rack(devices, rounds[-1])


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
                for letter in ("a", "c)(1", "c)(2", "d", *(["d)(2"] if "PA2010" in before else []))
            ],
        )
        for rule, (before, _, shuffle, _) in CHAPTERS.items()
    ],
)
async def test_cards_are_shuffled_each_round_and_cut_only_by_hand(rule: str, shuffle: str) -> None:
    """A machine's cards are dealt as they are; a dealer's are cut first, ten deep or more."""
    table, devices = device_table(rule, MANUAL)
    orders = set()
    for number in range(1, 4):
        result = await table.play_round({1: Scripted()})
        assert clauses(result, "shuffled") == [f"{shuffle}(a)"]
        assert not steps(result, "cut")
        assert (await devices.status()).shuffles >= number
        orders.add(tuple(card for record in steps(result, "deal") for card in record.cards))
    assert len(orders) == 3
    table, _ = device_table(rule, MANUAL, ShufflerKind.NONE)
    result = await table.play_round({1: Scripted()})
    order = [record.step for record in result.records]
    assert order.index("shuffled") < order.index("cut") < order.index("deal")
    assert clauses(result, "cut") == [f"{shuffle}(d)"]


@pytest.mark.rule("PA2010 561.5(a)")
@pytest.mark.rule("PA2010 561.5(b)(1)")
@pytest.mark.rule("PA2010 561.5(b)(2)")
@pytest.mark.rule("PA2010 561.5(e)")
async def test_pai_gow_cards_are_cut_by_their_own_clause() -> None:
    """After a shuffle by hand, before the deal; those of a machine are dealt as they are."""
    table, _ = device_table(PAI_GOW, MANUAL, ShufflerKind.NONE)
    result = await table.play_round({1: Scripted()})
    assert clauses(result, "shuffled") == ["PA2010 561.5(a)"]
    assert clauses(result, "cut") == ["PA2010 561.5(e)"]
    order = [record.step for record in result.records]
    assert order.index("shuffled") < order.index("cut") < order.index("deal")
    table, devices = device_table(PAI_GOW, MANUAL)
    for number in (1, 2):
        assert not steps(await table.play_round({1: Scripted()}), "cut")
        assert (await devices.status()).shuffles >= number


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
    pytest.param(rule, clause, f"{before}{opening}(c)", marks=pytest.mark.rule(clause))
    for rule, (before, opening, shuffle, _) in CHAPTERS.items()
    for clause in [f"{before}{shuffle}(f)"]
]
IDLE.append(
    pytest.param(
        PAI_GOW, "PA2010 561.5(g)", "PA2010 561.4(c)", marks=pytest.mark.rule("PA2010 561.5(g)")
    )
)


@pytest.mark.parametrize(("rule", "clause", "wash"), IDLE)
async def test_without_players_the_cards_are_spread(rule: str, clause: str, wash: str) -> None:
    """No card is dealt, the shoe is empty; who comes then sees the cards before they are washed."""
    table, devices = device_table(rule)
    result = await table.play_round({1: Scripted(wagers={})})
    assert clauses(result, "idle") == [clause]
    assert not steps(result, "deal")
    assert (await devices.status()).shoe_cards == 0
    assert not steps(await table.play_round({}), "open")  # nobody has come
    again = await table.play_round({1: Scripted()})
    assert not again.void
    assert clauses(again, "open") == [clause, wash]
    order = [record.step for record in again.records]
    assert order[:2] == ["open", "open"]
    assert order.index("shuffled") < order.index("deal")
    assert not steps(await table.play_round({1: Scripted()}), "open")


@pytest.mark.parametrize(
    ("shuffler", "cut"),
    [
        pytest.param(ShufflerKind.NONE, True, marks=pytest.mark.rule("PA2011 573.5(f)(1)")),
        pytest.param(ShufflerKind.COUNTING, False, marks=pytest.mark.rule("PA2011 573.5(f)(2)")),
    ],
)
async def test_after_idle_time_the_cards_are_shuffled_as_before_any_round(
    shuffler: ShufflerKind, cut: bool
) -> None:
    """By hand and then cut; by a machine and not cut."""
    table, _ = device_table(PA2011, MANUAL, shuffler)
    await table.play_round({1: Scripted(wagers={})})
    order = [record.step for record in (await table.play_round({1: Scripted()})).records]
    assert order.index("shuffled") < order.index("deal")
    assert ("cut" in order) is cut


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


def two_decks() -> list[object]:
    """Where each chapter speaks of two decks: their cards, their backs, shuffled in turn."""
    before = {rule: f"{name}{opening - 1}(b)" for rule, (name, opening, _, _) in CHAPTERS.items()}
    before[PAI_GOW] = "PA2010 561.3(b)"
    return [
        # The chapters of 2010 have a paragraph more, that each deck is a whole one.
        pytest.param(
            rule,
            marks=[
                pytest.mark.rule(f"{at}({number})")
                for number in ("1234" if at.startswith("PA2010") else "123")
            ],
        )
        for rule, at in before.items()
    ]


@pytest.mark.parametrize("rule", two_decks())
@pytest.mark.parametrize("method", METHODS)
async def test_two_decks_alternate(rule: str, method: Method) -> None:
    """Red, blue, red, blue: each is whole, and waits shuffled in the device every other round."""
    table, devices = device_table(rule, method)
    deal = GAMES[rule].rule.deal
    assert deal
    used = []
    for _ in range(4):
        await table.play_round({1: Scripted()})
        status = await devices.await_shuffle()
        used.append(status.shoe_deck)
        assert {status.shoe_deck, status.shuffler_deck} == {"red", "blue"}
        assert status.shuffler is DeviceState.READY
        waiting = devices._station.shuffler.inside
        assert waiting
        assert sorted(waiting.cards) == sorted(deck(joker=deal.joker))
    assert used in (["red", "blue"] * 2, ["blue", "red"] * 2)


CLOSED = {MANUAL: "(b)", HAND: "(a)(3)", AUTOMATED: "(a)(2)"}
LOADED = {MANUAL: "(a)", HAND: "(a)(2)", AUTOMATED: "(a)(1)"}
DEALT = (
    [
        pytest.param(
            rule, method, closed, loaded, marks=[pytest.mark.rule(closed), pytest.mark.rule(loaded)]
        )
        for rule in CHAPTERS
        for method in METHODS
        for closed, loaded in [
            (section(rule, method) + CLOSED[method], section(rule, method) + LOADED[method])
        ]
    ]
    + [
        pytest.param(
            PAI_GOW,
            method,
            closed,
            loaded,
            marks=[pytest.mark.rule(closed), pytest.mark.rule(loaded)],
        )
        for method, closed, loaded in (
            (MANUAL, "PA2010 561.9(a)", "PA2010 561.9(a)"),
            (HAND, "PA2010 561.10(a)(3)", "PA2010 561.10(a)(2)"),
            (AUTOMATED, "PA2010 561.11(a)(2)", "PA2010 561.11(a)(1)"),
        )
    ]
    + [
        pytest.param(
            ULTIMATE,
            AUTOMATED,
            *("PA2011 569.10(a)(2)", "PA2011 569.10(a)(1)"),
            marks=[
                pytest.mark.rule("PA2011 569.10(a)(2)"),
                pytest.mark.rule("PA2011 569.10(a)(1)"),
            ],
        )
    ]
)


@pytest.mark.parametrize(("rule", "method", "closed", "loaded"), DEALT)
async def test_the_cards_are_ready_and_betting_closed_before_the_deal(
    rule: str, method: Method, closed: str, loaded: str
) -> None:
    """The deck where it is dealt from, "no more bets", and only then a card."""
    table, devices = device_table(rule, method)
    await devices.load_deck("red")  # on the table, but not where it is dealt from
    with pytest.raises(DeviceRefused) as refused:
        await devices.dispense([Delivery(Target.PLAYER, 1, 1)])
    assert refused.value.reason is Reason.NOT_LOADED
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
    with pytest.raises(DeviceRefused, match="requires a shuffling device"):
        device_table(rule, HAND, ShufflerKind.NONE)
