"""What happened in a round: step by step, each with its clause, or in a line or JSON at its end.

A trace is for people and for tests: it records, and never decides anything.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING

from msgspec import Struct

from jackpot.core.money import dollars
from jackpot.rules.cards import pretty

if TYPE_CHECKING:
    from table_client.table.round.play import RoundResult

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


def as_json(result: "RoundResult") -> dict[str, object]:
    """All of it."""
    return {
        "round": result.number,
        "void": result.void,
        "dealer": list(result.dealer),
        "community": list(result.community),
        "seats": {
            seat: {
                "cards": list(each.cards),
                "fate": each.fate,
                "net": dollars(each.net_micros),
                "awards": [
                    [award.kind, award.hand, dollars(award.amount_micros)] for award in each.awards
                ],
            }
            for seat, each in result.seats.items()
        },
    }


def in_a_line(result: "RoundResult") -> str:
    """Who has won or lost how much."""
    if result.void:
        return f"round {result.number}: void ({result.void})"
    nets = ", ".join(
        f"seat {seat} {'-' if each.net_micros < 0 else '+'}${dollars(abs(each.net_micros))}"
        for seat, each in result.seats.items()
    )
    return f"round {result.number}: {nets}"
