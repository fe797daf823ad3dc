"""Write the journal of a floor that does everything once, for later versions to replay.

Run as `python -m tests.golden.make_journal 0.2.0` when 0.2.0 is released, never for a version that
has a journal already: what it wrote then is what a casino's disk holds. A new kind of event needs a
journal before its release, too: `0.2.0-dev1`.
"""

import random
import sys
from pathlib import Path

import msgspec
from msgspec.structs import replace

from jackpot.core.commands import Probe, ReadMeters, SuspendAfterAbsence, TakeSnapshot
from jackpot.core.commands.base import ControllerOrigin
from jackpot.core.commands.operator import (
    Acknowledged,
    AdjustMeter,
    ApproveFloorCall,
    ApproveProposal,
    AttachTable,
    BeginIncarnation,
    BuyIn,
    CashOut,
    ConfigureSite,
    ConfirmDisplay,
    CountBox,
    DeclineFloorCall,
    DeclineProposal,
    DefineLink,
    DefineTable,
    DescribeLink,
    DescribeTable,
    PayPayout,
    PutInService,
    RejectPayout,
    ResumeLink,
    RetireLink,
    SetDualControl,
    SetRate,
    SuspendLink,
    TransferFunds,
    ValidatePayout,
)
from jackpot.core.commands.table import (
    CallFloor,
    ConfirmCollection,
    ContributePot,
    LockOut,
    OpenRound,
    Placed,
    PlaceDeck,
    PlaceWagers,
    RemoveDeck,
    Wager,
    WithdrawCall,
    WithdrawWagers,
)
from jackpot.core.config import DeckLife, Table
from jackpot.core.events.operator import Proposed
from tests.core.floor import (
    DOLLAR,
    Floor,
    all_bet,
    bad_beat_fund,
    caribbean,
    five_card_a,
    four_eights_lose,
    hand,
    hand_bonus,
    ok,
    table,
)

HANDS = ["nothing", "full-house", "four-of-a-kind", "straight-flush", "royal-flush"]


def play() -> Floor:
    """Two tables on three links: rounds by chance, and every kind of event at least once."""
    chance = random.Random(657)
    floor = Floor(site="golden")
    links = [
        five_card_a("a", limit_micros=10_002 * DOLLAR),
        hand_bonus(drawn_bps=5_000),
        caribbean(reserve_bps=500, reserve_mode="fund"),
    ]
    floor.open_up(links, [table("t1", "a", "hb"), table("t2", "cs", "hb")])
    for number in range(3):
        for at, bet in (("t1", "a-five"), ("t2", "cs-bet")):
            _round(floor, chance, at, bet)
            _floor_work(floor, chance, number)
    _irregularities(floor)
    _calls(floor)
    _words(floor)
    _meters(floor)
    _operators(floor)
    _restored(floor)
    return floor


def _round(floor: Floor, chance: random.Random, at: str, bet: str) -> None:
    """A round with chips and electronic wagers, hands by chance."""
    floor.play(at, OpenRound())
    bonus = chance.choice(["hb-player", "hb-dealer"])
    seats = sorted(chance.sample(range(1, 7), 3))
    wagers = [Wager(seat, b, DOLLAR) for seat in seats for b in (bet, bonus)]
    floor.play(at, PlaceWagers(tuple(wagers)))
    floor.play(at, WithdrawWagers((Placed(seats[0], bonus),)))
    floor.play(at, LockOut(), chance.randbytes(32))
    floor.play(at, ConfirmCollection({bet: 4}))  # one too many
    floor.play(at, ConfirmCollection({bet: 3}))
    round_ = floor.state.tables[at].round
    if round_ is not None and round_.phase == "collected":
        hands = [hand(seat, chance.choice(HANDS)) for seat in seats]
        floor.settle(at, *hands, dealer=chance.choice(HANDS))


