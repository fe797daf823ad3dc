"""The parts of a soak: proxy, disk, clock, latencies, charts."""

import asyncio
import os
import random
import resource
import stat
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import uvloop

from emulator import report_html
from emulator.soak.controllers import read_from
from emulator.soak.faults.base import Bag
from emulator.soak.faults.connections import Proxy
from emulator.soak.faults.storage import SmallDisk, allow_writes, fail_writes
from emulator.soak.report.measures import Latencies
from emulator.soak.report.progress import rates_line, short
from emulator.soak.tables.players import deal
from emulator.soak.under_test import set_offset
from jackpot import charts
from jackpot.rules.hands import names


def test_a_rigged_deal_is_a_deal() -> None:
    """No card twice, everybody has as many as the rules say, and rare hands come by."""
    draw, called = random.Random(1), Counter[str]()
    for sizes in ((5, 5, 0), (3, 0, 2)):
        for _ in range(300):
            dealt = deal(draw, [1, 2, 4, 6], sizes, rigged=True)
            cards = [card for hand in dealt.hands.values() for card in hand] + dealt.community
            assert len(set(cards)) == len(cards)
            assert {len(dealt.hands[seat]) for seat in (1, 2, 4, 6)} == {sizes[0]}
            assert len(dealt.community) == sizes[2]
            for seat in (1, 2, 4, 6):
                called.update(names("five-card", dealt.hands[seat] + dealt.community)[:1])
    assert called["royal-flush"] > 20
    assert called["straight-flush"] > 20


@asynccontextmanager
async def echoing() -> AsyncIterator[Proxy]:
    """A proxy in front of a server that says everything back."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionResetError):
            while chunk := await reader.read(100):
                writer.write(chunk)
        writer.close()
        done.set()

    done = asyncio.Event()
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    proxy = Proxy(f"127.0.0.1:{server.sockets[0].getsockname()[1]}")
    await proxy.start()
    try:
        yield proxy
    finally:
        await proxy.stop()
        await done.wait()
        server.close()


async def test_a_proxy_passes_delays_freezes_and_cuts() -> None:
    """What goes in comes out, later, not at all until thawed, or never again."""
    async with echoing() as proxy:
        host, _, port = proxy.address.rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"one")
        assert await reader.readexactly(3) == b"one"
        proxy.delay_s = 0.05
        began = time.perf_counter()
        writer.write(b"two")
        assert await reader.readexactly(3) == b"two"
        assert time.perf_counter() - began >= 0.1
        proxy.delay_s = 0.0
        proxy.freeze()
        writer.write(b"three")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(reader.readexactly(5), 0.1)
        proxy.thaw()
        assert await reader.readexactly(5) == b"three"
        assert proxy.cut() == 1
        with pytest.raises(ConnectionResetError):
            await reader.readexactly(1)
        writer.close()


async def test_a_proxy_closes_one_half() -> None:
    """The client sees the end of what it is sent, and may still send."""
    async with echoing() as proxy:
        host, _, port = proxy.address.rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"x")
        assert await reader.readexactly(1) == b"x"
        assert proxy.half_close(towards_client=True) == 1
        assert await reader.read() == b""
        writer.write(b"still here")
        await writer.drain()
        writer.close()


async def test_a_proxy_loses_a_connection() -> None:
    """Neither side is told, what was sent is gone, and whoever comes anew is served."""
    async with echoing() as proxy:
        host, _, port = proxy.address.rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"x")
        assert await reader.readexactly(1) == b"x"
        assert proxy.lose() == 1
        writer.write(b"is anybody there?")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(reader.read(1), 0.1)
        anew, writing = await asyncio.open_connection(host, int(port))
        writing.write(b"y")
        assert await anew.readexactly(1) == b"y"
        writer.close()
        writing.close()


def test_a_pipe_is_closed_once() -> None:
    """What another thread has opened in the meantime stays open."""
    done, lost = threading.Event(), 0

    def open_files() -> None:
        nonlocal lost
        while not done.is_set():
            files = [os.open(os.devnull, os.O_RDONLY) for _ in range(20)]
            for file in files:
                try:
                    os.close(file)
                except OSError:
                    lost += 1

    async def read_pipes() -> None:
        for _ in range(3_000):
            pipe, end = os.pipe()
            os.write(end, b"serving")
            os.close(end)
            reader, transport = await read_from(os.fdopen(pipe, "rb"))
            assert await reader.read() == b"serving"
            transport.close()

    opening = threading.Thread(target=open_files)
    opening.start()
    try:
        uvloop.run(read_pipes())
    finally:
        done.set()
        opening.join()
    assert lost == 0


WRITER = """
import sys, time
file = open(sys.argv[1], "ab", buffering=0)
for line in sys.stdin:
    try:
        file.write(b"x" * 50_000)
        print("written", flush=True)
    except OSError as error:
        print(error.strerror, flush=True)
"""


@pytest.fixture(name="writer")
def _writer(tmp_path: Path) -> "Iterator[subprocess.Popen[str]]":
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path / "data" / "file")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    yield process
    process.communicate("")


def write(process: "subprocess.Popen[str]") -> str:
    """Have the process write, and hear how it went."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    return process.stdout.readline().strip()


