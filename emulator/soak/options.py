"""Say what a soak is asked to do, and how often things happen at its tables."""

from typing import NamedTuple

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
    faults: frozenset[str] = frozenset()  # by name
    rigged: bool = False
    speed: float = 0.0  # times a real table's; 0: as fast as possible
    controllers: int = 1
    fronts: int | None = None  # of each controller; None: as many as `jackpot serve` starts
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


class Chances(NamedTuple):
    """A chance each round, or each step; those of faults are 0 unless the fault is asked for."""

    seat_taken: float = 0.95
    bets: float = 0.9  # of a seat, on each bet
    second_command: float = 0.3  # wagers come in two commands
    hurries: float = 0.7  # the lock-out leaves right behind the wagers
    two_boxes: float = 0.15
    from_account: float = 0.5  # an electronic wager, from a game account
    visits_cashier: float = 0.03
    withdraws: float = 0.02
    nonsense: float = 0.01  # a wager that can't be
    folds: float = 0.2
    leaves: float = 0.01
    talks: float = 0.005
    void_round: float = 0.01
    void_seat: float = 0.01
    oversteps: float = 0.2  # of the voids that only a floorperson may do: the table tries first
    rejects: float = 0.05  # of an award
    clumsy: float = 0.03  # staff who try what they may not
    later: float = 0.2  # an award that waits for some rounds
    resumes: float = 0.004  # a client that starts again, at each step
    late: float = 0.0
    late_percent: int = 0  # of players, at tables that play whole games
    device_fault_ppm: int = 0  # of each device fault, each time that it could happen
    mismatch: float = 0.0
    resends: float = 0.0  # a command is sent again, at each step
    pauses: float = 0.0  # at each step
    pause_s: float = 0.5
    hangs: float = 0.0  # a round
