"""The device process itself: how it starts, stops, dies, and what its clients notice."""

import asyncio
import json
import signal
import subprocess
import time

import pytest
from click.testing import CliRunner

from emulator.cli import main
from emulator.devices.command import make_log
from table_client.table.devices.client import DeviceConnection
from table_client.table.devices.device_faults import Target
from table_client.table.devices.model import Delivery, DeviceState, Method, StationConfig
from table_client.table.devices.procedure import prepare_round
from table_client.table.devices.refusals import DeviceLost
from tests.emulator.device_process import COMMAND, running
from tests.emulator.stations import STACK

pytestmark = pytest.mark.process

SEEDED = StationConfig(seed="process")


async def test_a_killed_process_is_noticed_at_once() -> None:
    """Its stream of events ends, a command under way fails, and so does the next."""
    with running("--speed", "1") as process:
        async with DeviceConnection(process.address) as connection:
            devices = await connection.open_station("t", SEEDED)
            busy = asyncio.create_task(devices.load_deck("red"))  # two minutes of a dealer's time
            events = devices.watch()
            waiting = asyncio.ensure_future(anext(events))
            await asyncio.sleep(0.2)
            process.kill()
            killed_s = time.monotonic()
            for task in (busy, waiting):
                with pytest.raises(DeviceLost):
                    await asyncio.wait_for(task, 20)
            with pytest.raises(DeviceLost):
                await asyncio.wait_for(devices.dispense([STACK]), 20)
            assert time.monotonic() - killed_s < 30


async def test_a_restarted_process_has_lost_the_cards() -> None:
    """On the same address, but the station is unknown: the round cannot go on."""
    with running("--speed", "0") as process:
        async with DeviceConnection(process.address) as connection:
            devices = await connection.open_station("t", SEEDED)
            await prepare_round(devices)
            process.kill()
            with running("--speed", "0", listen=process.address):
                for _ in range(100):
                    with pytest.raises(DeviceLost) as caught:
                        await devices.dispense([STACK])
                    if "NOT_FOUND" in str(caught.value):
                        break
                    await asyncio.sleep(0.1)
                assert "NOT_FOUND" in str(caught.value)
                resumed = await connection.open_station("t", SEEDED)
                assert (await resumed.status()).decks == ()


async def test_a_hung_process_runs_into_the_deadline() -> None:
    """A process that is stopped, not dead, holds nobody up longer than the deadline."""
    with running("--speed", "0") as process:
        async with DeviceConnection(process.address, timeout_s=0.5) as connection:
            devices = await connection.open_station("t", SEEDED)
            process.process.send_signal(signal.SIGSTOP)
            with pytest.raises(DeviceLost, match="DEADLINE_EXCEEDED"):
                await asyncio.wait_for(devices.load_deck("red"), 5)


async def test_a_hung_process_ends_the_stream_of_events() -> None:
    """Pings that nobody answers end a stream that has no deadline of its own."""
    with running("--speed", "0") as process:
        async with DeviceConnection(process.address, keepalive_ms=500) as connection:
            devices = await connection.open_station("t", SEEDED)
            waiting = asyncio.ensure_future(anext(devices.watch()))
            await asyncio.sleep(0.1)
            process.process.send_signal(signal.SIGSTOP)
            with pytest.raises(DeviceLost, match="UNAVAILABLE"):
                await asyncio.wait_for(waiting, 20)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_stops_the_process_in_good_order(number: signal.Signals) -> None:
    """Watchers end, it says so in its log, and it exits with 0 within seconds."""
    with running("--speed", "0") as process:
        async with DeviceConnection(process.address) as connection:
            devices = await connection.open_station("t", SEEDED)
            await devices.load_deck("red")
            events = devices.watch(0)
            await anext(events)
            process.process.send_signal(number)
            with pytest.raises(DeviceLost):
                await asyncio.wait_for(_drain(events), 5)
            assert await asyncio.to_thread(process.process.wait, 10) == 0
        assert [process.line()["event"] for _ in range(3)] == [
            "station open",
            "stopping",
            "stopped",
        ]


async def _drain(events: object) -> None:
    async for _ in events:  # type: ignore[attr-defined]
        pass


async def test_the_same_seed_deals_the_same_cards_in_every_process() -> None:
    """Two processes, one seed: not a card differs over some rounds."""
    runs = []
    for _ in range(2):
        with running("--speed", "0", "--seed", "replay") as process:
            async with DeviceConnection(process.address) as connection:
                devices = await connection.open_station("t", StationConfig(Method.HAND))
                hands = []
                for _ in range(3):
                    await prepare_round(devices)
                    hands.append((await devices.dispense([Delivery(Target.PLAYER)] * 30)).delivered)
                    await devices.remove_stub()
                runs.append(hands)
    assert runs[0] == runs[1]


async def test_a_process_keeps_real_time() -> None:
    """At 100 times real speed a shuffle is seen under way, and over a quarter second later."""
    with running("--speed", "100") as process:
        async with DeviceConnection(process.address) as connection:
            devices = await connection.open_station("t", SEEDED)
            await devices.load_deck("red")
            start_s = time.monotonic()
            assert (await devices.shuffle()).shuffler is DeviceState.SHUFFLING
            assert (await devices.await_shuffle()).shuffler is DeviceState.READY
            assert time.monotonic() - start_s > 0.2


def test_an_address_in_use_is_one_clear_line() -> None:
    """The second process on an address says so and exits with 1, without a traceback."""
    with running() as process:
        second = subprocess.run(
            [*COMMAND, "--listen", process.address],
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
    assert second.returncode == 1
    assert (
        second.stderr == f"Error: {process.address}: cannot listen there: Address already in use\n"
    )


@pytest.mark.parametrize(
    "options",
    [
        ["--listen", "nowhere"],
        ["--listen", ":1"],
        ["--listen", "127.0.0.1:65536"],
        ["--speed", "-1"],
        ["--speed", "10001"],
        ["--speed", "nan"],
        ["--seed", "s" * 65],
        ["--fault-rate", "1000001"],
    ],
)
def test_a_wrong_option_is_a_usage_error(options: list[str]) -> None:
    """The message names the option; nothing is started."""
    result = CliRunner().invoke(main, ["devices", *options])
    assert result.exit_code == 2
    assert options[0] in result.output


@pytest.mark.parametrize("command", ["", "devices", "soak", "bench"])
def test_help_has_an_example_and_fits_the_screen(command: str) -> None:
    """Every command's help shows how it is called on a line of its own, in 80 columns."""
    result = CliRunner().invoke(main, [*command.split(), "--help"], prog_name="jackpot-emulator")
    assert result.exit_code == 0
    assert f"\n  Example:\n    jackpot-emulator {command or 'devices'} --" in result.output
    assert all(len(line) <= 80 for line in result.output.splitlines())


def test_log_lines_are_for_people_or_for_machines(capsys: pytest.CaptureFixture[str]) -> None:
    """Plain words by default, one JSON object a line on demand."""
    make_log(as_json=False)("listening", address="127.0.0.1:1")
    assert capsys.readouterr().out == "listening address=127.0.0.1:1\n"
    make_log(as_json=True)("listening", address="127.0.0.1:1")
    line = json.loads(capsys.readouterr().out)
    assert {"event": "listening", "address": "127.0.0.1:1"}.items() <= line.items()
