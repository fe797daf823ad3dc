"""A disk that can be full, and writes that fail: by the kernel's own means."""

import os
import resource
import shutil
import subprocess
from pathlib import Path

_SIZE = "8g"  # only what is used is taken
_ROOM_BYTES = 32_768


class SmallDisk:
    """A tmpfs over a folder. It can be shrunk to what it holds, so that nothing more fits."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.mounted = False
        self.was_mounted = False

    def mount(self) -> bool:
        """Put the folder on it; False where this user may not."""
        self._folder.mkdir(parents=True, exist_ok=True)
        if os.geteuid() == 0:
            options = ["-t", "tmpfs", "-o", f"size={_SIZE},mode=755", "tmpfs", str(self._folder)]
            self.mounted = self.was_mounted = _run("mount", *options)
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
