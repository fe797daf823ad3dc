"""Telling exchanges between tables, staff and a controller, as docs show them."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from grpc.aio import AioRpcError

from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import meter_pb2, operator_pb2, table_pb2
from tests.server.house import FIVE, ROYALS, SITE, House, hands, open_house, wager, wagers
from tests.traces import Recorder, compare, recorded

Play = Callable[[House], Awaitable[None]]
TRACES: dict[str, tuple[str, Play]] = {}
FULL_HOUSE = ["Ac", "Ad", "Ah", "Kc", "Kd"]


def trace(name: str, about: str) -> Callable[[Play], Play]:
    """List a trace under its name, with a sentence for its readers."""

    def listed(play: Play) -> Play:
        TRACES[name] = (about, play)
        return play

    return listed


async def refused(answer: Awaitable[Any]) -> None:
    """What is sent must be refused."""
    with pytest.raises(AioRpcError):
        await answer


def attach_request(table: str = "t4") -> table_pb2.AttachRequest:
    """A wish to speak for a table."""
    return table_pb2.AttachRequest(site=SITE, table=table, request_id=new_request_id())


@trace("01-server-info", "A client asks what the controller is, before anything else.")
async def _(house: House) -> None:
    await house.meters.GetServerInfo(meter_pb2.GetServerInfoRequest())


@trace("02-first-attach", "A table attaches for the first time and gets its configuration.")
async def _(house: House) -> None:
    await house.dealer("t4")


@trace("03-whole-round", "A round without an award, from its opening to its settlement.")
async def _(house: House) -> None:
    await (await house.dealer("t4")).settled({}, 1, 2)


@trace("04-award", "A royal flush wins the meter; staff validate and pay; the next round opens.")
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    (payout,) = await dealer.settled({2: ROYALS["s"]}, 2)
    await refused(dealer.do("open_round"))
    await house.operate("ValidatePayout", payout=payout.id, floorperson="Ann")
    await house.operate("PayPayout", payout=payout.id, form="F-1")
    await dealer.do("open_round")


@trace("05-lost-settle", "The answer to Settle is lost; the answer to Attach has the payouts.")
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.settled({1: FULL_HOUSE}, 1)
    await house.dealer("t4")
    request = table_pb2.GetRoundRequest(site=SITE, table="t4")
    await house.tables.GetRound(request)


@trace(
    "06-same-number-again",
    "The client sends a command again with the same number and gets the first answer again.",
)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    await dealer.do("open_round", number=1)
    await refused(dealer.do("lock_out", number=1))


@trace("07-number-gap", "Command 3 arrives before command 2: send 2, then 3 again.")
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    await refused(dealer.do("lock_out", number=3))
    await dealer.do("place_wagers", wagers(1), number=2)
    await dealer.do("lock_out", number=3)


@trace(
    "08-malformed", "A command with a bad card uses its number; send it corrected with the next."
)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.collected(1)
    await refused(dealer.do("settle", hands({1: ["AH", *ROYALS["s"][1:]]}, 1)))
    await dealer.do("settle", hands({1: FULL_HOUSE}, 1))


@trace("09-fenced", "A second client attaches the table; the first client is fenced.")
async def _(house: House) -> None:
    first = await house.dealer("t4")
    await house.dealer("t4")
    await refused(first.do("open_round"))


@trace("10-attach-again", "The client sends the same Attach again and gets the same epoch.")
async def _(house: House) -> None:
    request = attach_request()
    await house.tables.Attach(request)
    await house.tables.Attach(request)


@trace("11-locked-out", "A wager after the lock-out is refused; its lamp stays dark.")
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.locked(1)
    await refused(dealer.do("place_wagers", wagers(2)))


@trace("12-count-differs", "The dealer counts one chip too many, then the right number.")
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.locked(1, 2)
    for count in (3, 2):
        chips = table_pb2.ConfirmCollection(chips={FIVE: count})
        if count == 3:
            await refused(dealer.do("confirm_collection", chips))
        else:
            await dealer.do("confirm_collection", chips)


@trace("13-void-by-table", "A table voids its round before the count; Attach then shows VOIDED.")
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.locked(1)
    await dealer.do("void_round", table_pb2.VoidRound(irregularity="MISDEALT"))
    await house.dealer("t4")


@trace("14-void-by-floor", "After the count, only a floorperson can void the round.")
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.collected(1)
    void = table_pb2.VoidRound(irregularity="MISDEALT")
    await refused(dealer.do("void_round", void))
    await house.operate("VoidTableRound", table="t4", round=1, irregularity="MISDEALT")


@trace(
    "15-payment-order", "Two awards on one level must be validated from the top of the list down."
)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    payouts = await dealer.settled({1: ROYALS["s"], 3: ROYALS["h"]}, 1, 3)
    shares = [payout for payout in payouts if payout.share_bps]
    await refused(house.operate("ValidatePayout", payout=shares[-1].id, floorperson="Ann"))
    for payout in shares:
        await house.operate("ValidatePayout", payout=payout.id, floorperson="Ann")


@trace(
    "16-rejected",
    "A floorperson finds that a hand was misread. The award is not paid, but it stays on the list.",
)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    (payout,) = await dealer.settled({1: FULL_HOUSE}, 1)
    reason = operator_pb2.REJECT_REASON_HAND_MISREAD
    await house.operate("RejectPayout", payout=payout.id, reason=reason, floorperson="Ann")
    await house.tables.GetRound(table_pb2.GetRoundRequest(site=SITE, table="t4"))


@trace("17-link-suspended", "A suspended link takes no wagers until it resumes.")
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    await house.operate("SuspendLink", link="five")
    await refused(dealer.do("place_wagers", wagers(1)))
    await house.operate("ResumeLink", link="five")
    await dealer.do("place_wagers", wagers(1))


@trace("18-two-boxes", "A player may not play two boxes at this table, or use another seat's name.")
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    both = [wager(1, player="p"), wager(2, player="p")]
    await refused(dealer.do("place_wagers", table_pb2.PlaceWagers(wagers=both)))
    other = [wager(1), wager(2, player="seat 1")]
    await refused(dealer.do("place_wagers", table_pb2.PlaceWagers(wagers=other)))


@trace("19-pages", "A list in pages of two.")
async def _(house: House) -> None:
    request = meter_pb2.ListMetersRequest(site=SITE, page_size=2)
    first = await house.meters.ListMeters(request)
    request.page_token = first.next_page_token
    await house.meters.ListMeters(request)


@trace("20-heartbeat", "A heartbeat, and a heartbeat with an old epoch.")
async def _(house: House) -> None:
    await house.dealer("t4")
    await house.dealer("t4")
    for epoch in (2, 1):
        beat = table_pb2.HeartbeatRequest(site=SITE, table="t4", epoch=epoch)
        if epoch == 1:
            await refused(house.tables.Heartbeat(beat))
        else:
            await house.tables.Heartbeat(beat)


@pytest.mark.parametrize("name", TRACES)
async def test_an_exchange_is_as_docs_show_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a real controller, message for message."""
    about, play = TRACES[name]
    recorder: Recorder
    with recorded(monkeypatch) as recorder:
        async with open_house(tmp_path) as house:
            await play(house)
    compare(name, {"about": about, "exchanges": recorder.exchanges})
