"""Health and reflection ask for a good certificate like everything else, whatever its role."""

from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from jackpot.auth.roles import ROLES
from tests.auth.secured import Secured, secured

SERVICES = ("check", "watch", "reflection")


async def answer(channel: grpc.aio.Channel, service: str) -> Any:
    """What a standard service says first; AioRpcError where it does not."""
    health: Any = health_pb2_grpc.HealthStub(channel)
    if service == "check":
        return await health.Check(health_pb2.HealthCheckRequest(), timeout=20)
    if service == "watch":
        return await health.Watch(health_pb2.HealthCheckRequest(), timeout=20).read()
    reflection: Any = reflection_pb2_grpc.ServerReflectionStub(channel)
    asked = [reflection_pb2.ServerReflectionRequest(list_services="")]
    return await reflection.ServerReflectionInfo(iter(asked), timeout=20).read()


async def refused_as(channel: grpc.aio.Channel, service: str) -> grpc.StatusCode:
    """How a service refuses to answer.

    Where a stream is refused before its first message has left, grpc.aio hides the refusal.
    """
    while True:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await answer(channel, service)
        if caught.value.details() != "Internal error from Core":
            return caught.value.code()


async def revoked(house: Secured) -> grpc.aio.Channel:
    """A connection with a certificate that was good."""
    identity = house.identity("operations", "olga")
    house.revoke(identity)
    assert identity.certificate is not None
    await house.gate.refresh()
    return house.channel(identity)


@pytest.mark.parametrize("service", SERVICES)
async def test_a_revoked_certificate_learns_nothing(tmp_path: Path, service: str) -> None:
    """Neither whether the controller serves, nor what."""
    async with secured(tmp_path) as house, await revoked(house) as channel:
        assert await refused_as(channel, service) is grpc.StatusCode.UNAUTHENTICATED


@pytest.mark.parametrize("service", SERVICES)
async def test_any_role_may_ask(tmp_path: Path, service: str) -> None:
    """A monitor asks for health, and so may everybody whom the authority knows."""
    async with secured(tmp_path) as house:
        for role in ROLES:
            async with house.channel(house.identity(role)) as channel:
                assert await answer(channel, service)
