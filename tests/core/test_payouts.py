"""An award on its way to a player: validated in order, paid once, from where it may be."""

import msgspec
import pytest

from jackpot.core.commands.operator import PayPayout, RejectPayout, ValidatePayout
from jackpot.core.commands.table import OpenRound, Wager
from jackpot.core.config import EnvyLine
from jackpot.core.events import AnyEvent, Refused
from jackpot.core.events.operator import PayoutPaid, PayoutValidated
from jackpot.core.reasons import Reason, Refusal
from jackpot.core.state import Payout
from tests.core.floor import (
    DOLLAR,
    Floor,
    all_bet,
    five_card_a,
    hand,
    hand_bonus,
    ok,
    reason,
    table,
)


def settled(*held: tuple[int, str], bet: str = "a-five", dealer: str = "nothing") -> Floor:
    """A round that all six seats bet on, settled with these hands."""
    floor = Floor().open_up([five_card_a(), hand_bonus()], [table("t1", "a", "hb")])
    floor.bets_in("t1", all_bet(bet))
    floor.settle("t1", *(hand(seat, name) for seat, name in held), dealer=dealer)
    return floor


def due(floor: Floor, seat: int, kind: str = "share") -> Payout:
    """The open payout of a seat."""
    return next(p for p in floor.state.payouts.values() if (p.seat, p.kind) == (seat, kind))


def validate(floor: Floor, payout: int, **fields: object) -> AnyEvent | Refusal:
    """A floorperson's word."""
    command = {"type": "ValidatePayout", "payout": payout, "floorperson": "flo"} | fields
    return floor.operate(msgspec.convert(command, ValidatePayout))


@pytest.mark.rule("PA 657a.11(e)(3)")
@pytest.mark.rule("MA 10(e)(3)")
@pytest.mark.rule("PA2010 555.12(b)(3)")
@pytest.mark.rule("PA2011 573.11(e)(3)")
def test_a_progressive_award_is_paid_only_after_a_floorperson_validated_it() -> None:
    """Validated once, paid once; the money goes from pending to the player."""
    floor = settled((3, "straight-flush"))
    own = due(floor, 3)
    assert reason(floor.operate(PayPayout(own.id, "F-1"))) == Reason.NOT_VALIDATED
    assert validate(floor, own.id) == PayoutValidated(own.id, "flo", "cage", own.amount_micros)
    again = validate(floor, own.id, floorperson="eve")
    assert isinstance(again, Refused)
    assert (again.reason, again.details["by"]) == (Reason.ALREADY_VALIDATED, "flo")
    players = floor.state.balances["a/players"]
    event = ok(floor.operate(PayPayout(own.id, "F-1")))
    assert isinstance(event, PayoutPaid)
    assert (event.form, event.source, event.amount_micros) == ("F-1", "cage", own.amount_micros)
    assert floor.state.balances["a/players"] == players + own.amount_micros
    assert reason(floor.operate(PayPayout(own.id, "F-1"))) == Reason.PAYOUT_CLOSED


@pytest.mark.parametrize("payout", [0, 2, -1])
def test_a_payout_that_never_was_is_unknown(payout: int) -> None:
    """Whatever is asked of it, and before anything else is looked at."""
    floor = settled((3, "full-house"))
    for command in (
        ValidatePayout(payout, ""),
        PayPayout(payout),
        RejectPayout(payout, "lamp-dark", ""),
    ):
        assert reason(floor.operate(command)) == Reason.UNKNOWN_PAYOUT


@pytest.mark.parametrize("closed", [True, False])
def test_who_validates_or_rejects_must_be_named(closed: bool) -> None:
    """That is asked before whether the payout is still open."""
    floor = settled((3, "full-house"))
    if closed:
        ok(floor.operate(RejectPayout(1, "lamp-dark", "flo")))
    assert reason(validate(floor, 1, floorperson="")) == Reason.FLOORPERSON_REQUIRED
    rejected = floor.operate(RejectPayout(1, "lamp-dark", ""))
    assert reason(rejected) == Reason.FLOORPERSON_REQUIRED


def test_a_rejected_payout_is_closed_for_everything() -> None:
    """Neither validated, paid nor rejected again."""
    floor = settled((3, "full-house"))
    ok(floor.operate(RejectPayout(1, "lamp-dark", "flo")))
    for command in (
        ValidatePayout(1, "flo"),
        PayPayout(1),
        RejectPayout(1, "lamp-dark", "flo"),
    ):
        assert reason(floor.operate(command)) == Reason.PAYOUT_CLOSED
    assert floor.balance("a/pending") == "0.00"


