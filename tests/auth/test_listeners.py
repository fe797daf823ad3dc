"""Where staff have an address of their own, each caller is heard at one of the two and no other."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from jackpot.auth.gate import Gate
from jackpot.auth.roles import ACCESS, LISTENERS, PEOPLE, ROLES, Listener, Role
from jackpot.core.reasons import Reason
from jackpot.front import frames
from jackpot.rules.site import load_site
from jackpot.server.controller import make_controller
from jackpot.server.fronts import Fronts, PortGuard
from jackpot.wire.address import AddressError, may_be_one
from jackpot.wire.channels import Identity
from jackpot.wire.identity import Tls
from jackpot.wire.refusals import RefusedError, from_rpc_error
from jackpot.wire.v1 import meter_pb2, meter_pb2_grpc
from tests.auth.secured import Secured, code_of, secured
from tests.auth.test_standard_services import SERVICES, answer, refused_as
from tests.server.house import SITE, free_port, site_text, write_site

ANYWHERE = "127.0.0.1:0"


@asynccontextmanager
async def parted(folder: Path) -> AsyncIterator[Secured]:
    """The usual site, with an address for staff."""
    async with secured(folder, staff=ANYWHERE) as house:
        yield house


def there(house: Secured, listener: Listener) -> str:
    """Its address."""
    return house.controller.addresses[listener]


async def code(channel: grpc.aio.Channel, rpc: str) -> str:
    """What a call comes to, also where the caller was hung up on just now."""
    found = "UNAVAILABLE"
    while found == "UNAVAILABLE":
        found = await code_of(channel, rpc)
    return found


async def read_on(stream: Any) -> None:
    """Read until there is an error."""
    while True:
        await stream.read()


async def refusal(channel: grpc.aio.Channel) -> RefusedError:
    """Why a call that is for every role is refused."""
    stub: meter_pb2_grpc.MeterServiceAsyncStub = meter_pb2_grpc.MeterServiceStub(channel)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stub.GetServerInfo(meter_pb2.GetServerInfoRequest(), timeout=20)
    return from_rpc_error(caught.value)


def test_people_are_staff_and_nobody_else_but_monitors_is_heard_there() -> None:
    """Every role is heard somewhere; only a monitor, which watches both, at both."""
    assert LISTENERS["staff"] == {*PEOPLE, "monitor"}
    assert LISTENERS["tables"] | LISTENERS["staff"] == set(ROLES)
    assert LISTENERS["tables"] & LISTENERS["staff"] == {"monitor"}


@pytest.mark.parametrize("listener", LISTENERS)
@pytest.mark.parametrize("role", ROLES)
async def test_every_call_by_every_role_at_either_listener(
    tmp_path: Path, role: Role, listener: Listener
) -> None:
    """At their own address callers may what they may anywhere; at the other one nothing at all."""
    async with parted(tmp_path) as house:
        before = await house.journal_head()
        async with house.channel(house.identity(role), there(house, listener)) as channel:
            for rpc, allowed in ACCESS.items():
                heard = role in LISTENERS[listener] and role in allowed
                assert (await code(channel, rpc) != "PERMISSION_DENIED") is heard, rpc
        assert await house.journal_head() == before


@pytest.mark.parametrize("service", SERVICES)
async def test_health_and_reflection_answer_at_both(tmp_path: Path, service: str) -> None:
    """They answer every role that the listener carries, and tell other roles nothing."""
    async with parted(tmp_path) as house:
        for listener, roles in LISTENERS.items():
            for role in ROLES:
                async with house.channel(house.identity(role), there(house, listener)) as channel:
                    if role in roles:
                        assert await answer(channel, service)
                        continue
                    assert await refused_as(channel, service) is grpc.StatusCode.PERMISSION_DENIED


@pytest.mark.parametrize(
    ("role", "called", "needed", "said"),
    [
        ("floor", "tables", "staff", "Staff have an address of their own at this controller"),
        ("table", "staff", "tables", "This address is for staff only"),
    ],
)
async def test_the_refusal_says_where_to_call(
    tmp_path: Path, role: Role, called: Listener, needed: Listener, said: str
) -> None:
    """By its reason, its sentence and its details, whichever call it is that was refused."""
    async with (
        parted(tmp_path) as house,
        house.channel(house.identity(role), there(house, called)) as channel,
    ):
        for _ in range(2):  # the second by the front alone
            found = await refusal(channel)
            assert found.reason == Reason.NOT_ALLOWED
            assert found.message.startswith(said)
            assert found.metadata == {
                "principal": f"{role}:one",
                "role": role,
                "site": SITE,
                "needs_listener": needed,
                "needs_address": there(house, needed),
            }


async def test_the_ledger_hears_of_a_wrong_caller_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """After that the front refuses by itself and hangs up, as with a revoked certificate."""
    async with (
        parted(tmp_path) as house,
        house.channel(house.identity("table", "t1"), there(house, "staff")) as channel,
    ):
        with caplog.at_level(logging.WARNING, "jackpot.audit"):
            for _ in range(5):
                assert await code(channel, "TableService/Attach") == "PERMISSION_DENIED"
            await asyncio.sleep(1.5)  # until it has hung up
            assert await code(channel, "TableService/Attach") == "PERMISSION_DENIED"
    said = [record.message for record in caplog.records]
    assert sum("the staff listener is not for table" in line for line in said) == 1
    assert any("refused before" in line for line in said)


async def test_staff_of_another_site_are_not_carried_either(tmp_path: Path) -> None:
    """Not even for their health checks, which ask for no site."""
    async with parted(tmp_path) as house:
        elsewhere = house.identity("operations", site="elsewhere")
        async with house.channel(elsewhere) as channel:
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await answer(channel, "check")
            assert from_rpc_error(caught.value).metadata["needs_listener"] == "staff"


async def test_a_revoked_certificate_is_refused_at_the_staff_address(tmp_path: Path) -> None:
    """A new call at once, and a stream that was open within seconds."""
    async with parted(tmp_path) as house:
        identity = house.identity("operations", "olga")
        async with house.channel(identity, there(house, "staff")) as channel:
            stub: Any = meter_pb2_grpc.MeterServiceStub(channel)
            stream = stub.WatchMeters(meter_pb2.WatchMetersRequest(site=SITE))
            assert await stream.read()
            house.revoke(identity)
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await asyncio.wait_for(read_on(stream), 20)
            assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
            assert await code(channel, "MeterService/ListSites") == "UNAUTHENTICATED"


@pytest.mark.parametrize(
    ("role", "listeners"),
    [("sign", ["tables"]), ("floor", ["staff"]), ("monitor", ["tables", "staff"])],
)
async def test_callers_are_told_the_addresses_that_are_theirs(
    tmp_path: Path, role: Role, listeners: list[Listener]
) -> None:
    """Where staff call is no table's business."""
    async with (
        parted(tmp_path) as house,
        house.channel(house.identity(role), there(house, listeners[-1])) as channel,
    ):
        stub: meter_pb2_grpc.MeterServiceAsyncStub = meter_pb2_grpc.MeterServiceStub(channel)
        info = await stub.GetServerInfo(meter_pb2.GetServerInfoRequest())
        assert list(info.addresses) == [there(house, each) for each in listeners]


