"""What staff do from the command line, with a controller that is a process of its own."""

import asyncio
import re
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest
from click.testing import CliRunner

from jackpot.cli.main import main
from jackpot.wire.refusals import RefusedError
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import table_pb2
from table_client.client import TableClient, open_channel
from tests.cli.people import WIDTH, Person, play
from tests.e2e.process import ALONE, Process
from tests.server.house import DOLLAR, FIVE, ROYALS, SITE, fund_text, wager

pytestmark = pytest.mark.process

BEYOND = str(2**63)  # no field of a message holds it
SEAT = str(2**32)
CARDS = ("--losing", "8s8h", "--winning", "9s9h", "--board", "8d 8c 9d 9c 2s")
BAD_BEAT = ("badbeat", "verify", "f", "t", *CARDS, "--loser", "1", "--winner", "2")


@pytest.fixture
def process(tmp_path: Path) -> Iterator[Process]:
    """A served site with a Bad Beat fund."""
    with Process(tmp_path, many=0, more=fund_text(), options=ALONE) as served:
        yield served


@pytest.fixture
def ann(process: Process) -> Person:
    """Ann of slots."""
    return Person(process.address, "ann/slots")


@pytest.fixture
def bob(process: Process) -> Person:
    """Bob of accounting."""
    return Person(process.address, "bob/accounting")


def test_a_reset_needs_another_department(process: Process, ann: Person, bob: Person) -> None:
    """Proposed, not approved by who proposed it nor by a colleague, then done."""
    play(process.address, "t4", {}, 1, 2, 3)
    said = ann.does("reset", "five", "main", "--note", "memo 7")
    assert said.startswith(
        "proposal 1, not yet in effect\n   before  10,000.63\n   after   10,000.00\n"
    )
    assert "jackpot approve 1\n" in said
    waiting = bob.does("proposals")
    assert re.search(r"^1  reset meter five/main$", waiting, re.MULTILINE)
    assert re.search(r"^   by      ann \(slots\), ", waiting, re.MULTILINE)
    assert ann.fails("approve", "1").startswith("SECOND_PERSON_REQUIRED: ")
    colleague = Person(process.address, "cy/slots")
    assert colleague.fails("approve", "1").startswith("OTHER_DEPARTMENT_REQUIRED: ")
    assert bob.does("approve", "1").startswith("five/main: $10,000.63 -> $10,000.00 (journal ")
    assert bob.does("proposals") == "No open proposals.\n"
    (five,) = [link for link in ann.json("link", "list")["links"] if link["id"] == "five"]
    level = five["levels"][0]
    assert (level["meter_micros"], level["overflow_micros"]) == ("10000000000", "630000")


def test_money_is_asked_about_with_before_and_after(process: Process, ann: Person) -> None:
    """A no, or no answer at all, exits 4 and nothing is done."""
    command = ("adjust", "five", "--to", "10,500", "--reason", "malfunction", "--note", "t")
    for answer in ("n\n", ""):
        result = ann.run(*command, answer=answer, yes=False)
        assert result.exit_code == 4
        assert "five/main: $10,000.00 -> $10,500.00 (malfunction)\n" in result.stderr
        assert result.stderr.endswith("Error: not confirmed: nothing was done\n")
    assert ann.json("proposals")["proposals"] == []
    assert ann.run(*command, answer="y\n", yes=False).exit_code == 0
    assert len(ann.json("proposals")["proposals"]) == 1
    assert process.address in str(ann.__dict__)


def test_an_adjustment_and_a_transfer(ann: Person, bob: Person) -> None:
    """What a limit takes off lies in overflow, and all of it goes to another meter."""
    ann.does("adjust", "five", "--to", "9,000", "--reason", "limit", "--note", "memo 1")
    bob.does("approve", "1")
    said = bob.does("transfer", "five", "mega/major", "--note", "memo 2")
    assert said.startswith(
        "proposal 2, not yet in effect\n   before  5,000.00\n   after   6,000.00\n"
    )
    asked = ann.run("approve", "2", answer="n\n", yes=False).stderr
    assert "   after   6,000.00\n" in asked
    assert "   now     5,000.00\n" in asked
    done = ann.does("approve", "2")
    assert done.startswith("$1,000.00 of five/main's overflow went to mega/major (journal ")
    nothing = ann.fails("transfer", "five", "mega/major", "--note", "memo 3")
    assert nothing == "the overflow of five/main is empty: there is nothing to transfer"
    ann.does("adjust", "five", "--to", "9,001", "--reason", "promotion", "--note", "memo 4")
    assert bob.does("decline", "3").startswith("proposal 3 is declined")


