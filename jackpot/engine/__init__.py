"""Batch commands, commit them durably, then answer and publish."""

from jackpot.engine.alarms import Alarm, AlarmBoard, AlarmKind
from jackpot.engine.answers import Commit, Committed, Lane, Limits, Outcome
from jackpot.engine.engine import Engine
from jackpot.engine.meters import LevelMeter, MeterBoard, MeterFrame

__all__ = [
    "Alarm",
    "AlarmBoard",
    "AlarmKind",
    "Commit",
    "Committed",
    "Engine",
    "Lane",
    "LevelMeter",
    "Limits",
    "MeterBoard",
    "MeterFrame",
    "Outcome",
]
