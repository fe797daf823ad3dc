"""A link's life: defined, in service, suspended, retired."""

import pytest

from jackpot.core.commands import AnyCommand
from jackpot.core.commands.operator import (
    AdjustMeter,
    AttachTable,
    DefineLink,
    DefineTable,
    PayPayout,
    PutInService,
    RejectPayout,
    ResumeLink,
    RetireLink,
    SuspendLink,
    TransferFunds,
    ValidatePayout,
)
from jackpot.core.commands.table import LockOut, Wager
from jackpot.core.events import Refused
from jackpot.core.reasons import Reason
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
from tests.core.meter_room import adjust, transfer, two_links


@pytest.mark.rule("PA 657a.12(e)(3)")
def test_a_link_is_seeded_once_by_the_house() -> None:
    """Defined it is empty; put in service it shows its seed."""
    floor = Floor()
    ok(floor.operate(DefineLink(five_card_a())))
    assert floor.meter("a/main") == "0.00"
    ok(floor.operate(PutInService("a")))
    assert (floor.meter("a/main"), floor.balance("a/house")) == ("10000.00", "-10000.00")
    assert reason(floor.operate(PutInService("a"))) == Reason.WRONG_LINK_STATE
    assert floor.meter("a/main") == "10000.00"


LIFE: dict[str, type[PutInService | SuspendLink | ResumeLink | RetireLink]] = {
    "put": PutInService,
    "suspend": SuspendLink,
    "resume": ResumeLink,
    "retire": RetireLink,
}


@pytest.mark.parametrize(
    ("way", "allowed"),
    [
        ([], {"put"}),
        (["put"], {"suspend"}),
        (["put", "suspend"], {"resume", "retire"}),
        (["put", "suspend", "resume"], {"suspend"}),
        (["put", "suspend", "retire"], set()),
    ],
)
def test_a_link_moves_only_along_its_life_cycle(way: list[str], allowed: set[str]) -> None:
    """Every other step is refused with the state that the link is in."""
    for step, command in LIFE.items():
        floor = Floor()
        ok(floor.operate(DefineLink(five_card_a())))
        for done in way:
            ok(floor.operate(LIFE[done]("a")))
        answer = floor.operate(command("a"))
        if step in allowed:
            ok(answer)
        else:
            assert isinstance(answer, Refused)
            assert answer.reason == Reason.WRONG_LINK_STATE
            assert answer.details == {"link": "a", "status": floor.state.links["a"].status}


@pytest.mark.parametrize(
    "command",
    [
        PutInService("x"),
        SuspendLink("x"),
        ResumeLink("x"),
        RetireLink("x"),
        AdjustMeter("x", "main", 1, "reset", "T"),
        TransferFunds("x", "main", "overflow", "a", "main", 1, "T"),
        TransferFunds("a", "main", "overflow", "x", "main", 1, "T"),
        DefineTable(table("t9", "a", "x")),
        DefineTable(table("t1", "x")),
    ],
    ids=lambda command: type(command).__name__,
)
def test_a_link_that_is_not_there_is_unknown(command: AnyCommand) -> None:
    """By name, before anything else about it, even that the table exists already."""
    answer = two_links().operate(command)
    assert isinstance(answer, Refused)
    assert (answer.reason, answer.details) == (Reason.UNKNOWN_LINK, {"link": "x"})


def test_nothing_is_defined_twice() -> None:
    """Neither a link nor a table, nor a bet at one table."""
    floor = two_links()
    assert reason(floor.operate(DefineLink(five_card_a()))) == Reason.ALREADY_DEFINED
    assert reason(floor.operate(DefineTable(table("t1", "a")))) == Reason.ALREADY_DEFINED
    twice = floor.operate(DefineTable(table("t9", "a", "a")))
    assert isinstance(twice, Refused)
    assert twice.details == {"table": "t9", "bet": "a-five"}
    assert reason(floor.operate(AttachTable("t9"))) == Reason.UNKNOWN_TABLE


def test_a_retired_link_gives_the_house_its_seed_back() -> None:
    """At most the reseed: what is above it came from players."""
    floor = two_links()
    ok(floor.operate(SuspendLink("a")))
    ok(floor.operate(RetireLink("a")))
    assert (floor.meter("a/main"), floor.balance("a/house")) == ("0.00", "0.00")
    assert reason(adjust(floor, 100)) == Reason.WRONG_LINK_STATE
    assert reason(transfer(floor, 1, link="b", to_link="a")) == Reason.WRONG_LINK_STATE


