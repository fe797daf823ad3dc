"""What a restore lost is in the day's report, table by table."""

from jackpot.core.commands.operator import Acknowledged, AttachTable, BeginIncarnation
from jackpot.reports.notable import notable_events
from tests.core.floor import Floor, five_card_a, ok, table


def test_a_restore_and_what_each_table_lost_are_noted() -> None:
    """Who restored and why; the lost entries and the round of each table that had any."""
    floor = Floor().open_up([five_card_a()], [table(each, "a") for each in ("t1", "t2", "t3")])
    common = floor.state.sequence
    ok(floor.operate(BeginIncarnation("b", "ab12", "disk failed", "ann")))
    ok(floor.operate(AttachTable("t1", Acknowledged("", 1, common + 1_200, 7))))
    ok(floor.operate(AttachTable("t2", Acknowledged("", 1, common + 1))))
    ok(floor.operate(AttachTable("t3", Acknowledged("", 1, common))))
    notes = [
        (note.where, note.what, note.by)
        for sequence, (record, time_micros) in enumerate(floor.journal, 1)
        for note in notable_events(sequence, time_micros, record)
        if note.heading == "alarms"
    ]
    knows = f"the table knows of entries {common + 1}"
    gone = "which the journal no longer has; the table"
    assert notes == [
        ("journal", f"a backup was restored; its last entry is {common}: disk failed", "ann"),
        ("t1", f"{knows} to {common + 1_200:,}, {gone} was at round 7", ""),
        ("t2", f"{knows} to {common + 1}, {gone} had no round under way", ""),
    ]
