"""Caribbean Stud Poker by its clauses."""

import pytest

from jackpot.rules.compile_link import LevelChoice
from table_client.table.devices.model import Method, ShufflerKind
from table_client.table.ports import Way
from tests.client.games.tables import (
    CARIBBEAN,
    DOLLAR,
    CoreLink,
    Scripted,
    clauses,
    device_table,
    link_for,
    play,
    reconstructed,
    results,
    steps,
)

TWO_PAIR = "Ks Kh 9d 9c 2s "
PAIR = "Qs Qh 9h 5c 3s "
NOTHING = "Js Th 8h 5d 2c "
ACE_KING = "Ad Kd 8d 5h 3h "  # a dealer who qualifies
ACE_QUEEN = "Ad Qd 8d 5h 3h "  # a dealer who does not
PAIR_OF_ACES = "Ad Ac 8d 5h 3h "
ROYAL = "As Ks Qs Js Ts "


def linked() -> CoreLink:
    """The progressive with a straight flush at 10% of the meter."""
    level = LevelChoice(
        seed_micros=10_000 * DOLLAR, reseed_micros=10_000 * DOLLAR, primary_bps=7_000
    )
    pays = {"straight-flush": "10% of main"}
    return link_for(CARIBBEAN, "progressive", "only", levels={"main": level}, pays=pays)


@pytest.mark.rule("PA2010 555.8(d)")
@pytest.mark.rule("PA2010 555.9(b)")
@pytest.mark.parametrize(
    ("way", "section"),
    [
        pytest.param(
            Way.MANUAL_SHOE,
            "PA2010 555.8(d)",
            marks=[pytest.mark.rule(f"PA2010 555.8(d)({n})") for n in range(1, 6)],
        ),
        pytest.param(
            Way.HAND,
            "PA2010 555.9(b)",
            marks=[pytest.mark.rule(f"PA2010 555.9(b)({n})") for n in range(1, 6)],
        ),
    ],
)
async def test_the_dealers_first_card_is_face_up(way: Way, section: str) -> None:
    """Player and dealer in turn, five times; only the dealer's first card is shown."""
    player = Scripted()
    result = await play(CARIBBEAN, players={3: player}, way=way)
    dealt = steps(result, "deal")
    assert [record.seat for record in dealt] == [3, 0] * 5
    numbers = [1, 2, 3, 4, 5, 5, 5, 5, 5, 5]
    assert [record.clause for record in dealt] == [f"{section}({n})" for n in numbers]
    assert player.asked[0][1].dealer == (result.dealer[0],)


@pytest.mark.rule("PA2010 555.10(b)")
@pytest.mark.rule("PA2010 555.10(g)")
async def test_from_a_shoe_the_bottom_card_of_the_dealers_stack_is_shown() -> None:
    """Five cards each in stacks; the last card of the dealer's lies face up."""
    player = Scripted()
    result = await play(CARIBBEAN, PAIR + ACE_KING, {1: player})
    assert [(r.seat, len(r.cards)) for r in steps(result, "deal")] == [(1, 5), (0, 5), (0, 1)]
    assert player.asked[0][1].dealer == ("3h",)
    assert clauses(result, "deal")[-1] == "PA2010 555.10(g)"


@pytest.mark.rule("PA2011 555.11(a)")
@pytest.mark.rule("PA2010 555.1")
async def test_the_bet_is_twice_the_ante() -> None:
    """No more and no less."""
    result = await play(CARIBBEAN, PAIR + ACE_KING, {1: Scripted(wagers={"ante": 15})})
    assert next(o.wager_micros for o in result.seats[1].outcomes if o.bet == "bet") == 30 * DOLLAR
    with pytest.raises(ValueError, match="2 to 2 times"):
        await play(CARIBBEAN, players={1: Scripted(decisions={"bet": 1})})


@pytest.mark.rule("PA2011 555.11(a)")
async def test_a_fold_loses_the_ante_and_the_hand_at_once() -> None:
    """The cards are in the rack before the next player decides."""
    players = {
        1: Scripted("a", wagers={"ante": 5, "bonus": 5}, decisions={"bet": 0}),
        2: Scripted("b"),
    }
    result = await play(CARIBBEAN, players=players)
    assert results(result, 1) == {"ante": ("forfeit", 0), "bonus": ("forfeit", 0)}
    order = [(r.step, r.seat) for r in result.records if r.step in ("collect-hand", "decide")]
    assert order == [("decide", 1), ("collect-hand", None), ("decide", 2)]


