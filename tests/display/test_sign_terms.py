"""What a sign says besides its hands: drawn bonuses, limits in force, and what funds a reserve."""

from pathlib import Path

import pytest

from jackpot.display.views.projection import sign_card
from jackpot.display.views.values import SignCard
from jackpot.rules.site import load_site
from jackpot.server.codec.meter import paytables_message
from jackpot.wire.v1 import meter_pb2
from tests.rules.site_files import link, written


def card(folder: Path, bet: str, *lines: str) -> SignCard:
    """The card of a link of Crazy 4 Poker."""
    text = link("pa-crazy-4-poker", bet, *lines)
    found = load_site(written(folder, text)).links[0]
    meters = meter_pb2.LinkMeters(
        link=found.id,
        title=found.title,
        wager_micros=found.wager_micros,
        meters=[meter_pb2.Meter(level=level.id) for level in found.levels],
    )
    return sign_card(meters, paytables_message(found))


@pytest.mark.rule("PA 657a.12(f)(3)")
@pytest.mark.parametrize(("magic", "lucky"), [("2%", "5%"), ("2%", "0%"), ("0%", "0%")])
def test_a_hand_bonus_sign_shows_what_is_drawn(tmp_path: Path, magic: str, lucky: str) -> None:
    """Magic Card and Lucky Bonus, each only where it is offered."""
    shares = (f'magic_share = "{magic}"', f'lucky_share = "{lucky}"')
    found = card(tmp_path, "five-card-hand-bonus", 'wager = "$1"', *shares)
    posted = {row.hand: (row.pays, row.amount) for row in found.rows}
    assert posted.get("Magic Card") == (("20 for 1", "20.00") if magic != "0%" else None)
    assert posted.get("Lucky Bonus") == (("5 for 1", "5.00") if lucky != "0%" else None)


@pytest.mark.rule("PA 657a.12(d)(3)")
def test_a_sign_says_what_funds_the_reserve_and_where_a_meter_stops(tmp_path: Path) -> None:
    """5% of each wager on paytable B is not on the meter that patrons see."""
    lines = ('paytable = "B"', 'wager = "$1"', 'levels.main.limit = "$20,000"')
    found = card(tmp_path, "four-card-progressive", *lines)
    limit, reserve = found.terms
    assert limit.endswith("at most $20,000.00")
    assert reserve.endswith("5% of each wager funds the next jackpot")
    assert card(tmp_path, "five-card-progressive", 'paytable = "A"', 'wager = "$1"').terms == ()
