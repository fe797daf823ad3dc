"""Settle: every check in its order, what each fate leaves a bet, and what a payout says."""

import msgspec
import pytest

from jackpot.core.commands.table import (
    LockOut,
    OpenRound,
    PlaceWagers,
    SeatHand,
    Settle,
    Wager,
)
from jackpot.core.config import Bet, Link, PayLine, Table
from jackpot.core.events import Refused
from jackpot.core.events.table import RoundSettled
from jackpot.core.reasons import Reason
from tests.core.floor import (
    DOLLAR,
    Floor,
    all_bet,
    cards,
    cents,
    five_card_a,
    hand,
    hand_bonus,
    ok,
    reason,
    table,
)

NO_CARDS: tuple[str, ...] = ()


def collected(*wagers: Wager, void: int = 0) -> Floor:
    """A table on a progressive and a hand bonus with these wagers collected."""
    floor = Floor().open_up([five_card_a(), hand_bonus()], [table("t1", "a", "hb")])
    floor.bets_in("t1", list(wagers))
    if void:
        ok(floor.void_seat("t1", void, "MISDEAL"))
    return floor


FIVE_AT_1 = Wager(1, "a-five", DOLLAR)
DEALER_AT_2 = Wager(2, "hb-dealer", DOLLAR)
GOOD = (hand(1, "nothing"), hand(2, "nothing"))


@pytest.mark.rule("PA 657a.13(c)")
@pytest.mark.parametrize(
    ("hands", "dealer", "why", "details"),
    [
        # Each row is wrong in its own way and in the way of the row below it too.
        (
            (*GOOD, SeatHand(7), SeatHand(7)),
            NO_CARDS,
            Reason.UNKNOWN_SEAT,
            {"table": "t1", "seat": "7"},
        ),
        ((hand(2, "nothing"), SeatHand(2)), NO_CARDS, Reason.SEAT_NOT_IN_ROUND, {"seat": "2"}),
        ((hand(1, "nothing"), SeatHand(3)), NO_CARDS, Reason.SEAT_NOT_IN_ROUND, {"seat": "3"}),
        ((hand(1, "nothing"),), cards(1, "nothing"), Reason.HAND_MISSING, {"seat": "2"}),
        (
            (SeatHand(1), hand(2, "nothing")),
            cards(2, "nothing"),
            Reason.HAND_MISSING,
            {"seat": "1"},
        ),
        (
            (SeatHand(1, cards(1, "nothing")[:4]), hand(2, "nothing")),
            cards(2, "nothing"),
            Reason.WRONG_CARD_COUNT,
            {"seat": "1", "cards": "4", "expected": "5"},
        ),
        (
            (SeatHand(1, (*cards(1, "nothing"), "x")), hand(2, "nothing")),
            cards(0, "nothing"),
            Reason.WRONG_CARD_COUNT,
            {"seat": "1", "cards": "6", "expected": "5"},
        ),
        (
            (hand(1, "nothing"), SeatHand(2)),
            cards(0, "nothing"),
            Reason.WRONG_CARD_COUNT,
            {"seat": "2", "cards": "0", "expected": "5"},
        ),
        (
            (hand(1, "nothing"), SeatHand(2, ("x",), "folded")),
            cards(0, "nothing"),
            Reason.WRONG_CARD_COUNT,
            {"seat": "2", "cards": "1", "expected": "5"},
        ),
        (GOOD, NO_CARDS, Reason.WRONG_CARD_COUNT, {"seat": "0", "cards": "0", "expected": "5"}),
        (GOOD, cards(1, "nothing"), Reason.DUPLICATE_CARD, {"card": "1:nothing:0"}),
    ],
)
def test_wrong_hands_are_refused_by_the_first_check_that_fails(
    hands: tuple[SeatHand, ...], dealer: tuple[str, ...], why: Reason, details: dict[str, str]
) -> None:
    """Seat, round, missing hands, counts, duplicates, in that order; no award is made."""
    floor = collected(FIVE_AT_1, DEALER_AT_2, void=3)
    before = dict(floor.state.balances)
    answer = floor.play("t1", Settle(hands, dealer))
    assert isinstance(answer, Refused)
    assert (answer.reason, answer.details) == (why, details)
    assert floor.state.balances == before
    ok(floor.play("t1", Settle(GOOD, cards(0, "nothing"))))


def test_a_hand_given_twice_is_refused_even_if_nobody_saw_it() -> None:
    """The same seat twice is wrong by what it says, not by which object says it."""
    floor = collected(FIVE_AT_1)
    unseen = SeatHand(3, (), "folded")
    answer = floor.play("t1", Settle((hand(1, "nothing"), unseen, unseen)))
    assert reason(answer) == Reason.SEAT_NOT_IN_ROUND


