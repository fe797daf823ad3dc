"""The samples as a newcomer meets them: they play, they end, and they say what they wait for."""

import asyncio
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from jackpot.core.reasons import MEANINGS, Reason
from jackpot.wire.keepalive import EVERY_MS, UNANSWERED_MS
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import operator_pb2, operator_pb2_grpc, table_pb2_grpc
from jackpot.wire.v1 import table_pb2 as pb
from jackpot.wire.v1.table_pb2 import ROUND_PHASE_COLLECTED
from table_client.client import TableClient, open_channel
from tests.core.number_use import number_use
from tests.e2e.process import ALONE, Process

ROOT = Path(__file__).resolve().parents[3]
BET = "five-card-progressive"
WAGER = pb.Wager(seat=4, bet=BET, amount_micros=5_000_000)
LANGUAGES = ("python", "typescript")

pytestmark = [pytest.mark.process, pytest.mark.timeout(180)]


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """A controller with the demo's site file."""
    process = Process(tmp_path, options=ALONE)
    process.site = ROOT / "jackpot" / "rules" / "data" / "demo.toml"
    process.start()
    try:
        yield process.address
    finally:
        process.stop()


@pytest.fixture(params=LANGUAGES)
def play(request: pytest.FixtureRequest) -> tuple[str | Path, ...]:
    """The command that plays a round, in each language."""
    folder = request.getfixturevalue(f"{request.param}_sample")
    if request.param == "python":
        return (sys.executable, "-u", folder / "play.py")
    return ("node", folder / "build" / "play.js")


def started(command: tuple[str | Path, ...], address: str, table: str) -> "subprocess.Popen[str]":
    """A sample at work."""
    told = subprocess.PIPE
    return subprocess.Popen(
        [*command, address, "demo", table], stdout=told, stderr=subprocess.STDOUT, text=True
    )


def at_table(address: str, act: Callable[[TableClient], Awaitable[Any]]) -> None:
    """Do something at a table, and go away in the middle of it."""

    async def go() -> None:
        async with (
            open_channel(address) as channel,
            TableClient(channel, "demo", "table-2") as client,
        ):
            await client.attach()
            await act(client)

    asyncio.run(go())


async def wager(client: TableClient) -> None:
    """A round with a wager in it."""
    await client.open_round()
    await client.place_wagers([WAGER])


async def collect(client: TableClient) -> None:
    """One whose chips are counted."""
    await wager(client)
    await client.lock_out()
    await client.confirm_collection({BET: 1})


async def call_floor(client: TableClient) -> None:
    """One that the floor was called for."""
    await collect(client)
    act = pb.FLOOR_ACT_VOID_ROUND
    await client.call_floor(pb.CallFloor(act=act, round=1, irregularity="MISDEALT"))


def answer_the_call(address: str, answer: str) -> None:
    """A floorperson approves what the table asks for, or declines it."""
    with grpc.insecure_channel(address) as channel:
        staff = operator_pb2_grpc.OperatorServiceStub(channel)
        calls = staff.ListFloorCalls(operator_pb2.ListFloorCallsRequest(site="demo")).calls
        assert [call.round for call in calls] == [1]
        request = getattr(operator_pb2, f"{answer}FloorCallRequest")(
            site="demo", request_id=new_request_id(), call=calls[0].id
        )
        getattr(staff, f"{answer}FloorCall")(request)


def test_a_sample_plays_a_round_and_ends(play: tuple[str | Path, ...], address: str) -> None:
    """As its page says, twice."""
    for number in (1, 2):
        process = started(play, address, "table-2")
        played = process.communicate(timeout=60)[0]
        assert process.returncode == 0, played
        assert f"round {number}\nlamp of seat 4 is lit\n" in played
        if number == 1:
            assert sorted(played.splitlines()) == sorted(shown_on_the_page())


def shown_on_the_page() -> list[str]:
    """The first round as the samples' pages show it, the same on each."""
    pages = [(ROOT / "samples" / name / "README.md").read_text() for name in LANGUAGES]
    shown = {page.split("```\nround 1\n")[1].split("```")[0] for page in pages}
    assert len(shown) == 1
    return ["round 1", *shown.pop().splitlines()]


