"""A table's contract: what a vendor needs is on the wire, and every answer can be had again."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from grpc.aio import AioRpcError

from jackpot.core.reasons import Reason
from jackpot.rules.hand_titles import HAND_TITLES
from jackpot.wire.paging import all_pages_async
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import (
    meter_pb2,
    operator_pb2,
    operator_pb2_grpc,
    payout_pb2,
    pin_pb2,
    reason_pb2,
    table_config_pb2,
    table_pb2,
)
from tests.auth.secured import secured
from tests.server.house import (
    DOLLAR,
    FIVE,
    ROYALS,
    SITE,
    House,
    fund_text,
    hands,
    info_of,
    open_house,
    status_of,
    wager,
    wagers,
)


async def attach(house: House, table: str) -> table_pb2.AttachResponse:
    """Speak for a table."""
    request = table_pb2.AttachRequest(site=SITE, table=table, request_id=new_request_id())
    return await house.tables.Attach(request)


async def round_of(house: House, table: str, **which: int) -> table_pb2.Round:
    """The round that GetRound has."""
    request = table_pb2.GetRoundRequest(site=SITE, table=table, **which)
    return (await house.tables.GetRound(request)).round


async def refusal(answer: Any) -> Any:
    """The ErrorInfo of a call that must be refused."""
    with pytest.raises(AioRpcError) as caught:
        await answer
    return info_of(status_of(caught.value))


FULL_HOUSE = ["Ac", "Ad", "Ah", "Kc", "Kd"]


async def test_a_lost_answer_to_a_settlement_is_had_again(house: House) -> None:
    """After an attachment the round is whole: hands, all payouts, fixed ones too, and statuses."""
    dealer = await house.dealer("t4")
    await dealer.collected(1, 4)
    request = hands({1: ROYALS["s"], 4: FULL_HOUSE}, 1, 4)
    lost = await dealer.do("settle", request)
    assert {payout.kind for payout in lost.payouts} >= {
        payout_pb2.PAYOUT_KIND_SHARE,
        payout_pb2.PAYOUT_KIND_FIXED,
    }
    found = await attach(house, "t4")
    assert found.round == await round_of(house, "t4", round=1)
    assert found.round.phase == table_pb2.ROUND_PHASE_SETTLED
    assert list(found.round.payouts) == list(lost.payouts)
    assert list(found.round.hands) == list(request.hands)
    assert list(found.round.dealer) == list(request.dealer)
    assert [each.seat for each in found.round.wagers] == [1, 4]
    assert found.next_round_refusal == reason_pb2.REASON_DOCUMENTATION_OPEN


async def test_a_round_tells_how_far_each_payout_has_come(house: House) -> None:
    """Pending, validated, paid with its form, or rejected; until the next round opens."""
    dealer = await house.dealer("t4")
    payouts = await dealer.settled({1: ROYALS["s"], 4: FULL_HOUSE}, 1, 4)
    fixed = next(each for each in payouts if each.kind == payout_pb2.PAYOUT_KIND_FIXED)
    share = next(each for each in payouts if each.kind == payout_pb2.PAYOUT_KIND_SHARE)
    for payout in payouts:
        await house.operate("ValidatePayout", payout=payout.id, floorperson="Ann")
    await house.operate("PayPayout", payout=share.id, form="W-7")
    await house.operate("PayPayout", payout=fixed.id, form="")
    found = {each.id: each for each in (await round_of(house, "t4")).payouts}
    assert found[share.id].status == payout_pb2.PAYOUT_STATUS_PAID
    assert (found[share.id].form, found[share.id].floorperson) == ("W-7", "Ann")
    assert found[fixed.id].status == payout_pb2.PAYOUT_STATUS_PAID
    others = [each for each in payouts if each.id not in (share.id, fixed.id)]
    assert all(found[each.id].status == payout_pb2.PAYOUT_STATUS_VALIDATED for each in others)
    for payout in others:
        await house.operate("PayPayout", payout=payout.id)
    assert (await attach(house, "t4")).next_round_refusal == reason_pb2.REASON_UNSPECIFIED


async def test_a_rejected_payout_is_still_told(house: House) -> None:
    """It is not due, and nobody need wonder where it went; a restart knows it too."""
    dealer = await house.dealer("t4")
    (payout,) = await dealer.settled({1: FULL_HOUSE}, 1)
    await house.operate(
        "RejectPayout",
        payout=payout.id,
        floorperson="Ann",
        reason=operator_pb2.REJECT_REASON_HAND_MISREAD,
    )
    (found,) = (await round_of(house, "t4")).payouts
    assert found.status == payout_pb2.PAYOUT_STATUS_REJECTED
    assert found.amount_micros == payout.amount_micros


async def test_a_void_round_is_told_as_void(house: House) -> None:
    """Not as none: the table sees that it is void, and why, until the next one opens."""
    dealer = await house.dealer("t4")
    await dealer.locked(1, 2)
    await dealer.do("void_round", table_pb2.VoidRound(irregularity="MISDEALT"))
    found = (await attach(house, "t4")).round
    assert found == await round_of(house, "t4")
    assert (found.number, found.phase) == (1, table_pb2.ROUND_PHASE_VOIDED)
    assert (found.irregularity, found.voided_by) == ("MISDEALT", "")
    assert [each.seat for each in found.wagers] == [1, 2]
    dealer = await house.dealer("t4")
    await dealer.settled({1: FULL_HOUSE}, 1)
    await house.operate(
        "VoidTableRound", table="t4", round=2, irregularity="MISDEALT", who="ann/floor"
    )
    found = (await attach(house, "t4")).round
    assert (found.number, found.voided_by) == (2, "ann")
    assert [each.status for each in found.payouts] == [payout_pb2.PAYOUT_STATUS_REJECTED]
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    assert (await round_of(house, "t4")).phase == table_pb2.ROUND_PHASE_OPEN


async def test_a_round_that_is_not_there_is_refused(house: House) -> None:
    """NO_ROUND before the first one, WRONG_ROUND for another than the last."""
    assert (await refusal(round_of(house, "t4"))).reason == Reason.NO_ROUND
    await (await house.dealer("t4")).do("open_round")
    assert (await refusal(round_of(house, "t4", round=7))).reason == Reason.WRONG_ROUND
    assert (await refusal(round_of(house, "t99"))).reason == Reason.UNKNOWN_TABLE


async def test_a_table_learns_what_it_is(house: House) -> None:
    """Game, links, bets, chips or electronic, denomination, cards, seats, boxes, limits."""
    request = table_pb2.TableServiceGetTableRequest(site=SITE, table="t1")
    config = (await house.tables.GetTable(request)).config
    assert (await attach(house, "t1")).config == config
    assert (config.table, config.game) == ("t1", "crazy-4-poker")
    assert (config.seats, config.boxes_per_player, config.currency) == (6, 1, "USD")
    assert (config.seat_cards, config.dealer_cards, config.community_cards) == (5, 5, 0)
    assert config.heartbeat_interval.seconds > 0
    assert config.limits.commands == 32
    five, bonus = config.links
    assert (five.link, five.status) == ("five", meter_pb2.LINK_STATUS_IN_SERVICE)
    assert (five.wager_micros, bonus.link) == (DOLLAR, "bonus")
    (bet,) = (each for each in five.bets if each.bet == FIVE)
    assert bet == table_config_pb2.BetConfig(
        bet=FIVE,
        title="Five card progressive",
        medium=meter_pb2.BET_MEDIUM_CHIPS,
        fold_forfeits=True,
    )
    divided = {each.bet: set(each.divided_hands) for each in bonus.bets if each.on_dealer}
    assert all("royal-flush" in hands for hands in divided.values())
    assert divided
    await house.operate("SuspendLink", link="five")
    config = (await house.tables.GetTable(request)).config
    assert config.links[0].status == meter_pb2.LINK_STATUS_SUSPENDED


async def test_a_malformed_field_is_named_by_its_path(house: House) -> None:
    """With the index of each list that it is in."""
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    bad = table_pb2.PlaceWagers(wagers=[wager(1), wager(2), wager(99)])
    assert (await refusal(dealer.do("place_wagers", bad))).metadata["field"] == "wagers[2].seat"
    await dealer.do("place_wagers", wagers(1, 2, 3))
    await dealer.do("lock_out")
    await dealer.do("confirm_collection", table_pb2.ConfirmCollection(chips={FIVE: 3}))
    settle = hands({3: ["Xs", *ROYALS["h"][1:]]}, 1, 2, 3)
    found = (await refusal(dealer.do("settle", settle))).metadata
    assert (found["field"], found["value"]) == ("hands[2].cards[0]", "Xs")


@pytest.mark.parametrize("card", ["AH", "ah", "10d", "A♠", "Jk", "jk", " As", ""])
async def test_a_card_has_one_spelling(card: str, house: House) -> None:
    """As the proto documents it: what is accepted is what is documented."""
    dealer = await house.dealer("t4")
    await dealer.collected(1)
    found = await refusal(dealer.do("settle", hands({1: [card, *ROYALS["h"][1:]]}, 1)))
    assert (found.reason, found.metadata["field"]) == (Reason.MALFORMED, "hands[0].cards[0]")


async def test_an_absent_command_opens_no_round(house: House) -> None:
    """A client that forgot to fill it in is told so, and its number is used."""
    dealer = await house.dealer("t4")
    for rpc in ("OpenRound", "LockOut"):
        request = getattr(table_pb2, f"{rpc}Request")(id=dealer.id())
        found = await refusal(getattr(house.tables, rpc)(request))
        assert (found.reason, found.metadata["field"]) == (Reason.MALFORMED, "command")
    assert (await dealer.do("open_round")).round == 1


async def test_nobody_is_called_by_another_seat(house: House) -> None:
    """Or a player named "seat 1" at seat 2 would be taken for whoever sits at seat 1."""
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    named = table_pb2.PlaceWagers(wagers=[wager(1), wager(2, player="seat 1")])
    found = await refusal(dealer.do("place_wagers", named))
    assert found.metadata["field"] == "wagers[1].player"
    own = table_pb2.PlaceWagers(wagers=[wager(1), wager(2, player="seat 2")])
    await dealer.do("place_wagers", own)
    assert [each.player for each in (await dealer.do("lock_out")).wagers] == ["seat 1", "seat 2"]


async def test_a_message_above_64_kib_is_refused_with_its_reason(house: House) -> None:
    """What it was is not looked at; no number is used."""
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    huge = table_pb2.PlaceWagers(wagers=[wager(1, player="x" * 70_000)])
    found = await refusal(dealer.do("place_wagers", huge, number=2))
    assert (found.reason, found.metadata["field"]) == (Reason.TOO_MANY, "message")
    assert (found.metadata["limit"], "sequence" in found.metadata) == ("65536", False)
    await dealer.do("place_wagers", wagers(1), number=2)


async def test_an_unknown_tables_attachment_is_not_journaled(house: House) -> None:
    """Nobody fills a journal with tables that there are not."""
    before = await house.sequence()
    found = await refusal(attach(house, "t99"))
    assert (found.reason, await house.sequence()) == (Reason.UNKNOWN_TABLE, before)


async def test_a_gap_is_closed_by_the_missing_command(house: House) -> None:
    """NUMBER_GAP says which one is missing; then the same command goes through."""
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    found = await refusal(dealer.do("lock_out", number=3))
    assert (found.reason, found.metadata["expected"]) == (Reason.NUMBER_GAP, "2")
    await dealer.do("place_wagers", wagers(1), number=2)
    assert (await dealer.do("lock_out", number=3)).round == 1


async def test_who_may_not_is_told_who_they_are_and_what_is_needed(tmp_path: Path) -> None:
    """NOT_ALLOWED has principal, role, call, and the roles that may."""
    request = operator_pb2.SuspendLinkRequest(site=SITE, link="five", request_id=new_request_id())
    async with secured(tmp_path) as house, house.channel(house.identity("sign", "s1")) as channel:
        staff: Any = operator_pb2_grpc.OperatorServiceStub(channel)
        found = await refusal(staff.SuspendLink(request))
    assert found.reason == Reason.NOT_ALLOWED
    assert dict(found.metadata) == {
        "principal": "sign:s1",
        "role": "sign",
        "site": SITE,
        "rpc": "OperatorService/SuspendLink",
        "needs_role": "floor, shift-supervisor, operations",
    }


async def test_a_controller_says_what_it_is(house: House) -> None:
    """Version, features, time, limits, addresses, currency and intervals."""
    info = await house.meters.GetServerInfo(meter_pb2.GetServerInfoRequest())
    assert info.version
    assert {"get-round", "table-config", "progress-frames"} <= set(info.features)
    assert list(info.addresses) == [house.address]
    assert (info.currency, info.limits.message_bytes) == ("USD", 65_536)
    assert info.server_time.seconds > 0
    assert info.heartbeat_interval.seconds == info.progress_interval.seconds == 5


async def test_every_list_has_pages(house: House) -> None:
    """A page ends where it should, the next one goes on, and all together are the list."""
    request = operator_pb2.ListTablesRequest(site=SITE, page_size=3)
    first = await house.operators.ListTables(request)
    assert [each.id for each in first.tables] == ["t1", "t2", "t3"]
    whole = await all_pages_async(house.operators.ListTables, request)
    assert [each.id for each in whole.tables] == ["t1", "t2", "t3", "t4"]
    links = operator_pb2.ListLinksRequest(site=SITE, page_size=1)
    found = await all_pages_async(house.operators.ListLinks, links)
    assert [each.id for each in found.links] == ["five", "mega", "spare", "bonus"]
    meters = meter_pb2.ListMetersRequest(site=SITE, page_size=2)
    assert len((await house.meters.ListMeters(meters)).links) == 2
    for service in (meter_pb2, operator_pb2, pin_pb2, table_pb2):
        for name, message in service.DESCRIPTOR.message_types_by_name.items():
            if name.startswith("List"):
                pages = {"page_token", "next_page_token"} & set(message.fields_by_name)
                assert len(pages) == 1, name
    gone = operator_pb2.ListTablesRequest(site=SITE, page_token="bm9uZQ==")
    assert (await refusal(house.operators.ListTables(gone))).metadata["field"] == "page_token"


async def test_a_watch_without_news_says_that_it_is_alive(house: House) -> None:
    """A progress frame has no links, and the sequence up to which all was seen."""
    house.controller._meters.progress_s = 0.05
    watch: Any = house.meters.WatchMeters(meter_pb2.WatchMetersRequest(site=SITE, links=["five"]))
    first = await watch.read()
    quiet = await asyncio.wait_for(watch.read(), 30)
    assert (len(first.links), len(quiet.links)) == (1, 0)
    assert quiet.sequence == first.sequence
    watch.cancel()


async def test_zero_and_nothing_are_not_the_same(house: House) -> None:
    """A meter is set to zero only by somebody who says so."""
    about: dict[str, Any] = {"link": "five", "level": "main", "reference": "r"}
    reason = operator_pb2.METER_REASON_MALFUNCTION
    found = await refusal(house.operate("AdjustMeter", reason=reason, **about))
    assert (found.metadata["field"], found.metadata["problem"]) == ("to_micros", "absent")
    found = await refusal(house.operate("SetRate", primary_bps=1, **about))
    assert found.metadata["field"] == "reserve_bps"
    assert (await refusal(house.operate("SetLimit", **about))).metadata["field"] == "limit_micros"
    (five, *_) = (await house.balances()).values()
    assert not five.levels[0].HasField("limit_micros")


async def test_every_hand_that_is_paid_has_a_title(house: House) -> None:
    """From the closed list."""
    found = await house.meters.ListPaytables(meter_pb2.ListPaytablesRequest(site=SITE))
    lines: list[Any] = [
        line
        for link in found.links
        for table in link.paytables
        for line in (*table.lines, *table.envy)
    ]
    assert lines
    assert all(HAND_TITLES[line.hand] == line.hand_title for line in lines)


@pytest.mark.rule("PA2010 555.13")
async def test_a_wager_feeds_the_meter_at_the_rate_at_which_it_was_accepted(
    tmp_path: Path,
) -> None:
    """Also if the link resumes with another rate before its chips are counted."""
    bet = "progressive"
    stud: dict[str, Any] = {"link": "stud", "level": "main", "reference": "r"}
    async with open_house(tmp_path, more=fund_text()) as house:

        async def change(primary_bps: int) -> None:
            await house.operate("SuspendLink", link="stud")
            proposed = await house.operate(
                "SetRate", who="ann/operations", primary_bps=primary_bps, reserve_bps=0, **stud
            )
            if proposed.WhichOneof("outcome") == "proposed":
                number = proposed.proposed.id
                await house.operate("ApproveProposal", who="bob/accounting", proposal=number)
            await house.operate("ResumeLink", link="stud")

        before = (await house.meter("stud"))["main"]
        dealer = await house.dealer("t5")
        await dealer.do("open_round")
        await dealer.do("place_wagers", wagers(1, 2, bet=bet))
        await change(8_000)
        await dealer.do("place_wagers", wagers(3, bet=bet))
        await dealer.do("lock_out")
        await change(9_000)
        chips = table_pb2.ConfirmCollection(chips={bet: 3})
        await dealer.do("confirm_collection", chips)
        after = (await house.meter("stud"))["main"]
        assert after - before == (2 * 70 + 80) * DOLLAR // 100
        about: dict[str, Any] = {"table": "t5", "round": 1}
        await house.operate("VoidTableSeat", seat=3, irregularity="HAND_FOULED", **about)
        assert (await house.meter("stud"))["main"] - before == 2 * 70 * DOLLAR // 100
        await house.operate("VoidTableRound", irregularity="MISDEALT", **about)
        assert (await house.meter("stud"))["main"] == before


async def test_a_rejection_decides_open_awards_again_behind_a_validated_one(house: House) -> None:
    """The jackpot is still open, so it is due at the meter without the award that fell."""
    dealer = await house.dealer("t4")
    hands = {6: [f"{rank}c" for rank in "34567"], 5: [f"{rank}d" for rank in "56789"]}
    payouts = await dealer.settled({**hands, 2: ROYALS["s"]}, 6, 5, 2)
    shares = [each for each in payouts if each.kind == payout_pb2.PAYOUT_KIND_SHARE]
    first, second, jackpot = shares
    assert [each.seat for each in shares] == [6, 5, 2]
    for payout in payouts[: payouts.index(second) + 1]:
        await house.operate("ValidatePayout", payout=payout.id, floorperson="Ann")
    await house.operate(
        "RejectPayout",
        payout=first.id,
        floorperson="Ann",
        reason=operator_pb2.REJECT_REASON_HAND_MISREAD,
    )
    found = {each.id: each for each in (await round_of(house, "t4")).payouts}
    assert found[first.id].status == payout_pb2.PAYOUT_STATUS_REJECTED
    assert found[second.id].amount_micros == second.amount_micros
    grown_micros = found[jackpot.id].amount_micros - jackpot.amount_micros
    assert abs(grown_micros - first.amount_micros) < DOLLAR // 100