async def test_one_address_carries_everybody(tmp_path: Path) -> None:
    """As long as staff have none of their own."""
    async with secured(tmp_path) as house:
        for role in ROLES:
            async with house.channel(house.identity(role)) as channel:
                assert await code(channel, "MeterService/GetServerInfo") == "OK"


def taken(address: str) -> bool:
    """Whether a controller holds an address."""
    guard = PortGuard()
    try:
        guard.take(address)
    except AddressError:
        return True
    guard.release()
    return False


@pytest.mark.parametrize(
    ("tls", "same", "why"),
    [
        (False, False, "without TLS nobody is known to be staff"),
        (True, True, "tables call there; staff need another address"),
    ],
)
async def test_an_address_that_staff_can_not_have_is_refused(
    tmp_path: Path, *, tls: bool, same: bool, why: str
) -> None:
    """Before anything is listened on or written."""
    where = f"127.0.0.1:{free_port()}"
    staff = where if same else f"127.0.0.1:{free_port()}"
    site = load_site(write_site(tmp_path, site_text(0)))
    gate = Gate(Secured(tmp_path).files(), site.id) if tls else None
    controller = make_controller(site, tmp_path / "data", gate, fronts=0)
    with pytest.raises(AddressError, match=f"^{staff}: {why}"):
        await controller.start(where, staff)
    assert not taken(where)
    assert not (tmp_path / "data").exists()