def _floor_work(floor: Floor, chance: random.Random, number: int) -> None:
    """Awards are validated, paid and now and then rejected."""
    for payout in list(floor.state.payouts):
        if chance.random() < 0.2:
            why = chance.choice(["hand-misread", "lamp-dark"])
            command = {"type": "RejectPayout", "payout": payout, "reason": why}
            floor.operate(msgspec.convert(command | {"floorperson": "flo"}, RejectPayout))
        floor.operate(ValidatePayout(payout, "flo"))
        floor.operate(PayPayout(payout, f"F-{number}-{payout}"))


def _irregularities(floor: Floor) -> None:
    """A wager without a chip, a void seat after awards, a void round."""
    ok(floor.operate(AttachTable("t1")))
    ok(floor.play("t1", OpenRound()))
    ok(floor.play("t1", PlaceWagers(tuple(all_bet("a-five")))))
    ok(floor.play("t1", LockOut(), bytes(32)))
    ok(floor.remove("t1", 2, "a-five"))
    floor.confirm("t1")
    floor.settle("t1", hand(6, "straight-flush"), hand(4, "royal-flush"), hand(3, "four-of-a-kind"))
    ok(floor.void_seat("t1", 1, "WRONG_CARD_COUNT"))
    ok(floor.operate(RejectPayout(next(iter(floor.state.payouts)), "lamp-dark", "flo")))
    floor.bets_in("t2", [Wager(seat, "cs-bet", DOLLAR, f"p{seat}") for seat in (1, 2)])
    floor.settle("t2", hand(1, "royal-flush"), hand(2, "royal-flush"))
    ok(floor.void_round("t2", "CARD_EXPOSED"))


def _calls(floor: Floor) -> None:
    """Calls for the floor: withdrawn, declined, approved, overtaken and open."""
    for payout in list(floor.state.payouts):
        floor.operate(ValidatePayout(payout, "flo"))
        floor.operate(PayPayout(payout, f"F-{payout}"))
    ok(floor.play("t1", OpenRound()))
    number = floor.state.tables["t1"].rounds
    ok(floor.play("t1", PlaceWagers(tuple(all_bet("a-five")))))
    ok(floor.play("t1", LockOut(), bytes(32)))
    removal = CallFloor("remove-wager", number, 2, "a-five")
    ok(floor.play("t1", removal))
    ok(floor.play("t1", WithdrawCall(floor.state.last_call)))
    ok(floor.play("t1", removal))
    ok(floor.operate(DeclineFloorCall(floor.state.last_call), "flo"))
    ok(floor.play("t1", removal))
    ok(floor.operate(ApproveFloorCall(floor.state.last_call), "flo"))
    ok(floor.play("t1", replace(removal, seat=3)))
    floor.confirm("t1")
    ok(floor.play("t1", CallFloor("void-seat", number, 1, irregularity="WRONG_CARD_COUNT")))
    ok(floor.operate(ApproveFloorCall(floor.state.last_call), "flo"))
    ok(floor.play("t1", CallFloor("void-round", number, irregularity="MISDEAL")))
    ok(floor.operate(AttachTable("t1")))
    ok(floor.operate(ApproveFloorCall(floor.state.last_call), "flo"))
    floor.bets_in("t1", all_bet("a-five"))
    ok(floor.play("t1", CallFloor("void-round", number + 1, irregularity="MISDEAL")))


def _words(floor: Floor) -> None:
    """Decks in use, changed and removed; a link and a table in other words."""
    ok(floor.play("t1", PlaceDeck("red", "shoe")))
    described = replace(
        table("t1", "a", "hb"), decks=DeckLife(4 * 3_600, 8 * 3_600, "PA 657a.3(c)")
    )
    ok(floor.operate(DescribeTable(described)))
    ok(floor.operate(DescribeLink(replace(floor.state.links["a"].config, title="Link A"))))
    ok(floor.play("t1", PlaceDeck("red", "hand", 60)))
    ok(floor.play("t1", PlaceDeck("blue", "shoe")))
    ok(floor.play("t1", RemoveDeck("blue")))


