"""Count the wagers that feed each level, and notice more of them than its tables can make.

A table plays a round at a time, and each of its seats can make each bet of a link once a round. So
in a minute a link's tables can't make more wagers than their rounds have room for. More than that
is an unreasonable contribution: something feeds the level that no players have wagered.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from jackpot.core.state import Intake, Posted, State

if TYPE_CHECKING:
    from jackpot.core.config import Link

INTERVAL_S = 60
UNREASONABLE = "UNREASONABLE_CONTRIBUTION"
_INTERVAL_MICROS = INTERVAL_S * 1_000_000
_NONE = Intake()


def unreasonable(state: State, posted: Mapping[str, Posted], now_micros: int) -> tuple[str, ...]:
    """Alarms of levels that come to more wagers in an interval than their tables can make."""
    if not state.shortest_round_s:
        return ()
    found: tuple[str, ...] = ()
    for name, part in posted.items():
        link_id, _, level = name.partition("/")
        link = state.links[link_id]
        before = link.intake.get(level, _NONE)
        lately = before.lately if now_micros - before.since_micros < _INTERVAL_MICROS else 0
        # One wager from every seat is never too many.
        if lately + part.wagers > state.seats_on.get(link_id, 0):
            most = most_wagers(state, link.config)
            if lately <= most < lately + part.wagers:
                found = (*found, f"{UNREASONABLE} {name} {most}")
    return found


def most_wagers(state: State, link: "Link") -> int:
    """The wagers that a link's tables can make in an interval."""
    # Rounds that are so far apart and begin in the same interval.
    rounds = -(-INTERVAL_S // state.shortest_round_s)
    return rounds * state.seats_on.get(link.id, 0) * len(link.bets)


def take_in(state: State, posted: Mapping[str, Posted]) -> None:
    """Count the wagers of a posting."""
    links, now_micros = state.links, state.time_micros
    for name, part in posted.items():
        if wagers := part.wagers:
            link, _, level = name.partition("/")
            intake = links[link].intake
            before = intake.get(level, _NONE)
            if now_micros - before.since_micros < _INTERVAL_MICROS:
                since_micros, lately = before.since_micros, before.lately
            else:  # a new interval begins
                since_micros, lately = now_micros, 0
            intake[level] = Intake(before.wagers + wagers, since_micros, lately + wagers)


def give_back(state: State, before: Mapping[str, Posted], after: Mapping[str, Posted]) -> None:
    """Count void wagers no more; what came in lately has come in all the same."""
    for name, part in before.items():
        if void := part.wagers - (after[name].wagers if name in after else 0):
            link, _, level = name.partition("/")
            intake = state.links[link].intake
            intake[level] = replace(intake[level], wagers=intake[level].wagers - void)