@pytest.mark.parametrize(
    ("meter", "reserve", "pool", "micros"),
    [
        ("10000.01", "0", "meter", "10000"),
        ("9999.99", "0.01", "reserve", "10000"),
        ("10000.00", "0", "", ""),
        ("9999.99", "0", "", ""),
    ],
)
def test_a_link_with_players_money_can_not_retire(
    meter: str, reserve: str, pool: str, micros: str
) -> None:
    """A cent above the reseed, or in reserve, must go to players first."""
    floor = two_links()
    floor.set_level("a/main", meter, reserve)
    ok(floor.operate(SuspendLink("a")))
    answer = floor.operate(RetireLink("a"))
    if not pool:
        ok(answer)
        return
    assert isinstance(answer, Refused)
    assert answer.reason == Reason.LINK_NOT_EMPTY
    assert answer.details == {"link": "a", "level": "main", "pool": pool, "micros": micros}


def test_overflow_must_be_transferred_before_a_link_retires() -> None:
    """A reset moves what players put in to overflow, from where it goes to another meter."""
    floor = two_links()
    floor.set_level("a/main", "10500.00")
    ok(floor.operate(SuspendLink("a")))
    ok(adjust(floor, 1_000_000))
    answer = floor.operate(RetireLink("a"))
    assert isinstance(answer, Refused)
    assert answer.details["pool"] == "overflow"
    ok(transfer(floor, 50_000))
    ok(floor.operate(RetireLink("a")))
    assert floor.meter("b/main") == "10500.00"


def test_a_link_with_a_round_or_a_payout_can_not_retire() -> None:
    """Wagers that stand and awards that are due keep a link alive; other links don't."""
    floor = two_links()
    floor.bets_in("t1", [Wager(1, "a-five", DOLLAR)])
    for link in ("a", "b"):
        ok(floor.operate(SuspendLink(link)))
    answer = floor.operate(RetireLink("a"))
    assert isinstance(answer, Refused)
    assert answer.details == {"link": "a", "table": "t1"}
    ok(floor.operate(RetireLink("b")))
    payout = floor.settle("t1", hand(1, "full-house")).payouts[0]
    ok(adjust(floor, 1_000_000))
    answer = floor.operate(RetireLink("a"))
    assert isinstance(answer, Refused)
    assert answer.details == {"link": "a", "payout": "1"}
    ok(floor.operate(RejectPayout(payout.id, "lamp-dark", "flo")))
    assert reason(floor.operate(RetireLink("a"))) == Reason.LINK_NOT_EMPTY  # 0.21 in overflow


def test_an_open_round_without_a_wager_on_the_link_does_not_hold_it() -> None:
    """A table on two links may have a round under way on the other."""
    floor = Floor().open_up([five_card_a(), hand_bonus()], [table("t1", "a", "hb")])
    floor.bets_in("t1", [Wager(1, "hb-player", DOLLAR)])
    ok(floor.operate(SuspendLink("a")))
    ok(floor.operate(RetireLink("a")))


def test_a_suspended_link_finishes_its_rounds() -> None:
    """No new wagers; what was accepted is collected and settled."""
    floor = two_links()
    floor.bets_in("t1", all_bet("a-five"))
    ok(floor.operate(SuspendLink("a")))
    assert floor.settle("t1", hand(1, "full-house")).payouts
    assert reason(floor.play("t1", LockOut())) == Reason.LOCKED_OUT


