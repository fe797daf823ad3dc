"""Whatever is taken back of a random round, in whatever order, leaves it as if it had not been."""

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from jackpot.core.commands.operator import RejectPayout
from jackpot.core.commands.table import SeatHand, Wager
from tests.core.floor import DOLLAR, Floor, caribbean, five_card_a, hand, hand_bonus, ok, table

HANDS = ["nothing", "full-house", "four-of-a-kind", "straight-flush", "royal-flush"]
BETS = ["a-five", "cs-bet", "hb-player", "hb-dealer"]
FATES = ["played", "played", "played", "folded", "abandoned"]
SEATS = range(1, 7)


class Deal(msgspec.Struct):
    """A round to play: who bets what, who holds what, how each seat ends."""

    bets: dict[int, list[str]]
    held: dict[int, str]
    fates: dict[int, str]
    dealer: str
    meter: str
    limit: int
    fund: bool


def by_seat(values: st.SearchStrategy[object]) -> st.SearchStrategy[dict[int, object]]:
    """Something for every seat."""
    return st.fixed_dictionaries(dict.fromkeys(SEATS, values))


deals = st.builds(
    Deal,
    bets=by_seat(st.lists(st.sampled_from(BETS), unique=True)),
    held=by_seat(st.sampled_from(HANDS)),
    fates=by_seat(st.sampled_from(FATES)),
    dealer=st.sampled_from(HANDS),
    meter=st.sampled_from(["0.00", "399.99", "12345.67"]),
    limit=st.sampled_from([0, 10_000 * DOLLAR, 12_346 * DOLLAR]),
    fund=st.booleans(),
)


def started(deal: Deal) -> Floor:
    """A table on three links, before the round."""
    mode = "fund" if deal.fund else "add"
    links = [
        five_card_a(limit_micros=deal.limit, reserve_bps=500, reserve_mode=mode),
        caribbean(limit_micros=deal.limit, reserve_bps=300),
        hand_bonus(drawn_bps=10_000),
    ]
    floor = Floor().open_up(links, [table("t1", "a", "cs", "hb")])
    for name in ("a/main", "cs/main", "hb/main"):
        floor.set_level(name, deal.meter, "80.00")
    return floor


def played(deal: Deal, without: set[int]) -> Floor:
    """The round, as if some seats were empty."""
    floor = started(deal)
    seats = [seat for seat in SEATS if seat not in without]
    floor.bets_in("t1", [Wager(seat, bet, DOLLAR) for seat in seats for bet in deal.bets[seat]])
    floor.settle("t1", *(held_by(deal, seat) for seat in seats), dealer=deal.dealer)
    return floor


def held_by(deal: Deal, seat: int) -> SeatHand:
    """A seat's cards and fate."""
    return hand(seat, deal.held[seat], deal.fates[seat])


def books(floor: Floor) -> tuple[dict[str, int], list[Any]]:
    """Every account, and what is due to whom for what at which meter."""
    due = sorted(
        (p.seat, p.bet, p.kind, p.hand, p.holder, p.amount_micros, p.meter_before_micros)
        for p in floor.state.payouts.values()
    )
    return {account: micros for account, micros in floor.state.balances.items() if micros}, due


@given(deals, st.lists(st.sampled_from(SEATS), min_size=1, max_size=3, unique=True))
def test_seats_voided_one_after_the_other_were_never_there(deal: Deal, void: list[int]) -> None:
    """The order of the voids does not matter, nor how many levels each of them touches."""
    floor = played(deal, set())
    for seat in void:
        ok(floor.void_seat("t1", seat, "WRONG_CARD_COUNT"))
    assert books(floor) == books(played(deal, set(void)))


@given(deals, st.sampled_from(SEATS), st.sampled_from(SEATS), st.booleans())
def test_a_void_seat_and_a_misread_hand_were_never_there(
    deal: Deal, void: int, misread: int, void_first: bool
) -> None:
    """A rejection after a void, or before it, comes to what neither would have been."""
    floor = played(deal, set())

    def take_seat() -> None:
        ok(floor.void_seat("t1", void, "WRONG_CARD_COUNT"))

    if void_first:
        take_seat()
    for link in ("a", "cs", "hb"):
        wrong = [
            p.id
            for p in floor.state.payouts.values()
            if (p.link, p.holder) == (link, misread) and p.kind != "lucky"
        ]
        if wrong:
            ok(floor.operate(RejectPayout(wrong[0], "hand-misread", "flo")))
    if not void_first:
        take_seat()
    right = msgspec.structs.replace(deal, held=deal.held | {misread: "nothing"})
    assert books(floor) == books(played(right, {void}))


@given(deals, st.lists(st.sampled_from(SEATS), max_size=2, unique=True))
def test_a_void_round_leaves_no_trace_of_its_void_seats_either(deal: Deal, void: list[int]) -> None:
    """What seats took back before is not taken back again."""
    before = books(started(deal))
    floor = played(deal, set())
    for seat in void:
        ok(floor.void_seat("t1", seat, "WRONG_CARD_COUNT"))
    ok(floor.void_round("t1", "MISDEAL"))
    assert books(floor) == before
