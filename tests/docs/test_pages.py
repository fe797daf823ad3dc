"""The docs hold together: what they link to, run and load exists."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from emulator.cli import main as emulator
from jackpot.cli.main import main as jackpot
from jackpot.rules.site import load_site
from table_client.table.command import main as table
from tests.docs.pages import (
    PAGES,
    ROOT,
    Block,
    blocks_of,
    commands,
    inline_commands,
    name_of,
    prose,
    shell_lines,
)
from tools import reference

PROGRAMS = {"jackpot": jackpot, "jackpot-table": table, "jackpot-emulator": emulator}
EACH_PAGE = pytest.mark.parametrize("page", PAGES, ids=name_of)
HANDBOOK = [page for page in PAGES if page.parent != ROOT]


def anchors(page: Path) -> set[str]:
    """The anchors that a page's headings make, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}


@EACH_PAGE
def test_every_link_leads_somewhere(page: Path) -> None:
    """To a file or folder of the tree, and to a heading that it has."""
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if link.startswith(("http://", "https://")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("page", HANDBOOK, ids=name_of)
def test_a_page_opens_with_what_it_is_for(page: Path) -> None:
    """A title, then a sentence about the page; records of decisions open with their context."""
    first = "**Context.** " if "decisions/" in str(page) else "This page "
    if page.name == "README.md":
        first = "This page "
    title, blank, opening, *_ = page.read_text("utf-8").splitlines()
    assert title.startswith("# ")
    assert blank == ""
    assert opening.startswith(first)


@pytest.mark.parametrize("index", ["docs/README.md", "docs/internals/decisions/README.md"])
def test_an_index_lists_its_pages(index: str) -> None:
    """No page is left for nobody to find."""
    path = ROOT / index
    listed = {
        (path.parent / link).resolve() for link in re.findall(r"\]\(([^)#]+)\)", path.read_text())
    }
    records = "decisions" in str(path)
    pages = path.parent.glob("*.md") if records else path.parent.rglob("*.md")
    expected = {page for page in pages if records or "decisions" not in str(page)}
    assert expected - {path} <= listed


def resolve(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that words call, and what they give it."""
    command: click.Command = PROGRAMS[words[0]]
    rest = words[1:]
    while isinstance(command, click.Group) and rest and re.fullmatch(r"[a-z][a-z-]*", rest[0]):
        found = command.get_command(click.Context(command), rest[0])
        if found is None:
            raise LookupError(" ".join(words))
        command, rest = found, rest[1:]
    if isinstance(command, click.Group) and "rounds" in command.list_commands(
        click.Context(command)
    ):
        named = rest[1:] if rest[:1] == ["--scenario"] else ["rounds", *rest]
        return resolve([*words[: len(words) - len(rest)], *named])
    return command, rest


@EACH_PAGE
def test_every_command_can_be_called_as_shown(page: Path) -> None:
    """It exists, has the options, and takes as many arguments."""
    for line in commands(page):
        words = shlex.split(re.sub(r"[…>].*", "", line))
        command, given = resolve(words)
        if isinstance(command, click.Group):
            assert not set(given) - {"--help", "--version"}, line
            continue
        context = click.Context(command)
        parsed, extra, _ = command.make_parser(context).parse_args(args=given)
        assert not extra, line
        arguments = [each for each in command.params if isinstance(each, click.Argument)]
        if "--help" not in given:
            assert all(parsed.get(each.name or "") for each in arguments if each.required), line


def options_of(text: str) -> Iterator[str]:
    """Every option that a mention names."""
    yield from re.findall(r"(?<![\w-])(--[a-z][a-z-]*)", text)


@EACH_PAGE
def test_every_command_in_a_sentence_exists(page: Path) -> None:
    """With the options that it is mentioned with."""
    for line in inline_commands(page):
        command, _ = resolve(line.replace("[", "").replace("]", "").split())
        known = {option for parameter in command.params for option in parameter.opts}
        assert set(options_of(line)) <= known | {"--help"}, line


def test_every_target_of_make_exists() -> None:
    """Those in sentences, too."""
    made = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for page in PAGES:
        named = re.findall(r"`make ([a-z]+)", prose(page))
        for block in blocks_of(""):
            if block.page == name_of(page):
                lines = shell_lines(block.text)
                named += [line.split()[1] for line in lines if re.match(r"make [a-z]", line)]
        assert set(named) <= made, name_of(page)


def test_the_readme_begins_with_two_commands() -> None:
    """Each is on a line of its own and says what it does."""
    first = next(block for block in blocks_of("") if block.page == "README.md")
    lines = [line.partition("#") for line in first.text.strip().splitlines()]
    assert [command.strip() for command, _, _ in lines] == ["make run", "make test"]
    assert all(says.strip() for _, _, says in lines)


SITES = [block for block in blocks_of("toml") if "[[links]]" in block.text]


@pytest.mark.parametrize("block", SITES, ids=lambda block: block.page)
def test_every_site_file_of_the_docs_can_be_served(block: Block, tmp_path: Path) -> None:
    """As a controller reads it; a part of one is completed."""
    text = block.text
    if "[site]" not in text:
        text = '[site]\nid = "docs"\n' + text
    path = tmp_path / "site.toml"
    path.write_text(text)
    assert load_site(path).id


@pytest.mark.parametrize("block", blocks_of("toml"), ids=lambda block: block.page)
def test_every_file_of_the_docs_is_well_formed(block: Block) -> None:
    """Rules, sites and themes alike."""
    assert tomllib.loads(block.text)


@pytest.mark.parametrize("path", reference.pages(), ids=lambda path: path.name)
def test_pages_made_from_the_code_are_fresh(path: Path) -> None:
    """Every command and every reason is there: `make reference` writes them."""
    assert path.read_text("utf-8") == reference.pages()[path]
