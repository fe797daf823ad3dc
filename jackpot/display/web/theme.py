"""A house's look: its name, its logo and its colors, from one small TOML file.

Colors that people could not read on one another are refused: a sign is read from thirty feet away.
"""

import re
import tomllib
from pathlib import Path
from typing import Any, Self

from msgspec import Struct, field

from jackpot.rules.toml_lines import parse
from jackpot.wire.errors import PlainError

_COLOR = re.compile(r"#[0-9a-f]{6}", re.IGNORECASE)
_LOGO_TYPES = {".svg": "image/svg+xml", ".png": "image/png", ".webp": "image/webp"}
_LOGO_BYTES = 1 << 20
_NAME_LENGTH = 60
LEGIBLE = 4.5  # the least contrast of text on its ground, WCAG 2 AA
COLORS = {
    "background": "#0d0f12",
    "surface": "#171a1f",
    "text": "#f3efe6",
    "muted": "#a5a297",
    "accent": "#e8b64c",
    "alert": "#ff7a59",
}


class ThemeError(PlainError):
    """A theme file that can't be used."""


class Theme(Struct, frozen=True):
    """How pages look."""

    name: str = ""
    logo: bytes = b""
    logo_type: str = ""
    colors: dict[str, str] = field(default_factory=COLORS.copy)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a theme file; ThemeError says what is wrong with it."""
        try:
            values = parse(path.read_text("utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise ThemeError(f"{path}: {error}") from error
        colors = values.pop("colors", values.pop("colours", {}))
        if unknown := values.keys() - {"name", "logo"}:
            raise ThemeError(f"{path}: unknown key {min(unknown)!r}")
        name = values.get("name", "")
        if not isinstance(name, str) or len(name) > _NAME_LENGTH:
            raise ThemeError(f"{path}: name must be a text of at most {_NAME_LENGTH} characters")
        logo, logo_type = _logo(path, values.get("logo", ""))
        return cls(name, logo, logo_type, _colors(path, colors))

    def css(self) -> bytes:
        """The colors as style-sheet variables."""
        rules = "".join(f"--{name}:{value};" for name, value in self.colors.items())
        return f":root{{{rules}}}\n".encode()


def _logo(path: Path, name: Any) -> tuple[bytes, str]:
    if name == "":
        return b"", ""
    if not isinstance(name, str) or Path(name).suffix not in _LOGO_TYPES:
        raise ThemeError(f"{path}: logo must name one of {', '.join(sorted(_LOGO_TYPES))}")
    try:
        logo = (path.parent / name).read_bytes()
    except OSError as error:
        raise ThemeError(f"{path}: {error}") from error
    if len(logo) > _LOGO_BYTES:
        raise ThemeError(f"{path}: the logo has more than {_LOGO_BYTES} bytes")
    return logo, _LOGO_TYPES[Path(name).suffix]


def _colors(path: Path, chosen: Any) -> dict[str, str]:
    if not isinstance(chosen, dict):
        raise ThemeError(f"{path}: colors must be a table")
    for key, value in chosen.items():
        if key not in COLORS:
            raise ThemeError(f"{path}: unknown color {key!r} (one of: {', '.join(COLORS)})")
        if not isinstance(value, str) or not _COLOR.fullmatch(value):
            raise ThemeError(f"{path}: colors.{key} must be like {COLORS[key]!r}")
    colors = COLORS | chosen
    for ink in ("text", "muted", "accent", "alert"):
        for ground in ("background", "surface"):
            found = contrast(colors[ink], colors[ground])
            if found < LEGIBLE:
                raise ThemeError(
                    f"{path}: {ink} on {ground} has a contrast of {found:.1f}, "
                    f"below {LEGIBLE}, so it would be hard to read"
                )
    return colors


def contrast(one: str, other: str) -> float:
    """How well two colors can be told apart, from 1 to 21, as WCAG 2 reckons it."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: str) -> float:
    channels = [int(color[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4  # noqa: PLR2004 - sRGB's curve
        for c in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
