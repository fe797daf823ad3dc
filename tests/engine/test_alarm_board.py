"""The board of alarms: which come first, and which are kept."""

from jackpot.engine.alarms import KEPT, Alarm, AlarmBoard, AlarmKind, alarm

SITE = "house"


def restored(time_micros: int) -> Alarm:
    """A critical alarm about something that happened."""
    return alarm(AlarmKind.RESTORED, time_micros, by="ann", why="disk failed", common=7)


def jumped(time_micros: int) -> Alarm:
    """A warning about something that happened."""
    return alarm(AlarmKind.CLOCK_JUMPED, time_micros, seconds="2.0")


def test_critical_alarms_come_first_whether_they_stand_or_happened() -> None:
    """Of each severity, what stands comes before what happened, and that newest first."""
    board = AlarmBoard()
    happened = [restored(1), jumped(2), restored(3), jumped(4)]
    for each in happened:
        board.sound(each)
    stands = [alarm(AlarmKind.TABLE_SILENT, 5, table="t1", heard="", round=1, phase="open")]
    stands += [alarm(AlarmKind.NOT_SERVING, 6)]
    board.stand("engine", stands)
    assert [each.time_micros for each in board.alarms(SITE)] == [6, 3, 1, 5, 4, 2]


def test_a_flood_of_warnings_leaves_critical_alarms_on_the_board() -> None:
    """The oldest warnings go first; among critical alarms alone, the oldest of them."""
    board = AlarmBoard()
    board.sound(restored(1))
    for time_micros in range(2, KEPT + 12):
        board.sound(jumped(time_micros))
    listed = [each.time_micros for each in board.alarms(SITE)]
    assert listed == [1, *range(KEPT + 11, 12, -1)]
    assert len(listed) == KEPT
    for time_micros in range(1_000, 1_000 + KEPT):
        board.sound(restored(time_micros))
    listed = [each.time_micros for each in board.alarms(SITE)]
    assert listed == list(range(999 + KEPT, 999, -1))
