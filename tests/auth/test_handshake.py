"""Whom TLS turns away learns so, at once and in one line, from every client."""

import asyncio
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from jackpot.auth.authority import CA_CERTIFICATE
from jackpot.cli.main import main
from jackpot.wire.channels import Identity, open_async_channel
from jackpot.wire.handshake import TlsProbe
from jackpot.wire.refusals import RefusedError, UnreachableError
from table_client.client import TableClient, open_channel
from tests.auth.secured import STRANGERS, Secured, code_of, secured, stranger
from tests.server.house import SITE, free_port, open_house

SOON_S = 15.0  # well under the patience of any client


async def refusal_of_attach(house: Secured, identity: Identity, address: str = "") -> RefusedError:
    """What a table is told when it attaches."""
    async with (
        open_channel(address or house.address, identity) as channel,
        TableClient(channel, SITE, "t1", deadline_s=30) as client,
    ):
        with pytest.raises(RefusedError) as caught:
            await client.attach()
        return caught.value


@pytest.mark.parametrize("kind", STRANGERS)
async def test_a_table_is_told_and_does_not_try_again(tmp_path: Path, kind: str) -> None:
    """No retry makes a certificate better."""
    async with secured(tmp_path) as house:
        began_s = time.monotonic()
        refusal = await refusal_of_attach(house, stranger(house, kind))
        assert time.monotonic() - began_s < SOON_S
        assert (refusal.code, refusal.retry_s) == ("UNAUTHENTICATED", None)
        assert str(refusal) == f"UNAUTHENTICATED: {STRANGERS[kind]}"
        assert not isinstance(refusal, UnreachableError)


async def test_a_controller_that_is_not_ours_is_not_trusted(tmp_path: Path) -> None:
    """The certificate of a controller is checked as well as the client's."""
    async with secured(tmp_path) as house:
        wrong = Identity(
            house.identity("table", "t1").certificate, tmp_path / "foreign" / CA_CERTIFICATE
        )
        refusal = await refusal_of_attach(house, wrong)
        assert refusal.code == "UNAUTHENTICATED"
        assert "the controller's certificate is not trusted" in str(refusal)


async def test_a_controller_under_another_name_is_not_trusted(tmp_path: Path) -> None:
    """A certificate is for the hosts that it names."""
    async with secured(tmp_path, hosts=("controller.example",)) as house:
        refusal = await refusal_of_attach(house, house.identity("table", "t1"))
        assert "the controller's certificate is not trusted" in str(refusal)


async def test_a_key_of_another_certificate_is_told(tmp_path: Path) -> None:
    """Files that were mixed up are not a controller that is away."""
    async with secured(tmp_path) as house:
        first, second = (house.identity("table", name).certificate for name in ("t1", "t2"))
        assert first is not None
        assert second is not None
        first.with_suffix(".key").write_bytes(second.with_suffix(".key").read_bytes())
        identity = Identity(first, house.folder / CA_CERTIFICATE)
        refusal = await refusal_of_attach(house, identity)
        assert refusal.code == "UNAUTHENTICATED"
        assert str(refusal).endswith("and its key do not match")


async def test_a_controller_that_is_away_is_unavailable(tmp_path: Path) -> None:
    """An expired certificate is no reason to blame it for a cable that was cut."""
    async with secured(tmp_path) as house:
        for kind in STRANGERS:
            channel = open_async_channel(f"127.0.0.1:{free_port()}", stranger(house, kind))
            assert await code_of(channel, "MeterService/ListSites") == "UNAVAILABLE"
            await channel.close()


async def test_a_good_certificate_is_not_blamed(tmp_path: Path) -> None:
    """Where the handshake succeeds there is nothing to explain, and the journal is untouched."""
    async with secured(tmp_path) as house:
        before = await house.journal_head()
        for role in ("table", "sign", "auditor"):
            door = TlsProbe(house.address, house.identity(role))
            assert await asyncio.to_thread(door.refusal) is None
        assert await house.journal_head() == before


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.1:0", "[::1]:99999", "", "x:y"])
def test_no_address_is_no_refusal(tmp_path: Path, address: str) -> None:
    """What can't be reached can't refuse."""
    house = Secured(tmp_path)
    assert TlsProbe(address, house.identity("sign")).refusal() is None


def run(address: str, *args: str, identity: Identity | None = None) -> Result:
    """A command for a controller."""
    options = ["--controller", address]
    if identity and identity.certificate:
        options += ["--cert", str(identity.certificate), "--ca", str(identity.authority)]
    return CliRunner().invoke(main, [args[0], *options, *args[1:]])


@pytest.mark.parametrize(
    "command",
    [
        ("meters",),
        ("meters", "--watch", "--site", SITE),
        ("payouts",),
        ("validate", "--site", SITE, "1", "--floorperson", "Flo", "--yes"),
        ("watch", "--once"),
    ],
    ids=lambda command: command[0],
)
async def test_the_command_line_says_it_in_one_line(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    """Exit code 1, not 3: the controller was reached, and said no."""
    async with secured(tmp_path) as house:
        for kind in ("foreign", "expired"):
            identity = stranger(house, kind)
            began_s = time.monotonic()
            result = await asyncio.to_thread(run, house.address, *command, identity=identity)
            assert time.monotonic() - began_s < SOON_S
            assert result.stderr == f"Error: UNAUTHENTICATED: {STRANGERS[kind]}\n"
            assert (result.exit_code, result.stdout) == (1, "")


async def test_who_forgot_the_certificate_is_reminded(tmp_path: Path) -> None:
    """Without --cert the command speaks in the clear, to a controller that does not."""
    async with secured(tmp_path) as house:
        result = await asyncio.to_thread(run, house.address, "meters")
        assert result.stderr == f"Error: UNAUTHENTICATED: {STRANGERS['none']}\n"
    (tmp_path / "plain").mkdir()
    async with open_house(tmp_path / "plain") as plain:
        assert (await asyncio.to_thread(run, plain.address, "meters")).exit_code == 0
    result = await asyncio.to_thread(run, f"127.0.0.1:{free_port()}", "meters")
    assert result.exit_code == 3
