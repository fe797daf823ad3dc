"""The operator's handbook names what exists."""

import inspect
import json
import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from jackpot.cli.main import main
from jackpot.core import bad_beat, settle
from jackpot.engine import AlarmKind
from tests.cli.test_commands import every_command

ROOT = Path(__file__).resolve().parents[2]
HANDBOOK = (ROOT / "docs" / "operate" / "daily-work.md").read_text()
ALARMS = (ROOT / "docs" / "operate" / "alarms.md").read_text()


DEPLOYED = ("deploy/compose.yaml", "deploy/jackpot.service", "deploy/jackpot@.service")


@pytest.mark.parametrize("path", [*DEPLOYED, "docs/operate/scaling.md", "docs/operate/install.md"])
def test_what_is_deployed_can_be_run(path: str) -> None:
    """Every `jackpot` command of the units and of these pages exists, with its options."""
    text = re.sub(r"\\\n\s*", "", (ROOT / path).read_text())
    ran = re.findall(r"jackpot ((?:serve|store copy|ca init|ca server|verify)\b[^\n`#…]*)", text)
    assert ran
    for line in ran:
        command: click.Command | None = main
        for word in line.split():
            if isinstance(command, click.Group):  # its commands are loaded when they are asked for
                command = command.get_command(click.Context(command), word)
        assert command is not None, line
        known = {option for parameter in command.params for option in parameter.opts}
        used = set(re.findall(r" (--[a-z-]+)", line))
        assert used <= known, line


def test_the_site_file_of_the_rules_page_can_be_served(tmp_path: Path) -> None:
    """Its two parts together pass `jackpot rules check`."""
    page = (ROOT / "docs" / "reference" / "site-file.md").read_text()
    blocks = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    file = tmp_path / "site.toml"
    site = next(at for at, block in enumerate(blocks) if block.startswith("[site]"))
    file.write_text("\n".join(blocks[site:]))
    result = CliRunner().invoke(main, ["rules", "check", str(file)])
    assert (result.exit_code, "bad-beat" in file.read_text()) == (0, True), result.output


def test_every_command_that_ends_has_json() -> None:
    """What the handbook promises to scripts; those that it excepts have nothing to tell one."""
    without = set()
    for path in every_command():
        command: click.Command | None = main
        for word in path:
            assert isinstance(command, click.Group)
            command = command.get_command(click.Context(command), word)
        assert command is not None
        known = {option for parameter in command.params for option in parameter.opts}
        if not isinstance(command, click.Group) and "--json" not in known:
            without.add(" ".join(path))
    assert without == {"serve", "sign", "completion"}
    assert "(not `serve`, `sign` and `completion`)" in " ".join(HANDBOOK.split())


def test_the_example_of_serve_names_a_certificate_as_it_is_issued(tmp_path: Path) -> None:
    """With the serial in its place, the file that `jackpot ca server` has made."""
    runner, folder = CliRunner(), str(tmp_path / "ca")
    runner.invoke(main, ["ca", "init", "--name", "House", "--dir", folder])
    made = runner.invoke(main, ["ca", "server", "localhost", "--dir", folder, "--json"]).stdout
    issued = json.loads(made)
    (shown,) = re.findall(r"--cert (ca/\S+)", runner.invoke(main, ["serve", "--help"]).stdout)
    assert shown.replace("SERIAL", issued["serial"]) == f"ca/issued/{issued['file']}"


def alarms() -> set[str]:
    """Every alarm that the core raises, that the controller lists and that monitoring knows."""
    sources = inspect.getsource(bad_beat) + inspect.getsource(settle)
    alerts = (ROOT / "deploy" / "alerts.yml").read_text()
    said = {*re.findall(r'f"([A-Z_]+) \{', sources), *re.findall(r"alert: (\w+)", alerts)}
    return said | {kind.name for kind in AlarmKind}


@pytest.mark.parametrize("alarm", sorted(alarms()))
def test_every_alarm_says_what_to_do(alarm: str) -> None:
    """Each has its line in the handbook."""
    table = ALARMS.partition("## What to do on each alarm")[2]
    assert alarm in table


def test_exit_codes_are_those_of_the_help() -> None:
    """Handbook and `jackpot --help` list the same ones."""
    listed = re.findall(r"^\| (\d) \|", HANDBOOK, re.MULTILINE)
    said = (main.help or "").partition("Exit codes:\n")[2].partition("\n\n")[0]
    assert listed == re.findall(r"^ *(\d)  \S", said, re.MULTILINE)