def test_terms_change_while_a_link_is_suspended(ann: Person, bob: Person) -> None:
    """Limit and rate wait for the link to resume, and what a regulation fixes can't be proposed."""
    fixed = ann.fails("rate", "five", "--primary", "22%", "--note", "memo 5")
    assert fixed.startswith("FIXED_BY_REGULATION: ")
    assert "PA 657a.12(e)(3)" in fixed
    refused = ann.fails("limit", "stud", "--to", "20,000", "--note", "memo 6")
    assert refused.startswith("WRONG_LINK_STATE: ")
    ann.does("link", "suspend", "stud")
    ann.does("limit", "stud", "--to", "20,000", "--note", "memo 6")
    said = ann.does("rate", "stud", "--primary", "72%", "--reserve", "1.5%", "--note", "memo 7")
    assert "primary 70%" in said
    bob.does("approve", "1")
    done = bob.does("approve", "2")
    assert done.startswith("stud/main: 72% + 1.50%, limit $20,000.00, when the link resumes")
    ann.does("link", "resume", "stud")
    assert "72% + 1.50%" in " ".join(ann.does("link", "list").split())


def test_a_links_life(ann: Person) -> None:
    """Into service with its seed, suspended, and retired with the seed back to the house."""
    result = ann.run("link", "service", "spare", answer="y\n", yes=False)
    assert "spare/main: $0.00 -> $10,000.00" in result.stderr
    ann.does("link", "suspend", "spare")
    assert ann.does("link", "retire", "spare").startswith("spare is retired (journal ")
    assert ann.fails("link", "resume", "spare").startswith("WRONG_LINK_STATE: ")
    assert ann.fails("link", "service", "nowhere").startswith("there is no link 'nowhere'")


def test_a_payout_from_hand_to_form(process: Process, ann: Person, bob: Person) -> None:
    """Listed, validated in order, paid by accounting with a form, and gone from the list."""
    assert ann.does("payouts") == "No open payouts.\n"
    first, second = play(process.address, "t4", {6: ROYALS["s"], 2: ROYALS["h"]}, 6, 2)[:2]
    listed = ann.does("payouts", "--pending")
    assert re.search(rf"^ *{first.id} +t4 +6 +royal flush +five/main", listed, re.MULTILINE)
    assert bob.fails("pay", str(first.id), "--form", "W-1").startswith("NOT_VALIDATED: ")
    ann.does("validate", str(first.id), "--floorperson", "Flo")
    shares = [payout["id"] for payout in ann.json("payouts", "--pending")["payouts"]]
    assert str(first.id) not in shares
    assert ann.fails("pay", str(first.id), "--form", "W-1").startswith("NOT_ALLOWED: ")
    assert bob.fails("pay", str(first.id)).startswith("FORM_REQUIRED: ")
    asked = bob.run("pay", str(first.id), "--form", "W-1", answer="n\n", yes=False).stderr
    assert "$10,000.42, validated -> paid, form W-1" in asked
    paid = bob.does("pay", str(first.id), "--form", "W-1")
    assert paid.startswith(f"payout {first.id} is paid: $10,000.42 from the cage (journal ")
    royal, envy = (one["id"] for one in ann.json("payouts")["payouts"] if one["holder"] == 2)
    misread = ("reject", royal, "--reason", "hand-misread")
    asked = ann.run(*misread, answer="n\n", yes=False).stderr
    assert ", pending -> rejected (hand-misread)\n" in asked
    assert f"\n  also canceled with it: payout {envy}\nDo it?" in asked
    dark = ann.run(*misread[:-1], "lamp-dark", answer="n\n", yes=False).stderr
    assert "also canceled" not in dark
    rejected = ann.does(
        "reject", str(second.id), "--reason", "hand-misread", "--floorperson", "Flo"
    )
    assert rejected.startswith(f"payout {second.id} is rejected (journal ")


