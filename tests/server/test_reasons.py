"""Every reason for a refusal, as a caller sees it over gRPC."""

from pathlib import Path

import grpc
import pytest
from google.rpc import code_pb2, error_details_pb2
from grpc.aio import AioRpcError

from jackpot.core.reasons import MEANINGS, Reason
from jackpot.store.opening import Address
from jackpot.wire import refusals as wire
from jackpot.wire.request_id import make_request_id, new_request_id
from jackpot.wire.v1 import reason_pb2, table_pb2
from tests.core.number_use import NO_NUMBER, number_use
from tests.server.house import FIVE, House, info_of, status_of
from tests.server.scenes import at_the_door, at_the_table, of_operators
from tests.traces import compare, error_json, recorded

ROOT = Path(__file__).parents[2]
# A reason without a scene here fails its test.
SCENARIOS = at_the_door.SCENES | at_the_table.SCENES | of_operators.SCENES


@pytest.mark.parametrize("reason", Reason)
async def test_a_refusal_tells_its_reason(
    reason: Reason, tmp_path: Path, store: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The caller gets the code, the reason, the domain, and a retry delay where one helps.

    The exchange is the trace that docs show.
    """
    with pytest.raises(AioRpcError) as caught, recorded(monkeypatch) as recorder:
        await SCENARIOS[reason](tmp_path, store)
    told = [
        each for each in recorder.exchanges if each.get("error", {}).get("reason") == reason.value
    ]
    compare(f"reasons/{reason.value}", told[-1] if told else {"error": error_json(caught.value)})
    status, meaning = status_of(caught.value), MEANINGS[reason]
    info = info_of(status)
    assert (info.reason, info.domain) == (reason.value, "jackpot")
    assert caught.value.code() == grpc.StatusCode[meaning.code]
    assert code_pb2.Code.Name(status.code) == meaning.code
    # Of a certificate that is no good the text says what is wrong with it, and what to do.
    revoked = "The certificate is revoked: ask the authority's administrator for a new one."
    sentence = revoked if reason is Reason.UNAUTHENTICATED else meaning.sentence
    assert caught.value.details() == status.message == sentence
    # The first names the entry that has the identity; the other is never told over the wire.
    if reason not in {Reason.REQUEST_REUSED, Reason.ALREADY_DEFINED}:
        assert ("sequence" in info.metadata) == (reason not in NO_NUMBER)
    retry = error_details_pb2.RetryInfo()
    assert any(detail.Unpack(retry) for detail in status.details) == (meaning.retry == "same")


def test_every_reason_is_on_the_wire() -> None:
    """The proto's enum lists every reason of the core, in the same order."""
    names = [name.removeprefix("REASON_") for name in reason_pb2.Reason.DESCRIPTOR.values_by_name]
    assert names == ["UNSPECIFIED", *(reason.value for reason in Reason)]


@pytest.mark.parametrize("reason", Reason)
def test_the_wire_says_what_a_client_may_make_of_a_reason(reason: Reason) -> None:
    """Code, retry and number, as an option of the value; docs name those that use no number."""
    told, meaning = wire.MEANINGS[reason.value], MEANINGS[reason]
    assert code_pb2.Code.Name(told.code) == meaning.code
    retry = reason_pb2.RetryClass.Name(told.retry)
    number = reason_pb2.NumberUse.Name(told.number)
    assert retry == f"RETRY_CLASS_{meaning.retry.upper()}"
    assert number == f"NUMBER_USE_{number_use(reason).upper().replace('-', '_')}"
    assert (number_use(reason) in ("unused", "not-known")) == (reason in NO_NUMBER)
    if reason in NO_NUMBER:
        assert f"`{reason.value}`" in (ROOT / "docs/reference/table-contract.md").read_text()


async def test_a_journaled_refusal_says_where(house: House) -> None:
    """A refusal that was journaled names its sequence, and comes again the same way."""
    dealer = await house.dealer("t4")
    found = []
    for number in (None, 1):
        with pytest.raises(AioRpcError) as caught:
            await dealer.do("lock_out", number=number)
        found.append(dict(info_of(status_of(caught.value)).metadata))
    assert found[0] == found[1] == {"table": "t4", "sequence": str(await house.sequence())}


async def test_a_mismatch_names_both_counts(house: House) -> None:
    """COLLECTION_MISMATCH has what was accepted and what was counted."""
    dealer = await house.dealer("t4")
    await dealer.locked(1, 2)
    with pytest.raises(AioRpcError) as caught:
        await dealer.do("confirm_collection", table_pb2.ConfirmCollection(chips={FIVE: 3}))
    metadata = info_of(status_of(caught.value)).metadata
    assert (metadata["accepted"], metadata["counted"], metadata["bet"]) == ("2", "3", FIVE)


async def test_an_operators_id_from_the_future_is_refused(house: House) -> None:
    """A clock far ahead must not make all other ids look old."""
    future = make_request_id(int(new_request_id()[:8], 16) << 17, 1)
    with pytest.raises(AioRpcError) as caught:
        await house.operate("SuspendLink", request_id=future, link="five")
    assert info_of(status_of(caught.value)).reason == Reason.MALFORMED
