"""Every call by every kind of caller: what the table of roles allows, and nothing else."""

import asyncio
import logging
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import grpc
import pytest

from jackpot.auth.roles import (
    ACCESS,
    DEPARTMENTS,
    LISTENERS,
    PAGES,
    PEOPLE,
    ROLES,
    Role,
    keeps_cage,
)
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import table_pb2, table_pb2_grpc
from tests.auth.secured import SERVICES, STRANGERS, Secured, code_of, secured, stranger
from tests.server.house import SITE

DENIED = {"PERMISSION_DENIED", "UNAUTHENTICATED"}


def test_the_table_of_roles_names_every_call() -> None:
    """A call that is added to the proto must be given its roles."""
    calls = {f"{s.name}/{m.name}" for s in SERVICES.values() for m in s.methods}
    assert set(ACCESS) == calls


def as_markdown(what: str, allowed: Mapping[Any, frozenset[Role]]) -> str:
    """A table as people read it."""
    lines = [f"| {what} | " + " | ".join(ROLES) + " |", "|---" * (len(ROLES) + 1) + "|"]
    for name, roles in allowed.items():
        cells = ["yes" if role in roles else "" for role in ROLES]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def test_the_docs_show_the_tables_of_roles() -> None:
    """docs/reference/roles.md holds the very tables that the controller goes by."""
    docs = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "roles.md").read_text()
    assert as_markdown("call", ACCESS) in docs
    assert as_markdown("page", PAGES) in docs
    assert as_markdown("address", LISTENERS) in docs


def test_accounting_alone_keeps_the_cage() -> None:
    """Of all departments; without certificates nobody need have one."""
    assert {each for each in DEPARTMENTS.values() if keeps_cage(each)} == {"accounting"}
    assert keeps_cage("")


def test_every_person_has_a_department() -> None:
    """Nobody with a certificate keeps the cage for want of a department."""
    assert set(DEPARTMENTS) == set(PEOPLE)
    assert ACCESS["OperatorService/PayPayout"] <= set(PEOPLE)


async def test_every_call_by_every_role(tmp_path: Path) -> None:
    """Whoever is not listed for a call is denied, and the journal has nothing of it."""
    async with secured(tmp_path) as house:
        before = await house.journal_head()
        for role in ROLES:
            async with house.channel(house.identity(role)) as channel:
                for rpc, allowed in ACCESS.items():
                    code = await code_of(channel, rpc)
                    assert (code == "PERMISSION_DENIED") is (role not in allowed), (role, rpc, code)
                    assert code != "UNAUTHENTICATED"
        assert await house.journal_head() == before


@pytest.mark.parametrize("kind", STRANGERS)
async def test_tls_turns_strangers_away(tmp_path: Path, kind: str) -> None:
    """Without a good certificate of this authority every call is UNAUTHENTICATED, unjournaled."""
    async with secured(tmp_path) as house:
        identity = stranger(house, kind)
        before = await house.journal_head()
        async with house.channel(identity) as channel:
            for rpc in ACCESS:
                assert await code_of(channel, rpc) == "UNAUTHENTICATED", rpc
        assert await house.journal_head() == before


