"""Orders, limits and moments that a chapter prescribes and that are easily got wrong."""

from fractions import Fraction

import pytest

from jackpot.rules.compile_base_game import BaseChoice, WagerChoice, compile_base
from table_client.table.devices.device_faults import Fault
from table_client.table.games.catalogue import GAMES
from table_client.table.players import Offer, SimulatedPlayer, Wagers
from table_client.table.round.deciding import DecisionError
from tests.client.games.tables import (
    CARIBBEAN,
    CRISS,
    DOLLAR,
    FOUR,
    HOLDEM,
    MA,
    PA,
    PA2011,
    PAI_GOW,
    RIDE,
    THREE,
    ULTIMATE,
    Clumsy,
    Scripted,
    broken,
    clauses,
    link_for,
    linked,
    play,
    results,
    steps,
    terms_of,
)

# -- the limit of Texas Hold 'Em Bonus ---------------------------------------------------------


@pytest.mark.rule("PA2010 563.12(e)")
@pytest.mark.parametrize(("bonus", "won"), [(50, 50_000), (51, 50_000), (1_000, 50_000)])
async def test_the_limit_of_holdem_bonus_is_always_there(bonus: int, won: int) -> None:
    """Aces against aces at 1,000 to 1: $50,000 for all wagers together, whatever was wagered."""
    terms = terms_of(HOLDEM, paytables={"bonus": "with-both-aces"})
    player = Scripted(wagers={"ante": 5, "bonus": bonus})
    result = await play(HOLDEM, "As Ah Ac Ad 2c 7d 9h Ts 4d 3c Jh 5s", {1: player}, terms=terms)
    assert sum(cents for _, cents in results(result).values()) == won * 100


@pytest.mark.rule("PA2010 563.12(e)")
@pytest.mark.parametrize(("limit", "lawful"), [(49_999, False), (50_000, True), (50_001, False)])
def test_the_limit_of_holdem_bonus_is_exact(limit: int, lawful: bool) -> None:
    """The text sets it: an operator may repeat it, not change it."""
    choice = BaseChoice(payout_limit_micros=limit * DOLLAR)
    terms, faults = compile_base(GAMES[HOLDEM].rule, choice)
    assert terms.payout_limit_micros == 50_000 * DOLLAR
    assert [fault.clause for fault in faults] == ["PA2010 563.12(e)"] * (not lawful)


@pytest.mark.rule("PA2010 563.12(e)")
def test_a_high_minimum_raises_the_limit_of_holdem_bonus() -> None:
    """At $100 on the Bonus a minimum wager could win $100,000 there, and five Antes besides."""
    bonus = WagerChoice(paytable="with-both-aces", minimum_micros=100 * DOLLAR)
    terms, faults = compile_base(GAMES[HOLDEM].rule, BaseChoice(wagers={"bonus": bonus}))
    assert not faults
    assert terms.payout_limit_micros == (100 * 1_000 + 5 * 5) * DOLLAR


@pytest.mark.rule("PA2010 563.13(a)")
async def test_after_a_void_the_bonus_is_paid_by_the_first_table_alone() -> None:
    """Aces against aces pay 30 to 1 then, by 563.12(c), and the limit still holds."""
    terms = terms_of(HOLDEM, paytables={"bonus": "with-both-aces"})
    players = {1: Scripted(wagers={"ante": 5, "bonus": 10})}
    dealer = Clumsy(at=0)
    result = await play(HOLDEM, "As Ah Ac Ad", players, terms=terms, dealer=dealer)
    assert result.void == "DEALER_CARD_EXPOSED"
    assert results(result) == {"bonus": ("win", 30_000), "ante": ("returned", 0)}
    players = {1: Scripted(wagers={"ante": 5, "bonus": 1_000})}
    most = terms_of(HOLDEM, wagers={"bonus": WagerChoice(pays={"pair-of-aces": "60 to 1"})})
    result = await play(HOLDEM, "As Ah Ac Ad", players, terms=most, dealer=Clumsy(at=0))
    assert results(result)["bonus"] == ("win", 5_000_000)


@pytest.mark.rule("PA2010 563.13(d)")
@pytest.mark.parametrize("fault", [Fault.PLAYER_ONE_EXTRA, Fault.PLAYER_ONE_SHORT])
async def test_a_wrong_number_of_cards_is_seen_before_anybody_decides(fault: Fault) -> None:
    """The stub stays in use for the community cards, but a player's cards are counted at once."""
    players = {1: SimulatedPlayer("a", "s"), 2: SimulatedPlayer("b", "s")}
    result = await broken(HOLDEM, fault, seat=1, players=players)
    assert result.void == "PLAYER_WRONG_NUMBER"
    assert not steps(result, "decide")


