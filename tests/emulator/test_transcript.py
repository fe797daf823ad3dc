"""The record of a run: what is counted, what waits for what, and what is found in it again."""

import asyncio
import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import grpc
import pytest

from emulator.soak import clients
from emulator.soak.audit.auditor import Auditor
from emulator.soak.audit.entry import Entry
from emulator.soak.audit.terms import DOLLAR, SiteTerms, read_terms
from emulator.soak.clients import RecordingClient, ResendingClient, StaffClient
from emulator.soak.replay import find_shortest_failure
from emulator.soak.report.measures import Latencies
from emulator.soak.transcript import Transcript
from jackpot.wire.refusals import UnreachableError
from jackpot.wire.v1 import operator_pb2
from jackpot.wire.v1 import table_pb2 as pb
from table_client.client import open_channel


@pytest.fixture(name="terms")
def _terms(site: Path) -> SiteTerms:
    return read_terms(site)


@pytest.fixture(name="transcript")
def _transcript(terms: SiteTerms, tmp_path: Path) -> Iterator[Transcript]:
    with closing(Transcript(Auditor(terms), tmp_path / "transcript")) as transcript:
        yield transcript


def attached(sequence: int, epoch: int, round_: pb.Round | None = None) -> Entry:
    """A client speaks for the table."""
    told = pb.AttachResponse(
        sequence=sequence,
        epoch=epoch,
        last_number=1 if epoch > 1 else 0,
        rounds=1 if epoch > 1 else 0,
        round=round_,
    )
    return Entry(sequence, "attach", pb.AttachRequest(site="house", table="a"), told, table="a")


def opened(sequence: int) -> Entry:
    """The first command of the first client."""
    told = pb.OpenRoundResponse(sequence=sequence, round=1)
    return Entry(sequence, "open_round", pb.OpenRound(), told, table="a", epoch=1, number=1)


def placed(sequence: int, number: int) -> Entry:
    """Two wagers, accepted."""
    wagers = [
        pb.Wager(seat=seat, bet="five-card-progressive", amount_micros=DOLLAR) for seat in (1, 2)
    ]
    told = pb.PlaceWagersResponse(sequence=sequence)
    request = pb.PlaceWagers(wagers=wagers)
    return Entry(sequence, "place_wagers", request, told, table="a", epoch=1, number=number)


FENCED = Entry(0, "lock_out", pb.LockOut(), None, "FENCED", {}, "a", 1, 2)
OPEN = pb.Round(number=1, phase=pb.ROUND_PHASE_OPEN)


def test_what_is_answered_twice_is_counted_once(transcript: Transcript) -> None:
    """A command that was sent again is no other wager and no other command."""
    late = Entry(14, "place_wagers", placed(14, 3).request, None, "DUPLICATE_WAGER", {}, "a", 1, 3)
    reused = Entry(13, "lock_out", pb.LockOut(), None, "REQUEST_REUSED", {}, "a", 1, 2)
    for entry in (attached(11, 1), opened(12), placed(13, 2), placed(13, 2), late, late, reused):
        transcript.note(entry)
    assert transcript.contradiction is None
    assert transcript.wagers == 2
    assert transcript.counts == {"attach": 1, "open_round": 1, "place_wagers": 2, "lock_out": 1}
    assert transcript.refusals == {"DUPLICATE_WAGER": 1, "REQUEST_REUSED": 1}


def test_a_refusal_that_is_not_journaled_keeps_its_place(
    transcript: Transcript, terms: SiteTerms, tmp_path: Path
) -> None:
    """A client that was replaced is fenced after that, also when the record is gone through."""
    for entry in (attached(11, 1), opened(12), attached(13, 2, OPEN), FENCED):
        transcript.note(entry)
    assert transcript.contradiction is None
    transcript.close()
    assert find_shortest_failure(terms, tmp_path / "transcript") is None


def test_a_refusal_without_need_is_found_where_it_was_told(
    transcript: Transcript, terms: SiteTerms, tmp_path: Path
) -> None:
    """The failure found ends with it, and has all that was told before."""
    for entry in (attached(11, 1), opened(12), FENCED, attached(13, 2, OPEN)):
        transcript.note(entry)
    transcript.close()
    shortest_failure = find_shortest_failure(terms, tmp_path / "transcript")
    assert shortest_failure is not None
    assert (shortest_failure.entries, shortest_failure.of, shortest_failure.sequence) == (3, 4, 12)
    assert str(transcript.contradiction) == f"at sequence 0: {shortest_failure.what}"
    assert [line.split()[3] for line in shortest_failure.tail] == [
        "attach",
        "open_round",
        "lock_out",
    ]


