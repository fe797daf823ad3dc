"""The auditor by itself: it reads the files, goes by the journal's order, and trusts nobody."""

import ast
from pathlib import Path

import pytest
from google.protobuf.timestamp_pb2 import Timestamp

import emulator.soak.audit as audit_package
from emulator.soak.audit import signs
from emulator.soak.audit.auditor import Auditor, ContradictionError
from emulator.soak.audit.entry import Entry
from emulator.soak.audit.terms import DOLLAR, read_terms
from emulator.soak.site import site_text
from jackpot.rules.site import load_site
from jackpot.wire.v1 import meter_pb2
from jackpot.wire.v1 import operator_pb2 as op
from jackpot.wire.v1 import table_pb2 as pb


def test_it_knows_nothing_of_the_controllers_code_for_money() -> None:
    """Neither the auditor nor what it is made of imports the core, the engine or the store."""
    modules = sorted(Path(audit_package.__file__).parent.glob("*.py"))
    assert len(modules) > 8
    for path in modules:
        for node in ast.walk(ast.parse(path.read_text())):
            names = []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            for name in names:
                allowed = (
                    "jackpot.wire.v1",
                    "jackpot.rules.hands",
                    "jackpot.rules.cards",
                    "emulator.soak.audit",
                )
                ours = name.startswith(("jackpot", "emulator", "table_client"))
                assert not ours or name.startswith(allowed), (path, name)


def test_its_own_reading_of_the_files_is_the_controllers(tmp_path: Path) -> None:
    """Two readers of one site file come to the same figures, level by level and row by row."""
    path = tmp_path / "site.toml"
    path.write_text(site_text(9, herd=False))
    mine, compiled = read_terms(path), load_site(path)
    assert set(mine.tables) == {table.id for table in compiled.tables}
    for link in compiled.links:
        terms = mine.links[link.id]
        assert terms.wager_micros == link.wager_micros
        for level, own in zip(link.levels, terms.levels, strict=True):
            assert own[:6] == (
                level.id,
                level.seed_micros,
                level.reseed_micros,
                level.primary_bps,
                level.reserve_bps,
                level.limit_micros,
            )
        for bet, offered in zip(link.bets, terms.bets, strict=True):
            assert offered.id == bet.id
            for line, row in zip(bet.paytable, offered.rows, strict=True):
                level_name = line.level or line.from_meter
                expected = (line.hand, level_name, line.share_bps, line.pays_for)
                assert row[:4] == expected
            assert offered.envy == tuple((line.hand, line.amount_micros) for line in bet.envy)
            assert offered.fold_loses == bet.fold_forfeits


def opened(sequence: int, number: int, round_: int = 1, table: str = "a") -> Entry:
    """An answered OpenRound."""
    response = pb.OpenRoundResponse(sequence=sequence, round=round_)
    return Entry(
        sequence, "open_round", pb.OpenRound(), response, table=table, epoch=1, number=number
    )


def attached(sequence: int, table: str = "a") -> Entry:
    """A first Attach."""
    return Entry(
        sequence,
        "attach",
        pb.AttachRequest(site="house", table=table),
        pb.AttachResponse(sequence=sequence, epoch=1),
        table=table,
    )


def test_answers_are_audited_in_the_journals_order(site: Path) -> None:
    """They may arrive in any order, and wait until all before them are known."""
    auditor = Auditor(read_terms(site))
    auditor.feed(opened(12, 1))
    auditor.advance(11)
    assert auditor.waiting == 1
    auditor.feed(attached(11))
    auditor.advance(12)
    assert (auditor.waiting, auditor.sequence, auditor.audited) == (0, 12, 2)


def collected(*more: Entry) -> list[Entry]:
    """A round without wagers that is locked out, which collects it, and what follows."""
    locked = pb.LockOutResponse(sequence=13, round=1, collected=True)
    lock = Entry(13, "lock_out", pb.LockOut(), locked, table="a", epoch=1, number=2)
    return [attached(11), opened(12, 1), lock, *more]


