"""Batch commands, commit them durably, then answer and publish."""

from jackpot.engine.alarms import Alarm, AlarmBoard, AlarmKind
from jackpot.engine.engine import Engine
from jackpot.engine.messages import CommandOrder, CommittedBatch, JournaledAnswer, Limits, Outcome
from jackpot.engine.meter_board import LevelMeter, MeterBoard, MeterFrame

__all__ = [
    "Alarm",
    "AlarmBoard",
    "AlarmKind",
    "CommandOrder",
    "CommittedBatch",
    "Engine",
    "JournaledAnswer",
    "LevelMeter",
    "Limits",
    "MeterBoard",
    "MeterFrame",
    "Outcome",
]