@pytest.mark.parametrize(
    ("table", "shown"),
    [
        ("table-3", "Caribbean Stud Progressive, main: $10,000.71\n"),  # 71% of $1
        ("table-5", "seat 4: three-of-a-kind pays $5.00\n"),  # with cards that all share
    ],
)
def test_a_sample_plays_whatever_the_table_offers(
    play: tuple[str | Path, ...], address: str, table: str, shown: str
) -> None:
    """Its bet, amount and cards are those of the table's configuration."""
    process = started(play, address, table)
    played = process.communicate(timeout=60)[0]
    assert process.returncode == 0, played
    assert shown in played


def test_a_sample_that_pauses_goes_on_after_a_restart(
    play: tuple[str | Path, ...], tmp_path: Path
) -> None:
    """The controller dies while the lamp is lit; the round is played to its end."""
    process = Process(tmp_path, options=ALONE)
    process.site = ROOT / "jackpot" / "rules" / "data" / "demo.toml"
    process.start()
    try:
        playing = started((*play, "--pause", "1"), process.address, "table-2")
        assert playing.stdout is not None
        assert [playing.stdout.readline() for _ in range(2)][1] == "lamp of seat 4 is lit\n"
        process.kill()
        process.start()
        played = playing.communicate(timeout=60)[0]
    finally:
        process.stop()
    assert playing.returncode == 0, played
    assert "seat 4: three-of-a-kind pays $50.00\n" in played


