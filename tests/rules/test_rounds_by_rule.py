"""Whole rounds through the core with links compiled from each chapter's rule file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from jackpot.core.commands import (
    ConfirmCollection,
    LockOut,
    OpenRound,
    PayPayout,
    Placed,
    PlaceWagers,
    SeatHand,
    Settle,
    ValidatePayout,
    VoidRound,
    Wager,
    WithdrawWagers,
)
from jackpot.core.events import RoundLocked, RoundSettled, RoundVoided, WagersPlaced
from jackpot.core.reasons import Reason
from jackpot.rules.hands import names
from jackpot.rules.site import load_site
from tests.core.floor import DOLLAR, Floor, cents, ok, reason

ROYAL = {suit: tuple(f"{rank}{suit}" for rank in "AKQJT") for suit in "cdhs"}
FOUR_ACES = ("As", "Ah", "Ad", "Ac", "2s")
FOUR_KINGS = ("Ks", "Kh", "Kd", "Kc", "3s")
NOTHING = {
    1: ("9c", "7d", "5h", "4s", "2c"),
    2: ("9d", "7h", "5s", "4c", "2d"),
    3: ("9h", "7s", "5c", "4d", "2h"),
    4: ("8c", "6d", "5d", "4h", "3c"),
    0: ("8d", "6h", "8h", "6c", "3d"),
}
OPEN = 'levels.main = { seed = "$10,000", reseed = "$10,000", primary = "%s" }'


@dataclass(frozen=True)
class Chapter:
    """A progressive of one chapter, and the clauses of that chapter by what a test shows."""

    rule: str
    bet: str
    link: str  # further lines of the link
    top: tuple[str, ...]  # a hand that wins the whole meter
    per_wager: str  # what six wagers of $1 add to the meter
    clauses: dict[str, str] = field(default_factory=dict)
    seats: int = 6

    def floor(self, folder: Path) -> Floor:
        """A floor with one table on one link of the chapter."""
        path = folder / "site.toml"
        path.write_text(
            f'[site]\nid = "s"\n[[links]]\nid = "link"\nrule = "{self.rule}"\nbet = "{self.bet}"\n'
            f'wager = "$1"\n{self.link}\n'
            f'[[tables]]\nid = "t"\nlinks = ["link"]\nseats = {self.seats}\n'
        )
        site = load_site(path)
        return Floor(names).open_up(list(site.links), list(site.tables))

    def wagers(self, *seats: int) -> list[Wager]:
        """A wager from each of these seats."""
        return [Wager(seat, self.bet, DOLLAR) for seat in seats]


PA_FIVE = Chapter(
    "pa-crazy-4-poker", "five-card-progressive", 'paytable = "A"', ROYAL["s"], "1.26",
    {
        "lock-out": "PA 657a.2(c)(1); PA 657a.2(c)(2); PA 657a.7(c); PA 657a.8(b); "
                    "PA 657a.9(a)(3); PA 657a.10(a)(2)",
        "validation": "PA 657a.11(e)(1); PA 657a.11(e)(2); PA 657a.11(e)(3); PA 657a.11(e)(4)",
        "any dealer": "PA 657a.11(e)",
        "envy": "PA 657a.11(e)(5); PA 657a.11(e)(5)(ii); PA 657a.1",
        "fold": "PA 657a.11(b)(2)", "abandoned": "PA 657a.7(b)", "deck": "PA 657a.3(a)",
        "turn": "PA 657a.12(e)(4); PA 657a.11(c)",
        "void": "PA 657a.8(h); PA 657a.9(f); PA 657a.10(f)",
    },
)  # fmt: skip
PA_FOUR = Chapter(
    "pa-crazy-4-poker", "four-card-progressive", 'paytable = "A"', FOUR_ACES, "1.74",
    {
        "lock-out": "PA 657a.7(c)", "validation": "PA 657a.11(e)(4)", "any dealer": "PA 657a.11(e)",
        "envy": "PA 657a.11(e)(5)(i); PA 657a.1", "fold": "PA 657a.11(b)(2)",
        "abandoned": "PA 657a.7(b)", "void": "PA 657a.13(c)",
    },
)  # fmt: skip
MA_FIVE = Chapter(
    "ma-crazy-4-poker", "five-card-progressive", OPEN % "21%", ROYAL["s"], "1.26",
    {
        "lock-out": "MA 6(c); MA 7(b); MA 8(a)(3); MA 9(a)(2)",
        "validation": "MA 10(e)(1); MA 10(e)(2); MA 10(e)(3); MA 10(e)(4)",
        "any dealer": "MA 10(e)", "envy": "MA 10(e)(5); MA 10(e)(5)(ii); MA 1",
        "fold": "MA 10(b)(2)", "abandoned": "MA 6(b)", "deck": "MA 2(a)",
        "turn": "MA 11(e)(4); MA 10(c)",
        "void": "MA 7(h); MA 8(f); MA 9(f)",
    },
)  # fmt: skip
MA_FOUR = Chapter(
    "ma-crazy-4-poker", "four-card-progressive", 'paytable = "B"\n' + OPEN % "29%", FOUR_ACES,
    "1.74",
    {
        "lock-out": "MA 6(c)", "validation": "MA 10(e)(4)", "any dealer": "MA 10(e)",
        "envy": "MA 10(e)(5)(i); MA 1", "fold": "MA 10(b)(2)", "abandoned": "MA 6(b)",
        "void": "MA 12(c)",
    },
)  # fmt: skip
PA_2011 = Chapter(
    "pa-2011-crazy-4-poker", "progressive", 'paytable = "A"\n' + OPEN % "29%", FOUR_ACES, "1.74",
    {
        "lock-out": "PA2011 573.2(c); PA2011 573.2(c)(1); PA2011 573.2(c)(2); PA2011 573.7(c); "
                    "PA2011 573.8(b); PA2011 573.9(a)(3); PA2011 573.10(a)(2)",
        "validation": "PA2011 573.11(e)(1); PA2011 573.11(e)(2); PA2011 573.11(e)(3); "
                      "PA2011 573.11(e)(4)",
        "any dealer": "PA2011 573.11(e)", "envy": "PA2011 573.11(e)(5); PA2011 573.1(i)",
        "fold": "PA2011 573.11(b)(2)", "abandoned": "PA2011 573.7(b)", "deck": "PA2011 573.3(a)",
        "void": "PA2011 573.8(h); PA2011 573.9(f); PA2011 573.10(f)",
    },
)  # fmt: skip
CARIBBEAN = Chapter(
    "pa-2011-caribbean-stud", "progressive",
    'pays = { straight-flush = "$5,000" }\n' + OPEN % "70%", ROYAL["s"], "4.20",
    {
        "lock-out": "PA2010 555.2(f)(1); PA2010 555.2(f)(2); PA2011 555.7(b); PA2010 555.8(b); "
                    "PA2010 555.9(a)(3); PA2010 555.10(a)(2)",
        "validation": "PA2010 555.12(a); PA2010 555.12(b)(1); PA2010 555.12(b)(2); "
                      "PA2010 555.12(b)(3); PA2011 555.11(f)(4)",
        "any dealer": "PA2010 555.12(c); PA2011 555.11(f)(1)",
        "fold": "PA2011 555.11(a)", "abandoned": "PA2011 555.7(g)", "deck": "PA2010 555.3(a)",
        "void": "PA2010 555.8(h); PA2010 555.9(f); PA2010 555.10(f)",
    },
)  # fmt: skip
ALL = (PA_FIVE, PA_FOUR, MA_FIVE, MA_FOUR, PA_2011, CARIBBEAN)


def by(subject: str) -> list[Any]:
    """The chapters that speak of a subject, each marked with its clauses."""
    return [
        pytest.param(
            chapter,
            id=f"{chapter.rule}-{chapter.bet}",
            marks=[pytest.mark.rule(one) for one in chapter.clauses[subject].split("; ")],
        )
        for chapter in ALL
        if subject in chapter.clauses
    ]


def settle(
    floor: Floor,
    hands: Mapping[int, tuple[str, ...]],
    fates: Mapping[int, Any] | None = None,
    dealer: tuple[str, ...] = NOTHING[0],
) -> RoundSettled:
    """Settle with these hands."""
    seats = tuple(
        SeatHand(seat, cards, (fates or {}).get(seat, "played")) for seat, cards in hands.items()
    )
    event = floor.play("t", Settle(seats, dealer))
    assert isinstance(event, RoundSettled), event
    return event


@pytest.mark.parametrize("chapter", by("lock-out"))
def test_no_wager_is_taken_after_lock_out_and_the_count_must_agree(
    chapter: Chapter, tmp_path: Path
) -> None:
    """Accepted ones are acknowledged; later ones refused; the meter grows when the chips agree."""
    floor = chapter.floor(tmp_path)
    start = floor.meter("link/main")
    ok(floor.play("t", OpenRound()))
    placed = ok(floor.play("t", PlaceWagers(tuple(chapter.wagers(*range(1, 7))))))
    assert isinstance(placed, WagersPlaced)
    assert [wager.seat for wager in placed.wagers] == [1, 2, 3, 4, 5, 6]
    ok(floor.play("t", LockOut()))
    late = floor.play("t", PlaceWagers(tuple(chapter.wagers(1))))
    assert reason(late) == Reason.LOCKED_OUT
    back = floor.play("t", WithdrawWagers((Placed(1, chapter.bet),)))
    assert reason(back) == Reason.LOCKED_OUT
    early = floor.play("t", Settle((), NOTHING[0]))
    assert reason(early) == Reason.NOT_COLLECTED
    for wrong in (5, 7):
        count = floor.play("t", ConfirmCollection({chapter.bet: wrong}))
        assert reason(count) == Reason.COLLECTION_MISMATCH
    assert floor.meter("link/main") == start
    ok(floor.play("t", ConfirmCollection({chapter.bet: 6})))
    grown = f"{float(start) + float(chapter.per_wager):.2f}"
    assert floor.meter("link/main") == grown


@pytest.mark.parametrize("chapter", by("validation"))
def test_a_jackpot_needs_a_floorperson_and_the_cage_and_holds_the_table(
    chapter: Chapter, tmp_path: Path
) -> None:
    """Only a lit seat wins; no payment before validation; no next round before it is documented."""
    floor = chapter.floor(tmp_path)
    floor.bets_in("t", chapter.wagers(1, 2))
    # Seat 3 holds a winning hand too, but has no lit lamp.
    dark = FOUR_KINGS if chapter.top == FOUR_ACES else ROYAL["h"]
    event = settle(floor, {1: NOTHING[1], 2: chapter.top, 3: dark})
    assert 3 not in {payout.seat for payout in event.payouts}
    (award,) = [payout for payout in event.payouts if payout.kind == "share"]
    assert (award.seat, award.source, award.needs_floorperson) == (2, "cage", True)
    assert reason(floor.operate(PayPayout(award.id, "F-1"))) == Reason.NOT_VALIDATED
    inventory = ValidatePayout(award.id, "floor-1", "inventory")
    assert reason(floor.operate(inventory)) == Reason.WRONG_SOURCE
    assert reason(floor.play("t", OpenRound())) == Reason.DOCUMENTATION_OPEN
    ok(floor.operate(ValidatePayout(award.id, "floor-1")))
    assert reason(floor.play("t", OpenRound())) == Reason.DOCUMENTATION_OPEN
    assert reason(floor.operate(PayPayout(award.id))) == Reason.FORM_REQUIRED
    ok(floor.operate(PayPayout(award.id, "F-1")))
    for payout in event.payouts:
        if payout.id != award.id:
            ok(floor.operate(ValidatePayout(payout.id, "floor-1")))
            ok(floor.operate(PayPayout(payout.id, "F-2")))
    ok(floor.play("t", OpenRound()))


@pytest.mark.parametrize("chapter", by("any dealer"))
def test_a_progressive_is_paid_whatever_the_dealer_holds(chapter: Chapter, tmp_path: Path) -> None:
    """A dealer with a higher hand, or one that does not qualify, changes nothing."""
    hands = {1: ("7s", "7h", "7d", "7c", "2d")}  # four of a kind
    paid = set()
    for dealer in (("Ks", "Kh", "Kd", "Kc", "3s"), NOTHING[4]):
        floor = chapter.floor(tmp_path)
        floor.bets_in("t", chapter.wagers(1))
        paid.add(
            tuple((p.kind, p.amount_micros) for p in settle(floor, hands, dealer=dealer).payouts)
        )
    assert len(paid) == 1
    assert [kind for kind, _ in paid.pop()] == ["fixed"]


@pytest.mark.parametrize("chapter", by("envy"))
def test_envy_goes_to_every_other_bettor_for_each_qualifying_hand(
    chapter: Chapter, tmp_path: Path
) -> None:
    """Not for one's own hand, nor the dealer's; once for each other player's qualifying hand."""
    floor = chapter.floor(tmp_path)
    floor.bets_in("t", chapter.wagers(1, 2, 3))
    other = FOUR_KINGS if chapter.top == FOUR_ACES else ROYAL["h"]
    dealer = ("Qs", "Qh", "Qd", "Qc", "5s") if chapter.top == FOUR_ACES else ROYAL["d"]
    # Seat 5 has a qualifying hand and no progressive wager: it gives envy and gets none.
    unlit = ("8s", "8h", "8d", "8c", "3h") if chapter.top == FOUR_ACES else ROYAL["c"]
    hands = {1: chapter.top, 2: other, 3: NOTHING[3], 5: unlit}
    event = settle(floor, hands, dealer=dealer)
    got: dict[int, list[str]] = {}
    for payout in event.payouts:
        if payout.kind == "envy":
            got.setdefault(payout.seat, []).append(cents(payout.amount_micros))
    link = floor.state.links["link"].config
    line = {one.hand: cents(one.amount_micros) for one in link.bets[0].envy}
    top = line["four-aces" if chapter.top == FOUR_ACES else "royal-flush"]
    low = line["four-of-a-kind" if chapter.top == FOUR_ACES else "royal-flush"]
    assert {seat: sorted(amounts) for seat, amounts in got.items()} == {
        1: [low, low],
        2: sorted([low, top]),
        3: sorted([low, low, top]),
    }


