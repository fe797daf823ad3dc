"""Faults of the journal's storage, by the kernel's own means: a full disk, writes that fail."""

import asyncio
import os
import resource
import shutil
import subprocess
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from emulator.soak.controllers import Supervisor
from emulator.soak.faults.base import InjectedFault, Injection, Target
from emulator.soak.options import Options

if TYPE_CHECKING:
    from emulator.soak.run import Soak

_SIZE = "8g"  # only what is used is taken
_ROOM_BYTES = 32_768
_FEEL_S = 5.0  # for a commit to fail


class SmallDisk:
    """A tmpfs over a folder. It can be shrunk to what it holds, so that nothing more fits."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.mounted = False

    def mount(self) -> bool:
        """Put the folder on it; False where this user may not."""
        self._folder.mkdir(parents=True, exist_ok=True)
        if os.geteuid() == 0:
            options = ["-t", "tmpfs", "-o", f"size={_SIZE},mode=755", "tmpfs", str(self._folder)]
            self.mounted = _run("mount", *options)
        return self.mounted

    def fill(self) -> bool:
        """Leave no room."""
        found = os.statvfs(self._folder)
        used = (found.f_blocks - found.f_bfree) * found.f_frsize
        return self._resize(str(used + _ROOM_BYTES))

    def free(self) -> bool:
        """Make room again."""
        return self._resize(_SIZE)

    def unmount(self, *, keep: bool = False) -> None:
        """Take it away, with all it holds, or leave that in the folder; OSError if it can't be."""
        if not self.mounted:
            return
        kept = self._folder.with_name(f"{self._folder.name}.kept")
        try:
            if keep:
                self.free()
                shutil.copytree(self._folder, kept)
        except OSError:
            shutil.rmtree(kept, ignore_errors=True)
            raise
        finally:
            self.mounted = not _run("umount", "-l", str(self._folder))
        if keep and not self.mounted:
            self._folder.rmdir()
            kept.rename(self._folder)

    def _resize(self, size: str) -> bool:
        return _run("mount", "-o", f"remount,size={size}", str(self._folder))


def _run(*command: str) -> bool:
    # Fixed commands of the system, with a path of our own making; Ctrl-C is not meant for them.
    done = subprocess.run(  # noqa: S603
        command, capture_output=True, check=False, start_new_session=True
    )
    return done.returncode == 0


def fail_writes(pid: int, log: Path) -> bool:
    """Let a process write to no file but its log; False where it can't be done.

    A limit on the size of files fails every write past it, into old pages too. It lies a little
    above the log, so that the controller can still say what happened to it, and far below where a
    journal is written, except for a moment after its write-ahead log has begun anew.
    """
    return _limit(pid, log.stat().st_size + _ROOM_BYTES)


def allow_writes(pid: int) -> bool:
    """Take the limit back."""
    return _limit(pid, resource.RLIM_INFINITY)


def _limit(pid: int, limit: int) -> bool:
    try:
        hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (limit, hard))
    except OSError:
        return False
    return True


class _StorageFault(InjectedFault):
    """A fault of the disk that the journal is on."""

    breaks_store = True

    @classmethod
    def why_impossible(cls, options: Options) -> str:
        """The journal must be on a disk of ours."""
        return (
            "the journal is in a database, not on a local disk (--store)" if options.store else ""
        )

    async def is_felt(self, failed_before: int) -> bool:
        """Whether a commit fails before long; the failure lasts a while then.

        A journal goes on for some time in what its write-ahead log holds already.
        """
        until = time.monotonic() + _FEEL_S
        while self.target.failed_commits() == failed_before:
            if time.monotonic() > until:
                return False
            await asyncio.sleep(0.1)
        await asyncio.sleep(self.target.draw.uniform(0.3, 1.5))
        return True


class Disk(_StorageFault):
    """The journal is on a small disk that is full now and then."""

    name = "disk"
    text = "no space is left on the disk (a tmpfs that shrinks; needs root)"

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._disk = SmallDisk(target.folder / "data")

    @classmethod
    def why_impossible(cls, options: Options) -> str:
        """This user must be allowed to mount a disk. Tried out: root may be root in name only."""
        if why := super().why_impossible(options):
            return why
        with tempfile.TemporaryDirectory(prefix="soak-") as folder:
            disk = SmallDisk(Path(folder))
            mounted = disk.mount()
            disk.unmount()
        return "" if mounted else "this user may not mount a small disk; run the soak as root"

    async def set_up(self, soak: "Soak", stack: AsyncExitStack) -> None:
        """Put the journal on a small disk."""
        if self._disk.mount():
            stack.callback(self._take_away, soak)

    def _take_away(self, soak: "Soak") -> None:
        try:
            self._disk.unmount(keep=soak.keep or soak.failed)
        except OSError as error:
            # A copy fails with all that it could not copy, each with its path and why.
            why = error.args[0][0][-1] if isinstance(error, shutil.Error) else error.strerror
            soak.failure = soak.failure or f"the journal could not be kept: {why}"

    async def inject(self, supervisor: Supervisor) -> Injection:  # noqa: ARG002 - they share a disk
        """Leave no room until a commit fails."""
        if not self._disk.mounted:
            return Injection("disk full", was_felt=False)
        failed_before = self.target.failed_commits()
        self._disk.fill()
        felt = await self.is_felt(failed_before)
        self._disk.free()
        return Injection("disk full", felt)

    async def undo(self) -> None:
        """Make room."""
        if self._disk.mounted:
            self._disk.free()


class Write(_StorageFault):
    """A controller's writes to files fail for a moment."""

    name = "write"
    text = "writes to files fail (a file size limit)"

    async def inject(self, supervisor: Supervisor) -> Injection:
        """Fail a controller's writes until a commit fails."""
        controller, felt = supervisor.controller, False
        pid, failed_before = controller.pid, self.target.failed_commits()
        if pid and fail_writes(pid, controller.log):
            felt = await self.is_felt(failed_before)
            allow_writes(pid)
        return Injection("writes fail", felt)

    async def undo(self) -> None:
        """Let all controllers write."""
        for supervisor in self.target.supervisors:
            if pid := supervisor.controller.pid:
                allow_writes(pid)
