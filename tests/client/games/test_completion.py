"""How rounds end in every chapter: cards examined, shown, awarded, and put away in order."""

import pytest

from jackpot.rules.compile_link import LevelChoice
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
    CoreLink,
    Scripted,
    clauses,
    link_for,
    pile,
    play,
    reconstructed,
    results,
    steps,
    terms_of,
)

FOUR_BET = {
    PA: "four-card-progressive",
    MA: "four-card-progressive",
    PA2011: "progressive",
}
ACES = "As Ah Ad Ac 2s "
NINES = "9s 9h 9d 9c 3s "
OTHER = "4h 7h 6c 8d Td "
DEALER = "Kd Jd 8c 5h 3h"


def aces_link(rule: str) -> CoreLink:
    """A Four-Card Progressive, paytable A, seeded with $5,000."""
    level = LevelChoice(5_000 * DOLLAR, 5_000 * DOLLAR, 2_900)
    levels = {} if rule == PA else {"main": level}
    return link_for(rule, FOUR_BET[rule], "A", levels=levels)


@pytest.mark.parametrize(
    ("rule", "at"),
    [
        pytest.param(rule, at, marks=[pytest.mark.rule(f"{at}({n})") for n in range(1, 5)])
        for rule, at in ((PA, "PA 657a.11(e)"), (MA, "MA 10(e)"), (PA2011, "PA2011 573.11(e)"))
    ],
)
@pytest.mark.rule("MA 10(e)")
@pytest.mark.rule("PA2011 573.11(e)")
async def test_four_aces_are_checked_validated_held_and_paid(rule: str, at: str) -> None:
    """A winning hand, a lit lamp, a floorperson, and the cage before the cards go."""
    link, bet = aces_link(rule), FOUR_BET[rule]
    result = await play(rule, ACES + DEALER, {1: Scripted(linked=(bet,))}, progressive=link)
    told = [
        (r.step, r.clause)
        for r in result.records
        if r.step in ("verify", "validate", "hold", "award")
    ]
    assert told == [
        ("verify", f"{at}(1)"),
        ("verify", f"{at}(2)"),
        ("validate", f"{at}(3)"),
        ("hold", f"{at}(4)"),
        ("award", f"{at}(4)"),
    ]
    assert [award.amount_micros for award in link.paid] == [5_000_290_000]
    assert link.meter() == 5_000 * DOLLAR


