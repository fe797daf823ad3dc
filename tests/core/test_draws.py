"""Magic Card and Lucky Bonus: drawn once a round from the entropy that came with the lock-out."""

import pytest

from jackpot.core.commands.table import LockOut, OpenRound, PlaceWagers, SeatHand, Wager
from jackpot.core.events.table import RoundLocked, RoundSettled
from jackpot.core.rounds import DECK
from tests.core.floor import DOLLAR, Floor, cards, cents, five_card_a, hand, hand_bonus, ok, table

NEVER = 9_999


def entropy(magic: int = NEVER, card: int = 0, lucky: int = NEVER, position: int = 0) -> bytes:
    """Four numbers: is there a Magic Card, which, is there a Lucky Bonus, where."""
    return b"".join(number.to_bytes(8) for number in (magic, card, lucky, position))


def locked(drawn_bps: int, chance: bytes, *wagers: Wager) -> tuple[Floor, RoundLocked]:
    """A round with these wagers, locked out with this entropy."""
    floor = Floor().open_up(
        [five_card_a(), hand_bonus(drawn_bps=drawn_bps)], [table("t1", "a", "hb")]
    )
    ok(floor.play("t1", OpenRound()))
    if wagers:
        ok(floor.play("t1", PlaceWagers(wagers)))
    event = ok(floor.play("t1", LockOut(), chance))
    assert isinstance(event, RoundLocked)
    return floor, event


@pytest.mark.rule("PA 657a.12(f)(3)")
@pytest.mark.parametrize(
    ("share", "number", "drawn"),
    [
        (2_500, 2_499, True),
        (2_500, 2_500, False),
        (2_500, 2_501, False),
        (2_500, 12_499, True),
        (2_500, 12_500, False),
        (0, 0, False),
        (1, 0, True),
        (1, 1, False),
        (9_999, 9_998, True),
        (9_999, 9_999, False),
        (10_000, 9_999, True),
    ],
)
def test_each_bonus_is_drawn_in_its_share_of_rounds(share: int, number: int, drawn: bool) -> None:
    """A number below the share of ten thousand draws, the share itself does not."""
    _, event = locked(share, entropy(magic=number, lucky=NEVER))
    assert bool(event.magic_card) == drawn
    _, event = locked(share, entropy(lucky=number, position=3))
    assert (event.lucky_position == 3) == drawn
    assert event.lucky_position in (3, -1)


@pytest.mark.parametrize(("number", "card"), [(0, "2c"), (1, "2d"), (51, "As"), (52, "2c")])
def test_any_of_52_cards_can_be_magic(number: int, card: str) -> None:
    """The second number picks from the whole deck."""
    _, event = locked(10_000, entropy(magic=0, card=number))
    assert event.magic_card == card
    assert len(set(DECK)) == 52


@pytest.mark.rule("MA 1(i)")
@pytest.mark.rule("MA 1(ii)")
@pytest.mark.parametrize(("number", "position"), [(0, 0), (1, 1), (6, 6), (7, 0)])
def test_any_position_and_the_dealer_can_be_lucky(number: int, position: int) -> None:
    """Empty seats count, and the dealer is position nought."""
    _, event = locked(10_000, entropy(lucky=0, position=number))
    assert event.lucky_position == position


def paid(event: RoundSettled) -> list[tuple[int, str, str, str]]:
    """Seat, bet, kind and amount of every payout."""
    return [(p.seat, p.bet, p.kind, cents(p.amount_micros)) for p in event.payouts]


@pytest.mark.rule("PA 657a.12(f)(3)")
@pytest.mark.rule("PA 657a.11(f)(2)")
def test_a_magic_card_pays_whoever_bet_on_the_hand_that_holds_it() -> None:
    """20 for 1 to the own hand's bettor, without a floorperson; a folded hand keeps it."""
    wagers = [Wager(s, b, DOLLAR) for s in (5, 4) for b in ("hb-player", "hb-dealer")]
    floor, _ = locked(10_000, entropy(magic=0, lucky=1, position=1), *wagers)
    event = floor.settle("t1", SeatHand(4, (*cards(4, "nothing")[:4], "2c"), "folded"))
    assert paid(event) == [(4, "hb-player", "magic", "20.00")]
    (payout,) = event.payouts
    assert (payout.needs_floorperson, payout.source, payout.holder) == (False, "account", 4)
    assert (payout.hand, payout.meter_before_micros) == ("magic", 0)


@pytest.mark.rule("PA 657a.12(f)(3)")
def test_a_lucky_dealer_pays_everyone_who_bet_on_the_dealer() -> None:
    """5 for 1 a wager on the dealer's hand, in payment order; own hands win nothing."""
    wagers = [
        Wager(5, "hb-dealer", DOLLAR),
        Wager(2, "hb-dealer", DOLLAR),
        Wager(2, "hb-player", DOLLAR),
    ]
    floor, _ = locked(10_000, entropy(lucky=0, position=0), *wagers)
    event = floor.settle("t1")
    assert paid(event) == [(5, "hb-dealer", "lucky", "5.00"), (2, "hb-dealer", "lucky", "5.00")]
    assert [(p.hand, p.holder) for p in event.payouts] == [("lucky", 0), ("lucky", 0)]


@pytest.mark.parametrize("fate", ["abandoned", "forfeited"])
def test_a_player_who_is_gone_is_not_lucky(fate: str) -> None:
    """Whoever leaves loses these bonuses with the wager."""
    floor, _ = locked(10_000, entropy(lucky=0, position=3), Wager(3, "hb-player", DOLLAR))
    assert not floor.settle("t1", hand(3, "nothing", fate)).payouts


def test_an_empty_lucky_seat_pays_nobody() -> None:
    """The bonus is lost when no one bet on that position."""
    floor, _ = locked(10_000, entropy(lucky=0, position=4), Wager(3, "hb-player", DOLLAR))
    assert not floor.settle("t1").payouts


def test_a_link_without_the_bonus_pays_none() -> None:
    """Another link's draw at the same table is no business of this bet."""
    floor, _ = locked(10_000, entropy(lucky=0, position=3), Wager(3, "a-five", DOLLAR))
    floor.confirm("t1")
    assert not floor.settle("t1").payouts
