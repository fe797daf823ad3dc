"""The latest meters of every link: what signs and tables show.

A watcher gets the latest value, never a queue: one that is slow skips what lies between. All
levels of a link come in one frame at one sequence, with a count of hits, so that skipping can't
hide one. A frame is a value; it is published after the commit that made it.
"""

import asyncio
from collections.abc import Iterable
from functools import lru_cache

from msgspec import Struct

from jackpot.core import ledger
from jackpot.core.config import Link
from jackpot.core.events import AnyEvent, Probed, Refused, SnapshotTaken
from jackpot.core.events.operator import (
    AccountMoved,
    CallDeclined,
    DualControlSet,
    MetersRead,
    ProposalDeclined,
    Proposed,
)
from jackpot.core.events.table import (
    CallWithdrawn,
    CollectionConfirmed,
    DeckPlaced,
    DeckRemoved,
    FloorCalled,
    PotContributed,
    RoundLocked,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    TableAttached,
    WagerRemoved,
    WagersPlaced,
    WagersWithdrawn,
)
from jackpot.core.money import frozen_at
from jackpot.core.state import Hit, LinkState, LinkStatus, State
from jackpot.engine.messages import ByKind

# Most events move no meter; after a batch of nothing but these there is nothing to compare.
_QUIET: frozenset[type] = frozenset(
    {
        WagersPlaced,
        RoundOpened,
        WagersWithdrawn,
        WagerRemoved,
        Refused,
        TableAttached,
        SnapshotTaken,
        Probed,
        Proposed,
        ProposalDeclined,
        AccountMoved,
        PotContributed,
        DeckPlaced,
        DeckRemoved,
        FloorCalled,
        CallWithdrawn,
        CallDeclined,
        DualControlSet,
        MetersRead,
    }
)


# These change meters a little, by wagers; a settlement or a void does more where somebody won.
_BY_WAGERS: frozenset[type] = frozenset({RoundLocked, CollectionConfirmed})


class LevelMeter(Struct, frozen=True):
    """One level's money."""

    level: str
    meter_micros: int
    reserve_micros: int
    overflow_micros: int
    frozen_micros: int = 0  # what a sign shows that can't show the meter; 0: it can


class MeterFrame(Struct, frozen=True):
    """A link as it stood after `sequence`, and has stood since."""

    site: str
    link: str
    title: str
    wager_micros: int
    sequence: int
    time_micros: int
    status: LinkStatus
    hit_count: int
    levels: tuple[LevelMeter, ...]
    hits: tuple[Hit, ...]  # of this link, as far as the site's recent ones go
    pending_adjustment: bool = False  # a Bad Beat is due and the display not yet set right
    incarnation: str = ""  # of the journal
    terms_sequence: int = 0  # of the last change by hand: limits and rates may differ since


def moves_meters(event: AnyEvent) -> bool:
    """Whether an event can change what a frame shows."""
    return type(event) not in _QUIET


def shows_at_once(events: ByKind) -> bool:
    """Whether more has happened to meters than wagers: a hit, one taken back, a change by hand."""
    for kind, committed in events.items():
        if kind in _QUIET or kind in _BY_WAGERS:
            continue
        if not all(_is_by_wagers(each.event) for _, each in committed):
            return True
    return False


def _is_by_wagers(event: AnyEvent) -> bool:
    if isinstance(event, RoundSettled):
        return not any(payout.share_bps for payout in event.payouts)
    return isinstance(event, RoundVoided) and not event.changes


def frame_of(state: State, link: LinkState) -> MeterFrame:
    """A link's frame at the state's sequence."""
    config = link.config
    return MeterFrame(
        site=state.site,
        link=config.id,
        title=config.title,
        wager_micros=config.wager_micros,
        sequence=state.sequence,
        time_micros=state.time_micros,
        status=link.status,
        hit_count=link.hit_count,
        levels=tuple([_level(state, *names) for names in _named(config)]),
        hits=tuple([hit for hit in state.hits if hit.link == config.id]),
        pending_adjustment=link.pending_adjustment,
        incarnation=state.incarnation.id,
        terms_sequence=_changed_at(state, config),
    )


def _level(state: State, level: str, meter: str, reserve: str, overflow: str) -> LevelMeter:
    balance = state.balances.get
    amount = balance(meter, 0)
    frozen = frozen_at(amount, state.sign_digits)
    return LevelMeter(level, amount, balance(reserve, 0), balance(overflow, 0), frozen)


def _changed_at(state: State, link: Link) -> int:
    changed = state.last_change.get
    return max((changed(ledger.key(link.id, level.id), 0) for level in link.levels), default=0)


class FrameMaker:
    """Makes the frames that differ from those made before. Lives in the writer's thread."""

    def __init__(self) -> None:
        self._shown: dict[tuple[str, str], tuple[object, ...]] = {}

    def changed(self, state: State) -> list[MeterFrame]:
        """Frames of the links that show anything but what they showed."""
        frames = []
        for link in state.links.values():
            key, face = (state.site, link.config.id), _face(state, link)
            if self._shown.get(key) != face:
                self._shown[key] = face
                frames.append(frame_of(state, link))
        return frames


def _face(state: State, link: LinkState) -> tuple[object, ...]:
    """All that a frame shows, but for where and when: every entry has another of those."""
    config, balance = link.config, state.balances.get
    return (
        config.title,
        config.wager_micros,
        link.status,
        link.hit_count,
        link.pending_adjustment,
        [(level, [balance(account, 0) for account in names]) for level, *names in _named(config)],
        [hit for hit in state.hits if hit.link == config.id],
        state.incarnation.id,
        state.sign_digits,
        _changed_at(state, config),
    )


@lru_cache(maxsize=1_024)
def _named(link: Link) -> tuple[tuple[str, str, str, str], ...]:
    """The levels of a link, and the accounts that a frame shows of each."""
    keys = [(level.id, ledger.key(link.id, level.id)) for level in link.levels]
    return tuple(
        (level, ledger.meter(key), ledger.reserve(key), ledger.overflow(key)) for level, key in keys
    )


class MeterBoard:
    """The latest frame of every link. Lives in the loop's thread."""

    def __init__(self) -> None:
        self.version = 0
        self._frames: dict[tuple[str, str], tuple[int, MeterFrame]] = {}
        self._turned = asyncio.Event()

    def publish(self, frames: Iterable[MeterFrame]) -> None:
        """Show newer frames and wake whoever waits for them."""
        self.version += 1
        for frame in frames:
            self._frames[frame.site, frame.link] = (self.version, frame)
        turned, self._turned = self._turned, asyncio.Event()
        turned.set()

    def frames(self, since_version: int = 0) -> list[MeterFrame]:
        """The latest frames of the links that changed after a version."""
        return [frame for version, frame in self._frames.values() if version > since_version]

    def frame(self, site: str, link: str) -> MeterFrame | None:
        """A link's latest frame."""
        found = self._frames.get((site, link))
        return found[1] if found else None

    async def changed(self, since_version: int) -> int:
        """Wait until something is newer than a version; the version that is shown then."""
        while self.version <= since_version:
            await self._turned.wait()
        return self.version