def called(address: str) -> int:
    """A call of t4 to void its settled round."""

    async def call() -> int:
        async with open_channel(address) as channel, TableClient(channel, SITE, "t4") as client:
            round_ = (await client.attach()).round.number
            act = table_pb2.FLOOR_ACT_VOID_ROUND
            asked = table_pb2.CallFloor(act=act, round=round_, irregularity="MISDEALT")
            return (await client.call_floor(asked)).call

    return asyncio.run(call())


def test_a_floorperson_answers_calls(process: Process, ann: Person, bob: Person) -> None:
    """Listed with all that they must know; approved or declined once, by whoever is first."""
    assert ann.does("floor", "list") == "No open calls.\n"
    play(process.address, "t4", {1: ROYALS["s"]}, 1, 2)
    assert called(process.address) == 1
    said = ann.does("floor", "list")
    assert said.startswith("1  t4, round 1: void round\n   why     MISDEALT\n   called  ")
    assert ann.json("floor", "list")["calls"][0]["irregularity"] == "MISDEALT"
    assert ann.does("floor", "decline", "1").startswith("call 1 is declined (journal ")
    late = bob.fails("floor", "approve", "1")
    assert late.startswith("CALL_CLOSED")
    assert "ann" in late
    assert called(process.address) == 2
    asked = bob.run("floor", "approve", "2", answer="n\n", yes=False)
    assert asked.exit_code == 4
    assert "payout 1, royal flush at seat 1, $10,000.42: canceled" in asked.stderr
    said = bob.does("floor", "approve", "2")
    assert said.startswith("call 2 is approved: t4, round 1, $2.00 is returned (journal ")
    assert "payout 1: canceled" in said
    assert ann.fails("floor", "approve", "3").startswith("UNKNOWN_CALL")


def test_two_people_turn_dual_control_off(ann: Person, bob: Person) -> None:
    """Editing the site file is not enough."""
    said = ann.does("dual-control", "off", "--note", "memo 12")
    assert said.startswith("proposal 1, not yet in effect\n   before  two people make a change\n")
    assert "1  set dual control of the site" in bob.does("proposals")
    assert bob.does("approve", "1").startswith("dual control is off (journal ")
    assert "Dual control is off: one person can make a change" in ann.does("proposals")
    assert ann.fails("dual-control", "off", "--note", "x").startswith("SETTING_UNCHANGED")
    assert ann.does("dual-control", "on", "--note", "x").startswith("dual control is on (journal ")


def test_a_floorperson_voids_a_round_and_a_seat(process: Process, ann: Person) -> None:
    """Asked about with what falls, done for the round that is meant, and safe to repeat."""
    royal, envy = play(process.address, "t4", {6: ROYALS["s"]}, 6, 2)
    command, seat = ("void", "t4", "--reason", "misdealt"), ("--seat", "2")
    fouled = ("void", "t4", *seat, "--reason", "Hand fouled")
    asked = ann.run(*command, answer="n\n", yes=False)
    assert asked.exit_code == 4
    assert "t4, round 1 -> void (MISDEALT)\n  the round is settled; wagers of $2.00" in asked.stderr
    assert f"payout {royal.id}, royal flush at seat 6, $10,000.42: canceled" in asked.stderr
    assert len(ann.json("payouts")["payouts"]) == 2
    other = ann.fails(*command, "--round", "2")
    assert other.startswith(
        "WRONG_ROUND: The round in the request is not the table's latest round."
    )
    assert "current 1" in other
    asked = ann.run(*fouled, answer="n\n", yes=False)
    assert f"payout {royal.id}" not in asked.stderr
    assert f"payout {envy.id}, royal flush at seat 2, $1,000.00: canceled" in asked.stderr
    assert "other awards of the round on the same meter may be recalculated" in asked.stderr
    whim = ann.fails("void", "t4", "--reason", "whim")
    assert whim.startswith('"whim" is not on the game\'s list; to void a round, use one of: cards-')
    assert "controller-lost, restored" in whim
    other = ann.fails(*command, *seat)
    assert other.startswith('"misdealt" voids a round, not a seat; to void a seat, use one of: ')
    assert other.endswith("hand-fouled, player-excluded, wager-invalid")
    said = ann.does(*fouled)
    assert said.startswith("t4, round 1, seat 2 is void: $1.00 is returned (journal ")
    assert f"\npayout {royal.id}: $10,000.42 -> $10,000.21\n" in said
    assert f"\npayout {envy.id}: canceled\n" in said
    again = ("--request-id", new_request_id())
    assert "give its --round too" in ann.run(*command, *again).stderr
    first = ann.json(*command, "--round", "1", *again)
    assert first["returned_micros"] == "1000000"
    assert ann.json(*command, "--round", "1", *again) == first
    assert ann.fails(*command) == "t4 has played no round, so there is nothing to void or correct"