def test_the_order_of_steps_is_kept() -> None:
    """No settlement before lock-out and collection, and only one."""
    floor = Floor().open_up([five_card_a()], [table("t1", "a")])
    settle = Settle((hand(1, "nothing"),), cards(0, "nothing"))
    assert reason(floor.play("t1", settle)) == Reason.NO_ROUND
    ok(floor.play("t1", OpenRound()))
    assert reason(floor.play("t1", settle)) == Reason.NOT_LOCKED_OUT
    ok(floor.play("t1", PlaceWagers((FIVE_AT_1,))))
    ok(floor.play("t1", LockOut()))
    assert reason(floor.play("t1", settle)) == Reason.NOT_COLLECTED
    floor.confirm("t1")
    ok(floor.play("t1", settle))
    assert reason(floor.play("t1", settle)) == Reason.ALREADY_SETTLED


def test_the_dealer_may_stay_unseen_where_nobody_bet_on_the_dealer() -> None:
    """A hand that no bet is about need not be told; told, it must be whole."""
    floor = collected(FIVE_AT_1)
    short = Settle((hand(1, "nothing"),), cards(0, "nothing")[:3])
    assert reason(floor.play("t1", short)) == Reason.WRONG_CARD_COUNT
    ok(floor.play("t1", Settle((hand(1, "nothing"),))))


def test_a_seat_that_only_bet_on_the_dealer_may_fold_unseen() -> None:
    """Its own cards decide nothing."""
    floor = collected(DEALER_AT_2)
    event = floor.settle("t1", SeatHand(2, (), "folded"), dealer="four-of-a-kind")
    assert [(p.seat, cents(p.amount_micros)) for p in event.payouts] == [(2, "500.00")]


@pytest.mark.rule("PA 657a.11(b)(3)")
def test_a_folded_hand_with_a_live_bonus_must_be_shown() -> None:
    """A fold does not forfeit the bonus, so its cards stay on the layout and are needed."""
    floor = collected(Wager(2, "hb-player", DOLLAR))
    unseen = Settle((SeatHand(2, (), "folded"),))
    assert reason(floor.play("t1", unseen)) == Reason.HAND_MISSING
    assert floor.settle("t1", hand(2, "full-house", "folded")).payouts[0].seat == 2


def community_floor() -> Floor:
    """Three cards a seat and two in common."""
    bet = Bet("bonus", "five-card", (PayLine("full-house", pays_for=10),))
    floor = Floor(lambda _, held: ("full-house",) if len(held) == 5 else ())
    link = Link("b", "b", "test", DOLLAR, (), (bet,))
    floor.open_up([link], [Table("t1", "test", ("b",), 6, 3, community_cards=2)])
    floor.bets_in("t1", [Wager(1, "bonus", DOLLAR)])
    return floor


@pytest.mark.rule("PA 657a.11(g)")
@pytest.mark.parametrize(
    ("community", "why"),
    [
        (("x",), Reason.WRONG_CARD_COUNT),
        (("x", "y", "z"), Reason.WRONG_CARD_COUNT),
        (("x", "x"), Reason.DUPLICATE_CARD),
        (("x", "p"), Reason.DUPLICATE_CARD),
    ],
)
def test_common_cards_are_counted_and_compared(community: tuple[str, ...], why: Reason) -> None:
    """Too few, too many, or one that somebody holds is refused."""
    floor = community_floor()
    answer = floor.play("t1", Settle((SeatHand(1, ("p", "q", "r")),), (), community))
    assert reason(answer) == why


def test_common_cards_make_up_every_hand() -> None:
    """A link without a level pays its fixed awards all the same."""
    floor = community_floor()
    event = ok(floor.play("t1", Settle((SeatHand(1, ("p", "q", "r")),), (), ("x", "y"))))
    assert isinstance(event, RoundSettled)
    assert [cents(p.amount_micros) for p in event.payouts] == ["10.00"]
    assert (event.paid_full, event.alarms) == ((), ())


def fold_keeps(link: Link) -> Link:
    """The same link, whose bets a fold does not forfeit."""
    bets = tuple(msgspec.structs.replace(bet, fold_forfeits=False) for bet in link.bets)
    return msgspec.structs.replace(link, bets=bets)


@pytest.mark.rule("PA 657a.7(b)")
@pytest.mark.rule("PA 657a.11(b)(2)")
@pytest.mark.rule("PA2011 555.11(c)")
@pytest.mark.rule("MA 10(b)(2)")
@pytest.mark.parametrize("forfeits", [True, False])
@pytest.mark.parametrize("fate", ["played", "folded", "abandoned", "forfeited"])
def test_what_a_fate_leaves_of_a_wager(fate: str, forfeits: bool) -> None:
    """A fold takes a bet that it forfeits; leaving or cheating takes any. Increments stay."""
    link = five_card_a() if forfeits else fold_keeps(five_card_a())
    floor = Floor().open_up([link], [table("t1", "a")])
    floor.bets_in("t1", [Wager(3, "a-five", DOLLAR)])
    event = floor.settle("t1", hand(3, "four-of-a-kind", fate))
    wins = fate == "played" or (fate == "folded" and not forfeits)
    assert [cents(p.amount_micros) for p in event.payouts] == ["300.00"] * wins
    assert floor.meter("a/main") == "10000.21"


