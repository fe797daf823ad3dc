"""Carry out one soak for a command: its folder, its signals, its progress, its report."""

import asyncio
import json
import shutil
import signal
import tempfile
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import click
import uvloop
from rich.console import Console

from emulator.output import make_folder
from emulator.soak.controllers import ControllerError
from emulator.soak.options import Options
from emulator.soak.report.data import make_report
from emulator.soak.report.html import html_page
from emulator.soak.report.progress import Progress
from emulator.soak.report.text import text_lines
from emulator.soak.run import Soak
from jackpot.tuning import raise_file_limit

INTERRUPTED = 128 + signal.SIGINT  # what a shell says of a program that Ctrl-C ended
_SAME_S = 1.0  # `timeout` sends its signal twice, to the process and to its group


def run_soak(options: Options, keep: Path | None = None, *, show: bool = False) -> dict[str, Any]:
    """Run a soak; its report."""
    raise_file_limit()  # every table has connections of its own, and a herd has a thousand
    if keep:
        make_folder(keep, "--keep")
        if earlier := [name for name in ("data", "transcript") if (keep / name).exists()]:
            raise click.ClickException(
                f"--keep {keep} already holds a run ({earlier[0]}); choose an empty folder"
            )
    folder = keep or Path(tempfile.mkdtemp(prefix="soak-"))
    wanted, kept = keep is not None, True  # also by what nobody foresaw
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            found = runner.run(_run(options, folder, keep=wanted, show=show))
        kept = wanted or not found["passed"]  # a seed does not repeat what the clock decided
        return {**found, "kept": str(folder) if kept else ""}
    except asyncio.CancelledError:
        kept = wanted
        raise SystemExit(INTERRUPTED) from None
    except ControllerError as error:
        kept = wanted
        raise click.ClickException(str(error)) from None
    except click.ClickException:
        kept = wanted
        raise
    finally:
        if not kept:
            shutil.rmtree(folder)


async def _run(options: Options, folder: Path, *, keep: bool, show: bool) -> dict[str, Any]:
    run = Soak(options, folder, keep=keep)
    _known_level(run, options.until_hit)
    console = Console(stderr=True)
    stop_when_told(run, console)
    for fault, why in run.impossible.items():
        console.print(f"Fault {fault!r} is excluded: {why}", highlight=False, soft_wrap=True)
    progress = Progress(run, console)
    if show:
        run.say = console.print
    drawing = asyncio.create_task(progress.go_on()) if show else None
    with progress.live() if show else nullcontext():
        await run.run()
    if drawing:
        drawing.cancel()
    return make_report(run)


def stop_when_told(run: Soak, console: Console) -> None:
    """Ctrl-C ends a run as if it were over, with its report; the second time without."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    first_s = 0.0

    def stop() -> None:
        nonlocal first_s
        if not first_s:
            first_s = loop.time()
            run.stopping = not run.ended
            doing = "Finishing the rounds under way" if run.stopping else "The run is over"
            console.print(f"{doing}; press Ctrl-C again to quit without a report.")
        elif task and loop.time() - first_s > _SAME_S:
            task.cancel()  # it leaves no controllers and mounts behind

    with suppress(RuntimeError, ValueError):  # not in the main thread
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop)


def _known_level(run: Soak, level: str) -> None:
    known = [
        f"{link}/{name}" for link, held in run.auditor.books.links.items() for name in held.levels
    ]
    if level and level not in known:
        says = f"there is no level {level!r}; choose from: {', '.join(known)}"
        raise click.BadParameter(says, param_hint="--until-hit")


def write_report(found: dict[str, Any], folder: Path) -> None:
    """The report in all its forms."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.json").write_text(json.dumps(found, indent=1), "utf-8")
    (folder / "report.html").write_text(html_page(found), "utf-8")
    (folder / "report.txt").write_text("\n".join(text_lines(found)) + "\n", "utf-8")