@pytest.mark.rule("PA2010 563.13(d)")
async def test_a_community_card_that_is_missing_voids_the_round() -> None:
    """When a street comes up short, before anybody sees what is not there."""
    result = await broken(HOLDEM, Fault.COMMUNITY_ONE_SHORT)
    assert result.void == "COMMUNITY_WRONG_NUMBER"
    short = await broken(ULTIMATE, Fault.COMMUNITY_ONE_SHORT)
    assert len(short.community) == 5  # no clause at hand: another card is dealt


# -- losers before winners ---------------------------------------------------------------------


@pytest.mark.rule("PA2010 565.11(d)")
@pytest.mark.rule("PA2010 565.11(d)(1)")
@pytest.mark.rule("PA2010 565.11(d)(2)")
@pytest.mark.rule("PA2010 565.11(d)(3)")
async def test_three_card_poker_shows_all_collects_then_pays() -> None:
    """Seat 2 wins and seat 1 loses: both are shown, the loser is collected, the winner is paid."""
    players = {1: Scripted("a"), 2: Scripted("b")}
    result = await play(THREE, "2s 3h 7d Ah Ac 9s Kd Qs 4c", players)
    order = [(r.step, r.seat) for r in result.records if r.step in ("show", "settle")]
    assert order[:2] == [("show", 2), ("show", 1)]
    assert [seat for step, seat in order if step == "settle"] == [1, 1, 2, 2]


# -- the posted minimum of side bets -----------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "main", "side", "least_cents"),
    [
        pytest.param(
            FOUR, {"ante": 5}, "aces-up", 500, marks=pytest.mark.rule("PA2010 557.7(a)(2)")
        ),
        pytest.param(
            THREE, {"ante": 5}, "pair-plus", 500, marks=pytest.mark.rule("PA2010 565.7(a)(2)")
        ),
        pytest.param(HOLDEM, {"ante": 5}, "bonus", 100, marks=pytest.mark.rule("PA2010 563.7(c)")),
        (PA, {"ante": 5, "super-bonus": 5}, "queens-up", 500),
    ],
)
@pytest.mark.parametrize("more", [-1, 0, 1])
async def test_a_side_bet_has_a_minimum(
    rule: str, main: dict[str, int], side: str, least_cents: int, more: int
) -> None:
    """A cent below the posted minimum, or the dollar that the text names, is refused."""

    class ByTheCent(Scripted):
        def wagers(self, offer):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
            placed = super().wagers(offer)
            cents = {**placed.layout, side: (least_cents + more) * 10_000}
            return type(placed)(cents)

    result = await play(rule, players={1: ByTheCent(wagers=main)})
    assert (side in results(result)) is (more >= 0)


class Both(Scripted):
    """Places an Ante and a side bet to the cent."""

    def __init__(self, ante_cents: int, side_cents: int) -> None:
        super().__init__(wagers={"ante": 5})
        self.cents = {"ante": ante_cents, "aces-up": side_cents}

    def wagers(self, _: Offer) -> Wagers:
        """What was asked for, whatever is posted."""
        return Wagers({bet: cents * 10_000 for bet, cents in self.cents.items()})


@pytest.mark.parametrize("more", [-1, 0, 1])
async def test_a_wager_is_between_what_the_house_has_posted(more: int) -> None:
    """The Ante from $10 to $100 and Aces Up from $2 to $20: a cent outside is refused."""
    terms = terms_of(
        FOUR,
        minimum=10,
        maximum=100,
        wagers={"aces-up": WagerChoice(minimum_micros=2 * DOLLAR, maximum_micros=20 * DOLLAR)},
    )

    async def placed(ante: int, side: int) -> set[str]:
        result = await play(FOUR, players={1: Both(ante, side)}, terms=terms)
        return {outcome.bet for outcome in result.seats[1].outcomes} & {"ante", "aces-up"}

    both, ante_alone = {"ante", "aces-up"}, {"ante"}
    assert await placed(1_000 + more, 500) == (both if more >= 0 else set())
    assert await placed(10_000 + more, 500) == (both if more <= 0 else set())
    assert await placed(5_000, 200 + more) == (both if more >= 0 else ante_alone)
    assert await placed(5_000, 2_000 + more) == (both if more <= 0 else ante_alone)