READS = {
    "python": """
from table import OPTIONS, meaning_of, must_attach, reason_pb2
for name in reason_pb2.Reason.keys():
    reason = name.removeprefix("REASON_")
    if reason != "UNSPECIFIED":
        retry = reason_pb2.RetryClass.Name(meaning_of(reason).retry)
        print(reason, retry.removeprefix("RETRY_CLASS_").lower(), int(must_attach(reason)))
print("NEWER", meaning_of("NEWER"), int(must_attach("NEWER")))
for name in ("grpc.keepalive_time_ms", "grpc.keepalive_timeout_ms"):
    print(name, dict(OPTIONS)[name], 0)
""",
    "typescript": """
import { readFileSync } from "node:fs";
import { OPTIONS } from "./build/table.js";
import { meaningOf, mustAttach } from "./build/wire.js";
const text = readFileSync("proto/jackpot/v1/reason.proto", "utf8");
for (const [, reason] of text.matchAll(/^  REASON_([A-Z_]+) = [1-9]/gm)) {
  const retry = meaningOf(reason, "retry").replace("RETRY_CLASS_", "").toLowerCase();
  console.log(reason, retry, Number(mustAttach(reason)));
}
console.log("NEWER", meaningOf("NEWER", "retry") ?? "None", Number(mustAttach("NEWER")));
for (const name of ["grpc.keepalive_time_ms", "grpc.keepalive_timeout_ms"]) {
  console.log(name, OPTIONS[name], 0);
}
""",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sample_knows_every_reason_from_the_proto_and_pings_as_we_do(
    language: str, request: pytest.FixtureRequest
) -> None:
    """It keeps no list of its own, and attaches where its next number would not fit."""
    told = run_in(request.getfixturevalue(f"{language}_sample"), language, READS[language])
    rows = {row.split()[0]: row.split()[1:] for row in told.splitlines()}
    pings = {"grpc.keepalive_time_ms": EVERY_MS, "grpc.keepalive_timeout_ms": UNANSWERED_MS}
    fits = ("used", "used-if-readable")
    assert rows == {
        **{r.value: [MEANINGS[r].retry, str(int(number_use(r) not in fits))] for r in Reason},
        "NEWER": ["None", "1"],
        **{name: [str(value), "0"] for name, value in pings.items()},
    }


def test_a_sample_goes_on_after_an_unfinished_round(
    play: tuple[str | Path, ...], address: str
) -> None:
    """One that was not collected is void; the next one is played."""
    at_table(address, wager)
    played = started(play, address, "table-2").communicate(timeout=60)[0]
    assert "round 2\nlamp of seat 4 is lit\n" in played


@pytest.mark.parametrize("left", [collect, call_floor])
def test_a_sample_calls_the_floor_for_a_collected_round(
    play: tuple[str | Path, ...],
    address: str,
    left: Callable[[TableClient], Awaitable[Any]],
) -> None:
    """It says what it waits for, calls again if the floor declines, and goes on when it is void."""
    at_table(address, left)
    process = started(play, address, "table-2")
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("round 1: waiting for the floor to answer call")
        answer_the_call(address, "Decline")
        assert process.stdout.readline() == "round 1: the floor did not void it; calling again\n"
        assert process.stdout.readline().startswith("round 1: waiting for the floor to answer call")
        answer_the_call(address, "Approve")
        played = process.communicate(timeout=60)[0]
    finally:
        process.kill()
    assert "round 2\nlamp of seat 4 is lit\n" in played
    with grpc.insecure_channel(address) as channel:
        asked = pb.GetRoundRequest(site="demo", table="table-2")
        last = table_pb2_grpc.TableServiceStub(channel).GetRound(asked).round
    assert last.number == 2
    assert last.phase != ROUND_PHASE_COLLECTED


def test_a_refusal_is_shown_with_its_metadata(play: tuple[str | Path, ...], address: str) -> None:
    """One line, without a traceback."""
    process = started(play, address, "table-99")
    said = process.communicate(timeout=60)[0]
    assert process.returncode == 1
    assert said.startswith("not finished: UNKNOWN_TABLE: ")
    assert said.endswith("(table table-99)\n")


def run_in(folder: Path, language: str, program: str) -> str:
    """What a program prints that uses a sample."""
    command = [sys.executable, "-c"]
    if language == "typescript":
        command = ["node", "--input-type=module", "-e"]
    return subprocess.run(
        [*command, program], check=True, cwd=folder, capture_output=True, text=True
    ).stdout


COUNTS = {
    "python": """
from table import Table, meter_pb2, table_pb2
from jackpot.v1 import table_config_pb2 as config
bets = [config.BetConfig(bet="c", medium=meter_pb2.BET_MEDIUM_CHIPS),
        config.BetConfig(bet="e", medium=meter_pb2.BET_MEDIUM_ELECTRONIC)]
table = Table.__new__(Table)
table.config = config.TableConfig(links=[config.LinkConfig(bets=bets)])
print(dict(table.chips_of([table_pb2.Wager(bet=bet) for bet in "cec"])))
""",
    "typescript": """
import { Table } from "./build/table.js";
const bets = [
  { bet: "c", medium: "BET_MEDIUM_CHIPS" },
  { bet: "e", medium: "BET_MEDIUM_ELECTRONIC" },
];
const table = Object.assign(Object.create(Table.prototype), { config: { links: [{ bets }] } });
console.log(table.chipsOf([{ bet: "c" }, { bet: "e" }, { bet: "c" }]));
""",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_electronic_wagers_are_not_counted_as_chips(
    language: str, request: pytest.FixtureRequest
) -> None:
    """The dealer has no chip to count for them."""
    counted = run_in(request.getfixturevalue(f"{language}_sample"), language, COUNTS[language])
    assert counted.replace("'", "").strip() in ("{c: 2}", "{ c: 2 }")


def test_the_contract_page_loads_reasons_in_typescript(
    typescript_sample: Path, tmp_path: Path
) -> None:
    """Its snippet runs in a client's folder, and says what the comment says."""
    page = (ROOT / "docs" / "reference" / "table-contract.md").read_text()
    snippet = page.split("```typescript\n")[1].split("```")[0]
    folder = tmp_path / "my-table"  # other tests use the sample as it is
    shutil.copytree(typescript_sample, folder, ignore=shutil.ignore_patterns("node_modules"))
    (folder / "node_modules").symlink_to(typescript_sample / "node_modules")
    (folder / "src" / "snippet.ts").write_text(snippet)
    subprocess.run(["npm", "run", "build"], check=True, cwd=folder, capture_output=True)
    run = ["node", "build/snippet.js"]
    told = subprocess.run(run, check=True, cwd=folder, capture_output=True, text=True)
    assert told.stdout == "RETRY_CLASS_NEVER\n"
