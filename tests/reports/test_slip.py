"""Slips: everything that a payout's documentation needs, and receipts that can be checked."""

import datetime as dt
import json
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from pypdf import PdfReader

from jackpot.cli.main import main
from jackpot.core.commands.table import Wager
from jackpot.core.money import dollars
from jackpot.reports.daily import daily_report
from jackpot.reports.pdf import as_pdf
from jackpot.reports.slip import NoSuchPayoutError, find_slip, is_genuine, receipt, slip_lines
from jackpot.reports.walk import open_walk
from jackpot.signing import fingerprint, load_private, load_public, make_key
from tests.core.floor import DOLLAR, Floor, hand_bonus, ok, table
from tests.reports.days import rows, write_floor

WIDTH = 64


def test_every_slip_agrees_with_the_journal(three_days: Path) -> None:
    """Amount, meter, validator, form and status are those of the payout's own entries."""
    payouts: dict[int, dict[str, object]] = {}
    for row in rows(three_days):
        for payout in row.event.get("payouts", ()):
            payouts[payout["id"]] = payout | {"status": "decided", "form": ""}
        for change in row.event.get("changes", ()):
            known = payouts[change["payout"]]
            known["status"] = "recalculated"
            if change.get("closed"):
                known["status"] = "rejected" if row.kind == "PayoutRejected" else "void"
            else:
                known["amount_micros"] = change["amount_micros"]
                known["meter_before_micros"] = change.get("meter_before_micros", 0)
        if row.kind == "PayoutValidated":
            payouts[row.event["payout"]] |= {
                "floorperson": row.event["floorperson"],
                "source": row.event["source"],
                "status": "validated",
            }
        if row.kind == "PayoutPaid":
            payouts[row.event["payout"]] |= {"form": row.event["form"], "status": "paid"}
    assert {payout["status"] for payout in payouts.values()} >= {"paid", "rejected", "void"}
    with open_walk(three_days) as walk:
        for number, payout in payouts.items():
            slip = msgspec.to_builtins(find_slip(walk, number))
            for name in ("link", "level", "table", "round", "seat", "hand", "bet", "kind"):
                assert slip[name] == payout[name], (number, name)
            for name in ("amount_micros", "meter_before_micros", "source", "status", "form"):
                assert slip[name] == payout[name], (number, name)
            assert slip["floorperson"] == payout.get("floorperson", "")


def test_the_meter_after_is_the_meter_as_it_then_stood(three_days: Path) -> None:
    """Of the last award of a settlement on a level, it is the level's balance in the journal."""
    balances: dict[str, int] = {}
    checked = 0
    with open_walk(three_days) as walk:
        for row in rows(three_days):
            for account, micros in row.postings:
                balances[account] = balances.get(account, 0) + micros
            settlement = row.event.get("settlement")
            if row.kind not in ("RoundSettled", "BadBeatVerified") or not settlement:
                continue
            last: dict[str, int] = {}
            for award in settlement["awards"]:
                claim = award["claim"]
                if claim.get("level"):
                    last[f"{claim['link']}/{claim['level']}/meter"] = award["payouts"][0]
            for account, payout in last.items():
                slip = find_slip(walk, payout)
                if len(slip.steps) > 1 and slip.steps[1].what in ("recalculated", "void"):
                    continue  # what it says now is not what this entry said
                assert slip.meter_after_micros == balances[account]
                checked += 1
    assert checked > 5


@pytest.mark.rule("PA2010 553.20(f)")
def test_a_bad_beats_slip_shows_both_hands(three_days: Path) -> None:
    """Each with its seat and cards, the board, and what the player of the slip is."""
    row = next(row for row in rows(three_days) if row.kind == "BadBeatVerified")
    told = []
    with open_walk(three_days) as walk:
        for payout in row.event["payouts"]:
            lines = slip_lines(find_slip(walk, payout["id"]))
            text = " | ".join(" ".join(line.split()) for line in lines)
            assert "| losing hand seat 3, four-eights: 8s 8h |" in text
            assert "| winning hand seat 7, four-nines: 9s 9h |" in text
            assert "| board 8d 8c 9d 9c 2s |" in text
            assert "| cards" not in text
            told.append((payout["seat"], text.split("| player is ")[1].split(" |")[0]))
    assert told[:3] == [(3, "the loser"), (7, "the winner"), (1, "at the table")]