@pytest.mark.rule("PA2010 563.7(c)")
@pytest.mark.parametrize(("cents", "lawful"), [(50, False), (99, False), (100, True), (500, True)])
def test_a_house_may_post_no_bonus_below_a_dollar(cents: int, lawful: bool) -> None:
    """The text names a $1 chip."""
    bonus = WagerChoice(minimum_micros=cents * 10_000)
    _, faults = compile_base(GAMES[HOLDEM].rule, BaseChoice(wagers={"bonus": bonus}))
    assert [(fault.key, fault.clause) for fault in faults] == [
        (("wagers", "bonus", "minimum"), "PA2010 563.7(c)")
    ] * (not lawful)


# -- a card that is seen while players decide --------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "clause"),
    [
        pytest.param(rule, clause, marks=pytest.mark.rule(clause))
        for rule, clause in (
            (PA, "PA 657a.13(d)"),
            (MA, "MA 12(d)"),
            (PA2011, "PA2011 573.13(d)"),
            (CARIBBEAN, "PA2010 555.14(a)"),
            (FOUR, "PA2010 557.13(d)"),
            (THREE, "PA2010 565.13(d)"),
            (HOLDEM, "PA2010 563.13(a)"),
            (PAI_GOW, "PA2010 561.14(e)"),
            (CRISS, "PA2014 592.13(d)"),
        )
    ],
)
@pytest.mark.parametrize("moment", [0, 1])
async def test_a_card_seen_while_players_decide_voids_the_round(
    rule: str, clause: str, moment: int
) -> None:
    """Before the first of two players has decided, and before the second has."""
    players = {1: Scripted("a"), 2: Scripted("b")}
    result = await play(rule, players=players, dealer=Clumsy(at=moment))
    assert result.void in ("DEALER_CARD_EXPOSED", "COMMUNITY_CARD_EXPOSED")
    assert clause in clauses(result, "irregularity")
    assert all(o.result == "returned" for seat in result.seats.values() for o in seat.outcomes)


@pytest.mark.rule("PA 657a.13(d)")
async def test_a_void_while_players_decide_returns_the_progressive_too() -> None:
    """The controller takes back what the round put on the meter."""
    link, bet = linked(PA)
    before = link.balances
    players = {1: Scripted("a", linked=(bet,))}
    result = await play(PA, players=players, progressive=link, dealer=Clumsy(at=0))
    assert result.void
    assert link.balances == before


@pytest.mark.parametrize(
    ("rule", "void"), [(PA, False), (HOLDEM, False), (FOUR, True), (THREE, True), (CARIBBEAN, True)]
)
async def test_between_the_last_decision_and_the_reveal_the_chapters_differ(
    rule: str, void: bool
) -> None:
    """657a.13(d) ends when all have decided; 557.13(d) and 565.13(d) when cards are revealed."""
    asked = len(GAMES[rule].script) - sum(1 for act in GAMES[rule].script if hasattr(act, "burn"))
    result = await play(rule, dealer=Clumsy(at=1 + asked))
    assert bool(result.void) is void
    assert clauses(result, "irregularity")


@pytest.mark.rule("PA2010 559.15(a)")
async def test_let_it_ride_has_no_clause_for_a_community_card_that_is_seen() -> None:
    """Reading 33: play goes on."""
    result = await play(RIDE, dealer=Clumsy(at=0))
    assert not result.void


# -- Hand Bonus and divided royals -------------------------------------------------------------


@pytest.mark.rule("PA 657a.11(f)(1)")
@pytest.mark.rule("PA 657a.11(f)(2)")
@pytest.mark.rule("PA 657a.11(f)(3)")
async def test_the_steps_of_a_hand_bonus_have_their_own_clauses() -> None:
    """A straight flush: hand, floorperson, and cards that stay until the form is complete."""
    bet = "five-card-hand-bonus"
    link = link_for(PA, bet, "only", magic_share_bps=0, lucky_share_bps=0)
    players = {1: Scripted("a", linked=(bet,))}
    result = await play(PA, "9s 8s 7s 6s 5s", players, progressive=link)
    assert clauses(result, "verify") == ["PA 657a.11(f)(1)"]
    assert clauses(result, "validate") == ["PA 657a.11(f)(2)"]
    assert clauses(result, "hold") == ["PA 657a.11(f)(3)"]
    assert clauses(result, "award") == ["PA 657a.11(f)(3)"]


