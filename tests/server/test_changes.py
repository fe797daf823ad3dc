"""Changes over gRPC: proposed by one person, approved by another of another department."""

from pathlib import Path
from typing import Any

import pytest

from jackpot.core.config import GamingDay
from jackpot.rules.site import load_site
from jackpot.store.opening import Address
from jackpot.wire.v1 import meter_pb2, operator_pb2, payout_pb2, table_pb2
from tests.server.house import (
    BONUS,
    DOLLAR,
    FOUR_EIGHTS_LOSE,
    SITE,
    House,
    fund_text,
    hands,
    open_house,
    serving,
    site_text,
    wager,
    write_site,
)

ANN, BOB = "ann/slots", "bob/accounting"
MALFUNCTION = operator_pb2.METER_REASON_MALFUNCTION


async def adjust(house: House, dollars: int, who: str = ANN) -> Any:
    """Set the five-card meter after a malfunction."""
    return await house.operate(
        "AdjustMeter",
        who=who,
        link="five",
        level="main",
        to_micros=dollars * DOLLAR,
        reason=MALFUNCTION,
        reference="memo 7",
    )


async def proposals(house: House) -> operator_pb2.ListProposalsResponse:
    """What waits."""
    return await house.operators.ListProposals(operator_pb2.ListProposalsRequest(site=SITE))


async def test_a_proposal_changes_nothing_until_another_department_approves(house: House) -> None:
    """It shows before, after, who and until when; the approval sets the meter."""
    response = await adjust(house, 10_500)
    proposed = response.proposed
    assert response.WhichOneof("outcome") == "proposed"
    assert (proposed.before, proposed.after) == ("10,000.00", "10,500.00")
    assert (proposed.proposer, proposed.department) == ("ann", "slots")
    assert proposed.expires_time_micros - proposed.proposed_time_micros == 86_400 * DOLLAR
    assert proposed.kind == operator_pb2.CHANGE_KIND_ADJUST_METER
    assert await house.meter("five") == {"main": 10_000 * DOLLAR}
    listed = await proposals(house)
    assert list(listed.proposals) == [proposed]
    assert listed.dual_control

    approved = await house.operate("ApproveProposal", proposal=proposed.id, who=BOB)
    assert (approved.meter.before_micros, approved.meter.after_micros) == (
        10_000 * DOLLAR,
        10_500 * DOLLAR,
    )
    assert approved.meter.reference == "memo 7"
    assert await house.meter("five") == {"main": 10_500 * DOLLAR}
    assert not (await proposals(house)).proposals


async def test_where_one_person_is_enough_the_change_happens_at_once(
    tmp_path: Path, store: Address
) -> None:
    """A test lab's file says `dual_control = false`, and so does its journal."""
    text = site_text().replace("[[links]]", "dual_control = false\n\n[[links]]", 1)
    async with serving(store, load_site(write_site(tmp_path, text))) as house:
        response = await adjust(house, 11_000)
        assert response.WhichOneof("outcome") == "changed"
        assert response.changed.after_micros == 11_000 * DOLLAR
        assert not (await proposals(house)).dual_control
        reset = await house.operate("ResetMeter", link="five", level="main", reference="memo 8")
        assert reset.changed.reason == operator_pb2.METER_REASON_RESET


async def test_a_reset_and_a_transfer_move_players_money_to_players(house: House) -> None:
    """What a reset takes off a meter waits in overflow; from there it goes to another meter."""
    dealer = await house.dealer("t4")
    await dealer.settled({}, 1, 2, 3)
    reset = await house.operate(
        "ResetMeter", who=ANN, link="five", level="main", reference="memo 9"
    )
    assert (reset.proposed.before, reset.proposed.after) == ("10,000.63", "10,000.00")
    await house.operate("ApproveProposal", proposal=reset.proposed.id, who=BOB)
    five = (await house.balances())["five"].levels[0]
    assert (five.meter_micros, five.overflow_micros) == (10_000 * DOLLAR, 630_000)

    transfer = await house.operate(
        "TransferFunds",
        who=BOB,
        link="five",
        level="main",
        pool=operator_pb2.POOL_OVERFLOW,
        to_link="mega",
        to_level="major",
        amount_micros=630_000,
        reference="memo 10",
    )
    proposed = transfer.proposed
    assert (proposed.to_link, proposed.to_level) == ("mega", "major")
    assert (proposed.before, proposed.after) == ("5,000.00", "5,000.63")
    done = await house.operate("ApproveProposal", proposal=proposed.id, who=ANN)
    assert done.transfer.amount_micros == 630_000
    assert (await house.meter("mega"))["major"] == 5_000 * DOLLAR + 630_000