def test_awards_of_a_level_are_validated_in_payment_order() -> None:
    """Rejecting an earlier one would change a later one, so the earlier comes first."""
    floor = settled((6, "straight-flush"), (4, "full-house"), (2, "straight-flush"))
    later = due(floor, 2)
    answer = validate(floor, later.id)
    assert isinstance(answer, Refused)
    assert (answer.reason, answer.details["first"]) == (Reason.OUT_OF_ORDER, "1")
    ok(validate(floor, due(floor, 4, "fixed").id))  # the house's: it hangs on nobody
    ok(validate(floor, 1))
    ok(validate(floor, later.id))


def test_a_rejected_award_holds_up_nobody() -> None:
    """The next in order may be validated then."""
    floor = settled((6, "straight-flush"), (2, "straight-flush"))
    ok(floor.operate(RejectPayout(1, "lamp-dark", "flo")))
    ok(validate(floor, due(floor, 2).id))


def test_two_links_have_each_their_own_order() -> None:
    """An open award of one link does not hold up another link's level of the same name."""
    floor = Floor().open_up([five_card_a(), hand_bonus()], [table("t1", "a", "hb")])
    floor.bets_in("t1", [Wager(6, "a-five", DOLLAR), Wager(1, "hb-player", DOLLAR)])
    floor.settle("t1", hand(6, "straight-flush"), hand(1, "straight-flush"))
    ok(validate(floor, due(floor, 1).id))


def test_an_envy_bonus_waits_for_the_award_that_caused_it() -> None:
    """It stands or falls with the reading of that hand, whichever turn was first."""
    floor = settled((4, "straight-flush"))
    for seat in (6, 1):  # before and after the holder's turn
        answer = validate(floor, due(floor, seat, "envy").id)
        assert isinstance(answer, Refused)
        assert answer.details["first"] == str(due(floor, 4).id)
    ok(validate(floor, due(floor, 4).id))
    for seat in (6, 1):
        ok(validate(floor, due(floor, seat, "envy").id))


def test_an_envy_bonus_waits_for_no_other_hand() -> None:
    """Only the award for the hand that caused it is its cause, and only on its own link."""
    floor = Floor().open_up([five_card_a(), hand_bonus()], [table("t1", "a", "hb")])
    floor.bets_in("t1", [*all_bet("a-five", seats=range(1, 3)), Wager(5, "hb-player", DOLLAR)])
    floor.settle("t1", hand(5, "straight-flush"), hand(2, "four-of-a-kind"))
    assert due(floor, 1, "envy").holder == 5
    ok(validate(floor, due(floor, 1, "envy").id))


@pytest.mark.rule("PA 657a.11(e)(4)")
@pytest.mark.rule("PA 657a.11(f)(3)")
@pytest.mark.parametrize(
    ("bet", "held", "kind", "source", "fine"),
    [
        ("a-five", "straight-flush", "share", None, True),
        ("a-five", "straight-flush", "share", "cage", True),
        ("a-five", "straight-flush", "share", "inventory", False),
        ("a-five", "straight-flush", "share", "account", False),
        ("a-five", "full-house", "fixed", "inventory", True),
        ("a-five", "full-house", "fixed", "cage", True),
        ("a-five", "full-house", "fixed", "account", False),
        ("hb-player", "straight-flush", "share", "account", False),
        ("hb-player", "four-of-a-kind", "fixed", "account", True),
        ("hb-player", "four-of-a-kind", "fixed", "inventory", False),
    ],
)
def test_a_percentage_is_never_paid_from_the_tables_inventory_or_an_account(
    bet: str, held: str, kind: str, source: str | None, fine: bool
) -> None:
    """A fixed award may move to the cage; nothing moves from it."""
    floor = settled((1, held), bet=bet)
    payout = due(floor, 1, kind)
    answer = validate(floor, payout.id, source=source)
    if fine:
        assert floor.state.payouts[payout.id].source == (source or "cage")
    else:
        assert reason(answer) == Reason.WRONG_SOURCE


@pytest.mark.rule("PA 657a.11(e)(4)")
@pytest.mark.rule("PA2011 555.11(f)(4)")
def test_what_the_cage_pays_needs_a_form_and_keeps_the_round_shut() -> None:
    """A fixed award that moved to the cage needs its documentation like a percentage."""
    floor = settled((3, "full-house"))
    ok(validate(floor, 1, source="cage"))
    answer = floor.play("t1", OpenRound())
    assert isinstance(answer, Refused)
    assert (answer.reason, answer.details["payout"]) == (Reason.DOCUMENTATION_OPEN, "1")
    assert reason(floor.operate(PayPayout(1))) == Reason.FORM_REQUIRED
    ok(floor.operate(PayPayout(1, "F-1")))
    ok(floor.play("t1", OpenRound()))


