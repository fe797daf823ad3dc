"""What a caller can make the journal grow for nothing is bounded, and nothing is lost by it."""

from pathlib import Path

import pytest
from grpc.aio import AioRpcError
from hypothesis import given
from hypothesis import strategies as st

from jackpot.core.commands.base import OperatorOrigin, TableOrigin
from jackpot.engine import Limits
from jackpot.engine.batch import caller_of
from jackpot.quota import CallerQuota
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import table_pb2
from tests.server.house import SITE, Dealer, info_of, open_house, status_of

T4, T5 = TableOrigin("t4", 1, 1), TableOrigin("t5", 1, 1)
SECOND = 1_000_000


@given(st.lists(st.integers(0, 2 * SECOND), max_size=300))
def test_no_stretch_of_time_has_more_than_the_burst_and_its_share(pauses: list[int]) -> None:
    """Whenever the caller asks."""
    quota, now, taken = CallerQuota(5, 2), 0, list[int]()
    for pause in pauses:
        now += pause
        if quota.take("house", caller_of(T4), now):
            taken.append(now)
    for first, begun in enumerate(taken):
        for last in range(first, len(taken)):
            assert last - first + 1 <= 5 + 2 * (taken[last] - begun) / SECOND + 1e-6


@pytest.mark.parametrize(
    ("other", "site"), [(T5, "house"), (T4, "annex"), (OperatorOrigin("t4", "r"), "house")]
)
def test_callers_do_not_cost_each_other_anything(other: object, site: str) -> None:
    """Another table, the same table elsewhere, a person of the same name."""
    quota = CallerQuota(3, 1)
    assert [quota.take("house", caller_of(T4), 0) for _ in range(4)] == [True, True, True, False]
    assert quota.take(site, caller_of(other), 0)  # type: ignore[arg-type]
    assert not quota.take("house", caller_of(T4), SECOND - 1)
    assert quota.take("house", caller_of(T4), SECOND)


def test_many_quiet_callers_make_nobody_forgotten_who_is_noisy() -> None:
    """Two that ask without pause are still held to their burst when all places are taken."""
    quota = CallerQuota(3, 1)
    for n in range(5_000):
        quota.take("house", f"quiet-{n}", n)
    taken = [quota.take("house", f"noisy-{n % 2}", 10 * SECOND) for n in range(100)]
    assert sum(taken) == 2 * 3


async def test_a_table_that_asks_for_nonsense_waits_and_loses_no_number(tmp_path: Path) -> None:
    """Past the bound nothing is journaled; the same command again is, when it has waited."""
    limits = Limits(refusals_burst=3, refusals_per_s=1)
    async with open_house(tmp_path, limits=limits) as house:
        dealer, other = await house.dealer("t4"), await house.dealer("t1")
        for reason in ("NO_ROUND", "NO_ROUND", "NO_ROUND"):
            assert await refused_with(dealer, "lock_out") == reason
        before = await house.sequence()
        assert await refused_with(dealer, "lock_out") == "OVERLOADED"
        assert await house.sequence() == before
        assert await refused_with(other, "lock_out") == "NO_ROUND"
        dealer.number -= 1  # it was not used
        house.clock.ahead_s += 9
        await dealer.do("open_round")


async def test_a_table_that_attaches_without_end_waits(tmp_path: Path) -> None:
    """Past the bound nothing is journaled, a repeat is answered, and other tables attach."""
    limits = Limits(attaches_burst=3, attaches_per_s=1)
    async with open_house(tmp_path, limits=limits) as house:
        ids = [new_request_id() for _ in range(4)]
        requests = [table_pb2.AttachRequest(site=SITE, table="t4", request_id=each) for each in ids]
        epochs = [(await house.tables.Attach(each)).epoch for each in requests[:3]]
        before = await house.sequence()
        with pytest.raises(AioRpcError) as caught:
            await house.tables.Attach(requests[3])
        assert info_of(status_of(caught.value)).reason == "OVERLOADED"
        assert (await house.tables.Attach(requests[2])).epoch == epochs[2]
        assert await house.sequence() == before
        assert (await house.dealer("t1")).epoch == 1
        house.clock.ahead_s += 1
        assert (await house.tables.Attach(requests[3])).epoch == epochs[2] + 1


async def refused_with(dealer: Dealer, kind: str) -> str:
    """Do what can't be done; the reason."""
    with pytest.raises(AioRpcError) as caught:
        await dealer.do(kind)
    return str(info_of(status_of(caught.value)).reason)
