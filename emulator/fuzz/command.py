"""`jackpot-emulator fuzz`: send valid, wrong and damaged messages to every RPC."""

import asyncio
import logging
import multiprocessing
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path

import click

from jackpot.console import one_line
from jackpot.wire.errors import PlainError

CHUNK = 10_000  # messages of one ledger, which begins anew after them
TABLES = 9  # one of each kind


class FuzzError(PlainError):
    """A message did what none may do."""


def run_chunk(seed: int, count: int, grpc_count: int) -> "Counter[str]":
    """A ledger's messages, some of them over gRPC; FuzzError where one did harm."""
    from emulator.fuzz.ledger import HarmError, Ledger, fuzzed_pins
    from emulator.fuzz.messages import Messages
    from emulator.fuzz.over_grpc import Served
    from emulator.soak.site import write_site
    from jackpot.rules.site import load_site

    with tempfile.TemporaryDirectory() as folder:
        site = load_site(write_site(Path(folder), TABLES, herd=False))
    served = Served(site, seed)
    sent, what = 0, ""
    try:
        with fuzzed_pins(site.id) as pins, _unlogged():
            ledger = Ledger(site, seed, pins)
            messages = Messages(site, seed, ledger.request_id)
            for turn in range(count - grpc_count):
                sent = turn
                method, raw = messages.next(ledger.state)
                what = f"{method.name} {raw.hex()}"
                ledger.take(method, raw, turn)
            ledger.look()
        if grpc_count:
            with _unlogged():
                asyncio.run(served.run(grpc_count))
    except Exception as error:
        why = str(error) if isinstance(error, HarmError) else f"INTERNAL: {error!r}"
        raise FuzzError(f"seed {seed}, message {sent}: {why} ({what})") from error
    over_grpc = Counter({f"gRPC {k}": v for k, v in served.outcomes.items()})
    return ledger.outcomes + ledger.did + over_grpc


@contextmanager
def _unlogged() -> Iterator[None]:
    """Without the controller's warnings and alarms: the messages here provoke them."""
    log = logging.getLogger("jackpot")
    before = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        log.setLevel(before)


def fuzz_all(
    total: int, seed: int, grpc_share: float, processes: int, told: Callable[[int], None]
) -> "Counter[str]":
    """All messages, chunk by chunk; every chunk has a seed of its own."""
    sizes = [min(CHUNK, total - start) for start in range(0, total, CHUNK)]
    chunks = [(seed + n, size, round(size * grpc_share)) for n, size in enumerate(sizes)]
    outcomes: Counter[str] = Counter()
    if processes == 1:
        for chunk in chunks:
            outcomes += run_chunk(*chunk)
            told(chunk[1])
        return outcomes
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        running = {pool.submit(run_chunk, *chunk): chunk[1] for chunk in chunks}
        try:
            for done in as_completed(running):
                outcomes += done.result()
                told(running[done])
        except FuzzError:
            pool.shutdown(cancel_futures=True)
            raise
    return outcomes


@click.command()
@click.option(
    "--messages",
    type=click.IntRange(1),
    default=100_000,
    show_default=True,
    help="How many messages to send.",
)
@click.option(
    "--seed", type=int, default=1, show_default=True, help="The same seed sends the same messages."
)
@click.option(
    "--processes",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="How many processes send them.",
)
@click.option(
    "--grpc-share",
    type=click.FloatRange(0, 1),
    default=0.01,
    show_default=True,
    help="The share of messages sent over gRPC to a running controller. The others are decided "
    "in memory.",
)
@one_line
def fuzz(messages: int, seed: int, processes: int, grpc_share: float) -> None:
    r"""Send wrong and damaged messages, and check that none does harm.

    Fails if the controller answers a message with INTERNAL or UNKNOWN, or if a
    refused message changes the state.

    \b
    Example:
      jackpot-emulator fuzz --messages 1000000 --processes 2
    """
    began, done, terminal = time.monotonic(), 0, sys.stdout.isatty()
    with click.progressbar(length=messages, label="fuzzing") as bar:

        def told(count: int) -> None:
            nonlocal done
            percent = done * 100 // messages
            done += count
            bar.update(count)
            if not terminal and done * 100 // messages > percent:
                took_s = time.monotonic() - began
                click.echo(f"{done:,} of {messages:,} messages, {took_s:,.0f} s")

        outcomes = fuzz_all(messages, seed, grpc_share, processes, told)
    for outcome, count in outcomes.most_common():
        click.echo(f"{outcome}: {count:,}")
    click.echo(f"{messages:,} messages: 0 INTERNAL, 0 UNKNOWN, 0 state changed by a refusal")