async def test_terms_wait_for_the_link_to_resume(tmp_path: Path, store: Address) -> None:
    """A new limit and new rates are approved while the link is suspended and show until it runs."""
    async with open_house(tmp_path, store, more=fund_text()) as house:
        await house.operate("SuspendLink", link="stud")
        limit = await house.operate(
            "SetLimit",
            who=ANN,
            link="stud",
            level="main",
            limit_micros=20_000 * DOLLAR,
            reference="memo 11",
        )
        rate = await house.operate(
            "SetRate",
            who=ANN,
            link="stud",
            level="main",
            primary_bps=7_100,
            reserve_bps=100,
            reference="memo 12",
        )
        for proposed in (limit.proposed, rate.proposed):
            done = await house.operate("ApproveProposal", proposal=proposed.id, who=BOB)
        assert done.terms.terms.primary_bps == 7_100
        stud = (await house.balances())["stud"].levels[0]
        assert (stud.primary_bps, stud.limit_micros) == (7_000, 0)
        assert (stud.next.primary_bps, stud.next.reserve_bps) == (7_100, 100)
        assert stud.next.limit_micros == 20_000 * DOLLAR
        await house.operate("ResumeLink", link="stud")
        stud = (await house.balances())["stud"].levels[0]
        assert (stud.primary_bps, stud.limit_micros) == (7_100, 20_000 * DOLLAR)
        assert not stud.HasField("next")


async def test_a_restart_keeps_what_was_approved(tmp_path: Path, store: Address) -> None:
    """The journal's rates and limits count, not those of the file that they were changed from."""
    text = site_text().replace("[[links]]", "dual_control = false\n\n[[links]]", 1)
    text += '[day]\nstart = "05:30"\nzone = "Europe/Vienna"\n'
    site = load_site(write_site(tmp_path, text))
    assert site.day == GamingDay(330, "Europe/Vienna")
    async with serving(store, site) as house:
        await house.operate("SuspendLink", link="five")
        await house.operate(
            "SetLimit",
            link="five",
            level="main",
            limit_micros=30_000 * DOLLAR,
            reference="memo 13",
        )
        await house.operate("ResumeLink", link="five")
    async with serving(store, site) as house:
        sequence = await house.sequence()
        assert (await house.balances())["five"].levels[0].limit_micros == 30_000 * DOLLAR
    async with serving(store, site) as house:
        assert await house.sequence() == sequence  # and nothing was configured anew


async def test_metadata_names_the_caller_and_the_same_id_is_another_persons_request(
    house: House,
) -> None:
    """Without TLS a caller may say who they are; identity is by person and request id."""
    first = await adjust(house, 10_001)
    again = await house.operate("DeclineProposal", proposal=first.proposed.id, who=BOB)
    assert again.sequence > first.sequence


