"""The golden cases over gRPC: the same figures, to the cent, through the whole controller."""

from pathlib import Path

import pytest

from jackpot.core import ledger
from jackpot.core.commands.base import OperatorOrigin
from jackpot.core.events.operator import MeterAdjusted
from jackpot.core.money import parse_dollars
from jackpot.engine.replica import load
from jackpot.rules.site import load_site
from jackpot.store.opening import Address, journal_opener
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import operator_pb2, payout_pb2, table_pb2
from table_client.client import TableClient
from tests.core.floor import cents
from tests.golden.cases import CASES, Case
from tests.server.house import serving, write_site


def start_at(store: Address, case: Case) -> None:
    """Put the case's meters and reserves into the journal, as another controller might."""
    journal = journal_opener(store)()
    replica = load(journal, "golden")
    book = ledger.Book(replica.state.balances)
    for level, (meter, reserve) in case.start.items():
        key = ledger.key("link", level)
        for account, amount in ((ledger.meter(key), meter), (ledger.reserve(key), reserve)):
            book.move(parse_dollars(amount) - book.balance(account), ledger.house("link"), account)
    event = MeterAdjusted("link", "", 0, 0, "malfunction", "case", book.postings())
    origin = OperatorOrigin("case", new_request_id())
    with journal.begin(["golden"]) as transaction:
        replica.add(origin, event, "", replica.state.time_micros)
        transaction.append("golden", replica.seal())
        transaction.commit()
    journal.close()


@pytest.mark.parametrize(
    "case",
    [pytest.param(c, id=c.name, marks=[pytest.mark.rule(r) for r in c.rules]) for c in CASES],
)
@pytest.mark.parametrize("streaming", [True, False], ids=["stream", "unary"])
async def test_golden_case(case: Case, streaming: bool, tmp_path: Path, store: Address) -> None:
    """A table that plays the round over the network is told every award to the cent."""
    site = load_site(write_site(tmp_path, case.site))
    link = site.links[0]
    async with serving(store, site) as house:
        start_at(store, case)

        async def accounts() -> operator_pb2.Link:
            request = operator_pb2.ListLinksRequest(site="golden")
            (found,) = (await house.operators.ListLinks(request)).links
            return found

        before = await accounts()
        dealt = {seat: cards.split() for seat, cards in case.dealt.items()}
        async with TableClient(house.channel, "golden", "table-1", streaming=streaming) as client:
            await client.attach()
            await client.open_round()
            await client.place_wagers(
                table_pb2.Wager(seat=seat, bet=bet, amount_micros=link.wager_micros)
                for seat, bet in case.wagers
            )
            locked = await client.lock_out()
            assert sorted((w.seat, w.bet) for w in locked.wagers) == sorted(case.wagers)
            if not locked.collected:
                await client.confirm_collection({case.wagers[0][1]: len(case.wagers)})
            settled = await client.settle(
                [
                    table_pb2.SeatHand(seat=seat, cards=cards, fate=table_pb2.FATE_PLAYED)
                    for seat, cards in dealt.items()
                    if seat
                ],
                dealer=dealt[0],
            )
        after = await accounts()

    kinds = payout_pb2.PayoutKind
    paid = tuple(
        (p.seat, kinds.Name(p.kind).removeprefix("PAYOUT_KIND_").lower(), cents(p.amount_micros))
        for p in settled.payouts
        if p.kind != payout_pb2.PAYOUT_KIND_ENVY
    )
    assert paid == case.payouts
    envy: dict[int, int] = {}
    for payout in settled.payouts:
        if payout.kind == payout_pb2.PAYOUT_KIND_ENVY:
            envy[payout.seat] = envy.get(payout.seat, 0) + payout.amount_micros
    assert {seat: cents(amount) for seat, amount in envy.items()} == case.envy
    levels = {level.level: level for level in after.levels}
    assert {name: cents(levels[name].meter_micros) for name in case.meters} == case.meters
    for name, reserve in case.reserves.items():
        assert cents(levels[name].reserve_micros) == reserve
    fixed = sum(
        p.amount_micros
        for p in settled.payouts
        if p.kind in (payout_pb2.PAYOUT_KIND_ENVY, payout_pb2.PAYOUT_KIND_FIXED)
    )
    assert cents(before.house_micros - after.house_micros - fixed) == case.house
    assert after.pending_micros == sum(p.amount_micros for p in settled.payouts)
