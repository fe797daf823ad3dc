"""Tables, players and links that the tests of the games share."""

from collections.abc import Iterable, Mapping, Sequence

from emulator.devices.local import LocalDevices
from jackpot.core import ledger
from jackpot.core.commands.operator import PayPayout, ValidatePayout
from jackpot.core.commands.table import (
    ConfirmCollection,
    LockOut,
    OpenRound,
    PlaceWagers,
    Settle,
    VoidRound,
    Wager,
)
from jackpot.core.commands.table import SeatHand as CoreHand
from jackpot.core.config import BaseTerms, Link
from jackpot.core.config import Table as CoreTable
from jackpot.core.events import Refused
from jackpot.core.events.table import RoundLocked, RoundSettled
from jackpot.core.reasons import Reason, Refusal
from jackpot.rules import hands
from jackpot.rules.base_game import is_side_bet, on_layout
from jackpot.rules.cards import parse_cards
from jackpot.rules.compile_base_game import BaseChoice, WagerChoice, compile_base
from jackpot.rules.compile_link import LevelChoice, LinkChoice, compile_link
from jackpot.rules.contest import TwoHands
from jackpot.server.codec.table_config import bet_config
from jackpot.wire.v1.table_config_pb2 import LinkConfig
from table_client.table.devices.device_deck import DeviceDeck
from table_client.table.devices.device_faults import Fault
from table_client.table.devices.model import Method, Retirement, ShufflerKind, StationConfig
from table_client.table.games.catalogue import GAMES
from table_client.table.games.model import Ask, Game, Times, View
from table_client.table.players import Offer, Player, Wagers
from table_client.table.ports import (
    CAREFUL,
    Conduct,
    Dealer,
    DeckInUse,
    LinkedBet,
    LockedOut,
    Mismatch,
    Progressive,
    SeatHand,
    SideAward,
    SideWager,
    Way,
)
from table_client.table.progressive import linked_bets
from table_client.table.round.play import RoundResult, Table
from table_client.table.trace import Record
from tests.client.games.decks import PlainDeck, stacked
from tests.core.floor import Floor, ok

DOLLAR = 1_000_000
CRAZY = ["pa-crazy-4-poker", "ma-crazy-4-poker", "pa-2011-crazy-4-poker"]
PA, MA, PA2011 = CRAZY
CARIBBEAN, RIDE = "pa-2011-caribbean-stud", "pa-2010-let-it-ride"
CRISS, FOUR, THREE = (
    "pa-2014-criss-cross-poker",
    "pa-2010-four-card-poker",
    "pa-2010-three-card-poker",
)
HOLDEM, ULTIMATE = "pa-2011-texas-holdem-bonus", "pa-2011-ultimate-texas-holdem"
PAI_GOW = "pa-2010-pai-gow-poker"
LINKED = [PA, MA, PA2011, CARIBBEAN, RIDE]  # games of chapters that provide for a link
BY_CARD = [Way.MANUAL_SHOE, Way.HAND]


class Scripted:
    """A player who does what a test says; by default wagers 5 dollars and plays on."""

    def __init__(
        self,
        key: str = "p",
        wagers: Mapping[str, int] | None = None,
        decisions: Mapping[str, Times] | None = None,
        *,
        linked: tuple[str, ...] = (),
        late: tuple[str, ...] = (),
        late_layout: Mapping[str, int] | None = None,
        no_chip: tuple[str, ...] = (),
        conduct: Conduct | None = None,
        hands: TwoHands | None = None,
        surrenders: bool = False,
        voids: bool = False,
    ) -> None:
        self.key = key
        self.account = ""
        self._wagers, self._decisions = wagers, decisions or {}
        self._linked, self._late, self._no_chip = linked, late, no_chip
        self._late_layout = late_layout or {}
        self._conduct, self._hands = conduct, hands
        self._surrenders, self._voids = surrenders, voids
        self.asked: list[tuple[str, View]] = []

    def wagers(self, offer: Offer) -> Wagers:
        """In dollars as the test wrote them."""
        wanted = self._wagers if self._wagers is not None else dict.fromkeys(offer.game.required, 5)
        layout = {bet: dollars * DOLLAR for bet, dollars in wanted.items()}
        return Wagers(layout, self._linked, self._no_chip)

    def late(self, _: Offer) -> Wagers:
        """After no more bets."""
        return Wagers({bet: n * DOLLAR for bet, n in self._late_layout.items()}, self._late)

    def decide(self, _: Game, ask: Ask, view: View) -> Times:
        """The decision for a bet; the least where none was written."""
        self.asked.append((ask.bet, view))
        return self._decisions.get(ask.bet, ask.least)

    def conduct(self) -> Conduct | None:
        """What the rules forbid."""
        return self._conduct

    def set_hands(self, game: Game, cards: tuple[str, ...]) -> TwoHands:
        """As written, or the house way."""
        assert game.house_way
        return self._hands or game.house_way(cards)

    def surrenders(self, _: TwoHands) -> bool:
        """As written."""
        return self._surrenders

    def voids(self, _: tuple[str, ...]) -> bool:
        """As written."""
        return self._voids