def test_a_floorperson_removes_a_wager(process: Process, ann: Person) -> None:
    """That had no chip, before the collection."""

    async def locked() -> None:
        async with (
            open_channel(process.address) as channel,
            TableClient(channel, SITE, "t4") as client,
        ):
            await client.attach()
            await client.open_round()
            await client.place_wagers([wager(1), wager(2)])
            await client.lock_out()

    asyncio.run(locked())
    command = ("wager", "remove", "t4", "--seat", "2", "--bet", FIVE)
    asked = ann.run(*command, answer="n\n", yes=False)
    assert f"t4, round 1, seat 2: {FIVE}, $1.00 -> removed\nDo it?" in asked.stderr
    again = ("--round", "1", "--request-id", new_request_id())
    said = ann.does(*command, *again)
    assert said.startswith(f"t4, round 1, seat 2: {FIVE} is removed (journal ")
    assert ann.does(*command, *again) == said
    assert ann.fails(*command).startswith("NO_SUCH_WAGER: ")
    asked = ann.run(*command, answer="y\n", yes=False)
    assert (asked.exit_code, "Do it?" in asked.stderr) == (1, False)


def test_a_game_account(ann: Person) -> None:
    """Buy-in, a look, a cash-out of all, and never below zero."""
    finer = ann.run("account", "buy-in", "card-17", "1.005", "--note", "slip 1")
    assert (finer.exit_code, "'1.005' is not in whole cents" in finer.stderr) == (2, True)
    ann.does("account", "buy-in", "card-17", "100", "--note", "slip 1")
    assert ann.does("account", "show", "card-17") == "card-17: $100.00\n"
    short = ann.fails("account", "cash-out", "card-17", "100.01", "--note", "slip 2")
    assert short.startswith("INSUFFICIENT_FUNDS: ")
    again = ann.run("account", "cash-out", "card-17", "--note", "x", "--request-id", "x")
    assert (again.exit_code, "give its amount too" in again.stderr) == (2, True)
    ann.does("account", "cash-out", "card-17", "--note", "slip 2")
    assert ann.json("account", "show", "card-17")["balance_micros"] == "0"
    assert ann.fails("account", "cash-out", "card-17", "--note", "slip 3") == (
        "account card-17 is empty; there is nothing to cash out"
    )


