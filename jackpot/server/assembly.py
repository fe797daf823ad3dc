"""Put a controller together: a journal, the engine over it, and the services."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from jackpot.core.config import Site
from jackpot.engine import Engine
from jackpot.engine.commit_points import Faults, none
from jackpot.engine.witness import Witness
from jackpot.processor import SharedProcessor
from jackpot.rules.bad_beat import POKER
from jackpot.rules.hands import names
from jackpot.server.controller import Controller
from jackpot.sources import MACHINE, REPLAY_START_MS, Sources
from jackpot.store.journal import StoreError
from jackpot.store.opening import Address, is_postgres, journal_opener, open_to_read

if TYPE_CHECKING:
    from jackpot.auth.gate import Gate

WRITERS = 8  # at most; each has its share of the sites, and a connection of its own


def make_controller(
    site: Site,
    store: Address,
    gate: "Gate | None" = None,
    *more: Site,
    accept_lost_commits: bool = False,
    sources: Sources = MACHINE,
    faults: Faults = none,
    fronts: int | None = None,
    witness: Path | None = None,
    pins: Path | None = None,
) -> Controller:
    """A controller for one site or several on a store; call it in the loop."""
    fronts = usual_fronts() if fronts is None else fronts
    engine = Engine(
        journal_opener(store, accept_lost_commits=accept_lost_commits),
        names,
        sites=[site.id, *(each.id for each in more)],
        clock=sources.clock,
        entropy=sources.entropy,
        faults=faults,
        writers=min(WRITERS, 1 + len(more)) if is_postgres(store) else 1,
        poker=POKER,
        witness=Witness(witness) if witness else None,
        # Without fronts, gRPC's own threads are in this process too, and need the others.
        processor=SharedProcessor() if fronts else None,
    )
    return Controller(
        engine, site, gate, *more, request_id=sources.request_id, fronts=fronts, pins=pins
    )


def usual_fronts() -> int:
    """Two processes for the sockets, or one where the ledger would be left no processor."""
    return min(2, max(1, (os.cpu_count() or 1) - 1))


def replay_start_ms(data: Path, site: str) -> int:
    """A replay's own noon; where there is a journal already, a second after its last entry.

    Request ids would otherwise be those of the run before, and be given its answers.
    """
    try:
        journal = open_to_read(data)
    except StoreError:
        return REPLAY_START_MS
    try:
        head = journal.heads().get(site)
        last = journal.read(site, head.sequence - 1, 1) if head else []
    finally:
        journal.close()
    return max(REPLAY_START_MS, *(entry.time_micros // 1_000 + 1_000 for entry in last), 0)
