"""Files that have players' names in them: for their owner and their group, and nobody else.

A group may read: the auditors'. A umask takes away more, and never gives back.
"""

import logging
import os
import secrets
from contextlib import suppress
from pathlib import Path

_MODE = 0o640
_OTHERS = 0o007
_log = logging.getLogger(__name__)


def opener(path: str, flags: int) -> int:
    """Open a file to write so that others can't read it, whoever made it; for `open(opener=…)`."""
    descriptor = os.open(path, flags, _MODE)
    os.fchmod(descriptor, os.fstat(descriptor).st_mode & ~_OTHERS & 0o777)
    return descriptor


def make_private(path: Path) -> None:
    """Create a file for somebody else to open, or take it from others where it is theirs too.

    It gets its name only after it was closed: SQLite's locks end when any descriptor of a file is
    closed, and another thread may open it as soon as it is there.
    """
    if not path.exists():
        fresh = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
        os.close(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _MODE))
        try:
            with suppress(OSError):  # another controller was faster, or the disk knows no links
                os.link(fresh, path)
        finally:
            fresh.unlink()
    elif (mode := path.stat().st_mode & 0o777) & _OTHERS:
        try:
            path.chmod(mode & ~_OTHERS)
        except OSError as error:
            _log.warning("everyone can read %s, and that can't be changed: %s", path, error)