class CoreLink:
    """A progressive that is the controller's own core, without a network."""

    def __init__(self, link: Link, table: CoreTable) -> None:
        self.floor = Floor(hands.names)
        self.floor.open_up([link], [table])
        self.link, self.table = link, table.id
        self.paid: list[SideAward] = []
        self.in_service = True
        self.decks: tuple[DeckInUse, ...] = ()
        self.by_hand = False

    @property
    def bets(self) -> Mapping[str, LinkedBet]:
        """Of the link."""
        link = self.link
        bets = [bet_config(link, bet) for bet in link.bets]
        return linked_bets([LinkConfig(wager_micros=link.wager_micros, bets=bets)])

    async def open_round(self) -> bool:
        """Unless a test took it out of service."""
        if self.in_service:
            ok(self.floor.play(self.table, OpenRound()))
        return self.in_service

    async def use_decks(self, decks: Sequence[DeckInUse], *, by_hand: bool) -> None:
        """Kept by the test, not by the core."""
        self.decks, self.by_hand = tuple(decks), by_hand

    async def place(self, wagers: Sequence[SideWager]) -> tuple[SideWager, ...]:
        """All or none."""
        command = PlaceWagers(
            tuple(Wager(w.seat, w.bet, w.amount_micros, w.player, w.account) for w in wagers)
        )
        answer = self.floor.play(self.table, command)
        return () if isinstance(answer, Refusal | Refused) else tuple(wagers)

    async def lock_out(self) -> LockedOut:
        """What was accepted."""
        event = ok(self.floor.play(self.table, LockOut()))
        assert isinstance(event, RoundLocked)
        return LockedOut(
            tuple(
                SideWager(w.seat, w.bet, w.amount_micros, w.player, w.account) for w in event.wagers
            )
        )

    async def remove_wager(self, wager: SideWager) -> None:
        """By a floorperson."""
        ok(self.floor.remove(self.table, wager.seat, wager.bet))

    async def confirm_collection(self, chips: Mapping[str, int]) -> Mismatch | None:
        """The core compares."""
        answer = self.floor.play(self.table, ConfirmCollection(dict(chips)))
        if isinstance(answer, Refused):
            assert answer.reason is Reason.COLLECTION_MISMATCH, answer
            told = answer.details
            return Mismatch(told["bet"], int(told["counted"]), int(told["accepted"]))
        ok(answer)
        return None

    async def settle(
        self, hands: Sequence[SeatHand], dealer: Sequence[str], community: Sequence[str]
    ) -> tuple[SideAward, ...]:
        """The core's awards."""
        told = tuple(CoreHand(hand.seat, hand.cards, hand.fate) for hand in hands)
        event = ok(self.floor.play(self.table, Settle(told, tuple(dealer), tuple(community))))
        assert isinstance(event, RoundSettled)
        return tuple(
            SideAward(
                p.seat,
                p.bet,
                p.kind,
                p.hand,
                p.amount_micros,
                p.source,
                p.needs_floorperson,
                p.holder,
                p.id,
            )
            for p in event.payouts
        )

    async def pay(self, award: SideAward) -> None:
        """Validate and pay at once, with a form where the cage pays."""
        if award.needs_floorperson:
            ok(self.floor.operate(ValidatePayout(award.payout, "floor")))
        form = "form 1" if award.source == "cage" else ""
        ok(self.floor.operate(PayPayout(award.payout, form)))
        self.paid.append(award)

    async def void_round(self, irregularity: str) -> None:
        """Undo, by the table while it may."""
        if self._is_collected():
            ok(self.floor.void_round(self.table, irregularity))
        else:
            ok(self.floor.play(self.table, VoidRound(irregularity)))

    async def void_seat(self, seat: int, irregularity: str) -> None:
        """Have a floorperson undo one seat."""
        ok(self.floor.void_seat(self.table, seat, irregularity))

    def _is_collected(self) -> bool:
        round_ = self.floor.state.tables[self.table].round
        return round_ is not None and round_.phase in ("collected", "settled")

    @property
    def balances(self) -> dict[str, int]:
        """Every account with money in it."""
        return {name: micros for name, micros in self.floor.state.balances.items() if micros}

    def meter(self, level: str = "main") -> int:
        """A meter in micros."""
        return self.floor.state.balances[ledger.meter(ledger.key(self.link.id, level))]


