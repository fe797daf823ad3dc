"""What a table was told, so that it can say so when a journal was restored from a backup.

The controller can't know what it answered after the backup: only the table can tell. So a table
reports the range of the answers that it had, and its round, whenever it attaches again.
"""

from typing import Any

from jackpot.wire.refusals import RefusedError
from jackpot.wire.v1 import table_pb2 as pb


class AnswersHeard:
    """The range of sequences that a table was answered with, and its current round."""

    def __init__(self) -> None:
        self.incarnation = ""
        self.first = self.last = self.round = 0

    def message(self) -> pb.Acknowledged | None:
        """What the controller is told; None where nothing was heard yet."""
        if not self.last:
            return None
        return pb.Acknowledged(
            incarnation=self.incarnation,
            first_sequence=self.first,
            last_sequence=self.last,
            round=self.round,
        )

    def attached(self, response: pb.AttachResponse) -> bool:
        """Note an attachment; True where the journal is not the one that was known."""
        known = bool(self.last)
        restored = known and (
            response.incarnation != self.incarnation or response.sequence < self.last
        )
        if restored:
            self.first = self.last = self.round = 0
        self.incarnation = response.incarnation
        self.take(response)
        self.round = response.round.number
        return restored

    def take(self, outcome: Any) -> None:
        """Note an answer to a command, be it a refusal."""
        if isinstance(outcome, RefusedError):
            sequence = int(outcome.metadata.get("sequence", 0)) if outcome.reason else 0
        else:
            sequence = outcome.sequence
        if sequence:
            self.first = self.first or sequence
            self.last = max(self.last, sequence)
        if isinstance(outcome, pb.OpenRoundResponse):
            self.round = outcome.round