@pytest.mark.parametrize(("mode", "players"), [("add", 0), ("fund", 625_700_000)])
def test_a_reserve_that_stood_in_for_the_reseed_is_not_the_houses(mode: str, players: int) -> None:
    """Only what the house put on the meter goes back to it when the link retires."""
    link = five_card_a("a", reserve_bps=1_000, reserve_mode=mode)
    floor = Floor().open_up([link], [table("t1", "a")])
    floor.set_level("a/main", "10000.00", "625.60")
    floor.bets_in("t1", [Wager(1, "a-five", DOLLAR)])
    payout = floor.settle("t1", hand(1, "royal-flush")).payouts[0].id
    for command in (ValidatePayout(payout, "flo"), PayPayout(payout, "F-1")):
        ok(floor.operate(command))
    if mode == "add":  # the reserve came on top, and is moved aside
        ok(floor.operate(AdjustMeter("a", "main", 10_000 * DOLLAR, "reset", "T-1")))
        ok(floor.operate(DefineLink(five_card_a("b"))))
        ok(floor.operate(PutInService("b")))
        aside = floor.state.balances["a/main/overflow"]
        ok(floor.operate(TransferFunds("a", "main", "overflow", "b", "main", aside, "T-2")))
    ok(floor.operate(SuspendLink("a")))
    answer = floor.operate(RetireLink("a"))
    if players:
        assert isinstance(answer, Refused)
        assert (answer.details["pool"], answer.details["micros"]) == ("meter", str(players))
    else:
        ok(answer)
        assert floor.balance("a/main/meter") == "0.00"


def test_what_the_house_has_on_a_meter_follows_a_rejection() -> None:
    """A royal that was none leaves the seed as the house's, as if it had never been paid."""
    floor = Floor().open_up([five_card_a("a")], [table("t1", "a")])
    floor.bets_in("t1", all_bet("a-five"))
    first = floor.settle("t1", hand(1, "royal-flush")).payouts[0].id
    assert floor.state.links["a"].funded == {"main": 10_000 * DOLLAR}
    ok(floor.operate(RejectPayout(first, "hand-misread", "flo")))
    assert floor.state.links["a"].funded == {"main": 10_000 * DOLLAR}
    assert floor.replayed() == floor.state


@pytest.mark.parametrize(
    ("after", "players"),
    [((), 1_260_000), (("straight-flush",), 2_520_000), (("royal-flush",), 1_260_000)],
)
@pytest.mark.rule("PA 657a.12(e)(3)")
def test_a_meter_below_its_reseed_still_holds_players_money(
    after: tuple[str, ...], players: int
) -> None:
    """A tenth came off the house's part first, so what players put on stays theirs."""
    link = five_card_a("a")
    floor = Floor().open_up([link], [table("t1", "a")])
    for held in ("straight-flush", *after):
        floor.bets_in("t1", all_bet("a-five"))
        for payout in floor.settle("t1", hand(1, held)).payouts:
            ok(floor.operate(ValidatePayout(payout.id, "flo")))
            ok(floor.operate(PayPayout(payout.id, "F-1")))
    if after == ("royal-flush",):  # the meter begins anew, with nobody's wagers on it
        floor.bets_in("t1", all_bet("a-five"))
        floor.settle("t1")
    ok(floor.operate(SuspendLink("a")))
    answer = floor.operate(RetireLink("a"))
    assert isinstance(answer, Refused)
    assert answer.details["pool"] == "meter"
    assert abs(int(answer.details["micros"]) - players) < 10_000  # the residue of rounding
    assert floor.replayed() == floor.state


@pytest.mark.parametrize("ways", ["reject", "void-round", "void-seat"])
def test_what_a_fallen_award_took_off_the_meter_is_the_houses_again(ways: str) -> None:
    """Awards that fall leave no trace in what the house may take back."""
    floor = Floor().open_up([five_card_a("a")], [table("t1", "a"), table("t2", "a")])
    floor.bets_in("t2", all_bet("a-five"))
    floor.settle("t2", hand(1, "straight-flush"))
    borne = dict(floor.state.links["a"].borne)
    assert borne["main"]
    floor.bets_in("t1", all_bet("a-five"))
    first = floor.settle("t1", hand(6, "straight-flush"), hand(2, "royal-flush")).payouts[0].id
    assert floor.state.links["a"].borne["main"] == 0
    royal = next(p.id for p in floor.state.payouts.values() if p.hand == "royal-flush" and p.level)
    if ways == "reject":
        for payout in (royal, first):
            ok(floor.operate(RejectPayout(payout, "hand-misread", "flo")))
    elif ways == "void-round":
        ok(floor.void_round("t1", "CARD_FACE_UP"))
    else:
        ok(floor.void_seat("t1", 2, "PLAYER_WRONG_NUMBER"))
        ok(floor.void_seat("t1", 6, "PLAYER_WRONG_NUMBER"))
    assert floor.state.links["a"].borne == borne
    assert floor.replayed() == floor.state