def link_for(rule_id: str, bet_id: str, paytable: str, **choice: object) -> CoreLink:
    """A link as the rule files compile it, with one table on it."""
    rule = GAMES[rule_id].rule
    bet = rule.bet(bet_id)
    assert bet is not None
    table = bet.paytable(paytable)
    assert table is not None
    settings = {"wager_micros": DOLLAR, **choice}
    link, faults = compile_link(rule, bet, table, LinkChoice("link", "Link", **settings))  # type: ignore[arg-type]
    assert not faults, faults
    assert rule.deal
    return CoreLink(
        link,
        CoreTable(
            "t1",
            rule.game,
            ("link",),
            rule.table.seats if rule.table else 6,
            rule.deal.seat_cards,
            rule.deal.community_cards,
            rule.deal.dealer_cards,
        ),
    )


def linked(rule: str) -> tuple[CoreLink, str]:
    """The link that a game's chapter provides for, and its bet."""
    match rule:
        case "pa-crazy-4-poker":
            return link_for(rule, "five-card-progressive", "A"), "five-card-progressive"
        case "ma-crazy-4-poker":
            level = _level(10_000)
            bet = "five-card-progressive"
            return link_for(rule, bet, "only", levels={"main": level}), bet
        case "pa-2011-crazy-4-poker":
            return link_for(rule, "progressive", "A", levels={"main": _level(5_000)}), "progressive"
        case "pa-2011-caribbean-stud":
            level = _level(10_000, primary_bps=7_000)
            pays = {"straight-flush": "10% of main"}
            return link_for(rule, "progressive", "only", levels={"main": level}, pays=pays), (
                "progressive"
            )
    return link_for(rule, "bonus", "only"), "bonus"


def _level(seed: int, primary_bps: int = 2_000) -> LevelChoice:
    """A level as an operator declares it."""
    return LevelChoice(
        seed_micros=seed * DOLLAR, reseed_micros=seed * DOLLAR, primary_bps=primary_bps
    )


def terms_of(
    rule_id: str,
    *,
    paytables: Mapping[str, str] | None = None,
    not_offered: frozenset[str] = frozenset(),
    wagers: Mapping[str, WagerChoice] | None = None,
    minimum: int | None = None,
    maximum: int | None = None,
    limit: int | None = None,
    **options: str,
) -> BaseTerms:
    """A table's terms as a site file would have them; options that a game has not are left out."""
    rule = GAMES[rule_id].rule
    paytables = paytables or {}
    named = {option.replace("_", "-"): value for option, value in options.items()}
    side = {bet.id for bet in on_layout(rule) if is_side_bet(bet)}
    chosen = {bet: WagerChoice(paytable=paytables.get(bet)) for bet in {*side, *paytables}}
    choice = BaseChoice(
        minimum_micros=None if minimum is None else minimum * DOLLAR,
        maximum_micros=None if maximum is None else maximum * DOLLAR,
        payout_limit_micros=None if limit is None else limit * DOLLAR,
        wagers={
            **{bet: each for bet, each in chosen.items() if bet not in not_offered},
            **(wagers or {}),
        },
        options={name: value for name, value in named.items() if rule.option(name)},
    )
    terms, faults = compile_base(rule, choice)
    assert not faults, faults
    return terms