@pytest.fixture(name="data", autouse=True)
def _data(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


@pytest.mark.process
def test_writes_fail_while_they_are_told_to(writer: "subprocess.Popen[str]", data: Path) -> None:
    """Only files not much longer than its log take writes, until the limit is lifted."""
    log = data / "log"
    log.write_bytes(b"x" * 10_000)
    assert write(writer) == "written"
    assert fail_writes(writer.pid, log)
    assert write(writer) == "File too large"
    assert allow_writes(writer.pid)
    assert write(writer) == "written"
    assert resource.prlimit(writer.pid, resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


def test_everything_in_a_bag_comes_once_before_anything_comes_again() -> None:
    """In an order that the seed decides."""
    bag = Bag("abcde", random.Random(1))
    turns = [[bag.take() for _ in "abcde"] for _ in range(20)]
    assert all(sorted(turn) == list("abcde") for turn in turns)
    assert len({"".join(turn) for turn in turns}) > 10
    again = Bag("abcde", random.Random(1))
    assert [again.take() for _ in "abcde"] == turns[0]


@pytest.mark.process
@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount")
@pytest.mark.parametrize("keep", [False, True])
def test_a_disk_is_full_until_there_is_room(tmp_path: Path, *, keep: bool) -> None:
    """Nothing more fits on a disk that was shrunk to what it holds; what it held can be kept."""
    disk = SmallDisk(tmp_path / "disk")
    if not disk.mount():
        pytest.skip("mounting is not allowed here")
    try:
        file = tmp_path / "disk" / "file"
        file.write_bytes(b"x" * 100_000)
        assert disk.fill()
        with pytest.raises(OSError, match="No space left"):
            file.write_bytes(b"x" * 400_000)
        assert disk.free()
        file.write_bytes(b"x" * 400_000)
    finally:
        disk.unmount(keep=keep)
    assert (tmp_path / "disk" / "file").exists() is keep
    assert not (tmp_path / "disk.kept").exists()
    assert stat.S_IMODE((tmp_path / "disk").stat().st_mode) == 0o755


@pytest.mark.process
def test_a_clock_steps_for_one_process_alone(tmp_path: Path) -> None:
    """Its time of day moves, forth and back; its monotonic clock does not."""
    offset = tmp_path / "offset"
    code = (
        "import sys, time; from pathlib import Path\n"
        "from emulator.soak.under_test import run_under, set_offset\n"
        "path = Path(sys.argv[1]); run_under(path)\n"
        "first, steady = time.time(), time.monotonic()\n"
        "set_offset(path, -250); second = time.time()\n"
        "print(round(second - first), time.monotonic() - steady < 5)\n"
    )
    set_offset(offset, 50)
    done = subprocess.run(
        [sys.executable, "-c", code, str(offset)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["-300", "True"]


def test_a_line_of_progress_fits_after_hours() -> None:
    """Large numbers are shortened; small ones are whole."""
    line = rates_line(12_345, 289_371, 23.4, 2_000_324, 162.03, (0.342, 3.2, 7.8))
    assert line == ("12345 s  289k rounds 23/s  2.0M wagers 162/s  p50/99/99.9 342/3200/7800 ms")
    assert len(rates_line(12_345, 289_371, 9_999, 2_000_324, 59_999, (0.342, 3.2, 7.8))) <= 80
    shortened = {0.4: "0", 9_999: "9,999", 10_000: "10k", 999_999: "999k", 1_000_000: "1.0M"}
    assert {number: short(number) for number in shortened} == shortened


def test_latencies_keep_their_quantiles() -> None:
    """A histogram of any number of answers knows its quantiles within one step of 5%."""
    latencies = Latencies()
    for number in range(1, 10_001):
        latencies.note(number / 10_000)
    for share in (0.5, 0.99, 0.999):
        assert latencies.quantile_s(share) == pytest.approx(share, rel=0.06)
    assert latencies.quantile_s(1.0) == latencies.longest_s == 1.0
    assert sum(count for *_, count in latencies.buckets()) == 10_000


@pytest.mark.parametrize(
    "drawn",
    [
        charts.lines("a < b", {"one": [(0, 1), (1, 2)], "two": [(0, 3)]}, x_title="s"),
        charts.lines("flat", {"one": [(5, 0), (5, 0)]}, log_x=True, log_y=True),
        charts.lines("shaded", {"one": [(0, 1)]}, bands=[charts.Band(0, 1, "kill & stop")]),
        charts.bars("bars", ["a", "b"], {"seen": [0, 5], "expected": [1.5, 4]}, log_y=True),
        charts.histogram("latency", [(0.001, 0.002, 1), (0.002, 0.004, 70)]),
    ],
)
def test_a_chart_is_well_formed(drawn: str) -> None:
    """Whatever is drawn, with odd names and no spread at all, is XML."""
    assert ET.fromstring(drawn).tag == "svg"


def test_a_chart_of_nothing_is_nothing() -> None:
    """No data, no figure."""
    assert (
        charts.lines("none", {}) == charts.bars("none", [], {}) == charts.histogram("n", []) == ""
    )
    assert report_html.section("none", ["", ""], "words") == []


def test_a_meter_that_stands_is_labelled_once() -> None:
    """Ticks that the words can't tell apart would be a column of the same amount."""
    drawn = charts.lines(
        "meter", {"meter": [(0, 5e6), (1, 5e6)]}, y_words=lambda y: f"${y / 1e6:.2f}"
    )
    assert drawn.count("$5.00") == 1