def test_an_award_from_the_inventory_needs_no_form() -> None:
    """It is paid at the table, and the next round may open before."""
    floor = settled((3, "full-house"))
    ok(floor.play("t1", OpenRound()))
    ok(validate(floor, 1))
    ok(floor.operate(PayPayout(1)))
    round_ = floor.state.tables["t1"].round
    assert round_ is not None
    assert not round_.validated  # what was paid is of the round before


@pytest.mark.rule("PA 657a.11(f)(2)")
def test_a_small_hand_bonus_is_paid_without_a_floorperson() -> None:
    """Below 500 for 1 it goes to the account at once; it may be validated all the same."""
    floor = settled((3, "full-house"), (2, "full-house"), bet="hb-player")
    ok(floor.operate(PayPayout(1)))
    assert floor.balance("hb/players") == "94.00"  # no account was named: 100.00 less six wagers
    ok(validate(floor, 2))
    round_ = floor.state.tables["t1"].round
    assert round_ is not None
    assert round_.validated


def test_a_lucky_bonus_that_falls_takes_no_hand_with_it() -> None:
    """It hangs on a position, so even a reading called wrong ends only that bonus."""
    floor = Floor().open_up([hand_bonus(drawn_bps=10_000)], [table("t1", "hb")])
    floor.bets_in("t1", all_bet("hb-dealer"))
    floor.settle("t1", dealer="straight-flush")  # the entropy of these tests makes the dealer lucky
    before = len(floor.state.payouts)
    ok(floor.operate(RejectPayout(due(floor, 4, "lucky").id, "hand-misread", "flo")))
    assert len(floor.state.payouts) == before - 1 == 11


def test_a_misread_dealers_hand_takes_every_award_on_it() -> None:
    """All shares fall and the meter is whole again; own hands stay."""
    floor = settled((6, "full-house"), bet="hb-dealer", dealer="straight-flush")
    ok(floor.operate(RejectPayout(due(floor, 3).id, "hand-misread", "flo")))
    assert not floor.state.payouts
    assert floor.meter("hb/main") == "10000.78"


def test_a_misread_hand_leaves_other_links_alone() -> None:
    """Another link ranks by its own rules; its award is another decision."""
    floor = Floor().open_up([five_card_a(), hand_bonus()], [table("t1", "a", "hb")])
    floor.bets_in("t1", [Wager(6, bet, DOLLAR) for bet in ("a-five", "hb-player")])
    first, second = floor.settle("t1", hand(6, "four-of-a-kind")).payouts
    ok(floor.operate(RejectPayout(first.id, "hand-misread", "flo")))
    assert list(floor.state.payouts) == [second.id]
    assert floor.balance("a/house") == "-10000.00"


def test_a_sign_follows_an_award_to_its_end() -> None:
    """Pending, validated, paid or rejected; a new amount shows too."""
    floor = settled((6, "straight-flush"), (4, "straight-flush"), (2, "straight-flush"))
    ok(floor.operate(RejectPayout(1, "lamp-dark", "flo")))
    second, third = due(floor, 4), due(floor, 2)
    ok(validate(floor, second.id))
    ok(validate(floor, third.id))
    ok(floor.operate(PayPayout(third.id, "F-1")))
    hits = [(hit.seat, hit.status, hit.amount_micros) for hit in floor.state.hits]
    assert hits == [
        (6, "rejected", 1_000_120_000),
        (4, "validated", second.amount_micros),
        (2, "paid", third.amount_micros),
    ]
    assert second.amount_micros == 1_000_120_000


@pytest.mark.rule("PA 657a.12(d)(5)")
def test_an_envy_bonus_waits_for_a_fixed_award_too() -> None:
    """Where the hand that caused it pays a fixed amount, that award is its cause."""
    link = five_card_a()
    bet = msgspec.structs.replace(link.bets[0], envy=(EnvyLine("four-of-a-kind", 10 * DOLLAR),))
    floor = Floor().open_up([msgspec.structs.replace(link, bets=(bet,))], [table("t1", "a")])
    floor.bets_in("t1", all_bet("a-five"))
    floor.settle("t1", hand(4, "four-of-a-kind"))
    assert reason(validate(floor, due(floor, 1, "envy").id)) == Reason.OUT_OF_ORDER
    ok(validate(floor, due(floor, 4, "fixed").id))
    ok(validate(floor, due(floor, 1, "envy").id))
