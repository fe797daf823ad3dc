"""A backup is restored behind tables and signs: each is told, and starts over."""

import asyncio

import pytest
from grpc.aio import AioRpcError

from jackpot.restoring import Restored, begin_incarnations
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import alarm_pb2, meter_pb2, operator_pb2, table_pb2
from tests.server.house import SITE, House, info_of, status_of


async def restored(house: House) -> Restored:
    """Go on as another incarnation, as after a restore; the controller runs all the while."""
    (done,) = await asyncio.to_thread(
        begin_incarnations, house.store, reason="disk failed", by="ann"
    )
    return done


async def attach(house: House, known: table_pb2.Acknowledged) -> table_pb2.AttachResponse:
    """A table that says what it had been told."""
    request = table_pb2.AttachRequest(
        site=SITE, table="t4", request_id=new_request_id(), acknowledged=known
    )
    return await house.tables.Attach(request)


async def test_a_heartbeat_of_an_earlier_incarnation_is_refused(house: House) -> None:
    """Whoever only beats hears it too."""
    dealer = await house.dealer("t4")
    beat = table_pb2.HeartbeatRequest(site=SITE, table="t4", epoch=dealer.epoch)
    assert (await house.tables.Heartbeat(beat)).incarnation == ""
    done = await restored(house)
    await house.sequence()  # a beat alone does not ask what others have written
    with pytest.raises(AioRpcError) as failed:
        await house.tables.Heartbeat(beat)
    info = info_of(status_of(failed.value))
    assert info.reason == "OTHER_INCARNATION"
    assert dict(info.metadata) == {"table": "t4", "incarnation": done.incarnation}


async def test_what_a_table_lost_is_an_alarm(house: House) -> None:
    """With its range and its round, and that a backup was restored, by whom and why."""
    await house.dealer("t4")
    common = await house.sequence()
    done = await restored(house)
    known = table_pb2.Acknowledged(first_sequence=1, last_sequence=common + 20, round=7)
    answer = await attach(house, known)
    assert answer.incarnation == done.incarnation
    assert answer.epoch == done.epochs_above + 1
    listed = await house.operators.ListAlarms(operator_pb2.ListAlarmsRequest(site=SITE))
    kinds = alarm_pb2.AlarmKind
    texts = {kinds.Name(alarm.kind): alarm.text for alarm in listed.alarms}
    assert texts["ALARM_KIND_TABLE_ROLLED_BACK"] == (
        f"t4 knows of entries {common + 1} to {common + 20}, which the journal lost in a restore; "
        "the table was at round 7"
    )
    assert texts["ALARM_KIND_RESTORED"] == (
        f"ann restored a backup (disk failed); every journal entry after {common} is lost"
    )


@pytest.mark.parametrize(("first", "last"), [(0, 5), (6, 5), (1, 0)])
async def test_a_range_must_be_one(house: House, first: int, last: int) -> None:
    """From the first to the last, and no other way round."""
    with pytest.raises(AioRpcError) as failed:
        await attach(house, table_pb2.Acknowledged(first_sequence=first, last_sequence=last))
    assert info_of(status_of(failed.value)).reason == "MALFORMED"


async def test_a_watcher_is_shown_everything_anew(house: House) -> None:
    """On the stream that it has, and on a new one that goes on from the old incarnation."""
    watch = house.meters.WatchMeters(meter_pb2.WatchMetersRequest(site=SITE)).__aiter__()
    first = await anext(watch)
    assert first.incarnation == ""
    seen = await house.sequence()
    done = await restored(house)
    again = await anext(watch)
    while again.incarnation == "":
        again = await anext(watch)
    assert again.incarnation == done.incarnation
    request = meter_pb2.WatchMetersRequest(site=SITE, after_sequence=seen)
    frame = await anext(house.meters.WatchMeters(request).__aiter__())
    assert {link.link for link in frame.links} == {"five", "mega", "spare", "bonus"}
    assert frame.incarnation == done.incarnation


@pytest.mark.parametrize("ahead", [0, 1])
async def test_only_a_sequence_of_the_future_is_out_of_range(house: House, ahead: int) -> None:
    """One that has just been reached is waited behind, one beyond it can't have been seen."""
    sequence = await house.sequence()
    request = meter_pb2.WatchMetersRequest(site=SITE, after_sequence=sequence + ahead)
    call = house.meters.WatchMeters(request)
    if not ahead:
        await (await house.dealer("t4")).collected(1)
        assert (await anext(call.__aiter__())).sequence > sequence
        return
    with pytest.raises(AioRpcError) as failed:
        await anext(call.__aiter__())
    info = info_of(status_of(failed.value))
    assert info.reason == "OUT_OF_RANGE"
    assert info.metadata["sequence"] == str(sequence)