@pytest.mark.parametrize("chapter", by("fold"))
def test_a_fold_forfeits_the_award_and_the_increment_stays(
    chapter: Chapter, tmp_path: Path
) -> None:
    """Where the chapter has envy bonuses, the folded player still gets them."""
    floor = chapter.floor(tmp_path)
    floor.bets_in("t", chapter.wagers(1, 2))
    before = floor.meter("link/main")
    event = settle(floor, {1: (), 2: NOTHING[2]}, {1: "folded"})
    assert event.payouts == ()
    assert floor.meter("link/main") == before
    floor.bets_in("t", chapter.wagers(1, 2))
    event = settle(floor, {1: (), 2: chapter.top}, {1: "folded"})
    envied = [payout.seat for payout in event.payouts if payout.kind == "envy"]
    assert envied == ([1] if "envy" in chapter.clauses else [])


@pytest.mark.parametrize("chapter", by("abandoned"))
def test_an_abandoned_wager_loses(chapter: Chapter, tmp_path: Path) -> None:
    """A player who leaves wins nothing, not even envy; the increment stays."""
    floor = chapter.floor(tmp_path)
    floor.bets_in("t", chapter.wagers(1, 2))
    event = settle(floor, {1: (), 2: chapter.top}, {1: "abandoned"})
    assert {payout.seat for payout in event.payouts} == {2}


