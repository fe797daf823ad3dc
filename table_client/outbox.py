"""Keep the commands of a table on disk until they are answered.

A command is written here, with an fsync, before it is sent, and crossed out when it is answered. A
table that is switched off and on sends again what stands here, under the same identity, and so
loses no wager and doubles none.
"""

import json
import os
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from google.protobuf.message import DecodeError

from jackpot.wire.errors import PlainError
from jackpot.wire.refusals import RefusedError
from jackpot.wire.v1 import table_pb2 as pb

_COMPACT_LINES = 1_000  # crossed-out lines are dropped now and then


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


class OutboxError(PlainError):
    """The file can't be used."""


class Unanswered(NamedTuple):
    """What a table left behind."""

    epoch: int
    last_number: int
    commands: tuple[pb.PlayCommand, ...]


class Outbox:
    """One table's file. Whoever holds it speaks for the table."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.heard = AnswersHeard()  # as far as the file says
        self._epoch = self._last = self._lines = 0
        self._waiting: dict[int, bytes] = {}
        try:
            if path.exists():
                self._read()
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: TextIO = path.open("a")
        except OSError as error:
            raise OutboxError(f"{path}: {error.strerror}") from error

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def unanswered(self) -> Unanswered:
        """What is not crossed out."""
        try:
            commands = tuple(pb.PlayCommand.FromString(raw) for raw in self._waiting.values())
        except DecodeError as error:
            raise OutboxError(f"{self._path}: not an outbox") from error
        return Unanswered(self._epoch, self._last, commands)

    def begin(self, epoch: int) -> None:
        """A new attachment: numbers start again and nothing waits."""
        self._epoch, self._last, self._waiting = epoch, 0, {}
        self._rewrite()

    def put(self, command: pb.PlayCommand) -> None:
        """A command is about to be sent."""
        raw = command.SerializeToString()
        self._last = command.number
        self._waiting[command.number] = raw
        self._write({"put": command.number, "command": b64encode(raw).decode()}, sync=True)

    def cross_out(self, number: int) -> None:
        """A command was answered. If this line is lost, it is sent again and answered again."""
        if self._waiting.pop(number, None) is not None:
            self._write({"done": number, "heard": self._heard_now()})
        if self._lines > _COMPACT_LINES and not self._waiting:
            self._rewrite()

    def _write(self, line: dict[str, Any], *, sync: bool = False) -> None:
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()
        self._lines += 1
        if sync:
            os.fsync(self._file.fileno())

    def _rewrite(self) -> None:
        """Begin the file again with what still matters."""
        new = self._path.with_suffix(".new")
        with new.open("w") as file:
            begun = {"epoch": self._epoch, "last": self._last, "heard": self._heard_now()}
            file.write(json.dumps(begun) + "\n")
            file.flush()
            os.fsync(file.fileno())
        new.replace(self._path)
        self._file.close()
        self._file = self._path.open("a")
        self._lines = 1

    def _read(self) -> None:
        lines = self._path.read_bytes().split(b"\n")
        for place, raw in enumerate(lines):
            if not raw:
                continue
            try:
                self._take(json.loads(raw))
            except (ValueError, KeyError, TypeError) as error:
                if place >= len(lines) - 1:
                    return  # the power went while it was written, so it was never sent
                raise OutboxError(f"{self._path}:{place + 1}: not an outbox") from error

    def _heard_now(self) -> list[Any]:
        heard = self.heard
        return [heard.incarnation, heard.first, heard.last, heard.round]

    def _take(self, line: dict[str, Any]) -> None:
        self._lines += 1
        if "heard" in line:  # of old it was not noted
            heard = self.heard
            heard.incarnation, heard.first, heard.last, heard.round = line["heard"]
        if "epoch" in line:
            self._epoch, self._last, self._waiting = line["epoch"], line["last"], {}
        elif "put" in line:
            self._last = line["put"]
            self._waiting[line["put"]] = b64decode(line["command"], validate=True)
        else:
            self._waiting.pop(line["done"], None)