VOID = pb.VoidRound(irregularity="MISDEALT")
BY_TABLE = Entry(
    14,
    "void_round",
    VOID,
    pb.VoidRoundResponse(sequence=14, round=1),
    table="a",
    epoch=1,
    number=3,
)
CALL = pb.CallFloor(act=pb.FLOOR_ACT_VOID_ROUND, round=1, irregularity="MISDEALT")
CALLED = Entry(
    14,
    "call_floor",
    CALL,
    pb.CallFloorResponse(sequence=14, call=1, expires_time=Timestamp(nanos=9_000)),
    table="a",
    epoch=1,
    number=3,
)


def approved(sequence: int, call: int = 1) -> Entry:
    """A floorperson's approval that was carried out."""
    request = op.ApproveFloorCallRequest(site="house", call=call)
    response = op.ApproveFloorCallResponse(sequence=sequence, table="a", round=1)
    return Entry(sequence, "ApproveFloorCall", request, response)


def by_floor(sequence: int, round_: int) -> Entry:
    """A floorperson's void that was accepted."""
    request = op.VoidTableRoundRequest(
        site="house", table="a", round=round_, irregularity="MISDEALT"
    )
    response = op.VoidTableRoundResponse(sequence=sequence, round=round_)
    return Entry(sequence, "VoidTableRound", request, response)


def test_a_floorperson_may_void_what_a_table_may_not(site: Path) -> None:
    """Once it is collected; the table's own request must have been refused."""
    why = "VOID_BY_FLOOR_ONLY"
    refused = Entry(14, "void_round", VOID, None, why, table="a", epoch=1, number=3)
    auditor = Auditor(read_terms(site))
    for entry in collected(refused, by_floor(15, 1)):
        auditor.feed(entry)
    auditor.advance(15)
    assert auditor.books.tables["a"].round is None


def test_an_approval_needs_the_tables_call(site: Path) -> None:
    """Then it does what was asked for."""
    auditor = Auditor(read_terms(site))
    for entry in collected(CALLED, approved(15)):
        auditor.feed(entry)
    auditor.advance(15)
    assert auditor.books.tables["a"].round is None
    assert not auditor.books.calls
    voided = auditor.books.tables["a"].voided
    assert voided is not None
    assert voided.irregularity == "MISDEALT", "which the next attachment must tell"


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        (collected(BY_TABLE), "must be VOID_BY_FLOOR_ONLY"),
        (collected(approved(14)), "must be UNKNOWN_CALL"),
        (collected(CALLED, approved(15, 2)), "must be UNKNOWN_CALL"),
        (collected(CALLED, approved(15), approved(16)), "must be CALL_CLOSED"),
        (collected(CALLED, by_floor(15, 1), approved(16)), "must be CALL_CLOSED"),
        (collected(by_floor(14, 2)), "must be WRONG_ROUND"),
        (collected(by_floor(14, 1), by_floor(15, 1)), "must be NO_ROUND"),
        ([attached(11), opened(12, 1, round_=2)], "round is 2, must be 1"),
        ([attached(11), opened(12, 2)], "1.2 follows 1.0"),
        ([attached(11), attached(11, "b")], "a sequence that was passed"),
        ([attached(11), opened(12, 1), opened(13, 1)], "the first answer was"),
        ([attached(11), opened(12, 1), opened(13, 2, 2)], "must be ROUND_OPEN"),
        (
            [
                attached(11),
                Entry(0, "open_round", pb.OpenRound(), None, "OVERLOADED", {}, "a", 1, 1),
            ],
            "refused without need",
        ),
        (
            [
                Entry(
                    20,
                    "Frame",
                    None,
                    meter_pb2.LinkMeters(
                        link="five",
                        status=meter_pb2.LINK_STATUS_IN_SERVICE,
                        meters=[meter_pb2.Meter(level="main", amount_micros=10_000 * DOLLAR + 1)],
                        sequence=20,
                    ),
                )
            ],
            "main meter is 10,000.000001, must be 10,000.000000",
        ),
    ],
)
def test_what_can_not_be_is_a_contradiction(site: Path, entries: list[Entry], says: str) -> None:
    """A wrong number, a gap, a sequence used twice, another answer to a repeat, a micro more."""
    with pytest.raises(ContradictionError, match=says):
        audit(Auditor(read_terms(site)), entries)