@pytest.mark.parametrize("chapter", by("turn"))
def test_two_jackpots_at_one_table_are_paid_one_after_the_other(
    chapter: Chapter, tmp_path: Path
) -> None:
    """From the dealer's right: the first gets the meter of that turn, the second the reseed."""
    floor = chapter.floor(tmp_path)
    floor.set_level("link/main", "25000.00")
    floor.bets_in("t", chapter.wagers(*range(1, 7)))
    hands = {2: ROYAL["h"], 6: ROYAL["s"], **{seat: NOTHING[seat] for seat in (1, 3, 4)}}
    hands[5] = ("8s", "6s", "3s", "3h", "7c")
    event = settle(floor, hands)
    shares = [(p.seat, cents(p.amount_micros)) for p in event.payouts if p.kind == "share"]
    assert shares == [(6, "25001.26"), (2, "10000.00")]
    assert floor.meter("link/main") == "10000.00"


@pytest.mark.rule("MA 11(d)(4)")
@pytest.mark.rule("PA2011 573.12(d)(4)")
@pytest.mark.rule("PA2011 573.11(c)")
@pytest.mark.rule("PA 657a.12(d)(4)")
@pytest.mark.parametrize("chapter", [PA_FOUR, MA_FOUR, PA_2011], ids=lambda one: one.rule)
def test_four_aces_win_the_meter_of_their_turn(chapter: Chapter, tmp_path: Path) -> None:
    """This round's increments included; a later four of a kind is fixed and leaves the meter."""
    floor = chapter.floor(tmp_path)
    floor.set_level("link/main", "12345.67")
    floor.bets_in("t", chapter.wagers(1, 2, 3, 4, 5, 6))
    hands = {1: FOUR_KINGS, 6: FOUR_ACES, 3: NOTHING[3], 4: NOTHING[4]}
    hands |= {2: ("9d", "7h", "5s", "4c", "2d"), 5: ("8s", "6s", "3h", "7c", "Td")}
    event = settle(floor, hands)
    won = [(p.seat, p.kind, cents(p.amount_micros)) for p in event.payouts if p.kind != "envy"]
    assert won == [(6, "share", "12347.41"), (1, "fixed", "300.00")]
    assert floor.meter("link/main") == cents(
        floor.state.links["link"].config.levels[0].reseed_micros
    )


