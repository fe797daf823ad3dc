"""A trace reads like a dealer's calls, within 80 columns, each step with a clause that exists."""

import pytest

from jackpot.rules.clauses import verify_clause
from table_client.table.games.catalogue import GAMES
from table_client.table.players import SimulatedPlayer
from table_client.table.ports import Way
from table_client.table.round.play import Table
from table_client.table.trace import Record, Trace, lines
from tests.client.games.decks import PlainDeck, seeded_order
from tests.client.games.tables import Scripted, play


def test_a_line_has_number_text_cards_and_clause() -> None:
    """Cards are printed with their suits, the clause stands at the right edge."""
    record = Record(7, "deal", "Seat 1:", "PA 657a.10(b)", 1, ("As", "Td"))
    (line,) = lines([record])
    assert line == "   7 Seat 1: A♠ 10♦".ljust(67) + "PA 657a.10(b)"
    assert len(line) == 80


def test_long_text_and_several_clauses_take_more_lines() -> None:
    """Wrapped, never cut."""
    record = Record(12, "settle", "word " * 20, "PA 657a.11(d); PA 657a.12(c)")
    printed = list(lines([record]))
    assert len(printed) == 3
    assert " ".join(printed).count("word") == 20
    assert printed[0].endswith("PA 657a.11(d)")
    assert printed[1].endswith("PA 657a.12(c)")


def test_a_listener_hears_of_each_step_at_once() -> None:
    """In order, numbered from one."""
    heard: list[Record] = []
    trace = Trace(heard.append)
    trace.note("call", "No more bets.")
    assert [record.number for record in heard] == [1]
    trace.note("call", "Next.")
    assert heard == trace.records


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("way", Way)
async def test_every_game_is_traced_in_80_columns_with_a_clause_a_step(name: str, way: Way) -> None:
    """Six simulated players, three rounds, every way of dealing that the text has."""
    game = GAMES[name]
    if way not in game.plans:
        return
    joker = bool(game.rule.deal and game.rule.deal.joker)
    table = Table(game, PlainDeck(seeded_order("trace", joker=joker), way, counts=False))
    players = {seat: SimulatedPlayer(f"p{seat}", "trace") for seat in range(1, 7)}
    for _ in range(3):
        result = await table.play_round(players)
        assert not result.void
        assert max(map(len, lines(result.records))) <= 80
        for record in result.records:
            if game.settlement_known:
                assert record.clause, record
            for clause in filter(None, record.clause.split("; ")):
                verify_clause(clause)
        held = [card for seat in result.seats.values() for card in seat.cards]
        assert len(set(held)) == len(held)


async def test_money_in_equals_money_out() -> None:
    """What seats win and lose is what their wagers won and lost, bet by bet."""
    players = {seat: Scripted(f"p{seat}") for seat in range(1, 7)}
    result = await play("pa-crazy-4-poker", players=players)
    for seat in result.seats.values():
        lost = sum(o.wager_micros for o in seat.outcomes if o.result in ("lose", "forfeit"))
        won = sum(o.won_micros for o in seat.outcomes)
        assert seat.net_micros == won - lost
