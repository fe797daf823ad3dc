"""Replace small files so that a power cut leaves the old one or the new one, whole."""

import os
from collections.abc import Callable
from pathlib import Path


def write_durably(path: Path, raw: bytes, opener: Callable[[str, int], int] | None = None) -> None:
    """Put a file in the place of the one before; both its bytes and its name are on the disk then.

    Without the second sync a power cut can bring the old file back, with what it said.
    """
    fresh = path.with_name(f".{path.name}.new")
    fresh.unlink(missing_ok=True)
    with open(fresh, "xb", opener=opener) as file:
        file.write(raw)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Put the names in a folder on the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