@pytest.mark.rule("PA2010 555.13(f)")
def test_caribbean_stud_s_royals_share_when_the_first_is_paid(tmp_path: Path) -> None:
    """Each gets half of the meter, paid in the turn of the first."""
    floor = CARIBBEAN.floor(tmp_path)
    floor.set_level("link/main", "25000.00")
    floor.bets_in("t", CARIBBEAN.wagers(1, 2, 3, 4, 5, 6))
    hands = {2: ROYAL["h"], 6: ROYAL["s"], 1: NOTHING[1], 3: NOTHING[3], 4: NOTHING[4]}
    hands[5] = ("8s", "6s", "3s", "3h", "7c")
    event = settle(floor, hands)
    shares = [(p.seat, cents(p.amount_micros)) for p in event.payouts if p.kind == "share"]
    assert shares == [(6, "12502.10"), (2, "12502.10")]


@pytest.mark.parametrize("chapter", by("deck"))
def test_a_round_is_dealt_from_one_deck(chapter: Chapter, tmp_path: Path) -> None:
    """No card is in two hands, nor twice in one."""
    floor = chapter.floor(tmp_path)
    floor.bets_in("t", chapter.wagers(1, 2))
    for hands in ({1: NOTHING[1], 2: NOTHING[1]}, {1: NOTHING[1], 2: ("9d",) * 5}):
        seats = tuple(SeatHand(seat, cards) for seat, cards in hands.items())
        assert reason(floor.play("t", Settle(seats, NOTHING[0]))) == Reason.DUPLICATE_CARD
    seats = (SeatHand(1, NOTHING[1]), SeatHand(2, NOTHING[2]))
    assert reason(floor.play("t", Settle(seats, NOTHING[2]))) == Reason.DUPLICATE_CARD
    ok(floor.play("t", Settle(seats, NOTHING[0])))


