"""A deck without a device process: cards in an order that is given, dealt as a dealer would.

For tables that need no emulated devices, and for rounds whose cards are known beforehand. Nothing
goes wrong with these cards.
"""

from collections.abc import Callable, Iterable, Sequence

from jackpot.rules.cards import deck as whole_deck
from table_client.table.ports import Deal, Dealt, DeckInUse, Drawn, Made, Way
from table_client.table.randomness import seeded

Order = Callable[[int], Sequence[str]]


class PlainDeck:
    """Gives out the cards of an order, one order a round."""

    def __init__(self, order: Order, way: Way = Way.AUTOMATED_SHOE, *, counts: bool = True) -> None:
        self._order = order
        self._way = way
        self._counts = counts
        self._round = 0
        self._cards: list[str] = []

    @property
    def way(self) -> Way:
        """How cards are dealt."""
        return self._way

    @property
    def counts(self) -> bool:
        """Whether the stub need not be counted."""
        return self._counts

    async def prepare(self) -> tuple[Made, ...]:
        """Take the next order."""
        self._round += 1
        self._cards = list(self._order(self._round))
        by_machine = self._counts or self._way is Way.HAND
        return (Made.SHUFFLED,) if by_machine else (Made.SHUFFLED, Made.CUT)

    async def in_use(self) -> tuple[DeckInUse, ...]:
        """None that wears out."""
        return ()

    async def deal(self, deals: Sequence[Deal]) -> tuple[Dealt, ...]:
        """Give the cards from the top."""
        return tuple(
            Dealt(deal, tuple(Drawn(self._cards.pop(0)) for _ in range(deal.count)))
            for deal in deals
        )

    async def take_in_hand(self) -> None:
        """The cards stay where they are."""

    async def remove_stub(self, *, count: bool) -> int | None:
        """What is left, counted if asked for."""
        left, self._cards = len(self._cards), []
        return left if count else None

    async def remove_deck(self) -> None:
        """The next order is of another deck."""


def seeded_order(seed: str, *, joker: bool = False) -> Order:
    """Every round's order drawn from a seed."""
    cards = whole_deck(joker=joker)
    return lambda number: seeded(seed, "deck", number).shuffled(cards)


def stacked(cards: Iterable[str], *, joker: bool = False) -> Order:
    """An order that begins with the cards given; the others follow, lowest first."""
    first = list(cards)
    rest = [card for card in whole_deck(joker=joker) if card not in first]
    return lambda _: first + rest
