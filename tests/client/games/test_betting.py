"""Wagers up to "no more bets": lamps, lock-out, late chips, the count."""

import pytest

from table_client.table.games.catalogue import GAMES
from table_client.table.players import Habits, SimulatedPlayer
from table_client.table.round.play import Table
from tests.client.games.decks import PlainDeck, seeded_order
from tests.client.games.tables import (
    CRAZY,
    DOLLAR,
    PA,
    THREE,
    CoreLink,
    Scripted,
    clauses,
    link_for,
    play,
    results,
    steps,
    terms_of,
)

FIVE = "five-card-progressive"


@pytest.fixture
def link() -> CoreLink:
    """Pennsylvania's Five-Card Progressive at $1."""
    return link_for(PA, FIVE, "A")


@pytest.mark.rule("PA 657a.7(d)(4)")
@pytest.mark.rule("PA 657a.2(c)(1)")
async def test_an_accepted_wager_lights_its_lamp(link: CoreLink) -> None:
    """One record a wager, and one increment on the meter."""
    result = await play(PA, players={1: Scripted(linked=(FIVE,))}, progressive=link)
    assert [record.says for record in steps(result, "lamp")] == [
        "Seat 1: five-card-progressive, $1.00: its lamp is lit."
    ]
    assert link.meter() == 10_000_210_000


@pytest.mark.rule("PA 657a.2(c)(2)")
@pytest.mark.rule("PA 657a.7(c)")
async def test_a_wager_after_the_lock_out_stays_dark(link: CoreLink) -> None:
    """It is refused by the controller, adds nothing, and can win nothing."""
    players = {1: Scripted("a", late=(FIVE,)), 2: Scripted("b", linked=(FIVE,))}
    cards = "As Ks Qs Js Ts 4h 7h 6c 8d 9d"
    result = await play(PA, cards, players, progressive=link)
    assert clauses(result, "late") == ["PA 657a.7(c)"]
    assert not result.seats[1].linked
    assert not result.seats[1].awards
    assert link.meter() == 10_000_210_000
    order = [record.step for record in result.records]
    assert order.index("lock-out") < order.index("late") < order.index("deal")


@pytest.mark.rule("PA 657a.7(c)")
async def test_late_chips_on_the_layout_go_back() -> None:
    """A Queens Up wager after "no more bets" is no wager."""
    result = await play(PA, players={1: Scripted(late_layout={"queens-up": 5})})
    assert "queens-up" not in results(result)
    assert clauses(result, "late") == ["PA 657a.7(c)"]


@pytest.mark.rule("PA 657a.10(a)(2)")
@pytest.mark.rule("PA 657a.8(b)")
async def test_chips_are_counted_against_the_wagers_accepted(link: CoreLink) -> None:
    """Three chips for three wagers, before any card."""
    players = {seat: Scripted(f"p{seat}", linked=(FIVE,)) for seat in (1, 2, 3)}
    result = await play(PA, players=players, progressive=link)
    (record,) = steps(result, "collect")
    assert record.says.startswith("3 chips, 3 wagers accepted")
    order = [each.step for each in result.records]
    assert order.index("collect") < order.index("deal")


@pytest.mark.rule("PA 657a.10(a)(2)")
async def test_a_wager_without_a_chip_is_removed_by_the_floor(link: CoreLink) -> None:
    """The count fails, the floorperson removes it, the count is confirmed with two."""
    players = {
        1: Scripted("a", linked=(FIVE,)),
        2: Scripted("b", linked=(FIVE,), no_chip=(FIVE,)),
        3: Scripted("c", linked=(FIVE,)),
    }
    result = await play(PA, players=players, progressive=link)
    told = [record.says for record in steps(result, "collect")]
    assert told[0] == "2 chips for 3 wagers accepted: recount."
    assert told[1].startswith("2 chips, 2 wagers")
    assert [record.seat for record in steps(result, "remove-wager")] == [2]
    assert not result.seats[2].linked
    assert link.meter() == 10_000_420_000


async def test_a_progressive_out_of_service_lights_no_lamp(link: CoreLink) -> None:
    """The game goes on without it."""
    link.in_service = False
    result = await play(PA, players={1: Scripted(linked=(FIVE,))}, progressive=link)
    assert not steps(result, "lamp")
    assert not steps(result, "lock-out")
    assert results(result)["ante"]


async def test_a_progressive_wager_needs_the_base_wagers(link: CoreLink) -> None:
    """Without Ante and Super Bonus nothing is sent."""
    players = {1: Scripted("a", wagers={}, linked=(FIVE,)), 2: Scripted("b")}
    result = await play(PA, players=players, progressive=link)
    assert not steps(result, "lamp")
    assert result.seats[1].net_micros == 0


@pytest.mark.rule("PA 657a.5(f)")
async def test_a_round_without_wagers_is_over_before_the_deal(link: CoreLink) -> None:
    """Nobody plays: the progressive's round is closed and the next one can open."""
    before = dict(link.balances)
    nobody = Scripted(wagers={})
    for _ in range(2):
        result = await play(PA, players={1: nobody}, progressive=link)
        assert not steps(result, "deal")
        assert clauses(result, "idle") == ["PA 657a.5(f)"]
    assert link.balances == before


