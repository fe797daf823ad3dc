"""What a soak is asked to do."""

from typing import NamedTuple

from emulator.soak.faults import Fault

EVERY_S = 8.0  # between two things done to controllers or connections


class Options(NamedTuple):
    """A run. It ends after so many rounds or wagers, a duration, or a hit."""

    tables: int = 10
    rounds: int = 0  # at each table
    wagers: int = 0  # accepted, at all tables
    duration_s: float = 0.0
    until_hit: str = ""  # a level, "mega/major"
    seed: str = "1"
    faults: frozenset[Fault] = frozenset()
    rigged: bool = False
    speed: float = 0.0  # times a real table's; 0: as fast as possible
    controllers: int = 1
    store: str = ""  # a PostgreSQL address, empty database; else SQLite in the run's folder
    whole_games: int = 4  # every so-many-th table plays whole games; 0: none
    every_s: float = EVERY_S
    command: tuple[str, ...] = ()  # what to run instead of `jackpot`