async def test_a_game_account_pays_wagers_and_takes_awards(house: House) -> None:
    """Buy-in, debit, refund of a withdrawal, an award credited, cash-out to nothing."""

    async def balance() -> int:
        request = operator_pb2.GetAccountRequest(site=SITE, account="p-17")
        return (await house.operators.GetAccount(request)).balance_micros

    assert await balance() == 0
    bought = await house.operate(
        "BuyIn", account="p-17", amount_micros=10 * DOLLAR, reference="slip 1"
    )
    assert bought.balance_micros == 10 * DOLLAR
    dealer = await house.dealer("t1")
    await dealer.do("open_round")
    placed = [wager(1, BONUS), wager(1, f"{BONUS}-dealer")]
    for one in placed:
        one.account = "p-17"
    await dealer.do("place_wagers", table_pb2.PlaceWagers(wagers=placed))
    assert await balance() == 8 * DOLLAR
    back = table_pb2.PlacedWager(seat=1, bet=f"{BONUS}-dealer")
    await dealer.do("withdraw_wagers", table_pb2.WithdrawWagers(wagers=[back]))
    assert await balance() == 9 * DOLLAR
    assert (await dealer.do("lock_out")).collected
    full_house = ["2d", "2h", "2s", "9d", "9h"]
    settled = await dealer.do("settle", hands({1: full_house}, 1))
    (payout,) = settled.payouts
    assert payout.account == "p-17"
    assert payout.source == payout_pb2.PAYOUT_SOURCE_ACCOUNT
    await house.operate("PayPayout", payout=payout.id)
    won = 9 * DOLLAR + payout.amount_micros
    assert await balance() == won
    out = await house.operate("CashOut", account="p-17", amount_micros=won, reference="slip 2")
    assert out.balance_micros == await balance() == 0


@pytest.mark.rule("PA2010 553.20(c)")
@pytest.mark.rule("PA2010 553.20(e)")
@pytest.mark.rule("PA2010 553.20(f)")
@pytest.mark.rule("PA2010 553.20(f)(1)")
@pytest.mark.rule("PA2010 553.20(h)(1)")
@pytest.mark.rule("PA2010 553.20(h)(2)")
async def test_a_bad_beat_from_pot_to_display(tmp_path: Path, store: Address) -> None:
    """Pots fill the box, the count is the record, the fund is shared, the display is set right."""
    async with open_house(tmp_path, store, more=fund_text()) as house:
        dealer = await house.dealer("p1")
        given = [
            await dealer.do("contribute_pot", table_pb2.ContributePot(pot_micros=pot))
            for pot in (19_990_000, 20 * DOLLAR, 100 * DOLLAR)
        ]
        assert [one.amount_micros for one in given] == [0, 2 * DOLLAR, 2 * DOLLAR]
        fund = (await house.balances())["fund"]
        assert fund.bad_beat
        assert [(box.table, box.amount_micros) for box in fund.boxes] == [("p1", 4 * DOLLAR)]
        heard = house.controller.heartbeats[SITE, "p1"]
        counted = await house.operate(
            "CountBox",
            link="fund",
            table="p1",
            counted_micros=5 * DOLLAR,
            cashier="Cy",
        )
        assert (counted.recorded_micros, counted.alarms) == (4 * DOLLAR, ["BOX_DIFFERENCE fund/p1"])
        assert await house.meter("fund") == {"main": 5 * DOLLAR}
        assert house.controller.heartbeats[SITE, "p1"] == heard  # an operator's act, not its own

        verified = await house.operate(
            "VerifyBadBeat",
            link="fund",
            table="p1",
            loser_seat=3,
            winner_seat=7,
            other_seats=[1, 10],
            supervisor="Sam",
            **FOUR_EIGHTS_LOSE,
        )
        assert (verified.losing_hand, verified.winning_hand) == ("four-eights", "four-nines")
        told = [(p.role, "".join(p.cards)) for p in verified.payouts]
        assert told == [(1, "8s8h"), (2, "9s9h"), (3, ""), (3, "")]
        assert [(p.seat, p.amount_micros) for p in verified.payouts] == [
            (3, 2_500_000),
            (7, 1_250_000),
            (1, 620_000),
            (10, 620_000),
        ]
        assert {p.kind for p in verified.payouts} == {payout_pb2.PAYOUT_KIND_BAD_BEAT}
        request = meter_pb2.ListMetersRequest(site=SITE, link="fund")
        assert (await house.meters.ListMeters(request)).links[0].pending_adjustment
        await house.operate("ConfirmDisplay", link="fund", displayed_micros=10_000)
        assert not (await house.meters.ListMeters(request)).links[0].pending_adjustment
        for payout in verified.payouts:
            await house.operate("PayPayout", payout=payout.id, form=f"BB-{payout.id}")
        assert (await house.balances())["fund"].pending_micros == 0
