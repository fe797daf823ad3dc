"""What a soak is asked to do."""

from typing import NamedTuple

from emulator.soak.faults import Fault

ROUND_S = 60.0  # what a round takes at a real table
EVERY_S = 8.0  # between two things done to controllers or connections
# What a sign may lag behind the journal. In a quiet house it is right within a second; this leaves
# room for a machine whose few cores are shared by all controllers and the soak itself.
SIGN_LIMIT_S = 5.0


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
    sign_limit_s: float = SIGN_LIMIT_S
    command: tuple[str, ...] = ()  # what to run instead of `jackpot`

    def plays_whole_games(self, place: int) -> bool:
        """Whether the table at this place does, card by card."""
        return bool(self.whole_games) and place % self.whole_games == self.whole_games - 1

    def pause_s(self, steps: int) -> float:
        """How long to wait at each of so many steps of a round, for its pace."""
        return ROUND_S / steps / self.speed if self.speed else 0.0
