"""How much is measured: lengths and numbers of runs, and what a load on a stream is told."""

import msgspec

from emulator.bench.load import Job
from emulator.bench.processes import Server

WINDOWS = {1: 24, 8: 16, 64: 16, 512: 2}  # messages unanswered at each table
MOST_UNANSWERED = 24  # messages; some hold two commands, and a stream may have 32


class Plan(msgspec.Struct):
    """How long everything takes."""

    runs: int = 5
    messages: int = 16_000  # a run, on the streaming servers
    calls: int = 1_500  # a run, on the others
    seconds: float = 6.0  # a run at a fixed load: one pause of the machine is not a hundredth of it
    lengths: tuple[int, ...] = (10_000, 100_000, 1_000_000)

    def stream(self, server: Server, tables: int, rate: float = 0.0, share: float = 1.0) -> Job:
        """A load of messages on streams, or of a share of them; with a rate, by the clock."""
        count = max(int(self.messages * share), 20 * tables)
        if rate:
            count = max(tables, int(rate * self.seconds))
        return Job(
            "stream",
            server.address,
            tables,
            count,
            window=MOST_UNANSWERED if rate else WINDOWS.get(tables, 4),
            attach=server.role == "controller",
            one_reply_each=server.role == "bytes",
            rate=rate,
            channels=0,
        )


QUICK = Plan(runs=3, messages=2_500, calls=400, seconds=1.5, lengths=(10_000, 100_000))
FULL_LENGTHS = (10_000, 100_000, 1_000_000, 10_000_000)