@pytest.mark.rule("PA 657a.7(e)")
@pytest.mark.parametrize(("boxes", "played"), [(1, 1), (2, 2), (3, 3)])
async def test_pennsylvania_leaves_the_number_of_boxes_to_the_operator(
    boxes: int, played: int
) -> None:
    """As many adjacent boxes as the operator declares."""
    players = {seat: Scripted("same") for seat in (1, 2, 3)}
    result = await play(PA, players=players, boxes=boxes)
    assert sum(bool(seat.cards) for seat in result.seats.values()) == played


@pytest.mark.parametrize(
    ("rule", "clause"),
    [
        pytest.param(CRAZY[1], "MA 6(e)", marks=pytest.mark.rule("MA 6(e)")),
        pytest.param(CRAZY[2], "PA2011 573.7(e)", marks=pytest.mark.rule("PA2011 573.7(e)")),
    ],
)
async def test_elsewhere_one_person_plays_one_box(rule: str, clause: str) -> None:
    """Whatever the operator would allow."""
    players = {1: Scripted("same"), 2: Scripted("same")}
    result = await play(rule, players=players, boxes=2)
    assert clauses(result, "refuse") == [clause]


@pytest.mark.parametrize("dollars", [4, 1_001])
async def test_wagers_outside_the_posted_limits_are_refused(dollars: int) -> None:
    """One dollar below the minimum and above the maximum."""
    wagers = {"ante": dollars, "super-bonus": dollars}
    result = await play(PA, players={1: Scripted("a", wagers=wagers), 2: Scripted("b")})
    assert not result.seats[1].cards
    assert result.seats[2].cards


async def test_a_bet_that_is_not_offered_is_refused() -> None:
    """Six Card Bonus at a table without it, and a Play Wager before the deal."""
    wagers = {"ante": 5, "super-bonus": 5, "six-card-bonus": 5, "play": 5}
    terms = terms_of(PA, not_offered=frozenset({"six-card-bonus"}))
    player = Scripted(wagers=wagers, decisions={"play": 0})
    result = await play(PA, players={1: player}, terms=terms)
    assert set(results(result)) == {"ante", "super-bonus"}
    assert len(steps(result, "refuse")) == 2


VERSIONS = ("alone", "ante-equal", "ante-half", "both")


@pytest.mark.rule("PA2010 565.7(f)(1)")
@pytest.mark.rule("PA2010 565.7(f)(2)")
@pytest.mark.rule("PA2010 565.7(f)(3)")
@pytest.mark.parametrize(
    ("version", "ante", "plus", "stands"),
    [
        (0, 0, 5, True),
        (1, 5, 5, True),
        (1, 5, 6, False),
        (2, 5, 10, True),
        (2, 5, 11, False),
        (3, 5, 25, True),
        (3, 5, 26, False),
        (3, 25, 5, True),
        (3, 26, 5, False),
        (3, 5, 0, False),
    ],
)
async def test_the_versions_of_three_card_poker_tie_pair_plus_to_the_ante(
    version: int, ante: int, plus: int, stands: bool
) -> None:
    """Each version at its limit and one dollar beyond."""
    wagers = {bet: n for bet, n in (("ante", ante), ("pair-plus", plus)) if n}
    players = {
        1: Scripted("a", wagers=wagers),
        2: Scripted("b", wagers={"ante": 5, "pair-plus": 5}),
    }
    terms = terms_of(THREE, pair_plus=VERSIONS[version])
    result = await play(THREE, players=players, terms=terms)
    assert bool(result.seats[1].cards) is stands


async def test_the_same_seed_gives_the_same_rounds() -> None:
    """Cards, wagers, decisions and traces are equal; another seed's are not."""

    async def session(seed: str) -> list[object]:
        table = Table(GAMES[PA], PlainDeck(seeded_order(seed)))
        players = {n: SimulatedPlayer(f"p{n}", seed) for n in range(1, 7)}
        return [(await table.play_round(players)).records for _ in range(5)]

    first = await session("one")
    assert first == await session("one")
    assert first != await session("two")


async def test_a_player_decides_alike_whoever_else_plays() -> None:
    """Seat 1's wagers do not depend on the other seats."""

    async def wagers(seats: tuple[int, ...]) -> object:
        table = Table(GAMES[PA], PlainDeck(seeded_order("s")))
        players = {n: SimulatedPlayer(f"p{n}", "s") for n in seats}
        result = await table.play_round(players)
        return [(o.bet, o.wager_micros) for o in result.seats[1].outcomes if o.bet != "play"]

    assert await wagers((1,)) == await wagers((1, 2, 3, 4, 5, 6))


async def test_a_share_of_players_bets_on_the_side_and_some_bet_late(link: CoreLink) -> None:
    """Over a hundred rounds: progressive wagers about 60%, late ones seen and refused."""
    table = Table(GAMES[PA], PlainDeck(seeded_order("s")), link)
    players = {n: SimulatedPlayer(f"p{n}", "s", Habits(late=20)) for n in range(1, 7)}
    rounds = [await table.play_round(players) for _ in range(100)]
    lit = sum(bool(seat.linked) for result in rounds for seat in result.seats.values())
    assert 300 <= lit <= 420
    assert sum(len(steps(result, "late")) for result in rounds) > 10
    taken = sum(sum(seat.linked.values()) for r in rounds for seat in r.seats.values())
    assert taken == lit * DOLLAR
