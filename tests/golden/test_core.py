"""The golden cases against the pure core, with the rule files' own paytables and rankings."""

from pathlib import Path

import pytest

from jackpot.core import ledger
from jackpot.core.commands.table import SeatHand, Settle, Wager
from jackpot.core.events.table import RoundSettled
from jackpot.rules.hands import names
from jackpot.rules.site import load_site
from tests.core.floor import Floor, cents
from tests.golden.cases import CASES, Case


@pytest.mark.parametrize(
    "case",
    [pytest.param(c, id=c.name, marks=[pytest.mark.rule(r) for r in c.rules]) for c in CASES],
)
def test_golden_case(case: Case, tmp_path: Path) -> None:
    """From the start through one round, every meter, payout and envy bonus is right to the cent."""
    file = tmp_path / "site.toml"
    file.write_text(case.site)
    site = load_site(file)
    link = site.links[0]
    floor = Floor(names).open_up(list(site.links), list(site.tables))
    for level, (meter, reserve) in case.start.items():
        floor.set_level(f"link/{level}", meter, reserve)
    house_before = floor.state.balances[ledger.house("link")]
    floor.bets_in("table-1", [Wager(seat, bet, link.wager_micros) for seat, bet in case.wagers])
    dealt = {seat: tuple(cards.split()) for seat, cards in case.dealt.items()}
    hands = tuple(SeatHand(seat, cards) for seat, cards in dealt.items() if seat)
    event = floor.play("table-1", Settle(hands, dealt[0]))
    assert isinstance(event, RoundSettled), event

    paid = [(p.seat, p.kind, cents(p.amount_micros)) for p in event.payouts if p.kind != "envy"]
    assert tuple(paid) == case.payouts
    envy: dict[int, int] = {}
    for payout in event.payouts:
        if payout.kind == "envy":
            envy[payout.seat] = envy.get(payout.seat, 0) + payout.amount_micros
    assert {seat: cents(amount) for seat, amount in envy.items()} == case.envy
    assert {level: floor.meter(f"link/{level}") for level in case.meters} == case.meters
    for level, reserve in case.reserves.items():
        assert floor.balance(ledger.reserve(f"link/{level}")) == reserve
    fixed = sum(p.amount_micros for p in event.payouts if p.kind in ("envy", "fixed"))
    funded = house_before - floor.state.balances[ledger.house("link")] - fixed
    assert cents(funded) == case.house
    assert floor.replayed() == floor.state
