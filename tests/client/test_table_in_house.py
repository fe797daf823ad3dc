"""`jackpot-table` at a controller that is not its own: far away, dead, or behind TLS."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from jackpot.core.events.table import RoundVoided
from jackpot.store import codec
from jackpot.store.sqlite import SqliteJournal
from jackpot.wire.refusals import UnreachableError
from table_client.client import TableClient, open_channel
from table_client.table.running import reach
from tests.auth.secured import Secured, secured
from tests.cli.people import Person, play
from tests.server.house import (
    FIVE,
    ROYALS,
    SITE,
    free_port,
    open_house,
    site_text,
    wager,
    write_site,
)

COMMAND = [sys.executable, "-c", "from table_client.table.command import main; main()"]
GAME = ("--game", "pa-crazy-4-poker", "--table", "t4")


@contextmanager
def started(*args: str) -> Iterator[subprocess.Popen[str]]:
    """A table at work, killed if it does not end by itself."""
    with subprocess.Popen(
        [*COMMAND, *GAME, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def finished(*args: str) -> tuple[int, str, str]:
    """A table's exit code and what it said."""
    with started(*args) as process:
        said, told = process.communicate(timeout=60)
        return process.returncode, said, told


def first_complaint(process: subprocess.Popen[str]) -> str:
    """The next line of standard error."""
    assert process.stderr
    return process.stderr.readline()


def behind_tls(house: Secured, tmp_path: Path) -> tuple[str, ...]:
    """The options of a table that shows its own certificate."""
    table = house.identity("table", "t4")
    site = ("--site", str(tmp_path / "site.toml"), "--controller", house.address)
    return (*site, "--cert", str(table.certificate), "--ca", str(table.authority))


async def leave_a_royal(house: Secured) -> None:
    """An award that the cage must pay before the table's next round."""
    table = house.identity("table", "t4")
    await asyncio.to_thread(play, house.address, "t4", {2: ROYALS["s"]}, 1, 2, identity=table)


async def test_over_tls_a_floorperson_and_a_cashier_pay(tmp_path: Path) -> None:
    """With their certificates awards are paid as they fall, and rounds are played."""
    async with secured(tmp_path) as house:
        await leave_a_royal(house)
        options = behind_tls(house, tmp_path)
        flo, cash = house.identity("floor", "flo"), house.identity("accounting", "cash")
        people = ("--floor-cert", str(flo.certificate), "--cage-cert", str(cash.certificate))
        code, said, told = await asyncio.to_thread(finished, *options, *people, "--rounds", "3")
        assert (code, said.count("\nround ")) == (0, 3), told
        person = Person(house.address, "flo", flo)
        assert "No open payouts." in await asyncio.to_thread(person.does, "payouts")
        code, _, told = await asyncio.to_thread(finished, *options, *people[:2])
        assert code == 2
        assert "give both --floor-cert and --cage-cert, or neither" in told


async def test_over_tls_a_table_waits_for_staff(tmp_path: Path) -> None:
    """A table pays nothing itself: it says what it waits for, and goes on once that is paid."""
    async with secured(tmp_path) as house:
        await leave_a_royal(house)
        flo = Person(house.address, "flo", house.identity("floor", "flo"))
        cash = Person(house.address, "cash", house.identity("accounting", "cash"))
        with started(*behind_tls(house, tmp_path), "--seed", "7", "--rounds", "2") as process:
            line = await asyncio.to_thread(first_complaint, process)
            if "controller" in line:  # a busy machine answers late
                line = await asyncio.to_thread(first_complaint, process)
            assert line.startswith("waiting for staff: payout "), line
            assert process.poll() is None
            payout = line.split()[4]
            await asyncio.to_thread(flo.does, "validate", payout)
            await asyncio.to_thread(cash.does, "pay", payout, "--form", "W2G-1")
            said, told = await asyncio.to_thread(process.communicate, timeout=60)
        assert (process.returncode, said.count("\nround ")) == (0, 2), told


