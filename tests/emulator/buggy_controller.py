"""`jackpot` with a bug of choice, to see whether a soak finds it: `buggy_controller.py BUG ...`."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from jackpot.cli.main import main
from jackpot.core import awards, claims, placing, rounds, settle
from jackpot.core.reasons import Reason
from jackpot.core.state import Claim, Phase, Pools, State, TableState
from jackpot.engine.meter_board import FrameMaker, MeterBoard, MeterFrame
from jackpot.engine.replica import Replica
from jackpot.server.errors import refused
from jackpot.server.meter_service import MeterService
from jackpot.server.operator_service import OperatorService
from jackpot.server.table_service import TableService

true_refill, true_claims, true_in_phase = awards.refill, claims.claims, rounds.in_phase
true_pools_of, true_frames = settle.pools_of, MeterBoard.frames
true_add, true_changed = Replica.add, FrameMaker.changed


def drops_a_residue() -> None:
    """What is below a cent goes to the house instead of staying on the meter."""

    def refill(left: Pools) -> tuple[Pools, int]:
        after, house = true_refill(replace(left, meter_micros=0))
        return after, house - left.meter_micros

    awards.refill = refill


def pays_twice() -> None:
    """Whoever wins a share of a meter is awarded it once more."""

    def twice(*arguments: Any) -> list[Claim]:
        found = true_claims(*arguments)
        return [again for claim in found for again in [claim] * (2 if claim.share_bps else 1)]

    setattr(settle, "claims", twice)  # noqa: B010 - a name that it does not export


def forgets_a_reserve() -> None:
    """A meter that was won starts again without its reserve."""

    def refill(left: Pools) -> tuple[Pools, int]:
        after, house = true_refill(replace(left, reserve_micros=0))
        return replace(after, reserve_micros=left.reserve_micros), house

    awards.refill = refill


def posts_a_late_wager() -> None:
    """A wager is accepted while the chips are being counted."""

    def in_phase(table: TableState, phase: Phase) -> Any:
        late = phase == "open" and table.round is not None and table.round.phase == "locked"
        return table.round if late else true_in_phase(table, phase)

    rounds.in_phase = in_phase
    setattr(placing, "in_phase", in_phase)  # noqa: B010 - a name that it does not export


def reseeds_by_the_seed() -> None:
    """After 100% a meter gets the first seed again."""

    def pools_of(state: Any, book: Any, link: str, level: str) -> Pools:
        config = next(lv for lv in state.links[link].config.levels if lv.id == level)
        pools = true_pools_of(state, book, link, level)
        return replace(pools, reseed_micros=config.seed_micros)

    settle.pools_of = pools_of


def _serves(service: Any, rpc: str, wrap: Callable[[Any], Any]) -> None:
    """Put something else in the place of an RPC."""
    true_rpcs = service.rpcs

    def rpcs(served: Any) -> dict[str, Any]:
        found = true_rpcs(served)
        return {**found, rpc: wrap(found[rpc])}

    service.rpcs = rpcs


def _tells(rpc: str, change: Callable[[Any], None]) -> None:
    """Change what somebody who looks is told."""

    def wrap(true_answer: Any) -> Any:
        async def told(*arguments: Any) -> Any:
            answer: Any = await true_answer(*arguments)
            change(answer)
            return answer

        return told

    _serves(OperatorService, rpc, wrap)


def leaves_out_a_link() -> None:
    """The accounts of one link are never told."""
    _tells("ListLinks", lambda answer: answer.links.pop())


def tells_of_the_past() -> None:
    """The accounts are always those of the first entry."""
    _tells("ListLinks", lambda answer: answer.MergeFrom(type(answer)(sequence=1)))


def keeps_a_micro() -> None:
    """Whoever asks for a game account is told a micro less than there is."""

    def less(answer: Any) -> None:
        answer.balance_micros -= 1

    _tells("GetAccount", less)


def shows_no_sign() -> None:
    """Nobody who watches the meters is ever sent any."""

    async def watch(*_: Any) -> None:
        raise refused(Reason.OVERLOADED)

    setattr(MeterService, "_watch", watch)  # noqa: B010 - as above


def freezes_signs() -> None:
    """Whoever watches the meters is sent them as they are, and never again."""

    def frames(board: MeterBoard, since_version: int = 0) -> list[MeterFrame]:
        return [] if since_version else true_frames(board)

    setattr(MeterBoard, "frames", frames)  # noqa: B010 - as above


def shows_only_its_own() -> None:
    """What it caught up with is never published: only links that its own events move are."""
    own: set[str] = set()

    def add(replica: Replica, origin: Any, event: Any, *rest: Any) -> int:
        own.update(account.partition("/")[0] for account, _ in getattr(event, "postings", ()))
        return true_add(replica, origin, event, *rest)

    def changed(maker: FrameMaker, state: State) -> list[MeterFrame]:
        shown = {link for _, link in maker._shown}
        links = {n: link for n, link in state.links.items() if n in own or n not in shown}
        own.clear()
        return true_changed(maker, replace(state, links=links))

    setattr(Replica, "add", add)  # noqa: B010 - as above
    setattr(FrameMaker, "changed", changed)  # noqa: B010 - as above


def turns_tables_away() -> None:
    """No table can attach, ever."""

    async def attach(*_: Any) -> None:
        raise refused(Reason.OVERLOADED)

    _serves(TableService, "Attach", lambda _: attach)


def forgets_nothing() -> None:
    """Everybody who asks for all accounts costs it memory for good."""
    kept: list[bytes] = []
    _tells("ListLinks", lambda _: kept.append(b"x" * 60_000_000))


def starts_only_once() -> None:
    """Where it has kept a journal before, it ends at once."""
    if Path(sys.argv[sys.argv.index("--store") + 1], "journal.sqlite").exists():
        raise SystemExit("Error: not again")


BUGS: dict[str, Callable[[], None]] = {
    bug.__name__.replace("_", "-"): bug
    for bug in (
        drops_a_residue,
        pays_twice,
        forgets_a_reserve,
        posts_a_late_wager,
        reseeds_by_the_seed,
    )
}

# Their money is right, but they keep it from being looked at, or don't last.
OTHERS: dict[str, Callable[[], None]] = {
    bug.__name__.replace("_", "-"): bug
    for bug in (
        leaves_out_a_link,
        tells_of_the_past,
        keeps_a_micro,
        shows_no_sign,
        freezes_signs,
        shows_only_its_own,
        turns_tables_away,
        forgets_nothing,
        starts_only_once,
    )
}

if __name__ == "__main__":
    bug = sys.argv.pop(1)
    # "second:" before it: of several controllers of a site, the one that was started first is well.
    first = Path(sys.argv[sys.argv.index("--site") + 1]).with_name("first")
    if not bug.startswith("second:") or first.exists():
        (BUGS | OTHERS)[bug.removeprefix("second:")]()
    first.touch()
    main()