async def test_a_revoked_certificate_opens_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Every call is UNAUTHENTICATED, and each leaves its line in the audit log."""
    async with secured(tmp_path) as house:
        identity = house.identity("operations", "olga")
        async with house.channel(identity) as channel:
            assert await code_of(channel, "MeterService/ListSites") == "OK"
            house.revoke(identity)
            with caplog.at_level(logging.WARNING, "jackpot.audit"):
                async with asyncio.timeout(30):  # the list is read anew every second
                    code = "OK"
                    while code == "OK":
                        code = await code_of(channel, "MeterService/ListSites")
                for rpc in ACCESS:
                    code = await code_of(channel, rpc)
                    if code == "UNAVAILABLE":  # it was hung up on meanwhile, and connects again
                        code = await code_of(channel, rpc)
                    assert code == "UNAUTHENTICATED", rpc
                await asyncio.sleep(1.5)  # until it has hung up
                assert await code_of(channel, "MeterService/ListSites") == "UNAUTHENTICATED"
        # Once by name; from then on the front refuses by itself, and says so for each connection.
        said = [record.message for record in caplog.records]
        assert sum("revoked" in line and "operations:olga" in line for line in said) == 1
        again = [line for line in said if "refused before" in line]
        assert again
        assert all("operations/olga" in line for line in again)


async def test_another_sites_certificate_is_good_for_nothing(tmp_path: Path) -> None:
    """A certificate names its site."""
    async with (
        secured(tmp_path) as house,
        house.channel(house.identity("operations", site="elsewhere")) as channel,
    ):
        for rpc in ACCESS:
            assert await code_of(channel, rpc) == "PERMISSION_DENIED"


def attach(table: str) -> bytes:
    """An Attach for a table."""
    return table_pb2.AttachRequest(
        site=SITE, table=table, request_id=new_request_id()
    ).SerializeToString()


def play(table: str) -> bytes:
    """A Play message for a table."""
    command = table_pb2.PlayCommand(number=1, open_round=table_pb2.OpenRound())
    return table_pb2.PlayRequest(
        site=SITE, table=table, epoch=1, commands=[command]
    ).SerializeToString()


def unary(table: str) -> bytes:
    """An OpenRound for a table."""
    id_ = table_pb2.CommandId(site=SITE, table=table, epoch=1, number=1)
    return table_pb2.OpenRoundRequest(id=id_, command=table_pb2.OpenRound()).SerializeToString()


async def test_a_table_acts_for_itself_only(tmp_path: Path) -> None:
    """t1's certificate is no key to t2, by any way in."""
    async with secured(tmp_path) as house, house.channel(house.identity("table", "t1")) as channel:
        for rpc, message in (
            ("TableService/Attach", attach),
            ("TableService/OpenRound", unary),
            ("TableService/Play", play),
        ):
            before = await house.journal_head()
            assert await code_of(channel, rpc, message("t2")) == "PERMISSION_DENIED"
            assert await house.journal_head() == before
            assert await code_of(channel, rpc, message("t1")) not in DENIED


@pytest.mark.parametrize("end", ["revoked", "expired"])
async def test_a_stream_ends_with_its_certificate(tmp_path: Path, end: str) -> None:
    """A stolen table, or one whose time is up, is shut out within seconds of a stream it had."""
    async with secured(tmp_path) as house:
        identity = house.identity("table", "t1")
        async with house.channel(identity) as channel:
            stub: table_pb2_grpc.TableServiceAsyncStub = table_pb2_grpc.TableServiceStub(channel)
            request = table_pb2.AttachRequest(site=SITE, table="t1", request_id=new_request_id())
            epoch = (await stub.Attach(request)).epoch
            stream = stub.Play()
            command = table_pb2.PlayCommand(number=1, open_round=table_pb2.OpenRound())
            await stream.write(
                table_pb2.PlayRequest(site=SITE, table="t1", epoch=epoch, commands=[command])
            )
            first: table_pb2.PlayResponse = await stream.read()  # type: ignore[assignment]  # never EOF here
            assert first.results[0].number == 1
            if end == "revoked":
                house.revoke(identity)
            else:
                house.gate.clock = lambda: time.time() + 86_400
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                async with asyncio.timeout(5):
                    await stream.read()
            assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED


async def test_a_stream_lasts_as_long_as_its_certificate(tmp_path: Path) -> None:
    """A certificate is good up to the second of its end, and not in it."""
    async with secured(tmp_path) as house:
        actor = house.gate.holder(house.identity("floor").certificate.read_bytes())  # type: ignore[union-attr]  # it has one
        for early_s, fault in ((1, ""), (0, "the certificate has expired"), (-1, "expired")):
            house.gate.clock = lambda early_s=early_s: actor.expires_s - early_s  # type: ignore[misc]  # bound now
            assert fault in (house.gate.fault(actor) or "")
            assert bool(fault) is bool(house.gate.fault(actor))


ALTERATIONS = ("AdjustMeter", "TransferFunds", "SetLimit", "SetRate", "SetDualControl")


@pytest.mark.parametrize("role", ROLES)
def test_no_role_resets_and_alters_meters(role: Role) -> None:
    """58 Pa. Code 605a.7(a)(5)-(6); and somebody has each right."""
    resets = role in ACCESS["OperatorService/ResetMeter"]
    alters = any(role in ACCESS[f"OperatorService/{rpc}"] for rpc in ALTERATIONS)
    assert not (resets and alters)
    assert (resets or alters) == (role in {"shift-supervisor", "operations", "accounting"})


def test_keys_are_for_their_owner_only(tmp_path: Path) -> None:
    """Every key that the authority writes has mode 0600."""
    house = Secured(tmp_path)
    house.files()
    house.identity("floor", "flo")
    keys = list(tmp_path.rglob("*.key"))
    assert len(keys) == 4
    assert {key.stat().st_mode & 0o777 for key in keys} == {0o600}
