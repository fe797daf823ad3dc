"""What happened in a round, step by step, as a dealer would call it, each with its clause.

A trace is for people and for tests: it records, and never decides anything.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from textwrap import wrap

from msgspec import Struct

from jackpot.rules.cards import pretty

WIDTH = 80
_NUMBER_WIDTH = 4
_CLAUSE_WIDTH = 26  # "PA2011 573.11(c)(3)(ii)(A)" is the longest
_GAP = 1


class Record(Struct, frozen=True):
    """One step of a round."""

    number: int
    step: str
    says: str
    clause: str = ""
    seat: int | None = None  # 0: the dealer
    cards: tuple[str, ...] = ()
    amount_micros: int = 0


class Trace:
    """Records in the order in which they happened; a listener hears of each at once."""

    def __init__(self, listener: Callable[[Record], None] | None = None) -> None:
        self.records: list[Record] = []
        self._listener = listener

    def note(
        self,
        step: str,
        says: str,
        clause: str = "",
        *,
        seat: int | None = None,
        cards: Sequence[str] = (),
        amount_micros: int = 0,
    ) -> None:
        """Add a step."""
        record = Record(
            len(self.records) + 1, step, says, clause, seat, tuple(cards), amount_micros
        )
        self.records.append(record)
        if self._listener:
            self._listener(record)

    def of(self, step: str) -> list[Record]:
        """The records of one kind of step."""
        return [record for record in self.records if record.step == step]


def lines(records: Iterable[Record], width: int = WIDTH) -> Iterator[str]:
    """A trace as text: number, what is said or done with its cards, and the clause at the right."""
    text_width = width - _NUMBER_WIDTH - _CLAUSE_WIDTH - 2 * _GAP
    for record in records:
        shown = f"{record.says} {pretty(record.cards)}" if record.cards else record.says
        texts = wrap(shown, text_width, subsequent_indent="  ")
        clauses = record.clause.split("; ") if record.clause else []
        rows = zip_longest((str(record.number),), texts, clauses, fillvalue="")
        for number, text, clause in rows:
            row = f"{number:>{_NUMBER_WIDTH}} {text:<{text_width}} {clause:>{_CLAUSE_WIDTH}}"
            yield row.rstrip()