async def test_without_a_front_for_staff_there_is_none_for_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A start that fails half-way ends what it has begun, and lets go of both addresses."""
    staff, where = (f"127.0.0.1:{free_port()}" for _ in range(2))
    start, started = Fronts.start, list[Fronts]()

    async def fail_for_staff(self: Fronts, address: str, tls: Tls | None) -> str:
        if address == staff:
            raise AddressError("no front")
        started.append(self)
        return await start(self, address, tls)

    monkeypatch.setattr(Fronts, "start", fail_for_staff)
    site = load_site(write_site(tmp_path, site_text(0)))
    gate = Gate(Secured(tmp_path).files(), site.id)
    controller = make_controller(site, tmp_path / "data", gate, fronts=0)
    with pytest.raises(AddressError, match="no front"):
        await controller.start(where, staff)
    assert len(started) == 1
    assert not taken(where)
    assert not taken(staff)


async def test_a_staff_address_that_is_taken_gives_back_the_other(tmp_path: Path) -> None:
    """A second controller on the staff's port holds no port at all."""
    staff, where = (f"127.0.0.1:{free_port()}" for _ in range(2))
    async with secured(tmp_path, staff=staff) as house:
        site = load_site(tmp_path / "site.toml")
        second = make_controller(site, tmp_path / "second", house.gate, fronts=0)
        with pytest.raises(AddressError, match=f"^{staff}: cannot listen there: Address already"):
            await second.start(where, staff)
        assert not taken(where)
        async with house.channel(house.identity("floor"), staff) as channel:
            assert await code(channel, "OperatorService/ListLinks") == "INVALID_ARGUMENT"


@pytest.mark.parametrize(
    ("one", "other", "clash"),
    [
        ("127.0.0.1:7400", "127.0.0.1:7401", False),
        ("127.0.0.1:7400", "127.0.0.2:7400", False),
        ("127.0.0.1:0", "127.0.0.1:0", False),
        ("127.0.0.1:7400", "127.0.0.1:7400", True),
        ("0.0.0.0:7400", "127.0.0.1:7400", True),
        ("[::1]:7400", "[::]:7400", True),
        ("localhost:7400", "[::1]:7400", True),
    ],
)
def test_one_port_for_both_needs_two_addresses(one: str, other: str, *, clash: bool) -> None:
    """A name may have several addresses, and a wildcard has them all."""
    assert may_be_one(one, other) is may_be_one(other, one) is clash


async def test_signs_leave_places_for_staff(tmp_path: Path) -> None:
    """As many signs watch as may: a monitor still watches, and no further sign."""
    async with parted(tmp_path) as house, AsyncExitStack() as held:
        house.controller._meters._max_watchers = 4

        async def watch(role: Role, name: str, listener: Listener) -> Any:
            identity = house.identity(role, name)
            channel = await held.enter_async_context(
                house.channel(identity, there(house, listener))
            )
            stub: Any = meter_pb2_grpc.MeterServiceStub(channel)
            stream = stub.WatchMeters(meter_pb2.WatchMetersRequest(site=SITE))
            await stream.read()
            return stream

        streams = [await watch("sign", "s1", "tables"), await watch("sign", "s2", "tables")]
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await watch("sign", "s3", "tables")
        assert from_rpc_error(caught.value).reason == Reason.OVERLOADED
        streams.append(await watch("monitor", "m1", "staff"))
        assert not any(stream.done() for stream in streams)


async def test_a_certificates_number_is_never_anothers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A revoked certificate ends its own calls, though its front has seen many others since."""
    monkeypatch.setattr(frames, "CERTIFICATES", 2)
    async with parted(tmp_path) as house, AsyncExitStack() as held:

        async def channel(identity: Identity) -> grpc.aio.Channel:
            return await held.enter_async_context(house.channel(identity, there(house, "tables")))

        first = house.identity("sign", "a")
        stub: Any = meter_pb2_grpc.MeterServiceStub(await channel(first))
        stream = stub.WatchMeters(meter_pb2.WatchMetersRequest(site=SITE))
        assert await stream.read()
        others = [await channel(house.identity("sign", name)) for name in ("b", "c", "d")]
        for other in others:
            assert await code(other, "MeterService/ListSites") == "OK"
        house.revoke(first)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await asyncio.wait_for(read_on(stream), 20)
        assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
        for other in others:
            assert await code(other, "MeterService/ListSites") == "OK"
