"""Under two submissions of each linked wager a hand is paid what the odds say.

For every row of the paytable one round is played with a hand that it pays, on a link that is new.
The awards of the controller's core, weighed by how often each hand comes, are the return that
`jackpot.odds` gives at the meter of that round; a share is rounded down to the cent.
"""

from fractions import Fraction
from typing import Any

import pytest

from jackpot.odds.offer import Choices, make_offer
from jackpot.odds.returns import report, return_at
from jackpot.rules.compile_link import LevelChoice
from jackpot.rules.hands import names
from table_client.table.games.catalogue import GAMES
from tests.client.games.submissions import EXAMPLES
from tests.client.games.tables import (
    CARIBBEAN,
    DOLLAR,
    MA,
    PA,
    PA2011,
    RIDE,
    Scripted,
    link_for,
    play,
)

CENT = Fraction(1, 100)


def level(seed: int, rate: int) -> LevelChoice:
    """A level as an operator declares it."""
    return LevelChoice(seed_micros=seed * DOLLAR, reseed_micros=seed * DOLLAR, primary_bps=rate)


def main(seed: int, rate: int = 2_000) -> dict[str, Any]:
    """A link with one such level."""
    return {"levels": {"main": level(seed, rate)}}


FIXED = {"straight-flush": "$5,000"}
SHARED = {"straight-flush": "10% of main"}
LINKS = [
    (PA, "four-card-progressive", "A", {}, 0.441684),
    (PA, "four-card-progressive", "B", {}, 0.503221),
    (PA, "five-card-progressive", "A", {}, 0.559812),
    (PA, "five-card-progressive", "C", {}, 0.568944),
    (PA, "five-card-hand-bonus", "only", {"magic_share_bps": 0, "lucky_share_bps": 0}, 0.391619),
    (MA, "four-card-progressive", "A", main(5_000), 0.441682),
    (MA, "four-card-progressive", "B", main(2_000), 0.521689),
    (MA, "five-card-progressive", "only", main(10_000), 0.559812),
    (MA, "five-card-progressive", "only", main(20_000, 2_500), 0.589055),
    (PA2011, "progressive", "A", main(5_000), 0.441682),
    (PA2011, "progressive", "B", main(5_000), 0.577096),
    (CARIBBEAN, "progressive", "only", {**main(10_000, 7_000), "pays": SHARED}, 0.39162),
    (CARIBBEAN, "progressive", "only", {**main(20_000, 7_000), "pays": FIXED}, 0.462417),
    (RIDE, "bonus", "only", {}, 0.759288),
]


@pytest.mark.parametrize(
    ("rule_id", "bet_id", "paytable_id", "chosen", "known"),
    LINKS,
    ids=[f"{each[0]}-{each[1]}-{number}" for number, each in enumerate(LINKS)],
)
async def test_every_row_of_a_linked_wager_pays_its_odds(
    rule_id: str, bet_id: str, paytable_id: str, chosen: dict[str, Any], known: float
) -> None:
    """Within a cent for each award that is a share."""
    rule = GAMES[rule_id].rule
    bet = rule.bet(bet_id)
    assert bet
    paytable = bet.paytable(paytable_id)
    assert paytable
    found = report(make_offer(rule, bet, paytable, Choices(wager_micros=DOLLAR, **chosen)))
    realized, seen = Fraction(0), set()
    for text in EXAMPLES[bet.ranking]:
        row = paytable.row_for(names(bet.ranking, text.split()))
        hand = row.hand if row else ""
        if hand in seen:
            continue
        seen.add(hand)
        link = link_for(rule_id, bet_id, paytable_id, **chosen)
        await play(rule_id, text.split(), {1: Scripted(linked=(bet_id,))}, progressive=link)
        won = sum(award.amount_micros for award in link.paid if award.seat == 1)
        share = next((each.probability for each in found.chances if each.line.hand == hand), 0)
        assert (won > 0) == bool(hand)
        realized += share * Fraction(won, DOLLAR)
    assert seen == {"", *(each.line.hand for each in found.chances)}
    meters = {
        each.meter.id: each.meter.seed + each.meter.primary
        for each in found.levels
        if each.meter.seed is not None and each.meter.primary is not None
    }
    said = return_at(found, meters)
    shares = sum((each.probability for each in found.chances if each.line.share), Fraction(0))
    assert said - shares * CENT <= realized <= said
    assert round(float(said), 6) == known
