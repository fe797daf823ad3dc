"""The golden cases: from a start through one round to the cent.

Data only, so that the core and the controller on the network are held to the same figures. Each
case is set up by a site file, with real cards. Seats pay 6 to 1.
"""

import random
from dataclasses import dataclass, field

ROYAL = {suit: f"A{suit} K{suit} Q{suit} J{suit} T{suit}" for suit in "cdhs"}
STRAIGHT_FLUSH = {suit: f"9{suit} 8{suit} 7{suit} 6{suit} 5{suit}" for suit in "cdhs"}
DECK = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]


def _is_nothing(cards: list[str]) -> bool:
    """Five ranks that are no straight, at most three cards of a suit."""
    places = sorted("23456789TJQKA".index(card[0]) for card in cards)
    suits = [card[1] for card in cards]
    straight = places[4] - places[0] == 4 or places == [0, 1, 2, 3, 12]
    return len(set(places)) == 5 and not straight and max(map(suits.count, suits)) <= 3


@dataclass(frozen=True)
class Case:
    """A start, a round, and what must come of it."""

    name: str
    link: str  # the [[links]] table of the site file, without id
    start: dict[str, tuple[str, str]]  # level -> meter, reserve
    wagers: tuple[tuple[int, str], ...]  # seat, bet
    hands: dict[int, str]  # seat -> cards; 0 is the dealer; others hold nothing
    payouts: tuple[tuple[int, str, str], ...]  # seat, kind, amount, in payment order, without envy
    meters: dict[str, str]
    reserves: dict[str, str] = field(default_factory=dict)
    house: str = "0.00"  # what the house funded, envy and fixed awards excluded
    envy: dict[int, str] = field(default_factory=dict)  # seat -> all its envy bonuses
    rules: tuple[str, ...] = ()

    @property
    def site(self) -> str:
        """The site file."""
        return (
            '[site]\nid = "golden"\n\n[[links]]\nid = "link"\n'
            f"{self.link}\nin_service = true\n\n"
            '[[tables]]\nid = "table-1"\nlinks = ["link"]\n'
        )

    @property
    def dealt(self) -> dict[int, str]:
        """Cards of the dealer and all six seats, none twice."""
        dealt = dict(self.hands)
        left = [card for card in DECK if card not in " ".join(dealt.values()).split()]
        source = random.Random(657)
        for seat in set(range(7)) - set(dealt):
            while not _is_nothing(cards := source.sample(left, 5)):
                pass
            dealt[seat] = " ".join(cards)
            left = [card for card in left if card not in cards]
        return dealt


def _crazy_4(bet: str, paytable: str, wager: int, more: str = "") -> str:
    table = f'paytable = "{paytable}"\n' if paytable else ""
    return (
        f'title = "Golden"\nrule = "pa-crazy-4-poker"\nbet = "{bet}"\n{table}'
        f'wager = "${wager}"\n{more}'
    )


def _six(bet: str) -> tuple[tuple[int, str], ...]:
    return tuple((seat, bet) for seat in range(1, 7))


FIVE, FOUR, HAND = "five-card-progressive", "four-card-progressive", "five-card-hand-bonus"