@pytest.mark.rule("PA2011 555.11(e)(1)")
async def test_a_qualified_higher_dealer_takes_ante_and_bet() -> None:
    """A pair of queens under a pair of aces."""
    result = await play(CARIBBEAN, PAIR + PAIR_OF_ACES)
    assert results(result) == {"ante": ("lose", 0), "bet": ("lose", 0)}


@pytest.mark.rule("PA2011 555.11(e)(2)")
async def test_a_tie_with_a_qualified_dealer_returns_both() -> None:
    """The same five ranks."""
    result = await play(CARIBBEAN, "As Kh 8h 5d 3c Ad Kd 8d 5h 3h")
    assert results(result) == {"ante": ("push", 0), "bet": ("push", 0)}


@pytest.mark.rule("PA2011 555.11(e)(3)")
@pytest.mark.rule("PA2010 555.13(b)")
@pytest.mark.rule("PA2010 555.13(c)")
@pytest.mark.parametrize(
    ("hand", "odds"),
    [
        (ROYAL, 100),
        ("Ks Qs Js Ts 9s ", 50),
        ("9s 9h 9d 9c 2s ", 20),
        ("9s 9h 9d 2c 2s ", 7),
        ("Ks 9s 7s 6s 2s ", 5),
        ("9s 8h 7d 6s 5c ", 4),
        ("9s 9h 9d 6s 2h ", 3),
        (TWO_PAIR, 2),
        (PAIR, 1),
        ("As Kh Jd 8c 4s ", 1),
    ],
)
async def test_a_winning_bet_pays_by_the_hand(hand: str, odds: int) -> None:
    """Even money on the Ante, the table's odds on the ten-dollar Bet."""
    result = await play(CARIBBEAN, hand + ACE_KING)
    assert results(result) == {"ante": ("win", 500), "bet": ("win", odds * 1_000)}


@pytest.mark.rule("PA2011 555.11(f)(2)")
@pytest.mark.rule("PA2011 555.11(f)(3)")
async def test_a_dealer_who_does_not_qualify_has_no_hand() -> None:
    """Antes are paid even money, Bets go back, whatever the player holds."""
    result = await play(CARIBBEAN, NOTHING + ACE_QUEEN)
    assert results(result) == {"ante": ("win", 500), "bet": ("push", 0)}
    assert [(r.says, r.clause) for r in steps(result, "call")] == [
        ("No hand.", "PA2011 555.11(f)(2)")
    ]
    assert not steps(result, "show")


@pytest.mark.rule("PA2010 555.1")
@pytest.mark.parametrize(
    ("dealer", "qualifies"),
    [("Ad Kd 4d 3h 2h ", True), ("Ad Qd Jd 9h 8h ", False), ("2d 2h 3d 4h 6h ", True)],
)
async def test_the_dealer_qualifies_from_ace_king_four_three_two(
    dealer: str, qualifies: bool
) -> None:
    """The lowest hand with ace and king does, the highest without a king does not."""
    result = await play(CARIBBEAN, TWO_PAIR + dealer)
    assert (results(result)["bet"][0] == "win") is qualifies


@pytest.mark.rule("PA2011 555.11(e)(1)")
@pytest.mark.rule("PA2011 555.11(e)(2)")
@pytest.mark.rule("PA2011 555.11(e)(3)")
async def test_losers_are_collected_before_ties_before_winners() -> None:
    """Each walk goes from the dealer's right."""
    players = {seat: Scripted(f"p{seat}") for seat in (1, 2, 3, 4)}
    cards = TWO_PAIR + NOTHING + "As Kc 8s 5s 3d " + "Jh Tc 7h 6d 4c " + ACE_KING
    result = await play(CARIBBEAN, cards, players)
    antes = [(r.seat, r.says.split()[3]) for r in steps(result, "settle") if "Ante" in r.says]
    assert antes == [(4, "loses"), (2, "loses"), (3, "is"), (1, "wins")]


@pytest.mark.rule("PA2011 555.11(e)(1)")
@pytest.mark.rule("PA2011 555.13(g)")
@pytest.mark.rule("PA2011 555.7(e)")
async def test_the_bonus_is_paid_whatever_the_dealer_has() -> None:
    """A pair of queens wins 1 to 1 while Ante and Bet lose; a pair of nines does not."""
    wagers = {"ante": 5, "bonus": 5}
    won = await play(CARIBBEAN, PAIR + PAIR_OF_ACES, {1: Scripted(wagers=wagers)})
    assert results(won)["bonus"] == ("win", 500)
    assert results(won)["ante"] == ("lose", 0)
    lost = await play(CARIBBEAN, "9s 9h 7h 5c 3s " + PAIR_OF_ACES, {1: Scripted(wagers=wagers)})
    assert results(lost)["bonus"] == ("lose", 0)


