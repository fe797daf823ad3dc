"""What wagers come to is worked out once, and is then what it would be on the meters of the day."""

import pytest
from msgspec.structs import fields, replace

from jackpot.core import increments, ledger
from jackpot.core.config import Level
from jackpot.core.ledger import Book
from tests.core.floor import DOLLAR, Floor, five_card_a, table

AMOUNTS = [field.name for field in fields(Level) if field.type is int]
BY_RATES = (((), ("a-five",) * 5),)


@pytest.mark.parametrize("value", [1, 3_000, 10_002 * DOLLAR])
@pytest.mark.parametrize("name", AMOUNTS)
def test_no_option_of_a_level_makes_the_kept_answer_wrong(name: str, value: int) -> None:
    """Whatever a level says, and whatever is on its meter: as if nothing had been kept."""
    floor = Floor().open_up([five_card_a()], [table("t1", "a")])
    link = floor.state.links["a"]
    link.config = replace(
        link.config, levels=tuple(replace(each, **{name: value}) for each in link.config.levels)
    )
    for balance in (0, 9_999 * DOLLAR, 10_001 * DOLLAR, 10_003 * DOLLAR):
        floor.state.balances[ledger.meter("a/main")] = balance
        found = increments.increments(floor.state, floor.state.tables["t1"], BY_RATES)
        book = Book(floor.state.balances)
        posted = increments._post((link.config,), BY_RATES, book, floor.state.sequence + 1)
        assert found == (book.postings(), posted)
