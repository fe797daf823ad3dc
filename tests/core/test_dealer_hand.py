"""Bets on the dealer's hand: one award, fixed at the first turn, divided among players."""

import pytest

from jackpot.core.commands.table import SeatHand, Wager
from jackpot.core.events.table import RoundSettled
from tests.core.floor import DOLLAR, Floor, all_bet, cents, hand, hand_bonus, ok, table


def floor_at(meter: str = "10000.00", reserve: str = "0") -> Floor:
    """A table on the hand bonus."""
    floor = Floor().open_up([hand_bonus()], [table("t1", "hb")])
    floor.set_level("hb/main", meter, reserve)
    return floor


def on_dealer(*seats: int, player: str = "") -> list[Wager]:
    """Wagers on the dealer's hand."""
    return [Wager(seat, "hb-dealer", DOLLAR, player) for seat in seats]


def shares(event: RoundSettled) -> list[tuple[int, int, str]]:
    """Seat, holder and amount of every percentage award, in payment order."""
    return [(p.seat, p.holder, cents(p.amount_micros)) for p in event.payouts if p.kind == "share"]


@pytest.mark.rule("PA 657a.12(f)(2)")
@pytest.mark.rule("MA 11(f)(2)")
def test_a_jackpot_is_divided_equally_among_those_who_bet_on_the_dealer() -> None:
    """Floor shares of one award; the residue stays on the meter with the reserve."""
    floor = floor_at("10000.00", "80.00")
    floor.bets_in("t1", [*on_dealer(6, 4, 1), Wager(3, "hb-player", DOLLAR)])
    event = floor.settle("t1", dealer="royal-flush")
    # 10,000.52 on the meter: three shares of 3,333.50 leave two cents.
    assert shares(event) == [(6, 0, "3333.50"), (4, 0, "3333.50"), (1, 0, "3333.50")]
    assert floor.meter("hb/main") == "80.34"  # residue 0.02, reserve 80.32
    assert floor.balance("hb/main/reserve") == "0.00"
    assert event.paid_full == ("hb/main",)


@pytest.mark.rule("PA 657a.12(f)(2)")
def test_a_tenth_is_taken_once_and_divided() -> None:
    """Three bettors on the dealer's straight flush share one tenth, not one each."""
    floor = floor_at()
    floor.bets_in("t1", on_dealer(6, 4, 1))
    event = floor.settle("t1", dealer="straight-flush")
    assert shares(event) == [(6, 0, "333.34"), (4, 0, "333.34"), (1, 0, "333.34")]
    assert floor.meter("hb/main") == "9000.37"  # 10,000.39 less 1,000.02
    assert event.paid_full == ()


def test_a_player_with_two_boxes_has_one_share() -> None:
    """Players divide, not boxes; the share falls to the box whose turn is first."""
    floor = floor_at()
    floor.bets_in("t1", [*on_dealer(6, 5, player="ann"), *on_dealer(2)])
    event = floor.settle("t1", dealer="straight-flush")
    assert shares(event) == [(6, 0, "500.01"), (2, 0, "500.01")]
    assert [p.player for p in event.payouts] == ["ann", "seat 2"]


def test_without_a_bettor_there_is_no_award() -> None:
    """A dealer's royal that nobody bet on takes nothing from the meter."""
    floor = floor_at()
    floor.bets_in("t1", all_bet("hb-player"))
    event = floor.settle("t1", dealer="royal-flush")
    assert not event.payouts
    assert event.settlement is None
    assert floor.meter("hb/main") == "10000.78"


def test_at_one_turn_the_own_hand_comes_first() -> None:
    """The player's tenth is taken before the dealer's hundred, at the same seat."""
    floor = floor_at("1000.00")
    floor.bets_in("t1", [*on_dealer(4), Wager(4, "hb-player", DOLLAR)])
    event = floor.settle("t1", hand(4, "straight-flush"), dealer="royal-flush")
    assert shares(event) == [(4, 4, "100.02"), (4, 0, "900.24")]
    assert [cents(p.meter_before_micros) for p in event.payouts] == ["1000.26", "900.24"]


