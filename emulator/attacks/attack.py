"""Describe an attack, and keep it to a rate."""

import ssl
import time
from pathlib import Path

import click
import msgspec


class Attack(msgspec.Struct):
    """What to do, to whom, and how often at most."""

    kind: str  # one of emulator/attacks/__main__.py
    address: str  # host:port, of the pages or of gRPC
    authority: str  # a file
    certificate: str = ""  # a file, its key beside it
    per_s: float = 0.0  # 0: as fast as it can; pieces, connections, calls or reloads
    count: int = 1  # connections or browsers
    path: str = ""  # of a page
    nice: int = 19  # how far it yields the processor to everybody else
    site: str = ""
    table: str = ""  # the one that attacks
    enough: int = 0  # how much must be done before it says "enough"

    @property
    def where(self) -> tuple[str, int]:
        """Host and port."""
        host, _, port = self.address.rpartition(":")
        return host, int(port)

    def pace(self) -> "Pace":
        """How it keeps to its rate."""
        return Pace(self.per_s, self.enough)

    def tls(self, protocol: str = "") -> ssl.SSLContext:
        """How to speak to them."""
        made = ssl.create_default_context(cafile=self.authority)
        if self.certificate:
            made.load_cert_chain(self.certificate, Path(self.certificate).with_suffix(".key"))
        if protocol:
            made.set_alpn_protocols([protocol])
        return made


class Pace:
    """Keeps to a rate, and remembers how much was done; tells when that is enough."""

    def __init__(self, per_s: float, enough: int = 0) -> None:
        self._gap_s = 1 / per_s if per_s else 0.0
        self._next_at = time.monotonic()
        self._enough = enough
        self.done = 0

    def due_s(self, count: int = 1, done: int | None = None) -> float:
        """Count what was tried, and say how long to wait before more; what was missed is lost.

        `done` is how much of it was really sent, where that is not all.
        """
        before, self.done = self.done, self.done + (count if done is None else done)
        if before < self._enough <= self.done:
            click.echo("enough")
        now = time.monotonic()
        self._next_at = max(now, self._next_at + count * self._gap_s)
        return self._next_at - now

    def wait(self, count: int = 1) -> None:
        """Wait until it is time for more."""
        time.sleep(self.due_s(count))
