"""How often things happen at a table of a soak. Each is a chance a round, or a step."""

from typing import NamedTuple


class Habits(NamedTuple):
    """Chances; those of faults are zero unless the fault was asked for."""

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
    mismatch: float = 0.0
    doubles: float = 0.0  # at each step
    dawdles: float = 0.0  # at each step
    dawdle_s: float = 0.5
    hangs: float = 0.0  # a round