def test_the_award_is_fixed_at_the_first_turn_of_a_bettor_on_the_dealer() -> None:
    """A lower seat's own royal finds the meter that the dealer's jackpot left."""
    floor = floor_at("1000.00", "50.00")
    floor.bets_in(
        "t1", [*on_dealer(5, 1), Wager(6, "hb-player", DOLLAR), Wager(1, "hb-player", DOLLAR)]
    )
    event = floor.settle(
        "t1", hand(6, "straight-flush"), hand(1, "royal-flush"), dealer="royal-flush"
    )
    assert shares(event) == [
        (6, 6, "100.05"),
        (5, 0, "450.23"),
        (1, 0, "450.23"),
        (1, 1, "50.33"),
    ]


@pytest.mark.rule("PA 657a.7(b)")
@pytest.mark.parametrize(
    ("fate", "counted"), [("folded", True), ("abandoned", False), ("forfeited", False)]
)
def test_leaving_the_table_leaves_the_division(fate: str, counted: bool) -> None:
    """A fold keeps the share; an abandoned or forfeited wager has none."""
    floor = floor_at()
    floor.bets_in("t1", on_dealer(6, 2))
    away = SeatHand(6, (), "folded") if fate == "folded" else hand(6, "nothing", fate)
    event = floor.settle("t1", away, dealer="straight-flush")
    assert [seat for seat, _, _ in shares(event)] == ([6, 2] if counted else [2])


@pytest.mark.rule("PA 657a.12(f)(1)")
def test_a_fixed_award_on_the_dealers_hand_is_each_boxs_own() -> None:
    """500 for 1 is paid to every wager, two boxes of one player included."""
    floor = floor_at()
    floor.bets_in("t1", [*on_dealer(6, 5, player="ann"), *on_dealer(1)])
    event = floor.settle("t1", dealer="four-of-a-kind")
    assert [(p.seat, cents(p.amount_micros)) for p in event.payouts] == [
        (6, "500.00"),
        (5, "500.00"),
        (1, "500.00"),
    ]
    assert {p.cards[0] for p in event.payouts} == {"0:four-of-a-kind:0"}


@pytest.mark.parametrize(("meter", "alarm"), [("999.73", True), ("999.74", False)])
def test_the_alarm_of_a_low_meter_goes_by_the_whole_award(meter: str, alarm: bool) -> None:
    """Two shares of 500.00 are a jackpot of 1,000.00, a tenth of the seed."""
    floor = floor_at(meter)
    floor.bets_in("t1", on_dealer(6, 2))
    assert bool(floor.settle("t1", dealer="royal-flush").alarms) == alarm


@pytest.mark.rule("PA 657a.12(f)(2)")
def test_a_share_moves_to_the_players_other_box_with_its_turn() -> None:
    """When the box of a share is void, the player has it at the other one, at that one's turn."""
    floor = Floor().open_up([hand_bonus()], [table("t1", "hb", boxes=2)])
    two = [Wager(seat, "hb-dealer", DOLLAR, "ann") for seat in (6, 5)]
    floor.bets_in("t1", [*two, Wager(5, "hb-player", DOLLAR, "ann"), *on_dealer(2)])
    event = floor.settle("t1", hand(5, "straight-flush"), dealer="straight-flush")
    # At seat 6's turn a tenth of 10,000.52 for two; then seat 5's own tenth of what is left.
    assert shares(event) == [(6, 0, "500.02"), (2, 0, "500.02"), (5, 5, "900.04")]
    ok(floor.void_seat("t1", 6, "WRONG_CARD_COUNT"))
    due = sorted((p.seat, p.holder, cents(p.amount_micros)) for p in floor.state.payouts.values())
    # Seat 5's own hand now comes first: a tenth of 10,000.39, and then one of what is left.
    assert due == [(2, 0, "450.01"), (5, 0, "450.01"), (5, 5, "1000.03")]
    assert {hit.seat for hit in floor.state.hits} == {2, 5}
    assert floor.replayed() == floor.state