@pytest.mark.parametrize(
    ("rule", "fold", "envy"),
    [
        pytest.param(
            PA,
            "PA 657a.11(b)(2)",
            "PA 657a.11(e)(5)",
            marks=[pytest.mark.rule("PA 657a.11(e)(5)(i)"), pytest.mark.rule("PA 657a.11(b)(2)")],
        ),
        pytest.param(
            MA,
            "MA 10(b)(2)",
            "MA 10(e)(5)",
            marks=[
                pytest.mark.rule("MA 10(b)(2)"),
                pytest.mark.rule("MA 10(e)(5)"),
                pytest.mark.rule("MA 10(e)(5)(i)"),
            ],
        ),
        pytest.param(
            PA2011,
            "PA2011 573.11(b)(2)",
            "PA2011 573.11(e)(5)",
            marks=[
                pytest.mark.rule("PA2011 573.11(b)(2)"),
                pytest.mark.rule("PA2011 573.11(e)(5)"),
            ],
        ),
    ],
)
async def test_envy_bonuses_of_two_hands_and_a_fold(rule: str, fold: str, envy: str) -> None:
    """Seat 3 folds and gets $100 and $10; the holders get each other's, never their own."""
    link, bet = aces_link(rule), FOUR_BET[rule]
    players = {
        1: Scripted("a", linked=(bet,)),
        2: Scripted("b", linked=(bet,)),
        3: Scripted("c", decisions={"play": 0}, linked=(bet,)),
    }
    result = await play(rule, ACES + NINES + OTHER + DEALER, players, progressive=link)
    received = {
        seat: sorted(a.amount_micros // DOLLAR for a in each.awards if a.kind == "envy")
        for seat, each in result.seats.items()
    }
    assert received == {1: [10], 2: [100], 3: [10, 100]}
    assert {r.clause for r in steps(result, "award") if "(envy)" in r.says} == {envy}
    rule_of_bet = link.link.bets[0]
    assert rule_of_bet.fold_keeps_envy
    assert rule_of_bet.fold_forfeits, fold


@pytest.mark.rule("MA 10(f)")
@pytest.mark.rule("MA 10(f)(1)")
@pytest.mark.rule("MA 10(f)(2)")
@pytest.mark.rule("MA 10(f)(3)")
@pytest.mark.rule("PA 657a.11(f)(1)")
@pytest.mark.rule("PA 657a.11(f)(2)")
@pytest.mark.parametrize("rule", [PA, MA])
@pytest.mark.parametrize(
    ("hand", "paid", "validated"),
    [("9s 9h 9d 9c 3s ", 500, True), ("9s 9h 9d 3c 3s ", 100, False)],
)
async def test_a_hand_bonus_needs_a_floorperson_from_500_for_1(
    rule: str, hand: str, paid: int, validated: bool
) -> None:
    """Four of a kind does, a full house does not; both go to the game account."""
    bet = "five-card-hand-bonus"
    level = LevelChoice(10_000 * DOLLAR, 10_000 * DOLLAR, 1_300)
    choice = {} if rule == PA else {"levels": {"main": level}}
    link = link_for(rule, bet, "only", magic_share_bps=0, lucky_share_bps=0, **choice)
    result = await play(
        rule, hand + DEALER.replace("3h", "2h"), {1: Scripted(linked=(bet,))}, progressive=link
    )
    assert [(a.amount_micros // DOLLAR, a.source) for a in link.paid] == [(paid, "account")]
    assert bool(steps(result, "validate")) is validated


RECONSTRUCTED = [
    (PA, "PA 657a.11(h)"),
    (MA, "MA 10(g)"),
    (PA2011, "PA2011 573.11(f)"),
    (CARIBBEAN, "PA2011 555.11(g)"),
    (RIDE, "PA2010 559.13(f)(4)"),
    (CRISS, "PA2014 592.11(i)"),
    (FOUR, "PA2010 557.11(g)"),
    (THREE, "PA2010 565.11(e)"),
    (HOLDEM, "PA2010 563.11(i)"),
    (PAI_GOW, "PA2010 561.13(n)"),
]


@pytest.mark.parametrize(
    ("rule", "clause"),
    [pytest.param(*case, marks=pytest.mark.rule(case[1])) for case in RECONSTRUCTED],
)
async def test_every_hand_can_be_reconstructed(rule: str, clause: str) -> None:
    """Players', the dealer's and community cards, read off the pile again."""
    players = {seat: Scripted(f"p{seat}") for seat in (1, 3, 4)}
    result = await play(rule, players=players)
    again = reconstructed(result)
    assert {seat: again[f"seat {seat}"] for seat in players} == {
        seat: each.cards for seat, each in result.seats.items()
    }
    assert again.get("dealer", ()) == result.dealer
    assert again.get("community", ()) == result.community
    assert len(set(pile(result))) == len(pile(result))
    assert clauses(result, "discard")[-1] == clause


EXAMINED = [
    (PA, "PA 657a.11(a)"),
    (MA, "MA 10(a)"),
    (PA2011, "PA2011 573.11(a)"),
    (CARIBBEAN, "PA2011 555.11(a)"),
    (RIDE, "PA2010 559.13(a)"),
    (CRISS, "PA2014 592.11(a)"),
    (FOUR, "PA2010 557.11(a)"),
    (THREE, "PA2010 565.11(a)"),
    (HOLDEM, "PA2010 563.11(a)"),
    (PAI_GOW, "PA2010 561.13(a)"),
]


@pytest.mark.parametrize(
    ("rule", "clause"),
    [pytest.param(*case, marks=pytest.mark.rule(case[1])) for case in EXAMINED],
)
async def test_players_see_their_own_cards_and_what_is_face_up(rule: str, clause: str) -> None:
    """After the deal each is asked with its own cards before it, and never another's."""
    players = {1: Scripted("a"), 2: Scripted("b")}
    result = await play(rule, players=players)
    assert clauses(result, "examine") == [clause]
    order = [record.step for record in result.records]
    assert order.index("deal") < order.index("examine")
    for seat, player in players.items():
        assert all(view.own == result.seats[seat].cards for _, view in player.asked)
        hidden = set(result.dealer) - {c for _, view in player.asked for c in view.dealer}
        assert len(hidden) >= len(result.dealer) - 1


REVEALED = [
    (PA, "PA 657a.11(c)"),
    (MA, "MA 10(c)"),
    (PA2011, "PA2011 573.11(c)"),
    (CARIBBEAN, "PA2011 555.11(d)"),
    (FOUR, "PA2010 557.11(e)"),
    (THREE, "PA2010 565.11(c)"),
    (HOLDEM, "PA2010 563.11(g)"),
    (PAI_GOW, "PA2010 561.13(c)"),
]


@pytest.mark.parametrize(
    ("rule", "clause"),
    [pytest.param(*case, marks=pytest.mark.rule(case[1])) for case in REVEALED],
)
async def test_the_dealer_reveals_after_all_have_decided(rule: str, clause: str) -> None:
    """The last decision comes before the dealer's cards, these before any player's."""
    result = await play(rule, players={1: Scripted("a"), 2: Scripted("b")})
    assert clauses(result, "reveal")[0] == clause
    order = [record.step for record in result.records]
    decided = max(place for place, step in enumerate(order) if step in ("decide", "set"))
    assert decided < order.index("reveal") < order.index("settle")


SHOWN = [
    (PA, "PA 657a.11(c)(1)"),
    (MA, "MA 10(c)(1)"),
    (PA2011, "PA2011 573.11(c)(1)"),
    (CARIBBEAN, "PA2011 555.11(e)"),
    (RIDE, "PA2010 559.13(f)(1)"),
    (CRISS, "PA2014 592.11(g)"),
    (FOUR, "PA2010 557.11(e)"),
    (THREE, "PA2010 565.11(d)(1)"),
    (HOLDEM, "PA2010 563.11(h)"),
    (PAI_GOW, "PA2010 561.13(f)"),
]


@pytest.mark.parametrize(
    ("rule", "clause"),
    [pytest.param(*case, marks=pytest.mark.rule(case[1])) for case in SHOWN],
)
async def test_hands_are_shown_from_the_dealers_right(rule: str, clause: str) -> None:
    """Seats 5, 3, 1, against a dealer who qualifies."""
    players = {seat: Scripted(f"p{seat}") for seat in (1, 3, 5)}
    result = await play(rule, players=players)
    shown = steps(result, "show")
    assert [record.seat for record in shown] == [5, 3, 1]
    assert {record.clause for record in shown} == {clause}


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param(PA, marks=pytest.mark.rule("PA 657a.11(c)(2)")),
        pytest.param(MA, marks=pytest.mark.rule("MA 10(c)(2)")),
        pytest.param(PA2011, marks=pytest.mark.rule("PA2011 573.11(c)(2)")),
    ],
)
async def test_the_best_four_of_five_cards_play(rule: str) -> None:
    """Four spades among five cards are a flush: the fifth card, a heart, does no harm."""
    result = await play(rule, "Ks 9s 7s 6s Ah Kd Kc 8c 5h 3h")
    assert results(result)["ante"] == ("win", 500)
    assert result.seats[1].outcomes[0].hand == "flush"


@pytest.mark.rule("PA2010 561.13(i)")
@pytest.mark.rule("PA2010 561.13(j)")
async def test_a_pai_gow_tie_is_returned_and_its_cards_collected() -> None:
    """Kings over queens, but ace-ten under ace-jack: neither won nor lost."""
    dealer, player = "Qh Qs 9c 5d 4h Ad Jh", "Kc Kd 8h 6c 3d Ac Td"
    terms = terms_of(PAI_GOW, start="button")  # at the dealer in the first round
    result = await play(PAI_GOW, f"{dealer} {player}", terms=terms)
    assert results(result) == {"pai-gow": ("push", 0)}
    assert result.seats[1].net_micros == 0
    assert reconstructed(result)["seat 1"] == result.seats[1].cards
