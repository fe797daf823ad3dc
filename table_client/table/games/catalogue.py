"""Every game by its name."""

from collections.abc import Mapping
from types import MappingProxyType

from table_client.table.games import (
    caribbean_stud,
    crazy_4,
    criss_cross,
    four_card,
    holdem_bonus,
    let_it_ride,
    pai_gow,
    three_card,
    ultimate_holdem,
)
from table_client.table.games.model import Game

GAMES: Mapping[str, Game] = MappingProxyType(
    {
        game.name: game
        for game in (
            crazy_4.PENNSYLVANIA,
            crazy_4.MASSACHUSETTS,
            crazy_4.PENNSYLVANIA_2011,
            caribbean_stud.GAME,
            let_it_ride.GAME,
            criss_cross.GAME,
            four_card.GAME,
            three_card.GAME,
            holdem_bonus.GAME,
            ultimate_holdem.GAME,
            pai_gow.GAME,
        )
    }
)