@pytest.mark.rule("PA 657a.12(e)(2)")
def test_a_hand_wins_its_highest_line_only() -> None:
    """Whatever else a hand may be called, one row of the paytable pays."""
    floor = Floor(lambda *_: ("full-house", "four-of-a-kind"))
    floor.open_up([five_card_a()], [table("t1", "a")])
    floor.bets_in("t1", [FIVE_AT_1])
    event = floor.settle("t1")
    assert [(p.hand, cents(p.amount_micros)) for p in event.payouts] == [
        ("four-of-a-kind", "300.00")
    ]


@pytest.mark.rule("PA 657a.11(c)")
@pytest.mark.rule("PA2011 555.11(f)(2)")
def test_payment_goes_from_the_highest_seat_to_the_lowest() -> None:
    """The dealer pays from the right, at each seat the table's links in their order."""
    wagers = [Wager(s, b, DOLLAR) for s in (1, 6, 3) for b in ("hb-dealer", "hb-player", "a-five")]
    floor = collected(*wagers)
    held = [hand(s, "full-house") for s in (3, 1, 6)]
    event = floor.settle("t1", *held, dealer="full-house")
    order = [(s, b) for s in (6, 3, 1) for b in ("a-five", "hb-player", "hb-dealer")]
    assert [(p.seat, p.bet) for p in event.payouts] == order
    assert [p.id for p in event.payouts] == list(range(1, 10))


@pytest.mark.rule("PA 657a.11(e)(3)")
@pytest.mark.rule("PA 657a.11(e)(4)")
@pytest.mark.rule("PA 657a.11(f)(2)")
@pytest.mark.rule("PA 657a.11(f)(3)")
@pytest.mark.parametrize(
    ("bet", "held", "source", "floorperson"),
    [
        ("a-five", "royal-flush", "cage", True),
        ("a-five", "straight-flush", "cage", True),
        ("a-five", "full-house", "inventory", True),
        ("hb-player", "straight-flush", "cage", True),
        ("hb-player", "four-of-a-kind", "account", True),
        ("hb-player", "full-house", "account", False),
    ],
)
def test_each_award_says_from_where_and_who_must_see_it(
    bet: str, held: str, source: str, floorperson: bool
) -> None:
    """A percentage is the cage's; a hand bonus below 500 for 1 needs no floorperson."""
    event = collected(Wager(1, bet, DOLLAR)).settle("t1", hand(1, held))
    (payout,) = event.payouts
    assert (payout.source, payout.needs_floorperson) == (source, floorperson)


def test_a_payout_tells_all_about_itself() -> None:
    """Whose, for what, by which cards, from which meter, since when."""
    floor = collected(*all_bet("a-five"))
    envy = floor.settle("t1", hand(2, "straight-flush")).payouts[-1]
    own = next(p for p in floor.state.payouts.values() if p.kind == "share")
    assert msgspec.structs.asdict(own) | {"id": 0} == {
        "id": 0,
        "table": "t1",
        "round": 1,
        "link": "a",
        "level": "main",
        "bet": "a-five",
        "kind": "share",
        "hand": "straight-flush",
        "seat": 2,
        "player": "seat 2",
        "cards": cards(2, "straight-flush"),
        "amount_micros": 1_000_120_000,
        "meter_before_micros": 10_001_260_000,
        "source": "cage",
        "needs_floorperson": True,
        "holder": 2,
        "share_bps": 1_000,
        "floorperson": "",
        "since_micros": floor.clock,
        "account": "",
        "role": "",
    }
    assert (envy.cards, envy.holder, envy.level) == (cards(2, "straight-flush"), 2, "")


def test_a_sign_learns_of_percentage_awards_only() -> None:
    """Each is a hit with its level and amount, and is counted."""
    floor = collected(*all_bet("a-five"))
    floor.settle("t1", hand(4, "straight-flush"), hand(2, "full-house"))
    (hit,) = floor.state.hits
    assert (hit.seat, hit.link, hit.level, hit.hand) == (4, "a", "main", "straight-flush")
    assert (cents(hit.amount_micros), hit.status, hit.time_micros) == (
        "1000.12",
        "pending",
        floor.clock,
    )
    assert floor.state.links["a"].hit_count == 1
    assert floor.state.links["a"].last_hit == {}