@pytest.mark.rule("PA2010 555.12(a)")
@pytest.mark.rule("PA2010 555.12(b)(1)")
@pytest.mark.rule("PA2010 555.12(b)(2)")
@pytest.mark.rule("PA2010 555.12(b)(3)")
@pytest.mark.rule("PA2010 555.12(c)")
async def test_a_progressive_hand_is_paid_although_it_lost_to_the_dealer() -> None:
    """A flush under a full house: Ante and Bet lose, $50 come before the cards go."""
    link = linked()
    player = Scripted(linked=("progressive",))
    flush = "Ks 9s 7s 6s 2s "
    result = await play(CARIBBEAN, flush + "Ad Ac Ah 5h 5d", {1: player}, progressive=link)
    assert results(result) == {"ante": ("lose", 0), "bet": ("lose", 0)}
    assert [(a.hand, a.amount_micros) for a in link.paid] == [("flush", 50 * DOLLAR)]
    told = [r.clause for r in result.records if r.step in ("verify", "validate", "award")]
    assert told == [f"PA2010 555.12({x})" for x in ("b)(1", "b)(2", "b)(3", "a")]


@pytest.mark.rule("PA2011 555.11(f)(1)")
async def test_without_a_qualified_dealer_progressive_hands_are_shown_and_paid_first() -> None:
    """The progressive is paid before the Antes; a seat without side wager stays face down."""
    link = linked()
    players = {1: Scripted("a", linked=("progressive",)), 2: Scripted("b")}
    cards = "Ks 9s 7s 6s 2s " + NOTHING.replace("8h", "8c") + ACE_QUEEN
    result = await play(CARIBBEAN, cards, players, progressive=link)
    order = [r.step for r in result.records if r.step in ("award", "call", "settle")]
    assert order == ["award", "call", "settle", "settle", "settle", "settle"]
    assert [r.seat for r in steps(result, "show")] == [1]


@pytest.mark.rule("PA2010 555.13(f)")
async def test_two_royal_flushes_share_the_meter() -> None:
    """Each gets half of it when the first is paid."""
    link = linked()
    players = {1: Scripted("a", linked=("progressive",)), 2: Scripted("b", linked=("progressive",))}
    cards = ROYAL + "Ah Kh Qh Jh Th " + "Ad Kd 8d 5c 3c"
    await play(CARIBBEAN, cards, players, progressive=link)
    assert [a.amount_micros for a in link.paid] == [5_000_700_000, 5_000_700_000]


@pytest.mark.rule("PA2011 555.11(g)")
async def test_hands_can_be_reconstructed() -> None:
    """Folded, losing and winning hands alike."""
    players = {1: Scripted("a", decisions={"bet": 0}), 2: Scripted("b"), 3: Scripted("c")}
    result = await play(CARIBBEAN, players=players)
    again = reconstructed(result)
    assert {f"seat {n}": seat.cards for n, seat in result.seats.items()} | {
        "dealer": result.dealer
    } == again


@pytest.mark.rule("PA2011 555.7(f)")
async def test_one_person_plays_one_hand() -> None:
    """A second box of the same person is refused."""
    result = await play(CARIBBEAN, players={1: Scripted("same"), 2: Scripted("same")})
    assert [r.clause for r in steps(result, "refuse")] == ["PA2011 555.7(f)"]
    assert not result.seats[2].cards


@pytest.mark.rule("PA2010 555.5(c)(2)")
@pytest.mark.rule("PA2010 555.5(d)")
async def test_cards_shuffled_by_hand_are_cut() -> None:
    """And those of a shuffler are not."""
    by_hand, _ = device_table(CARIBBEAN, Method.MANUAL_SHOE, ShufflerKind.NONE)
    assert clauses(await by_hand.play_round({1: Scripted()}), "cut") == ["PA2010 555.5(d)"]
    by_machine, _ = device_table(CARIBBEAN, Method.MANUAL_SHOE)
    assert not clauses(await by_machine.play_round({1: Scripted()}), "cut")
