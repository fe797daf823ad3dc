"""A house's look, and what is refused as one."""

from pathlib import Path

import pytest

from jackpot.display.web.app import Settings
from jackpot.display.web.theme import COLORS, LEGIBLE, Theme, ThemeError, contrast
from tests.display.shown import open_shown
from tests.docs.pages import ROOT, blocks

EXAMPLE = ROOT / "deploy" / "theme.toml"


def write(folder: Path, text: str) -> Path:
    """A theme file."""
    path = folder / "theme.toml"
    path.write_text(text)
    return path


async def test_a_theme_dresses_every_page(tmp_path: Path) -> None:
    """Name, logo and colors of the file are what pages are told."""
    (tmp_path / "logo.svg").write_text("<svg/>")
    path = write(tmp_path, 'name = "Royal"\nlogo = "logo.svg"\n[colors]\naccent = "#9fd3ff"\n')
    async with open_shown(tmp_path, Settings(theme=Theme.load(path))) as shown:
        assert (await shown.json("/api/site"))["name"] == "Royal"
        assert (await shown.get("/logo")) == (200, "<svg/>")
        css = (await shown.get("/theme.css"))[1]
        assert "--accent:#9fd3ff;" in css
        assert f"--text:{COLORS['text']};" in css


def test_the_example_of_a_theme_can_be_used(tmp_path: Path) -> None:
    """The file to copy has the own colors and an optional logo; the page shows the same theme."""
    (tmp_path / "logo.svg").write_text("<svg/>")
    example = Theme.load(EXAMPLE)
    assert (example.colors, example.logo) == (COLORS, b"")
    page = blocks(ROOT / "docs" / "operate" / "signs.md")
    (shown,) = [block.text for block in page if "[colors]" in block.text]
    with_logo = EXAMPLE.read_text().replace("# logo =", "logo =")
    assert Theme.load(write(tmp_path, with_logo)) == Theme.load(write(tmp_path, shown))


def test_the_british_spelling_is_read_too(tmp_path: Path) -> None:
    """Files written before the key was American keep their look."""
    path = write(tmp_path, '[colours]\naccent = "#9fd3ff"\n')
    assert Theme.load(path).colors == COLORS | {"accent": "#9fd3ff"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name = 7", "name must be a text"),
        ("name = " + 5_000 * "9", "a number has too many digits"),
        ("name = " + 5_000 * "[" + 5_000 * "]", "nested too deeply"),
        ('name = "' + 61 * "x" + '"', "at most 60"),
        ('title = "x"', "unknown key 'title'"),
        ('logo = "logo.exe"', "logo must name one of"),
        ('logo = "missing.png"', "No such file"),
        ("[colors]\nink = '#ffffff'", "unknown color 'ink'"),
        ("[colors]\naccent = 'gold'", "must be like"),
        ("[colors]\naccent = '#1a1a1a'", "accent on background has a contrast of 1.1"),
        ("colors = 3", "must be a table"),
        ("name =", "Invalid value"),
    ],
)
def test_what_is_no_theme(tmp_path: Path, text: str, problem: str) -> None:
    """A file that can't be used is refused with its reason."""
    with pytest.raises(ThemeError, match=problem):
        Theme.load(write(tmp_path, text))


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    """A theme that is not there is named."""
    with pytest.raises(ThemeError, match=r"none\.toml"):
        Theme.load(tmp_path / "none.toml")


def test_contrast_is_wcags() -> None:
    """Black on white is 21, a color on itself 1, and the own colors are legible."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#777777") == 1
    assert contrast("#767676", "#ffffff") > LEGIBLE > contrast("#777777", "#ffffff")
    for ink in ("text", "muted", "accent", "alert"):
        for ground in ("background", "surface"):
            assert contrast(COLORS[ink], COLORS[ground]) >= LEGIBLE