def test_a_slip_names_its_entries_with_their_hashes(three_days: Path) -> None:
    """Each step has the sequence and hash under which the journal has it."""
    with open_walk(three_days) as walk:
        hashes = {entry.sequence: entry.hash.hex() for entry in walk.entries()}
        slip = find_slip(walk, 1)
    assert slip.steps
    for step in slip.steps:
        assert step.hash == hashes[step.sequence]
    text = "\n".join(slip_lines(slip))
    assert f"${dollars(slip.amount_micros)}" in text
    assert slip.steps[0].hash[:32] in text
    assert max(map(len, text.splitlines())) <= WIDTH


def test_a_payout_that_never_was(three_days: Path) -> None:
    """The error is one sentence."""
    with open_walk(three_days) as walk, pytest.raises(NoSuchPayoutError, match="no payout 9999"):
        find_slip(walk, 9_999)


def test_a_receipt_is_what_was_signed(three_days: Path, tmp_path: Path) -> None:
    """Any changed value makes it not genuine, and so does another key."""
    key = tmp_path / "site.key"
    make_key(key)
    with open_walk(three_days) as walk:
        signed = receipt(find_slip(walk, 1), load_private(key))
    pub = load_public(tmp_path / "site.key.pub")
    assert is_genuine(signed, pub)
    copy = msgspec.json.decode(msgspec.json.encode(signed), type=type(signed))
    assert is_genuine(copy, pub)
    copy.slip.amount_micros += 1
    assert not is_genuine(copy, pub)
    make_key(tmp_path / "other.key")
    assert not is_genuine(signed, load_public(tmp_path / "other.key.pub"))


def test_the_command_prints_signs_and_checks(three_days: Path, tmp_path: Path) -> None:
    """Text, PDF and a receipt that `verify --receipt` finds genuine until it is edited."""
    key, pdf, file = tmp_path / "site.key", tmp_path / "slip.pdf", tmp_path / "receipt.json"
    make_key(key)
    run = CliRunner().invoke
    args = ["slip", "1", "--data", str(three_days)]
    assert run(main, args).stdout.startswith("PAYOUT 1\n")
    assert run(main, [*args, "--pdf", str(pdf)]).stdout == f"wrote {pdf}\n"
    assert pdf.read_bytes().startswith(b"%PDF-1.4")
    file.write_text(run(main, [*args, "--key", str(key), "--json"]).stdout)
    check = ["verify", "--receipt", str(file), "--key", f"{key}.pub"]
    assert "genuine, signed by" in run(main, check).stdout
    changed = json.loads(file.read_text())
    changed["slip"]["seat"] += 1
    file.write_text(json.dumps(changed))
    result = run(main, check)
    assert (result.exit_code, "NOT SIGNED with this key" in result.stdout) == (1, True)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('{\n  "slip"', '{\n  "note": "paid twice",\n  "slip"'),
        ('    "payout": 1,', '    "payout": 2,\n    "payout": 1,'),
        ('"key": "', '"key": "the Board\\nsigned by '),
        ('"key": ', '"key":'),
        ("\n}\n", "\n}\n\n"),
    ],
    ids=["added", "repeated", "forged", "respelled", "longer"],
)
def test_a_receipt_has_one_spelling(three_days: Path, tmp_path: Path, old: str, new: str) -> None:
    """What was added, repeated or written another way is not genuine, and is not repeated."""
    key, file = tmp_path / "site.key", tmp_path / "receipt.json"
    make_key(key)
    run = CliRunner().invoke
    args = ["slip", "1", "--data", str(three_days), "--key", str(key), "--json"]
    text = run(main, args).stdout
    assert old in text
    file.write_text(text.replace(old, new, 1))
    result = run(main, ["verify", "--receipt", str(file), "--key", f"{key}.pub"])
    assert result.exit_code == 1
    assert len(result.stdout.splitlines()) == 1
    assert "NOT " in result.stdout
    assert "Board" not in result.stdout
    file.write_text(text)
    result = run(main, ["verify", "--receipt", str(file), "--key", f"{key}.pub"])
    name = fingerprint(load_public(tmp_path / "site.key.pub"))
    assert result.stdout == f"payout 1 of golden: genuine, signed by {name}\n"


