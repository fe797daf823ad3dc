"""What the pages of the docs hold: blocks of code, commands and links."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
PROGRAMS = ("jackpot", "jackpot-table", "jackpot-emulator")
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A fenced block of a page."""

    page: str
    language: str
    text: str


def name_of(page: Path) -> str:
    """A page as the tree has it."""
    return str(page.relative_to(ROOT))


def blocks(page: Path) -> list[Block]:
    """Every fenced block."""
    found = _FENCE.findall(page.read_text("utf-8"))
    return [Block(name_of(page), language, text) for language, text in found]


def blocks_of(language: str) -> list[Block]:
    """Every block in a language, of all pages."""
    return [block for page in PAGES for block in blocks(page) if block.language == language]


def prose(page: Path) -> str:
    """A page without its blocks."""
    return _FENCE.sub("", page.read_text("utf-8"))


def shell_lines(text: str) -> Iterator[str]:
    """The commands of a block, without prompts, comments and what they printed."""
    lines = re.sub(r"\s*\\\n\s*", " ", text).splitlines()
    prompted = any(line.startswith("$ ") for line in lines)
    for line in lines:
        if not prompted or line.startswith("$ "):
            yield re.sub(r"\s+#.*", "", line.removeprefix("$ ")).strip()


def commands(page: Path) -> list[str]:
    """Every command of this project that a page shows in a block."""
    found = []
    for block in blocks(page):
        if not block.language:
            for line in shell_lines(block.text):
                found += [part for part in line.split(" && ") if part.split()[:1] != []]
    return [line for line in found if line.split()[0] in PROGRAMS]


def inline_commands(page: Path) -> list[str]:
    """Every command of this project that a page mentions in a sentence."""
    spans = re.findall(r"`([^`]+)`", prose(page))
    words = [" ".join(span.split()) for span in spans]
    return [span for span in words if span.split()[0] in PROGRAMS]