def adjusted(sequence: int, dollars: int) -> Entry:
    """The house puts a meter that stood at one dollar less to this much above $10,000."""
    to_micros = (10_000 + dollars) * DOLLAR
    request = op.AdjustMeterRequest(
        link="five", level="main", to_micros=to_micros, reason=op.METER_REASON_PROMOTION
    )
    changed = op.MeterChange(
        link="five",
        level="main",
        before_micros=to_micros - DOLLAR,
        after_micros=to_micros,
        reason=op.METER_REASON_PROMOTION,
    )
    told = op.AdjustMeterResponse(sequence=sequence, changed=changed)
    return Entry(sequence, "AdjustMeter", request, told)


def framed(sequence: int, dollars: int) -> Entry:
    """A sign shows so much above $10,000."""
    told = meter_pb2.LinkMeters(
        link="five",
        status=meter_pb2.LINK_STATUS_IN_SERVICE,
        meters=[meter_pb2.Meter(level="main", amount_micros=(10_000 + dollars) * DOLLAR)],
        sequence=sequence,
    )
    return Entry(sequence, "Frame", None, told)


def test_a_frame_that_comes_late_is_compared_at_its_sequence(site: Path) -> None:
    """What the sign had to show then counts, not what it has to show now."""
    auditor = Auditor(read_terms(site))
    audit(auditor, [adjusted(11, 1), adjusted(15, 2), adjusted(16, 3)])
    audit(auditor, [framed(16, 3), framed(11, 1), framed(14, 1), framed(10, 0)])
    assert (auditor.observed, auditor.skipped) == (4, 0)
    with pytest.raises(ContradictionError, match=r"main meter is 10,002.0*, must be 10,001.0*"):
        audit(auditor, [framed(14, 2)])


def test_a_frame_that_comes_too_late_is_counted(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only so much of the past is kept, and whoever reads the report can see what it cost."""
    monkeypatch.setattr(signs, "KEPT", 2)
    auditor = Auditor(read_terms(site))
    audit(auditor, [adjusted(11, 1), adjusted(12, 2), adjusted(13, 3)])
    audit(auditor, [framed(12, 2), framed(11, 1)])
    assert (auditor.observed, auditor.skipped) == (1, 1)


def test_a_game_account_is_compared(site: Path) -> None:
    """To the micro, and one that nobody ever bought in to holds nothing."""
    auditor = Auditor(read_terms(site))
    bought = op.BuyInRequest(account="guest", amount_micros=5 * DOLLAR)
    audit(
        auditor,
        [
            Entry(11, "BuyIn", bought, op.BuyInResponse(sequence=11, balance_micros=5 * DOLLAR)),
            seen_account("guest", 5 * DOLLAR),
            seen_account("nobody", 0),
        ],
    )
    with pytest.raises(ContradictionError, match=r"account guest: balance is 4.999999, must be 5"):
        audit(auditor, [seen_account("guest", 5 * DOLLAR - 1)])


def seen_account(account: str, micros: int) -> Entry:
    """What a game account was said to hold."""
    told = op.GetAccountResponse(sequence=11, balance_micros=micros)
    return Entry(11, "GetAccount", op.GetAccountRequest(account=account), told)


def audit(auditor: Auditor, entries: list[Entry]) -> None:
    """One entry after the other."""
    for entry in entries:
        auditor.feed(entry)
        auditor.advance(entry.sequence)


def test_an_answer_that_comes_late_is_known_as_a_repeat(tmp_path: Path) -> None:
    """A table plays on while the answer to a copy is on its way over another connection."""
    path = tmp_path / "site.toml"
    path.write_text(site_text(1, herd=False))
    auditor = Auditor(read_terms(path))
    table = next(iter(auditor.books.tables))

    def told(number: int) -> Entry:
        response = pb.OpenRoundResponse(sequence=number, round=number)
        request = pb.OpenRound()
        return Entry(number, "open_round", request, response, table=table, epoch=1, number=number)

    assert all(auditor.feed(told(number)) for number in range(1, 400))
    assert not auditor.feed(told(1))