def _meters(floor: Floor) -> None:
    """Meters set by hand, money moved, a link that came and went, the controller's own entries."""
    ok(floor.operate(AdjustMeter("a", "main", 9_000 * DOLLAR, "reset", "T-1")))
    ok(floor.operate(TransferFunds("a", "main", "overflow", "hb", "main", 500 * DOLLAR, "T-2")))
    ok(floor.operate(DefineLink(five_card_a("gone"))))
    for command in (PutInService, SuspendLink, ResumeLink, SuspendLink, RetireLink):
        ok(floor.operate(command("gone")))
    ok(floor.handle(ControllerOrigin(), TakeSnapshot(floor.state.sequence, "0" * 64)))
    ok(floor.handle(ControllerOrigin(), Probe()))
    ok(floor.handle(ControllerOrigin(), ReadMeters("1970-01-01", 0)))
    ok(floor.handle(ControllerOrigin(), SuspendAfterAbsence("a", 90_000 * DOLLAR)))
    ok(floor.operate(ResumeLink("a")))


def _operators(floor: Floor) -> None:
    """Changes by two people, game accounts, and a Bad Beat from pot to display."""
    ok(floor.operate(ConfigureSite(dual_control=True)))
    adjust = AdjustMeter("cs", "main", 9_500 * DOLLAR, "malfunction", "T-3")
    for decision in (DeclineProposal, ApproveProposal):
        event = ok(floor.operate(adjust, "olga", "operations"))
        assert isinstance(event, Proposed)
        ok(floor.operate(decision(event.proposal.id), "anna", "accounting"))
    ok(floor.operate(SetDualControl(dual_control=False, reference="T-5"), "olga", "operations"))
    ok(floor.operate(ApproveProposal(floor.state.last_proposal), "anna", "accounting"))
    ok(floor.operate(SuspendLink("cs")))
    ok(floor.operate(SetRate("cs", "main", 7_100, 500, "T-4")))
    ok(floor.operate(ResumeLink("cs")))
    ok(floor.operate(BuyIn("ann", 5 * DOLLAR, "C-1")))
    ok(floor.operate(CashOut("ann", 2 * DOLLAR, "C-2")))
    ok(floor.operate(DefineLink(bad_beat_fund())))
    ok(floor.operate(PutInService("bb")))
    ok(floor.operate(DefineTable(Table("p1", "poker", ("bb",), 10, 0))))
    ok(floor.operate(AttachTable("p1")))
    ok(floor.play("p1", ContributePot(100 * DOLLAR)))
    ok(floor.operate(CountBox("bb", "p1", 2 * DOLLAR, "carl")))
    ok(floor.operate(four_eights_lose(seats=(3, 7, 1, 2))))
    held = floor.state.balances["bb/main/meter"]
    ok(floor.operate(ConfirmDisplay("bb", held)))


def _restored(floor: Floor) -> None:
    """A backup is restored; a table says what it lost, and plays on."""
    ok(floor.operate(BeginIncarnation("6f1d", "ab12", "disk failed", "ann", 3)))
    known = Acknowledged("", 2, floor.state.sequence + 9, 4)
    ok(floor.operate(AttachTable("t1", known)))
    _floor_work(floor, random.Random(658), 9)
    ok(floor.operate(AttachTable("t2")))
    floor.bets_in("t2", [Wager(2, "hb-player", DOLLAR)])
    floor.settle("t2", hand(2, "straight-flush"))


def main(version: str) -> None:
    """Write journal and state."""
    floor = play()
    here = Path(__file__).parent
    lines = [
        msgspec.json.encode({"time_micros": time_micros, "record": record})
        for record, time_micros in floor.journal
    ]
    with (here / f"journal-{version}.jsonl").open("xb") as journal:  # never over an earlier one
        journal.write(b"\n".join(lines) + b"\n")
    state = msgspec.json.format(msgspec.json.encode(floor.state), indent=1)
    (here / f"journal-{version}.state.json").write_bytes(state + b"\n")


if __name__ == "__main__":
    main(sys.argv[1])
