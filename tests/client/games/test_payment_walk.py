"""The table client pays linked awards in one walk, in the order in which the controller lists them.

Whatever two hands win at a table of any linked game, no award is out of order.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import permutations
from pathlib import Path

import pytest

from jackpot.rules.cards import parse_cards
from jackpot.rules.compile_link import LevelChoice
from jackpot.wire.v1 import operator_pb2
from table_client.client import TableClient, open_channel
from table_client.table.floor import Floor
from table_client.table.games.catalogue import GAMES
from table_client.table.ports import SideAward
from table_client.table.progressive import LinkedProgressive
from table_client.table.round.play import RoundResult, Table
from tests.client.games.decks import PlainDeck, stacked
from tests.client.games.tables import (
    CARIBBEAN,
    DOLLAR,
    LINKED,
    MA,
    PA,
    RIDE,
    CoreLink,
    Scripted,
    link_for,
    linked,
    play,
    steps,
)
from tests.server.house import BONUS, FIVE, SITE, House, fund_text, open_house

ROYAL, SECOND_ROYAL = "As Ks Qs Js Ts ", "Ah Kh Qh Jh Th "
STRAIGHT, SECOND_STRAIGHT = "9d 8d 7d 6d 5d ", "9c 8c 7c 6c 5c "
FOURS, FULL_HOUSE, FLUSH = "4s 4h 4d 4c 2s ", "3s 3h 3d 2h 2d ", "Kc Qc Jc Tc 2c "
WINNING = [ROYAL, SECOND_ROYAL, STRAIGHT, SECOND_STRAIGHT, FOURS, FULL_HOUSE, FLUSH]
NOTHING = "9h 8s 7h 6s 3c "
QUALIFIED, UNQUALIFIED = "Ad Kd 8h 6h 5h ", "Ad Qd 8h 6h 5h "


def bonus(rule: str) -> tuple[CoreLink, tuple[str, ...]]:
    """A Five Card Hand Bonus, whose bets are on one's own hand and on the dealer's."""
    level = LevelChoice(10_000 * DOLLAR, 10_000 * DOLLAR, 1_300)
    levels = {} if rule == PA else {"main": level}
    link = link_for(rule, BONUS, "only", levels=levels, magic_share_bps=0, lucky_share_bps=0)
    return link, (BONUS, f"{BONUS}-dealer")


def paid_down_the_list(link: CoreLink) -> bool:
    """Whether all awards were paid, in the order of their numbers."""
    numbers = [award.payout for award in link.paid]
    return bool(numbers) and numbers == sorted(numbers) and not link.floor.state.payouts


@pytest.mark.parametrize("dealer", [QUALIFIED, UNQUALIFIED])
@pytest.mark.parametrize("rule", [rule for rule in LINKED if rule != RIDE])
async def test_any_two_winning_hands_are_paid_down_the_list(rule: str, dealer: str) -> None:
    """Seats 3 and 1 win, seat 2 may envy them, whether or not the dealer qualifies."""
    for first, last in permutations(WINNING, 2):
        link, bet = linked(rule)
        players = {seat: Scripted(f"p{seat}", linked=(bet,)) for seat in (1, 2, 3)}
        await play(rule, last + NOTHING + first + dealer, players, progressive=link)
        assert paid_down_the_list(link), (first, last)


@pytest.mark.parametrize("rule", [PA, MA])
async def test_hands_beside_the_dealers_are_paid_down_the_list(rule: str) -> None:
    """Seats 3 and 1 bet on the dealer's hand, seats 3 and 2 on their own."""
    for mine, other, dealer in permutations(WINNING[:5], 3):
        link, (own, dealers) = bonus(rule)
        players = {
            1: Scripted("p1", linked=(dealers,)),
            2: Scripted("p2", linked=(own,)),
            3: Scripted("p3", linked=(own, dealers)),
        }
        await play(rule, NOTHING + other + mine + dealer, players, progressive=link)
        assert paid_down_the_list(link), (mine, other, dealer)


async def test_let_it_ride_pays_its_bonus_down_the_list() -> None:
    """Three sevens with two more cards: each bettor is paid at its turn."""
    link, bet = linked(RIDE)
    players = {seat: Scripted(f"p{seat}", linked=(bet,)) for seat in (1, 2, 3)}
    cards = "7s 7h 7d " + "9s 9h 9d " + "Js Jh Jd " + "2c 2d"
    await play(RIDE, cards, players, progressive=link)
    assert paid_down_the_list(link)
    assert [award.seat for award in link.paid] == [3, 2, 1]


@pytest.mark.rule("PA2010 555.12(a)")
async def test_a_losing_hand_stays_until_its_award_is_paid() -> None:
    """A flush at seat 1 loses at once, but its cards wait for the four of a kind at seat 3."""
    link, bet = linked(CARIBBEAN)
    players = {1: Scripted("a", linked=(bet,)), 2: Scripted("b"), 3: Scripted("c", linked=(bet,))}
    beats_flush = "3s 3h 3d 5h 5s "
    result = await play(CARIBBEAN, FLUSH + NOTHING + FOURS + beats_flush, players, progressive=link)
    assert [(award.seat, award.hand) for award in link.paid] == [
        (3, "four-of-a-kind"),
        (1, "flush"),
    ]
    assert [record.seat for record in steps(result, "settle")][:4] == [2, 2, 1, 1]
    # Seat 2 lost and goes to the rack at once; then the winner; the flush when it is paid.
    order = [bundle.owner for bundle in result.rack.bundles]
    assert order.index("seat 2") < order.index("seat 3") < order.index("seat 1")