@pytest.mark.rule("PA2010 555.13(f)")
async def test_royals_are_paid_when_the_first_of_them_is() -> None:
    """Seats 5 and 1 divide the meter at seat 5's turn, before seat 3's flush."""
    link, bet = linked(CARIBBEAN)
    players = {seat: Scripted(f"p{seat}", linked=(bet,)) for seat in (1, 3, 5)}
    cards = "As Ks Qs Js Ts 2h 5h 7h 9h Kh Ad Kd Qd Jd Td 3c 4c 4h 6d 8s"
    result = await play(CARIBBEAN, cards, players, progressive=link)
    paid = [(record.seat, record.step) for record in steps(result, "award")]
    assert [seat for seat, _ in paid] == [5, 1, 3]
    order = [(record.step, record.seat) for record in result.records]
    assert order.index(("award", 1)) < order.index(("settle", 3))  # its turn has not come yet
    shares = {award.seat: award.amount_micros for award in link.paid if award.kind == "share"}
    assert shares[5] == shares[1]


# -- what the text leaves open -----------------------------------------------------------------


@pytest.mark.rule("PA2014 592.12(b)")
@pytest.mark.parametrize(("chosen", "expected"), [("push", ("push", 0)), ("win", ("win", 500))])
async def test_a_pair_of_tens_is_what_the_house_filed(
    chosen: str, expected: tuple[str, int]
) -> None:
    """Both statements of the text are lawful; the antes have a table of their own."""
    terms = terms_of(CRISS, pair_of_tens=chosen)
    result = await play(CRISS, "2c Ts 3d 7h 9s Td Kc", terms=terms)
    assert results(result)["across"] == expected
    assert results(result)["ante-across"] == ("push", 0)


@pytest.mark.rule("PA2011 555.11(a)")
@pytest.mark.parametrize(("forfeits", "expected"), [(True, ("forfeit", 0)), (False, ("win", 500))])
async def test_a_fold_loses_the_caribbean_bonus_as_the_house_filed(
    forfeits: bool, expected: tuple[str, int]
) -> None:
    """A folded pair of tens: the Ante is lost in either case."""
    terms = terms_of(CARIBBEAN, wagers={"bonus": WagerChoice(fold_forfeits=forfeits)})
    player = Scripted(wagers={"ante": 5, "bonus": 5}, decisions={"bet": 0})
    result = await play(CARIBBEAN, "Ts Th 3d 7c 9s", {1: player}, terms=terms)
    assert results(result)["bonus"] == expected
    assert results(result)["ante"] == ("forfeit", 0)


@pytest.mark.rule("PA2010 557.11(c)")
@pytest.mark.parametrize(
    ("chosen", "times", "allowed"),
    [
        ("whole-multiples", 2, True),
        ("whole-multiples", Fraction(3, 2), False),
        ("any-amount", Fraction(3, 2), True),
        ("any-amount", Fraction(301, 100), False),
        ("any-amount", Fraction(99, 100), False),
    ],
)
async def test_a_play_wager_is_a_whole_multiple_or_any_amount(
    chosen: str, times: Fraction, allowed: bool
) -> None:
    """From one to three times the Ante, as the house filed it."""
    player = Scripted(decisions={"play": times})
    terms = terms_of(FOUR, play_amounts=chosen)
    if not allowed:
        with pytest.raises(DecisionError):
            await play(FOUR, players={1: player}, terms=terms)
        return
    result = await play(FOUR, players={1: player}, terms=terms)
    play_wager = next(o for o in result.seats[1].outcomes if o.bet == "play")
    assert play_wager.wager_micros == int(times * 5 * DOLLAR)


@pytest.mark.rule("PA2010 561.13(d)")
@pytest.mark.rule("PA2010 561.13(b)")
@pytest.mark.parametrize(
    ("way", "low"), [("by-kind", {"4c", "4d"}), ("highest-high", {"7s", "2c"})]
)
async def test_the_dealers_hands_are_set_in_the_way_that_was_filed(way: str, low: set[str]) -> None:
    """Two pairs: split between the hands, or both in the High hand; a player is told the same."""
    terms = terms_of(PAI_GOW, house_way=way, start="button")
    result = await play(PAI_GOW, "Ks Kd 4c 4d 9h 7s 2c Qs Qd 3c 3d Th 8s 2h", terms=terms)
    (shown,) = [record for record in steps(result, "reveal") if record.seat == 0]
    assert set(shown.cards[5:]) == low
    (told,) = steps(result, "set")
    assert set(told.cards[5:]) == ({"3c", "3d"} if way == "by-kind" else {"8s", "2h"})