@pytest.mark.rule("PA2010 553.20(d)")
@pytest.mark.rule("PA2010 553.20(f)")
def test_a_bad_beat(process: Process, ann: Person) -> None:
    """The box is counted, the hand verified, the display set right."""

    async def pots() -> None:
        async with (
            open_channel(process.address) as channel,
            TableClient(channel, SITE, "p1") as client,
        ):
            await client.attach()
            for _ in range(3):
                await client.contribute_pot(100 * DOLLAR)

    asyncio.run(pots())
    staff = ("--cashier", "Cy")
    ann.does("badbeat", "count", "fund", "p1", "6", *staff)
    said = ann.does("badbeat", "count", "fund", "p1", "2", *staff)
    assert said.endswith("ALARM BOX_DIFFERENCE fund/p1\n")
    hand = (*CARDS, "--loser", "3", "--winner", "7", "--others", "1,10")
    twice = ann.fails("badbeat", "verify", "fund", "p1", *hand[:-1], "3", "--supervisor", "Sam")
    assert "field other_seats[0], problem a seat is named twice, value 3" in twice
    alone = ann.fails("badbeat", "verify", "fund", "p1", *hand[:-3], "3", "--supervisor", "Sam")
    assert "field winner_seat, problem the seat is the loser's, value 3" in alone
    asked = ann.run("badbeat", "verify", "fund", "p1", *hand, answer="n\n", yes=False).stderr
    assert "fund/main holds $8.00, to be paid out\n" in asked
    assert re.search(r"losing hand +\S+ \S+ at seat 3: 50%\n", asked)
    assert re.search(r"winning hand +\S+ \S+ at seat 7: 25%\n", asked)
    assert re.search(r"others +seats 1, 10 share 25% equally\n", asked)
    pair = ("--losing", "2s2h", "--winning", "9s9h", "--board", "KdJc7d5c3s")
    low = ann.fails("badbeat", "verify", "fund", "p1", *pair, *hand[len(CARDS) :])
    assert low.startswith("FLOORPERSON_REQUIRED: ")
    low = ann.fails("badbeat", "verify", "fund", "p1", *hand, *pair, "--supervisor", "Sam")
    assert low.startswith("NOT_A_BAD_BEAT: ")
    assert "pair-of-twos" in low
    assert "four-eights" in low
    said = ann.does("badbeat", "verify", "fund", "p1", *hand, "--supervisor", "Sam")
    assert "Seat 3 lost with four eights to four nines at seat 7." in said
    assert re.search(r"four eights \(bad beat, loser\) +fund/main +\$4\.00", said)
    assert re.search(r"four eights \(bad beat, winner\) +fund/main +\$2\.00", said)
    assert re.search(r"four eights \(bad beat, table\) +fund/main +\$1\.00", said)
    assert "pending adjustment" in " ".join(ann.does("link", "list").split())
    wrong = ann.fails("badbeat", "display", "fund", "1")
    assert wrong.startswith("DISPLAY_MISMATCH: ")
    ann.does("badbeat", "display", "fund", "0")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("reset", "five", "main"), "--note"),
        (("adjust", "five", "--to", "ten", "--reason", "limit", "--note", "x"), "'ten'"),
        (("rate", "five", "--primary", "21", "--note", "x"), "'21'"),
        (("approve", "first"), "'first'"),
        (("reject", "1", "--reason", "mood", "--floorperson", "Flo"), "mood"),
        (("badbeat", "verify", "f", "t"), "--loser"),
        (("badbeat", "verify", "f", "t", "--loser", "1", "--losing", "8s8x"), "'8x'"),
        (("badbeat", "verify", "f", "t", "--loser", "1", "--losing", "8s8s"), "8s appears twice"),
        (("approve", BEYOND, "--yes"), BEYOND),
        (("decline", BEYOND, "--yes"), BEYOND),
        (("validate", BEYOND, "--yes"), BEYOND),
        (("pay", BEYOND, "--yes"), BEYOND),
        (("reject", BEYOND, "--reason", "lamp-dark", "--yes"), BEYOND),
        (("slip", BEYOND, "--data", "."), BEYOND),
        (("badbeat", "verify", "f", "t", *CARDS, "--winner", "1", "--loser", SEAT), SEAT),
        (("badbeat", "verify", "f", "t", *CARDS, "--loser", "1", "--winner", SEAT), SEAT),
        ((*BAD_BEAT, "--others", f"1,{SEAT}"), SEAT),
        ((*BAD_BEAT, "--others", "1,-4"), "-4"),
        (("export", "--data", ".", "--key", "k", "--out", "o", "--from", BEYOND), BEYOND),
        (("export", "--data", ".", "--key", "k", "--out", "o", "--to", BEYOND), BEYOND),
        (("audit", "--data", ".", "--limit", BEYOND), BEYOND),
        (("payouts", "--principal", "Zoë"), "Zoë"),
        (("payouts", "--department", "Büro"), "Büro"),
    ],
)
def test_a_command_line_that_makes_no_sense_exits_2(args: tuple[str, ...], words: str) -> None:
    """It is told what is wrong before anybody is asked anything."""
    result = CliRunner().invoke(main, list(args))
    assert result.exit_code == 2
    assert words in result.stderr


@pytest.mark.parametrize("missing", ["flo.pem", "flo.key", "ca.pem"])
def test_a_missing_file_is_named(tmp_path: Path, missing: str) -> None:
    """A certificate that is not there is not told as a key that is not there."""
    files = [tmp_path / name for name in ("ca.pem", "flo.pem", "flo.key")]
    for path in files:
        path.write_text("")
    (tmp_path / missing).unlink()
    (tmp_path / "flo.key").unlink(missing_ok=True)  # who has moved one has often moved both
    options = ["--ca", str(files[0]), "--cert", str(files[1])]
    result = CliRunner().invoke(main, ["payouts", *options])
    assert result.stderr == f"Error: {tmp_path / missing}: No such file or directory\n"


