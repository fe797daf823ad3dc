"""Magic Card and Lucky Bonus: drawn once a round and link from the entropy of the lock-out."""

import msgspec
import pytest

from jackpot.core.commands.table import LockOut, OpenRound, PlaceWagers, SeatHand, Wager
from jackpot.core.draws import DECK
from jackpot.core.events import Record
from jackpot.core.events.table import RoundLocked, RoundSettled
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


def opened() -> Floor:
    """A round at a table with two links that draw, with a wager on each at seats 3 and 4."""
    links = [hand_bonus("hb", 10_000), hand_bonus("hc", 10_000)]
    floor = Floor().open_up(links, [table("t1", "hb", "hc")])
    ok(floor.play("t1", OpenRound()))
    bets = [Wager(seat, f"{link}-player", DOLLAR) for seat in (4, 3) for link in ("hb", "hc")]
    ok(floor.play("t1", PlaceWagers(tuple(bets))))
    return floor


def two_links(chance: bytes) -> tuple[Floor, RoundLocked]:
    """Such a round, locked out with this entropy."""
    floor = opened()
    event = ok(floor.play("t1", LockOut(), chance))
    assert isinstance(event, RoundLocked)
    return floor, event


def test_each_link_draws_by_itself() -> None:
    """Each has its own numbers, and pays by what it drew, not by what its neighbor did."""
    chance = entropy(magic=0, card=0, lucky=0, position=3) + entropy(0, 51, 0, 4)
    floor, event = two_links(chance)
    assert [(one.link, one.magic_card, one.lucky_position) for one in event.draws] == [
        ("hb", "2c", 3),
        ("hc", "As", 4),
    ]
    assert (event.magic_card, event.lucky_position) == ("2c", 3)  # for those who know of one
    held = SeatHand(4, (*cards(4, "nothing")[:4], "2c"))
    settled = floor.settle("t1", held)
    assert paid(settled) == [
        (4, "hb-player", "magic", "20.00"),
        (4, "hc-player", "lucky", "5.00"),
        (3, "hb-player", "lucky", "5.00"),
    ]


def test_what_was_drawn_from_is_in_the_journal() -> None:
    """The random bytes of each draw, so that it can be made again."""
    chance = entropy(magic=0, card=7) + entropy(lucky=0, position=2)
    _, event = two_links(chance)
    assert "".join(one.entropy for one in event.draws) == chance.hex()


def test_a_table_without_bonuses_draws_nothing() -> None:
    """Its lock-out needs no random bytes, and its entry has none."""
    floor = Floor().open_up([five_card_a()], [table("t1", "a")])
    ok(floor.play("t1", OpenRound()))
    event = ok(floor.play("t1", LockOut(), b""))
    assert isinstance(event, RoundLocked)
    assert event.draws == ()


@pytest.mark.parametrize("short", [b"", bytes(31), bytes(32)])
def test_too_few_random_bytes_draw_nothing_by_default(short: bytes) -> None:
    """A lock-out without its chance is a fault, not a round without a bonus or with one."""
    with pytest.raises(ValueError, match="a draw takes 32 random bytes"):
        two_links(short)


def test_an_older_journals_draw_is_of_all_links() -> None:
    """Before 0.2.0 an entry had one card and one position, for every link of the table."""
    locked_out, event = two_links(entropy() + entropy())
    old = msgspec.structs.replace(event, draws=(), magic_card="2c", lucky_position=3)
    raw = msgspec.json.encode(Record(locked_out.journal[-1][0].origin, old))
    assert b"draws" not in raw
    floor = opened()
    floor.commit(msgspec.json.decode(raw, type=Record))
    settled = floor.settle("t1", SeatHand(4, (*cards(4, "nothing")[:4], "2c")))
    assert paid(settled) == [
        (4, "hb-player", "magic", "20.00"),
        (4, "hc-player", "magic", "20.00"),
        (3, "hb-player", "lucky", "5.00"),
        (3, "hc-player", "lucky", "5.00"),
    ]
