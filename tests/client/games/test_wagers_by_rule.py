"""Which wagers each chapter lets a player place: with which others, at how many boxes and seats."""

import pytest

from jackpot.rules.compile_link import LevelChoice
from table_client.table.games.catalogue import GAMES
from tests.client.games.tables import (
    CARIBBEAN,
    CRISS,
    DOLLAR,
    FOUR,
    HOLDEM,
    MA,
    PA,
    PA2011,
    PAI_GOW,
    RIDE,
    THREE,
    CoreLink,
    Scripted,
    device_table,
    link_for,
    linked,
    play,
    results,
    steps,
)


def marked(*values: object, clauses: str) -> object:
    """A case that carries out these clauses."""
    return pytest.param(*values, marks=[pytest.mark.rule(one) for one in clauses.split("; ")])


@pytest.mark.parametrize(
    ("rule", "wagers"),
    [
        marked(rule, wagers, clauses=clause)
        for rule, clause in (
            (PA, "PA 657a.7(d)(1)"),
            (MA, "MA 6(d)(1)"),
            (PA2011, "PA2011 573.7(d)(1)"),
        )
        for wagers in ({"ante": 10, "super-bonus": 5}, {"ante": 10}, {"super-bonus": 10})
    ]
    + [
        marked(CRISS, wagers, clauses="PA2014 592.7(d)")
        for wagers in ({"ante-across": 5, "ante-down": 10}, {"ante-across": 5}, {"ante-down": 5})
    ],
)
async def test_two_first_wagers_are_both_placed_in_equal_amounts(
    rule: str, wagers: dict[str, int]
) -> None:
    """One of them alone, or two that differ, take no part in the round; two equal ones do."""
    result = await play(rule, players={1: Scripted("a", wagers=wagers), 2: Scripted("b")})
    assert not result.seats[1].cards
    assert result.seats[1].net_micros == 0
    assert [record.seat for record in steps(result, "refuse")] == [1]
    assert result.seats[2].cards


@pytest.mark.parametrize(
    ("rule", "bet"),
    [
        marked(PA, "queens-up", clauses="PA 657a.7(d)(2)"),
        marked(PA, "six-card-bonus", clauses="PA 657a.7(d)(6)"),
        marked(MA, "queens-up", clauses="MA 6(d)(2)"),
        marked(PA2011, "queens-up", clauses="PA2011 573.7(d)(2)"),
        marked(CARIBBEAN, "bonus", clauses="PA2011 555.7(e)"),
        marked(RIDE, "three-card-bonus", clauses="PA2010 559.9(b)"),
        marked(CRISS, "five-card-bonus", clauses="PA2014 592.7(e)"),
    ],
)
async def test_a_side_wager_needs_the_wagers_it_goes_with(rule: str, bet: str) -> None:
    """Alone it is refused and nobody is dealt in; beside them it is settled with the round."""
    alone = await play(rule, players={1: Scripted("a", wagers={bet: 5}), 2: Scripted("b")})
    assert not alone.seats[1].cards
    assert not results(alone)
    beside = dict.fromkeys((*GAMES[rule].required, bet), 5)
    assert bet in results(await play(rule, players={1: Scripted(wagers=beside)}))


@pytest.mark.parametrize(
    ("rule", "bet"),
    [
        marked(FOUR, "aces-up", clauses="PA2010 557.7(a)(3)"),
        marked(THREE, "pair-plus", clauses="PA2010 565.7(a)(3)"),
    ],
)
async def test_a_player_may_compete_against_dealer_or_paytable_or_both(rule: str, bet: str) -> None:
    """Each wager stands alone; with both, Ante, Play and the wager on the hand are all settled."""
    players = {
        1: Scripted("a", wagers={"ante": 5}),
        2: Scripted("b", wagers={bet: 5}),
        3: Scripted("c", wagers={"ante": 5, bet: 5}),
    }
    result = await play(rule, players=players)
    settled = {seat: set(results(result, seat)) - {"ante-bonus"} for seat in players}
    assert settled == {1: {"ante", "play"}, 2: {bet}, 3: {"ante", "play", bet}}
    assert not players[2].asked


@pytest.mark.parametrize(
    ("rule", "most"),
    [
        marked(FOUR, 3, clauses="PA2010 557.7(a)(1)"),
        marked(THREE, 1, clauses="PA2010 565.7(a)(1)"),
        marked(CARIBBEAN, 2, clauses="PA2011 555.7(d)"),
    ],
)
async def test_the_second_wager_is_so_many_times_the_ante(rule: str, most: int) -> None:
    """The most that the text allows stands; once more the Ante is no decision."""
    bet = "bet" if rule == CARIBBEAN else "play"
    result = await play(rule, players={1: Scripted(decisions={bet: most})})
    amounts = {each.bet: each.wager_micros for each in result.seats[1].outcomes}
    assert amounts[bet] == most * amounts["ante"] == most * 5 * DOLLAR
    with pytest.raises(ValueError, match=f"to {most} times the ante"):
        await play(rule, players={1: Scripted(decisions={bet: most + 1})})


