"""Folders that a command is told to write into."""

import tempfile
from pathlib import Path

import click


def make_folder(folder: Path, option: str) -> None:
    """Make it, and see that a file can be written there; else a one-line error."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        why = "it is no folder" if isinstance(error, FileExistsError) else error.strerror
        raise click.ClickException(f"can't write into {option} {folder}: {why}") from None