def test_a_pdf_holds_its_lines_on_as_many_pages_as_they_need() -> None:
    """Its table of objects points at them, and what PDF reserves or a font lacks does no harm."""
    lines = [f"line {number} (\\) <b> \N{EN DASH} € ♠ 日" for number in range(100)]
    raw = as_pdf(lines, "Title")
    start = int(raw.rsplit(b"startxref\n", 1)[1].split()[0])
    count = int(raw[start:].split()[2])
    places = [int(line.split()[0]) for line in raw[start:].splitlines()[3 : 2 + count]]
    assert len(places) == raw.count(b" 0 obj\n") == raw.count(b"\nendobj\n")
    for number, place in enumerate(places, 1):
        assert raw[place:].startswith(b"%d 0 obj\n" % number)
    read = PdfReader(BytesIO(raw))
    assert len(read.pages) == 3
    assert "".join(page.extract_text() for page in read.pages).splitlines() == lines
    assert len(as_pdf([], "Empty")) < 100_000
    assert len(PdfReader(BytesIO(as_pdf([], "Empty"))).pages) == 1


@pytest.mark.parametrize(
    "text", ["José Weiß", "Łódź ł", "Őrség ő", "“A \N{EN DASH} B”", "Nguyễn", "Саша"]
)
def test_a_name_is_printed_as_it_is_spelled(text: str) -> None:
    """Every letter has an outline in the document's own font, and can be read back."""
    document = PdfReader(BytesIO(as_pdf([text], text)))
    assert document.pages[0].extract_text().rstrip() == text
    assert document.metadata is not None
    assert document.metadata.title == text
    resources: Any = document.pages[0]["/Resources"]
    font = resources["/Font"]["/F1"]["/DescendantFonts"][0].get_object()
    glyphs = font["/CIDToGIDMap"].get_data()
    drawn = {int.from_bytes(glyphs[2 * ord(letter) :][:2], "big") for letter in text}
    assert 0 not in drawn
    assert len(drawn) == len(set(text))
    outlines = font["/FontDescriptor"]["/FontFile2"]
    assert outlines["/Length1"] == len(outlines.get_data()) > 50_000


def test_an_accent_that_stands_alone_is_joined_to_its_letter() -> None:
    """A keyboard may send two characters for one letter; a font in one width can't stack them."""
    document = PdfReader(BytesIO(as_pdf(["e\u0301o\u030b"], "t")))
    assert document.pages[0].extract_text().rstrip() == "éő"


def test_a_letter_that_the_font_lacks_can_still_be_copied() -> None:
    """Two bytes name it, whether it is drawn or not; what two bytes can't name is marked."""
    document = PdfReader(BytesIO(as_pdf(["日本 \U0001f600"], "t")))
    assert document.pages[0].extract_text().rstrip() == "日本 \ufffd"


def test_a_slip_with_any_title_and_player_is_the_same_on_paper(three_days: Path) -> None:
    """What the screen says is what the PDF says, line by line."""
    with open_walk(three_days) as walk:
        slip = find_slip(walk, 1)
    slip.title, slip.player = "Café “Großer Łódź”", "Jőrg \N{EN DASH} ł"
    lines = slip_lines(slip)
    text = PdfReader(BytesIO(as_pdf(lines, "Payout 1"))).pages[0].extract_text()
    shown = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    assert shown == [" ".join(line.split()) for line in lines if line]


def test_slip_and_report_name_the_seat_to_which_a_share_was_moved(tmp_path: Path) -> None:
    """Ann's box 6 is void; her share of the dealer's royal is due at her box 5."""
    floor = Floor().open_up([hand_bonus()], [table("t1", "hb")])
    boxes = [Wager(seat, "hb-dealer", DOLLAR, "ann") for seat in (6, 5)]
    floor.bets_in("t1", [*boxes, Wager(1, "hb-dealer", DOLLAR, "bob")])
    floor.settle("t1", dealer="royal-flush")
    ok(floor.void_seat("t1", 6, "WRONG_CARD_COUNT"))
    due = floor.state.payouts[1]
    assert (due.seat, due.player) == (5, "ann")
    directory = write_floor(tmp_path, floor)
    with open_walk(directory, "test") as walk:
        slip = find_slip(walk, 1)
        report = daily_report(walk, dt.date(1970, 1, 1), 86_400_000_000)
    assert (slip.seat, slip.amount_micros) == (5, due.amount_micros)
    lines = [line.split() for line in slip_lines(slip)]
    assert ["seat", "5"] in lines
    assert ["player", "ann"] in lines
    (hit,) = (hit for hit in report.hits if hit.payout == 1)
    assert (hit.seat, hit.amount_micros, hit.status) == (5, due.amount_micros, "pending")
    assert report.hits == report.last_hits
    assert report.open_payouts[0].seat == 5