async def leave_a_collected_round(house: Secured) -> None:
    """A table that went away with the cards on the layout."""
    table = house.identity("table", "t4")
    async with (
        open_channel(house.address, table) as channel,
        TableClient(channel, SITE, "t4") as client,
    ):
        await client.attach()
        await client.open_round()
        await client.place_wagers([wager(1), wager(2)])
        await client.lock_out()
        await client.confirm_collection({FIVE: 2})


async def voided_by(house: Secured) -> str:
    """Who voided the one round that is void, by the journal."""
    await house.controller.stop()
    with closing(SqliteJournal.open(house.folder.parent / "data")) as journal:
        found = [codec.decode_entry(SITE, entry).event for entry in journal.read(SITE, 0, 1_000)]
    (void,) = [each for each in found if isinstance(each, RoundVoided)]
    assert (void.number, void.irregularity) == (1, "TABLE_RESTARTED")
    return void.floorperson


async def test_a_restarted_table_has_its_collected_round_voided_by_the_floor(
    tmp_path: Path,
) -> None:
    """With a floorperson's certificate; the journal has whose it was."""
    async with secured(tmp_path) as house:
        await leave_a_collected_round(house)
        flo, cash = house.identity("floor", "flo"), house.identity("accounting", "cash")
        people = ("--floor-cert", str(flo.certificate), "--cage-cert", str(cash.certificate))
        code, said, told = await asyncio.to_thread(
            finished, *behind_tls(house, tmp_path), *people, "--seed", "7"
        )
        assert (code, said.count("\nround ")) == (0, 1), told
        assert await voided_by(house) == "floor:flo"


async def test_a_restarted_table_waits_for_a_floorperson(tmp_path: Path) -> None:
    """Without one at hand it says what has to be done, and goes on once it is."""
    async with secured(tmp_path) as house:
        await leave_a_collected_round(house)
        flo = Person(house.address, "flo", house.identity("floor", "flo"))
        with started(*behind_tls(house, tmp_path), "--seed", "7") as process:
            line = await asyncio.to_thread(first_complaint, process)
            if "controller" in line:  # a busy machine answers late
                line = await asyncio.to_thread(first_complaint, process)
            command = "jackpot floor approve 1"
            assert line == f"waiting for a floorperson: {command}\n"
            assert process.poll() is None
            done = await asyncio.to_thread(flo.does, *command.split()[1:])
            assert done.startswith("call 1 is approved: t4, round 1, $2.00 is returned (journal ")
            said, told = await asyncio.to_thread(process.communicate, timeout=60)
        assert (process.returncode, said.count("\nround ")) == (0, 1), told
        assert await voided_by(house) == "floor:flo"


async def test_another_controller_stands_in(tmp_path: Path) -> None:
    """Of several addresses the first that answers is used, for rounds and for payouts."""
    async with open_house(tmp_path) as house:
        dead = f"127.0.0.1:{free_port()}"
        site = str(write_site(tmp_path, site_text()))
        at = ("--controller", dead, "--controller", house.address, "--site", site)
        code, said, told = await asyncio.to_thread(finished, *at, "--seed", "7")
        assert (code, said.count("\nround ")) == (0, 1), told
        assert (await house.meter("five"))["main"] > 10_000_000_000, said


def test_what_is_waited_for_is_said_at_once(tmp_path: Path) -> None:
    """Nobody stares at a silent screen until the deadline."""
    address, site = f"127.0.0.1:{free_port()}", str(write_site(tmp_path, site_text()))
    with started("--controller", address, "--site", site) as process:
        assert first_complaint(process) == f"waiting for the controller at {address}\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0


async def test_nobody_there_is_told_with_address_and_cause() -> None:
    """Whoever reads it knows where to look."""
    one, other = (f"127.0.0.1:{free_port()}" for _ in range(2))
    async with (
        open_channel(one) as channel,
        TableClient(channel, SITE, "t4", deadline_s=0.5) as client,
    ):
        with pytest.raises(UnreachableError) as caught:
            await reach(client, [one, other])
    refused = f"{one} (Connection refused), {other} (Connection refused)"
    assert str(caught.value) == f"UNAVAILABLE: no answer from {refused}"