def link_of(rule: str, bet: str) -> CoreLink:
    """A link for a bet, whatever its chapter leaves open."""
    if bet == "five-card-hand-bonus":
        level = {} if rule == PA else {"main": LevelChoice(10_000 * DOLLAR, 10_000 * DOLLAR, 1_300)}
        return link_for(rule, bet, "only", levels=level, magic_share_bps=0, lucky_share_bps=0)
    if bet == "four-card-progressive":
        level = {} if rule == PA else {"main": LevelChoice(5_000 * DOLLAR, 5_000 * DOLLAR, 2_900)}
        return link_for(rule, bet, "A", levels=level)
    link, found = linked(rule)
    assert found == bet
    return link


@pytest.mark.parametrize(
    ("rule", "bet"),
    [
        marked(PA, "four-card-progressive", clauses="PA 657a.7(d)(3)"),
        marked(PA, "five-card-progressive", clauses="PA 657a.7(d)(4)"),
        marked(PA, "five-card-hand-bonus", clauses="PA 657a.7(d)(5); PA 657a.2(b)(4)"),
        marked(MA, "four-card-progressive", clauses="MA 6(d)(3)"),
        marked(MA, "five-card-progressive", clauses="MA 6(d)(4)"),
        marked(MA, "five-card-hand-bonus", clauses="MA 6(d)(5)"),
        marked(PA2011, "progressive", clauses="PA2011 573.7(d)(3)"),
        marked(CARIBBEAN, "progressive", clauses="PA2011 555.7(c)"),
        marked(RIDE, "bonus", clauses="PA2010 559.8(b)"),
    ],
)
async def test_a_linked_wager_follows_the_first_wagers(rule: str, bet: str) -> None:
    """Without them nothing is sent; with them it is accepted, by chip or from an account."""
    link = link_of(rule, bet)
    before = dict(link.balances)
    too_little = {GAMES[rule].required[0]: 1}  # below the posted minimum, so refused
    players = {1: Scripted("a", wagers=too_little, linked=(bet,)), 2: Scripted("b")}
    result = await play(rule, players=players, progressive=link)
    assert not steps(result, "lamp")
    assert link.balances == before
    result = await play(rule, players={1: Scripted(linked=(bet,))}, progressive=link)
    assert result.seats[1].linked == {bet: DOLLAR}
    assert link.balances != before
    # Only chips are counted: an electronic wager has none.
    counted = [record.says.split()[0] for record in steps(result, "collect")]
    assert counted == ["0" if bet == "five-card-hand-bonus" else "1"]


@pytest.mark.parametrize(
    ("rule", "most"),
    [
        marked(MA, 1, clauses="MA 6(e)"),
        marked(PA2011, 1, clauses="PA2011 573.7(e)"),
        marked(CARIBBEAN, 1, clauses="PA2011 555.7(f)"),
        marked(FOUR, 2, clauses="PA2010 557.7(e)"),
        marked(RIDE, 2, clauses="PA2010 559.7(e)"),
        marked(PAI_GOW, 2, clauses="PA2010 561.7(d)"),
        marked(HOLDEM, 1, clauses="PA2010 563.7(f)"),
        marked(THREE, 2, clauses="PA2010 565.7(e)"),
        marked(CRISS, 1, clauses="PA2014 592.7(g)"),
    ],
)
async def test_one_person_plays_no_more_boxes_than_the_chapter_allows(rule: str, most: int) -> None:
    """Three boxes are asked for and declared; the first of them stand, side by side."""
    players = {seat: Scripted("same") for seat in (1, 2, 3)}
    result = await play(rule, players=players, boxes=3)
    played = [seat for seat, each in result.seats.items() if each.outcomes]
    assert played == [1, 2, 3][:most]
    apart = {1: Scripted("same"), 3: Scripted("same")}
    result = await play(rule, players=apart, boxes=3)
    assert [seat for seat, each in result.seats.items() if each.outcomes] == [1]


@pytest.mark.parametrize(
    ("rule", "seats"),
    [
        marked(PA, 6, clauses="PA 657a.2(a)"),
        marked(PA2011, 6, clauses="PA2011 573.2(a)"),
        marked(CARIBBEAN, 7, clauses="PA2010 555.2(a)"),
        marked(FOUR, 7, clauses="PA2010 557.2(a)"),
        marked(RIDE, 7, clauses="PA2010 559.2(a)"),
        marked(PAI_GOW, 6, clauses="PA2010 561.2(a)"),
        marked(HOLDEM, 6, clauses="PA2010 563.2(a)"),
        marked(THREE, 7, clauses="PA2010 565.2(a)"),
        marked(CRISS, 6, clauses="PA2014 592.2(a)"),
    ],
)
async def test_a_table_has_so_many_seats(rule: str, seats: int) -> None:
    """The last of them plays; one more is no seat."""
    table, _ = device_table(rule)
    assert (await table.play_round({seats: Scripted()})).seats[seats].outcomes
    with pytest.raises(ValueError, match=f"has seats 1 to {seats}"):
        await table.play_round({seats + 1: Scripted()})
