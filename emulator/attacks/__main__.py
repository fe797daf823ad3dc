"""Attack until told to stop.

    python -m emulator.attacks

reads one JSON line, an `Attack`, says "attacking" when it is at full strength, goes on until its
input ends, and says how much it did. It yields the processor to everybody else and keeps to a rate,
so whoever is slow meanwhile is not slow for want of a processor.
"""

import os
import sys
from threading import Event, Thread

import click
import msgspec

from emulator.attacks.as_table import attaches, refusals, streams
from emulator.attacks.attack import Attack
from emulator.attacks.on_grpc_port import connections, resets
from emulator.attacks.on_pages import browsers, endless_header
from jackpot.tuning import raise_file_limit

KINDS = {
    "header": endless_header,
    "connections": connections,
    "resets": resets,
    "browsers": browsers,
    "attaches": attaches,
    "streams": streams,
    "refusals": refusals,
}


def main() -> None:
    """Do what the first line says until the input ends."""
    attack = msgspec.json.decode(sys.stdin.readline(), type=Attack)
    os.nice(attack.nice)
    raise_file_limit()
    ended = Event()

    def listen() -> None:
        sys.stdin.read()
        ended.set()

    Thread(target=listen, daemon=True).start()
    click.echo(KINDS[attack.kind](attack, lambda: click.echo("attacking"), ended))


if __name__ == "__main__":
    main()