class Pit:
    """A controller over gRPC, a table's client, and a floor that pays by the operators' service."""

    def __init__(self, house: House, table: Table) -> None:
        self.house = house
        self.table = table

    async def play(self, players: dict[int, Scripted]) -> RoundResult:
        """One round, after which nothing is due."""
        result = await self.table.play_round(players)
        request = operator_pb2.ListPayoutsRequest(site=SITE)
        assert not (await self.house.operators.ListPayouts(request)).payouts
        return result


@asynccontextmanager
async def pit(folder: Path, rule: str, table: str, cards: str) -> AsyncIterator[Pit]:
    """A table with these cards on top of its deck."""
    async with (
        open_house(folder, more=fund_text()) as house,
        open_channel(house.address) as channel,
        TableClient(channel, SITE, table, deadline_s=10) as client,
    ):
        await client.attach()
        progressive = LinkedProgressive(client, Floor(house.channel, SITE))
        deck = PlainDeck(stacked(parse_cards(cards)))
        yield Pit(house, Table(GAMES[rule], deck, progressive))


def awards(result: RoundResult) -> list[tuple[int, str, str]]:
    """Seat, hand and kind of what was paid, as the dealer told it."""
    told = [record.says for record in steps(result, "award")]
    return [
        (
            int(says.split(":")[0].removeprefix("Seat ")),
            says.split(", ")[1].split(":")[0],
            says.split("(")[-1].rstrip(")."),
        )
        for says in told
    ]


@pytest.mark.rule("PA2010 555.13(f)")
async def test_royals_at_1_and_3_with_a_full_house_between(tmp_path: Path) -> None:
    """Both royals are paid before the full house, since it finds the next meter."""
    cards = ROYAL + FULL_HOUSE + SECOND_ROYAL + QUALIFIED
    async with pit(tmp_path, CARIBBEAN, "t5", cards) as at:
        players = {seat: Scripted(f"p{seat}", linked=("progressive",)) for seat in (1, 2, 3)}
        assert awards(await at.play(players)) == [
            (3, "royal flush", "share"),
            (1, "royal flush", "share"),
            (2, "full house", "fixed"),
        ]


async def test_a_flush_that_loses_and_four_of_a_kind(tmp_path: Path) -> None:
    """The flush loses to the dealer at once; its award waits for that of seat 3."""
    cards = FLUSH + FOURS + "3s 3h 3d 5h 5s"
    async with pit(tmp_path, CARIBBEAN, "t5", cards) as at:
        players = {seat: Scripted(f"p{seat}", linked=("progressive",)) for seat in (1, 3)}
        assert awards(await at.play(players)) == [
            (3, "four of a kind", "fixed"),
            (1, "flush", "fixed"),
        ]


@pytest.mark.rule("PA 657a.12(f)(2)")
async def test_a_dealers_royal_shared_around_a_straight_flush(tmp_path: Path) -> None:
    """Seats 3 and 1 divide the meter; seat 2's straight flush has a tenth of the next."""
    cards = NOTHING + STRAIGHT + FLUSH + ROYAL
    async with pit(tmp_path, PA, "t1", cards) as at:
        dealers = f"{BONUS}-dealer"
        players = {
            1: Scripted("a", linked=(dealers,)),
            2: Scripted("b", linked=(BONUS, FIVE)),
            3: Scripted("c", linked=(dealers, FIVE)),
        }
        assert awards(await at.play(players)) == [
            (3, "flush", "fixed"),
            (3, "royal flush", "share"),
            (1, "royal flush", "share"),
            (2, "straight flush", "share"),
            (3, "straight flush", "envy"),
            (2, "straight flush", "share"),
        ]


async def test_a_floor_clears_what_an_earlier_run_left(tmp_path: Path) -> None:
    """Listed in payment order, an envy bonus behind its cause."""
    async with pit(tmp_path, PA, "t1", ROYAL + NOTHING + STRAIGHT + QUALIFIED) as at:
        left: list[SideAward] = []

        async def leave(award: SideAward) -> None:
            left.append(award)

        at.table.progressive.pay = leave  # type: ignore[method-assign]
        players = {seat: Scripted(f"p{seat}", linked=(FIVE,)) for seat in (1, 2, 3)}
        await at.table.play_round(players)
        request = operator_pb2.ListPayoutsRequest(site=SITE)
        listed = (await at.house.operators.ListPayouts(request)).payouts
        assert [payout.id for payout in listed] == [award.payout for award in left]
        await Floor(at.house.channel, SITE).clear("t1")
        assert not (await at.house.operators.ListPayouts(request)).payouts