def test_a_view_of_the_past_is_found_as_such(
    transcript: Transcript, terms: SiteTerms, tmp_path: Path
) -> None:
    """What was known when it was asked for is on record; what was still under way is not missed."""
    request = operator_pb2.ListLinksRequest(site="house")
    told = operator_pb2.ListLinksResponse(sequence=11)
    transcript.note(attached(11, 1))
    transcript.begin()  # the OpenRound of sequence 12, whose answer never comes
    transcript.note(placed(13, 2))
    transcript.note(Entry(11, "ListLinks", request, told, since=13))
    transcript.close()
    assert (
        str(transcript.contradiction) == "at sequence 11: ListLinks is older than 13, told before"
    )
    shortest_failure = find_shortest_failure(terms, tmp_path / "transcript")
    assert shortest_failure is not None
    assert (shortest_failure.entries, shortest_failure.sequence) == (3, 13)
    assert shortest_failure.what == "ListLinks is older than 13, told before"


async def test_a_look_that_is_overtaken_is_compared_at_its_sequence(transcript: Transcript) -> None:
    """Nothing is audited past what it is going to show."""
    asked, overtaken = asyncio.Event(), asyncio.Event()

    async def list_links(*_: object) -> bytes:
        asked.set()
        await overtaken.wait()
        return operator_pb2.ListLinksResponse(sequence=11).SerializeToString()

    rpcs: dict[str, Any] = {"ListLinks": grpc.unary_unary_rpc_method_handler(list_links)}
    service = grpc.method_handlers_generic_handler("jackpot.v1.OperatorService", rpcs)
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((service,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    transcript.note(attached(11, 1))
    async with open_channel(f"127.0.0.1:{port}") as channel:
        looking = asyncio.create_task(StaffClient([channel], "house", transcript).look("ListLinks"))
        await asked.wait()
        transcript.note(opened(12))
        assert (transcript.auditor.sequence, transcript.auditor.waiting) == (11, 1)
        overtaken.set()
        await looking
    await server.stop(None)
    assert str(transcript.contradiction).startswith("at sequence 11: listed are [], must be ")


def test_an_auditor_that_fails_passes_nothing(
    transcript: Transcript, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What it could not judge is no pass, though nobody contradicts."""

    def broken(*_: object) -> None:
        raise KeyError("round")

    monkeypatch.setattr(Auditor, "advance", broken)
    transcript.note(attached(11, 1))
    assert str(transcript.contradiction) == "at sequence 11: the auditor failed: KeyError('round')"
    assert transcript.failed.is_set()
    assert "the auditor failed" in caplog.text


async def test_staff_who_give_up_leave_their_command_unknown(
    transcript: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody refused it, so nothing is audited past it; a look leaves nothing behind."""
    monkeypatch.setattr(clients, "ANSWER_TIMEOUT_S", 0.1)
    async with open_channel("127.0.0.1:1") as channel:
        staff = StaffClient([channel], "house", transcript)
        with pytest.raises(UnreachableError):
            await staff.look("ListLinks")
        assert transcript.under_way == 0
        with pytest.raises(UnreachableError):
            await staff.do("PayPayout", payout=7)
    assert transcript.contradiction is None
    assert transcript.under_way == 1
    assert transcript.given_up.startswith('; PayPayout site: "house" request_id:')
    transcript.note(attached(11, 1))
    assert (transcript.auditor.waiting, transcript.complete) == (1, 0)


async def test_a_copy_that_fails_is_not_lost(
    transcript: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever waits for the copies is told, though that one ended long before."""

    async def again(*_: object) -> None:
        raise OSError("no copy")

    monkeypatch.setattr(ResendingClient, "_again", again)
    monkeypatch.setattr(RecordingClient, "send", lambda *_: asyncio.sleep(0))
    async with open_channel("127.0.0.1:1") as channel:
        client = ResendingClient(
            [channel],
            "soak",
            "table-001",
            transcript,
            Latencies(),
            other=channel,
            chance=1.0,
            draw=random.Random(1),
        )
        await client.send(pb.PlayCommand())
        await asyncio.sleep(0.01)
        with pytest.raises(OSError, match="no copy"):
            await client.finish()