def test_the_details_of_a_refusal_have_an_order() -> None:
    """A map on the wire has none; what is read twice must not look different."""
    told = {"table": "t1", "round": "7", "seat": "3"}
    texts = {
        str(RefusedError("ABORTED", "No.", metadata={key: told[key] for key in order}))
        for order in permutations(told)
    }
    assert texts == {"ABORTED: No. (round 7, seat 3, table t1)"}


def test_a_controller_that_is_away_exits_3_and_the_request_can_be_repeated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody knows whether it happened, so the line says how to ask again safely."""
    monkeypatch.setattr("jackpot.cli.shared.operator_client.RETRY_S", 0.2)
    away = Person("127.0.0.1:1", "ann/slots")
    result = away.run("link", "suspend", "five", "--site", SITE)
    assert result.exit_code == 3
    assert re.search(r"to try again safely, add --request-id [0-9a-f-]{36}\n$", result.stderr)


def test_a_store_that_fails_exits_3_and_the_money_moves_once(
    process: Process, ann: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No write succeeds for a while: whether it is stored is unknown, and the repeat is safe."""
    monkeypatch.setattr("jackpot.cli.shared.operator_client.RETRY_S", 0.5)
    command = ("account", "buy-in", "card-17", "100", "--note", "slip 1")
    unlimited = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (1, unlimited[1]))
    line = ann.fails(*command, code=3)
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, unlimited)
    assert line.startswith("STORE_UNAVAILABLE: The store failed, ")
    assert "(the amount was $100.00)" in line
    repeat = line.split()[-2:]
    while ann.run("account", "show", "card-17").exit_code:  # until it writes again
        time.sleep(0.1)
    ann.does(*command, *repeat)
    ann.does(*command, *repeat)
    assert ann.json("account", "show", "card-17")["balance_micros"] == "100000000"


def test_who_stops_waiting_is_told_how_to_ask_again(tmp_path: Path) -> None:
    """Ctrl-C while nobody answers: the order may be on its way."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        command = [sys.executable, "-m", "jackpot", "link", "suspend", "five", "--site", SITE]
        where = "--controller", f"127.0.0.1:{silent.getsockname()[1]}", "--principal", "ann"
        log = tmp_path / "said"
        with log.open("w") as said:
            waiting = subprocess.Popen([*command, *where, "--yes"], stderr=said)
            connection, _ = silent.accept()
            with connection:
                waiting.send_signal(signal.SIGINT)
                assert waiting.wait(20) == 3
    told = r"Error: stopped; the change may or may not have happened; .*"
    told += r", add --request-id [0-9a-f-]{36}\n"
    assert re.fullmatch(told, log.read_text())


def test_a_repeated_request_has_the_first_answer(ann: Person) -> None:
    """The same id and content happens once."""
    first = ann.json("adjust", "five", "--to", "9", "--reason", "limit", "--note", "x")
    request_id = "01890000-0000-7000-8000-000000000001"
    command = ("link", "suspend", "five", "--request-id", request_id)
    one, two = ann.json(*command), ann.json(*command)
    assert one == two
    assert int(one["sequence"]) > int(first["sequence"])


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_complete(shell: str) -> None:
    """The script names the command, and the command answers what the script asks."""
    script = CliRunner().invoke(main, ["completion", shell])
    assert "_JACKPOT_COMPLETE" in script.stdout
    asked = CliRunner().invoke(
        main,
        prog_name="jackpot",
        env={"_JACKPOT_COMPLETE": "bash_complete", "COMP_WORDS": "jackpot app", "COMP_CWORD": "1"},
    )
    assert "approve" in asked.stdout


def test_tables_have_no_colors_where_nobody_looks(ann: Person) -> None:
    """Piped output is plain text of 80 columns."""
    said = ann.does("link", "list")
    assert "\x1b" not in said
    assert max(map(len, said.splitlines())) <= WIDTH