@pytest.mark.parametrize("chapter", by("void"))
def test_a_misdeal_returns_all_wagers_and_takes_the_increments_back(
    chapter: Chapter, tmp_path: Path
) -> None:
    """After a void the meter is what it was before the round, and the wagers are returned."""
    floor = chapter.floor(tmp_path)
    start = floor.meter("link/main")
    floor.bets_in("t", chapter.wagers(1, 2, 3))
    assert floor.meter("link/main") != start
    event = ok(floor.play("t", VoidRound("misdeal", "floor-1")))
    assert isinstance(event, RoundVoided)
    assert event.returned_micros == 3 * DOLLAR
    assert floor.meter("link/main") == start
    ok(floor.play("t", OpenRound()))


BONUS = {
    "pa": Chapter(
        "pa-crazy-4-poker", "five-card-hand-bonus", 'magic_share = "100%"\nlucky_share = "100%"',
        ROYAL["s"], "",
    ),
    "ma": Chapter(
        "ma-crazy-4-poker", "five-card-hand-bonus",
        'magic_share = "100%"\nlucky_share = "100%"\n' + OPEN % "13%", ROYAL["s"], "",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    "chapter",
    [
        pytest.param(BONUS[source], marks=[pytest.mark.rule(one) for one in clauses])
        for source, clauses in (
            ("pa", ["PA 657a.1(i)", "PA 657a.1(ii)", "PA 657a.2(d)", "PA 657a.11(f)",
                    "PA 657a.11(f)(1)", "PA 657a.11(f)(2)", "PA 657a.11(f)(3)"]),
            ("ma", ["MA 1(i)", "MA 1(ii)", "MA 10(f)", "MA 10(f)(1)", "MA 10(f)(2)",
                    "MA 10(f)(3)"]),
        )
    ],
)  # fmt: skip
def test_the_hand_bonus_draws_a_card_and_a_position(chapter: Chapter, tmp_path: Path) -> None:
    """Magic pays who holds the card, Lucky who sits there; small ones need no floorperson."""
    floor = chapter.floor(tmp_path)
    own, dealers = chapter.bet, f"{chapter.bet}-dealer"
    ok(floor.play("t", OpenRound()))
    wagers = [Wager(seat, bet, DOLLAR) for seat in (1, 2) for bet in (own, dealers)]
    ok(floor.play("t", PlaceWagers(tuple(wagers))))
    locked = ok(floor.play("t", LockOut()))
    assert isinstance(locked, RoundLocked)
    assert locked.collected  # electronic: there are no chips to count
    assert reason(floor.play("t", PlaceWagers((Wager(3, own, DOLLAR),)))) == Reason.LOCKED_OUT
    card, position = locked.magic_card, locked.lucky_position
    assert card
    assert 0 <= position <= 6
    # Seat 1 holds the drawn card, whichever it is, seat 2 and the dealer do not.
    kept = [one for one in NOTHING[1] if one != card][:4]
    hands = {1: (card, *kept), 2: tuple("Ts" if one == card else one for one in NOTHING[2])}
    dealer = tuple("Td" if one == card else one for one in NOTHING[0])
    event = settle(floor, hands, dealer=dealer)
    magic = [(p.seat, p.bet, cents(p.amount_micros)) for p in event.payouts if p.kind == "magic"]
    assert magic == [(1, own, "20.00")]
    lucky = {(p.seat, p.bet, cents(p.amount_micros)) for p in event.payouts if p.kind == "lucky"}
    if position == 0:
        assert lucky == {(1, dealers, "5.00"), (2, dealers, "5.00")}
    else:
        assert lucky == ({(position, own, "5.00")} if position in (1, 2) else set())
    assert not any(p.needs_floorperson for p in event.payouts)
    assert {p.source for p in event.payouts} == {"account"}
    # Four of a kind pays 500 for 1, which a floorperson verifies; a full house does not.
    for cards, needs in ((FOUR_KINGS, True), (("Ks", "Kh", "Kd", "3c", "3s"), False)):
        ok(floor.play("t", OpenRound()))
        ok(floor.play("t", PlaceWagers((Wager(1, own, DOLLAR),))))
        ok(floor.play("t", LockOut()))
        event = settle(floor, {1: cards})
        (fixed,) = [payout for payout in event.payouts if payout.kind == "fixed"]
        assert (fixed.needs_floorperson, fixed.source) == (needs, "account")
        for payout in event.payouts:
            if payout.needs_floorperson:
                ok(floor.operate(ValidatePayout(payout.id, "floor-1")))
            ok(floor.operate(PayPayout(payout.id)))


LET_IT_RIDE = Chapter("pa-2010-let-it-ride", "bonus", "", (), "")


@pytest.mark.rule("PA2010 559.2(f)(1)")
@pytest.mark.rule("PA2010 559.2(f)(2)")
@pytest.mark.rule("PA2010 559.3(a)")
@pytest.mark.rule("PA2010 559.7(c)")
@pytest.mark.rule("PA2010 559.8(c)")
@pytest.mark.rule("PA2010 559.10(b)")
@pytest.mark.rule("PA2010 559.11(a)(3)")
@pytest.mark.rule("PA2010 559.12(a)(2)")
@pytest.mark.rule("PA2010 559.13(f)(1)")
@pytest.mark.rule("PA2010 559.14(d)")
def test_let_it_ride_s_bonus_is_locked_out_counted_and_paid_fixed_amounts(tmp_path: Path) -> None:
    """Without a meter, but with lock-out, count, and hands of three own and two common cards."""
    floor = LET_IT_RIDE.floor(tmp_path)
    ok(floor.play("t", OpenRound()))
    ok(floor.play("t", PlaceWagers(tuple(LET_IT_RIDE.wagers(1, 2)))))
    ok(floor.play("t", LockOut()))
    late = floor.play("t", PlaceWagers(tuple(LET_IT_RIDE.wagers(3))))
    assert reason(late) == Reason.LOCKED_OUT
    assert reason(floor.play("t", ConfirmCollection({"bonus": 1}))) == Reason.COLLECTION_MISMATCH
    ok(floor.play("t", ConfirmCollection({"bonus": 2})))
    twice = (SeatHand(1, ("As", "Ks", "Qs")), SeatHand(2, ("Js", "Td", "2c")))
    doubled = floor.play("t", Settle(twice, (), ("Js", "Ts")))
    assert reason(doubled) == Reason.DUPLICATE_CARD
    hands = (SeatHand(1, ("As", "Ks", "Qs")), SeatHand(2, ("Jh", "Td", "2c")))
    event = floor.play("t", Settle(hands, (), ("Js", "Ts")))
    assert isinstance(event, RoundSettled), event
    assert [(p.seat, p.kind, cents(p.amount_micros)) for p in event.payouts] == [
        (1, "fixed", "25000.00")
    ]


@pytest.mark.rule("PA2010 559.7(b)")
@pytest.mark.rule("PA2010 559.10(h)")
@pytest.mark.rule("PA2010 559.11(f)")
@pytest.mark.rule("PA2010 559.12(f)")
def test_let_it_ride_s_bonus_is_void_or_abandoned_like_any_other(tmp_path: Path) -> None:
    """A void returns the wagers; a player who left wins nothing."""
    floor = LET_IT_RIDE.floor(tmp_path)
    floor.bets_in("t", LET_IT_RIDE.wagers(1, 2))
    event = ok(floor.play("t", VoidRound("misdeal", "floor-1")))
    assert isinstance(event, RoundVoided)
    assert event.returned_micros == 2 * DOLLAR
    floor.bets_in("t", LET_IT_RIDE.wagers(1))
    settled = floor.play("t", Settle((SeatHand(1, (), "abandoned"),), (), ("Js", "Ts")))
    assert isinstance(settled, RoundSettled), settled
    assert settled.payouts == ()


@pytest.mark.rule("PA2011 555.11(c)")
def test_players_who_tell_each_other_their_cards_forfeit(tmp_path: Path) -> None:
    """A forfeited hand wins nothing, however good; the others' do."""
    floor = CARIBBEAN.floor(tmp_path)
    floor.bets_in("t", CARIBBEAN.wagers(1, 2))
    hands = {1: ROYAL["s"], 2: ("7s", "7h", "7d", "7c", "2d")}
    event = settle(floor, hands, {1: "forfeited"})
    assert [(p.seat, cents(p.amount_micros)) for p in event.payouts] == [(2, "500.00")]


@pytest.mark.rule("PA2011 573.1(i)")
@pytest.mark.rule("PA2011 573.1(ii)")
@pytest.mark.parametrize(("paytable", "count"), [("A", 1), ("B", 0)])
def test_a_straight_flush_gives_envy_only_where_the_paytable_has_it(
    tmp_path: Path, paytable: str, count: int
) -> None:
    """Four of a kind always does; a straight flush under paytable A and not under B."""
    link = f'paytable = "{paytable}"\n' + OPEN % "29%"
    chapter = Chapter("pa-2011-crazy-4-poker", "progressive", link, (), "")
    floor = chapter.floor(tmp_path)
    floor.bets_in("t", chapter.wagers(1, 2))
    event = settle(floor, {1: NOTHING[1], 2: ("Ks", "Qs", "Js", "Ts", "2h")})
    assert len([p for p in event.payouts if p.kind == "envy"]) == count
