"""Add up a gaming day: each level's pools by cause, what was paid, what tables' wagers gave."""

from msgspec import Struct, field

from jackpot.core import ledger
from jackpot.core.events import AnyEvent
from jackpot.core.events.table import CollectionConfirmed, PotContributed, RoundLocked
from jackpot.core.state import LinkState, State
from jackpot.reports.movements import POOLS, Cause, Movement, Pool


class PoolTotals(Struct):
    """A pool's money: what it held, what came and went, what it holds."""

    opening_micros: int = 0
    moved_micros: dict[Cause, int] = field(default_factory=dict)
    closing_micros: int = 0

    def add(self, cause: Cause, micros: int) -> None:
        """Count a movement."""
        self.moved_micros[cause] = self.moved_micros.get(cause, 0) + micros
        self.closing_micros += micros


class LevelTotals(Struct):
    """A level's pools, and how often a percentage of its meter was won."""

    level: str  # "link/level"
    pools: dict[Pool, PoolTotals] = field(
        default_factory=lambda: {pool: PoolTotals() for pool in POOLS}
    )
    hits: int = 0
    wagers: int = 0  # that fed it, without void ones


class PaidTotals(Struct):
    """What was paid and by whom, of a level or, where no meter bears it, of a link."""

    level: str
    system_micros: int = 0  # credited to a game account
    attendants_micros: int = 0  # from a table's inventory, or by the cage
    together_micros: int = 0


class TableTotals(Struct):
    """What a table's wagers, or its pots, came to on one link."""

    table: str
    link: str
    wagered_micros: int = 0
    meter_micros: int = 0
    reserve_micros: int = 0
    overflow_micros: int = 0
    retained_micros: int = 0
    boxed_micros: int = 0  # from pots, into a Bad Beat box


def _wagers(link: LinkState, level: str) -> int:
    return link.intake[level].wagers if level in link.intake else 0


class Totals:
    """Adds up whatever it is told."""

    def __init__(self) -> None:
        self.levels: dict[str, LevelTotals] = {}
        self.paid: dict[str, PaidTotals] = {}
        self.tables: dict[tuple[str, str], TableTotals] = {}

    def open(self, state: State) -> None:
        """Begin with the money that is there."""
        for link in state.links.values():
            for level in link.config.levels:
                name = ledger.key(link.config.id, level.id)
                self.level(name).wagers = -_wagers(link, level.id)
                for pool, totals in self.level(name).pools.items():
                    balance = state.balances.get(f"{name}/{pool}", 0)
                    totals.opening_micros = totals.closing_micros = balance

    def close(self, state: State) -> None:
        """Count the wagers that there have been since it was opened."""
        for link in state.links.values():
            for level in link.config.levels:
                self.level(ledger.key(link.config.id, level.id)).wagers += _wagers(link, level.id)

    def level(self, name: str) -> LevelTotals:
        """A level's totals."""
        return self.levels.setdefault(name, LevelTotals(name))

    def move(self, movement: Movement) -> None:
        """Count a movement."""
        self.level(movement.level).pools[movement.pool].add(movement.cause, movement.micros)

    def pay(self, level: str, source: str, micros: int) -> None:
        """Count a payment."""
        paid = self.paid.setdefault(level, PaidTotals(level))
        if source == "account":
            paid.system_micros += micros
        else:
            paid.attendants_micros += micros
        paid.together_micros += micros

    def contribute(self, event: AnyEvent) -> None:
        """Count what a table's wagers or pots gave."""
        match event:
            case RoundLocked() | CollectionConfirmed():
                for account, micros in event.postings:
                    link, _, rest = account.partition("/")
                    self._wager(self._table(event.table, link), rest, micros)
            case PotContributed():
                self._table(event.table, event.link).boxed_micros += event.amount_micros

    def _table(self, table: str, link: str) -> TableTotals:
        return self.tables.setdefault((table, link), TableTotals(table, link))

    @staticmethod
    def _wager(totals: TableTotals, account: str, micros: int) -> None:
        name = account.rpartition("/")[2]
        if name == "players":
            totals.wagered_micros -= micros
        elif name == "retained" or name in POOLS:
            field_name = f"{name}_micros"
            setattr(totals, field_name, getattr(totals, field_name) + micros)