class Clumsy:
    """A dealer who lets a card be seen at one of the moments that are asked about."""

    def __init__(self, at: int) -> None:
        self.left = at

    def exposes(self) -> bool:
        """Once, after so many moments."""
        self.left -= 1
        return self.left == -1


async def play(
    rule_id: str,
    cards: str | Iterable[str] = (),
    players: Mapping[int, Player] | None = None,
    *,
    way: Way = Way.AUTOMATED_SHOE,
    progressive: Progressive | None = None,
    terms: BaseTerms | None = None,
    boxes: int = 1,
    dealer: Dealer = CAREFUL,
) -> RoundResult:
    """One round with the cards given on top of the deck."""
    game = GAMES[rule_id]
    order = parse_cards(cards) if isinstance(cards, str) else tuple(cards)
    joker = bool(game.rule.deal and game.rule.deal.joker)
    deck = PlainDeck(stacked(order, joker=joker), way)
    table = Table(game, deck, progressive, terms, boxes=boxes, dealer=dealer)
    return await table.play_round(players or {1: Scripted()})


def device_table(
    rule_id: str,
    method: Method = Method.AUTOMATED_SHOE,
    shuffler: ShufflerKind = ShufflerKind.COUNTING,
    progressive: Progressive | None = None,
    terms: BaseTerms | None = None,
    boxes: int = 1,
) -> tuple[Table, LocalDevices]:
    """A table with emulated devices, as fast as possible, and the devices to break."""
    game = GAMES[rule_id]
    continuous = method is Method.CONTINUOUS_SHOE
    config = StationConfig(
        method=method,
        shuffler=ShufflerKind.NONE if continuous else shuffler,
        joker=bool(game.rule.deal and game.rule.deal.joker),
        retire_by=Retirement.REMOVE if game.removes_devices else Retirement.COVER,
        seed="tests",
    )
    devices = LocalDevices("t1", config)
    return Table(game, DeviceDeck(devices, config), progressive, terms, boxes=boxes), devices


async def broken(
    rule_id: str,
    fault: Fault,
    method: Method = Method.AUTOMATED_SHOE,
    *,
    seat: int = 0,
    skip: int = 0,
    players: Mapping[int, Player] | None = None,
    progressive: Progressive | None = None,
    shuffler: ShufflerKind = ShufflerKind.COUNTING,
    terms: BaseTerms | None = None,
    boxes: int = 1,
) -> RoundResult:
    """One round in which a fault takes effect."""
    table, devices = device_table(rule_id, method, shuffler, progressive, terms, boxes)
    await devices.inject_fault(fault, seat=seat, skip=skip)
    return await table.play_round(players or {1: Scripted("a"), 2: Scripted("b")})


def steps(result: RoundResult, step: str) -> list[Record]:
    """The records of one kind of step."""
    return [record for record in result.records if record.step == step]


def clauses(result: RoundResult, step: str) -> list[str]:
    """The clauses of one kind of step."""
    return [record.clause for record in steps(result, step)]


def results(result: RoundResult, seat: int = 1) -> dict[str, tuple[str, int]]:
    """How a seat's wagers ended: result and what was won, in cents."""
    return {
        each.bet: (each.result, each.won_micros // 10_000) for each in result.seats[seat].outcomes
    }


def pile(result: RoundResult) -> tuple[str, ...]:
    """Every card in the discard rack, first placed first."""
    return tuple(card for bundle in result.rack.bundles for card in bundle.cards)


def reconstructed(result: RoundResult) -> dict[str, tuple[str, ...]]:
    """Each hand again, read off the pile by the order in which hands were picked up."""
    cards, found = iter(pile(result)), dict[str, tuple[str, ...]]()
    for bundle in result.rack.bundles:
        taken = tuple(next(cards) for _ in bundle.cards)
        found[bundle.owner] = found.get(bundle.owner, ()) + taken
    return found