CASES = (
    Case(
        "five-card A, $1, six wagers",
        _crazy_4(FIVE, "A", 1),
        {"main": ("10000.00", "0")},
        _six(FIVE),
        {},
        (),
        {"main": "10001.26"},
        rules=("PA 657a.12(e)(3)",),
    ),
    Case(
        "five-card A, $5, six wagers and a full house",
        _crazy_4(FIVE, "A", 5),
        {"main": ("50000.00", "0")},
        _six(FIVE),
        {3: "Kc Kd Kh Js Jd"},
        ((3, "fixed", "250.00"),),
        {"main": "50006.30"},
        house="0.00",
        rules=("PA 657a.12(e)(1)", "PA 657a.12(e)(3)"),
    ),
    Case(
        "five-card A, two royals",
        _crazy_4(FIVE, "A", 1),
        {"main": ("25000.00", "0")},
        _six(FIVE),
        {6: ROYAL["s"], 2: ROYAL["h"]},
        ((6, "share", "25001.26"), (2, "share", "10000.00")),
        {"main": "10000.00"},
        house="20000.00",
        envy={6: "1000.00", 5: "2000.00", 4: "2000.00", 3: "2000.00", 2: "1000.00", 1: "2000.00"},
        rules=("PA 657a.12(e)(4)", "PA 657a.12(e)(5)", "PA 657a.11(e)(5)(ii)"),
    ),
    Case(
        "five-card A, two straight flushes and a royal",
        _crazy_4(FIVE, "A", 1),
        {"main": ("12345.67", "0")},
        _six(FIVE),
        {5: STRAIGHT_FLUSH["c"], 3: STRAIGHT_FLUSH["d"], 1: ROYAL["h"]},
        ((5, "share", "1234.69"), (3, "share", "1111.22"), (1, "share", "10001.02")),
        {"main": "10000.00"},
        house="10000.00",
        envy={6: "1600.00", 5: "1300.00", 4: "1600.00", 3: "1300.00", 2: "1600.00", 1: "600.00"},
        rules=("PA 657a.12(e)(1)", "PA 657a.12(e)(4)", "PA 657a.12(e)(5)"),
    ),
    Case(
        "four-card B, four aces, reserve added",
        _crazy_4(FOUR, "B", 5),
        {"main": ("8123.45", "624.70")},
        _six(FOUR),
        {4: "As Ah Ad Ac Kd"},
        ((4, "share", "8130.95"),),
        {"main": "5626.20"},
        {"main": "0.00"},
        house="5000.00",
        envy=dict.fromkeys((6, 5, 3, 2, 1), "500.00"),
        rules=("PA 657a.12(d)(3)", "PA 657a.12(d)(4)", "PA 657a.12(d)(5)(ii)"),
    ),
    Case(
        "four-card B, four aces, reserve funds the reseed",
        _crazy_4(FOUR, "B", 5, 'levels.main.reserve_mode = "fund"\n'),
        {"main": ("8123.45", "624.70")},
        _six(FOUR),
        {4: "As Ah Ad Ac Kd"},
        ((4, "share", "8130.95"),),
        {"main": "5000.00"},
        {"main": "0.00"},
        house="4373.80",
        envy=dict.fromkeys((6, 5, 3, 2, 1), "500.00"),
        rules=("PA 657a.12(d)(3)",),
    ),
    Case(
        "hand bonus, a dealer's royal divided, then a player's straight flush",
        _crazy_4(HAND, "", 1, 'magic_share = "0%"\nlucky_share = "0%"\n'),
        {"main": ("10130.00", "80.00")},
        ((6, f"{HAND}-dealer"), (4, f"{HAND}-dealer"), (1, f"{HAND}-dealer"), (4, HAND), (2, HAND)),
        {0: ROYAL["s"], 4: STRAIGHT_FLUSH["h"]},
        (
            (6, "share", "3376.88"),
            (4, "share", "3376.88"),
            (1, "share", "3376.88"),
            (4, "share", "8.04"),
        ),
        {"main": "72.37"},
        {"main": "0.00"},
        rules=("PA 657a.12(f)(1)", "PA 657a.12(f)(2)", "PA 657a.12(f)(4)"),
    ),
    Case(
        "five-card C, two quads and a straight flush",
        _crazy_4(FIVE, "C", 1),
        {"mega": ("10000.00", "0"), "major": ("1000.00", "0"), "minor": ("250.00", "0")},
        _six(FIVE),
        {6: "Kc Kd Kh Ks 2d", 3: "Jc Jd Jh Js 3d", 1: STRAIGHT_FLUSH["c"]},
        ((6, "share", "250.18"), (3, "share", "250.00"), (1, "share", "1000.42")),
        {"mega": "10000.54", "major": "1000.00", "minor": "250.00"},
        house="1500.00",
        envy=dict.fromkeys((6, 5, 4, 3, 2), "300.00"),
        rules=("PA 657a.12(e)(1)", "PA 657a.12(e)(3)", "PA 657a.12(e)(5)"),
    ),
)
