"""What a round came to, in a line for people or in JSON for machines."""

from jackpot.core.money import dollars
from table_client.table.round.play import RoundResult


def as_json(result: RoundResult) -> dict[str, object]:
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


def in_a_line(result: RoundResult) -> str:
    """Who has won or lost how much."""
    if result.void:
        return f"round {result.number}: void ({result.void})"
    nets = "  ".join(f"{seat}: {dollars(each.net_micros)}" for seat, each in result.seats.items())
    return f"round {result.number}: {nets}"
