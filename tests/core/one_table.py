"""One table on a progressive and a hand bonus, and what the tests of a round say to it."""

from jackpot.core.commands.table import OpenRound, PlaceWagers, Wager
from jackpot.core.events import AnyEvent, Refused
from jackpot.core.reasons import Refusal
from jackpot.core.state import Round
from tests.core.floor import DOLLAR, Floor, five_card_a, hand_bonus, ok, table


def opened(boxes: int = 2) -> Floor:
    """A table on a progressive and a hand bonus whose round is open."""
    floor = Floor().open_up([five_card_a(), hand_bonus()], [table("t1", "a", "hb", boxes=boxes)])
    ok(floor.play("t1", OpenRound()))
    return floor


def place(floor: Floor, *wagers: Wager) -> AnyEvent | Refusal:
    """Wagers in one command."""
    return floor.play("t1", PlaceWagers(wagers))


def round_of(floor: Floor) -> Round:
    """The round under way."""
    round_ = floor.state.tables["t1"].round
    assert round_ is not None
    return round_


def details(answer: AnyEvent | Refusal) -> dict[str, str]:
    """Every value that a refusal mentions."""
    assert isinstance(answer, Refusal | Refused)
    return answer.details


def five(seat: int, player: str = "", amount: int = DOLLAR) -> Wager:
    """A progressive wager."""
    return Wager(seat, "a-five", amount, player)
